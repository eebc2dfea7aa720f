//===- PlanPass.h - The pass around a planning function ----------*- C++ -*-===//

#ifndef TILEC_TRANSFORMS_PLANPASS_H
#define TILEC_TRANSFORMS_PLANPASS_H

#include "tilec/Transforms/Passes.h"
#include "tilec/Transforms/PlanNest.h"
#include "tilec/Tile/Open.h"

namespace tilec {

/// Plans each kernel of a module with `plan`. `Base` is the class that TableGen makes of the pass, whose option `remarks` is
/// handed on; explicit instantiation defines the function that creates the pass.
template <template <typename> class Base, mlir::LogicalResult (*plan)(tile::KernelOp, bool)>
struct PlanPass : Base<PlanPass<Base, plan>> {
  using Base<PlanPass>::Base;
  void runOnOperation() override {
    for (auto kernel : this->getOperation().template getOps<tile::KernelOp>())
      if (failed(tile::refuseOpen(kernel)) || failed(plan(kernel, this->remarks)))
        return this->signalPassFailure();
  }
};

} // namespace tilec

#endif // TILEC_TRANSFORMS_PLANPASS_H
