//===- LowerToKernel.cpp - tile-lower-to-kernel -----------------*- C++ -*-===//
//
// The pass around the lowering of a nest, and the pipeline to printable kernel IR.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
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

namespace {
struct LowerToKernel : tilec::impl::LowerToKernelPassBase<LowerToKernel> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    // Programs are the launcher's: what they run is on its way to the device.
    for (auto program : llvm::make_early_inc_range(module.getOps<tile::ProgramOp>()))
      program.erase();
    for (auto kernel : llvm::make_early_inc_range(module.getOps<tile::KernelOp>())) {
      ComputedExactly exactly;
      OpBuilder builder(kernel, &exactly);
      if (failed(lowerKernel(kernel, builder)))
        return signalPassFailure();
      kernel.erase();
    }
  }
};
} // namespace

void tilec::buildKernelPipeline(OpPassManager &manager) {
  manager.addPass(createLowerToKernelPass());
  manager.addNestedPass<kernel::FuncOp>(createLowerPipelinesPass());
  manager.addNestedPass<kernel::FuncOp>(createLowerFloatsPass());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
  manager.addPass(createLoopInvariantCodeMotionPass());
  manager.addPass(createCSEPass()); // What came together in front of loops,
  manager.addPass(createCanonicalizerPass()); // and conditions that are the same now.
  manager.addNestedPass<kernel::FuncOp>(createUnswitchLoopsPass());
  manager.addNestedPass<kernel::FuncOp>(createPlaceBarriersPass());
}
