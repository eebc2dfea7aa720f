//===- AccessTest.cpp - Bounds, alignment, roles, initialisation -*- C++ -*-===//
//
// One small kernel for each rule about where and when memory may be touched.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

namespace tilec::emulator::test {
namespace {

/// A kernel of one warp: `body` with A read, C written.
Kernel copyKernel(const std::string &body) {
  Kernel kernel;
  kernel.text = "extern \"C\" __global__ void test(const float *A, float *C) {\n"
                "  const int t = thread_x();\n" +
                body + "\n}\n";
  kernel.tensors = {"A", "C="};
  return kernel;
}

Report runCopy(const Kernel &kernel, std::vector<TestTensor> &tensors,
               const RunOptions &options = {}) {
  return launch(kernel, tensors, {}, {}, options);
}

Report runCopy(const Kernel &kernel, const RunOptions &options = {}) {
  std::vector<TestTensor> tensors = {TestTensor::vector(32), TestTensor::vector(32)};
  return runCopy(kernel, tensors, options);
}

constexpr int bodyLine = 3;

TEST(Access, CopyIsRight) {
  std::vector<TestTensor> tensors = {TestTensor::vector(32), TestTensor::vector(32)};
  Report report = runCopy(copyKernel("stg(&C[t], 2.0f * ldg(&A[t]));"), tensors);
  EXPECT_TRUE(report.ok()) << report.describeFindings("k");
  for (int i = 0; i < 32; ++i)
    EXPECT_EQ(tensors[1].data[i], 2.0f * tensors[0].data[i]);
}

// What a kernel only writes is NaN to it, but the caller keeps what is not written.
TEST(Access, ElementsThatAreNotWrittenStay) {
  std::vector<TestTensor> tensors = {TestTensor::vector(32), TestTensor::vector(32)};
  const std::vector<float> before = tensors[1].data;
  Report report = runCopy(copyKernel("if (t % 2) stg(&C[t], 5.0f + ldg(&A[t]));"), tensors);
  EXPECT_TRUE(report.ok()) << report.describeFindings("k");
  for (int i = 0; i < 32; ++i)
    EXPECT_EQ(tensors[1].data[i], i % 2 ? 5.0f + tensors[0].data[i] : before[i]);
}

TEST(Access, ReadPastTheEnd) {
  Report report = runCopy(copyKernel("stg(&C[t], ldg(&A[t + 1]));"));
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].count, 1u);
  EXPECT_EQ(report.findings[0].thread, 31u);
  EXPECT_TRUE(
      hasFinding(report, FindingKind::OutOfBounds, bodyLine,
                 "thread 31 of block 0 reads 4 bytes of global memory at A[32] of shape [32]"));
}

TEST(Access, FindingsAsText) {
  Report report = runCopy(copyKernel("stg(&C[t], ldg(&A[t + 1]));"));
  EXPECT_EQ(report.describeFindings("copy.cu"),
            "copy.cu:3: out of bounds: thread 31 of block 0 reads 4 bytes of global memory at "
            "A[32] of shape [32] (1 times)\n");
}

// Signs of zero as bits: A = {+0, -0, NaN, 1}, each against each.
TEST(Access, ExtremaKeepNaNAndOrderZeros) {
  std::vector<TestTensor> tensors = {TestTensor::vector(32), TestTensor::vector(32)};
  const float values[] = {0.0f, -0.0f, __builtin_nanf(""), 1.0f};
  std::copy(std::begin(values), std::end(values), tensors[0].data.begin());
  std::vector<TestTensor> numbers = tensors;
  Report report = runCopy(copyKernel("const float a = ldg(&A[t / 4 % 4]), b = ldg(&A[t % 4]);\n"
                                     "stg(&C[t], t < 16 ? max_nan(a, b) : (float)min_nan((double)a, (double)b));"),
                          tensors);
  Report dropping = runCopy(copyKernel("const float a = ldg(&A[t / 4 % 4]), b = ldg(&A[t % 4]);\n"
                                       "stg(&C[t], t < 16 ? fmaxf(a, b) : (float)fmin((double)a, (double)b));"),
                            numbers);
  EXPECT_TRUE(report.ok()) << report.describeFindings("k");
  EXPECT_TRUE(dropping.ok()) << dropping.describeFindings("k");
  const auto spell = [](const TestTensor &tensor) {
    std::string text;
    for (float c : tensor.data)
      text += c != c ? 'n' : c == 1 ? '1' : c != 0 ? '?' : __builtin_signbit(c) ? 'z' : '0';
    return text;
  };
  // Rows of 4: a; in a row: b. z is -0, n is NaN.
  EXPECT_EQ(spell(tensors[1]), "00n1" "0zn1" "nnnn" "11n1" "0zn0" "zznz" "nnnn" "0zn1");
  EXPECT_EQ(spell(numbers[1]), "0001" "0zz1" "0zn1" "1111" "0z00" "zzzz" "0zn1" "0z11");
}

