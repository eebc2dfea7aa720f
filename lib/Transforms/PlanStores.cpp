//===- PlanStores.cpp - tile-plan-store -------------------------*- C++ -*-===//
//
// Decides which tiles are stored by way of shared memory.
//
//===----------------------------------------------------------------------===//

#include "PlanPass.h"

#include "tilec/Analysis/SlicePlan.h"
#include "tilec/Tile/Access.h"
#include "tilec/Transforms/ModuleTarget.h"

namespace tilec {
#define GEN_PASS_DEF_PLANSTOREPASS
#include "tilec/Transforms/Passes.h.inc"
} // namespace tilec

using namespace mlir;
using namespace tilec;
using tile::StoreOp;

static std::string describe(const analysis::SlicePlan &plan) {
  std::string run = "a warp writes " + std::to_string(plan.runBytes) + " bytes side by side";
  if (plan.columns == 0)
    return "is stored straight from registers: " + run;
  std::string slices = "goes by way of shared memory in slices of " + std::to_string(plan.columns) + " columns";
  if (plan.slots > 0)
    slices += ", which TMA stores, of each warp up to " + std::to_string(plan.slots) + " while it goes on";
  return slices + ": straight from registers " + run;
}

LogicalResult tilec::planStores(tile::KernelOp kernel, const MachineSpec &machine, bool remarks) {
  FailureOr<analysis::NestModel> model = analysis::NestModel::get(kernel, getArguments(kernel));
  if (failed(model))
    return failure();
  analysis::LaunchLayouts layouts = analysis::getDenseLayouts(*model);
  kernel.walk([&](StoreOp store) {
    if (store.getCopy() && !store.getSlots())
      store.setSlots(1);
    bool fromRegisters = tile::getLevel(store.getTile().getType()) == tile::Level::RF && tile::getLevel(store.getDest().getType()) == tile::Level::DRAM;
    if (store.getThrough() || !fromRegisters)
      return;
    auto dest = dyn_cast<BlockArgument>(tile::getDestAccess(store).root);
    if (!dest)
      return;
    std::optional<analysis::SlicePlan> plan = analysis::planSlices(store, layouts.at(dest.getArgNumber()), model->blocks(), machine);
    if (!plan)
      return;
    store.setThrough(plan->columns);
    if (plan->slots > 0) {
      store.setCopy(tile::Copy::Tma);
      store.setSlots(plan->slots);
    }
    if (remarks)
      store.emitRemark(describe(*plan));
  });
  return success();
}

template struct tilec::PlanPass<tilec::impl::PlanStorePassBase, planStores>;
