//===- StreamRegistersTest.cpp - Registers of threads that stream -*- C++ -*-===//
//
// (formula 29) For sm_90 ptxas 13.0 takes 32, 16, 32 and 32 registers of the four kernels.
//
//===----------------------------------------------------------------------===//

#include "Nests.h"

#include "tilec/Report/BuildRecord.h"
#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::test;

namespace {

class StreamRegistersTest : public ::testing::Test {
protected:
  int64_t estimate(const std::string &text) {
    nest = parse(context, text);
    TargetResult machine = resolveTarget("h100-sxm");
    auto analyses = report::analyzeKernel(nest.kernel, llvm::SmallVector<int64_t>(nest.kernel.getBody().getNumArguments(), -1), *machine.spec);
    EXPECT_TRUE(succeeded(analyses));
    return succeeded(analyses) ? analyses->prediction.registers : 0;
  }

  /// A copy of rows of `columns` elements of `type`, `width` a thread; `edges` is empty or a clause.
  int64_t estimateCopy(const char *type, int64_t columns, int64_t width, const char *edges) {
    return estimate(llvm::formatv(R"(
      tile.kernel @copy(%X: memref<8192x{1}x{0}>[8192, {1}], %Y: memref<8192x{1}x{0}>[8192, {1}]) {{
        tile.for (%i0, %j0) in (8192, {1}) by (4, {3}) at dram on block {{
          tile.for (%iq) in (4) by (1) at dram on unroll {{
            tile.for (%i1, %j1) in (1, {3}) by (1, {2}) at dram on thread {{
              %x = tile.stage %X[%i0 + %iq + %i1, %j0 + %j1] {4} : memref<8192x{1}x{0}> to memref<1x{2}x{0}, #tile.level<rf>>
              tile.store %x to %Y[%i0 + %iq + %i1, %j0 + %j1] {4} : memref<1x{2}x{0}, #tile.level<rf>> to memref<8192x{1}x{0}>
            }
          }
        }
      })",
                                  type, columns, width, 256 * width, edges)
                        .str());
  }

  /// Sums of rows of `columns` f32, eight a thread at a time.
  int64_t estimateSums(int64_t columns) {
    return estimate(llvm::formatv(R"(
      tile.kernel @sums(%X: memref<8192x{0}xf32>[8192, {0}], %Y: memref<8192xf32>[8192]) {{
        tile.for (%i) in (8192) by (1) at dram on block {{
          %y = tile.hold init(0.0 : f32) : memref<1xf32, #tile.level<rf>>
          tile.for (%j1) in (2048) by (8) at dram on thread reduce(add) {{
            tile.for (%j0) in ({0}) by (2048) at dram {{
              %x = tile.stage %X[%i, %j1 + %j0] edges(tile) wide(4) : memref<8192x{0}xf32> to memref<1x8xf32, #tile.level<rf>>
              linalg.reduce {{ arith.addf } ins(%x : memref<1x8xf32, #tile.level<rf>>) outs(%y : memref<1xf32, #tile.level<rf>>) dimensions = [1]
            }
          }
          tile.store %y to %Y[%i] : memref<1xf32, #tile.level<rf>> to memref<8192xf32>
        }
      })",
                                  columns)
                        .str());
  }

  Context context;
  Nest nest;
};

TEST_F(StreamRegistersTest, CountsLoops) {
  // 16, the sum, 8 words and the next 8: 33, the one that costs no occupancy (ptxas: 32).
  EXPECT_EQ(estimateSums(8192), 16 + 1 + 2 * 8);
  // A branch at the end of rows stands in the way of the next 8.
  EXPECT_EQ(estimateSums(10000), 16 + 1 + 8);
}

TEST_F(StreamRegistersTest, CountsWords) {
  // 6, 4 rows of 4 words, and an address of both operands for each row but one in common: 2 * (4 + 1).
  EXPECT_EQ(estimateCopy("f32", 8192, 4, ""), 6 + 4 * 4 + 2 * (4 + 1));
  // Rows end within a block: 2, and no addresses that stay.
  EXPECT_EQ(estimateCopy("f32", 8190, 2, ""), 6 + 4 * 2 + 2);
}

TEST_F(StreamRegistersTest, CountsNarrowElements) {
  // 4 rows of 4 elements of a byte, each a register where the ways meet, and one word while they are packed; addresses as above.
  EXPECT_EQ(estimateCopy("i8", 8192, 4, ""), 6 + 4 * 4 + 1 + 2 * (4 + 1));
  // Where the block asks they are words, and take a register each as far as no occupancy is lost: 33.
  EXPECT_EQ(estimateCopy("i8", 8192, 4, "edges(block)"), 33);
}

} // namespace
