//===- RasterTest.cpp - Rasterization, occupancy and waves ------*- C++ -*-===//
//
// Published and hand-counted factors of sharing between blocks.
//
//===----------------------------------------------------------------------===//

#include "Nests.h"

#include "tilec/Analysis/GridLines.h"
#include "tilec/Analysis/Occupancy.h"
#include "tilec/Analysis/Raster.h"
#include "gtest/gtest.h"

#include <set>

using namespace mlir;
using namespace tilec;
using namespace tilec::analysis;
using namespace tilec::test;

namespace {

class RasterTest : public ::testing::Test {
protected:
  /// A GEMM of `rows` x `columns` blocks.
  RasterAnalysis analyze(GemmSizes s, int64_t rows, int64_t columns, RasterOrder order,
                         int64_t concurrent) {
    Nest nest = parse(context, gemmText(s));
    FailureOr<NestModel> model =
        NestModel::get(nest.kernel, {-1, -1, -1, rows * s.bm, columns * s.bn, 64});
    EXPECT_TRUE(succeeded(model));
    FailureOr<NestTraffic> whole = analyzeTraffic(*model, Edges::Whole);
    EXPECT_TRUE(succeeded(whole));
    std::optional<RasterAnalysis> raster = analyzeRaster(*model, *whole, order, concurrent);
    EXPECT_TRUE(raster.has_value());
    return *raster;
  }

  double firstWave(int64_t rows, int64_t columns, RasterOrder order, int64_t concurrent) {
    return analyze({}, rows, columns, order, concurrent).waves.front().factor();
  }

