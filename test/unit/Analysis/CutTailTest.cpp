//===- CutTailTest.cpp - Parts of cut tiles, by hand ------------*- C++ -*-===//
//
// Shares of the last wave, what passes through the workspace, and how even it is.
//
//===----------------------------------------------------------------------===//

#include "Nests.h"

#include "tilec/Analysis/CutTail.h"
#include "tilec/Analysis/Raster.h"
#include "tilec/Report/BuildRecord.h"
#include "gtest/gtest.h"

#include <regex>

using namespace mlir;
using namespace tilec;
using namespace tilec::analysis;
using namespace tilec::test;

namespace {

// 128x128 tiles in steps of 16 along k; 256 threads hold 64 floats each: 65536 bytes a part.
class CutTailTest : public ::testing::Test {
protected:
  NestModel model(int64_t m, int64_t n, int64_t k, const char *example = "persistent.mlir", const char *clause = "tail(cut, 16, 16, 1)") {
    nest = parse(context, std::regex_replace(exampleText(example), std::regex(R"(tail\(cut[^)]*\))"), clause));
    FailureOr<NestModel> model = NestModel::get(nest.kernel, {-1, -1, -1, m, n, k});
    EXPECT_TRUE(succeeded(model));
    return *model;
  }
  CutTail find(int64_t m, int64_t n, int64_t k, int64_t resident) {
    std::optional<CutTail> tail = findCutTail(model(m, n, k), resident);
    EXPECT_TRUE(tail.has_value());
    return *tail;
  }

