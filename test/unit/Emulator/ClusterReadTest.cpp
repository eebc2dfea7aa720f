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
  const std::string text = sumKernel().text;
  for (Schedule schedule : allSchedules) {
    Report report = runChanged("  }\n  cluster_sync();\n  if (rank == 0) {", "  }\n  sync_block();\n  if (rank == 0) {", schedule);
    EXPECT_FALSE(report.ok());
  }
  Report report = runChanged("  }\n  cluster_sync();\n  if (rank == 0) {", "  }\n  sync_block();\n  if (rank == 0) {");
  EXPECT_TRUE(hasFinding(report, FindingKind::SharedRace, lineOf(text, "lds_cluster"),
                         "reads of block 1 parts[0] of 128 elements, which thread 0 of block 1 wrote with nothing that orders the two"));
}

TEST(ClusterRead, NobodyWroteIt) {
  const std::string text = sumKernel().text;
  Report report = runChanged("rank != 0", "rank > 1");
  EXPECT_TRUE(hasFinding(report, FindingKind::UninitialisedShared, lineOf(text, "lds_cluster"),
                         "reads of block 1 parts[0] of 128 elements, which nobody wrote"));
}

TEST(ClusterRead, WrittenWhileItIsRead) {
  // All blocks leave their parts a second time, with no barrier behind the reads.
  Report report = runChanged("      stg(&C[block_x() / 4 * 128 + t * 4 + i], own[i]);\n  }\n",
                             "      stg(&C[block_x() / 4 * 128 + t * 4 + i], own[i]);\n  }\n"
                             "  sts_vector<4>(&parts[t * 4], &own[0]);\n");
  EXPECT_FALSE(report.ok());
}

TEST(ClusterRead, EndsBeforeItIsRead) {
  const std::string text = sumKernel().text;
  Report report = runChanged("  cluster_sync();\n}\n", "}\n");
  EXPECT_TRUE(hasFinding(report, FindingKind::Barrier, lineOf(text, "lds_cluster"),
                         "reads its shared memory; a cluster_sync before the end is missing"));
}

TEST(ClusterRead, BlockOutsideOfTheCluster) {
  const std::string text = sumKernel().text;
  Report report = runChanged("from < 4", "from < 5");
  EXPECT_TRUE(hasFinding(report, FindingKind::OutOfBounds, lineOf(text, "lds_cluster"),
                         "reads shared memory of block 4 of a cluster of 4"));
}

TEST(ClusterRead, ElementOutsideOfTheArray) {
  const std::string text = sumKernel().text;
  Report report = runChanged("&parts[t * 4], from", "&parts[t * 4 + 4], from");
  EXPECT_TRUE(hasFinding(report, FindingKind::OutOfBounds, lineOf(text, "lds_cluster"), "parts[128]"));
  report = runChanged("&parts[t * 4], from", "&parts[t * 4 + 2], from");
  EXPECT_TRUE(hasFinding(report, FindingKind::Misaligned, lineOf(text, "lds_cluster")));
}

} // namespace
} // namespace tilec::emulator::test