  Context context;
};

constexpr RasterOrder kRow{RasterOrder::Row}, kColumn{RasterOrder::Column},
    kDiagonal{RasterOrder::Diagonal};

constexpr RasterOrder grouped(int64_t rows) { return {RasterOrder::Grouped, rows}; }

constexpr RasterOrder boxes(int64_t rows, int64_t columns) { return {RasterOrder::Boxes, rows, columns}; }

// Rows and columns that a wave's consecutive blocks lie in, counted from the first and the last of them,
// against the tiles of each block: a block of 64x64 and k = 64 reads 16 KiB of A and of B.
TEST_F(RasterTest, CountsAsBlocksDo) {
  for (int64_t rows : {1, 2, 5, 7})
    for (int64_t columns : {1, 3, 6})
      for (const RasterOrder &order :
           {kRow, kColumn, kDiagonal, grouped(1), grouped(2), grouped(3), grouped(9), boxes(1, 1), boxes(2, 2),
            boxes(3, 2), boxes(1, 4), boxes(4, 3), boxes(9, 2), boxes(2, 9), boxes(9, 9)})
        for (int64_t concurrent : {1, 2, 4, 5, 8, 13, 50}) {
          std::vector<int64_t> counts = {rows, columns};
          int64_t different = 0;
          for (int64_t first = 0; first < rows * columns; first += concurrent) {
            std::set<std::pair<int, int64_t>> tiles;
            for (int64_t block = first; block < std::min(first + concurrent, rows * columns); ++block) {
              auto tile = tileOfBlock(order, block, counts);
              tiles.insert({0, tile[0]});
              tiles.insert({1, tile[1]});
            }
            different += static_cast<int64_t>(tiles.size());
          }
          EXPECT_EQ(analyze({}, rows, columns, order, concurrent).all.uniqueBytes, different * 16384)
              << rows << "x" << columns << " " << order.str() << " " << concurrent;
        }
}

// Places along any dimensions of grids of one to four, against those of each block.
TEST(GridLinesTest, CountsAsBlocksDo) {
  for (const std::vector<int64_t> &counts :
       std::vector<std::vector<int64_t>>{{5}, {3, 4}, {2, 3, 4}, {1, 3, 2}, {3, 1, 3}, {2, 2, 3, 2}, {3, 2, 1, 3}})
    for (const RasterOrder &order : {kRow, kColumn})
      for (unsigned chosen = 0; chosen < 1u << counts.size(); ++chosen) {
        SmallVector<unsigned> dims;
        for (unsigned dim = 0; dim < counts.size(); ++dim)
          if (chosen >> dim & 1)
            dims.push_back(dim);
        int64_t all = llvm::product_of(counts);
        for (int64_t first = 0; first < all; ++first) {
          std::set<std::vector<int64_t>> places;
          for (int64_t block = first; block < all; ++block) {
            auto tile = tileOfBlock(order, block, counts);
            std::vector<int64_t> place;
            for (unsigned dim : dims)
              place.push_back(tile[dim]);
            places.insert(place);
            EXPECT_EQ(countLines(order, counts, dims, first, block - first + 1), static_cast<int64_t>(places.size()));
          }
        }
      }
}

// 1024 x 1024 blocks, 132 at a time: of 7944 waves 512 are looked at. Rows of 1024 blocks: a wave reads
// 132 columns and a row, or two where it crosses an edge, which 131 of 1024 starts do.
TEST_F(RasterTest, LargeGridsAreSampled) {
  Wave all = analyze({}, 1024, 1024, kRow, 132).all;
  EXPECT_EQ(all.blocks, 1024 * 1024);
  EXPECT_NEAR(all.factor(), 2 * 132 / (132 + 1 + 131.0 / 1024), 0.02);
}

// (formula 16) 4 blocks of a 4x4 grid request 4 + 4 tiles. As 2x2 they read 2 + 2 different ones,
// in a row 1 + 4, on the diagonal 4 + 4.
TEST_F(RasterTest, FourBlocksOfAGrid) {
  EXPECT_DOUBLE_EQ(firstWave(4, 4, boxes(2, 2), 4), 2.0);
  EXPECT_DOUBLE_EQ(firstWave(4, 4, grouped(2), 4), 2.0);
  EXPECT_DOUBLE_EQ(firstWave(4, 4, kRow, 4), 1.6);
  EXPECT_DOUBLE_EQ(firstWave(4, 4, kColumn, 4), 1.6);
  EXPECT_DOUBLE_EQ(firstWave(4, 4, kDiagonal, 4), 1.0);
}

// 9 of 9x9 blocks request 81 + 81 blocks of 1/9 of k each; a row reads 9 + 81 different ones, 3x3
// blocks 27 + 27.
TEST_F(RasterTest, NineBlocksOfAGrid) {
  EXPECT_DOUBLE_EQ(firstWave(9, 9, kRow, 9), 162.0 / 90.0);
  EXPECT_DOUBLE_EQ(firstWave(9, 9, grouped(3), 9), 162.0 / 54.0);
}

// The first wave of a 32x32 grid. 132 blocks in rows: 4 whole rows and 4 blocks, 5 + 32 tiles: 264
// / 37 = 7.135. Bands of 4: 4 + 32 and one more row band: 33 columns would be needed, so 132 = 128
// + 4: 8 + 32 tiles, 6.6. Bands of 8: 16.5 columns, 8 + 17: 10.56. Bands of 16: 8.25 columns, 16 +
// 9: 10.56.
TEST_F(RasterTest, FirstWaveOf132And108Blocks) {
  EXPECT_NEAR(firstWave(32, 32, kRow, 132), 7.135, 5e-4);
  EXPECT_NEAR(firstWave(32, 32, grouped(4), 132), 6.6, 5e-4);
  EXPECT_NEAR(firstWave(32, 32, grouped(8), 132), 10.56, 5e-4);
  EXPECT_NEAR(firstWave(32, 32, grouped(16), 132), 10.56, 5e-4);
  // 108 blocks: 4 + 32, 4 + 27, 8 + 14 and 16 + 7 tiles for 216.
  EXPECT_NEAR(firstWave(32, 32, kRow, 108), 6.0, 5e-4);
  EXPECT_NEAR(firstWave(32, 32, grouped(4), 108), 6.968, 5e-4);
  EXPECT_NEAR(firstWave(32, 32, grouped(8), 108), 9.818, 5e-4);
  EXPECT_NEAR(firstWave(32, 32, grouped(16), 108), 9.391, 5e-4);
}

// Two blocks of 128 x 256 that share the side of 256 read 2*128 + 256 instead of 2*128 + 2*256
// rows: 768 / 512 = 1.5; sharing the side of 128, 768 / (128 + 512) = 1.2; square blocks 4 / 3.
TEST_F(RasterTest, RectangularBlocks) {
  GemmSizes s;
  s.bm = 128;
  s.bn = 256;
  s.tm = s.tn = 8;
  EXPECT_DOUBLE_EQ(analyze(s, 2, 2, kColumn, 2).waves.front().factor(), 1.5);
  EXPECT_DOUBLE_EQ(analyze(s, 2, 2, kRow, 2).waves.front().factor(), 1.2);
  EXPECT_DOUBLE_EQ(firstWave(2, 2, kRow, 2), 4.0 / 3.0);
}

// 10 blocks in waves of 4: 4, 4 and 2. In a 2x5 grid by rows the last wave is (1, 3), (1, 4): 2 + 2
// requested, 1 + 2 different.
TEST_F(RasterTest, LastWave) {
  RasterAnalysis raster = analyze({}, 2, 5, kRow, 4);
  ASSERT_EQ(raster.waves.size(), 3u);
  EXPECT_EQ(raster.waves[2].blocks, 2);
  EXPECT_DOUBLE_EQ(raster.waves[2].factor(), 4.0 / 3.0);
  // Wave 2 is (0, 4), (1, 0), (1, 1), (1, 2): 2 + 4 different tiles; in all 20 requested, 1 + 4, 2
  // + 4 and 1 + 2 different.
  EXPECT_DOUBLE_EQ(raster.waves[1].factor(), 8.0 / 6.0);
  EXPECT_DOUBLE_EQ(raster.all.factor(), 20.0 / 14.0);
}

// Each order takes each tile once, also where bands and boxes do not divide the grid.
TEST_F(RasterTest, OrdersArePermutations) {
  for (const RasterOrder &order :
       {kRow, kColumn, kDiagonal, grouped(3), boxes(3, 2)}) {
    std::set<std::pair<int64_t, int64_t>> tiles;
    for (int64_t block = 0; block < 7 * 5; ++block) {
      auto tile = tileOfBlock(order, block, {7, 5});
      EXPECT_TRUE(tile[0] >= 0 && tile[0] < 7 && tile[1] >= 0 && tile[1] < 5) << order.str();
      tiles.insert({tile[0], tile[1]});
    }
    EXPECT_EQ(tiles.size(), 35u) << order.str();
  }
}

// (formula 17) A100: 167936 B of shared memory an SM, 1024 of them reserved for each block; 65536
// registers, 2048 threads, 32 blocks.
TEST(Occupancy, EachLimit) {
  MachineSpec sm80 = machine("sm80");
  // 256 threads: 2048 / 256 = 8.
  Occupancy byThreads = findOccupancy(sm80, 0, 256, 32);
  EXPECT_EQ(byThreads.blocksPerSM, 8);
  EXPECT_EQ(byThreads.limitedBy, "threads");
  // 49152 + 1024 = 50176 B: 3 blocks.
  EXPECT_EQ(findOccupancy(sm80, 49152, 256, 32).blocksPerSM, 3);
  EXPECT_EQ(findOccupancy(sm80, 166912, 256, 32).blocksPerSM, 1);
  EXPECT_EQ(findOccupancy(sm80, 166913, 256, 32).blocksPerSM, 0);
  // 208 registers * 32 = 6656 a warp; 16384 of a scheduler hold 2, four schedulers 8 warps: one
  // block of 8.
  Occupancy byRegisters = findOccupancy(sm80, 0, 256, 208);
  EXPECT_EQ(byRegisters.blocksPerSM, 1);
  EXPECT_EQ(byRegisters.limitedBy, "registers");
  EXPECT_EQ(findOccupancy(sm80, 0, 32, 16).blocksPerSM, 32);
}

// (formula 18) 4096^2 in tiles of 256x128 are 512 blocks; on 132 SMs 3.88 waves, 97.0 % of 4. With
// two blocks an SM the waves are half as many, the SM with most still has 4.
TEST(Occupancy, Tail) {
  EXPECT_NEAR(findTail(512, 132, 1).waves, 3.879, 5e-4);
  EXPECT_NEAR(findTail(512, 132, 1).efficiency, 0.970, 5e-4);
  EXPECT_NEAR(findTail(512, 132, 2).waves, 1.939, 5e-4);
  EXPECT_NEAR(findTail(512, 132, 2).efficiency, 0.970, 5e-4);
  EXPECT_DOUBLE_EQ(findTail(0, 132, 1).efficiency, 1);
}

} // namespace
