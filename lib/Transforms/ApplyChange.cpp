//===- ApplyChange.cpp - A nest written otherwise ---------------*- C++ -*-===//
//
// Sizes are changed in the model of the nest and written back from there.
//
//===----------------------------------------------------------------------===//

#include "tilec/Transforms/ApplyChange.h"

#include "tilec/Analysis/CopyPlan.h"
#include "tilec/Analysis/GrowStep.h"
#include "tilec/Analysis/LayoutPlan.h"
#include "tilec/Transforms/PlanNest.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::analysis;
using tile::ForOp;

/// Gives `value` extents `shape`. Memory of operands keeps its strides, tiles leave theirs open.
static void setShape(Value value, ArrayRef<int64_t> shape) {
  auto type = cast<MemRefType>(value.getType());
  if (type.getShape() == shape)
    return;
  auto layout = type.getMemorySpace() ? MemRefLayoutAttrInterface() : type.getLayout();
  value.setType(MemRefType::get(shape, type.getElementType(), layout, type.getMemorySpace()));
}

/// Parts lie where their tile does: strides that their types state are those of another layout.
static void dropStrides(Value tile) {
  for (Operation *user : tile.getUsers())
    if (auto part = dyn_cast<tile::PartOp>(user)) {
      auto type = cast<MemRefType>(part.getPart().getType());
      part.getPart().setType(MemRefType::get(type.getShape(), type.getElementType(), MemRefLayoutAttrInterface(), type.getMemorySpace()));
      dropStrides(part.getPart());
    }
}

/// Writes the steps and extents of `model` into its nest.
static void writeSizes(const NestModel &model) {
  for (const LoopModel &loop : model.loops) {
    ForOp op = loop.op;
    auto steps = llvm::to_vector(op.getSteps()), extents = llvm::to_vector(op.getStaticExtents());
    steps[loop.number] = loop.step * loop.scale;
    if (op.getStaticCount(loop.number))
      extents[loop.number] = loop.extent;
    op.setSteps(steps);
    op.setStaticExtents(extents);
  }
  for (const PartModel &part : model.parts)
    setShape(part.op->getResult(0), part.shape);
  for (const TileModel &tile : model.tiles) {
    Value value = tile.op->getResult(0);
    bool changes = cast<MemRefType>(value.getType()).getShape() != ArrayRef<int64_t>(tile.shape);
    setShape(value, tile.shape);
    if (changes)
      dropStrides(value);
  }
}

/// `layout` of a tile of extents `before` for one of extents `after`, where it has rows side by side, or columns of a matrix.
static std::optional<layout::ComposedLayout> resize(const layout::ComposedLayout &layout, ArrayRef<int64_t> before, ArrayRef<int64_t> after) {
  std::optional<SmallVector<int64_t>> strides = getStrides(layout.layout());
  if (!strides || before.size() < 2)
    return std::nullopt;
  SmallVector<unsigned> order = llvm::to_vector(llvm::seq<unsigned>(0, before.size()));
  if (before.size() == 2 && strides->front() == 1 && strides->back() != 1)
    std::reverse(order.begin(), order.end());
  unsigned fast = order.back();
  int64_t distance = (*strides)[order.end()[-2]];
  if (distance < before[fast] || layRows(layout, before, order, distance) != layout)
    return std::nullopt;
  return layRows(layout, after, order, distance - before[fast] + after[fast]);
}

void tilec::carryLayouts(tile::KernelOp kernel, const NestModel &planned) {
  auto stages = [](tile::KernelOp nest) {
    SmallVector<tile::StageOp> found;
    nest.walk([&](tile::StageOp stage) {
      if (tile::getLevel(stage.getTile().getType()) == tile::Level::SMEM)
        found.push_back(stage);
    });
    return found;
  };
  for (auto [stage, like] : llvm::zip(stages(kernel), stages(planned.kernel))) {
    auto type = cast<MemRefType>(stage.getTile().getType()), before = cast<MemRefType>(like.getTile().getType());
    FailureOr<layout::ComposedLayout> own = tile::getStaticLayout(before);
    if (!isLayoutOpen(type) || failed(own) || stage.getCopy() == tile::Copy::Tma)
      continue;
    std::optional<layout::ComposedLayout> layout = resize(*own, before.getShape(), type.getShape());
    if (!layout)
      continue;
    stage.getTile().setType(MemRefType::get(type.getShape(), type.getElementType(), tile::LayoutAttr::get(kernel.getContext(), *layout),
                                            type.getMemorySpace()));
    dropStrides(stage.getTile());
  }
}

/// Makes the induction variables of `loop` stand in `order`.
static void permute(ForOp loop, ArrayRef<int64_t> order) {
  auto oldSteps = llvm::to_vector(loop.getSteps()), oldExtents = llvm::to_vector(loop.getStaticExtents());
  SmallVector<int64_t> steps, extents;
  SmallVector<Location> names;
  SmallVector<SmallVector<OpOperand *>> uses;
  for (int64_t i : order) {
    steps.push_back(oldSteps[i]);
    extents.push_back(oldExtents[i]);
    names.push_back(loop.getInductionVar(i).getLoc());
    uses.push_back(llvm::map_to_vector(loop.getInductionVar(i).getUses(), [](OpOperand &use) { return &use; }));
  }
  loop.setSteps(steps);
  loop.setStaticExtents(extents);
  for (unsigned i = 0; i < order.size(); ++i) {
    loop.getInductionVar(i).setLoc(names[i]);
    for (OpOperand *use : uses[i])
      use->set(loop.getInductionVar(i));
  }
}

LogicalResult tilec::applyChange(tile::KernelOp kernel, ArrayRef<int64_t> arguments, const Change &change) {
  FailureOr<NestModel> model = NestModel::get(kernel, arguments);
  if (failed(model))
    return failure();
  switch (change.kind) {
  case Change::Kind::BlockTile:
  case Change::Kind::ThreadTile: {
    NestModel changed = *model;
    for (auto [loop, step] : llvm::zip_equal(change.loops, change.values))
      if (changed.loops[loop].step != step)
        changed = changeStep(changed, loop, step);
    writeSizes(changed);
    return success();
  }
  case Change::Kind::Pipeline:
    ForOp(model->loops[change.loops.front()].op).setPipeline(change.values.front());
    return success();
  case Change::Kind::Raster:
    ForOp(model->loops.front().op)
        .setRasterAttr(tile::RasterAttr::get(kernel.getContext(), change.raster.kind, change.raster.rows, change.raster.columns));
    return success();
  case Change::Kind::Layout: {
    Value value = model->tiles[change.tile].op->getResult(0);
    auto type = cast<MemRefType>(value.getType());
    // The tile may have other extents by now.
    auto laidOut = MemRefType::getChecked([&] { return emitError(value.getLoc()); }, type.getShape(), type.getElementType(),
                                          tile::LayoutAttr::get(kernel.getContext(), *change.layout), type.getMemorySpace());
    if (!laidOut)
      return failure();
    value.setType(laidOut);
    dropStrides(value);
    return success();
  }
  case Change::Kind::ThreadOrder:
    permute(model->loops[change.loops.front()].op, change.values);
    return success();
  }
  llvm_unreachable("covered switch");
}
