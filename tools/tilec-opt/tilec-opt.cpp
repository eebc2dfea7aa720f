//===- tilec-opt.cpp - Runs single passes on nests --------------*- C++ -*-===//
//
// mlir-opt for tilec's dialects and passes.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#include "tilec/Conversion/Passes.h"
#include "tilec/Kernel/Kernel.h"
#include "tilec/Tile/Tile.h"
#include "tilec/Transforms/Passes.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registry.insert<mlir::arith::ArithDialect, mlir::func::FuncDialect, mlir::linalg::LinalgDialect,
                  mlir::math::MathDialect, mlir::memref::MemRefDialect, mlir::scf::SCFDialect,
                  tilec::kernel::KernelDialect, tilec::tile::TileDialect>();
  mlir::registerTransformsPasses();
  tilec::registerTilecConversionPasses();
  tilec::registerTilecTransformsPasses();
  mlir::PassPipelineRegistration<>("tile-plan", "from nests to planned nests", tilec::buildPlanPipeline);
  mlir::PassPipelineRegistration<>("tile-kernel-pipeline", "from nests to printable kernel IR", [](mlir::OpPassManager &manager) {
    tilec::buildPlanPipeline(manager);
    tilec::buildKernelPipeline(manager);
  });
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "tilec optimizer driver\n", registry));
}
