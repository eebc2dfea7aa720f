//===- PlanCopies.cpp - tile-plan-copy --------------------------*- C++ -*-===//
//
// How tiles are copied to shared memory, loaded from there, and stored.
//
//===----------------------------------------------------------------------===//

#include "PlanPass.h"

#include "tilec/Analysis/BulkPlan.h"
#include "tilec/Analysis/SlicedStore.h"
#include "tilec/Analysis/ClusterPlan.h"
#include "tilec/Analysis/CopyDecisions.h"
#include "tilec/Analysis/MatrixLoad.h"

namespace tilec {
#define GEN_PASS_DEF_PLANCOPYPASS
#include "tilec/Transforms/Passes.h.inc"
} // namespace tilec

using namespace mlir;
using namespace tilec;
using namespace tilec::analysis;
using tile::ForOp;
using tile::StageOp;
using tile::StoreOp;

/// Copies of more rounds stay loops; texts for rare launches, which are there once more, stay short.
constexpr int64_t kUnrolled = 32, kUnrolledRare = 2;

static std::string describe(ArrayRef<CopyForm> forms, int64_t elementBytes) {
  std::string text;
  for (const CopyForm &form : forms)
    text += (text.empty() ? "" : ", then ") + std::to_string(form.width * elementBytes) + " bytes a thread along dimension " +
            std::to_string(form.along);
  return text;
}

static tile::EdgeCheck chooseEdges(StageOp stage, const CopyTile &tile, CopyForm first) {
  // Warps that only copy take issue slots from those that compute: they do not ask for each element.
  ForOp loop = getPipeline(stage);
  bool fills = loop && loop.getProducers() && stage.getCopy() != tile::Copy::Tma;
  return fills && isEven(getCopyDigits(tile, first), *loop.getProducers() * tile::kWarpThreads) ? tile::EdgeCheck::Tile : tile::EdgeCheck::Element;
}

static LogicalResult planSlices(StageOp stage) {
  FailureOr<BulkBox> box = getBulkBox(stage, cast<MemRefType>(stage.getTile().getType()));
  if (failed(box))
    return failure();
  int64_t sharers = getSharers(getClusteredLoop(stage->getParentOfType<tile::KernelOp>()), stage).size();
  stage.setSlices(getSlices(stage, sharers, *box));
  return success();
}

static LogicalResult planToShared(StageOp stage, bool remarks) {
  FailureOr<CopyTile> tile = getCopyTile(stage);
  if (failed(tile)) // The lowering says what it cannot lay out.
    return success();
  Builder builder(stage.getContext());
  if (!stage.getForms()) {
    SmallVector<CopyForm> forms = getCopyForms(*tile, getCopySource(tile::getSourceAccess(stage)));
    stage.setFormsAttr(builder.getArrayAttr(llvm::map_to_vector(forms, [&](CopyForm form) -> Attribute {
      return tile::FormAttr::get(stage.getContext(), form.along, form.width);
    })));
    if (remarks)
      stage.emitRemark("is copied with ") << describe(forms, tile->elementBytes) << (forms.size() > 1 ? ": a launch takes the first that it allows" : "");
  }
  if (!stage.getEdges()) {
    stage.setEdges(chooseEdges(stage, *tile, getForms(stage).front()));
    if (remarks && stage.getEdges() == tile::EdgeCheck::Tile)
      stage.emitRemark("asks once for each tile whether all of it is present: producers take issue slots from warps that compute");
  }
  if (!stage.getUnroll())
    stage.setUnroll(ArrayRef<int64_t>{kUnrolled, kUnrolledRare});
  return stage.getCopy() == tile::Copy::Tma && !stage.getSlices() ? planSlices(stage) : success();
}

static void planLoad(StageOp stage, const tile::Access &access, const tile::Distribution &spread, bool remarks) {
  if (stage.getEdges() && stage.getWide())
    return;
  stage.setEdges(getEdges(stage, spread));
  std::optional<WideRuns> wide = getWideRuns(stage, spread, getCopySource(access));
  stage.setWide(wide ? wide->form.width : 1);
  if (remarks && wide)
    stage.emitRemark("is loaded ") << wide->form.width << " elements at a time along dimension " << wide->form.along << " in launches that align them";
}

static void planToRegisters(StageOp stage, bool remarks) {
  tile::Access access = tile::getSourceAccess(stage);
  auto source = cast<MemRefType>(access.root.getType());
  FailureOr<layout::ComposedLayout> layout = tile::getStaticLayout(source);
  std::optional<tile::Distribution> spread = getSpread(stage.getTile());
  if (spread && isa<BlockArgument>(access.root)) {
    planLoad(stage, access, *spread, remarks);
    return;
  }
  if (stage.getWide() || tile::getLevel(source) != tile::Level::SMEM || failed(layout) || !spread)
    return;
  RegisterLoad load = getRegisterLoad(stage, *spread, *layout, getDivisors(access));
  stage.setWide(load.width);
  if (load.matrices)
    stage.setCopy(tile::Copy::Ldmatrix);
  if (remarks && load.matrices)
    stage.emitRemark("is loaded as ") << load.matrices->count << " matrices at a time: lanes hold of rows of 16 bytes what an instruction takes";
  else if (remarks && load.width > 1)
    stage.emitRemark("is loaded ") << *stage.getWide() << " elements at a time: a thread holds as many side by side, aligned in smem";
}

static void planStore(StoreOp store, bool remarks) {
  std::optional<tile::Distribution> spread = getSpread(tile::traceParts(store.getTile()).root);
  bool fromRegisters = tile::getLevel(store.getTile().getType()) == tile::Level::RF;
  tile::Access dest = tile::getDestAccess(store);
  if (store.getWide() || store.getCopy() || !fromRegisters || !spread)
    return;
  if (!isa<BlockArgument>(dest.root)) {
    FailureOr<layout::ComposedLayout> layout = tile::getStaticLayout(cast<MemRefType>(dest.root.getType()));
    if (failed(layout))
      return;
    store.setWide(getStoreWidth(store, *spread, *layout, getDivisors(dest)));
    if (remarks && *store.getWide() > 1)
      store.emitRemark("stores ") << *store.getWide() << " elements at a time: a thread holds as many side by side, aligned in smem";
    return;
  }
  std::optional<CopyForm> wide;
  if (asksOnce(store, *spread)) {
    if (std::optional<WideRuns> runs = getWideRuns(store, *spread, getCopySource(dest)))
      wide = runs->form;
    store.setEdges(tile::EdgeCheck::Tile);
  } else {
    wide = getWideStore(store, getStoredSpread(store, *spread), getCopySource(dest));
  }
  store.setWide(wide ? wide->width : 1);
  if (remarks && wide)
    store.emitRemark("stores ") << wide->width << " elements at a time along dimension " << wide->along << " in launches that align them";
}

LogicalResult tilec::planCopies(tile::KernelOp kernel, bool remarks) {
  WalkResult result = kernel.walk([&](Operation *op) -> WalkResult {
    if (auto store = dyn_cast<StoreOp>(op)) {
      if (failed(checkDecisions(store)))
        return failure();
      planStore(store, remarks);
    }
    auto stage = dyn_cast<StageOp>(op);
    if (!stage)
      return success();
    if (failed(checkDecisions(stage)))
      return failure();
    if (tile::getLevel(stage.getTile().getType()) == tile::Level::SMEM)
      return planToShared(stage, remarks);
    planToRegisters(stage, remarks);
    return success();
  });
  return failure(result.wasInterrupted());
}

template struct tilec::PlanPass<tilec::impl::PlanCopyPassBase, planCopies>;
