//===- ArgumentsTest.cpp - What is refused -----------------------*- C++ -*-===//
//
// Arguments that do not fit a kernel, blocks that it lacks, and ops without a
// meaning in the evaluator.
//
//===----------------------------------------------------------------------===//

#include "ReferenceTestUtils.h"

#include <set>

using namespace tilec::reference;

namespace {
const char *const kKernel = R"(
!t = memref<4x4xf32, #tile.level<rf>>
!G = memref<?x?xf32, strided<[?, ?]>>
tile.kernel @f(%Y: !G[%M, %N], %M: index, %N: index, %a: f32) {
  tile.for (%c) in (%M) by (8) at dram on cluster {
    tile.for (%m, %n) in (8, %N) by (4, 4) at dram on block {
      %t = tile.hold init(1.0 : f32) : !t
      tile.store %t to %Y[%c + %m, %n] : !t to !G
    }
  }
})";

class ArgumentsTest : public testing::Test {
protected:
  ArgumentsTest() {
    arguments.operands = {y.view()};
    arguments.sizes = {20, 10};
    arguments.scalars = {1.0};
  }
  void expectError(llvm::StringRef message) {
    EXPECT_TRUE(failed(evaluate(kernel.get(), arguments, options)));
    EXPECT_NE(kernel.said().find(message.str()), std::string::npos) << kernel.said();
  }
  ParsedKernel kernel = ParsedKernel::fromText(kKernel);
  Buffer y = Buffer({20, 10});
  Arguments arguments;
  Options options;
};
} // namespace

TEST_F(ArgumentsTest, Fit) { EXPECT_TRUE(succeeded(evaluate(kernel.get(), arguments))) << kernel.said(); }

TEST_F(ArgumentsTest, TooFewSizes) {
  arguments.sizes = {20};
  expectError("takes 2 sizes, got 1");
}

TEST_F(ArgumentsTest, NegativeSize) {
  arguments.sizes = {20, -1};
  expectError("size #1 is -1, but must not be negative");
}

TEST_F(ArgumentsTest, OtherExtent) {
  arguments.sizes = {20, 11};
  expectError("operand #0 has extent 10 in dimension 1, expected 11");
}

TEST_F(ArgumentsTest, OtherRank) {
  arguments.operands[0].shape = {20};
  expectError("operand #0 has rank 2, got 1 extents and 2 strides");
}

TEST_F(ArgumentsTest, OtherElements) {
  int64_t integers = 0;
  arguments.operands[0].data = &integers;
  expectError("operand #0 has elements of type 'f32', which take a buffer of double");
}

TEST_F(ArgumentsTest, OtherScalar) {
  arguments.scalars = {int64_t(1)};
  expectError("scalar #0 is of type 'f32', but the value is of another");
}

TEST_F(ArgumentsTest, NoSuchBlock) {
  // ceil(20 / 8) clusters of 2 x ceil(10 / 4) blocks: 3 * 2 * 3 = 18.
  int64_t blocks[] = {3, 18};
  options.blocks = llvm::ArrayRef<int64_t>(blocks);
  expectError("has blocks 0 to 17, but 3 to 18 are asked for");
}

TEST_F(ArgumentsTest, BlocksCountClusters) {
  // Block 7 = (1 * 2 + 0) * 3 + 1: cluster 1, row 0 of it, column 1, so rows 8 to 11 and columns 4 to 7.
  int64_t blocks[] = {7};
  options.blocks = llvm::ArrayRef<int64_t>(blocks);
  arguments.operands = {y.viewWithBounds()};
  ASSERT_TRUE(succeeded(evaluate(kernel.get(), arguments, options))) << kernel.said();
  for (int64_t i = 0; i < 20; ++i)
    for (int64_t j = 0; j < 10; ++j)
      EXPECT_EQ(y.stored[y.offset({i, j})], i >= 8 && i < 12 && j >= 4 && j < 8);
}

TEST_F(ArgumentsTest, SamplesAreSpread) {
  auto all = sampleBlocks(kernel.get(), {20, 10}, 18);
  ASSERT_TRUE(succeeded(all));
  EXPECT_EQ(all->size(), 18u);
  // 250 * 2 * 500 blocks; the corners of a grid of three induction variables are 8.
  auto some = sampleBlocks(kernel.get(), {2000, 2000}, 100);
  ASSERT_TRUE(succeeded(some));
  ASSERT_EQ(some->size(), 100u);
  EXPECT_TRUE(llvm::is_sorted(*some));
  EXPECT_TRUE(llvm::is_contained(*some, 0));
  EXPECT_TRUE(llvm::is_contained(*some, 499));
  EXPECT_TRUE(llvm::is_contained(*some, 249999));
  // 92 others in 250000: no gap of more than a few times 250000 / 92 = 2717.
  for (size_t i = 1; i < some->size(); ++i)
    EXPECT_LT((*some)[i] - (*some)[i - 1], 8000);
}

TEST(Meaningless, TwoGrids) {
  ParsedKernel kernel = ParsedKernel::fromText(R"(
tile.kernel @f(%X: memref<?xf32>[%N], %N: index) {
  tile.for (%i) in (%N) by (4) at dram on block {
  }
  tile.for (%i) in (%N) by (4) at dram on block {
  }
})");
  EXPECT_TRUE(failed(getNumBlocks(kernel.get(), {8})));
  EXPECT_NE(kernel.said().find("is a second grid of blocks in one kernel"), std::string::npos);
}
