//===- GemmTest.cpp - Whole kernels in the emulator -----------*- C++ -*-===//
//
// Right kernels pass with counts that formulas give; each mutant is caught.
//
//===----------------------------------------------------------------------===//

#include "GemmTexts.h"

namespace tilec::emulator::test {
namespace {

const int64_t awkwardShapes[][3] = {{64, 64, 64}, {33, 17, 1},   {1, 1, 1},
                                    {65, 31, 77}, {130, 66, 16}, {5, 129, 0}};

TEST(Gemm, RightOnAwkwardShapes) {
  for (const auto &s : awkwardShapes)
    for (int64_t extra : {0, 5}) {
      GemmProblem problem(s[0], s[1], s[2], extra);
      Report report = launchGemm(blockTiledGemm(), {}, problem);
      EXPECT_TRUE(report.ok()) << report.describeFindings("gemm.cu");
      EXPECT_TRUE(problem.isRight()) << s[0] << "x" << s[1] << "x" << s[2];
    }
}

TEST(Gemm, PipelineIsRightInEverySchedule) {
  for (Schedule schedule :
       {Schedule::InOrder, Schedule::Reversed, Schedule::WarpAhead, Schedule::Random})
    for (int stages : {2, 3}) {
      GemmProblem problem(70, 65, 50, 3);
      RunOptions options;
      options.schedule = schedule;
      options.seed = 7;
      Report report = launchGemm(pipelinedGemm(stages), {}, problem, options);
      EXPECT_TRUE(report.ok()) << report.describeFindings("gemm.cu");
      EXPECT_TRUE(problem.isRight());
    }
}

TEST(Gemm, LargerThreadTiles) {
  const GemmShape shape = {128, 128, 8, 8};
  GemmProblem problem(129, 200, 33);
  Report report = launchGemm(blockTiledGemm(shape), shape, problem);
  EXPECT_TRUE(report.ok()) << report.describeFindings("gemm.cu");
  EXPECT_TRUE(problem.isRight());
}

TEST(Gemm, CountsAreTheFormulas) {
  // m = n = k = 128: 4 blocks of 64x64. A comes from global memory once for
  // each column of blocks, k * m * (n / 64) * 4 bytes; shared memory delivers
  // m n k (1 / tm + 1 / tn) * 4 bytes with tm = tn = 4, and is filled with what
  // global memory delivers.
  GemmProblem problem(128, 128, 128);
  Kernel kernel = blockTiledGemm();
  Report report = launchGemm(kernel, {}, problem);
  ASSERT_TRUE(report.ok()) << report.describeFindings("gemm.cu");
  const uint64_t mnk = 128 * 128 * 128;
  EXPECT_EQ(report.blocks, 4u);
  EXPECT_EQ(report.findObject("A")->bytesRead, mnk / 64 * 4);
  EXPECT_EQ(report.findObject("B")->bytesRead, mnk / 64 * 4);
  EXPECT_EQ(report.findObject("sA")->bytesWritten, mnk / 64 * 4);
  EXPECT_EQ(report.findObject("C")->bytesWritten, 128u * 128 * 4);
  EXPECT_EQ(report.findObject("sA")->bytesRead, mnk / 4 * 4);
  EXPECT_EQ(report.findObject("sB")->bytesRead, mnk / 4 * 4);

  // All sectors are whole: 32 lanes read 2 rows of 16 floats of A (4 sectors a
  // request of 128 bytes), and 32 neighbours of B.
  EXPECT_EQ(report.findObject("A")->portBytesRead, mnk / 64 * 4);
  EXPECT_EQ(report.findObject("B")->portBytesRead, mnk / 64 * 4);
  // In one wave, every sector once.
  EXPECT_EQ(report.findObject("A")->uniqueBytesRead, 128u * 128 * 4);
  EXPECT_EQ(report.findObject("C")->uniqueBytesWritten, 128u * 128 * 4);

  // B's fragments: a warp has 2 rows of threads x 16 columns of 4 floats. The
  // lanes T and T ^ 1 differ, so 16 bytes a lane take 4 passes; each has 8
  // neighbouring lanes, 128 bytes in 32 banks: no conflict.
  const SiteCounters rb = siteAt(report, kernel.text, "lds_vector<4>(&rb", "sB");
  EXPECT_EQ(rb.requests, mnk / 4 / 4 / 32);
  EXPECT_EQ(rb.wavefronts, rb.requests * 4);
  EXPECT_EQ(rb.conflictDegree, 1u);
  // A's fragments: all lanes of a row of threads read the same 16 bytes, so the
  // lanes pair up and 2 passes do.
  const SiteCounters ra = siteAt(report, kernel.text, "lds_vector<4>(&ra", "sA");
  EXPECT_EQ(ra.wavefronts, ra.requests * 2);
}

TEST(Gemm, BytesAreExactAtTheEdges) {
  // Elements outside are not fetched: A is read whole for each of the
  // ceil(n / 64) columns of blocks, B for each of the ceil(m / 64) rows.
  for (const auto &s : awkwardShapes) {
    GemmProblem problem(s[0], s[1], s[2], 3);
    Report report = launchGemm(pipelinedGemm(2), {}, problem);
    EXPECT_EQ(report.findObject("A")->bytesRead, uint64_t(4 * s[0] * s[2] * ((s[1] + 63) / 64)));
    EXPECT_EQ(report.findObject("B")->bytesRead, uint64_t(4 * s[1] * s[2] * ((s[0] + 63) / 64)));
    EXPECT_EQ(report.findObject("C")->bytesWritten, uint64_t(4 * s[0] * s[1]));
  }
}

TEST(Gemm, WorkersAndSchedulesCountAlike) {
  GemmProblem problem(130, 129, 40, 1);
  RunOptions options;
  const Kernel kernel = blockTiledGemm();
  Report one = launchGemm(kernel, {}, problem, options);
  options.threads = 3;
  options.schedule = Schedule::Random;
  Report three = launchGemm(kernel, {}, problem, options);
  EXPECT_TRUE(three.ok()) << three.describeFindings("gemm.cu");
  EXPECT_TRUE(problem.isRight());
  ASSERT_EQ(one.sites.size(), three.sites.size());
  for (size_t i = 0; i < one.sites.size(); ++i) {
    EXPECT_EQ(one.sites[i].line, three.sites[i].line);
    EXPECT_EQ(one.sites[i].object, three.sites[i].object);
    EXPECT_EQ(one.sites[i].bytes, three.sites[i].bytes);
    EXPECT_EQ(one.sites[i].sectors, three.sites[i].sectors);
    EXPECT_EQ(one.sites[i].wavefronts, three.sites[i].wavefronts);
  }
}

TEST(Gemm, WavesBoundDramBytes) {
  // 4 blocks of 64x64 at 128^3, as rows (0,0), (0,1), (1,0), (1,1). Waves of 2
  // blocks share half of A and need all of B; both waves: A once, B twice.
  GemmProblem problem(128, 128, 128);
  RunOptions options;
  options.blocksPerWave = 2;
  Report report = launchGemm(blockTiledGemm(), {}, problem, options);
  EXPECT_EQ(report.findObject("A")->uniqueBytesRead, 128u * 128 * 4);
  EXPECT_EQ(report.findObject("B")->uniqueBytesRead, 2u * 128 * 128 * 4);
}

//===----------------------------------------------------------------------===//
// Mutants
//===----------------------------------------------------------------------===//

/// Runs a mutant on a shape with edges and rows that have gaps, in all
/// schedules; each must find `kind` at the line of `where`.
void expectCaught(const Kernel &kernel, const std::string &where, FindingKind kind,
                  const std::string &words) {
  for (Schedule schedule :
       {Schedule::InOrder, Schedule::Reversed, Schedule::WarpAhead, Schedule::Random}) {
    GemmProblem problem(65, 31, 77, 2);
    RunOptions options;
    options.schedule = schedule;
    Report report = launchGemm(kernel, {}, problem, options);
    EXPECT_TRUE(hasFinding(report, kind, lineOf(kernel.text, where), words));
  }
}

Kernel mutant(Kernel kernel, const std::string &from, const std::string &to) {
  kernel.text = replaced(kernel.text, from, to);
  return kernel;
}

TEST(GemmMutant, BarrierAfterFilling) {
  for (const Kernel &kernel : {blockTiledGemm(), pipelinedGemm(2)}) {
    const Kernel wrong = mutant(kernel, "sync_block(); // filled", ";");
    GemmProblem problem(65, 31, 77);
    EXPECT_FALSE(launchGemm(wrong, {}, problem).ok());
  }
  // In order, thread 0 reads what the others have not written yet; reversed,
  // thread 255 does.
  GemmProblem problem(64, 64, 64);
  const Kernel wrong = mutant(blockTiledGemm(), "sync_block(); // filled", ";");
  Report report = launchGemm(wrong, {}, problem);
  EXPECT_TRUE(hasFinding(report, FindingKind::UninitialisedShared,
                         lineOf(wrong.text, "lds_vector<4>(&ra"), "thread 0 of block 0 reads sA["));
}

TEST(GemmMutant, BarrierAfterReading) {
  // The next step's fill overwrites what threads of this step have read.
  const Kernel wrong = mutant(blockTiledGemm(), "sync_block(); // read", ";");
  expectCaught(wrong, "sts(&sB[i]", FindingKind::SharedRace, "with no barrier in between");
}

TEST(GemmMutant, BarrierAfterReadingInAPipeline) {
  const Kernel wrong = mutant(pipelinedGemm(2), "sync_block(); // read", ";");
  expectCaught(wrong, "cp_async<1>(sB", FindingKind::SharedRace, "copies to sB[");
}

TEST(GemmMutant, Wait) {
  const Kernel wrong = mutant(pipelinedGemm(2), "cp_async_wait<STAGES - 1>();", ";");
  expectCaught(wrong, "rb[j] = lds", FindingKind::MissingWait, "still on its way");
}

TEST(GemmMutant, WaitForTooFewGroups) {
  const Kernel wrong =
      mutant(pipelinedGemm(2), "cp_async_wait<STAGES - 1>();", "cp_async_wait<STAGES>();");
  expectCaught(wrong, "rb[j] = lds", FindingKind::MissingWait, "still on its way");
}

TEST(GemmMutant, Commit) {
  const Kernel wrong = mutant(pipelinedGemm(2), "cp_async_commit();", ";");
  expectCaught(wrong, "rb[j] = lds", FindingKind::MissingWait, "still on its way");
}

TEST(GemmMutant, StorePredicate) {
  Kernel wrong = mutant(blockTiledGemm(), " && n0 + n1 + j < N)", ")");
  // Rows of C hold 31 elements and are 33 apart.
  expectCaught(wrong, "stg(", FindingKind::OutOfBounds, "writes 4 bytes of global memory at C[");
}

TEST(GemmMutant, KEdgeOfA) {
  // B's zeros hide it from the result; the gap after row 0 of A does not.
  Kernel wrong =
      mutant(blockTiledGemm(), "m0 + i / 16 < M && k0 + i % 16 < K ?", "m0 + i / 16 < M ?");
  expectCaught(wrong, "ldg(&A", FindingKind::OutOfBounds, "reads 4 bytes of global memory at A[");
}

TEST(GemmMutant, MEdgeOfA) {
  Kernel wrong =
      mutant(blockTiledGemm(), "m0 + i / 16 < M && k0 + i % 16 < K ?", "k0 + i % 16 < K ?");
  expectCaught(wrong, "ldg(&A", FindingKind::OutOfBounds, "reads 4 bytes of global memory at A[");
}

TEST(GemmMutant, EdgeOfACopy) {
  Kernel wrong =
      mutant(pipelinedGemm(2), "k0 + i / BN < K && n0 + i % BN < N;", "n0 + i % BN < N;");
  expectCaught(wrong, "cp_async<1>(sB", FindingKind::OutOfBounds,
               "reads 4 bytes of global memory at B[");
}

TEST(GemmMutant, AccumulatorNotCleared) {
  Kernel wrong = mutant(blockTiledGemm(), "c[i][j] = 0.0f;", ";");
  expectCaught(wrong, "stg(", FindingKind::UninitialisedRegister, "never written");
}

TEST(GemmMutant, TwoBlocksOneTile) {
  Kernel wrong = mutant(blockTiledGemm(), "m0 = block_x() / ((N + BN - 1) / BN) * BM", "m0 = 0");
  expectCaught(wrong, "stg(", FindingKind::GlobalRace, "of block 0 also touches, in no order");
}

TEST(GemmMutant, FragmentPastTheArray) {
  Kernel wrong = mutant(blockTiledGemm(), "&sB[k1 * BN + n1 + j]", "&sB[(k1 + 1) * BN + n1 + j]");
  expectCaught(wrong, "lds_vector<4>(&rb", FindingKind::OutOfBounds,
               "reads 16 bytes of shared memory at sB[");
}

} // namespace
} // namespace tilec::emulator::test
