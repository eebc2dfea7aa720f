//===- PlanLayout.cpp - tile-plan-layout ------------------------*- C++ -*-===//
//
// Fills in what a nest leaves open of where staged tiles lie.
//
//===----------------------------------------------------------------------===//

#include "AnalyzeModule.h"

#include "tilec/Analysis/Capacity.h"
#include "tilec/Transforms/Passes.h"
#include "tilec/Transforms/PlanLayouts.h"

namespace tilec {
#define GEN_PASS_DEF_PLANLAYOUTPASS
#include "tilec/Transforms/Passes.h.inc"
} // namespace tilec

using namespace mlir;
using namespace tilec;
using namespace tilec::analysis;

bool tilec::isLayoutOpen(MemRefType tile) {
  // A layout that is written down is one, even that of rows side by side.
  return isa<AffineMapAttr>(tile.getLayout()) && tile.getLayout().isIdentity();
}

/// Parts lie where their tile does: strides that their types state are the old ones.
static void dropStrides(Value tile) {
  for (Operation *user : tile.getUsers())
    if (auto part = dyn_cast<tile::PartOp>(user)) {
      auto type = cast<MemRefType>(part.getPart().getType());
      part.getPart().setType(MemRefType::get(type.getShape(), type.getElementType(),
                                             MemRefLayoutAttrInterface(), type.getMemorySpace()));
      dropStrides(part.getPart());
    }
}

FailureOr<std::vector<PlannedLayout>> tilec::planLayouts(tile::KernelOp kernel,
                                                         ArrayRef<int64_t> arguments,
                                                         const MachineSpec &machine) {
  FailureOr<NestModel> model = NestModel::get(kernel, arguments);
  if (failed(model))
    return failure();
  std::vector<PlannedLayout> planned;
  // What the machine refuses is not looked at element by element: nothing bounds its size.
  if (!checkMachine(*model, machine).empty())
    return planned;
  LaunchLayouts layouts = getDenseLayouts(*model);
  for (unsigned number = 0; number < model->tiles.size(); ++number) {
    auto stage = dyn_cast<tile::StageOp>(model->tiles[number].op);
    if (!stage || model->tiles[number].level != tile::Level::SMEM)
      continue;
    auto type = cast<MemRefType>(stage.getTile().getType());
    if (!isLayoutOpen(type) || stage.getSmemAt()) // What has a place has a size.
      continue;
    std::optional<TileFigures> figures = countTile(*model, number, layouts, machine);
    if (!figures || figures->isConflictFree())
      continue;
    std::optional<LayoutPlan> plan = planLayout(*model, number, layouts, machine);
    planned.push_back({stage, plan, *figures});
    if (!plan)
      continue;
    setLayout(*model, number, plan->layout);
    stage.getTile().setType(MemRefType::get(
        type.getShape(), type.getElementType(),
        tile::LayoutAttr::get(kernel.getContext(), plan->layout), type.getMemorySpace()));
    dropStrides(stage.getTile());
  }
  return planned;
}

static std::string describe(const PlannedLayout &planned) {
  if (!planned.plan)
    return "no padding or swizzle is better than rows side by side: " +
           std::to_string(planned.figures.wavefronts) + " wavefronts instead of " +
           std::to_string(planned.figures.idealWavefronts);
  const TileFigures &before = planned.plan->before, &after = planned.plan->after;
  return "lies as " + planned.plan->layout.str() + ": " + std::to_string(after.wavefronts) +
         " wavefronts of " + std::to_string(after.requests) + " requests instead of " +
         std::to_string(before.wavefronts) + " of " + std::to_string(before.requests) +
         (after.isConflictFree() ? ", none collides"
                                 : ", " + std::to_string(after.idealWavefronts) + " would do");
}

namespace {
struct PlanLayout : tilec::impl::PlanLayoutPassBase<PlanLayout> {
  using Base::Base;

  void runOnOperation() override {
    LogicalResult result = forEachKernel(
        getOperation(), target, shape,
        [&](tile::KernelOp kernel, ArrayRef<int64_t> values, const MachineSpec &machine) {
          FailureOr<std::vector<PlannedLayout>> planned = planLayouts(kernel, values, machine);
          if (failed(planned))
            return failure();
          if (remarks)
            for (const PlannedLayout &layout : *planned)
              layout.stage->emitRemark(describe(layout));
          return success();
        });
    if (failed(result))
      signalPassFailure();
  }
};
} // namespace
