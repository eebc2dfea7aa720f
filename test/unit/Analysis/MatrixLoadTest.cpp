//===- MatrixLoadTest.cpp - Register tiles loaded as matrices ----*- C++ -*-===//
//
// Which lane names which row, worked by hand.
//
//===----------------------------------------------------------------------===//

#include "tilec/Analysis/MatrixLoad.h"
#include "tilec/Layout/Instructions.h"
#include "tilec/Layout/Parse.h"
#include "tilec/Tile/LayoutDistribution.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::analysis;

namespace {

/// An operand of an instruction, repeated along its rows: "0,0 0,8" for the rows that lanes 0, 8, 16 and 24 name.
class Loads {
public:
  Loads(const char *threadValue, int64_t rows, int64_t columns) : held(*tile::getDistribution(*layout::parseLayout(threadValue), rows, columns)) {}

  std::optional<MatrixLoad> find(const char *smem, int64_t elementBytes, int64_t width, SmallVector<int64_t> divisors = {0, 0}) const {
    return getMatrixLoad(held, *layout::parseComposedLayout(smem), divisors, elementBytes, width);
  }

  tile::Distribution held;
};

std::string rowOf(const MatrixLoad &load, int64_t thread) {
  SmallVector<int64_t, 4> at = load.rows.getThreadCoordinates(thread);
  return std::to_string(at[0]) + "," + std::to_string(at[1]);
}

// A of m16n8k16, rows along k: lane t has words of rows t / 4 and t / 4 + 8 at k = 2 (t % 4), then the same at k + 8. So lanes 0 to 7
// name rows 0 to 7, the next 8 those 8 further down, and 16 to 31 the same from k = 8 on.
TEST(MatrixLoad, RowsAlongWhatALaneHolds) {
  const Loads a("((4,8),(2,2,2)):((32,1),(16,8,128))", 16, 16);
  std::optional<MatrixLoad> load = a.find("(16,16):(16,1)", 2, 8);
  ASSERT_TRUE(load);
  EXPECT_FALSE(load->transposes);
  EXPECT_EQ(load->count, 4);
  EXPECT_EQ(load->step, 1);
  EXPECT_EQ(rowOf(*load, 1), "1,0");
  EXPECT_EQ(rowOf(*load, 8), "8,0");
  EXPECT_EQ(rowOf(*load, 16), "0,8");
  EXPECT_EQ(rowOf(*load, 31), "15,8");
  EXPECT_EQ(load->rows.getLocalElements(), 1);
  // Two at a time: the second load has what is 8 further along k.
  load = a.find("(16,16):(16,1)", 2, 4);
  ASSERT_TRUE(load);
  EXPECT_EQ(load->count, 2);
  EXPECT_EQ(rowOf(*load, 15), "15,0");
  EXPECT_EQ(load->rows.getLocalShape(), SmallVector<int64_t>({2}));
}

// The same tile with m along the rows: lane t of a matrix names row k = t, 8 elements from m = 0 or 8 on.
TEST(MatrixLoad, RowsAcrossWhatALaneHolds) {
  const Loads a("((4,8),(2,2,2)):((32,1),(16,8,128))", 16, 16);
  std::optional<MatrixLoad> load = a.find("(16,16):(1,16)", 2, 8);
  ASSERT_TRUE(load);
  EXPECT_TRUE(load->transposes);
  EXPECT_EQ(rowOf(*load, 7), "0,7");
  EXPECT_EQ(rowOf(*load, 8), "8,0");
  EXPECT_EQ(rowOf(*load, 24), "8,8");
}

// B of four m16n8k16 beside each other has 2 matrices of each: loads of 4 walk the instructions in steps of 2.
TEST(MatrixLoad, OfTwoInstructions) {
  const Loads b("((4,8),(2,2,4)):((64,1),(32,256,8))", 32, 16);
  std::optional<MatrixLoad> load = b.find("Sw<1,3,3> o 0 o (32,16):(16,1)", 2, 8);
  ASSERT_TRUE(load);
  EXPECT_EQ(load->step, 2);
  EXPECT_EQ(load->rows.getLocalShape(), SmallVector<int64_t>({4}));
  EXPECT_EQ(rowOf(*load, 8), "0,8");
  EXPECT_EQ(rowOf(*load, 16), "8,0");
}

// 32 s8 along k are 16 pairs: rows of 16 bytes are moved as they are, but not turned.
TEST(MatrixLoad, OfBytes) {
  const Loads a("((4,8),(4,2,2)):((64,1),(16,8,256))", 16, 32);
  std::optional<MatrixLoad> load = a.find("(16,32):(32,1)", 1, 16);
  ASSERT_TRUE(load);
  EXPECT_EQ(rowOf(*load, 16), "0,16");
  EXPECT_FALSE(a.find("(16,32):(1,16)", 1, 16));
}

TEST(MatrixLoad, NoRows) {
  const Loads a("((4,8),(2,2,2)):((32,1),(16,8,128))", 16, 16);
  EXPECT_FALSE(a.find("(16,16):(18,1)", 2, 8));            // Rows begin at multiples of 36 bytes.
  EXPECT_FALSE(a.find("(16,16):(16,1)", 2, 8, {0, 4}));    // The tile may begin 8 bytes along a row.
  EXPECT_FALSE(a.find("Sw<1,2,3> o 0 o (16,16):(16,1)", 2, 8)); // Halves of 16 bytes change places.
  EXPECT_FALSE(a.find("(16,16):(16,1)", 2, 16));           // There are 4 matrices.
  const Loads c("((4,8),(2,2)):((32,1),(16,8))", 16, 8);
  EXPECT_FALSE(c.find("(16,8):(8,1)", 4, 2));              // Sums: a lane has 8 bytes of a row.
}

} // namespace
