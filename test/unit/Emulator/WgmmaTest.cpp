//===- WgmmaTest.cpp - Multiplications by four warps ----------*- C++ -*-===//
//
// The rules of wgmma, one small kernel each, and what it computes with every
// way for a matrix to lie in shared memory.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"
#include "MatrixTiles.h"

#include <cmath>
#include <cstring>

namespace tilec::emulator::test {
namespace {

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

const std::string fill = "  for (int i = t; i < 1152; i += 128) sts(&s[i], bfloat_from(1.0f));\n";
const std::string publish = "  fence_proxy_async(); sync_block();\n";
const std::string multiply = "  wgmma_fence();\n  wgmma_m64n8k16_f32_bf16_bf16<0, 0>(c, a, b);\n  wgmma_commit();\n  wgmma_wait<0>();\n";
const std::string store = "  for (int v = 0; v < 4; ++v) stg(&C[t * 4 + v], c[v]);\n";

/// A and B of ones, of 64 and 8 rows: 16 bytes of all rows, then the next 16.
Kernel ones(const std::string &body) {
  Kernel kernel;
  kernel.text = "extern \"C\" __global__ void test(float *C) {\n"
                "  SHARED_AT(BFloat, s, 2048, 0); const int t = thread_x(); float c[4] = {};\n"
                "  const long long a = matrix_descriptor<0, 1024, 128>(s, 0), b = matrix_descriptor<0, 128, 128>(s, 1024);\n" +
                body + "}\n";
  kernel.blockThreads = 128;
  kernel.dynamicSharedBytes = 4096;
  kernel.tensors = {"C="};
  return kernel;
}

Report run(const Kernel &kernel, std::vector<float> *results = nullptr, const RunOptions &options = {}) {
  std::vector<TestTensor> tensors = {TestTensor::vector(512)};
  Report report = launch(kernel, tensors, {}, {}, options);
  if (results)
    *results = tensors[0].data;
  return report;
}

/// The rules that `body` breaks at the line of `what`.
testing::AssertionResult breaks(const std::string &body, FindingKind kind, const std::string &what, const std::string &words) {
  const Kernel kernel = ones(body);
  return hasFinding(run(kernel), kind, lineOf(kernel.text, what), words);
}

testing::AssertionResult computes(const std::string &body, float expected) {
  std::vector<float> results;
  Report report = run(ones(body), &results);
  if (!report.ok())
    return testing::AssertionFailure() << report.describeFindings("k");
  for (float result : results)
    if (result != expected)
      return testing::AssertionFailure() << result;
  return testing::AssertionSuccess();
}

TEST(Wgmma, Multiplies) {
  EXPECT_TRUE(computes(fill + publish + multiply + store, 16.0f));
  EXPECT_TRUE(computes(fill + publish + replaced(multiply, "wgmma_wait<0>()", "wgmma_wait_f32<0>(c)") + store, 16.0f));
  for (Schedule schedule : {Schedule::Reversed, Schedule::WarpAhead, Schedule::Random}) {
    RunOptions options;
    options.schedule = schedule;
    std::vector<float> results;
    EXPECT_TRUE(run(ones(fill + publish + multiply + store), &results, options).ok());
    EXPECT_EQ(results[511], 16.0f);
  }
  RunOptions unchecked;
  unchecked.checks = false;
  std::vector<float> results;
  EXPECT_TRUE(run(ones(fill + publish + multiply + store), &results, unchecked).ok());
  EXPECT_EQ(results[7], 16.0f);
}

TEST(Wgmma, MultipliesAgainWithNoWait) {
  const std::string again = "  wgmma_m64n8k16_f32_bf16_bf16<0, 0>(c, a, b);\n  wgmma_commit();\n";
  EXPECT_TRUE(computes(fill + publish + replaced(multiply, "  wgmma_wait<0>();\n", again + again + "  wgmma_wait<0>();\n") + store, 48.0f));
  // What a wait has given back and nobody has touched needs no fence.
  EXPECT_TRUE(computes(fill + publish + multiply + again + "  wgmma_wait<0>();\n" + store, 32.0f));
}

TEST(Wgmma, NewerGroupsAreNotDone) {
  const std::string two = "  float d[4] = {};\n  wgmma_fence();\n  wgmma_m64n8k16_f32_bf16_bf16<0, 0>(c, a, b);\n  wgmma_commit();\n"
                          "  wgmma_m64n8k16_f32_bf16_bf16<0, 0>(d, a, b);\n  wgmma_commit();\n  wgmma_wait<1>();\n";
  EXPECT_TRUE(computes(fill + publish + two + store + "  wgmma_wait<0>();\n", 16.0f));
  std::vector<float> results;
  EXPECT_TRUE(run(ones(fill + publish + two + replaced(store, "c[v]", "d[v]") + "  wgmma_wait<0>();\n"), &results).ok());
  EXPECT_TRUE(std::isnan(results[0]) && std::isnan(results[511]));
}

TEST(Wgmma, FenceOfRegisters) {
  EXPECT_TRUE(breaks(fill + publish + replaced(multiply, "wgmma_fence();", "") + store, FindingKind::MissingFence, "wgmma_m64n8",
                     "thread 0 of block 0 multiplies into registers with no wgmma_fence before"));
  const std::string again = "  c[1] += 1;\n  wgmma_fence();\n  wgmma_m64n8k16_f32_bf16_bf16<0, 0>(c, a, b); wgmma_commit(); wgmma_wait<0>();\n";
  EXPECT_TRUE(run(ones(fill + publish + multiply + again)).ok());
  EXPECT_TRUE(breaks(fill + publish + multiply + replaced(again, "wgmma_fence();", ""), FindingKind::MissingFence, "(c, a, b); wgmma_commit",
                     "multiplies into registers that it wrote after the wait for line 7, with no wgmma_fence in between"));
}

TEST(Wgmma, FenceOfSharedMemory) {
  EXPECT_TRUE(breaks(fill + "  sync_block();\n" + multiply, FindingKind::MissingFence, "wgmma_m64n8",
                     "thread 0 of block 0 multiplies s[0] of 2048 elements, which thread 0 wrote with no fence_proxy_async in between"));
  EXPECT_TRUE(breaks("  fence_proxy_async();\n" + fill + "  sync_block();\n" + multiply, FindingKind::MissingFence, "wgmma_m64n8", "s[0] of 2048"));
}

TEST(Wgmma, ReadsWhatIsThere) {
  EXPECT_TRUE(breaks(fill + "  fence_proxy_async();\n" + multiply, FindingKind::SharedRace, "wgmma_m64n8", "wrote with nothing that orders the two"));
  EXPECT_TRUE(breaks(replaced(fill, "1152", "1151") + publish + multiply, FindingKind::UninitialisedShared, "wgmma_m64n8",
                     "multiplies s[1151] of 2048 elements, which nobody wrote"));
}

TEST(Wgmma, NobodyOverwritesOperands) {
  const std::string overwritten = "  if (t == 3) sts(&s[8], bfloat_from(0.0f));\n";
  EXPECT_TRUE(breaks(fill + publish + replaced(multiply, "  wgmma_wait<0>();\n", overwritten + "  wgmma_wait<0>();\n"), FindingKind::SharedRace,
                     "t == 3", "thread 3 of block 0 writes s[8] of 2048 elements, which a wgmma read with nothing that orders the two"));
  Report report = run(ones(fill + publish + multiply + "  sync_block();\n" + overwritten));
  EXPECT_TRUE(report.ok()) << report.describeFindings("k");
}

TEST(Wgmma, NobodyTouchesAccumulators) {
  std::vector<float> results;
  run(ones(fill + publish + replaced(multiply, "  wgmma_wait<0>();\n", store + "  wgmma_wait<0>();\n")), &results);
  EXPECT_TRUE(std::isnan(results[0]) && std::isnan(results[511]));
  EXPECT_TRUE(breaks(fill + publish + replaced(multiply, "  wgmma_wait<0>();\n", "  c[0] = 1;\n  wgmma_wait<0>();\n"), FindingKind::MissingWait,
                     "wgmma_wait<0>", "has written accumulators of the multiplication at line 7, with no wgmma_wait for it"));
}

TEST(Wgmma, IsWaitedFor) {
  EXPECT_TRUE(breaks(fill + publish + replaced(multiply, "wgmma_wait<0>();", ""), FindingKind::MissingWait, "wgmma_m64n8",
                     "thread 0 of block 0 ends with no wgmma_wait for this multiplication"));
  EXPECT_TRUE(breaks(fill + publish + replaced(multiply, "wgmma_commit();", ""), FindingKind::MissingWait, "wgmma_m64n8", "ends with no wgmma_wait"));
  EXPECT_TRUE(breaks(fill + publish + replaced(multiply, "wgmma_wait<0>", "wgmma_wait<1>"), FindingKind::MissingWait, "wgmma_m64n8", "ends with no wgmma_wait"));
}

TEST(Wgmma, IsOfAWarpgroup) {
  Kernel kernel = ones(fill + publish + multiply);
  kernel.blockThreads = 192;
  EXPECT_TRUE(hasFinding(run(kernel), FindingKind::Warpgroup, lineOf(kernel.text, "wgmma_m64n8"),
                         "a warpgroup is 128 threads, and block 0 has 64 from thread 128 on"));
  const std::string half = "  wgmma_fence();\n  if (t < 64) wgmma_m64n8k16_f32_bf16_bf16<0, 0>(c, a, b);\n  wgmma_commit();\n  wgmma_wait<0>();\n";
  EXPECT_TRUE(breaks(fill + publish + half, FindingKind::Warpgroup, "t < 64", "64 of 128 threads of warpgroup 0 of block 0 multiply here"));
  EXPECT_TRUE(breaks(fill + publish + "  if (t < 64) {\n" + multiply + "  }\n", FindingKind::Deadlock, "wgmma_wait<0>",
                     "in wgmma_wait (64 of 128 threads have closed group 0)"));
  EXPECT_TRUE(breaks(fill + publish + replaced(multiply, "(c, a, b)", "(c, a + (t == 5), b)"), FindingKind::Warpgroup, "wgmma_m64n8",
                     "thread 5 of block 0 multiplies here, with operands or accumulators that other threads of its warpgroup do not name at line 7"));
  EXPECT_TRUE(breaks(fill + publish + "  float d[4] = {};\n  wgmma_fence();\n  wgmma_m64n8k16_f32_bf16_bf16<0, 0>(c, a, b);\n"
                     "  wgmma_m64n8k16_f32_bf16_bf16<0, 0>(t == 7 ? d : c, a, b); wgmma_commit(); wgmma_wait<0>();\n",
                     FindingKind::Warpgroup, "t == 7", "thread 7"));
}

TEST(Wgmma, ShapesDoNotOverlap) {
  EXPECT_TRUE(breaks(fill + publish + "  float d[8] = {};\n  wgmma_fence();\n  wgmma_m64n8k16_f32_bf16_bf16<0, 0>(*(float (*)[4])d, a, b);\n"
                     "  wgmma_m64n16k16_f32_bf16_bf16<0, 0>(d, a, b);\n",
                     FindingKind::Warpgroup, "wgmma_m64n16", "into registers that a multiplication of another shape at line 8 has"));
}

TEST(Wgmma, Places) {
  const std::string at = "  const long long x = matrix_descriptor<128, 16, 1024>(s, 8);\n";
  EXPECT_TRUE(breaks(replaced(at, ", 8)", ", 4)"), FindingKind::Misaligned, "x =", "8 bytes past a multiple of 16"));
  const std::string body = fill + publish + at + replaced(multiply, "a, b", "x, b");
  EXPECT_FALSE(hasFinding(run(ones(body)), FindingKind::Misaligned, 7));
  EXPECT_TRUE(breaks(replaced(body, ", 8)", ", 64)"), FindingKind::Misaligned, "wgmma_m64n8", "rows of 128 bytes begin 128 bytes past a multiple of 1024"));
  EXPECT_TRUE(breaks(body, FindingKind::OutOfBounds, "wgmma_m64n8", "16 bytes of shared memory at s[2056] of 2048 elements"));
  EXPECT_TRUE(breaks(replaced(at, ", 8)", ", 2048)"), FindingKind::OutOfBounds, "x =", "s[2048] of 2048 elements"));
}

TEST(Wgmma, CountsItsMatrices) {
  const Kernel kernel = ones(fill + publish + multiply + "  stg(&C[t], c[0]);\n");
  Report report = run(kernel);
  uint64_t bytes = 0;
  for (const SiteCounters &site : report.sites)
    if (site.access == AccessKind::Matrix) {
      EXPECT_EQ(site.line, lineOf(kernel.text, "wgmma_m64n8"));
      bytes += site.bytes;
    }
  EXPECT_EQ(bytes, (64u + 8u) * 16 * 2);
  EXPECT_EQ(report.findObject("s")->bytesMultiplied, bytes);
  EXPECT_EQ(report.findObject("s")->bytesRead, 0u);
}

// Rows of 32 swizzled bytes, as a bulk copy lays them: no fence is needed.
TEST(Wgmma, ReadsWhatBulkCopiesBring) {
  Kernel kernel;
  kernel.text = "extern \"C\" __global__ void test(const float *A, float *C, const __grid_constant__ TensorMap map) {\n"
                "  SHARED_AT(float, s, 1024, 0); SHARED(long long, bar, 1); const int t = thread_x(); float c[4] = {};\n"
                "  if (t == 0) { mbarrier_init(&bar[0], 1); fence_mbarrier_init(); }\n  sync_block();\n"
                "  if (t == 0) { mbarrier_arrive_expect_tx(&bar[0], 2048); tma_load_2d(&s[0], &map, 0, 0, &bar[0]); }\n"
                "  mbarrier_wait(&bar[0], 0);\n  const long long a = matrix_descriptor<32, 16, 256>(s, 0);\n"
                "  wgmma_fence(); wgmma_m64n8k8_f32_tf32_tf32(c, a, a); wgmma_commit(); wgmma_wait<0>();\n" + store + "}\n";
  kernel.blockThreads = 128;
  kernel.dynamicSharedBytes = 4096;
  kernel.tensors = {"A", "C="};
  kernel.tensorMaps = {{0, {1, 0}, {8, 64}, runtime::Swizzle::Bytes32}};
  std::vector<TestTensor> tensors = {TestTensor::matrix(64, 8), TestTensor::vector(512)};
  Report report = launch(kernel, tensors);
  EXPECT_TRUE(report.ok()) << report.describeFindings("k");
  for (int t = 0; t < 128; ++t)
    for (int v = 0; v < 4; ++v) {
      const int m = 16 * (t / 32) + t % 32 / 4 + 8 * (v / 2), n = 2 * (t % 4) + v % 2;
      float sum = 0;
      for (int k = 0; k < 8; ++k)
        sum += tensors[0].at(m, k) * tensors[0].at(n, k);
      EXPECT_EQ(tensors[1].data[t * 4 + v], sum) << m << " " << n;
    }
}

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

/// How `rows` x 64 elements of 16 bits lie: CuTe's canonical layouts, tiled first along the rows. `width` elements are a swizzled row, or 8.
struct Laid {
  int rows;
  int width;
  bool transposed;

