//===- PrintCUDATest.cpp - Kernel IR as text --------------------*- C++ -*-===//
//
// Ops that no nest reaches alone, printed from kernel IR.
//
//===----------------------------------------------------------------------===//

#include "tilec/CUDA/PrintCUDA.h"
#include "tilec/Kernel/Kernel.h"
#include "tilec/Kernel/Vocabulary.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tilec;

namespace {

/// The text of a kernel whose function reads `signature { body }`.
PrintedKernel print(const std::string &signature, const std::string &body) {
  MLIRContext context;
  context.loadDialect<arith::ArithDialect, memref::MemRefDialect, scf::SCFDialect, kernel::KernelDialect>();
  std::string text = "kernel.func @test" + signature + " {\n" + body + "\n kernel.return }";
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  if (!module) {
    ADD_FAILURE() << text;
    return {};
  }
  PrintedKernel printed;
  module->walk([&](kernel::FuncOp function) {
    PrintOptions options;
    options.symbol = "test";
    FailureOr<PrintedKernel> result = printCUDA(function, options);
    EXPECT_TRUE(succeeded(result));
    if (succeeded(result))
      printed = *result;
  });
  return printed;
}

bool holds(const PrintedKernel &kernel, const std::string &words) { return kernel.text.find(words) != std::string::npos; }

// The kernel by which `tilec calibrate` measures latencies is kernel IR: each load waits for the one before.
TEST(PrintCUDA, CalibrationFollowsAList) {
  MLIRContext context;
  context.loadDialect<arith::ArithDialect, memref::MemRefDialect, scf::SCFDialect, kernel::KernelDialect>();
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(TILEC_CALIBRATION "/chase.mlir", &context);
  ASSERT_TRUE(module);
  PrintOptions options;
  options.symbol = "chase";
  FailureOr<PrintedKernel> printed = printCUDA(*module->getOps<kernel::FuncOp>().begin(), options);
  ASSERT_TRUE(succeeded(printed));
  EXPECT_TRUE(holds(*printed, "= ldg(&")) << printed->text;
  EXPECT_TRUE(holds(*printed, "for (int ")) << printed->text;
}

TEST(PrintCUDA, ConstantsStandAheadOfTheKernel) {
  PrintedKernel kernel = print("(%x: memref<?xf32>, %i: index) threads(32)", R"(
    %a = kernel.constant 0 : memref<25xf32, #tile.level<constant>> loc("W")
    %b = kernel.constant 2 : memref<4xi8, #tile.level<constant>> loc("y1")
    %v = kernel.ldc %a[%i] : memref<25xf32, #tile.level<constant>>, index -> f32
    %w = kernel.ldc %a[%i] : memref<25xf32, #tile.level<constant>>, index -> f32
    %s = arith.addf %v, %w : f32
    kernel.stg %s, %x[%i] : f32, memref<?xf32>, index)");
  EXPECT_TRUE(holds(kernel, "#define CONSTANT(T, name, count) __constant__")) << kernel.text;
  EXPECT_TRUE(holds(kernel, "CONSTANT(float, W, 25);\nCONSTANT(signed char, v_y1, 4);\n\nextern \"C\" __global__ void")) << kernel.text;
  EXPECT_TRUE(holds(kernel, "ldc(&W[arg1])")) << kernel.text;
  ASSERT_EQ(kernel.constants.size(), 2u);
  EXPECT_EQ(kernel.constants[0].name, "W");
  EXPECT_EQ(kernel.constants[1].name, "v_y1");
  EXPECT_EQ(kernel.constants[1].tensor, 2u);
}

TEST(PrintCUDA, MatricesAreArrays) {
  PrintedKernel kernel = print("(%map: !kernel.tensor_map, %i: index) threads(32) dynamic_shared(2048)", R"(
    %zero = arith.constant 0 : index
    %s = kernel.shared at 0 : memref<1024xf16, #tile.level<smem>>
    %a = kernel.registers : memref<2x8xf16, #tile.level<rf>>
    %b = kernel.registers : memref<4xf16, #tile.level<rf>>
    %c = kernel.registers init(0.0 : f32) : memref<2x2x2xf32, #tile.level<rf>>
    kernel.ldmatrix %a[%zero, %zero], %s[%i] {count = 4} : memref<2x8xf16, #tile.level<rf>>[index, index], memref<1024xf16, #tile.level<smem>>[index]
    kernel.ldmatrix %b[%zero], %s[%i] {count = 2, transpose} : memref<4xf16, #tile.level<rf>>[index], memref<1024xf16, #tile.level<smem>>[index]
    kernel.mma %c[%zero], %a[%zero, %zero], %b[] {type = f16} : memref<2x2x2xf32, #tile.level<rf>>, memref<2x8xf16, #tile.level<rf>>, memref<4xf16, #tile.level<rf>>
    kernel.stmatrix %s[%i], %a[%zero, %zero] {count = 4} : memref<1024xf16, #tile.level<smem>>[index], memref<2x8xf16, #tile.level<rf>>[index, index]
    kernel.tma_store %map[%i, %zero], %s[%zero] : memref<1024xf16, #tile.level<smem>>[index]
    kernel.bulk_commit
    kernel.bulk_wait_read 0)");
  EXPECT_TRUE(holds(kernel, "ldmatrix_x4<0>(&r[0][0], &tile[arg1]);")) << kernel.text;
  EXPECT_TRUE(holds(kernel, "ldmatrix_x2<1>(&r_1[0], &tile[arg1]);")) << kernel.text;
  EXPECT_TRUE(holds(kernel, "mma_m16n8k16_f32_f16_f16(r_2[0], &r[0][0], r_1);")) << kernel.text;
  EXPECT_TRUE(holds(kernel, "stmatrix_x4<0>(&tile[arg1], &r[0][0]);")) << kernel.text;
  EXPECT_TRUE(holds(kernel, "tma_store_2d(&arg0, arg1, 0, &tile[0]);")) << kernel.text;
  EXPECT_TRUE(holds(kernel, "bulk_wait_read<0>();")) << kernel.text;
}

TEST(PrintCUDA, AccumulatorsAreArrays) {
  PrintedKernel kernel = print("(%i: index) threads(128) dynamic_shared(32768)", R"(
    %zero = arith.constant 0 : index
    %s = kernel.shared at 0 : memref<16384xbf16, #tile.level<smem>>
    %c = kernel.registers init(0.0 : f32) : memref<2x8x4xf32, #tile.level<rf>>
    %a = kernel.matrix_descriptor %s[%i] {leading_bytes = 16, stride_bytes = 1024, swizzle = 128} : memref<16384xbf16, #tile.level<smem>>, index
    kernel.wgmma_fence
    kernel.wgmma %c[%zero], %a, %a {n = 64, a = bf16, b = bf16, transpose_b} : memref<2x8x4xf32, #tile.level<rf>>
    kernel.wgmma_commit
    kernel.wgmma_wait {pending = 1}
    kernel.wgmma_wait %c[] {pending = 0} : memref<2x8x4xf32, #tile.level<rf>>)");
  EXPECT_TRUE(holds(kernel, "const long long x = matrix_descriptor<128, 16, 1024>(tile, arg0);")) << kernel.text;
  EXPECT_TRUE(holds(kernel, "wgmma_m64n64k16_f32_bf16_bf16<0, 1>(r[0], x, x);")) << kernel.text;
  EXPECT_TRUE(holds(kernel, "wgmma_wait<1>();")) << kernel.text;
  EXPECT_TRUE(holds(kernel, "wgmma_wait_f32<0>(r);")) << kernel.text;
  EXPECT_EQ(kernel.lowestArch, 90u);
  EXPECT_TRUE(kernel.archSpecific);
}

TEST(PrintCUDA, TensorMapIsAParameter) {
  PrintedKernel kernel = print("(%map: !kernel.tensor_map) threads(128) static_shared(2064)", R"(
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
}

TEST(PrintCUDA, ClusterAndLaunchBounds) {
  PrintedKernel kernel = print("() threads(384) min_blocks(1) cluster(2)", "kernel.setmaxnreg_dec 72");
  EXPECT_TRUE(holds(kernel, "__global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(384, 1)\ntest() {")) << kernel.text;
  EXPECT_TRUE(holds(kernel, "setmaxnreg_dec<72>();"));
  EXPECT_EQ(kernel.lowestArch, 90u);
  EXPECT_TRUE(kernel.archSpecific);
}

TEST(PrintCUDA, ClusterAloneNeedsItsArchitecture) {
  PrintedKernel kernel = print("() threads(32) cluster(4)", "");
  EXPECT_EQ(kernel.lowestArch, 90u);
  EXPECT_FALSE(kernel.archSpecific);
}

size_t longestLine(llvm::StringRef text) {
  size_t longest = 0;
  for (llvm::StringRef line : llvm::split(text, '\n'))
    longest = std::max(longest, line.size());
  return longest;
}

// In a loop that is written out, arithmetic on its variable is done when the text is compiled: no variables for it. In
// another what is used twice is a variable, called after the memory that it counts elements of.
TEST(PrintCUDA, ShortExpressionsAreWrittenWhereTheyAreUsed) {
  const std::string start = R"(
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c16 = arith.constant 16 : index
    %zero = arith.constant 0.0 : f32
    %far = arith.muli %n, %c16 : index
    kernel.for)", loop = R"( %i = %c0 to %c16 step %c1 {
      %twice = arith.muli %i, %c2 : index
      %next = arith.addi %twice, %c1 : index
      %at = arith.addi %far, %twice : index
      kernel.stg %zero, %x[%at] : f32, memref<?xf32>, index
      kernel.stg %zero, %x[%next] : f32, memref<?xf32>, index
    })";
  const std::string signature = "(%x: memref<?xf32>, %n: index) threads(32)";
  PrintedKernel rolled = print(signature, start + loop);
  EXPECT_TRUE(holds(rolled, "  for (int i = 0; i < 16; ++i) {\n"
                            "    const int arg0_at = i * 2;\n"
                            "    stg(&arg0[arg1 * 16 + arg0_at], 0.0f);\n"
                            "    stg(&arg0[arg0_at + 1], 0.0f);\n")) << rolled.text;
  PrintedKernel unrolled = print(signature, start + " unroll" + loop);
  EXPECT_TRUE(holds(unrolled, "#pragma unroll\n"
                              "  for (int i = 0; i < 16; ++i) {\n"
                              "    stg(&arg0[arg1 * 16 + i * 2], 0.0f);\n"
                              "    stg(&arg0[i * 2 + 1], 0.0f);\n")) << unrolled.text;
}

// What has more than four names and numbers is a variable in front of a loop that uses it, and so is what was read from
// memory: a store in the loop may change that.
TEST(PrintCUDA, LongExpressionsAndLoadsStayInFrontOfLoops) {
  PrintedKernel kernel = print("(%x: memref<?xf32>, %a: index, %b: index, %c: index) threads(32)", R"(
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %counter = kernel.registers : memref<index, #tile.level<rf>>
    memref.store %c0, %counter[] : memref<index, #tile.level<rf>>
    %zero = arith.constant 0.0 : f32
    %a2 = arith.muli %a, %c2 : index
    %b2 = arith.muli %b, %c2 : index
    %ab = arith.addi %a2, %b2 : index
    %abc = arith.addi %ab, %c : index
    %count = memref.load %counter[] : memref<index, #tile.level<rf>>
    %later = arith.addi %count, %c1 : index
    kernel.for %i = %c0 to %a step %c1 {
      %at = arith.addi %abc, %i : index
      memref.store %i, %counter[] : memref<index, #tile.level<rf>>
      kernel.stg %zero, %x[%at] : f32, memref<?xf32>, index
      kernel.stg %zero, %x[%later] : f32, memref<?xf32>, index
    })");
  EXPECT_TRUE(holds(kernel, "  const int arg0_at = arg1 * 2 + arg2 * 2 + arg3;\n"
                            "  const int arg0_at_1 = r + 1;\n"
                            "  for (int i = 0; i < arg1; ++i) {\n"
                            "    r = i;\n"
                            "    stg(&arg0[arg0_at + i], 0.0f);\n"
                            "    stg(&arg0[arg0_at_1], 0.0f);\n")) << kernel.text;
}

TEST(PrintCUDA, ArraysAsOneRow) {
  PrintedKernel kernel = print("() threads(32)", R"(
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %array = kernel.registers : memref<2x3xf32, #tile.level<rf>>
    %row = memref.collapse_shape %array [[0, 1]] : memref<2x3xf32, #tile.level<rf>> into memref<6xf32, #tile.level<rf>>
    memref.store %zero, %row[%c0] : memref<6xf32, #tile.level<rf>>)");
  EXPECT_TRUE(holds(kernel, "  float r[2][3];\n  float *const flat = &r[0][0];\n  flat[0] = 0.0f;\n")) << kernel.text;
}

// Each line of the text has its place, those that a statement goes on in too.
TEST(PrintCUDA, LongStatementsGoOnInTheNextLine) {
  std::string sum = "%s0 = arith.addi %n, %n : index\n";
  for (int i = 1; i <= 30; ++i)
    sum += "%s" + std::to_string(i) + " = arith.addi %s" + std::to_string(i - 1) + ", %n : index\n";
  PrintedKernel kernel = print("(%x: memref<?xf32>, %n: index) threads(32)",
                               "%zero = arith.constant 0.0 : f32\n" + sum +
                                   "kernel.stg %zero, %x[%s30] : f32, memref<?xf32>, index");
  EXPECT_LE(longestLine(kernel.text), 120u) << kernel.text;
  EXPECT_TRUE(holds(kernel, "\n      + arg1")) << kernel.text;
  EXPECT_EQ(kernel.places.size(), size_t(llvm::StringRef(kernel.text).count('\n')));
}

TEST(PrintCUDA, VocabularyIsReadable) {
  for (const kernel::VocabularyEntry &entry : kernel::getVocabulary())
    EXPECT_LE(longestLine(entry.device), 120u) << entry.device.str();
}

} // namespace
