//===- SyncTest.cpp - Barriers, shuffles, copies, deadlock ----*- C++ -*-===//
//
// One small kernel for each rule about who waits for whom.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

namespace tilec::emulator::test {
namespace {

constexpr int bodyLine = 3;

Kernel syncKernel(const std::string &body, unsigned threads = 64) {
  Kernel kernel;
  kernel.text = "extern \"C\" __global__ void test(const float *A, float *C) {\n"
                "  const int t = thread_x();\n" +
                body + "\n}\n";
  kernel.tensors = {"A", "C="};
  kernel.blockThreads = threads;
  return kernel;
}

Report runSync(const Kernel &kernel, std::vector<TestTensor> &tensors,
               Schedule schedule = Schedule::InOrder) {
  RunOptions options;
  options.schedule = schedule;
  return launch(kernel, tensors, {}, {}, options);
}

Report runSync(const Kernel &kernel, Schedule schedule = Schedule::InOrder) {
  std::vector<TestTensor> tensors = {TestTensor::vector(64), TestTensor::vector(64)};
  return runSync(kernel, tensors, schedule);
}

const Schedule allSchedules[] = {Schedule::InOrder, Schedule::Reversed, Schedule::WarpAhead,
                                 Schedule::Random};

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

TEST(Barrier, OrdersSharedMemory) {
  const std::string right = "SHARED(float, s, 64); sts(&s[t], ldg(&A[t]));\nsync_block();\n"
                            "stg(&C[t], lds(&s[63 - t]));";
  for (Schedule schedule : allSchedules) {
    std::vector<TestTensor> tensors = {TestTensor::vector(64), TestTensor::vector(64)};
    Report report = runSync(syncKernel(right), tensors, schedule);
    EXPECT_TRUE(report.ok()) << report.describeFindings("k");
    for (int i = 0; i < 64; ++i)
      EXPECT_EQ(tensors[1].data[i], tensors[0].data[63 - i]);
    EXPECT_FALSE(runSync(syncKernel(replaced(right, "sync_block()", "")), schedule).ok());
  }
}

TEST(Barrier, RacesHaveBothThreads) {
  const Kernel kernel = syncKernel("SHARED(float, s, 64); sts(&s[t], 0.0f);\n"
                                   "sts(&s[t ^ 1], 1.0f);");
  EXPECT_TRUE(hasFinding(
      runSync(kernel), FindingKind::SharedRace, bodyLine,
      "thread 1 of block 0 writes s[1] of 64 elements, which thread 0 wrote with no barrier"));
}

TEST(Barrier, WriteAfterReadsOfSeveral) {
  const Kernel kernel =
      syncKernel("SHARED(float, s, 1); if (t == 0) sts(&s[0], 0.0f); sync_block();\n"
                 "lds(&s[0]);\nif (t == 63) sts(&s[0], 1.0f);");
  EXPECT_TRUE(
      hasFinding(runSync(kernel), FindingKind::SharedRace, bodyLine + 2, "several threads read"));
}

TEST(Barrier, HalvesOfAWordAreNoRace) {
  const std::string body = "SHARED(short, s, 64); sts(&s[t], (short)t);\nsync_block();\n"
                           "stg(&C[t], (float)lds(&s[t ^ 1]));";
  std::vector<TestTensor> tensors = {TestTensor::vector(64), TestTensor::vector(64)};
  Report report = runSync(syncKernel(body), tensors);
  EXPECT_TRUE(report.ok()) << report.describeFindings("k");
  EXPECT_EQ(tensors[1].data[2], 3.0f);
  // The history is kept when a narrower access comes after wider ones.
  EXPECT_FALSE(runSync(syncKernel("SHARED(float, s, 64); sts(&s[t], 1.0f);\n"
                                  "lds((char *)&s[t ^ 1] + 3);"))
                   .ok());
}

TEST(Barrier, SomeThreadsEnd) {
  Report report = runSync(syncKernel("if (t >= 60) return;\nsync_block();"));
  EXPECT_TRUE(hasFinding(report, FindingKind::Barrier, bodyLine + 1,
                         "4 of 64 threads end without reaching this sync_block"));
}

TEST(Barrier, AtTwoLines) {
  Report report = runSync(syncKernel("if (t < 32)\nsync_block();\nelse sync_block();"));
  EXPECT_TRUE(hasFinding(report, FindingKind::Barrier, bodyLine + 1,
                         "threads 0-31 wait in sync_block here, threads 32-63 at line 5"));
}

//===----------------------------------------------------------------------===//
// Shuffles
//===----------------------------------------------------------------------===//

TEST(Shuffle, SumsAWarp) {
  // Each lane has its number, so each warp's sum is 32 w * 32 + 496.
  const std::string body = "float x = t;\nfor (int m = 16; m > 0; m /= 2) x += shfl_xor(x, m);\n"
                           "stg(&C[t], x);";
  for (Schedule schedule : allSchedules) {
    std::vector<TestTensor> tensors = {TestTensor::vector(64), TestTensor::vector(64)};
    Report report = runSync(syncKernel(body), tensors, schedule);
    EXPECT_TRUE(report.ok()) << report.describeFindings("k");
    EXPECT_EQ(tensors[1].data[7], 496.0f);
    EXPECT_EQ(tensors[1].data[40], 32 * 32 + 496.0f);
  }
}

TEST(Shuffle, OrdersNoMemory) {
  Report report = runSync(syncKernel("SHARED(float, s, 64); sts(&s[t], 1.0f); shfl_xor(1, 1);\n"
                                     "lds(&s[t ^ 1]);"));
  EXPECT_TRUE(hasFinding(report, FindingKind::SharedRace, bodyLine + 1));
}

TEST(Shuffle, MissingLanes) {
  Report report = runSync(syncKernel("stg(&C[t], shfl_xor(1.0f, 1));", 48));
  EXPECT_TRUE(
      hasFinding(report, FindingKind::Shuffle, bodyLine, "warp 1 of block 0 has 16 threads"));
}

TEST(Shuffle, AtTwoLines) {
  Report report = runSync(syncKernel("if (t % 2) shfl_xor(1, 1);\nelse shfl_xor(1, 1);"));
  EXPECT_TRUE(hasFinding(report, FindingKind::Shuffle, bodyLine, "other lanes of its warp"));
}

TEST(Deadlock, ShuffleAgainstBarrier) {
  Report report = runSync(syncKernel("if (t < 16) shfl_xor(1, 1);\nelse sync_block();"));
  EXPECT_TRUE(
      hasFinding(report, FindingKind::Deadlock, bodyLine,
                 "threads 0-15 at line 3 in shfl_xor; threads 16-63 at line 4 in sync_block"));
}

TEST(Deadlock, ShuffleWithoutLanesThatEnded) {
  // Thread 3, and all of the other warp after its shuffle.
  Report report = runSync(syncKernel("if (t == 3) return;\nshfl_xor(1, 1);"));
  EXPECT_TRUE(hasFinding(report, FindingKind::Deadlock, bodyLine + 1, "33 threads have ended"));
}

//===----------------------------------------------------------------------===//
// Asynchronous copies
//===----------------------------------------------------------------------===//

TEST(AsyncCopy, LandsAtItsWait) {
  const std::string right =
      "SHARED(float, s, 64); cp_async<1>(s, t, &A[t], t != 9); cp_async_commit();\n"
      "cp_async_wait<0>();\nsync_block();\nstg(&C[t], lds(&s[t ^ 1]));";
  for (Schedule schedule : allSchedules) {
    std::vector<TestTensor> tensors = {TestTensor::vector(64), TestTensor::vector(64)};
    Report report = runSync(syncKernel(right), tensors, schedule);
    EXPECT_TRUE(report.ok()) << report.describeFindings("k");
    EXPECT_EQ(tensors[1].data[8], 0.0f);
    EXPECT_EQ(tensors[1].data[4], tensors[0].data[5]);

    // Without the wait nothing has come; without the barrier only one's own.
    std::vector<TestTensor> late = {TestTensor::vector(64), TestTensor::vector(64)};
    Report noWait = runSync(syncKernel(replaced(right, "cp_async_wait<0>()", "")), late, schedule);
    EXPECT_TRUE(
        hasFinding(noWait, FindingKind::MissingWait, bodyLine + 3, "line 3 is still on its way"));
    EXPECT_NE(late[1].data[4], late[1].data[4]) << "not NaN";
    EXPECT_FALSE(runSync(syncKernel(replaced(right, "sync_block()", "")), schedule).ok());
  }
}

TEST(AsyncCopy, GroupsLandInOrder) {
  // Two groups; a wait that leaves one on its way covers the first only.
  const std::string body =
      "SHARED(float, s, 128); cp_async<1>(s, t, &A[t], true); cp_async_commit();\n"
      "cp_async<1>(s, 64 + t, &A[t], true); cp_async_commit();\n"
      "cp_async_wait<1>();\nstg(&C[t], lds(&s[PLACE]));";
  EXPECT_TRUE(runSync(syncKernel(replaced(body, "PLACE", "t"))).ok());
  EXPECT_TRUE(hasFinding(runSync(syncKernel(replaced(body, "PLACE", "64 + t"))),
                         FindingKind::MissingWait, bodyLine + 3, "line 4"));
}

TEST(AsyncCopy, OverwrittenOnItsWay) {
  Report report = runSync(syncKernel("SHARED(float, s, 64); cp_async<1>(s, t, &A[t], true);\n"
                                     "sts(&s[t], 1.0f);"));
  EXPECT_TRUE(hasFinding(report, FindingKind::MissingWait, bodyLine + 1,
                         "thread 0 of block 0 writes s[0]"));
}

TEST(AsyncCopy, BarrierInPlaceOfAWait) {
  Report report = runSync(syncKernel("SHARED(float, s, 64); cp_async<1>(s, t, &A[t], true);\n"
                                     "cp_async_commit(); sync_block();\nlds(&s[t]);"));
  EXPECT_TRUE(hasFinding(report, FindingKind::MissingWait, bodyLine + 2));
}

TEST(AsyncCopy, Misaligned) {
  Report report =
      runSync(syncKernel("SHARED(float, s, 260); cp_async<4>(s, t * 4 + 1, &A[0], true);"));
  EXPECT_TRUE(hasFinding(report, FindingKind::Misaligned, bodyLine, "writes 16 bytes at s[1]"));
  // An address counts where nothing is read, but it may lie anywhere.
  report = runSync(syncKernel("SHARED(float, s, 256); cp_async<4>(s, t * 4, &A[1], false);"));
  EXPECT_TRUE(hasFinding(report, FindingKind::Misaligned, bodyLine, "reads 16 bytes at A[1]"));
  report = runSync(syncKernel("SHARED(float, s, 256); cp_async<4>(s, t * 4, &A[1000], false);"));
  EXPECT_TRUE(report.ok()) << report.describeFindings("k");
}

} // namespace
} // namespace tilec::emulator::test