  /// An expression in C++ for the place of element (r, k).
  std::string place() const {
    const std::string w = std::to_string(width), all = std::to_string(rows);
    const std::string plain = transposed ? "(r % W + r / W * 8 * W + k % 8 * W + k / 8 * 8 * R)" : "(r % 8 * W + r / 8 * 8 * W + k / W * R * W + k % W)";
    std::string text;
    for (char c : plain)
      text += c == 'W' ? w : c == 'R' ? all : std::string(1, c);
    return text + " ^ ((" + text + " >> 6 & " + std::to_string(width / 8 - 1) + ") << 3)";
  }
  /// The descriptor of 16 columns from column 16 * s on.
  std::string descriptor(const std::string &first) const {
    int leading = transposed ? 16 * width : 16, stride = transposed ? 16 * rows : 16 * width;
    std::string at = transposed ? "16 * s * " + std::to_string(rows)
                                : "16 * s / " + std::to_string(width) + " * " + std::to_string(rows * width) + " + 16 * s % " + std::to_string(width);
    if (width == 8) {
      leading = transposed ? stride : 16 * rows;
      stride = 128;
    }
    return "matrix_descriptor<" + std::to_string(width == 8 ? 0 : 2 * width) + ", " + std::to_string(leading) + ", " + std::to_string(stride) + ">(s_" +
           first + ", " + at + ")";
  }
};

void expectProduct(const Laid &a, const Laid &b) {
  const int n = b.rows;
  const std::string size = std::to_string(n), half = std::to_string(n / 2);
  Kernel kernel;
  kernel.text = "extern \"C\" __global__ void test(const float *A, const float *B, float *C) {\n  SHARED_AT(BFloat, s_a, 4096, 0); SHARED_AT(BFloat, s_b, " +
                std::to_string(64 * n) + ", 8192);\n  const int t = thread_x(); float c[" + half + "] = {};\n"
                "  for (int i = t; i < 64 * 64; i += 128) { const int r = i / 64, k = i % 64; sts(&s_a[" + a.place() + "], bfloat_from(ldg(&A[i]))); }\n"
                "  for (int i = t; i < " + size + " * 64; i += 128) { const int r = i / 64, k = i % 64; sts(&s_b[" + b.place() + "], bfloat_from(ldg(&B[i]))); }\n" +
                publish + "  wgmma_fence();\n  for (int s = 0; s < 4; ++s) wgmma_m64n" + size + "k16_f32_bf16_bf16<" + std::to_string(a.transposed) + ", " +
                std::to_string(b.transposed) + ">(c, " + a.descriptor("a") + ", " + b.descriptor("b") + ");\n"
                "  wgmma_commit(); wgmma_wait<0>();\n  for (int v = 0; v < " + half + "; ++v) stg(&C[t * " + half + " + v], c[v]);\n}\n";
  kernel.blockThreads = 128;
  kernel.dynamicSharedBytes = 8192 + 128 * n;
  kernel.tensors = {"A", "B", "C="};
  std::vector<TestTensor> tensors = {TestTensor::matrix(64, 64), TestTensor::matrix(n, 64), TestTensor::vector(64 * n)};
  for (int i = 0; i < 64 * n; ++i)
    tensors[1].data[i] = float(i * 5 % 11 - 5);
  Report report = launch(kernel, tensors);
  EXPECT_TRUE(report.ok()) << report.describeFindings("k") << kernel.text;
  int wrong = 0;
  for (int t = 0; t < 128; ++t)
    for (int v = 0; v < n / 2; ++v) {
      const int row = 16 * (t / 32) + t % 32 / 4 + 8 * (v / 2 % 2), column = 8 * (v / 4) + 2 * (t % 4) + v % 2;
      float sum = 0;
      for (int k = 0; k < 64; ++k)
        sum += tensors[0].at(row, k) * tensors[1].at(column, k);
      wrong += tensors[2].data[t * (n / 2) + v] != sum;
    }
  EXPECT_EQ(wrong, 0) << kernel.text;
}

TEST(Wgmma, EveryLayout) {
  for (int width : {8, 16, 32, 64})
    for (bool transposed : {false, true})
      expectProduct({64, width, transposed}, {64, width, !transposed});
}

TEST(Wgmma, NarrowAndWide) {
  expectProduct({64, 64, false}, {8, 64, false});
  expectProduct({64, 32, true}, {8, 8, true});
  expectProduct({64, 64, true}, {256, 64, true});
  expectProduct({64, 16, false}, {256, 32, false});
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

/// The first elements of row 0, of which the bytes are `bytes`.
template <typename T>
std::vector<double> read(const char *type, std::vector<T> elements) {
  std::vector<char> memory(1024);
  std::memcpy(memory.data(), elements.data(), elements.size() * sizeof(T));
  MatrixTile tile;
  tile.descriptor = {0, 512, 128, 0};
  tile.type = matrixTypeOf(type);
  tile.rows = 8;
  std::vector<double> all = tile.read(memory.data()), values;
  for (size_t k = 0; k < elements.size(); ++k)
    values.push_back(all[k * tile.rows]);
  return values;
}

TEST(MatrixTiles, ElementsOfEveryType) {
  EXPECT_EQ(read<uint16_t>("bf16", {0x3f80, 0xc040, 0x0001}), (std::vector<double>{1, -3, std::ldexp(1, -133)}));
  EXPECT_EQ(read<uint16_t>("f16", {0x3c00, 0xc200, 0x0001, 0x7bff, 0xfc00}), (std::vector<double>{1, -3, std::ldexp(1, -24), 65504, -INFINITY}));
  // The 13 low bits are not read.
  EXPECT_EQ(read<uint32_t>("tf32", {0x3f800000, 0x3f801fff, 0x3f802000}), (std::vector<double>{1, 1, 1 + std::ldexp(1, -10)}));
  EXPECT_EQ(read<uint8_t>("e4m3", {0x38, 0xbc, 0x01, 0x7e, 0x78}), (std::vector<double>{1, -1.5, std::ldexp(1, -9), 448, 256}));
  EXPECT_TRUE(std::isnan(read<uint8_t>("e4m3", {0x7f})[0]));
  EXPECT_EQ(read<uint8_t>("e5m2", {0x3c, 0xc2, 0x01, 0x7b, 0x7c}), (std::vector<double>{1, -3, std::ldexp(1, -16), 57344, INFINITY}));
  EXPECT_TRUE(std::isnan(read<uint8_t>("e5m2", {0x7d})[0]));
  EXPECT_EQ(read<int8_t>("s8", {-128, 127, -1}), (std::vector<double>{-128, 127, -1}));
}

TEST(MatrixTiles, DescriptorsKeepTheirFields) {
  for (unsigned swizzle : {0u, 32u, 64u, 128u}) {
    const MatrixDescriptor given{262144 + 1024 * 7 + 32, 16384, 262128, swizzle};
    const MatrixDescriptor kept = MatrixDescriptor::decode(given.encode());
    EXPECT_EQ(kept.start, given.start);
    EXPECT_EQ(kept.leading, given.leading);
    EXPECT_EQ(kept.stride, given.stride);
    EXPECT_EQ(kept.swizzle, swizzle);
  }
  // PTX ISA 9.7.15.5.1: codes 1, 2 and 3 are 128, 64 and 32 bytes; fields begin at bits 0, 16 and 32.
  EXPECT_EQ((MatrixDescriptor{1024, 16, 1024, 128}).encode(), 64 | 1ull << 16 | 64ull << 32 | 1ull << 62);
}

TEST(MatrixTiles, IntegersWrap) {
  std::vector<char> memory(8192, 127);
  MatrixTile a, b;
  a.type = b.type = MatrixType::S8;
  a.descriptor = b.descriptor = {0, 1024, 128, 0};
  a.rows = 64;
  b.rows = 8;
  std::vector<uint32_t> sums(64 * 8, 2147483647);
  emulator::multiply(a, b, memory.data(), sums);
  EXPECT_EQ(int32_t(sums[0]), int32_t(2147483647u + 32 * 127 * 127));
}

// 2^24 + 1 + 1 is not 2^24: the sum is rounded once.
TEST(MatrixTiles, SumsAreRoundedOnce) {
  std::vector<char> memory(4096);
  const uint16_t one = 0x3f80;
  for (int k : {0, 1})
    std::memcpy(&memory[2 * k], &one, 2);
  MatrixTile a, b;
  a.descriptor = b.descriptor = {0, 1024, 128, 0};
  a.rows = 64;
  b.rows = 8;
  std::vector<uint32_t> sums(64 * 8);
  const float before = 16777216.0f;
  std::memcpy(&sums[0], &before, 4);
  emulator::multiply(a, b, memory.data(), sums);
  float after;
  std::memcpy(&after, &sums[0], 4);
  EXPECT_EQ(after, 16777218.0f);
}

} // namespace
} // namespace tilec::emulator::test
