//===- WgmmaTest.cpp - What ptxas makes of multiplications ----*- C++ -*-===//
//
// A kernel with all types of matrices keeps its accumulators in registers, and
// ptxas orders none of its multiplications itself.
//
//===----------------------------------------------------------------------===//

#include "tilec/Kernel/VocabularyRows.h"
#include "tilec/NVRTC/Compiler.h"

#include "gtest/gtest.h"

namespace tilec::nvrtc {
namespace {

std::string textOf(std::string_view function) {
  for (const vocabulary::VocabularyEntry &entry : vocabulary::VocabularyTable)
    if (entry.function == function)
      return std::string(entry.device);
  ADD_FAILURE() << "no row " << function;
  return "";
}

struct Row {
  const char *function;
  const char *numbers;
};

CompileOutput compileLoop(const Compiler &compiler, const Row &row, const std::string &wait, const std::string &scale) {
  const bool integers = std::string(row.function).find("s32") != std::string::npos;
  std::string text;
  for (const char *function : {"SHARED", "matrix_descriptor", row.function, "wgmma_fence", "wgmma_commit", "wgmma_wait", "wgmma_wait_f32", "wgmma_wait_s32"})
    text += textOf(function);
  text += "using F = " + std::string(integers ? "int" : "float") + ";\n"
          "extern \"C\" __global__ void __launch_bounds__(128) test(F *C, int k, F factor) {\n"
          "  SHARED_AT(short, s, 16384, 0);\n  F c[2][2][16] = {};\n"
          "  for (int i = 0; i < k; ++i) {\n    wgmma_fence();\n#pragma unroll\n    for (int j = 0; j < 4; ++j) {\n"
          "      const long long a = matrix_descriptor<128, 16, 1024>(s, j * 16), b = matrix_descriptor<128, 16, 1024>(s, 8192 + j * 16);\n"
          "      " + row.function + row.numbers + "(c[0], a, b);\n      " + row.function + row.numbers + "(c[1], a, b);\n    }\n"
          "    wgmma_commit();\n    " + wait + "\n" + scale +
          "  }\n  wgmma_wait<0>();\n"
          "  for (int i = 0; i < 64; ++i) C[threadIdx.x * 64 + i] = c[i / 32][i / 16 % 2][i % 16];\n}\n";
  return compiler.compile(text, "test.cu", "sm_90a", {});
}

TEST(NVRTCWgmma, AccumulatorsStayInRegisters) {
  runtime::Result<Compiler> compiler = Compiler::open(runtime::cudaSearchOfProcess(""));
  if (!compiler)
    GTEST_SKIP() << compiler.message();
  const std::string scale = "    for (int n = 0; n < 64; ++n) c[n / 32][n / 16 % 2][n % 16] *= factor;\n";
  for (const Row &row : {Row{"wgmma_m64n64k16_f32_bf16_bf16", "<0, 1>"}, Row{"wgmma_m64n64k16_f32_f16_f16", "<1, 0>"},
                         Row{"wgmma_m64n64k8_f32_tf32_tf32", ""}, Row{"wgmma_m64n64k32_f32_e4m3_e4m3", ""},
                         Row{"wgmma_m64n64k32_f32_e4m3_e5m2", ""}, Row{"wgmma_m64n64k32_f32_e5m2_e4m3", ""},
                         Row{"wgmma_m64n64k32_f32_e5m2_e5m2", ""}, Row{"wgmma_m64n64k32_s32_s8_s8", ""}})
    for (const auto &[wait, after] : {std::pair<std::string, std::string>("wgmma_wait<1>();", ""), {"wgmma_wait<0>();", scale},
                                      {"wgmma_wait_" + std::string(row.function).substr(std::string(row.function).find('_', 6) + 1, 3) + "<0>(c);", scale}}) {
      CompileOutput output = compileLoop(*compiler, row, wait, after);
      EXPECT_TRUE(output.ok) << output.log;
      // ptxas tells that it orders multiplications in C7500 to C7599.
      EXPECT_EQ(output.log.find("(C75"), std::string::npos) << row.function << " " << wait << after << "\n" << output.log;
      ASSERT_EQ(output.kernels.size(), 1u);
      EXPECT_EQ(output.kernels[0].spillStoreBytes + output.kernels[0].stackBytes, 0u);
    }
}

TEST(NVRTCWgmma, AccumulatorsUsedTooEarly) {
  runtime::Result<Compiler> compiler = Compiler::open(runtime::cudaSearchOfProcess(""));
  if (!compiler)
    GTEST_SKIP() << compiler.message();
  CompileOutput output = compileLoop(*compiler, {"wgmma_m64n64k16_f32_bf16_bf16", "<0, 0>"}, "",
                                     "    for (int n = 0; n < 32; ++n) c[0][n / 16][n % 16] *= factor;\n");
  EXPECT_NE(output.log.find("(C75"), std::string::npos) << output.log;
}

} // namespace
} // namespace tilec::nvrtc
