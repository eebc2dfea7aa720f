//===- HostileTextTest.cpp - Text that is not a layout ----------*- C++ -*-===//
//
// Every refusal names the column and comes at once.
//
//===----------------------------------------------------------------------===//

#include "LayoutTestUtils.h"

#include <chrono>

using namespace tilec::layout;

namespace {

/// "column: message" of a text that must be refused within 200 ms.
std::string refusal(const std::string &text) {
  auto start = std::chrono::steady_clock::now();
  Result<ComposedLayout> result = parseComposedLayout(text);
  double millis =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  EXPECT_LT(millis, 200.0);
  if (result)
    return "accepted: " + result->str();
  return std::to_string(result.error().column) + ": " + result.error().message;
}

TEST(HostileText, DeepAndWide) {
  EXPECT_EQ(refusal(std::string(10000, '(')), "65: brackets nest deeper than 64");
  EXPECT_EQ(refusal(std::string(10000, '(') + "1" + std::string(10000, ')')),
            "65: brackets nest deeper than 64");
  // 64 levels are fine.
  EXPECT_EQ(refusal(std::string(64, '(') + "1" + std::string(64, ')') + ":0"),
            "1: shape and stride differ at the whole: " + std::string(64, '(') + "1" +
                std::string(64, ')') + " against 0");
  std::string wide = "(1";
  for (int i = 0; i < 300000; ++i)
    wide += ",1";
  // The opening bracket counts as one of 4096, so the 4096th leaf is refused: column 2 + 2*4095.
  EXPECT_EQ(refusal(wide + ")"), "8192: more than 4096 modes");
}

TEST(HostileText, Numbers) {
  EXPECT_EQ(refusal(std::string(1 << 20, '9')),
            "1: a number of 1048576 digits is beyond 9223372036854775807");
  EXPECT_EQ(refusal("(4,9223372036854775808)"),
            "4: a number of 19 digits is beyond 9223372036854775807");
  EXPECT_EQ(refusal("(4,-2)"), "4: negative numbers are not supported");
  EXPECT_EQ(refusal("(4,2):(1,-4)"), "10: negative numbers are not supported");
  EXPECT_EQ(refusal("(4,0)"), "1: the extent of mode 1 is 0, at least 1 is needed");
  EXPECT_EQ(refusal("(4,2.5)"), "5: expected ')' or ',' after a mode, got '.'");
}

TEST(HostileText, Overflow) {
  // 2^32 * 2^32.
  EXPECT_EQ(refusal("(4294967296,4294967296)"),
            "1: the size of shape (4294967296,4294967296) overflows 64 bits");
  EXPECT_EQ(refusal("(4294967296,4294967296):(0,0)"),
            "1: the size of shape (4294967296,4294967296) overflows 64 bits");
  // (3-1) * 2^62 = 2^63.
  EXPECT_EQ(refusal("3:4611686018427387904"),
            "1: the offsets of 3:4611686018427387904 overflow 64 bits");
  // 2^63 - 1 is the largest offset but one: cosize would be 2^63.
  EXPECT_EQ(refusal("2:9223372036854775807"),
            "1: the offsets of 2:9223372036854775807 overflow 64 bits");
  EXPECT_EQ(refusal("(?,4294967296,4294967296):(0,0,0)"),
            "1: the size of shape (?,4294967296,4294967296) overflows 64 bits");
  EXPECT_EQ(refusal("9223372036854775807"), "accepted: 9223372036854775807:1");
}

TEST(HostileText, Shapes) {
  EXPECT_EQ(refusal(""), "1: expected a number, got the end");
  EXPECT_EQ(refusal("()"), "2: a tuple has at least one mode, got ()");
  EXPECT_EQ(refusal("(2,()):(1,())"), "5: a tuple has at least one mode, got ()");
  EXPECT_EQ(refusal("(2,)"), "4: expected a number, got ')'");
  EXPECT_EQ(refusal("(2,3"), "5: expected ')' or ',' after a mode, got the end");
  EXPECT_EQ(refusal("(2,3):(1,2,3)"),
            "1: shape and stride differ at the whole: (2,3) against (1,2,3)");
  EXPECT_EQ(refusal("(2,(3,4)):(1,2)"), "1: shape and stride differ at mode 1: (3,4) against 2");
  EXPECT_EQ(refusal("(2,3):(1,2):(1,2)"), "12: expected the end, got ':'");
  EXPECT_EQ(refusal("2 3"), "3: expected the end, got '3'");
}

TEST(HostileText, Bytes) {
  // U+FF08, a full-width bracket, is 0xef 0xbc 0x88.
  EXPECT_EQ(refusal("\xef\xbc\x88"
                    "2,2)"),
            "1: expected a number, got byte 0xef");
  // U+0662, an Arabic digit two.
  EXPECT_EQ(refusal("(2,\xd9\xa2)"), "4: expected a number, got byte 0xd9");
  EXPECT_EQ(refusal(std::string("(2\0,2)", 6)),
            "3: expected ')' or ',' after a mode, got byte 0x00");
  EXPECT_EQ(refusal("(2,\x1b[31m)"), "4: expected a number, got byte 0x1b");
}

TEST(HostileText, ComposedAndTilers) {
  EXPECT_EQ(refusal("Sw<3,3,3>"), "10: expected 'o' between a swizzle and an offset, got the end");
  EXPECT_EQ(refusal("Sw<3,3> o 0 o 4:1"), "7: expected ',' after M, got '>'");
  EXPECT_EQ(refusal("Sw<3,3,3> o 9223372036854775807 o 4:1"),
            "13: the offsets of 9223372036854775807 o 4:1 overflow 64 bits");
  EXPECT_EQ(parseTiler(std::string(10000, '[')).error().message, "brackets nest deeper than 64");
  EXPECT_EQ(parseTiler("[2:1,").error().column, 6u);
  EXPECT_EQ(parseTiler("[2:1,]").error().message, "expected a number, got ']'");
}

TEST(HostileText, OperationsThatOverflowAreRefused) {
  Layout huge = L("9223372036854775807:1");
  // Every result is either exact or an error; none may trap.
  EXPECT_EQ(str(logicalProduct(huge, L("4:1"))),
            "error: product: size 9223372036854775807 times cosize 4 overflows 64 bits");
  EXPECT_FALSE(composition(L("2:4611686018427387904"), L("4:2")));
  // 3 * 4611686018427387903 is beyond 2^63.
  EXPECT_FALSE(composition(L("2:4611686018427387903"), L("4:1")));
  EXPECT_EQ(str(complement(L("2:4611686018427387904"), 9)),
            "error: complement: the end of leaf 0 (2:4611686018427387904) overflows 64 bits");
  EXPECT_FALSE(leftInverse(L("2:4611686018427387904")));
  EXPECT_EQ(str(complement(huge, INT64_MAX)), "1:0");
}

} // namespace
