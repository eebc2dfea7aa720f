//===- CompareTest.cpp - Judging results ----------------------*- C++ -*-===//
//
// Bitwise and bounded comparison, special values included.
//
//===----------------------------------------------------------------------===//

#include "tilec/Runtime/Compare.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

using namespace tilec::runtime;

namespace {

const double nan = std::nan("");
const double inf = std::numeric_limits<double>::infinity();

HostTensor row(ElementType type, const std::vector<double> &values) {
  HostTensor tensor = *HostTensor::create(type, {2, int64_t(values.size()) / 2}, {100, 1});
  EXPECT_FALSE(tensor.fromDoubles(values));
  return tensor;
}

TEST(Compare, ExactCountsAndNamesTheFirst) {
  Comparison same = *compareExactly(row(ElementType::F32, {1, 2, 3, 4}), {1, 2, 3, 4});
  EXPECT_TRUE(same.equal());
  EXPECT_EQ(describe(same, "C"), "all 4 elements of C agree, largest error 0");

  Comparison wrong = *compareExactly(row(ElementType::F32, {1, 2, 3.5, 7}), {1, 2, 3, 4});
  EXPECT_EQ(wrong.mismatches, 2);
  EXPECT_EQ(wrong.first->coordinate, (std::vector<int64_t>{1, 0}));
  EXPECT_EQ(wrong.maxError, 3.0);
  EXPECT_EQ(describe(wrong, "C"),
            "2 of 4 elements differ, first at C[1, 0]: 3.5 instead of 3; largest error 3");
}

// 2^62 and 2^62 + 1 are one double.
TEST(Compare, IntegersInAllTheirBits) {
  HostTensor result = row(ElementType::S64, {0x1p62, -3});
  int64_t large = int64_t(1) << 62;
  EXPECT_TRUE(compareIntegers(result, {large, -3})->equal());
  Comparison wrong = *compareIntegers(result, {large + 1, -3});
  EXPECT_EQ(wrong.mismatches, 1);
  EXPECT_EQ(wrong.first->coordinate, (std::vector<int64_t>{0, 0}));
  EXPECT_TRUE(compareIntegers(row(ElementType::S8, {-128, 127}), {-128, 127})->equal());
}

TEST(Compare, ExactRoundsTheReferenceAndSeesTheLastBit) {
  // 1 + 2^-11 is midway between two f16 and rounds to 1.
  EXPECT_TRUE(compareExactly(row(ElementType::F16, {1, 1}), {1 + 0x1p-11, 1})->equal());
  EXPECT_FALSE(compareExactly(row(ElementType::F16, {1 + 0x1p-10, 1}), {1, 1})->equal());
  EXPECT_FALSE(compareExactly(row(ElementType::F32, {-0.0, 1}), {0.0, 1})->equal());
  EXPECT_TRUE(compareExactly(row(ElementType::F32, {nan, inf}), {nan, inf})->equal());
  Comparison special = *compareExactly(row(ElementType::F32, {nan, -inf}), {1, inf});
  EXPECT_EQ(special.mismatches, 2);
  EXPECT_EQ(special.maxError, inf);
}

TEST(Compare, Within) {
  Comparison c =
      *compareWithin(row(ElementType::F32, {1.125, 2, 3, 4}), {1, 2, 3, 4.5}, {0.25, 0, 0, 0.25});
  EXPECT_EQ(c.mismatches, 1);
  EXPECT_EQ(c.first->coordinate, (std::vector<int64_t>{1, 1}));
  EXPECT_EQ(c.maxError, 0.5);
  EXPECT_EQ(c.maxErrorOverBound, 2.0);
  EXPECT_EQ(describe(c, "C"), "1 of 4 elements differ, first at C[1, 1]: 4 instead of 4.5 "
                              "(allowed 0.25); largest error 0.5");
}

TEST(Compare, WithinTreatsSpecialValuesAsSuch) {
  auto agrees = [](double actual, double expected, double bound) {
    return compareWithin(row(ElementType::F32, {actual, 0}), {expected, 0}, {bound, 0})->equal();
  };
  EXPECT_TRUE(agrees(nan, nan, 0));
  EXPECT_FALSE(agrees(nan, 1, inf));
  EXPECT_FALSE(agrees(1, nan, inf));
  EXPECT_FALSE(agrees(1, 1.5, nan));
  EXPECT_FALSE(agrees(1, 1.5, inf));
  EXPECT_TRUE(agrees(inf, inf, 0));
  EXPECT_FALSE(agrees(inf, -inf, inf));
  EXPECT_FALSE(agrees(inf, 1, inf));
  // A bound of 0 asks for the bits.
  EXPECT_FALSE(agrees(-0.0, 0.0, 0));
  EXPECT_TRUE(agrees(-0.0, 0.0, 1e-30));
  Comparison zeros = *compareWithin(row(ElementType::F32, {-0.0, 1}), {0, 0}, {0, 0}, ZeroSigns::Free);
  EXPECT_EQ(zeros.mismatches, 1);
  EXPECT_EQ(zeros.first->actual, 1);
  // 1e39 is out of the range of f32.
  EXPECT_TRUE(agrees(inf, 1e39, 0));
}

TEST(Compare, CountsMustMatch) {
  EXPECT_EQ(compareExactly(row(ElementType::F32, {1, 2}), {1}).message(),
            "a result of 2 elements with 1 reference values");
  EXPECT_EQ(compareWithin(row(ElementType::F32, {1, 2}), {1, 2}, {}).message(),
            "a result of 2 elements with 0 bounds");
}

} // namespace