  Context context;
  Nest nest;
};

constexpr int64_t kPartBytes = 65536;

// 9 tiles of 5 steps on 5 blocks: 4 tiles are cut, 20 steps in shares from 0, 4, 8, 12 and 16 on. The
// tiles, [0, 5), [5, 10), [10, 15) and [15, 20), have two blocks each.
TEST_F(CutTailTest, SharesTouchTwoTilesAtMost) {
  CutTail tail = find(384, 384, 80, 5);
  EXPECT_EQ(tail.blocks, 5);
  EXPECT_EQ(tail.cutTiles, 4);
  EXPECT_EQ(tail.steps, 5);
  EXPECT_EQ(tail.parts, 8);
  EXPECT_EQ(tail.partedTiles, 4);
  // A share is 4 steps; each block has a whole tile as well.
  EXPECT_EQ(tail.mostSteps, 9);
  // 4 + 5 - 1 slots, and a counter for each cut tile.
  EXPECT_EQ(tail.workspaceBytes, 8 * kPartBytes + 4 * 4);
  ASSERT_EQ(tail.transfers.size(), 3u);
  EXPECT_EQ(tail.transfers[0].name, "sum0_parts");
  EXPECT_EQ(tail.transfers[0].access, AccessKind::Write);
  EXPECT_EQ(tail.transfers[0].bytes(), 8 * kPartBytes);
  EXPECT_EQ(tail.transfers[1].access, AccessKind::Read);
  EXPECT_EQ(tail.transfers[1].bytes(), 8 * kPartBytes);
  // Eight parts count themselves, four tiles' last ones count back.
  EXPECT_EQ(tail.transfers[2].name, "parts_done");
  EXPECT_EQ(tail.transfers[2].bytes(), 12 * 4);
}

// (formula 28) 20 steps a tile: 80 steps of cut tiles are 16 a block, 36 with the whole tile. 180 steps in
// all on 5 SMs: every SM is busy to the end, where 9 uncut tiles keep 5 SMs busy for 9 / 10 of the time.
TEST_F(CutTailTest, EvensTheLastWaveOut) {
  CutTail tail = find(384, 384, 320, 5);
  EXPECT_EQ(tail.parts, 8);
  EXPECT_EQ(tail.mostSteps, 36);
  EXPECT_DOUBLE_EQ(tail.efficiency(5), 1.0);
  // 9 blocks with a tile each: one of 8 SMs has two of them.
  EXPECT_DOUBLE_EQ(find(384, 384, 320, 9).efficiency(8), 180.0 / 320);
}

// 3x3 tiles of 256x256 for clusters of two blocks, 6 steps each, on 5 blocks, which hold 2 clusters: 4 tiles each, and 3
// steps each of one, which is a tile for each of the two blocks. 256 threads hold 128 floats each.
TEST_F(CutTailTest, ClustersShareTilesOfClusters) {
  std::optional<CutTail> tail = findCutTail(model(768, 768, 384, "fast/s2_cluster.mlir"), 5);
  ASSERT_TRUE(tail.has_value());
  EXPECT_EQ(tail->blocks, 4);
  EXPECT_EQ(tail->tiles, 18);
  EXPECT_EQ(tail->cutTiles, 2);
  EXPECT_EQ(tail->parts, 4);
  EXPECT_EQ(tail->partedTiles, 2);
  EXPECT_EQ(tail->mostSteps, 27);
  EXPECT_DOUBLE_EQ(tail->efficiency(4), 1.0);
  // 1 + 2 - 1 slots for each of the two blocks.
  EXPECT_EQ(tail->workspaceBytes, 4 * 131072 + 2 * 4);
  EXPECT_EQ(tail->transfers[0].bytes(), 4 * 131072);
}

// 4 tiles of 20 steps on 10 blocks: 8 steps each. Tiles of 20 are shared by the blocks {0,1,2}, {2,3,4},
// {5,6,7}, {7,8,9}.
TEST_F(CutTailTest, FewerTilesThanBlocks) {
  CutTail tail = find(256, 256, 320, 10);
  EXPECT_EQ(tail.blocks, 10);
  EXPECT_EQ(tail.cutTiles, 4);
  EXPECT_EQ(tail.parts, 12);
  EXPECT_EQ(tail.mostSteps, 8);
  EXPECT_DOUBLE_EQ(tail.efficiency(10), 1.0);
}

// 2 tiles of 4 steps on 5 blocks: shares from 0, 1, 3, 4 and 6 on, so tile 0 has three parts and tile 1 two, in slots 0, 1, 2
// and 4, 5. 6 threads hold a float each: slots of 24 bytes, which begin 0, 24, 16, 0 and 24 bytes into a sector and touch
// 1, 2, 2, 1 and 2 of them.
TEST_F(CutTailTest, PartsOfFewThreadsShareSectors) {
  nest = parse(context, R"mlir(
    tile.kernel @rows(%X: memref<?x?xf32>[%M, %K], %Y: memref<?xf32>[%M], %M: index, %K: index) {
      tile.for (%m0) in (%M) by (6) at dram on block persistent {
        %y = tile.hold init(0.0 : f32) : memref<6xf32, #tile.level<rf>>
        tile.for (%k) in (%K) by (1) at dram tail(cut, 16, 16, 1) {
          tile.for (%m1) in (6) by (1) at dram on thread {
            %x = tile.stage %X[%m0 + %m1, %k] : memref<?x?xf32> to memref<1x1xf32, #tile.level<rf>>
            %q = tile.part %y[%m1] : memref<6xf32, #tile.level<rf>> to memref<1xf32, #tile.level<rf>>
            linalg.reduce {arith.addf} ins(%x : memref<1x1xf32, #tile.level<rf>>) outs(%q : memref<1xf32, #tile.level<rf>>)
                dimensions = [1]
          }
        }
        tile.store %y to %Y[%m0] : memref<6xf32, #tile.level<rf>> to memref<?xf32>
      }
    })mlir",
               {"X", "Y", "M", "K"});
  FailureOr<NestModel> rows = NestModel::get(nest.kernel, {-1, -1, 12, 4});
  ASSERT_TRUE(succeeded(rows));
  std::optional<CutTail> tail = findCutTail(*rows, 5);
  ASSERT_TRUE(tail.has_value());
  EXPECT_EQ(tail->parts, 5);
  for (const Transfer &transfer : ArrayRef(tail->transfers).take_front(2)) {
    EXPECT_EQ(transfer.bytes(), 5 * 24);
    EXPECT_EQ(transfer.portBytes, 8 * 32);
  }
}

TEST_F(CutTailTest, WholeWavesAndNoSteps) {
  CutTail whole = find(640, 256, 320, 5);
  EXPECT_EQ(whole.blocks, 10);
  EXPECT_EQ(whole.cutTiles, 0);
  EXPECT_EQ(whole.parts, 0);
  EXPECT_EQ(whole.mostSteps, 20);
  EXPECT_EQ(whole.workspaceBytes, 0);
  // Without a step along k there is still a tile to store: one block each.
  CutTail none = find(256, 256, 0, 10);
  EXPECT_EQ(none.blocks, 4);
  EXPECT_EQ(none.parts, 0);
  EXPECT_FALSE(findCutTail(model(0, 256, 320), 5).has_value());
}

// 17 blocks for 4 tiles: one stays idle, for shares that end where tiles do. 16 of 5 steps, four to a tile.
TEST_F(CutTailTest, FewSpareBlocksStayIdle) {
  CutTail tail = find(256, 256, 320, 17);
  EXPECT_EQ(tail.blocks, 17);
  EXPECT_EQ(tail.parts, 16);
  EXPECT_EQ(tail.partedTiles, 4);
  EXPECT_EQ(tail.mostSteps, 5);
  EXPECT_EQ(tail.workspaceBytes, (4 + 16 - 1) * kPartBytes + 4 * 4);
  // 14 blocks: two would be idle, more than one in 16. 80 steps in shares of 6 at most.
  EXPECT_EQ(find(256, 256, 320, 14).mostSteps, 6);
}

// A step stages 128x16 and 16x128 floats, 16384 bytes, and a part has 65536: 4 steps. 9 tiles on 5 blocks leave one block idle for a
// tile: of 20 steps that is 20 / 5 = 4 a block, of 19 less.
TEST_F(CutTailTest, SavesTheStepsThatAPartTakes) {
  NestModel enough = model(384, 384, 320, "persistent.mlir", "tail(cut)");
  EXPECT_EQ(findCutTail(enough, 5)->worth.steps, 4);
  EXPECT_EQ(findCutTail(enough, 5)->cutTiles, 4);
  NestModel few = model(384, 384, 304, "persistent.mlir", "tail(cut)");
  EXPECT_EQ(findCutTail(few, 5)->cutTiles, 0);
  EXPECT_EQ(findCutTail(few, 5)->blocks, 9);
}

// 35 tiles on 9 blocks: four waves hold 36, so a cut would save less than a 16th. On 10 blocks they hold 40.
TEST_F(CutTailTest, NearlyFullWavesAreNotCut) {
  CutTail full = find(640, 896, 64, 9);
  EXPECT_EQ(full.blocks, 35);
  EXPECT_EQ(full.cutTiles, 0);
  EXPECT_EQ(full.mostSteps, 4);
  EXPECT_EQ(find(640, 896, 64, 10).cutTiles, 5);
}

// The cut tiles are a wave of their own, the first: 4 tiles, then 5.
TEST_F(CutTailTest, CutTilesAreTheFirstWave) {
  NestModel nine = model(384, 384, 64);
  FailureOr<NestTraffic> whole = analyzeTraffic(nine, Edges::Whole);
  ASSERT_TRUE(succeeded(whole));
  std::optional<RasterAnalysis> raster = analyzeRaster(nine, *whole, {RasterOrder::Row}, 5);
  ASSERT_TRUE(raster.has_value());
  ASSERT_EQ(raster->waves.size(), 2u);
  EXPECT_EQ(raster->waves[0].blocks, 4);
  EXPECT_EQ(raster->waves[1].blocks, 5);
}

// The prediction counts the workspace in L2, and the report lists it with the outputs.
TEST_F(CutTailTest, ReportSaysWhatPassesThroughTheWorkspace) {
  nest = parse(context, exampleText("persistent.mlir"));
  MachineSpec a100 = machine("sm80");
  auto analyses = report::analyzeKernel(nest.kernel, {-1, -1, -1, 4096, 3584, 4096}, a100, std::nullopt);
  ASSERT_TRUE(succeeded(analyses));
  const Prediction &prediction = analyses->prediction;
  ASSERT_TRUE(prediction.cutTail.has_value());
  const CutTail &tail = *prediction.cutTail;
  EXPECT_EQ(tail.blocks, 108 * prediction.occupancy.blocksPerSM);
  EXPECT_EQ(tail.cutTiles, 896 % tail.blocks);
  EXPECT_DOUBLE_EQ(prediction.tail.efficiency, tail.efficiency(108));
  // Inputs 2 * 4096 * 3584 * 4096 * 4 / 128, C once, parts there and back, counters twice.
  EXPECT_DOUBLE_EQ(prediction.l2Bytes, 2 * 1879048192.0 + 58720256.0 + 2.0 * tail.parts * kPartBytes +
                                           2.0 * 4 * (tail.parts + tail.partedTiles));
  report::KernelRecord record = report::buildRecord(*analyses, a100);
  EXPECT_EQ(record.resources.workspaceBytes, tail.workspaceBytes);
  std::vector<std::string> names;
  for (const report::OperandRecord &operand : record.stages.front().operands)
    names.push_back(operand.name + " " + operand.access);
  EXPECT_EQ(names, (std::vector<std::string>{"A read", "B read", "C write", "sum0_parts write",
                                             "sum0_parts read", "parts_done combine"}));
}

} // namespace