TEST(Access, MathOfCuda) {
  std::vector<TestTensor> tensors = {TestTensor::vector(32), TestTensor::vector(32)};
  Report report =
      runCopy(copyKernel("stg(&C[t], fmaxf(0.0f, ldg(&A[min(t, 31)])) * rsqrtf(4.0f) +\n"
                         "fmaf(1.0f, 2.0f, expf(0.0f)));"),
              tensors);
  EXPECT_TRUE(report.ok()) << report.describeFindings("k");
  // A[6] is 3: 3 / 2 + 2 + 1.
  EXPECT_EQ(tensors[1].data[6], 4.5f);
}

TEST(Access, ReadBeforeTheBeginning) {
  Report report = runCopy(copyKernel("stg(&C[t], ldg(&A[t - 1]));"));
  EXPECT_TRUE(hasFinding(report, FindingKind::OutOfBounds, bodyLine,
                         "A, 4 bytes before its first element"));
}

TEST(Access, ReadFarAway) {
  Report report = runCopy(copyKernel("stg(&C[t], ldg((const float *)64));"));
  EXPECT_TRUE(hasFinding(report, FindingKind::OutOfBounds, bodyLine, "far from every operand"));
}

TEST(Access, GapBetweenRows) {
  // Rows of 4 elements, 6 apart: element 5 of the allocation is in no row.
  std::vector<TestTensor> tensors = {TestTensor::matrix(8, 4, 6), TestTensor::vector(32)};
  Report report = runCopy(copyKernel("stg(&C[t], ldg(&A[t == 3 ? 5 : 0]));"), tensors);
  EXPECT_TRUE(hasFinding(report, FindingKind::OutOfBounds, bodyLine, "A[0, 5] of shape [8, 4]"));
  // What is read there is NaN.
  EXPECT_NE(tensors[1].data[3], tensors[1].data[3]);
}

TEST(Access, WriteIntoAGapGoesNowhere) {
  std::vector<TestTensor> tensors = {TestTensor::vector(32), TestTensor::matrix(8, 4, 6)};
  Report report = runCopy(copyKernel("stg(&C[t], 1.0f);"), tensors);
  EXPECT_TRUE(hasFinding(report, FindingKind::OutOfBounds, bodyLine, "writes 4 bytes"));
  EXPECT_EQ(tensors[1].data[5], 1e30f);
}

TEST(Access, VectorAcrossARowsEnd) {
  std::vector<TestTensor> tensors = {TestTensor::matrix(8, 6, 8), TestTensor::vector(32)};
  Report report =
      runCopy(copyKernel("float r[4]; ldg_vector<4>(&r[0], &A[4]); stg(&C[t], r[0]);"), tensors);
  EXPECT_TRUE(hasFinding(report, FindingKind::OutOfBounds, bodyLine, "reads 16 bytes"));
}

TEST(Access, MisalignedVector) {
  Report report = runCopy(copyKernel("float r[4]; ldg_vector<4>(&r[0], &A[1]); stg(&C[t], r[0]);"));
  EXPECT_TRUE(hasFinding(report, FindingKind::Misaligned, bodyLine,
                         "reads 16 bytes at A[1] of shape [32], which is 4 bytes past a multiple"));
}

