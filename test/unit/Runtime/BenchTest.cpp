//===- BenchTest.cpp - Timing and the library GEMM ------------*- C++ -*-===//
//
// Arithmetic of the set-up anywhere; timings only where there is a GPU.
//
//===----------------------------------------------------------------------===//

#include "tilec/Runtime/Bench.h"
#include "tilec/Runtime/CublasLt.h"
#include "tilec/Runtime/HostTensor.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <optional>

using namespace tilec::runtime;

namespace {

TEST(Bench, Median) {
  EXPECT_EQ(median({}), 0.0);
  EXPECT_EQ(median({3}), 3.0);
  EXPECT_EQ(median({9, 1, 2}), 2.0);
  EXPECT_EQ(median({9, 1, 2, 4}), 3.0);
  EXPECT_EQ((Timing{"x", {9, 1, 2}}.smallest()), 1.0);
}

TEST(Bench, FlushIsTwiceTheCacheAndAtLeast150MB) {
  EXPECT_EQ(flushBytes(40 << 20), 150'000'000u);
  // 2 * 128 MiB.
  EXPECT_EQ(flushBytes(128 << 20), 268'435'456u);
}

TEST(Bench, FlushesHideTheHost) {
  EXPECT_EQ(countFlushes(0), 1u);
  EXPECT_EQ(countFlushes(19), 1u);
  // 21 launches of 14 us: 294 / 20, rounded down, and one.
  EXPECT_EQ(countFlushes(294), 15u);
  EXPECT_EQ(countFlushes(1e6), 250u);
}

GemmProblem problem(DeviceMatrix a, DeviceMatrix b, DeviceMatrix c) {
  GemmProblem gemm;
  gemm.m = 2;
  gemm.n = 3;
  gemm.k = 4;
  gemm.a = a;
  gemm.b = b;
  gemm.c = c;
  return gemm;
}

std::string text(const ColumnMajorOperand &operand) {
  return std::to_string(operand.address) + (operand.transposed ? "T " : "N ") +
         std::to_string(operand.rows) + "x" + std::to_string(operand.columns) + " ld " +
         std::to_string(operand.leadingDimension);
}

std::string text(const Result<ColumnMajorGemm> &gemm) {
  return gemm ? text(gemm->a) + ", " + text(gemm->b) + ", " + text(gemm->c) : gemm.message();
}

TEST(CublasLt, ColumnMajorForm) {
  // Row-major: C^T (3x2) = B^T (3x4) A^T (4x2), each stored that way already.
  EXPECT_EQ(text(toColumnMajor(problem({1, 4, 1}, {2, 3, 1}, {3, 3, 1}))),
            "2N 3x4 ld 3, 1N 4x2 ld 4, 3N 3x2 ld 3");
  // A stored as [K, M], B as [N, K], rows with gaps.
  EXPECT_EQ(text(toColumnMajor(problem({1, 1, 5}, {2, 1, 7}, {3, 8, 1}))),
            "2T 4x3 ld 7, 1T 2x4 ld 5, 3N 3x2 ld 8");
  // C column-major: no swap; row-major A and B count as transposed.
  EXPECT_EQ(text(toColumnMajor(problem({1, 4, 1}, {2, 3, 1}, {3, 1, 2}))),
            "1T 4x2 ld 4, 2T 3x4 ld 3, 3N 2x3 ld 2");
  EXPECT_EQ(text(toColumnMajor(problem({1, 8, 2}, {2, 3, 1}, {3, 3, 1}))),
            "cublasLt takes no matrix A of 4 x 2 with strides 2 and 8, one stride must be 1 and "
            "the other span it");
  GemmProblem empty = problem({1, 4, 1}, {2, 3, 1}, {3, 3, 1});
  empty.k = 0;
  EXPECT_EQ(text(toColumnMajor(empty)), "cublasLt takes no product of 2 x 3 x 0");
  // One row: its stride does not matter.
  GemmProblem vector = problem({1, 1, 1}, {2, 3, 1}, {3, 1, 1});
  vector.m = 1;
  EXPECT_EQ(text(toColumnMajor(vector)), "1N 1x4 ld 1, 2T 3x4 ld 3, 3N 1x3 ld 1");
}

class BenchDeviceTest : public testing::Test {
protected:
  void SetUp() override {
    Result<Device> opened = Device::open(cudaSearchOfProcess());
    if (!opened)
      GTEST_SKIP() << opened.message();
    device.emplace(std::move(*opened));
    Result<Stream> created = device->createStream();
    ASSERT_TRUE(created.ok()) << created.message();
    stream.emplace(std::move(*created));
  }

