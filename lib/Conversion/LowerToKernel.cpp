//===- LowerToKernel.cpp - tile-lower-to-kernel -----------------*- C++ -*-===//
//
// The pass around the lowering of a nest, and the pipeline to printable kernel IR.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
#include "NarrowFloats.h"
#include "Scalars.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "tilec/Conversion/Passes.h"

namespace tilec {
#define GEN_PASS_DEF_LOWERTOKERNELPASS
#include "tilec/Conversion/Passes.h.inc"
} // namespace tilec

using namespace mlir;
using namespace tilec;

/// C++ has no operator for these that keeps NaN and tells zeros apart.
static void useVocabularyForExtrema(kernel::FuncOp function) {
  function.walk([](Operation *op) {
    if (!isa<arith::MaximumFOp, arith::MinimumFOp>(op) || !(op->getResult(0).getType().isF32() || op->getResult(0).getType().isF64()))
      return;
    OpBuilder b(op);
    Value lhs = op->getOperand(0), rhs = op->getOperand(1);
    Operation *call = isa<arith::MaximumFOp>(op) ? kernel::MaxNanOp::create(b, op->getLoc(), lhs.getType(), lhs, rhs).getOperation()
                                                 : kernel::MinNanOp::create(b, op->getLoc(), lhs.getType(), lhs, rhs).getOperation();
    op->replaceAllUsesWith(call);
    op->erase();
  });
}

namespace {
struct LowerToKernel : tilec::impl::LowerToKernelPassBase<LowerToKernel> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    for (auto kernel : llvm::make_early_inc_range(module.getOps<tile::KernelOp>())) {
      ComputedExactly exactly;
      OpBuilder builder(kernel, &exactly);
      FailureOr<kernel::FuncOp> function = lowerKernel(kernel, builder);
      if (failed(function))
        return signalPassFailure();
      widenNarrowFloats(*function);
      useVocabularyForExtrema(*function);
      kernel.erase();
    }
  }
};
} // namespace

void tilec::buildKernelPipeline(OpPassManager &manager) {
  manager.addPass(createLowerToKernelPass());
  manager.addNestedPass<kernel::FuncOp>(createLowerPipelinesPass());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
  manager.addPass(createLoopInvariantCodeMotionPass());
  manager.addPass(createCSEPass()); // What came together in front of loops,
  manager.addPass(createCanonicalizerPass()); // and conditions that are the same now.
  manager.addNestedPass<kernel::FuncOp>(createPlaceBarriersPass());
}
