//===- CacheReuseTest.cpp - What L2 still has -------------------*- C++ -*-===//
//
// Windows small enough to list their tiles.
//
//===----------------------------------------------------------------------===//

#include "Nests.h"

#include "tilec/Analysis/CacheReuse.h"
#include "gtest/gtest.h"

#include <cmath>

using namespace mlir;
using namespace tilec;
using namespace tilec::analysis;
using namespace tilec::test;

namespace {

constexpr double kTile = 64 * 64 * 4;

/// 4 x 4 blocks of 64x64 of a product with k = 64, each of which reads one tile of A, one of B and stores one of C, 4 at a time, `inStep` of them at one step, with
/// `tiles` of room in L2.
class CacheReuseTest : public ::testing::Test {
protected:
  CacheReuse find(double tiles, RasterOrder order = {RasterOrder::Row}, double inStep = 4) {
    Nest nest = parse(context, gemmText({}));
    FailureOr<NestModel> model = NestModel::get(nest.kernel, {-1, -1, -1, 256, 256, 64});
    EXPECT_TRUE(succeeded(model));
    FailureOr<NestTraffic> whole = analyzeTraffic(*model, Edges::Whole);
    EXPECT_TRUE(succeeded(whole));
    MachineSpec spec = machine("h100-sxm");
    spec.level(MemoryLevel::L2).capacity->value = std::llround(tiles * kTile / spec.timing.l2Share.value);
    std::optional<CacheReuse> reuse = findCacheReuse(*model, *whole, order, /*together=*/4, inStep, 16 * kTile, spec);
    EXPECT_TRUE(reuse.has_value());
    return reuse.value_or(CacheReuse());
  }

  Context context;
};

// (formula 19) S(4) = 1 of A + 4 of B = 5 tiles, S(8) = 6, S(16) = 8. Nothing outlives 4 blocks: 16 / 4 * 5 = 20 tiles. All does: 8.
TEST_F(CacheReuseTest, AllOrNothing) {
  EXPECT_NEAR(find(1).deliveredBytes, 20 * kTile, 0.001 * kTile);
  EXPECT_NEAR(find(1e4).deliveredBytes, 8 * kTile, 0.001 * kTile);
}

// After 4 blocks 4 tiles of B come again, 12 in all: D(4) = 5 + 12 * (6 - 5) / 4 = 8, and D(8) = 6 + 8 * (8 - 6) / 8 = 8, nothing comes again later. L2 has room for what
// 4 blocks touch, 5 + 1.9 * 4 = 12.6 tiles: odds of a half, 20 - 12 / 2.
TEST_F(CacheReuseTest, OddsOfAHalf) {
  EXPECT_NEAR(find(12.6).deliveredBytes, 14 * kTile, 0.01 * kTile);
}

// By columns it is the same of A; in bands of 2 rows windows of 4 blocks have 2 of A and 2 of B: 16 where nothing outlives them.
TEST_F(CacheReuseTest, Orders) {
  EXPECT_NEAR(find(1, {RasterOrder::Column}).deliveredBytes, 20 * kTile, 0.001 * kTile);
  EXPECT_NEAR(find(1, {RasterOrder::Grouped, 2}).deliveredBytes, 16 * kTile, 0.001 * kTile);
}

// Blocks that drift apart share less: two at one step, where L2 has no room for their 1 + 2 tiles, share 1: 16 / 2 * 3 = 24; one shares nothing: 16 * 2 = 32.
TEST_F(CacheReuseTest, BlocksDrift) {
  EXPECT_NEAR(find(0.5, {RasterOrder::Row}, 2).deliveredBytes, 24 * kTile, 0.001 * kTile);
  EXPECT_NEAR(find(0.5, {RasterOrder::Row}, 1).deliveredBytes, 32 * kTile, 0.001 * kTile);
  EXPECT_NEAR(find(0.5, {RasterOrder::Row}, 4).deliveredBytes, 20 * kTile, 0.001 * kTile);
}

// (formula 20) Of 16 tiles of results: all where L2 has room for 1.9 * 8 + 16 = 31.2; where it has room for 3, those of the blocks that end last, at most 0.6 of 3;
// where it has 1.9 * 5 + 4 + 4 = 17.5, those of the last 4 blocks and of the 4 before. Of each a twentieth leaves.
TEST_F(CacheReuseTest, KeptResults) {
  EXPECT_NEAR(find(31.3).keptBytes, 0.95 * 16 * kTile, 0.001 * kTile);
  EXPECT_NEAR(find(3).keptBytes, 0.95 * 1.8 * kTile, 0.001 * kTile);
  EXPECT_NEAR(find(17.51).keptBytes, 0.95 * 8 * kTile, 0.001 * kTile);
}

} // namespace