  std::optional<Device> device;
  std::optional<Stream> stream;
};

TEST_F(BenchDeviceTest, TimesTwoCandidatesInterleaved) {
  Result<DeviceBuffer> small = device->allocate(size_t(64) << 20, *stream);
  Result<DeviceBuffer> large = device->allocate(size_t(512) << 20, *stream);
  ASSERT_TRUE(small.ok() && large.ok());
  std::vector<Launchable> candidates = {{"small", [&](Stream &s) { return s.fill(*small, 1); }},
                                        {"large", [&](Stream &s) { return s.fill(*large, 1); }}};
  BenchOptions options;
  options.repetitions = 9;
  options.warmUpSeconds = 0.1;
  auto timings = benchmark(*device, *stream, candidates, options);
  ASSERT_TRUE(timings.ok()) << timings.message();
  ASSERT_EQ(timings->size(), 2u);
  EXPECT_EQ((*timings)[0].name, "small");
  EXPECT_EQ((*timings)[0].microseconds.size(), 9u);
  // Eight times the bytes.
  EXPECT_GT((*timings)[1].median(), 2 * (*timings)[0].median());

  candidates[1].launch = [](Stream &) { return MaybeError(Error{"no"}); };
  EXPECT_EQ(benchmark(*device, *stream, candidates, options).message(), "large: no");
}

/// Runs every algorithm for one problem on small integers and compares with a
/// triple loop; all sums are exact.
void checkGemm(const Device &device, Stream &stream, const CublasLt &library, ElementType type,
               ElementType output, bool transposeA, bool transposeB, int64_t rowGap) {
  const int64_t m = 96, n = 160, k = 64;
  auto create = [&](ElementType elementType, int64_t rows, int64_t columns, bool transposed) {
    std::vector<int64_t> strides = rowMajorStrides({rows, columns}, rowGap);
    if (transposed)
      strides = {1, rows + rowGap};
    return *HostTensor::create(elementType, {rows, columns}, strides);
  };
  HostTensor a = create(type, m, k, transposeA);
  HostTensor b = create(type, k, n, transposeB);
  HostTensor c = create(output, m, n, false);
  fillIntegers(a, 1, -2, 2);
  fillIntegers(b, 2, -2, 2);
  auto upload = [&](const HostTensor &tensor) {
    Result<DeviceBuffer> buffer = device.allocate(tensor.bytes().size(), stream);
    EXPECT_TRUE(buffer.ok());
    EXPECT_FALSE(stream.copyToDevice(*buffer, 0, tensor.bytes().data(), tensor.bytes().size()));
    return std::move(*buffer);
  };
  DeviceBuffer deviceA = upload(a), deviceB = upload(b), deviceC = upload(c);
  GemmProblem gemm;
  gemm.m = m;
  gemm.n = n;
  gemm.k = k;
  gemm.inputType = type;
  gemm.outputType = output;
  gemm.a = {deviceA.address() + a.dataOffset(), a.strides()[0], a.strides()[1]};
  gemm.b = {deviceB.address() + b.dataOffset(), b.strides()[0], b.strides()[1]};
  gemm.c = {deviceC.address() + c.dataOffset(), c.strides()[0], c.strides()[1]};
  auto candidates = library.algorithms(gemm, stream);
  ASSERT_TRUE(candidates.ok()) << candidates.message();

  std::vector<double> valuesA = a.toDoubles(), valuesB = b.toDoubles(), expected;
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      double sum = 0;
      for (int64_t p = 0; p < k; ++p)
        sum += valuesA[size_t(i * k + p)] * valuesB[size_t(p * n + j)];
      expected.push_back(sum);
    }
  for (const Launchable &candidate : *candidates) {
    // The pattern back into C, so that each algorithm must write it all.
    ASSERT_FALSE(stream.fill(deviceC, 0xff));
    MaybeError error = candidate.launch(stream);
    ASSERT_FALSE(error) << candidate.name << ": " << error->message;
    ASSERT_FALSE(stream.copyToHost(c.bytes().data(), deviceC, 0, c.bytes().size()));
    error = stream.synchronize();
    ASSERT_FALSE(error) << error->message;
    EXPECT_EQ(c.toDoubles(), expected) << candidate.name;
    EXPECT_FALSE(c.checkGuards("C"));
  }
}

