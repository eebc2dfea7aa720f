//===- CountTest.cpp - Sectors, wavefronts, bank conflicts ----*- C++ -*-===//
//
// Access patterns with counts that can be worked out by hand.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"
#include "WarpRequests.h"

namespace tilec::emulator::test {
namespace {

//===----------------------------------------------------------------------===//
// One request
//===----------------------------------------------------------------------===//

/// Lane t asks for `bytes` at offset(t).
template <typename Offset>
Wavefronts wavefronts(unsigned bytes, Offset offset, uint32_t active = ~0u) {
  uint32_t offsets[32];
  for (unsigned t = 0; t < 32; ++t)
    offsets[t] = offset(t);
  return countWavefronts({offsets, active, bytes});
}

TEST(Wavefronts, Scalars) {
  EXPECT_EQ(wavefronts(4, [](unsigned t) { return 4 * t; }).actual, 1u);
  EXPECT_EQ(wavefronts(4, [](unsigned) { return 0; }).actual, 1u) << "a broadcast";
  EXPECT_EQ(wavefronts(4, [](unsigned t) { return 8 * t; }).actual, 2u) << "stride 2";
  EXPECT_EQ(wavefronts(4, [](unsigned t) { return 12 * t; }).actual, 1u) << "stride 3";
  EXPECT_EQ(wavefronts(4, [](unsigned t) { return 128 * t; }).actual, 32u) << "one bank";
  EXPECT_EQ(wavefronts(4, [](unsigned t) { return 132 * t; }).actual, 1u) << "padded by 1";
  EXPECT_EQ(wavefronts(2, [](unsigned t) { return 2 * t; }).actual, 1u) << "16 words";
  // Lanes 0 and 8 alone: one bank, two words.
  EXPECT_EQ(wavefronts(
                4, [](unsigned t) { return 16 * t; }, 0x101)
                .actual,
            2u);
  EXPECT_EQ(wavefronts(
                4, [](unsigned t) { return 4 * t; }, 0)
                .actual,
            0u);
}

TEST(Wavefronts, AtomicOperationsTakeTurns) {
  auto count = [](unsigned bytes, auto offset, uint32_t active = ~0u) {
    uint32_t offsets[32];
    for (unsigned t = 0; t < 32; ++t)
      offsets[t] = offset(t);
    return countWavefronts({offsets, active, bytes, true}).actual;
  };
  EXPECT_EQ(count(4, [](unsigned t) { return 4 * t; }), 1u);
  EXPECT_EQ(count(4, [](unsigned) { return 0; }), 32u);
  EXPECT_EQ(count(4, [](unsigned t) { return t % 3 * 4; }), 11u) << "lanes 0, 3, ... 30";
  EXPECT_EQ(count(8, [](unsigned) { return 0; }), 32u) << "16 in each of two passes";
}

TEST(ConstantMemory, TakesAnAccessForEachAddress) {
  auto count = [](auto offset, uint32_t active = ~0u) {
    uint32_t offsets[32];
    for (unsigned t = 0; t < 32; ++t)
      offsets[t] = offset(t);
    return countAddresses({offsets, active, 4});
  };
  EXPECT_EQ(count([](unsigned) { return 64; }), 1u) << "a broadcast";
  EXPECT_EQ(count([](unsigned t) { return 4 * t; }), 32u);
  EXPECT_EQ(count([](unsigned t) { return t % 3 * 4; }), 3u);
  EXPECT_EQ(count([](unsigned t) { return 4 * t; }, 0x101), 2u);
  EXPECT_EQ(count([](unsigned t) { return 4 * t; }, 0), 0u);
}

TEST(ConstantMemory, IsCountedAndBounded) {
  Kernel kernel;
  kernel.text = R"(CONSTANT(float, W, 8);

extern "C" __global__ void test(float *Y) {
  const int t = thread_x();
  const float all = ldc(&W[3]);
  const float own = ldc(&W[t % 4]);
  stg(&Y[t], all + own);
  if (t == 5)
    stg(&Y[t], ldc(&W[8]));
}
)";
  kernel.tensors = {"Y=", "W!"};
  std::vector<TestTensor> tensors = {TestTensor::vector(32), TestTensor::vector(8)};
  Report report = launch(kernel, tensors);
  EXPECT_EQ(tensors[0].data[1], tensors[1].data[3] + tensors[1].data[1]);
  SiteCounters all = siteAt(report, kernel.text, "W[3]", "W"), own = siteAt(report, kernel.text, "W[t % 4]", "W");
  EXPECT_TRUE(all.constant && all.global);
  EXPECT_EQ(all.requests, 1u);
  EXPECT_EQ(all.bytes, 128u);
  EXPECT_EQ(all.constantAccesses, 1u);
  EXPECT_EQ(all.portBytes(), 4u);
  EXPECT_EQ(own.constantAccesses, 4u);
  EXPECT_EQ(own.sectors, 0u);
  EXPECT_TRUE(hasFinding(report, FindingKind::OutOfBounds, lineOf(kernel.text, "W[8]"), "reads 4 bytes of constant memory at W"));
  EXPECT_EQ(report.findings.size(), 1u);
}

TEST(Wavefronts, Vectors) {
  EXPECT_EQ(wavefronts(8, [](unsigned t) { return 8 * t; }).actual, 2u);
  EXPECT_EQ(wavefronts(16, [](unsigned t) { return 16 * t; }).actual, 4u);
  // All pairs T, T ^ 1 agree: half the passes. The same for T, T ^ 2.
  EXPECT_EQ(wavefronts(8, [](unsigned t) { return t / 2 * 8; }).actual, 1u);
  EXPECT_EQ(wavefronts(16, [](unsigned t) { return t / 2 * 16; }).actual, 2u);
  EXPECT_EQ(wavefronts(16, [](unsigned t) { return (t % 2 + t / 4 * 2) * 16; }).actual, 2u);
  // Pairs T, T ^ 4 do not help.
  EXPECT_EQ(wavefronts(16, [](unsigned t) { return (t % 4 + t / 8 * 4) * 16; }).actual, 4u);
  // One lane differs from its neighbour: no pass is saved.
  EXPECT_EQ(wavefronts(16, [](unsigned t) { return t == 31 ? 512 : t / 2 * 16; }).actual, 4u);
  // 8 lanes, each 128 bytes from the next, want the same 4 banks.
  const Wavefronts conflict = wavefronts(16, [](unsigned t) { return 128 * t; });
  EXPECT_EQ(conflict.actual, 32u);
  EXPECT_EQ(conflict.ideal, 4u);
  EXPECT_EQ(conflict.degree, 8u);
  EXPECT_EQ(wavefronts(16, [](unsigned t) { return 144 * t; }).actual, 4u) << "padded by 4";
}

TEST(Sectors, AreDistinct) {
  uint32_t offsets[32], sectors[32];
  const auto count = [&](unsigned step, uint32_t active) {
    for (unsigned t = 0; t < 32; ++t)
      offsets[t] = 1000 * 32 - step * t;
    return listSectors({offsets, active, 4}, sectors);
  };
  // Descending by 4 bytes from a boundary: the boundary's sector has one lane,
  // 31 lanes below it take 4 sectors.
  EXPECT_EQ(count(4, ~0u), 5u);
  EXPECT_EQ(sectors[0], 996u);
  EXPECT_EQ(sectors[4], 1000u);
  EXPECT_EQ(count(32, ~0u), 32u);
  EXPECT_EQ(count(32, 0xff), 8u);
  EXPECT_EQ(count(0, ~0u), 1u);
}

//===----------------------------------------------------------------------===//
// Whole kernels
//===----------------------------------------------------------------------===//

Report runCount(const std::string &body, std::string &text, unsigned threads = 32,
                const RunOptions &options = {}) {
  Kernel kernel;
  text =
      "extern \"C\" __global__ void test(const float *A, float *C) { const int t = thread_x();\n" +
      body + "\n}\n";
  kernel.text = text;
  kernel.tensors = {"A", "C="};
  kernel.blockThreads = threads;
  std::vector<TestTensor> tensors = {TestTensor::matrix(64, 64), TestTensor::matrix(64, 64)};
  Report report = launch(kernel, tensors, {}, {}, options);
  EXPECT_TRUE(report.ok()) << report.describeFindings("k");
  return report;
}

TEST(Count, CoalescedAndStrided) {
  // A row of 32 floats is 4 sectors; a column of 32 is 32 sectors.
  std::string text;
  Report report = runCount("stg(&C[t], ldg(&A[t * 64]));", text);
  const SiteCounters read = siteAt(report, text, "ldg", "A");
  EXPECT_EQ(read.requests, 1u);
  EXPECT_EQ(read.accesses, 32u);
  EXPECT_EQ(read.bytes, 128u);
  EXPECT_EQ(read.sectors, 32u);
  EXPECT_EQ(read.portBytes(), 1024u);
  const SiteCounters write = siteAt(report, text, "stg", "C");
  EXPECT_EQ(write.sectors, 4u);
  EXPECT_EQ(write.access, AccessKind::Write);
}

TEST(Count, SectorsFollowTheBaseAddress) {
  // 128 bytes that begin 4 bytes after a boundary touch 5 sectors.
  std::string text;
  RunOptions options;
  options.baseOffsets = {4, 0};
  Report report = runCount("stg(&C[t], ldg(&A[t]));", text, 32, options);
  EXPECT_EQ(siteAt(report, text, "ldg", "A").sectors, 5u);
}

TEST(Count, BankConflicts) {
  std::string text;
  Report report = runCount("SHARED(float, s, 32 * 33); for (int i = t; i < 32 * 33; i += 32) "
                           "sts(&s[i], 1.0f); sync_block();\n"
                           "float x = lds(&s[t * 2 % 64]);\n"
                           "x += lds(&s[t * 32]);\n"
                           "x += lds(&s[t * 33]);\n"
                           "stg(&C[t], x);",
                           text);
  EXPECT_EQ(siteAt(report, text, "t * 2 % 64", "s").conflictDegree, 2u);
  EXPECT_EQ(siteAt(report, text, "t * 32]", "s").conflictDegree, 32u);
  EXPECT_EQ(siteAt(report, text, "t * 33]", "s").conflictDegree, 1u);
  EXPECT_EQ(siteAt(report, text, "t * 32]", "s").portBytes(), 32u * 128);
  // Filling: 33 requests of 32 neighbours.
  const SiteCounters fill = siteAt(report, text, "SHARED", "s");
  EXPECT_EQ(fill.requests, 33u);
  EXPECT_EQ(fill.wavefronts, 33u);
}

TEST(Count, RequestsOfSeveralWarpsAndTurns) {
  // 64 threads in 2 warps, 10 turns each; in turn 9 only lane 0 of each warp.
  std::string text;
  Report report = runCount(
      "float x = 0.0f; for (int i = 0; i < (t % 32 ? 9 : 10); ++i) x += ldg(&A[i * 64 + t]);\n"
      "stg(&C[t], x);",
      text, 64);
  const SiteCounters read = siteAt(report, text, "ldg", "A");
  EXPECT_EQ(read.requests, 20u);
  EXPECT_EQ(read.accesses, 2u * (9 * 32 + 1));
  EXPECT_EQ(read.sectors, 2u * (9 * 4 + 1));
}

TEST(Count, LanesThatSkipIterations) {
  // Lane 0 leaves out the first of two rows, odd lanes the second: 31 and 16 lanes, 4 sectors each. Its
  // store in the second row is one request with those of the others there.
  std::string text;
  Report report = runCount("for (int i = 0; i < 2; ++i)\n"
                           "  for (int j = 0; j < 1; ++j)\n"
                           "    if (i == 0 ? t != 0 : t % 2 == 0) stg(&C[i * 32 + t], 1.0f);",
                           text);
  const SiteCounters write = siteAt(report, text, "stg", "C");
  EXPECT_EQ(write.requests, 2u);
  EXPECT_EQ(write.accesses, 31u + 16);
  EXPECT_EQ(write.sectors, 4u + 4);
}

TEST(Count, AnElseAfterALoop) {
  std::string text;
  Report report = runCount("if (t < 4)\n"
                           "  for (int i = 0; i < 2; ++i) stg(&C[i * 32 + t], 1.0f);\n"
                           "else stg(&C[64 + t], 1.0f);",
                           text);
  EXPECT_EQ(siteAt(report, text, "for", "C").accesses, 8u);
  EXPECT_EQ(siteAt(report, text, "else", "C").accesses, 28u);
}

TEST(Count, LongRunsWithoutABarrier) {
  // More executions than are kept at a time, and more of some lanes than of
  // others: 3000 broadcasts a warp, and 100 more by lane 5 alone.
  std::string text;
  Report report = runCount("float x = 0.0f; for (int i = 0; i < (t == 5 ? 3100 : 3000); ++i)\n"
                           "x += ldg(&A[i]);\nstg(&C[t], x);",
                           text);
  const SiteCounters read = siteAt(report, text, "ldg", "A");
  EXPECT_EQ(read.requests, 3100u);
  EXPECT_EQ(read.sectors, 3100u);
  EXPECT_EQ(read.accesses, 3000u * 32 + 100);
}

TEST(Count, CopiesCountOnBothSides) {
  // 32 copies of 16 bytes: 512 bytes are 16 sectors, and 4 wavefronts. The
  // second line reads nothing and writes zeros.
  std::string text;
  Report report = runCount("SHARED(float, s, 128); cp_async<4>(s, t * 4, &A[t * 4], true);\n"
                           "cp_async_commit(); cp_async_wait<0>();\n"
                           "cp_async<4>(s, t * 4, &A[t * 4], false);",
                           text);
  EXPECT_EQ(siteAt(report, text, "true", "A").sectors, 16u);
  EXPECT_EQ(siteAt(report, text, "true", "s").wavefronts, 4u);
  EXPECT_EQ(siteAt(report, text, "false", "s").bytes, 512u);
  EXPECT_EQ(report.findObject("A")->bytesRead, 512u);
}

// Half of the lanes make 80,000 accesses at one place while the others, which go on to the end, make none: what all of them
// do at another place is one request an iteration all the same.
TEST(Requests, OfLanesFarApart) {
  Kernel kernel;
  kernel.text = R"cuda(extern "C" __global__ void test(const float *A, float *C) {
  const int t = thread_x();
  float sum = 0.0f;
  for (int i = 0; i < 40000; ++i) {
    sum += ldg(&A[t]);
    if (t < 16) {
      for (int j = 0; j < 2; ++j) {
        sum += ldg(&A[t + j]);
      }
    }
  }
  stg(&C[t], sum);
}
)cuda";
  kernel.tensors = {"A", "C="};
  std::vector<TestTensor> tensors = {TestTensor::vector(64), TestTensor::vector(64)};
  Report report = launch(kernel, tensors);
  ASSERT_TRUE(report.ok()) << report.describeFindings("apart.cu");
  EXPECT_EQ(siteAt(report, kernel.text, "ldg(&A[t])", "A").requests, 40000u);
  EXPECT_EQ(siteAt(report, kernel.text, "ldg(&A[t + j])", "A").requests, 80000u);
}

} // namespace
} // namespace tilec::emulator::test
