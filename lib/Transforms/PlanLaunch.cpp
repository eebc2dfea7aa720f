//===- PlanLaunch.cpp - tile-plan-launch ------------------------*- C++ -*-===//
//
// Writes what launching the kernel takes, or checks what is there.
//
//===----------------------------------------------------------------------===//

#include "PlanPass.h"

#include "tilec/Analysis/Capacity.h"
#include "tilec/Analysis/LaunchPlan.h"
#include "tilec/Analysis/NestModel.h"
#include "tilec/Analysis/Occupancy.h"
#include "tilec/Tile/Program.h"
#include "tilec/Transforms/ModuleTarget.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace tilec {
#define GEN_PASS_DEF_PLANLAUNCHPASS
#include "tilec/Transforms/Passes.h.inc"
} // namespace tilec

using namespace mlir;
using namespace tilec;

/// Two, where the compiler is to leave registers for a second block: it would take some more by itself, and nothing else would run while the only block waits. For
/// more blocks it makes room by itself as far as that pays (docs/results/prediction.md). One, where it must not: a kernel that needs more than half of an SM's
/// registers is made to do with half of them, by spilling too, though its shared memory leaves room for one block only.
static FailureOr<std::optional<int64_t>> chooseBlocks(tile::KernelOp kernel, const analysis::LaunchPlan &plan, const MachineSpec &machine) {
  // What the analysis cannot read is refused by it, or by the lowering.
  ScopedDiagnosticHandler quiet(kernel.getContext(), [](Diagnostic &) { return success(); });
  FailureOr<analysis::NestModel> model = analysis::NestModel::get(kernel, getArguments(kernel));
  if (failed(model))
    return std::optional<int64_t>();
  constexpr int64_t kTwo = 2;
  bool squeezed = analysis::getSqueezedBlocks(*model, plan.threads, machine) == kTwo;
  if (analysis::findOccupancy(machine, plan.smemBytes, plan.threads, /*registers=*/1).blocksPerSM >= kTwo)
    return squeezed ? std::optional(kTwo) : std::nullopt;
  int64_t registers = analysis::estimateRegisters(*model, plan.threads, machine);
  bool needsAll = analysis::findOccupancy(machine, /*smemBytes=*/0, plan.threads, registers).blocksPerSM < kTwo;
  return squeezed || needsAll ? std::optional<int64_t>(1) : std::nullopt;
}

/// Does its program run another kernel ahead of `run`, whenever that is executed?
static bool isAfterOthers(tile::RunOp run) {
  for (Operation *op = run; !isa<tile::ProgramOp>(op); op = op->getParentOp())
    for (Operation *before = op->getPrevNode(); before; before = before->getPrevNode())
      if (isa<tile::RunOp>(before))
        return true;
  return false;
}

LogicalResult tilec::planLaunches(tile::KernelOp kernel, const MachineSpec &machine, bool remarks) {
  if (tile::LaunchOp stated = analysis::getLaunch(kernel))
    return analysis::checkLaunch(stated);
  FailureOr<analysis::LaunchPlan> plan = analysis::planLaunch(kernel);
  if (failed(plan))
    return failure();
  FailureOr<std::optional<int64_t>> minBlocks = plan->minBlocks;
  if (!plan->minBlocks && failed(minBlocks = chooseBlocks(kernel, *plan, machine)))
    return failure();
  auto builder = OpBuilder::atBlockEnd(&kernel.getBody().front());
  auto number = [&](int64_t value, bool isSaid) { return isSaid ? builder.getI64IntegerAttr(value) : IntegerAttr(); };
  auto list = [&](ArrayRef<Attribute> entries) { return entries.empty() ? ArrayAttr() : builder.getArrayAttr(entries); };
  SmallVector<Value> extents;
  SmallVector<int64_t> fixed;
  dispatchIndexOpFoldResults(plan->extents, extents, fixed);
  tile::LaunchOp::create(builder, kernel.getLoc(), extents, fixed, plan->steps, plan->threads, number(plan->cluster, plan->cluster > 1),
                         number(minBlocks->value_or(1), minBlocks->has_value()),
                         number(plan->smemBytes, !plan->dynamicSmem && plan->smemBytes > 0), number(plan->smemBytes, plan->dynamicSmem),
                         list(plan->workspaces), list(plan->maps), machine.features.dependentLaunch && llvm::any_of(tile::listRuns(kernel), isAfterOthers));
  if (remarks && plan->minBlocks)
    kernel.emitRemark("asks the compiler for registers of one block an SM: it parts registers among warps itself");
  else if (remarks && *minBlocks == 1)
    kernel.emitRemark("asks the compiler for registers of one block an SM: shared memory has no room for two");
  else if (remarks && *minBlocks)
    kernel.emitRemark("asks the compiler to leave registers for two blocks an SM: it would take a few more, and nothing would run while the only block waits");
  return success();
}

template struct tilec::PlanPass<tilec::impl::PlanLaunchPassBase, planLaunches>;
