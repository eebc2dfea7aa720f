//===- AlgebraTest.cpp - Each operation on known layouts --------*- C++ -*-===//
//
// Expected layouts are those that CuTe prints, or follow from the definition as each comment says.
//
//===----------------------------------------------------------------------===//

#include "LayoutTestUtils.h"

using namespace tilec::layout;

namespace {

TEST(Coalesce, MergesWhatContinues) {
  EXPECT_EQ(coalesce(L("(2,(1,6)):(1,(6,2))")).str(), "12:1");
  EXPECT_EQ(coalesce(L("(2,2):(0,0)")).str(), "4:0");
  EXPECT_EQ(coalesce(L("(1,1):(5,7)")).str(), "1:0");
  EXPECT_EQ(coalesce(L("((2,2),(2,2)):((1,8),(2,4))")).str(), "(2,2,4):(1,8,2)");
  // A symbolic extent may be the last to merge; nothing is known about what follows it.
  EXPECT_EQ(coalesce(L("(4,?):(1,4)")).str(), "?:1");
  EXPECT_EQ(coalesce(L("(?,4):(1,?)")).str(), "(?,4):(1,?)");
}

TEST(Coalesce, ByProfile) {
  EXPECT_EQ(str(coalesce(L("(2,(1,6)):(1,(6,2))"), crd("(1,1)"))), "(2,6):(1,2)");
  // Modes past the profile are kept.
  EXPECT_EQ(str(coalesce(L("((2,2),(2,2))"), crd("(1)"))), "(4,(2,2)):(1,(4,8))");
  EXPECT_EQ(str(coalesce(L("(2,3)"), crd("(1,1,1)"))),
            "error: profile (1,1,1) has 3 modes, the whole has 2");
  EXPECT_EQ(str(coalesce(L("(2,3)"), crd("(1,(1,1))"))),
            "error: profile (1,1) nests deeper than mode 1, 3:2");
}

TEST(Composition, KnownResults) {
  EXPECT_EQ(str(composition(L("(6,2):(8,2)"), L("(4,3):(3,1)"))), "((2,2),3):((24,2),8)");
  EXPECT_EQ(str(composition(L("20:2"), L("(5,4):(4,1)"))), "(5,4):(8,2)");
  EXPECT_EQ(str(composition(L("(10,2):(16,4)"), L("(5,4):(1,5)"))), "(5,(2,2)):(16,(80,4))");
  EXPECT_EQ(str(composition(L("(4,6):(1,100)"), L("3:0"))), "3:0");
  // The last mode extends, also one of extent 1.
  EXPECT_EQ(str(composition(L("(4,1):(1,100)"), L("8:1"))), "(4,2):(1,100)");
  EXPECT_EQ(str(composition(L("(12,(4,8)):(59,(13,1))"), T("[3:4,8:2]"))),
            "(3,(2,4)):(236,(26,1))");
  EXPECT_EQ(str(composition(L("(8,4):(4,1)"), T("[_,2:1]"))), "(8,2):(4,1)");
}

TEST(Composition, RefusesWhatOthersGetWrong) {
  // pycute returns 4:1, which is not even of size 6: A(4) = 100.
  EXPECT_EQ(
      str(composition(L("(4,6):(1,100)"), L("6:1"))),
      "error: composition: the whole of the right layout (6:1) against mode 0 of the left "
      "layout (4:1, coalesced): extent 6 is not a multiple of 4, the elements that fit in the "
      "left mode");
  // CuTe's check accepts (2,2):(4,100), whose third element is 100; A(8) = 2 + 100 = 102.
  EXPECT_EQ(str(composition(L("(6,4):(1,100)"), L("4:4"))),
            "error: composition: the whole of the right layout (4:4) against mode 0 of the left "
            "layout (6:1, coalesced): extent 6 is not a multiple of stride 4");
  EXPECT_EQ(str(composition(L("(4,2):(1,100)"), L("2:6"))),
            "error: composition: the whole of the right layout (2:6) against mode 0 of the left "
            "layout (4:1, coalesced): stride 6 is not a multiple of extent 4");
  // Each mode alone is fine, both together carry: B(2,1) = 5, A(5) = 101, the sum 2 + 3 = 5.
  EXPECT_EQ(
      str(composition(L("(4,2):(1,100)"), L("(3,2):(1,3)"))),
      "error: composition: mode 1 of the right layout (2:3) against mode 0 of the left layout "
      "(4:1, coalesced): with the modes before it the coordinate reaches 5, outside extent 4");
  EXPECT_EQ(str(composition(L("(4,2,3)"), T("[2:1,_]"))),
            "error: composition: 2 tilers for the whole of the left layout, which has 3 modes; "
            "write _ for a mode to keep");
}

TEST(Composition, Symbolic) {
  EXPECT_EQ(str(composition(L("?:3"), L("(4,?):(1,4)"))), "(4,?):(3,12)");
  EXPECT_EQ(str(composition(L("(8,?):(?,1)"), L("(4,2):(2,16)"))), "(4,2):(?,2)");
  EXPECT_EQ(str(composition(L("(?,8):(1,?)"), L("4:1"))),
            "error: composition: the whole of the right layout (4:1) against mode 0 of the left "
            "layout (?:1, coalesced): whether they divide depends on a symbolic value");
}

TEST(Complement, KnownResults) {
  EXPECT_EQ(str(complement(L("4:1"), 24)), "6:4");
  EXPECT_EQ(str(complement(L("6:4"), 24)), "4:1");
  EXPECT_EQ(str(complement(L("(4,6):(1,4)"), 24)), "1:0");
  EXPECT_EQ(str(complement(L("4:2"), 24)), "(2,3):(1,8)");
  EXPECT_EQ(str(complement(L("(2,4):(1,6)"), 24)), "3:2");
  EXPECT_EQ(str(complement(L("(2,2):(1,6)"), 24)), "(3,2):(2,12)");
  // 24 / 5 rounds up.
  EXPECT_EQ(str(complement(L("5:1"), 24)), "5:5");
  // 4 ends at 4, 5 is no multiple: disjoint and ordered, yet 4 and 9 are left out.
  EXPECT_EQ(str(complement(L("(2,2):(2,5)"), 10)), "2:1");
  EXPECT_EQ(str(complement(L("(3,2):(0,1)"), 8)), "4:2");
  EXPECT_EQ(str(complement(L("4:1"), kSymbolic)), "?:4");
}

TEST(Complement, Refusals) {
  // Injective, {0,3,4,7}, but 3:... interleaves: 2*3 = 6 > 4.
  EXPECT_EQ(str(complement(L("(2,2):(3,4)"), 24)),
            "error: complement: leaf 1 (2:4) of (2,2):(3,4) interleaves or overlaps with leaf 0 "
            "(2:3), which reaches up to offset 6");
  EXPECT_EQ(str(complement(L("(2,2):(2,3)"), 24)),
            "error: complement: leaf 1 (2:3) of (2,2):(2,3) interleaves or overlaps with leaf 0 "
            "(2:2), which reaches up to offset 4");
  EXPECT_EQ(str(complement(L("4:1"), 0)),
            "error: complement: the size to fill is 0, at least 1 is needed");
  EXPECT_EQ(
      str(complement(L("(2,?):(1,2)"), 8)),
      "error: complement: leaf 1 (?:2) of (2,?):(1,2) is symbolic, known integers are needed");
}

TEST(Divide, KnownResults) {
  EXPECT_EQ(str(logicalDivide(L("(4,2,3):(2,1,8)"), L("4:2"))), "((2,2),(2,3)):((4,1),(2,8))");
  // 12 / 5 rounds up to 3 tiles.
  EXPECT_EQ(str(logicalDivide(L("12:1"), L("5:1"))), "(5,3):(1,5)");
  // A is (2,3,2):(6,1,3) = (2,6):(6,1) coalesced: rest 6.
  EXPECT_EQ(str(logicalDivide(L("(2,3,2):(6,1,3)"), L("2:2"))), "(2,(2,3)):(1,(6,2))");
  Layout a = L("(9,(4,8)):(59,(13,1))");
  EXPECT_EQ(str(logicalDivide(a, T("[3:3,(2,4):(1,8)]"))),
            "((3,3),((2,4),(2,2))):((177,59),((13,2),(26,1)))");
  EXPECT_EQ(str(zippedDivide(a, T("[3:3,(2,4):(1,8)]"))),
            "((3,(2,4)),(3,(2,2))):((177,(13,2)),(59,(26,1)))");
  EXPECT_EQ(str(tiledDivide(a, T("[3:3,(2,4):(1,8)]"))),
            "((3,(2,4)),3,(2,2)):((177,(13,2)),59,(26,1))");
}

TEST(Divide, ModesThatAreNotTiled) {
  EXPECT_EQ(str(logicalDivide(L("(8,6,5)"), T("[4:1]"))), "((4,2),6,5):((1,4),8,48)");
  EXPECT_EQ(str(zippedDivide(L("(8,6,5)"), T("[4:1,_]"))), "((4),(2,6,5)):((1),(4,8,48))");
  EXPECT_EQ(str(tiledDivide(L("(8,6,5)"), T("[_,3:1]"))), "((3),8,2,5):((8),1,24,48)");
  EXPECT_EQ(str(zippedDivide(L("(8,6)"), T("[_,_]"))),
            "error: divide: the tiler keeps every mode, so there are no tiles to gather");
  EXPECT_EQ(str(logicalDivide(L("(8,6)"), T("[2,2,2]"))),
            "error: divide: 3 tilers for the whole of (8,6):(1,8), which has 2 modes");
}

TEST(Divide, RefusesATileThatLeavesElementsOut) {
  EXPECT_EQ(
      str(logicalDivide(L("20:1"), L("(2,2):(2,5)"))),
      "error: divide: the tile (2,2):(2,5) leaves elements out: stride 5 of leaf 1 (2:5) is not "
      "a multiple of 4, where leaf 0 (2:2) ends");
}

TEST(Divide, Symbolic) {
  EXPECT_EQ(str(logicalDivide(L("?:1"), L("128:1"))), "(128,?):(1,128)");
  EXPECT_EQ(str(tiledDivide(L("(?,?):(?,1)"), T("[128:1,64:1]"))), "((128,64),?,?):((?,1),?,64)");
}

TEST(Product, KnownResults) {
  EXPECT_EQ(str(logicalProduct(L("(2,2):(4,1)"), L("6:1"))), "((2,2),(2,3)):((4,1),(2,8))");
  EXPECT_EQ(str(logicalProduct(L("(2,2):(4,1)"), L("(4,2):(2,1)"))), "((2,2),(4,2)):((4,1),(8,2))");
  EXPECT_EQ(str(logicalProduct(L("(2,5):(5,1)"), T("[3:5,4:6]"))), "((2,3),(5,4)):((5,10),(1,30))");
  EXPECT_EQ(str(blockedProduct(L("(2,5):(5,1)"), L("(3,4):(1,3)"))),
            "((2,3),(5,4)):((5,10),(1,30))");
  EXPECT_EQ(str(rakedProduct(L("(2,5):(5,1)"), L("(3,4):(1,3)"))), "((3,2),(4,5)):((10,5),(30,1))");
  EXPECT_EQ(
      str(logicalProduct(L("?:1"), L("4:1"))),
      "error: product: complement: leaf 0 (?:1) of ?:1 is symbolic, known integers are needed");
}

TEST(Product, RefusesCopiesThatWouldCollide) {
  // A reaches 0, 2, 6, 8. Its complement up to 4 * 3 = 12 is 2:1; run on to index 2 it would put
  // the second copy at 2, where A already is.
  EXPECT_EQ(
      str(logicalProduct(L("(2,2):(2,6)"), L("2:2"))),
      "error: product: there is no room for 3 copies of (2,2):(2,6): stride 6 of leaf 1 (2:6) "
      "is not a multiple of 4, where leaf 0 (2:2) ends");
}

TEST(Inverse, Right) {
  EXPECT_EQ(str(rightInverse(L("(4,8):(8,1)"))), "(8,4):(4,1)");
  // Stride-0 modes are skipped: R = 4:2 since A(2i) = i.
  EXPECT_EQ(str(rightInverse(L("(2,4):(0,1)"))), "4:2");
  // A gap ends the prefix at once.
  EXPECT_EQ(str(rightInverse(L("4:2"))), "1:0");
  EXPECT_EQ(str(rightInverse(L("(2,4):(1,8)"))), "2:1");
}

TEST(Inverse, Left) {
  EXPECT_EQ(str(leftInverse(L("(4,8):(8,1)"))), "(8,4):(4,1)");
  EXPECT_EQ(str(leftInverse(L("4:2"))), "(2,4):(0,1)");
  // pycute gives 4:1, which sends A(0,1) = 5 to 5 instead of 4.
  EXPECT_EQ(str(leftInverse(L("(4,2):(1,5)"))), "(5,2):(1,4)");
  EXPECT_EQ(
      str(leftInverse(L("(2,2):(3,4)"))),
      "error: left inverse: (2,2):(3,4) is not injective or interleaves: leaf 1 (2:4) starts at "
      "stride 4, leaf 0 (2:3) ends at 6");
  EXPECT_EQ(
      str(leftInverse(L("(2,2):(2,5)"))),
      "error: left inverse: stride 5 of leaf 1 (2:5) is not a multiple of 2, the stride of leaf "
      "0 (2:2)");
  EXPECT_FALSE(leftInverse(L("(2,4):(0,1)")));
}

} // namespace