TEST(Access, AlignmentFollowsTheBaseAddress) {
  const Kernel kernel =
      copyKernel("float r[2]; ldg_vector<2>(&r[0], &A[t / 2 * 2]); stg(&C[t], r[t % 2]);");
  EXPECT_TRUE(runCopy(kernel).ok());
  RunOptions options;
  options.baseOffsets = {4, 0};
  EXPECT_TRUE(hasFinding(runCopy(kernel, options), FindingKind::Misaligned, bodyLine));
}

TEST(Access, WriteToAReadOperand) {
  Report report = runCopy(copyKernel("stg(&C[t], 1.0f); stg((float *)&A[t], 1.0f);"));
  EXPECT_TRUE(hasFinding(report, FindingKind::OperandRole, bodyLine, "declares as only read"));
}

TEST(Access, ReadOfAWrittenOperand) {
  // The kernel must not depend on what was in C. Its own values it may read.
  Report report = runCopy(copyKernel("stg(&C[t], 1.0f + ldg(&C[t]));"));
  EXPECT_TRUE(hasFinding(report, FindingKind::OperandRole, bodyLine, "declares as only written"));
  EXPECT_TRUE(runCopy(copyKernel("stg(&C[t], 1.0f); stg(&C[t], ldg(&C[t]));")).ok());
  Report added = runCopy(copyKernel("atomic_add(&C[t], 1.0f);"));
  EXPECT_TRUE(hasFinding(added, FindingKind::OperandRole, bodyLine, "updates C[0]"));
}

TEST(Access, UninitialisedRegister) {
  Report report = runCopy(copyKernel("float r[2]; r[0] = 1.0f; stg(&C[t], r[t / 31]);"));
  EXPECT_TRUE(hasFinding(report, FindingKind::UninitialisedRegister, bodyLine, "C[31]"));
  Kernel adds = copyKernel("float r; if (t < 31) r = ldg(&A[t]); atomic_add(&C[t], r);");
  adds.tensors = {"A", "C+"};
  EXPECT_TRUE(hasFinding(runCopy(adds), FindingKind::UninitialisedRegister, bodyLine, "C[31]"));
}

TEST(Access, UninitialisedSharedMemory) {
  Report report =
      runCopy(copyKernel("SHARED(float, s, 32); if (t != 5) sts(&s[t], 1.0f); sync_block();\n"
                         "stg(&C[t], lds(&s[t]));"));
  EXPECT_TRUE(hasFinding(report, FindingKind::UninitialisedShared, bodyLine + 1,
                         "thread 5 of block 0 reads s[5] of 32 elements, which nobody wrote"));
}

TEST(Access, SharedMemoryDiesWithItsBlock) {
  Kernel kernel = copyKernel("SHARED(float, s, 32); if (block_x() == 0) sts(&s[t], 1.0f);\n"
                             "if (block_x() == 1) stg(&C[t], lds(&s[t]));");
  kernel.blocks = 2;
  EXPECT_TRUE(hasFinding(runCopy(kernel), FindingKind::UninitialisedShared, bodyLine + 1));
}

TEST(Access, SharedMemoryPastTheArray) {
  Report report = runCopy(copyKernel("SHARED(float, s, 32); sts(&s[t + 1], 1.0f);"));
  EXPECT_TRUE(hasFinding(report, FindingKind::OutOfBounds, bodyLine, "s[32] of 32 elements"));
}

TEST(Access, SharedMemoryThroughAGlobalLoad) {
  Report report = runCopy(copyKernel("SHARED(float, s, 32); sts(&s[t], 1.0f); ldg(&s[t]);"));
  EXPECT_TRUE(hasFinding(report, FindingKind::OutOfBounds, bodyLine, "global memory at s[0]"));
}

TEST(Access, SharedArraysBeyondTheLaunch) {
  Kernel kernel = copyKernel("SHARED_AT(float, s, 32, 64); sts(&s[t], 1.0f);");
  kernel.dynamicSharedBytes = 192;
  EXPECT_TRUE(runCopy(kernel).ok());
  kernel.dynamicSharedBytes = 188;
  EXPECT_TRUE(hasFinding(runCopy(kernel), FindingKind::SharedArray, bodyLine,
                         "s ends at byte 192 of dynamic shared memory, but the launch gives 188"));
  Kernel large = copyKernel("SHARED(float, s, 70000); sts(&s[t], 1.0f);");
  EXPECT_TRUE(hasFinding(runCopy(large), FindingKind::SharedArray, bodyLine, "does not fit"));
}

