//===- MatrixTest.cpp - Matrices in the registers of a warp ---*- C++ -*-===//
//
// Which lane gets what from ldmatrix, gives what to stmatrix, and adds what by
// mma, against the layouts of the PTX ISA as formulas of lane and value.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

namespace tilec::emulator::test {
namespace {

Kernel warpKernel(const std::string &body) {
  Kernel kernel;
  kernel.text = "extern \"C\" __global__ void test(float *C) {\n  SHARED(short, s, 256); const int t = thread_x();\n" + body + "}\n";
  kernel.tensors = {"C="};
  return kernel;
}

Report run(const Kernel &kernel, std::vector<float> &results) {
  std::vector<TestTensor> tensors = {TestTensor::vector(512)};
  Report report = launch(kernel, tensors);
  results = tensors[0].data;
  return report;
}

/// Element i of shared memory is i.
const std::string fill = "  for (int i = t; i < 256; i += 32) sts(&s[i], (short)i);\n  sync_warp();\n";

std::string load(int count, bool transposes) {
  const std::string size = std::to_string(2 * count);
  return fill + "  short d[" + size + "];\n  ldmatrix_x" + std::to_string(count) + "<" + std::to_string(transposes) + ">(d, &s[t * 8]);\n  for (int v = 0; v < " +
         size + "; ++v) stg(&C[t * " + size + " + v], (float)d[v]);\n";
}

/// The element of 8-element rows that value v of lane t is.
int elementOf(int t, int v, bool transposes) {
  const int pair = 2 * (t % 4) + v % 2, other = t / 4;
  return transposes ? other + 8 * (pair + v / 2 * 8) : pair + 8 * (other + v / 2 * 8);
}

TEST(Matrix, LoadsGoToTheirLanes) {
  for (int count : {1, 2, 4})
    for (bool transposes : {false, true}) {
      std::vector<float> results;
      Report report = run(warpKernel(load(count, transposes)), results);
      EXPECT_TRUE(report.ok()) << report.describeFindings("k");
      for (int t = 0; t < 32; ++t)
        for (int v = 0; v < 2 * count; ++v)
          EXPECT_EQ(results[t * 2 * count + v], elementOf(t, v, transposes)) << count << transposes << t << v;
    }
}

TEST(Matrix, StoresComeFromTheirLanes) {
  for (int count : {1, 2, 4})
    for (bool transposes : {false, true}) {
      const std::string size = std::to_string(2 * count);
      std::vector<float> results;
      Report report = run(warpKernel("  short d[" + size + "];\n  for (int v = 0; v < " + size + "; ++v) d[v] = t * 8 + v;\n  stmatrix_x" +
                                     std::to_string(count) + "<" + std::to_string(transposes) + ">(&s[t * 8], d);\n  sync_warp();\n  for (int i = t; i < " +
                                     std::to_string(64 * count) + "; i += 32) stg(&C[i], (float)lds(&s[i]));\n"),
                          results);
      EXPECT_TRUE(report.ok()) << report.describeFindings("k");
      for (int t = 0; t < 32; ++t)
        for (int v = 0; v < 2 * count; ++v)
          EXPECT_EQ(results[elementOf(t, v, transposes)], t * 8 + v) << count << transposes << t << v;
    }
}

TEST(Matrix, RowsAreAccessesOfTheirLanes) {
  const Kernel kernel = warpKernel(load(2, false));
  std::vector<float> results;
  const SiteCounters site = siteAt(run(kernel, results), kernel.text, "ldmatrix", "s");
  // 16 rows of 16 bytes, in two passes.
  EXPECT_EQ(site.accesses, 16u);
  EXPECT_EQ(site.bytes, 256u);
  EXPECT_EQ(site.requests, 1u);
  EXPECT_EQ(site.wavefronts, 2u);
}

TEST(Matrix, BadRows) {
  std::vector<float> results;
  const auto breaks = [&](const std::string &body, FindingKind kind, const std::string &words) {
    const Kernel kernel = warpKernel(body);
    return hasFinding(run(kernel, results), kind, lineOf(kernel.text, "matrix_x"), words);
  };
  const std::string four = load(4, false);
  EXPECT_TRUE(breaks(replaced(four, "&s[t * 8]", "&s[t * 4]"), FindingKind::Misaligned, "8 bytes past a multiple of 16"));
  EXPECT_TRUE(breaks(replaced(four, "&s[t * 8]", "&s[t * 8 + 8]"), FindingKind::OutOfBounds, "s[256] of 256 elements"));
  EXPECT_TRUE(breaks(replaced(four, "i < 256", "i < 255"), FindingKind::UninitialisedShared, "s[255] of 256 elements, which nobody wrote"));
  EXPECT_TRUE(breaks(replaced(four, "  sync_warp();", ""), FindingKind::SharedRace, "which thread 0 wrote"));
  EXPECT_TRUE(breaks(replaced(four, "ldmatrix", "if (t != 3) ldmatrix"), FindingKind::Deadlock, "in ldmatrix, stmatrix or mma"));
  Kernel kernel = warpKernel(four);
  kernel.blockThreads = 48;
  EXPECT_TRUE(hasFinding(run(kernel, results), FindingKind::Shuffle, lineOf(kernel.text, "ldmatrix"), "all 32 lanes take part in a matrix instruction"));
}

/// A and B of small integers by place: a(m, k) = (3 m + 5 k) % 7 - 3, b(n, k) = (2 n + k) % 5 - 2, accumulators begin as lane + v.
void expectProduct(const std::string &function, int k, const std::string &type, const std::string &value, const std::string &accumulator) {
  // Elements of 4 bytes.
  const std::string e = std::to_string(k / 8), wide = std::to_string(k / 8 * 4), narrow = std::to_string(k / 8 * 2);
  std::vector<float> results;
  Report report = run(warpKernel("  " + type + " a[" + wide + "], b[" + narrow + "]; " + accumulator + " c[4];\n  for (int v = 0; v < 4; ++v) c[v] = t + v;\n"
                                 "  for (int v = 0; v < " + wide + "; ++v) { const int word = v / " + e + ", m = t / 4 + word % 2 * 8, k = " + e +
                                 " * (t % 4) + v % " + e + " + word / 2 * 4 * " + e + "; const float x = (3 * m + 5 * k) % 7 - 3; a[v] = " + value + "; }\n"
                                 "  for (int v = 0; v < " + narrow + "; ++v) { const int k = " + e + " * (t % 4) + v % " + e + " + v / " + e + " * 4 * " + e +
                                 "; const float x = (2 * (t / 4) + k) % 5 - 2; b[v] = " + value + "; }\n  " + function +
                                 "(c, a, b);\n  for (int v = 0; v < 4; ++v) stg(&C[t * 4 + v], (float)c[v]);\n"),
                      results);
  EXPECT_TRUE(report.ok()) << report.describeFindings("k");
  for (int t = 0; t < 32; ++t)
    for (int v = 0; v < 4; ++v) {
      const int m = t / 4 + 8 * (v / 2), n = 2 * (t % 4) + v % 2;
      int sum = t + v;
      for (int i = 0; i < k; ++i)
        sum += ((3 * m + 5 * i) % 7 - 3) * ((2 * n + i) % 5 - 2);
      EXPECT_EQ(results[t * 4 + v], sum) << function << " " << t << " " << v;
    }
}

TEST(Matrix, Multiplies) {
  expectProduct("mma_m16n8k16_f32_bf16_bf16", 16, "BFloat", "bfloat_from(x)", "float");
  expectProduct("mma_m16n8k16_f32_f16_f16", 16, "Half", "half_from(x)", "float");
  expectProduct("mma_m16n8k8_f32_tf32_tf32", 8, "float", "x", "float");
  expectProduct("mma_m16n8k32_s32_s8_s8", 32, "signed char", "(signed char)x", "int");
}

} // namespace
} // namespace tilec::emulator::test
