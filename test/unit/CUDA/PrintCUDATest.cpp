//===- PrintCUDATest.cpp - Kernel IR as text --------------------*- C++ -*-===//
//
// Ops that no nest reaches alone, printed from kernel IR.
//
//===----------------------------------------------------------------------===//

#include "tilec/CUDA/PrintCUDA.h"
#include "tilec/Kernel/Kernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tilec;

namespace {

/// The text of a kernel whose function reads `signature { body }`.
PrintedKernel print(const std::string &signature, const std::string &body) {
  MLIRContext context;
  context.loadDialect<arith::ArithDialect, gpu::GPUDialect, memref::MemRefDialect, scf::SCFDialect, kernel::KernelDialect>();
  std::string text = "gpu.module @m { gpu.func @test" + signature + " {\n" + body + "\n gpu.return } }";
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  if (!module) {
    ADD_FAILURE() << text;
    return {};
  }
  PrintedKernel printed;
  module->walk([&](gpu::GPUFuncOp function) {
    FailureOr<PrintedKernel> result = printCUDA(function, {});
    EXPECT_TRUE(succeeded(result));
    if (succeeded(result))
      printed = *result;
  });
  return printed;
}

bool holds(const PrintedKernel &kernel, const std::string &words) { return kernel.text.find(words) != std::string::npos; }

TEST(PrintCUDA, TensorMapIsAParameter) {
  PrintedKernel kernel = print("(%map: !kernel.tensor_map) kernel attributes {known_block_size = array<i32: 128, 1, 1>}", R"(
    %zero = arith.constant 0 : index
    %eight = arith.constant 8 : index
    %bar = kernel.shared : memref<2xi64, #tile.level<smem>>
    %tile = kernel.shared : memref<512xf32, #tile.level<smem>>
    kernel.tma_load %tile[%zero], %map[%eight, %zero], %bar[%zero] : memref<512xf32, #tile.level<smem>>[index], memref<2xi64, #tile.level<smem>>[index]
    kernel.mbarrier_wait %bar[%zero], %zero : memref<2xi64, #tile.level<smem>>, index)");
  EXPECT_TRUE(holds(kernel, "test(const __grid_constant__ TensorMap arg0) {")) << kernel.text;
  EXPECT_TRUE(holds(kernel, "SHARED(long long, tile, 2);"));
  EXPECT_TRUE(holds(kernel, "tma_load_2d(&tile_1[0], &arg0, 8, 0, &tile[0]);")) << kernel.text;
  EXPECT_TRUE(holds(kernel, "mbarrier_wait(&tile[0], 0);"));
  // The type stands before what uses it; functions of other ranks are left out.
  EXPECT_LT(kernel.text.find("struct __align__(64) TensorMap"), kernel.text.find("void tma_load_2d"));
  EXPECT_FALSE(holds(kernel, "tma_load_1d"));
  EXPECT_EQ(kernel.lowestArch, 90u);
  EXPECT_FALSE(kernel.archSpecific);
  EXPECT_EQ(kernel.clusterBlocks, 1u);
}

TEST(PrintCUDA, ClusterAndLaunchBounds) {
  PrintedKernel kernel = print("() kernel attributes {known_block_size = array<i32: 384, 1, 1>, "
                               "known_cluster_size = array<i32: 2, 1, 1>, tilec.min_blocks = 1}",
                               "kernel.setmaxnreg_dec 72");
  EXPECT_TRUE(holds(kernel, "__global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(384, 1)\ntest() {")) << kernel.text;
  EXPECT_TRUE(holds(kernel, "setmaxnreg_dec<72>();"));
  EXPECT_EQ(kernel.clusterBlocks, 2u);
  EXPECT_EQ(kernel.lowestArch, 90u);
  EXPECT_TRUE(kernel.archSpecific);
}

TEST(PrintCUDA, ClusterAloneNeedsItsArchitecture) {
  PrintedKernel kernel = print("() kernel attributes {known_block_size = array<i32: 32, 1, 1>, known_cluster_size = array<i32: 4, 1, 1>}", "");
  EXPECT_EQ(kernel.lowestArch, 90u);
  EXPECT_FALSE(kernel.archSpecific);
}

} // namespace
