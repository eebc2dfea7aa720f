//===- LayoutDistributionTest.cpp - Tiles spread by a layout ----*- C++ -*-===//
//
// A thread/value layout spreads a tile as the loops do that say the same.
//
//===----------------------------------------------------------------------===//

#include "tilec/Layout/Instructions.h"
#include "tilec/Layout/Parse.h"
#include "tilec/Tile/LayoutDistribution.h"
#include "tilec/Tile/Spread.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tilec;

namespace {

class LayoutDistributionTest : public testing::Test {
protected:
  LayoutDistributionTest() {
    context.loadDialect<arith::ArithDialect, linalg::LinalgDialect, memref::MemRefDialect, tile::TileDialect>();
  }

  /// How loops spread a held tile of `rows` x `columns`: on unroll by `repeat`, inside of it on threads by `part`.
  tile::Distribution byLoops(int64_t rows, int64_t columns, std::array<int64_t, 2> repeat, std::array<int64_t, 2> part) {
    auto number = [](int64_t value) { return std::to_string(value); };
    std::string tile = "memref<" + number(rows) + "x" + number(columns) + "xf32, #tile.level<rf>>";
    std::string each = "memref<" + number(part[0]) + "x" + number(part[1]) + "xf32, #tile.level<rf>>";
    std::string text = "tile.kernel @k() {\n  %c = tile.hold init(0.0 : f32) : " + tile +
                       "\n  tile.for (%u, %v) in (" + number(rows) + ", " + number(columns) + ") by (" + number(repeat[0]) +
                       ", " + number(repeat[1]) + ") at rf on unroll {\n    tile.for (%m, %n) in (" + number(repeat[0]) + ", " +
                       number(repeat[1]) + ") by (" + number(part[0]) + ", " + number(part[1]) +
                       ") at rf on thread {\n      %q = tile.part %c[%u + %m, %v + %n] : " + tile + " to " + each +
                       "\n      linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = [\"parallel\", "
                       "\"parallel\"]} outs(%q : " +
                       each + ") {\n      ^bb0(%x: f32):\n        linalg.yield %x : f32\n      }\n    }\n  }\n}\n";
    module = parseSourceString<ModuleOp>(text, ParserConfig(&context));
    EXPECT_TRUE(module) << text;
    tile::Distribution result;
    if (module)
      module->walk([&](tile::HoldOp hold) { result = *tile::getDistribution(hold.getTile()); });
    return result;
  }

  static tile::Distribution byLayout(const char *text, int64_t rows, int64_t columns) {
    FailureOr<tile::Distribution> result = tile::getDistribution(*layout::parseLayout(text), rows, columns);
    EXPECT_TRUE(succeeded(result)) << text;
    return succeeded(result) ? *result : tile::Distribution();
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

// The accumulator of mma.m16n8: thread t has row t / 4 and columns 2 (t % 4) and the next, and both again 8 rows below.
TEST_F(LayoutDistributionTest, AccumulatorOfMma) {
  layout::InstructionLayout mma = *layout::instructionLayout("mma.m16n8k16.16");
  FailureOr<tile::Distribution> spread = tile::getDistribution(mma.operands[2].threadValue, 16, 8);
  ASSERT_TRUE(succeeded(spread));
  EXPECT_TRUE(*spread == byLoops(16, 8, {8, 8}, {1, 2}));
  // 2 x 2 values, of which those in a row are side by side.
  EXPECT_EQ(spread->getLocalShape(), (SmallVector<int64_t>{2, 2}));
  EXPECT_TRUE(spread->hasRuns(2));
}

// The accumulator of wgmma.m64n32: 4 x 2 x 2 values, of 8 columns each, of rows 8 apart, and of two columns side by side.
TEST_F(LayoutDistributionTest, AccumulatorOfWgmma) {
  tile::Distribution spread = byLayout(layout::wgmmaAccumulator(32)->str().c_str(), 64, 32);
  EXPECT_EQ(spread.getLocalShape(), (SmallVector<int64_t>{4, 2, 2}));
  SmallVector<tile::LocalDigit> local = spread.getLocalDigits();
  EXPECT_EQ(local[0].dim, 1u);
  EXPECT_EQ(local[0].digit.step, 8);
  EXPECT_EQ(local[1].dim, 0u);
  EXPECT_EQ(local[1].digit.step, 8);
  EXPECT_EQ(local[2].dim, 1u);
  EXPECT_TRUE(spread.hasRuns(2));
  EXPECT_FALSE(spread.hasRuns(4));
  EXPECT_EQ(tile::getThreadValueLayout(spread, {64, 32}).str(), "((4,8,4),(2,2,4)):((128,1,16),(64,8,512))");
}

// Threads in rows of 8, each with 4 x 4 side by side: one digit for what a thread holds of a dimension.
TEST_F(LayoutDistributionTest, ThreadTiles) {
  EXPECT_TRUE(byLayout("((8,4),(4,4)):((64,4),(16,1))", 16, 32) == byLoops(16, 32, {16, 32}, {4, 4}));
  // The same elements, but a thread's values go down columns first.
  tile::Distribution down = byLayout("((8,4),(4,4)):((64,4),(1,16))", 16, 32), across = byLoops(16, 32, {16, 32}, {4, 4});
  EXPECT_EQ(down.dims, across.dims);
  EXPECT_EQ(down.order, (SmallVector<unsigned>{1, 0}));
  EXPECT_FALSE(down == across);
  // One thread holds all.
  EXPECT_TRUE(byLayout("(1,(16,32)):(0,(1,16))", 16, 32).isLocal());
}

// Both copies of a register tile that two threads hold: the digit of the thread that does not move it is left out.
TEST_F(LayoutDistributionTest, SharedElements) {
  tile::Distribution spread = byLayout("((2,4),2):((0,2),1)", 8, 1);
  EXPECT_TRUE(spread.isPartedBy(2));
  EXPECT_FALSE(spread.isPartedBy(1));
}

TEST_F(LayoutDistributionTest, WhatIsNoSpread) {
  auto fails = [](const char *text, int64_t rows, int64_t columns) {
    return failed(tile::getDistribution(*layout::parseLayout(text), rows, columns));
  };
  // A thread has one element twice; elements nobody has; a mode from one column into the next; three modes.
  EXPECT_TRUE(fails("(8,2):(1,0)", 8, 1));
  EXPECT_TRUE(fails("(8,2):(1,16)", 8, 4));
  EXPECT_TRUE(fails("(4,4):(4,1)", 8, 2));
  EXPECT_TRUE(fails("(2,2,2):(1,2,4)", 8, 1));
}

} // namespace
