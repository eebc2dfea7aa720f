//===- ClusterReadTest.cpp - Shared memory of other blocks ------*- C++ -*-===//
//
// A sum over the blocks of a cluster, and what is found when it is wrong.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

namespace tilec::emulator::test {
namespace {

const Schedule allSchedules[] = {Schedule::InOrder, Schedule::Reversed, Schedule::WarpAhead,
                                 Schedule::Random};

/// C[cluster][i] = the sum of A[block][i] over the four blocks of a cluster, 128 elements each.
Kernel sumKernel() {
  Kernel kernel;
  kernel.text = R"cuda(
extern "C" __global__ void __cluster_dims__(4, 1, 1) test(const float *A, float *C) {
  SHARED(float, parts, 128);
  const int t = thread_x(), rank = cluster_rank();
  float own[4];
  for (int i = 0; i < 4; ++i)
    own[i] = ldg(&A[block_x() * 128 + t * 4 + i]);
  if (rank != 0) {
    sts_vector<4>(&parts[t * 4], &own[0]);
  }
  cluster_sync();
  if (rank == 0) {
    for (int from = 1; from < 4; ++from) {
      float more[4];
      lds_cluster<4>(&more[0], &parts[t * 4], from);
      for (int i = 0; i < 4; ++i)
        own[i] += more[i];
    }
    for (int i = 0; i < 4; ++i)
      stg(&C[block_x() / 4 * 128 + t * 4 + i], own[i]);
  }
  cluster_sync();
}
)cuda";
  kernel.clusterBlocks = 4;
  kernel.blocks = 8;
  kernel.tensors = {"A", "C="};
  return kernel;
}

Report run(const Kernel &kernel, std::vector<TestTensor> &tensors, Schedule schedule = Schedule::InOrder) {
  RunOptions options;
  options.schedule = schedule;
  return launch(kernel, tensors, {}, {}, options);
}

Report runChanged(const std::string &from, const std::string &to, Schedule schedule = Schedule::InOrder) {
  Kernel kernel = sumKernel();
  kernel.text = replaced(kernel.text, from, to);
  std::vector<TestTensor> tensors = {TestTensor::vector(1024), TestTensor::vector(256)};
  return run(kernel, tensors, schedule);
}

/// Whether the kernel with `from` changed to `to` is found wrong where it reads the parts of other blocks.
::testing::AssertionResult findsInRead(const std::string &from, const std::string &to, FindingKind kind,
                                       const std::string &what = "") {
  return hasFinding(runChanged(from, to), kind, lineOf(sumKernel().text, "lds_cluster"), what);
}

TEST(ClusterRead, RightInEverySchedule) {
  for (Schedule schedule : allSchedules) {
    std::vector<TestTensor> tensors = {TestTensor::vector(1024), TestTensor::vector(256)};
    Report report = run(sumKernel(), tensors, schedule);
    EXPECT_TRUE(report.ok()) << report.describeFindings("sum.cu");
    for (int i = 0; i < 256; ++i) {
      float sum = 0;
      for (int rank = 0; rank < 4; ++rank)
        sum += tensors[0].data[i / 128 * 512 + rank * 128 + i % 128];
      EXPECT_EQ(tensors[1].data[i], sum);
    }
    // Two clusters, three parts each of 128 floats; a warp's 512 bytes are 4 wavefronts.
    EXPECT_EQ(report.findObject("parts")->bytesWritten, 2u * 3 * 128 * 4);
    EXPECT_EQ(report.findObject("parts")->bytesRead, 2u * 3 * 128 * 4);
    EXPECT_EQ(report.findObject("parts")->portBytesRead, 2u * 3 * 128 * 4);
  }
}

TEST(ClusterRead, ReadsBeforeTheClusterMeets) {
  const std::string from = "  }\n  cluster_sync();\n  if (rank == 0) {", to = "  }\n  sync_block();\n  if (rank == 0) {";
  for (Schedule schedule : allSchedules)
    EXPECT_FALSE(runChanged(from, to, schedule).ok());
  EXPECT_TRUE(findsInRead(from, to, FindingKind::SharedRace,
                          "reads of block 1 parts[0] of 128 elements, which thread 0 of block 1 wrote with nothing that orders the two"));
}

TEST(ClusterRead, NobodyWroteIt) {
  EXPECT_TRUE(findsInRead("rank != 0", "rank > 1", FindingKind::UninitialisedShared,
                          "reads of block 1 parts[0] of 128 elements, which nobody wrote"));
}

TEST(ClusterRead, WrittenWhileItIsRead) {
  // All blocks leave their parts a second time, with no barrier after the reads.
  Report report = runChanged("      stg(&C[block_x() / 4 * 128 + t * 4 + i], own[i]);\n  }\n",
                             "      stg(&C[block_x() / 4 * 128 + t * 4 + i], own[i]);\n  }\n"
                             "  sts_vector<4>(&parts[t * 4], &own[0]);\n");
  EXPECT_FALSE(report.ok());
}

TEST(ClusterRead, EndsBeforeItIsRead) {
  EXPECT_TRUE(findsInRead("  cluster_sync();\n}\n", "}\n", FindingKind::Barrier,
                          "reads its shared memory; a cluster_sync before the end is missing"));
}

TEST(ClusterRead, BlockOutsideOfTheCluster) {
  EXPECT_TRUE(findsInRead("from < 4", "from < 5", FindingKind::OutOfBounds, "reads shared memory of block 4 of a cluster of 4"));
}

TEST(ClusterRead, ElementOutsideOfTheArray) {
  EXPECT_TRUE(findsInRead("&parts[t * 4], from", "&parts[t * 4 + 4], from", FindingKind::OutOfBounds, "parts[128]"));
  EXPECT_TRUE(findsInRead("&parts[t * 4], from", "&parts[t * 4 + 2], from", FindingKind::Misaligned));
}

} // namespace
} // namespace tilec::emulator::test
