//===- ClusterReduceTest.cpp - Sums over blocks of a cluster ----*- C++ -*-===//
//
// What the blocks of a cluster exchange, worked by hand (formula 36).
//
//===----------------------------------------------------------------------===//

#include "tilec/Analysis/ClusterReduce.h"
#include "Nests.h"
#include "tilec/Analysis/Capacity.h"
#include "tilec/Analysis/SharedPlan.h"
#include "tilec/Report/BuildRecord.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::analysis;
using namespace tilec::test;

namespace {

class ClusterReduceTest : public ::testing::Test {
protected:
  NestModel model(int64_t m, int64_t n, int64_t k, const std::string &text) {
    nest = parse(context, text);
    FailureOr<NestModel> model = NestModel::get(nest.kernel, {-1, -1, -1, m, n, k});
    EXPECT_TRUE(succeeded(model));
    return *model;
  }

  Context context;
  Nest nest;
  std::string example = exampleText("split_k_cluster.mlir");
};

// 64x64 tiles of clusters of 4: 130x130 has 3x3. Three blocks of each leave 64*64 floats: 9 * 3 * 16384 bytes, in whole
// wavefronts, and the first one reads them.
TEST_F(ClusterReduceTest, PartsOfAllButTheFirst) {
  NestModel gemm = model(130, 130, 100, example);
  std::vector<Transfer> parts = countExchange(gemm);
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0].access, AccessKind::Write);
  EXPECT_EQ(parts[0].to, tile::Level::SMEM);
  EXPECT_FALSE(parts[0].remote);
  EXPECT_EQ(parts[1].access, AccessKind::Read);
  EXPECT_EQ(parts[1].from, tile::Level::SMEM);
  EXPECT_TRUE(parts[1].remote);
  for (const Transfer &transfer : parts) {
    EXPECT_EQ(transfer.copies, 27);
    EXPECT_EQ(transfer.bytes(), 27 * 16384);
    EXPECT_EQ(transfer.portBytes, 27 * 16384);
    EXPECT_EQ(transfer.role, Role::Output);
  }
}

// 48 threads with 16 of 48x16 floats each: 4 runs of 16 bytes a lane, 8 lanes a wavefront. A whole warp takes 4, half of one 2: 6
// wavefronts of 128 bytes for each run, of one block but the first of one cluster.
TEST_F(ClusterReduceTest, PartsOfHalfAWarp) {
  NestModel sums = model(48, 16, 8, R"(
!G = memref<?x?xf32>
!c = memref<48x16xf32, #tile.level<rf>>
!p = memref<4x4xf32, #tile.level<rf>>
tile.kernel @sums(%A: !G[%M, %K], %B: !G[%K, %N], %C: !G[%M, %N], %M: index, %N: index, %K: index) {
  tile.for (%m, %n) in (%M, %N) by (48, 16) at dram on cluster {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%z) in (2) by (1) at dram on block reduce(add) {
      tile.for (%i, %j) in (48, 16) by (4, 4) at rf on thread {
        %p = tile.part %c[%i, %j] : !c to !p
        %one = tile.hold init(1.0 : f32) : !p
        linalg.add ins(%one, %p : !p, !p) outs(%p : !p)
      }
    }
    tile.store %c to %C[%m, %n] : !c to !G
  }
})");
  EXPECT_EQ(sums.threadsPerBlock(), 48);
  for (const Transfer &transfer : countExchange(sums)) {
    EXPECT_EQ(transfer.bytes(), 48 * 16 * 4);
    EXPECT_EQ(transfer.portBytes, 4 * 6 * 128);
  }
}

