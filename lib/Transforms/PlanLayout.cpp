//===- PlanLayout.cpp - tile-plan-layout ------------------------*- C++ -*-===//
//
// Fills in what a nest leaves open of where staged tiles lie.
//
//===----------------------------------------------------------------------===//

#include "PlanPass.h"

#include "tilec/Analysis/Capacity.h"
#include "tilec/Analysis/LayoutPlan.h"
#include "tilec/Analysis/MatrixLayoutPlan.h"
#include "tilec/Transforms/ModuleTarget.h"

namespace tilec {
#define GEN_PASS_DEF_PLANLAYOUTPASS
#include "tilec/Transforms/Passes.h.inc"
} // namespace tilec

using namespace mlir;
using namespace tilec;
using namespace tilec::analysis;

/// Did the author leave the layout of this tile open? One that is written down is one, even that of rows side by side.
bool tilec::isLayoutOpen(MemRefType tile) { return isa<AffineMapAttr>(tile.getLayout()) && tile.getLayout().isIdentity(); }

/// Parts lie where their tile does: strides that their types state are the old ones.
static void dropStrides(Value tile) {
  for (Operation *user : tile.getUsers())
    if (auto part = dyn_cast<tile::PartOp>(user)) {
      auto type = cast<MemRefType>(part.getPart().getType());
      part.getPart().setType(MemRefType::get(type.getShape(), type.getElementType(), MemRefLayoutAttrInterface(), type.getMemorySpace()));
      dropStrides(part.getPart());
    }
}

static std::string describe(const std::optional<LayoutPlan> &plan, const TileFigures &figures) {
  if (!plan)
    return "no padding or swizzle is better than rows side by side: " + std::to_string(figures.wavefronts) + " wavefronts instead of " +
           std::to_string(figures.idealWavefronts);
  const TileFigures &before = plan->before, &after = plan->after;
  return "lies as " + plan->layout.str() + ": " + std::to_string(after.wavefronts) + " wavefronts of " + std::to_string(after.requests) +
         " requests instead of " + std::to_string(before.wavefronts) + " of " + std::to_string(before.requests) +
         (after.isConflictFree() ? ", none collides" : ", " + std::to_string(after.idealWavefronts) + " would do");
}

static std::string describe(const MatrixLayoutPlan &plan) {
  return "lies as " + plan.layout.str() + ": '" + plan.instruction + "' reads rows of " + std::to_string(plan.rowBytes) + " bytes" +
         (plan.layout.swizzle().isIdentity() ? "" : ", swizzled, which TMA writes");
}

/// Lays out `tile`, the model's `number`.
static void setLayout(NestModel &model, unsigned number, Value tile, const layout::ComposedLayout &layout) {
  analysis::setLayout(model, number, layout);
  auto type = cast<MemRefType>(tile.getType());
  tile.setType(MemRefType::get(type.getShape(), type.getElementType(), tile::LayoutAttr::get(type.getContext(), layout), type.getMemorySpace()));
  dropStrides(tile);
}

/// Does the nest leave open where a tile in shared memory lies? What has a place has a size.
static bool isOpen(Operation *op) {
  auto stage = dyn_cast<tile::StageOp>(op);
  bool placed = stage ? stage.getSmemAt().has_value() : cast<tile::HoldOp>(op).getSmemAt().has_value();
  return !placed && isLayoutOpen(cast<MemRefType>(op->getResult(0).getType()));
}

LogicalResult tilec::planLayouts(tile::KernelOp kernel, const MachineSpec &machine, bool remarks) {
  FailureOr<NestModel> model = NestModel::get(kernel, getArguments(kernel));
  if (failed(model))
    return failure();
  // What the machine refuses is not looked at element by element: nothing bounds its size.
  if (!checkMachine(*model, machine).empty())
    return success();
  LaunchLayouts layouts = getDenseLayouts(*model);
  for (unsigned number = 0; number < model->tiles.size(); ++number) {
    Operation *op = model->tiles[number].op;
    if (model->tiles[number].level != tile::Level::SMEM || !isOpen(op))
      continue;
    auto stage = dyn_cast<tile::StageOp>(op);
    if (std::optional<MatrixLayoutPlan> plan = stage ? planMatrixLayout(stage) : std::nullopt) {
      if (remarks)
        stage->emitRemark(describe(*plan));
      setLayout(*model, number, stage.getTile(), plan->layout);
      continue;
    }
    std::optional<TileFigures> figures = countTile(*model, number, layouts, machine);
    if (!figures || figures->isConflictFree())
      continue;
    std::optional<LayoutPlan> plan = planLayout(*model, number, layouts, machine);
    if (remarks)
      op->emitRemark(describe(plan, *figures));
    if (plan)
      setLayout(*model, number, op->getResult(0), plan->layout);
  }
  return success();
}

template struct tilec::PlanPass<tilec::impl::PlanLayoutPassBase, planLayouts>;
