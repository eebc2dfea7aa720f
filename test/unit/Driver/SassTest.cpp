//===- SassTest.cpp - What a compiler made of products ----------*- C++ -*-===//

#include "../../../codegen/Driver/Sass.h"

#include "gtest/gtest.h"

using namespace tilec;

namespace {

/// A disassembly of `body` products in a loop, as cuobjdump prints it; `branch` is the text of its end.
std::string write(const std::vector<std::pair<std::string, unsigned>> &body, const std::string &branch, const std::string &label = "") {
  std::string text = "\t\tFunction : k\n";
  unsigned address = 0;
  auto add = [&](const std::string &instruction, unsigned control) {
    char line[256];
    snprintf(line, sizeof line, "        /*%04x*/  %s ;  /* 0x0000009498857223 */\n                 /* 0x%016llx */\n", address, instruction.c_str(),
             static_cast<unsigned long long>(control) << 41);
    text += line;
    address += 16;
  };
  add("MOV R1, R2", 1);
  text += label;
  for (const auto &[instruction, control] : body)
    add(instruction, control);
  add(branch, 5);
  add("STL [R1], R2", 1);
  add("EXIT", 5);
  return text;
}

using Body = std::vector<std::pair<std::string, unsigned>>;

TEST(SassTest, addsUpStallsAndConflictsOfALoop) {
  // Registers 2 and 4 lie in the even bank, 3 in the odd one.
  Body body;
  for (int i = 0; i < 40; ++i) {
    body.push_back({"FFMA R8, R2, R4, R6", 2});
    body.push_back({"@P0 FFMA R9, R2, R3, R7", 1});
  }
  SassFigures figures = readSass(write(body, "@P1 BRA 0x10"));
  ASSERT_EQ(figures.loops.size(), 1u);
  EXPECT_EQ(figures.loops[0].instructions, 81u);
  EXPECT_EQ(figures.loops[0].products, 80u);
  EXPECT_EQ(figures.loops[0].stalls, 40u * 2 + 40 + 5);
  EXPECT_EQ(figures.loops[0].conflicts, 40u);
  EXPECT_EQ(figures.spills, 1u);
  // Of the first products 2, 4 and 6 are even, of the others 2, and 3 and 7 are odd.
  EXPECT_EQ(figures.loops[0].fresh[0], 40u * 3 + 40);
  EXPECT_EQ(figures.loops[0].fresh[1], 40u * 2);
  EXPECT_DOUBLE_EQ(*figures.getCyclesPerProduct(), 0.48 + (0.54 * 125 + 0.18 * 160 + 0.09 * 40) / 80);
}

TEST(SassTest, seesRegistersThatAreReused) {
  // The first product keeps R2 and R4 (bits 17 and 18), so that the second one reads R6 alone.
  Body body;
  for (int i = 0; i < 40; ++i) {
    body.push_back({"FFMA R8, R2.reuse, R4.reuse, R6", 1 | 3 << 17});
    body.push_back({"FFMA R8, R2, R4, R10", 1});
  }
  SassFigures figures = readSass(write(body, "BRA 0x10"));
  ASSERT_EQ(figures.loops.size(), 1u);
  EXPECT_EQ(figures.loops[0].conflicts, 40u);
}

TEST(SassTest, knowsLabels) {
  Body body(64, {"FFMA R8, R2, R3, RZ", 1});
  EXPECT_EQ(readSass(write(body, "BRA `(.L_x_3)", ".L_x_3:\n")).loops.size(), 1u);
  EXPECT_EQ(readSass(write(body, "BRA `(.L_x_4)", ".L_x_3:\n")).loops.size(), 0u);
}

TEST(SassTest, hasNothingToSayOfOtherText) {
  EXPECT_FALSE(readSass("").getCyclesPerProduct());
  EXPECT_FALSE(readSass("cuobjdump fatal : no such file\n/* 0x */\n/*zz*/ FFMA ; /* 0x1 */\n").getCyclesPerProduct());
  // Ahead, and too short.
  EXPECT_FALSE(readSass(write(Body(64, {"FFMA R8, R2, R3, R4", 1}), "BRA 0xffff0")).getCyclesPerProduct());
  EXPECT_FALSE(readSass(write(Body(63, {"FFMA R8, R2, R3, R4", 1}), "BRA 0x10")).getCyclesPerProduct());
}

} // namespace