// Three slots of (64 rows of 68 less 4, and 64x16) floats, each array from a multiple of 128 bytes on, and the part, 64 floats
// of each of 64 threads: 13056 for 3 * 4336 = 13008, 3 * 4096, and 16384.
TEST_F(ClusterReduceTest, PartsTakeSharedMemory) {
  NestModel gemm = model(130, 130, 100, example);
  SharedPlan plan = planShared(gemm);
  ASSERT_EQ(plan.arrays.size(), 3u);
  EXPECT_EQ(plan.arrays[2].use, SharedUse::Parts);
  EXPECT_EQ(plan.arrays[2].offset, 13056 + 3 * 4096);
  EXPECT_EQ(plan.arrays[2].bytes(), 16384);
  EXPECT_EQ(countResources(gemm).smemBytes, 13056 + 3 * 4096 + 16384);
}

// The inputs are read once by each cluster, as by one block without: each tile of A for each of 3 columns, 4 * 130 * 100 * 3.
// C is written once, 4 * 130 * 130, where split_k.mlir adds to it once for each part.
TEST_F(ClusterReduceTest, OperandsMoveAsWithoutCluster) {
  NestModel gemm = model(130, 130, 100, example);
  FailureOr<NestTraffic> traffic = analyzeTraffic(gemm);
  ASSERT_TRUE(succeeded(traffic));
  for (const Transfer &transfer : traffic->transfers) {
    if (transfer.name == "A" && transfer.from == tile::Level::DRAM) {
      EXPECT_EQ(transfer.bytes(), 4 * 130 * 100 * 3);
    }
    if (transfer.name == "C") {
      EXPECT_EQ(transfer.access, AccessKind::Write);
      EXPECT_EQ(transfer.bytes(), 4 * 130 * 130);
    }
  }
}

TEST_F(ClusterReduceTest, OneBlockExchangesNothing) {
  std::string text = example;
  text.replace(text.find("(%ks) in (64)"), 13, "(%ks) in (16)");
  NestModel gemm = model(130, 130, 100, text);
  EXPECT_FALSE(getReducingLoop(gemm));
  EXPECT_TRUE(countExchange(gemm).empty());
  EXPECT_EQ(planShared(gemm).arrays.size(), 2u);
}

// A thread moves up to 16 bytes at once: 4 of 16 floats, 1 of 3, 8 of 8 halves, 2 of 6 bytes.
TEST(ExchangeWidth, DividesAThreadsShare) {
  EXPECT_EQ(getExchangeWidth(16, 4), 4);
  EXPECT_EQ(getExchangeWidth(3, 4), 1);
  EXPECT_EQ(getExchangeWidth(8, 2), 8);
  EXPECT_EQ(getExchangeWidth(6, 1), 2);
}

// (36) On a machine whose cluster barrier takes 1000 cycles and whose SMs read 16 B a cycle from each other after 200: the
// first block waits 2 * 1000 + 3 * (200 + 16384 / 16) cycles more than on one where nothing is known. One cluster, so no
// other block hides it.
TEST_F(ClusterReduceTest, FirstBlockWaits) {
  auto waits = [&](const std::string &costs) {
    MachineSpec spec = machineFromText("inherit: h100-sxm\nname: test\n" + costs);
    nest = parse(context, example);
    FailureOr<report::Analyses> analyses = report::analyzeKernel(nest.kernel, {-1, -1, -1, 64, 64, 4096}, spec);
    EXPECT_TRUE(succeeded(analyses));
    for (const ResourceTime &time : analyses->prediction.times)
      if (time.resource == "latency")
        return time.cycles;
    return -1.0;
  };
  double known = waits("costs:\n"
                       "  cluster_barrier: {value: 1000, unit: cycles, source: test}\n"
                       "  dsmem_latency: {value: 200, unit: cycles, source: test}\n"
                       "  dsmem_bandwidth: {value: 16, unit: B/cycle/SM, source: test}\n");
  double free = waits("costs:\n"
                      "  cluster_barrier: {value: 1, unit: cycles, source: test}\n"
                      "  dsmem_latency: {value: 1, unit: cycles, source: test}\n"
                      "  dsmem_bandwidth: {value: 16384, unit: B/cycle/SM, source: test}\n");
  EXPECT_NEAR(known - free, 2 * 999 + 3 * (199 + 1024 - 1), 1);
}

} // namespace
