//===- SplitSectorsTest.cpp - Sectors of results of two blocks --*- C++ -*-===//

#include "Nests.h"

#include "tilec/Analysis/SplitSectors.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::analysis;
using namespace tilec::test;

namespace {

/// B = A transposed; blocks take 16 elements of a row of B each, in the order of `grid`, with `clauses`.
class SplitSectorsTest : public ::testing::Test {
protected:
  NestModel read(int64_t m, int64_t n, bool rowsLast, const std::string &clauses = "") {
    std::string grid = rowsLast ? "(%j0, %i0) in (%N, %M) by (1, 16)" : "(%i0, %j0) in (%M, %N) by (16, 1)";
    nest = parse(context,
                 "!G = memref<?x?xf32>\n"
                 "!r = memref<1x1xf32, #tile.level<rf>>\n"
                 "tile.kernel @t(%A: !G[%M, %N], %B: !G[%N, %M], %M: index, %N: index) {\n"
                 "  tile.for " + grid + " at dram on block " + clauses + "{\n"
                 "    tile.for (%i1) in (16) by (1) at dram on thread {\n"
                 "      %r = tile.stage %A[%i0 + %i1, %j0] : !G to !r\n"
                 "      tile.store %r to %B[%j0, %i0 + %i1] : !r to !G\n"
                 "    }\n  }\n}\n",
                 {"A", "B", "M", "N"});
    FailureOr<NestModel> model = NestModel::get(nest.kernel, {-1, -1, m, n});
    EXPECT_TRUE(succeeded(model));
    return *model;
  }
  double count(int64_t m, int64_t n, bool rowsLast = false, const std::string &clauses = "") {
    NestModel model = read(m, n, rowsLast, clauses);
    return countSplitSectors(model, getDenseLayouts(model), 32);
  }

  Context context;
  Nest nest;
};

} // namespace

TEST_F(SplitSectorsTest, PartsThatBeginInsideOfSectors) {
  // Rows of 33: of row r parts begin at 33 r + 16 and 33 r + 32, that is at r modulo 8: inside of a sector for r = 1.
  EXPECT_EQ(count(33, 2), 2);
  // Of 16 rows two have r = 0 modulo 8.
  EXPECT_EQ(count(33, 16), 28);
  // Rows of 36 are at 4 r modulo 8: every other one.
  EXPECT_EQ(count(36, 16), 16);
}

TEST_F(SplitSectorsTest, WholeSectors) {
  EXPECT_EQ(count(32, 16), 0);
  EXPECT_EQ(count(40, 16), 0);
  // One part a row.
  EXPECT_EQ(count(15, 16), 0);
}

TEST_F(SplitSectorsTest, BlocksThatFollowOneAnother) {
  EXPECT_EQ(count(33, 16, /*rowsLast=*/true), 0);
  EXPECT_EQ(count(33, 16, /*rowsLast=*/false, "raster(column) "), 0);
  EXPECT_EQ(count(33, 16, /*rowsLast=*/true, "raster(column) "), 28);
}

TEST_F(SplitSectorsTest, TimeIsThatOfL2) {
  // 28 sectors * 560 bytes / 1000 bytes of L2 a cycle.
  MachineSpec spec = machine("h100");
  spec.level(MemoryLevel::L2).bandwidth->value = 1000;
  NestModel model = read(33, 16, /*rowsLast=*/false);
  EXPECT_NEAR(findSplitCycles(model, getDenseLayouts(model), spec), 28 * 0.56, 1e-6);
}
