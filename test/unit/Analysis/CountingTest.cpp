//===- CountingTest.cpp - How many points satisfy bounds --------*- C++ -*-===//
//
// Closed counts against enumeration.
//
//===----------------------------------------------------------------------===//

#include "tilec/Analysis/Counting.h"

#include "gtest/gtest.h"

#include <random>

using namespace tilec::analysis;

namespace {

TEST(Counting, CountsAllWithoutBounds) {
  CountingProblem problem;
  problem.addVariable(3);
  problem.addVariable(5);
  EXPECT_EQ(problem.count(), 15);
}

TEST(Counting, NothingWhereALoopIsEmpty) {
  CountingProblem problem;
  unsigned x = problem.addVariable(0);
  problem.addBound({{{x, 4}}, 0, 100});
  EXPECT_EQ(problem.count(), 0);
}

TEST(Counting, CutsTheLastTile) {
  // 1000 elements in 16 tiles of 64: the last tile holds 1000 - 15 * 64 = 40.
  CountingProblem problem;
  unsigned tile = problem.addVariable(16), element = problem.addVariable(64);
  problem.addBound({{{tile, 64}, {element, 1}}, 0, 1000});
  EXPECT_EQ(problem.count(), 1000);
}

TEST(Counting, CountsHalosTwice) {
  // Tiles of 34 at 32 * t - 1 for t = 0, 1, of 64 elements: the first lacks element -1, the last
  // lacks 64: 2 * 34 - 2.
  CountingProblem problem;
  unsigned tile = problem.addVariable(2), element = problem.addVariable(34);
  problem.addBound({{{tile, 32}, {element, 1}}, 1, 65});
  EXPECT_EQ(problem.count(), 66);
}

TEST(Counting, RefusesWhatExceeds64Bits) {
  CountingProblem problem;
  for (int i = 0; i < 3; ++i)
    problem.addVariable(int64_t(1) << 31);
  EXPECT_EQ(problem.count(), std::nullopt);
}

int64_t enumerate(const std::vector<int64_t> &counts, const std::vector<CountBound> &bounds) {
  int64_t found = 0;
  std::vector<int64_t> values(counts.size(), 0);
  for (;;) {
    bool inside = true;
    for (const CountBound &bound : bounds) {
      int64_t sum = 0;
      for (const CountTerm &term : bound.terms)
        sum += term.factor * values[term.variable];
      inside &= sum >= bound.lower && sum < bound.upper;
    }
    found += inside;
    size_t i = 0;
    while (i < counts.size() && ++values[i] == counts[i])
      values[i++] = 0;
    if (i == counts.size())
      return found;
  }
}

// (formula 1) Random problems of four variables, of which bounds may share some, with factors of
// both signs.
TEST(Counting, AgreesWithEnumeration) {
  std::mt19937 random(7);
  auto pick = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  for (int round = 0; round < 2000; ++round) {
    CountingProblem problem;
    std::vector<int64_t> counts;
    for (int i = 0; i < 4; ++i) {
      counts.push_back(pick(1, 6));
      problem.addVariable(counts.back());
    }
    std::vector<CountBound> bounds(pick(0, 3));
    for (CountBound &bound : bounds) {
      for (unsigned variable = 0; variable < 4; ++variable)
        if (int factor = pick(-3, 8); pick(0, 1) && factor)
          bound.terms.push_back({variable, factor});
      bound.lower = pick(-5, 5);
      bound.upper = bound.lower + pick(0, 40);
      problem.addBound(bound);
    }
    ASSERT_EQ(problem.count(), enumerate(counts, bounds)) << "round " << round;
  }
}

} // namespace
