//===- PlanShared.cpp - tile-plan-smem --------------------------*- C++ -*-===//
//
// Writes the map of shared memory into the nest, or checks the one that is there.
//
//===----------------------------------------------------------------------===//

#include "tilec/Conversion/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "tilec/Analysis/SharedPlan.h"
#include "tilec/Kernel/Kernel.h"

namespace tilec {
#define GEN_PASS_DEF_PLANSHAREDPASS
#include "tilec/Conversion/Passes.h.inc"
} // namespace tilec

using namespace tilec;

namespace {
struct PlanShared : tilec::impl::PlanSharedPassBase<PlanShared> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<tile::KernelOp>())
      if (failed(analysis::placeShared(kernel)))
        return signalPassFailure();
  }
};
} // namespace
