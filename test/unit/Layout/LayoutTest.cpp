//===- LayoutTest.cpp - Text, coordinates, swizzles, inverses ---*- C++ -*-===//

#include "LayoutTestUtils.h"

#include "tilec/Layout/OffsetMap.h"

using namespace tilec::layout;

namespace {

TEST(Layout, PrintsItsNormalForm) {
  EXPECT_EQ(L(" ( (2 , 2) ,2 ) : ((2,4), 1)\n").str(), "((2,2),2):((2,4),1)");
  EXPECT_EQ(L("(2)").str(), "(2):(1)");
  EXPECT_EQ(L("2").str(), "2:1");
  EXPECT_NE(L("(2)"), L("2"));
  // CuTe's C++ print marks static integers.
  EXPECT_EQ(L("(_8,_64):(_64,_1)").str(), "(8,64):(64,1)");
}

TEST(Layout, ShapeAloneIsColumnMajor) {
  EXPECT_EQ(L("(4,8)").str(), "(4,8):(1,4)");
  EXPECT_EQ(L("((2,3),4)").str(), "((2,3),4):((1,2),6)");
  // A mode of extent 1 gets stride 0.
  EXPECT_EQ(L("(1,4)").str(), "(1,4):(0,1)");
  EXPECT_EQ(str(Layout::rowMajor(crd("(4,8)"))), "(4,8):(8,1)");
}

TEST(Layout, SizeAndCosize) {
  EXPECT_EQ(L("((2,2),2):((2,4),1)").size(), 8);
  // Largest offset 3*2 + 1*1 = 7.
  EXPECT_EQ(L("(4,2):(2,1)").cosize(), 8);
  EXPECT_EQ(L("4:2").cosize(), 7);
  EXPECT_EQ(L("(4,8):(0,0)").cosize(), 1);
}

// Of a swizzled layout as of a plain one: one more than the largest offset, whether all offsets are taken, some are free, or the swizzle's block goes on beyond them.
TEST(Layout, CosizeOfASwizzle) {
  for (const char *text : {"Sw<3,3,3> o 0 o (8,64):(64,1)", "Sw<2,1,3> o 0 o (4,16):(1,4)", "Sw<3,3,3> o 0 o (8,64):(72,1)", "Sw<3,3,3> o 64 o (8,64):(64,1)",
                           "Sw<2,0,-2> o 0 o (4,3):(1,4)", "Sw<2,0,2> o 0 o (3,5):(5,1)", "Sw<1,0,1> o 0 o (2,2):(0,3)"}) {
    ComposedLayout layout = C(text);
    int64_t largest = 0;
    for (int64_t i = 0; i < layout.size(); ++i)
      largest = std::max(largest, layout(i));
    EXPECT_EQ(*layout.cosize(), largest + 1) << text;
  }
}

TEST(Layout, AcceptsCoordinatesOfEveryCompatibleForm) {
  Layout layout = L("((2,2),(3,4)):((1,8),(2,16))");
  // ((1,1),(2,3)): 1*1 + 1*8 + 2*2 + 3*16 = 61; the integers are 1 + 2*1 = 3 and 2 + 3*3 = 11.
  EXPECT_EQ(str(layout.offset(crd("((1,1),(2,3))"))), "61");
  EXPECT_EQ(str(layout.offset(crd("(3,(2,3))"))), "61");
  EXPECT_EQ(str(layout.offset(crd("((1,1),11)"))), "61");
  EXPECT_EQ(str(layout.offset(crd("(3,11)"))), "61");
  // 3 + 4*11 = 47.
  EXPECT_EQ(str(layout.offset(crd("47"))), "61");
  EXPECT_EQ(layout(47), 61);
  int64_t twoModes[] = {3, 11};
  EXPECT_EQ(layout.at(twoModes, 2), 61);
  EXPECT_EQ(str(layout.index(crd("(3,(2,3))"))), "47");
  EXPECT_EQ(str(layout.unflatten(47)), "((1,1),(2,3))");
}

TEST(Layout, RefusesCoordinatesThatDoNotFit) {
  Layout layout = L("((2,2),3)");
  EXPECT_EQ(str(layout.offset(crd("(4,0)"))), "error: index 4 is outside mode 0 of extent (2,2)");
  EXPECT_EQ(str(layout.offset(crd("((0,2),0)"))), "error: index 2 is outside mode 0.1 of extent 2");
  EXPECT_EQ(str(layout.offset(crd("(0,(1,1))"))),
            "error: coordinate (1,1) does not fit mode 1 of shape 3");
  EXPECT_EQ(str(layout.unflatten(12)), "error: index 12 is outside the whole of extent ((2,2),3)");
  EXPECT_EQ(str(layout.unflatten(-1)),
            "error: the coordinate of the whole is -1, at least 0 is needed");
}

TEST(Layout, SymbolicValues) {
  EXPECT_EQ(L("(128,?)").str(), "(128,?):(1,128)");
  EXPECT_EQ(L("(?,128)").str(), "(?,128):(1,?)");
  Layout rows = L("(?,64):(64,1)");
  EXPECT_EQ(rows.size(), kSymbolic);
  EXPECT_EQ(rows.cosize(), kSymbolic);
  EXPECT_FALSE(rows.isStatic());
  // 1000*64 + 3.
  EXPECT_EQ(str(rows.offset(crd("(1000,3)"))), "64003");
  EXPECT_EQ(str(L("(64,?):(1,64)").offset(crd("200"))), "200");
  EXPECT_EQ(str(rows.offset(crd("200"))),
            "error: index 200 of the whole cannot be split: the extent "
            "of one of its leaves is symbolic");
  EXPECT_EQ(str(L("(4,4):(?,1)").offset(crd("(0,3)"))), "3");
  EXPECT_EQ(str(L("(4,4):(?,1)").offset(crd("(1,3)"))),
            "error: leaf 0 (4:?) has a symbolic stride, so coordinate (1,3) has no known offset");
}

TEST(Swizzle, MatchesTheAtomsOfHopper) {
  // Columns 0, 8, ..., 56 of rows 1 and 7 of Sw<3,3,3> o 0 o (8,64):(64,1).
  ComposedLayout atom = C("Sw<3,3,3> o 0 o (8,64):(64,1)");
  const int64_t row1[] = {72, 64, 88, 80, 104, 96, 120, 112};
  const int64_t row7[] = {504, 496, 488, 480, 472, 464, 456, 448};
  for (int64_t chunk = 0; chunk < 8; ++chunk) {
    int64_t first[] = {1, 8 * chunk}, last[] = {7, 8 * chunk};
    EXPECT_EQ(atom.at(first, 2), row1[chunk]);
    EXPECT_EQ(atom.at(last, 2), row7[chunk]);
  }
  EXPECT_EQ(atom.str(), "Sw<3,3,3> o 0 o (8,64):(64,1)");
  EXPECT_EQ(str(atom.cosize()), "512");
  EXPECT_EQ(C("Sw<3,3,3> o _0 o (_8,_64):(_64,_1)"), atom);
  EXPECT_NE(C("(8,64):(64,1)"), atom);
}

TEST(Swizzle, EverySpellingMeansTheSame) {
  for (const char *text : {"Sw<2,3,3>", "S<2,3,3>", "Swizzle<2,3,3>", "SW_2_3_3", " Sw < 2 , 3,3>"})
    EXPECT_EQ(str(parseSwizzle(text)), "Sw<2,3,3>") << text;
}

TEST(Swizzle, IsAnInvolution) {
  for (int64_t shift : {-5, -3, 3, 4, 7})
    for (int64_t bits = 0; bits <= 3; ++bits) {
      Swizzle swizzle = *Swizzle::get(bits, 2, shift);
      std::vector<bool> hit(1 << 13, false);
      for (int64_t x = 0; x < 1 << 13; ++x) {
        int64_t y = swizzle(x);
        ASSERT_EQ(swizzle(y), x);
        ASSERT_EQ(x / swizzle.blockSize(), y / swizzle.blockSize());
      }
    }
}

TEST(Swizzle, RefusesWhatIsNotOne) {
  EXPECT_EQ(str(parseSwizzle("Sw<3,4,2>")), "error: Sw<3,4,2>: |S| = 2 is less than B = 3");
  EXPECT_EQ(str(parseSwizzle("Sw<10,10,13>")),
            "error: Sw<10,10,13>: B + M + |S| = 33, at most 32 is allowed");
  EXPECT_EQ(str(parseSwizzle("Sw<-1,4,3>")), "error: Sw<-1,4,3>: B and M are at least 0");
  EXPECT_EQ(str(parseSwizzle("Sw<1,4,9223372036854775807>")),
            "error: Sw<1,4,9223372036854775807>: each of B, M and S lies between -32 and 32");
  EXPECT_EQ(str(parseSwizzle("Sw<0,4,0>")), "Sw<0,4,0>");
}

std::string coordinates(const char *layout, int64_t offset, size_t max = 100) {
  Result<CoordinateList> list = coordinatesAt(C(layout), offset, max);
  if (!list)
    return "error: " + list.error().message;
  std::string out;
  for (const IntTuple &coordinate : list->coordinates)
    out += (out.empty() ? "" : " ") + coordinate.str();
  return out + (list->complete ? "" : " ...");
}

TEST(OffsetMap, FindsEveryCoordinateOfAnOffset) {
  EXPECT_EQ(coordinates("(2,2,2):(2,1,4)", 1), "(0,1,0)");
  // CuTe's rule (offset / stride) % extent gives (2,1), which lies at 4.
  EXPECT_EQ(coordinates("(4,4):(1,2)", 2), "(2,0) (0,1)");
  EXPECT_EQ(coordinates("(2,2):(1,4)", 2), "");
  EXPECT_EQ(coordinates("(2,2):(1,4)", 6), "");
  EXPECT_EQ(coordinates("(4,2):(3,1)", 5), "");
  // Stride 0: CuTe divides by zero.
  EXPECT_EQ(coordinates("(3,2):(0,1)", 1), "(0,1) (1,1) (2,1)");
  EXPECT_EQ(coordinates("(3,2):(0,1)", 1, 2), "(0,1) (1,1) ...");
  // Row 1, chunk 0 lies at 64 + 8 = 72.
  EXPECT_EQ(coordinates("Sw<3,3,3> o 0 o (8,64):(64,1)", 72), "(1,0)");
  // Far too large to enumerate: 2^60 elements.
  EXPECT_EQ(coordinates("(1073741824,1073741824):(1073741824,1)", 1073741825), "(1,1)");
  EXPECT_EQ(coordinates("(?,4):(4,1)", 1), "error: the layout is symbolic: (?,4):(4,1)");
}

TEST(OffsetMap, GivesUpOnHopelessOverlaps) {
  // 40 modes 2:2 reach even offsets only; an odd one is tried against 10^11 subsets.
  std::string shape = "(2", stride = "(2";
  for (int i = 1; i < 40; ++i) {
    shape += ",2";
    stride += ",2";
  }
  std::string text = shape + "):" + stride + ")";
  EXPECT_EQ(coordinates(text.c_str(), 40, 1).substr(0, 1), "(");
  EXPECT_NE(coordinates(text.c_str(), 39, 1).find("overlap too much"), std::string::npos);
}

TEST(OffsetMap, NamesGapsAndOverlaps) {
  // 4:2 reaches 0, 2, 4, 6.
  Result<OffsetMap> gaps = mapOffsets(C("4:2"), 100);
  ASSERT_TRUE(gaps);
  EXPECT_EQ(gaps->cosize, 7);
  ASSERT_EQ(gaps->missing.size(), 3u);
  EXPECT_EQ(gaps->missing[1].first, 3);
  EXPECT_TRUE(gaps->shared.empty());
  // (4,4):(1,2) reaches i + 2j: 2 to 7 twice each, 0, 1, 8 and 9 once.
  Result<OffsetMap> overlaps = mapOffsets(C("(4,4):(1,2)"), 100);
  ASSERT_TRUE(overlaps);
  ASSERT_EQ(overlaps->shared.size(), 1u);
  EXPECT_EQ(overlaps->shared[0].first, 2);
  EXPECT_EQ(overlaps->shared[0].last, 7);
  EXPECT_TRUE(mapOffsets(C("((2,2),2):((2,4),1)"), 100)->isCompact());
  EXPECT_EQ(mapOffsets(C("(1024,1024)"), 100).error().message,
            "the layout has 1048576 elements, at most 100 are enumerated");
}

} // namespace
