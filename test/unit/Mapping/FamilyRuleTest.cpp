//===- FamilyRuleTest.cpp - Which kernel for which sizes ------*- C++ -*-===//

#include "tilec/Mapping/FamilyRule.h"

#include "gtest/gtest.h"

#include <cmath>

namespace tilec::mapping {
namespace {

using Kind = FamilyQuestion::Kind;

TEST(FamilyRule, OneCandidateIsEnoughWhereOthersHardlyPay) {
  // The second is faster at one shape of two by 1 %: ln 1.01 = 0.00995 is less than what a question
  // at two shapes must bring, 0.02.
  FamilyRule rule = findRule({{{64}, {128}}, {{1.0, 1.01}, {1.5, 1.0}}});
  EXPECT_FALSE(rule.question);
  EXPECT_EQ(rule.candidate, 0u);
}

TEST(FamilyRule, AsksForALimit) {
  // 3 % at one of two: ln 1.03 = 0.0296.
  FamilyRule rule = findRule({{{64}, {128}}, {{1.0, 1.03}, {1.5, 1.0}}});
  ASSERT_TRUE(rule.question);
  EXPECT_EQ(rule.question->kind, Kind::Less);
  EXPECT_EQ(rule.question->number, 128);
  EXPECT_EQ(rule.choose({64}), 0u);
  EXPECT_EQ(rule.choose({127}), 0u);
  EXPECT_EQ(rule.choose({128}), 1u);
  EXPECT_EQ(rule.listCandidates(), (std::vector<unsigned>{0, 1}));
}

TEST(FamilyRule, AsksForWholeVectors) {
  // Odd rows among even ones: no limit parts them, a multiple does.
  FamilyRule rule = findRule({{{4, 1000}, {4, 1001}, {4, 1002}, {4, 1003}, {4, 1004}},
                              {{1, 3, 1, 3, 1}, {2, 2, 2, 2, 2}}});
  ASSERT_TRUE(rule.question);
  EXPECT_EQ(rule.question->kind, Kind::Multiple);
  EXPECT_EQ(rule.question->size, 1u);
  EXPECT_EQ(rule.question->number, 2);
  EXPECT_EQ(rule.choose({4, 2000}), 0u);
  EXPECT_EQ(rule.choose({4, 2001}), 1u);
}

TEST(FamilyRule, AsksTwice) {
  // The middle of three is another's, and what asks first gains least by itself.
  FamilyRule rule = findRule({{{1}, {2}, {3}}, {{1, 2, 1}, {2, 1, 2}}});
  ASSERT_TRUE(rule.question);
  EXPECT_EQ(rule.choose({1}), 0u);
  EXPECT_EQ(rule.choose({2}), 1u);
  EXPECT_EQ(rule.choose({3}), 0u);
}

TEST(FamilyRule, TakesNothingThatDoesNotRun) {
  FamilyRule rule = findRule({{{1}, {2}}, {{0.1, INFINITY}, {1, 1}}});
  EXPECT_EQ(rule.choose({1}), 0u);
  EXPECT_EQ(rule.choose({2}), 1u);
}

} // namespace
} // namespace tilec::mapping
