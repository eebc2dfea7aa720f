//===- LowerBoundTest.cpp - The least that any order must move --*- C++ -*-===//
//
// Formula 28 by hand.
//
//===----------------------------------------------------------------------===//

#include "Nests.h"

#include "tilec/Report/BuildRecord.h"
#include "gtest/gtest.h"

#include <cmath>

using namespace mlir;
using namespace tilec;
using namespace tilec::analysis;
using namespace tilec::test;

namespace {

class LowerBoundTest : public ::testing::Test {
protected:
  std::optional<LowerBound> find(const std::string &text, std::vector<int64_t> arguments) {
    Nest nest = parse(context, text, {});
    auto analyses = report::analyzeKernel(nest.kernel, arguments, machine("sm80"));
    EXPECT_TRUE(succeeded(analyses));
    return analyses->lowerBound;
  }

  std::optional<LowerBound> findGemm(const GemmSizes &sizes, int64_t m, int64_t n, int64_t k) {
    return find(gemmText(sizes), {-1, -1, -1, m, n, k});
  }

  Context context;
};

// 64x64x16 blocks hold 8192 B of shared memory and 256 threads * 24 registers * 4 B = 24576 B: 32768 B, 8192 elements. A block
// does V = 64 * 64 * 4096 = 2^24 FMA and so reads 2 V / sqrt(8192) - 2 * 8192 = 370727.6 - 16384 = 354343.6 elements of 4 B;
// there are 4096 blocks. It reads (64 + 64) * 4096 = 524288 elements: 1.4796 times as many.
TEST_F(LowerBoundTest, Tile64) {
  std::optional<LowerBound> bound = findGemm({}, 4096, 4096, 4096);
  ASSERT_TRUE(bound);
  EXPECT_EQ(bound->capacityBytes, 32768);
  EXPECT_DOUBLE_EQ(bound->exponent, 1.5);
  EXPECT_DOUBLE_EQ(bound->iterations, 4096.0 * 4096 * 4096);
  EXPECT_NEAR(bound->bytes / 4096 / 4, 354343.6, 0.1);
  EXPECT_DOUBLE_EQ(bound->movedBytes / 4096 / 4, 524288);
  EXPECT_NEAR(bound->distance, 1.4796, 5e-5);
  EXPECT_NE(bound->formula.find("arXiv 1702.02017"), std::string::npos);
}

// A square tile of c in registers and nothing else is the best there is: with S = b^2 elements, 2 b^2 k / b = 2 b k are read.
// Shared memory for k-slices is what costs: k in pieces of 1 takes 128 elements, and the distance falls.
TEST_F(LowerBoundTest, ThinSlicesComeCloser) {
  GemmSizes thin;
  thin.bk = 1;
  EXPECT_LT(findGemm(thin, 4096, 4096, 4096)->distance, findGemm({}, 4096, 4096, 4096)->distance);
  EXPECT_GE(findGemm(thin, 4096, 4096, 4096)->distance, 1);
}

// bf16 in, f32 out: sqrt(2 * 2 * 4) = 4 instead of 4^1.5 = 8 B, with c as before and half of shared memory: 4096 + 24 registers,
// of which 4 + 4 hold bf16 (2 + 2): 20 * 1024 = 20480 + 4096 B. 2 * 2^24 * 4 / sqrt(24576) - 2 * 24576 = 807,000.7 B a block.
TEST_F(LowerBoundTest, MixedWidths) {
  GemmSizes s;
  s.type = "bf16";
  std::optional<LowerBound> bound = findGemm(s, 4096, 4096, 4096);
  ASSERT_TRUE(bound);
  EXPECT_EQ(bound->capacityBytes, 24576);
  EXPECT_NEAR(bound->bytes / 4096, 2 * std::pow(2, 24) * 4 / std::sqrt(24576.0) - 2 * 24576, 1);
}

// With k = 16 a block's bound is below nothing; each input is read once, and more cannot be said: 2 * 4096 * 16 * 4 B.
TEST_F(LowerBoundTest, ShortReductions) {
  std::optional<LowerBound> bound = findGemm({}, 4096, 4096, 16);
  ASSERT_TRUE(bound);
  EXPECT_DOUBLE_EQ(bound->bytes, 2.0 * 4096 * 16 * 4);
  EXPECT_EQ(bound->formula, "each input once");
  // A is read by 64 columns of blocks, B by 64 rows.
  EXPECT_DOUBLE_EQ(bound->distance, 64);
}

// Rows are summed: X alone covers both dimensions, exponent 1. No order reads less than X once, and this one does.
TEST_F(LowerBoundTest, NoReuseNoGrowth) {
  std::optional<LowerBound> bound = find(exampleText("rowsum.mlir"), {-1, -1, 1000, 5000});
  ASSERT_TRUE(bound);
  EXPECT_DOUBLE_EQ(bound->exponent, 1);
  EXPECT_DOUBLE_EQ(bound->bytes, 4.0 * 1000 * 5000);
  EXPECT_DOUBLE_EQ(bound->distance, 1);
}

// Subscripts that are sums (a stencil), and computations that do not reduce, have no bound here.
TEST_F(LowerBoundTest, UnknownIsAbsent) {
  EXPECT_FALSE(find(exampleText("stencil.mlir"), {-1, -1, -1, 1024, 1024}));
  EXPECT_FALSE(find(exampleText("vecadd.mlir"), {-1, -1, -1, 1024}));
  EXPECT_FALSE(find(exampleText("transpose.mlir"), {-1, -1, 1024, 1024}));
}

} // namespace