TEST(Access, FindingsAreCountedAndCapped) {
  // Three lines with one finding each, 32 cases a line.
  const Kernel kernel = copyKernel("ldg(&A[t + 32]);\nldg(&A[t + 32]);\nldg(&A[t + 32]);");
  Report all = runCopy(kernel);
  ASSERT_EQ(all.findings.size(), 3u);
  EXPECT_EQ(all.findings[1].line, bodyLine + 1);
  EXPECT_EQ(all.findings[1].count, 32u);
  RunOptions options;
  options.maxFindings = 2;
  Report some = runCopy(kernel, options);
  EXPECT_EQ(some.findings.size(), 2u);
  EXPECT_EQ(some.findingsDropped, 1u);
  EXPECT_FALSE(some.ok());
}

TEST(Access, WithoutChecksOnlyBounds) {
  RunOptions options;
  options.checks = false;
  const std::string race = "SHARED(float, s, 1); sts(&s[0], 1.0f); stg(&C[t], lds(&s[0]));";
  EXPECT_FALSE(runCopy(copyKernel(race)).ok());
  EXPECT_TRUE(runCopy(copyKernel(race), options).ok());
  EXPECT_FALSE(runCopy(copyKernel("stg(&C[t + 1], 1.0f);"), options).ok());
}

//===----------------------------------------------------------------------===//
// Global races
//===----------------------------------------------------------------------===//

TEST(GlobalRace, TwoThreadsWriteOneElement) {
  Report report = runCopy(copyKernel("stg(&C[t / 2], 1.0f);"));
  EXPECT_TRUE(
      hasFinding(report, FindingKind::GlobalRace, bodyLine,
                 "thread 1 of block 0 writes C[0] of shape [32], which thread 0 of block 0"));
}

TEST(GlobalRace, BarrierOrdersOneBlock) {
  const std::string body = "if (t == 0) stg(&C[0], 1.0f);\nsync_block();\n"
                           "if (t == 1) stg(&C[0], 2.0f);";
  EXPECT_TRUE(runCopy(copyKernel(body)).ok());
  Kernel two = copyKernel(body);
  two.blocks = 2;
  EXPECT_TRUE(hasFinding(runCopy(two), FindingKind::GlobalRace, bodyLine, "of block 0"));
}

TEST(GlobalRace, ReadAndWrite) {
  Kernel kernel = copyKernel("stg(&C[t], ldg(&C[(t + 1) % 32]));");
  kernel.tensors = {"A", "C+"};
  EXPECT_TRUE(hasFinding(runCopy(kernel), FindingKind::GlobalRace, bodyLine, "C["));
  Kernel own = copyKernel("stg(&C[t], ldg(&C[t]) + 1.0f);");
  own.tensors = {"A", "C+"};
  EXPECT_TRUE(runCopy(own).ok());
}

TEST(GlobalRace, AtomicsAgreeWithEachOther) {
  // 4 blocks x 32 threads add 1 to each of 2 elements: 64 each.
  Kernel kernel = copyKernel("atomic_add(&C[t % 2], 1.0f);");
  kernel.tensors = {"A", "C+"};
  kernel.blocks = 4;
  std::vector<TestTensor> tensors = {TestTensor::vector(32), TestTensor::vector(32)};
  tensors[1].data.assign(32, 0.0f);
  RunOptions options;
  options.threads = 2;
  Report report = runCopy(kernel, tensors, options);
  EXPECT_TRUE(report.ok()) << report.describeFindings("k");
  EXPECT_EQ(tensors[1].data[0], 64.0f);
  EXPECT_EQ(tensors[1].data[1], 64.0f);
  EXPECT_EQ(tensors[1].data[2], 0.0f);
}

TEST(GlobalRace, AtomicAgainstPlainWrite) {
  Kernel kernel = copyKernel("if (t) atomic_add(&C[0], 1.0f);\nelse stg(&C[0], 1.0f);");
  kernel.tensors = {"A", "C+"};
  EXPECT_FALSE(runCopy(kernel).ok());
}

} // namespace
} // namespace tilec::emulator::test
