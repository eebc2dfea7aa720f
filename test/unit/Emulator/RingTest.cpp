//===- RingTest.cpp - Roles, rings and clusters ---------------*- C++ -*-===//
//
// The right kernels pass in every schedule, with the counts that formulas give;
// each thing left out is found, with its own finding.
//
//===----------------------------------------------------------------------===//

#include "RingTexts.h"

namespace tilec::emulator::test {
namespace {

const Schedule allSchedules[] = {Schedule::InOrder, Schedule::Reversed, Schedule::WarpAhead,
                                 Schedule::Random};

Report runRing(const Kernel &kernel, RingProblem &problem, Schedule schedule = Schedule::InOrder) {
  RunOptions options;
  options.schedule = schedule;
  options.seed = 3;
  return launch(kernel, problem.tensors, problem.sizes(), {}, options);
}

/// What a change to the text leads to, on a problem with 7 steps and 3 tiles a block.
Report runChanged(Kernel kernel, const std::string &from, const std::string &to,
                  Schedule schedule = Schedule::InOrder) {
  kernel.text = replaced(kernel.text, from, to);
  RingProblem problem(64, 80, 50);
  return runRing(kernel, problem, schedule);
}

//===----------------------------------------------------------------------===//
// Right kernels
//===----------------------------------------------------------------------===//

TEST(Ring, RightOnAwkwardShapes) {
  const int64_t shapes[][3] = {{32, 32, 8}, {1, 1, 1}, {70, 65, 50}, {33, 100, 7}, {64, 64, 0}};
  for (const auto &s : shapes) {
    RingProblem problem(s[0], s[1], s[2]);
    Report report = runRing(ringGemm(2), problem);
    EXPECT_TRUE(report.ok()) << report.describeFindings("ring.cu");
    EXPECT_TRUE(problem.isRight()) << s[0] << "x" << s[1] << "x" << s[2];
  }
}

TEST(Ring, RightInEverySchedule) {
  for (Schedule schedule : allSchedules) {
    RingProblem problem(70, 65, 50);
    Report report = runRing(ringGemm(2), problem, schedule);
    EXPECT_TRUE(report.ok()) << report.describeFindings("ring.cu");
    EXPECT_TRUE(problem.isRight());
  }
}

TEST(Ring, CountsAreTheFormulas) {
  // 2 x 2 tiles of 32 x 32, k = 16: A and B are read m n k / 32 elements each.
  RingProblem problem(64, 64, 16);
  Report report = runRing(ringGemm(1), problem);
  ASSERT_TRUE(report.ok()) << report.describeFindings("ring.cu");
  const uint64_t mnk = 64 * 64 * 16;
  EXPECT_EQ(report.findObject("A")->bytesRead, mnk / 32 * 4);
  EXPECT_EQ(report.findObject("B")->bytesRead, mnk / 32 * 4);
  EXPECT_EQ(report.findObject("sB")->bytesWritten, mnk / 32 * 4);
  // Rows of 32 floats from a multiple of 32 bytes: whole sectors, whole passes.
  EXPECT_EQ(report.findObject("B")->portBytesRead, mnk / 32 * 4);
  EXPECT_EQ(report.findObject("sB")->portBytesWritten, mnk / 32 * 4);
  // Threads have 2 x 4 elements.
  EXPECT_EQ(report.findObject("sA")->bytesRead, mnk / 4 * 4);
  EXPECT_EQ(report.findObject("sB")->bytesRead, mnk / 2 * 4);
}

TEST(Ring, ElementsOutsideAreNotCounted) {
  // k = 5: a box has 8 rows, of which 5 are there; 3 rows of zeros are written.
  RingProblem problem(32, 30, 5);
  Report report = runRing(ringGemm(1), problem);
  ASSERT_TRUE(report.ok()) << report.describeFindings("ring.cu");
  EXPECT_EQ(report.findObject("B")->bytesRead, 5u * 30 * 4);
  EXPECT_EQ(report.findObject("sB")->bytesWritten, 8u * 32 * 4);
}

TEST(Multicast, RightInEverySchedule) {
  for (Schedule schedule : allSchedules) {
    RingProblem problem(128, 70, 50);
    Report report = runRing(multicastGemm(12), problem, schedule);
    EXPECT_TRUE(report.ok()) << report.describeFindings("multicast.cu");
    EXPECT_TRUE(problem.isRight());
  }
}

TEST(Multicast, OneReadServesTheCluster) {
  // 2 x 1 tiles, one cluster. B is delivered to both blocks and leaves its
  // source once.
  RingProblem problem(64, 32, 16);
  Report report = runRing(multicastGemm(2), problem);
  ASSERT_TRUE(report.ok()) << report.describeFindings("multicast.cu");
  EXPECT_EQ(report.findObject("B")->bytesRead, 2u * 32 * 16 * 4);
  EXPECT_EQ(report.findObject("B")->portBytesRead, 32u * 16 * 4);
  EXPECT_EQ(report.findObject("sB")->bytesWritten, 2u * 32 * 16 * 4);
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

TEST(RingMutant, NoFenceAfterTheStart) {
  const Kernel kernel = ringGemm(2);
  Report report = runChanged(kernel, "    fence_mbarrier_init();", "");
  EXPECT_TRUE(hasFinding(report, FindingKind::MissingFence, lineOf(kernel.text, "tma_load_2d"),
                         "full[0] of block 0, which no fence_mbarrier_init has made known"));
}

TEST(RingMutant, NoBarrierAfterTheStart) {
  const Kernel kernel = ringGemm(2);
  Report report = runChanged(kernel, "  sync_block();", "");
  EXPECT_TRUE(hasFinding(report, FindingKind::SharedRace, lineOf(kernel.text, "mbarrier_wait(&empty"),
                         "waits for empty[0], which thread 0 starts with no barrier in between"));
  // Where others come first, there is nothing to wait at.
  report = runChanged(kernel, "  sync_block();", "", Schedule::Reversed);
  EXPECT_TRUE(hasFinding(report, FindingKind::Barrier, lineOf(kernel.text, "mbarrier_wait(&full"),
                         "full[0] of block 0, which no mbarrier_init has started"));
}

TEST(RingMutant, NoWaitForAnEmptyStage) {
  const Kernel kernel = ringGemm(2);
  for (Schedule schedule : allSchedules)
    EXPECT_FALSE(runChanged(kernel, "mbarrier_wait(&empty[s], (n / 3 + 1) % 2);", "", schedule).ok());
}

TEST(RingMutant, WrongPhaseOfFull) {
  const Kernel kernel = ringGemm(2);
  Report report = runChanged(kernel, "mbarrier_wait(&full[s], n / 3 % 2)",
                             "mbarrier_wait(&full[s], (n / 3 + 1) % 2)", Schedule::Reversed);
  EXPECT_TRUE(hasFinding(report, FindingKind::UninitialisedShared, lineOf(kernel.text, "lds_vector<4>"),
                         "sB[28] of 768 elements, which nobody wrote"));
}

TEST(RingMutant, NoWaitForAFullStage) {
  const Kernel kernel = ringGemm(2);
  Report report = runChanged(kernel, "mbarrier_wait(&full[s], n / 3 % 2);", "");
  EXPECT_TRUE(hasFinding(report, FindingKind::MissingWait, lineOf(kernel.text, "lds_vector<2>"),
                         "a copy of thread 0 at line"));
  EXPECT_TRUE(hasFinding(report, FindingKind::MissingWait, lineOf(kernel.text, "lds_vector<4>")));
}

TEST(RingMutant, FewerBytesExpected) {
  const Kernel kernel = ringGemm(2);
  Report report = runChanged(kernel, "&full[s], 1024", "&full[s], 1008");
  EXPECT_TRUE(hasFinding(report, FindingKind::Barrier, lineOf(kernel.text, "tma_load_2d"),
                         "copies of 16 bytes more than phase 0 of full[0] of block 0 waits for"));
}

TEST(RingMutant, MoreBytesExpected) {
  const Kernel kernel = ringGemm(2);
  Report report = runChanged(kernel, "&full[s], 1024", "&full[s], 2048");
  EXPECT_TRUE(hasFinding(report, FindingKind::Deadlock, lineOf(kernel.text, "mbarrier_wait(&empty"),
                         "mbarrier_wait of full[0] (phase 0, 0 of 129 arrivals and 1024 bytes are missing)"));
}

TEST(RingMutant, NoBytesExpected) {
  const Kernel kernel = ringGemm(2);
  Report report = runChanged(kernel, "mbarrier_arrive_expect_tx(&full[s], 1024)", "mbarrier_arrive(&full[s])");
  EXPECT_TRUE(hasFinding(report, FindingKind::MissingWait, lineOf(kernel.text, "lds_vector<4>"),
                         "a copy of thread 0 at line"));
}

TEST(RingMutant, OneArrivalTooMany) {
  const Kernel kernel = ringGemm(2);
  Report report = runChanged(kernel, "&full[s], 129", "&full[s], 128");
  EXPECT_FALSE(report.ok());
}

TEST(RingMutant, OneArrivalTooFew) {
  const Kernel kernel = ringGemm(2);
  Report report = runChanged(kernel, "&full[s], 129", "&full[s], 130");
  EXPECT_TRUE(hasFinding(report, FindingKind::Deadlock, lineOf(kernel.text, "mbarrier_wait(&empty"),
                         "mbarrier_wait of full[0] (phase 0, 1 of 130 arrivals and 1024 bytes are missing)"));
}

TEST(RingMutant, ArrivesBeforeItsCopies) {
  const Kernel kernel = ringGemm(2);
  Report report = runChanged(kernel, "cp_async_mbarrier_arrive(", "mbarrier_arrive(");
  EXPECT_TRUE(hasFinding(report, FindingKind::MissingWait, lineOf(kernel.text, "lds_vector<2>"),
                         "is still on its way to"));
}

TEST(RingMutant, ArrivesForItsWarpAlone) {
  const Kernel kernel = ringGemm(2);
  Report report = runChanged(kernel, "          sync_warp();", "");
  EXPECT_TRUE(hasFinding(report, FindingKind::SharedRace, lineOf(kernel.text, "tma_load_2d"),
                         "copies a box to sB[0] of 768 elements, which thread 136 read"));
}

TEST(RingMutant, ReleasesBeforeItsReadsReturn) {
  const std::string release = "        if (n > 0) {  // The values of the stage before have come.\n"
                              "          sync_warp();\n"
                              "          if (t % 32 == 0) mbarrier_arrive(&empty[(n + 2) % 3]);\n"
                              "        }\n";
  for (Schedule schedule : allSchedules) {
    Kernel kernel = ringGemm(2);
    kernel.text = replaced(kernel.text, release, "");
    Report report =
        runChanged(kernel, "        // end of step",
                   "        sync_warp();\n if (t % 32 == 0) mbarrier_arrive(&empty[s]);", schedule);
    EXPECT_TRUE(hasFinding(report, FindingKind::EarlyRelease, lineOf(kernel.text, "tma_load_2d"),
                           "released right after its read"));
    EXPECT_TRUE(hasFinding(report, FindingKind::EarlyRelease, lineOf(kernel.text, "cp_async<1>")));
  }
}

TEST(RingMutant, EndsWithACopyOnItsWay) {
  // One more box than is consumed, of the fourth stage's barrier.
  const Kernel kernel = ringGemm(2);
  Report report = runChanged(kernel, "  } else {\n",
                             "    if (t == 0) { mbarrier_wait(&empty[n % 3], (n / 3 + 1) % 2);\n"
                             "      mbarrier_arrive_expect_tx(&full[n % 3], 1024);\n"
                             "      tma_load_2d(&sB[n % 3 * 256], &B_map, 0, 0, &full[n % 3]); }\n"
                             "  } else {\n");
  EXPECT_TRUE(hasFinding(report, FindingKind::MissingWait, lineOf(kernel.text, "  } else {\n") + 2,
                         "ends while a copy to sB["));
}

//===----------------------------------------------------------------------===//
// Every line that orders something
//===----------------------------------------------------------------------===//

/// Deletes each call of one of the functions in turn; all schedules together
/// must find something.
void checkThatEachMatters(const Kernel &kernel, const std::vector<std::string> &functions,
                          const RingProblem &problem) {
  for (const std::string &function : functions)
    for (size_t at = kernel.text.find(function); at != std::string::npos;
         at = kernel.text.find(function, at + 1)) {
      Kernel mutant = kernel;
      mutant.text.erase(at, mutant.text.find(';', at) - at);
      bool found = false;
      for (Schedule schedule : allSchedules) {
        RingProblem copy = problem;
        found |= !found && !runRing(mutant, copy, schedule).ok();
      }
      EXPECT_TRUE(found) << mutant.text;
    }
}

TEST(RingMutant, EveryCallMatters) {
  checkThatEachMatters(ringGemm(2),
                       {"mbarrier_init(&", "fence_mbarrier_init(", "sync_block(", "mbarrier_wait(",
                        "mbarrier_arrive_expect_tx(", "tma_load_2d(", "cp_async<1>(",
                        "cp_async_mbarrier_arrive(", "sync_warp(", "mbarrier_arrive(&empty"},
                       RingProblem(64, 80, 50));
}

TEST(MulticastMutant, EveryCallMatters) {
  checkThatEachMatters(multicastGemm(6),
                       {"mbarrier_init(&", "fence_mbarrier_init(", "cluster_sync(", "mbarrier_wait(",
                        "mbarrier_arrive_expect_tx(", "tma_load_2d(", "tma_load_multicast_2d(",
                        "sync_warp(", "mbarrier_arrive_remote("},
                       RingProblem(64, 80, 50));
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

TEST(RingMutant, RegisterCounts) {
  const Kernel kernel = ringGemm(1);
  const int line = lineOf(kernel.text, "setmaxnreg_inc");
  EXPECT_TRUE(hasFinding(runChanged(kernel, "setmaxnreg_inc<232>", "setmaxnreg_inc<236>"),
                         FindingKind::Registers, line,
                         "asks for 236 registers, possible are multiples of 8 from 24 to 256"));
  EXPECT_TRUE(hasFinding(runChanged(kernel, "setmaxnreg_inc<232>();", "if (t >= 160) setmaxnreg_inc<232>();"),
                         FindingKind::Registers, line,
                         "thread 160 of block 0 changes its registers to 232 here, thread 128 of the same "
                         "warpgroup does not"));
  // 288 * 128 + 232 * 128 registers are more than 65536.
  Report report = runChanged(kernel, "setmaxnreg_dec<40>", "setmaxnreg_dec<288>");
  EXPECT_TRUE(hasFinding(report, FindingKind::Registers, line,
                         "ask for 66560 registers and have at most 65536, 256 for each thread"));
}

// 65536 / 384 is 170: 168 registers for each thread at the launch, and 72 + 2 * 216 is 3 * 168.
TEST(RingMutant, RegistersThatNobodyGaveBack) {
  Kernel kernel;
  kernel.blockThreads = 384;
  kernel.text = "extern \"C\" __global__ void test() {\n"
                "  if (thread_x() < 128) {\n    setmaxnreg_dec<72>();\n  } else {\n    setmaxnreg_inc<216>();\n  }\n}\n";
  std::vector<TestTensor> none;
  Report right = launch(kernel, none);
  EXPECT_TRUE(right.ok()) << right.describeFindings("k");
  kernel.text = replaced(kernel.text, "setmaxnreg_dec<72>();", "");
  EXPECT_TRUE(hasFinding(launch(kernel, none), FindingKind::Registers, 5,
                         "ask for 55296 registers and have at most 43008, 168 for each thread"));
}

//===----------------------------------------------------------------------===//
// Clusters
//===----------------------------------------------------------------------===//

TEST(MulticastMutant, ArrivesOnlyAtHome) {
  // The other block's reads are not waited for, nor its copies.
  Report report = runChanged(multicastGemm(6), "if (t % 32 < 2) mbarrier_arrive_remote(&empty[(k + 2) % 3], t % 2)",
                             "if (t % 32 < 2) mbarrier_arrive(&empty[(k + 2) % 3])");
  EXPECT_TRUE(hasFinding(report, FindingKind::MissingWait,
                         lineOf(multicastGemm(6).text, "tma_load_multicast_2d"),
                         "which a copy of thread 128 of block 0 at line 28 is still on its way to"));
}

TEST(MulticastMutant, StartsWithoutTheCluster) {
  const Kernel kernel = multicastGemm(6);
  Report report = runChanged(kernel, "  cluster_sync();\n  const", "  sync_block();\n  const");
  EXPECT_FALSE(report.ok());
}

TEST(MulticastMutant, EndsWithoutTheCluster) {
  const Kernel kernel = multicastGemm(6);
  Report report = runChanged(kernel, "  cluster_sync();\n}", "}");
  EXPECT_TRUE(hasFinding(report, FindingKind::Barrier, lineOf(kernel.text, "mbarrier_arrive_remote"),
                         "a cluster_sync before the end is missing"));
}

TEST(MulticastMutant, BlockOutsideOfTheCluster) {
  const Kernel kernel = multicastGemm(6);
  EXPECT_TRUE(hasFinding(runChanged(kernel, "&full[s], 3)", "&full[s], 7)"), FindingKind::OutOfBounds,
                         lineOf(kernel.text, "tma_load_multicast_2d"),
                         "copies to blocks 0x7 of a cluster of 2"));
}

TEST(MulticastMutant, WaitsForBytesOfBothInOne) {
  const Kernel kernel = multicastGemm(6);
  Report report = runChanged(kernel, "if (rank == 0) tma_load_multicast_2d", "if (rank == 2) tma_load_multicast_2d");
  EXPECT_TRUE(hasFinding(report, FindingKind::Deadlock, lineOf(kernel.text, "mbarrier_wait(&empty"),
                         "mbarrier_wait of full[0] (phase 0, 0 of 1 arrivals and 1024 bytes are missing)"));
}

} // namespace
} // namespace tilec::emulator::test