TEST_F(BenchDeviceTest, CublasLtMultiplies) {
  Result<CublasLt> library = CublasLt::open(*device, cudaSearchOfProcess());
  if (!library)
    GTEST_SKIP() << library.message();
  EXPECT_GT(library->version(), 120000u);
  for (ElementType type : {ElementType::F32, ElementType::F16, ElementType::BF16})
    for (int transposes = 0; transposes < 4; ++transposes)
      checkGemm(*device, *stream, *library, type, ElementType::F32, transposes & 1, transposes & 2,
                8);
  checkGemm(*device, *stream, *library, ElementType::TF32, ElementType::F32, false, false, 0);
  checkGemm(*device, *stream, *library, ElementType::BF16, ElementType::BF16, false, false, 0);
  // Rows that are not 16-byte aligned.
  checkGemm(*device, *stream, *library, ElementType::F32, ElementType::F32, false, false, 1);
}

TEST_F(BenchDeviceTest, CublasLtFastestIsFast) {
  Result<CublasLt> library = CublasLt::open(*device, cudaSearchOfProcess());
  if (!library)
    GTEST_SKIP() << library.message();
  const int64_t size = 2048;
  Result<DeviceBuffer> a = device->allocate(size_t(size * size) * 4, *stream);
  Result<DeviceBuffer> b = device->allocate(size_t(size * size) * 4, *stream);
  Result<DeviceBuffer> c = device->allocate(size_t(size * size) * 4, *stream);
  ASSERT_TRUE(a.ok() && b.ok() && c.ok());
  ASSERT_FALSE(stream->fill(*a, 0x3c));
  ASSERT_FALSE(stream->fill(*b, 0x3c));
  GemmProblem gemm;
  gemm.m = gemm.n = gemm.k = size;
  gemm.a = {a->address(), size, 1};
  gemm.b = {b->address(), size, 1};
  gemm.c = {c->address(), size, 1};
  Result<Launchable> best = library->fastest(gemm, *stream);
  ASSERT_TRUE(best.ok()) << best.message();
  BenchOptions options;
  options.warmUpSeconds = 0.5;
  auto timings = benchmark(*device, *stream, {*best}, options);
  ASSERT_TRUE(timings.ok()) << timings.message();
  double teraflops = 2.0 * size * size * size / (*timings)[0].median() * 1e-6;
  std::printf("%s at %ld^3 f32: %.1f us, %.1f TFLOP/s\n", best->name.c_str(), long(size),
              (*timings)[0].median(), teraflops);
  // 2 * 2048^3 = 1.7e10 operations: below 1 TFLOP/s or above 500 something is
  // wrong with the measurement.
  EXPECT_GT(teraflops, 1.0);
  EXPECT_LT(teraflops, 500.0);
}

} // namespace
