//===- PlanLaunch.cpp - tile-plan-launch ------------------------*- C++ -*-===//
//
// Writes what launching the kernel takes, or checks what is there.
//
//===----------------------------------------------------------------------===//

#include "PlanPass.h"

#include "tilec/Analysis/LaunchPlan.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace tilec {
#define GEN_PASS_DEF_PLANLAUNCHPASS
#include "tilec/Transforms/Passes.h.inc"
} // namespace tilec

using namespace mlir;
using namespace tilec;

LogicalResult tilec::planLaunches(tile::KernelOp kernel, bool remarks) {
  if (tile::LaunchOp stated = analysis::getLaunch(kernel))
    return analysis::checkLaunch(stated);
  FailureOr<analysis::LaunchPlan> plan = analysis::planLaunch(kernel);
  if (failed(plan))
    return failure();
  auto builder = OpBuilder::atBlockEnd(&kernel.getBody().front());
  auto number = [&](int64_t value, bool isSaid) { return isSaid ? builder.getI64IntegerAttr(value) : IntegerAttr(); };
  auto list = [&](ArrayRef<Attribute> entries) { return entries.empty() ? ArrayAttr() : builder.getArrayAttr(entries); };
  SmallVector<Value> extents;
  SmallVector<int64_t> fixed;
  dispatchIndexOpFoldResults(plan->extents, extents, fixed);
  tile::LaunchOp::create(builder, kernel.getLoc(), extents, fixed, plan->steps, plan->threads, number(plan->cluster, plan->cluster > 1),
                         number(plan->minBlocks.value_or(1), plan->minBlocks.has_value()),
                         number(plan->smemBytes, !plan->dynamicSmem && plan->smemBytes > 0), number(plan->smemBytes, plan->dynamicSmem),
                         list(plan->workspaces), list(plan->maps));
  if (remarks && plan->minBlocks)
    kernel.emitRemark("asks the compiler for registers of one block an SM: it parts registers among warps itself");
  return success();
}

template struct tilec::PlanPass<tilec::impl::PlanLaunchPassBase, planLaunches>;
