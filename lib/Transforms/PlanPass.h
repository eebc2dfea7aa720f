//===- PlanPass.h - The pass around a planning function ----------*- C++ -*-===//

#ifndef TILEC_TRANSFORMS_PLANPASS_H
#define TILEC_TRANSFORMS_PLANPASS_H

#include "PlanSteps.h"
#include "tilec/Transforms/ModuleTarget.h"
#include "tilec/Transforms/Passes.h"
#include "tilec/Transforms/PlanNest.h"
#include "tilec/Tile/Open.h"

namespace tilec {

/// What the module is compiled for, read once for all passes that plan it.
struct PlannedTarget {
  explicit PlannedTarget(mlir::ModuleOp module) : machine(getTarget(module)) {}
  TargetResult machine;
};

/// Plans each kernel of a module with `plan`, which takes the kernel, the machine if it asks for it, and the pass's option `remarks`. `Base` is the class that
/// TableGen makes of the pass; explicit instantiation defines the function that creates the pass.
template <template <typename> class Base, auto plan>
struct PlanPass : Base<PlanPass<Base, plan>> {
  using Base<PlanPass>::Base;

  void runOnOperation() override {
    for (auto kernel : this->getOperation().template getOps<tile::KernelOp>())
      if (failed(tile::refuseOpen(kernel)) || failed(planKernel(kernel)))
        return this->signalPassFailure();
    this->template markAnalysesPreserved<PlannedTarget>();
  }

private:
  mlir::LogicalResult planKernel(tile::KernelOp kernel) {
    if constexpr (std::is_invocable_v<decltype(plan), tile::KernelOp, const MachineSpec &, bool>) {
      const TargetResult &machine = this->template getAnalysis<PlannedTarget>().machine;
      return machine ? plan(kernel, *machine.spec, this->remarks) : kernel.emitError(machine.error);
    } else {
      return plan(kernel, this->remarks);
    }
  }
};

} // namespace tilec

#endif // TILEC_TRANSFORMS_PLANPASS_H
