//===- DrawTest.cpp - Pictures of layouts -----------------------*- C++ -*-===//

#include "LayoutTestUtils.h"

#include "tilec/Layout/Draw.h"

using namespace tilec::layout;

namespace {

std::string svg(const Result<std::string> &result) {
  EXPECT_TRUE(result) << result.error().message;
  return result ? *result : "";
}

size_t count(const std::string &text, const std::string &part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

/// Tags nest and match, and no stray "<" or "&" is left in text.
void expectWellFormed(const std::string &text) {
  std::vector<std::string> open;
  for (size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at + 1)) {
    size_t end = text.find('>', at);
    ASSERT_NE(end, std::string::npos);
    std::string tag = text.substr(at + 1, end - at - 1);
    ASSERT_FALSE(tag.empty());
    if (tag[0] == '/') {
      ASSERT_FALSE(open.empty());
      ASSERT_EQ(tag.substr(1), open.back());
      open.pop_back();
    } else if (tag.back() != '/') {
      open.push_back(tag.substr(0, tag.find(' ')));
    }
  }
  EXPECT_TRUE(open.empty());
  EXPECT_EQ(count(text, "&"), count(text, "&lt;") + count(text, "&gt;") + count(text, "&amp;"));
}

TEST(Draw, OffsetsAsAGrid) {
  std::string text = svg(drawLayout(C("(2,4):(4,1)")));
  expectWellFormed(text);
  // One text line for each of two rows; columns are one character wide plus a space either side.
  EXPECT_NE(text.find(">0  1  2  3</text>\n<text class=\"h\""), std::string::npos) << text;
  EXPECT_NE(text.find(">4  5  6  7</text>"), std::string::npos);
  EXPECT_EQ(count(text, "class=\"c\""), 2u);
  // Offsets 0 to 7 have eight greys.
  EXPECT_EQ(count(text, "class=\"b\""), 8u);
}

TEST(Draw, RankAboveTwoAsPlanes) {
  std::string text = svg(drawLayout(C("(2,4,3,2):(4,1,8,24)")));
  expectWellFormed(text);
  for (const char *plane : {"(_,_,0,0)", "(_,_,2,0)", "(_,_,2,1)"})
    EXPECT_EQ(count(text, plane), 1u) << plane;
  EXPECT_EQ(count(text, "class=\"l\""), 6u);
}

TEST(Draw, SwizzleBeforeAndAfterWithBanks) {
  std::string text = svg(drawLayout(C("Sw<3,3,3> o 0 o (8,64):(64,1)")));
  expectWellFormed(text);
  EXPECT_NE(text.find("Sw&lt;3,3,3&gt; o 0 o (8,64):(64,1)"), std::string::npos);
  EXPECT_NE(text.find("before the swizzle"), std::string::npos);
  EXPECT_NE(text.find("28-31"), std::string::npos);
  // Row 1 starts at 64 before and at 72 after.
  EXPECT_NE(text.find(">64   65 "), std::string::npos);
  EXPECT_NE(text.find(">72   73 "), std::string::npos);
}

TEST(Draw, InstructionOperandsTogether) {
  std::string text = svg(drawInstruction(*instructionLayout("mma.m16n8k16.16")));
  expectWellFormed(text);
  for (const char *title : {"A  ((4,8),(2,2,2))", "B  ((4,8),(2,2))", "C  ((4,8),(2,2))"})
    EXPECT_EQ(count(text, title), 1u) << title;
  // Row 0 of A and of C start with thread 0, values 0 and 1; B is drawn (K,N), so 0 and 4 follow.
  EXPECT_EQ(count(text, ">T0V0   T0V1 "), 2u);
  EXPECT_EQ(count(text, ">T0V0   T4V0 "), 1u);
  for (const std::string &name : instructionNames())
    expectWellFormed(svg(drawInstruction(*instructionLayout(name))));
}

TEST(Draw, ThreadValues) {
  std::string text = svg(drawThreadValue(L("(4,2):(0,1)"), L("(1,3)")));
  // Four threads hold element 0, nobody holds element 2.
  EXPECT_NE(text.find(">T0V0+3  T0V1+3</text>"), std::string::npos) << text;
  EXPECT_EQ(drawThreadValue(L("(4,2):(2,1)"), L("(2,3)")).error().message,
            "the thread/value layout (4,2):(2,1) reaches index 7 of a tile of 6 elements");
  EXPECT_EQ(drawThreadValue(L("4:2"), L("(2,4)")).error().message,
            "a thread/value layout has rank 2, 4:2 has rank 1");
}

TEST(Draw, DivideColoursTiles) {
  std::string text = svg(drawDivide(C("(4,4):(4,1)"), T("[2:1,2:1]")));
  expectWellFormed(text);
  // Four tiles, four colours, in the layout and again in the zipped result.
  EXPECT_EQ(count(text, "class=\"b\""), 8u);
  // Uneven: 13 elements in tiles of 5 leave two cells of the last tile empty.
  std::string uneven = svg(drawDivide(C("13:2"), T("5:1")));
  EXPECT_NE(uneven.find(">8  18</text>"), std::string::npos) << uneven;
}

TEST(Draw, StaysSmall) {
  constexpr size_t kLimit = 300 * 1024;
  EXPECT_LT(svg(drawLayout(C("(128,64):(64,1)"))).size(), kLimit);
  EXPECT_LT(svg(drawLayout(C("(128,64):(1,128)"))).size(), kLimit);
  EXPECT_LT(svg(drawLayout(C("Sw<3,3,3> o 0 o (128,64):(64,1)"))).size(), kLimit);
  EXPECT_LT(svg(drawDivide(C("(128,64):(64,1)"), T("[2:1,2:1]"))).size(), kLimit);
  EXPECT_LT(
      svg(drawThreadValue(L("((4,8,8),(2,2,8)):((256,1,16),(128,8,1024))"), L("(128,64)"))).size(),
      kLimit);
  EXPECT_EQ(drawLayout(C("(512,512)")).error().message,
            "a picture of 262144 cells, at most 32768 are drawn");
}

} // namespace
