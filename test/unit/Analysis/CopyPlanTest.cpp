//===- CopyPlanTest.cpp - Who copies what, and how wide ---------*- C++ -*-===//
//
// The rules of dealing out copies, worked by hand.
//
//===----------------------------------------------------------------------===//

#include "tilec/Analysis/CopyPlan.h"
#include "tilec/Layout/Parse.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::analysis;

namespace {

constexpr int64_t kAsk = ShapedType::kDynamic;

CopyTile tileOf(SmallVector<int64_t, 2> shape, const std::string &layout, bool ahead) {
  auto parsed = layout::parseComposedLayout(layout);
  EXPECT_TRUE(static_cast<bool>(parsed)) << layout;
  return {std::move(shape), *parsed, 4, ahead, /*pad=*/std::nullopt};
}

std::string str(ArrayRef<CopyForm> forms) {
  std::string text;
  for (const CopyForm &form : forms)
    text += (text.empty() ? "" : " ") + std::to_string(form.along) + "x" + std::to_string(form.width);
  return text;
}

std::string str(ArrayRef<CopyDigit> digits) {
  std::string text;
  for (const CopyDigit &digit : digits)
    text += (text.empty() ? "d" : " d") + std::to_string(digit.dim) + ":" +
            std::to_string(digit.count) + "*" + std::to_string(digit.step);
  return text;
}

// 128x16 floats, columns together. With both strides unknown: 16 bytes along dimension 0, whose
// elements lie side by side in the tile and whose place is a multiple of 4; else along dimension 0
// one by one where the operand is contiguous there; else along the last one. Along dimension 1 no
// four elements lie side by side in the tile.
TEST(CopyPlanTest, Forms) {
  CopyTile tile = tileOf({128, 16}, "(128,16):(1,132)", /*ahead=*/true);
  CopySource source = {{kAsk, kAsk}, {kAsk, kAsk}, {128, 16}};
  EXPECT_EQ(str(getCopyForms(tile, source)), "0x4 0x1 1x1");
  // Not ahead of their use: one by one.
  tile.ahead = false;
  EXPECT_EQ(str(getCopyForms(tile, source)), "0x1 1x1");
  // Rows are contiguous, says the operand's type.
  tile.ahead = true;
  source.strides = {kAsk, 1};
  EXPECT_EQ(str(getCopyForms(tile, source)), "1x1");
  // 130 elements from column to column: the second column starts at 8 bytes past a multiple of 16.
  tile = tileOf({128, 16}, "(128,16):(1,130)", /*ahead=*/true);
  source.strides = {1, kAsk};
  EXPECT_EQ(str(getCopyForms(tile, source)), "0x1");
  // An extent of 126 leaves half a group over; a first element at 2 is not aligned.
  tile = tileOf({128, 16}, "(128,16):(1,132)", /*ahead=*/true);
  EXPECT_EQ(str(getCopyForms(tile, source)), "0x4 0x1");
  source.extents = {126, kAsk};
  EXPECT_EQ(str(getCopyForms(tile, source)), "0x1");
  source.extents = {128, kAsk};
  source.divisors = {2, 16};
  EXPECT_EQ(str(getCopyForms(tile, source)), "0x1");
}

// Elements 2 apart in memory are not copied four at a time, though they lie side by side in the tile; nor by copies that are not
// ahead of their use, or that pad with anything but zero.
TEST(CopyPlanTest, WideOnlyWhereSideBySide) {
  CopyTile tile = tileOf({32, 16}, "(32,16):(16,1)", /*ahead=*/true);
  CopySource source = {{1024, 2}, {kAsk, kAsk}, {32, 16}};
  EXPECT_EQ(str(getCopyForms(tile, source)), "1x1");
  EXPECT_FALSE(canCopy(tile, source, {1, 4}));
  source.strides = {1024, 1};
  EXPECT_TRUE(canCopy(tile, source, {1, 4}));
  EXPECT_TRUE(canCopy(tile, source, {1, 2}));
  EXPECT_FALSE(canCopy(tile, source, {0, 4}));
  tile.pad = tile::Pad::Zero;
  EXPECT_TRUE(canCopy(tile, source, {1, 4}));
  tile.pad = tile::Pad::Clamp;
  EXPECT_FALSE(canCopy(tile, source, {1, 4}));
  tile = tileOf({32, 16}, "(32,16):(16,1)", /*ahead=*/false);
  EXPECT_FALSE(canCopy(tile, source, {1, 4}));
  EXPECT_TRUE(canCopy(tile, source, {0, 1}));
}

// Elements of 2 bytes: 16 bytes along rows; of rows of 12 elements 8 bytes, of 6 elements 4, of 5 none. What cp.async does not move goes
// through registers: less than 4 bytes, and absent elements that are not zero.
TEST(CopyPlanTest, NarrowElements) {
  CopyTile tile = tileOf({32, 16}, "(32,16):(16,1)", /*ahead=*/true);
  tile.elementBytes = 2;
  CopySource source = {{kAsk, 1}, {kAsk, kAsk}, {0, 0}};
  EXPECT_EQ(str(getCopyForms(tile, source)), "1x8 1x1");
  EXPECT_TRUE(isAsync(tile, {1, 8}));
  EXPECT_TRUE(isAsync(tile, {1, 2}));
  EXPECT_FALSE(isAsync(tile, {1, 1}));
  for (auto [extent, forms] : {std::pair(12, "1x4 1x1"), std::pair(6, "1x2 1x1"), std::pair(5, "1x1")}) {
    tile = tileOf({32, extent}, "(32," + std::to_string(extent) + "):(" + std::to_string(extent) + ",1)", /*ahead=*/true);
    tile.elementBytes = 2;
    EXPECT_EQ(str(getCopyForms(tile, source)), forms);
  }
  tile.elementBytes = 4;
  EXPECT_TRUE(isAsync(tile, {1, 1}));
  tile.pad = tile::Pad::Zero;
  EXPECT_TRUE(isAsync(tile, {1, 1}));
  tile.pad = tile::Pad::Clamp;
  EXPECT_FALSE(isAsync(tile, {1, 1}));
  tile.pad = std::nullopt;
  tile.ahead = false;
  EXPECT_FALSE(isAsync(tile, {1, 1}));
}

// 32 rows of 4 groups: 64 threads take 16 rows a round, 96 take 24 and leave a third over, 48 take 12 and no whole rounds.
TEST(CopyPlanTest, EvenRounds) {
  SmallVector<CopyDigit> digits = {{1, 4, 4}, {0, 32, 1}};
  EXPECT_TRUE(isEven(digits, 64));
  EXPECT_TRUE(isEven(digits, 2));
  EXPECT_TRUE(isEven(digits, 128));
  EXPECT_FALSE(isEven(digits, 96));
  EXPECT_FALSE(isEven(digits, 48));
  EXPECT_FALSE(isEven(digits, 256));
}

// Of 256 threads: loops name 4 values 2 apart and 8 values 16 apart. Free are the 2 below, the 2 between (8 / 8 .. 16) and the 2 above.
TEST(CopyPlanTest, FreeDigits) {
  SmallVector<ThreadDigit> free = getFreeDigits({{16, 8}, {2, 4}}, 256);
  ASSERT_EQ(free.size(), 3u);
  EXPECT_EQ(free[0].stride, 1);
  EXPECT_EQ(free[0].count, 2);
  EXPECT_EQ(free[1].stride, 8);
  EXPECT_EQ(free[1].count, 2);
  EXPECT_EQ(free[2].stride, 128);
  EXPECT_EQ(free[2].count, 2);
  EXPECT_TRUE(getFreeDigits({{1, 32}}, 32).empty());
}

TEST(CopyPlanTest, WhatALaunchAdmits) {
  CopySource known = {{kAsk, kAsk}, {kAsk, kAsk}, {128, 16}};
  EXPECT_TRUE(admits({0, 4}, known, {1, 64}, {64, 32}, true));
  EXPECT_FALSE(admits({0, 4}, known, {32, 1}, {64, 32}, true));  // Dimension 0 is not contiguous,
  EXPECT_FALSE(admits({0, 4}, known, {1, 66}, {64, 32}, true));  // its rows start off by 2,
  EXPECT_FALSE(admits({0, 4}, known, {1, 64}, {62, 32}, true));  // it ends amid a group,
  EXPECT_FALSE(admits({0, 4}, known, {1, 64}, {64, 32}, false)); // element 0 is not aligned.
  EXPECT_TRUE(admits({0, 1}, known, {1, 66}, {62, 32}, false));
  EXPECT_FALSE(admits({0, 1}, known, {2, 66}, {62, 32}, false));
}

// Wide: 32 groups of four in a column, then the columns. One by one along the tile's own order: 128,
// then 16. Across it: a sector of 8 floats along the row, the 128 rows, the row's other sector.
// Swizzled tiles see to their banks themselves.
TEST(CopyPlanTest, Digits) {
  CopyTile tile = tileOf({128, 16}, "(128,16):(1,132)", /*ahead=*/true);
  EXPECT_EQ(str(getCopyDigits(tile, {0, 4})), "d0:32*4 d1:16*1");
  EXPECT_EQ(str(getCopyDigits(tile, {0, 1})), "d0:128*1 d1:16*1");
  EXPECT_EQ(str(getCopyDigits(tile, {1, 1})), "d1:8*1 d0:128*1 d1:2*8");
  tile = tileOf({32, 32}, "Sw<5,0,5> o 0 o (32,32):(1,32)", /*ahead=*/false);
  EXPECT_EQ(str(getCopyDigits(tile, {1, 1})), "d1:32*1 d0:32*1");
}

// Threads hold 4 elements of a row, 4 threads side by side: 16 bytes at once where rows start at
// multiples of 4 elements, 8 where they start at multiples of 2, else one by one.
TEST(CopyPlanTest, LoadWidth) {
  tile::Distribution spread;
  spread.dims = {{{8, 1, 4}}, {{4, 4, 1}, {4, 1, 0}}};
  auto width = [&](const std::string &layout, ArrayRef<int64_t> divisors) {
    return getLoadWidth(spread, *layout::parseComposedLayout(layout), 4, {llvm::to_vector(divisors)});
  };
  EXPECT_EQ(width("(8,16):(20,1)", {0, 0}), 4);
  EXPECT_EQ(width("(8,16):(18,1)", {0, 0}), 2);
  EXPECT_EQ(width("(8,16):(17,1)", {0, 0}), 1);
  EXPECT_EQ(width("(8,16):(20,1)", {0, 2}), 2);
  EXPECT_EQ(width("(8,16):(1,8)", {0, 0}), 1);
  EXPECT_EQ(width("Sw<1,2,3> o 0 o (8,16):(16,1)", {0, 0}), 4);
  EXPECT_EQ(width("Sw<2,0,3> o 0 o (8,16):(16,1)", {0, 0}), 1);
}

// A thread holds 4 elements of one row. Rows lie 17 apart, and row i is written from column -i on: it begins 16 i elements from the tile's first. Two rows of a thread
// are 17 apart, whatever lies before the first.
TEST(CopyPlanTest, LoadWidthAlongSkewedRows) {
  layout::ComposedLayout layout = *layout::parseComposedLayout("(8,16):(17,1)");
  tile::Distribution spread;
  spread.dims = {{}, {{4, 1, 0}}};
  EXPECT_EQ(getLoadWidth(spread, layout, 4, {{1, 1}, /*before=*/16}), 4);
  EXPECT_EQ(getLoadWidth(spread, layout, 4, {{1, 1}, /*before=*/18}), 2);
  EXPECT_EQ(getLoadWidth(spread, layout, 4, {{1, 1}, /*before=*/17}), 1);
  spread.dims = {{{2, 1, 0}}, {{4, 1, 0}}};
  EXPECT_EQ(getLoadWidth(spread, layout, 4, {{1, 1}, /*before=*/16}), 1);
  // Of a swizzled tile places are no sums.
  spread.dims = {{}, {{4, 1, 0}}};
  EXPECT_EQ(getLoadWidth(spread, *layout::parseComposedLayout("Sw<1,2,3> o 0 o (8,16):(16,1)"), 4, {{1, 1}, /*before=*/16}), 1);
}

} // namespace
