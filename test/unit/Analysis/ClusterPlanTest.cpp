//===- ClusterPlanTest.cpp - What blocks of a cluster share -----*- C++ -*-===//
//
// Ranks and slices, worked by hand.
//
//===----------------------------------------------------------------------===//

#include "tilec/Analysis/ClusterPlan.h"
#include "Nests.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::analysis;
using namespace tilec::test;

namespace {

/// What a kernel stages in shared memory, in its order.
SmallVector<tile::StageOp> stagesOf(tile::KernelOp kernel) {
  SmallVector<tile::StageOp> stages;
  kernel.walk<WalkOrder::PreOrder>([&](tile::StageOp stage) {
    if (tile::getLevel(stage.getTile().getType()) == tile::Level::SMEM)
      stages.push_back(stage);
  });
  return stages;
}

// Clusters of 3 x 2 blocks: rank = 2 * row + column. Blocks of a row read the same tile of A: ranks {0, 1}, shifted by
// 2 * row. Blocks of a column read the same tile of B: ranks {0, 2, 4}, bits 1 + 4 + 16, shifted by the column.
TEST(ClusterPlanTest, Sharers) {
  Context context;
  GemmSizes sizes;
  sizes.clusterM = 3;
  sizes.clusterN = 2;
  Nest nest = parse(context, gemmText(sizes));
  tile::ForOp blocks = getClusteredLoop(nest.kernel);
  ASSERT_TRUE(blocks);
  EXPECT_EQ(getClusterSize(blocks), 6);
  SmallVector<tile::StageOp> stages = stagesOf(nest.kernel);
  ASSERT_EQ(stages.size(), 2u);

  BlockGroup a = getSharers(blocks, stages[0]), b = getSharers(blocks, stages[1]);
  EXPECT_EQ(a.size(), 2);
  EXPECT_EQ(a.ranks(), 0b11);
  ASSERT_EQ(a.common.size(), 1u);
  EXPECT_EQ(a.common.front().stride, 2);
  EXPECT_EQ(b.size(), 3);
  EXPECT_EQ(b.ranks(), 0b10101);
  ASSERT_EQ(b.common.size(), 1u);
  EXPECT_EQ(b.common.front().stride, 1);

  // Through a neighbour in its row a block waits for those of the neighbour's column: for all six.
  BlockGroup both = getSharers(blocks, stages);
  EXPECT_EQ(both.size(), 6);
  EXPECT_EQ(both.ranks(), 0b111111);
  EXPECT_TRUE(both.common.empty());
}

TEST(ClusterPlanTest, NoCluster) {
  Context context;
  Nest nest = parse(context, gemmText({}));
  EXPECT_FALSE(getClusteredLoop(nest.kernel));
  BlockGroup alone = getSharers({}, stagesOf(nest.kernel));
  EXPECT_EQ(alone.size(), 1);
  EXPECT_EQ(alone.ranks(), 1);
}

} // namespace
