//===- ScalarTest.cpp - Scalar operations ------------------------*- C++ -*-===//
//
// Each op of a body on chosen numbers.
//
//===----------------------------------------------------------------------===//

#include "ReferenceTestUtils.h"

#include <cmath>

using namespace tilec::reference;

/// Applies `body`, which computes %r from %a and %b, to one element each.
template <typename Number>
static Number apply(const std::string &type, const std::string &body, Number a, Number b, double *magnitude = nullptr,
                    bool *fails = nullptr) {
  std::string memref = "memref<1x" + type + ">";
  ParsedKernel kernel = ParsedKernel::fromText(
      "tile.kernel @f(%A: " + memref + "[1], %B: " + memref + "[1], %C: " + memref + "[1]) {\n" +
      "linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], "
      "iterator_types = [\"parallel\"]} ins(%A, %B : " +
      memref + ", " + memref + ") outs(%C : " + memref + ") {\n^bb0(%a: " + type + ", %b: " + type + ", %c: " + type +
      "):\n" + body + "\nlinalg.yield %r : " + type + "\n}\n}");
  Number c = 0;
  Arguments arguments;
  for (Number *number : {&a, &b, &c}) {
    BufferView &view = arguments.operands.emplace_back();
    view.data = number;
    view.shape = view.strides = {1};
  }
  arguments.operands[2].magnitude = magnitude;
  bool ok = succeeded(evaluate(kernel.get(), arguments));
  EXPECT_EQ(ok, !fails) << kernel.said();
  if (fails)
    *fails = !ok;
  return c;
}

static double real(const std::string &body, double a, double b) { return apply<double>("f32", body, a, b); }
static int64_t whole(const std::string &type, const std::string &body, int64_t a, int64_t b) {
  return apply<int64_t>(type, body, a, b);
}

TEST(Scalars, FloatingPoint) {
  EXPECT_EQ(real("%r = arith.subf %a, %b : f32", 3, 5), -2);
  EXPECT_EQ(real("%r = arith.divf %a, %b : f32", 3, 4), 0.75);
  EXPECT_EQ(real("%r = arith.remf %a, %b : f32", -7, 4), -3);
  EXPECT_TRUE(std::isnan(real("%r = arith.maximumf %a, %b : f32", NAN, 4)));
  EXPECT_EQ(real("%r = arith.maxnumf %a, %b : f32", NAN, 4), 4);
  EXPECT_EQ(real("%r = arith.minimumf %a, %b : f32", -1, 4), -1);
  // Of two zeros +0 is the greater, on either side.
  for (double zero : {0.0, -0.0}) {
    EXPECT_FALSE(std::signbit(real("%r = arith.maximumf %a, %b : f32", zero, -zero)));
    EXPECT_TRUE(std::signbit(real("%r = arith.minimumf %a, %b : f32", zero, -zero)));
    EXPECT_FALSE(std::signbit(real("%r = arith.maxnumf %a, %b : f32", zero, -zero)));
    EXPECT_TRUE(std::signbit(real("%r = arith.minnumf %a, %b : f32", zero, -zero)));
  }
  EXPECT_EQ(real("%r = math.exp %a : f32", 1, 0), std::exp(1.0));
  EXPECT_EQ(real("%r = math.rsqrt %a : f32", 4, 0), 0.5);
  EXPECT_EQ(real("%r = math.powf %a, %b : f32", 2, 10), 1024);
  EXPECT_EQ(real("%r = math.roundeven %a : f32", 2.5, 0), 2);
  EXPECT_EQ(real("%t = arith.truncf %a : f32 to f16\n%r = arith.extf %t : f16 to f32", 0.1, 0), 0.1);
}

TEST(Scalars, FloatingPointChoices) {
  std::string choose = "\n%r = arith.select %p, %a, %b : f32";
  EXPECT_EQ(real("%p = arith.cmpf olt, %a, %b : f32" + choose, 1, 2), 1);
  EXPECT_EQ(real("%p = arith.cmpf ogt, %a, %b : f32" + choose, 1, 2), 2);
  EXPECT_EQ(real("%p = arith.cmpf une, %a, %a : f32" + choose, 1, 2), 2);
  EXPECT_EQ(real("%p = arith.cmpf uno, %a, %b : f32\n%r = arith.select %p, %b, %a : f32", NAN, 2), 2);
}

TEST(Scalars, IntegersWrapAtTheirWidth) {
  EXPECT_EQ(whole("i8", "%r = arith.addi %a, %b : i8", 127, 1), -128);
  EXPECT_EQ(whole("i32", "%r = arith.muli %a, %b : i32", 65536, 65536 * 2 + 1), 65536);
  EXPECT_EQ(whole("i64", "%r = arith.muli %a, %b : i64", int64_t(1) << 62, 2), std::numeric_limits<int64_t>::min());
  // Exact beyond the 53 bits of a double.
  EXPECT_EQ(whole("i64", "%r = arith.addi %a, %b : i64", (int64_t(1) << 53) + 1, 2), (int64_t(1) << 53) + 3);
  EXPECT_EQ(whole("i8", "%r = arith.divui %a, %b : i8", -2, 2), 127);
  EXPECT_EQ(whole("i8", "%r = arith.divsi %a, %b : i8", -7, 2), -3);
  EXPECT_EQ(whole("i8", "%r = arith.floordivsi %a, %b : i8", -7, 2), -4);
  EXPECT_EQ(whole("i8", "%r = arith.ceildivsi %a, %b : i8", 7, 2), 4);
  EXPECT_EQ(whole("i8", "%r = arith.shrui %a, %b : i8", -128, 7), 1);
  EXPECT_EQ(whole("i8", "%r = arith.shrsi %a, %b : i8", -128, 7), -1);
  EXPECT_EQ(whole("i8", "%r = arith.maxui %a, %b : i8", -1, 5), -1);
  EXPECT_EQ(whole("i8", "%r = arith.maxsi %a, %b : i8", -1, 5), 5);
}

TEST(Scalars, IntegerConversions) {
  EXPECT_EQ(whole("i32", "%t = arith.trunci %a : i32 to i8\n%r = arith.extui %t : i8 to i32", -1, 0), 255);
  EXPECT_EQ(whole("i32", "%t = arith.trunci %a : i32 to i8\n%r = arith.extsi %t : i8 to i32", 255, 0), -1);
  EXPECT_EQ(whole("i32", "%p = arith.cmpi slt, %a, %b : i32\n%r = arith.extui %p : i1 to i32", -1, 1), 1);
  EXPECT_EQ(whole("i32", "%p = arith.cmpi slt, %a, %b : i32\n%r = arith.extsi %p : i1 to i32", -1, 1), -1);
  EXPECT_EQ(whole("i32", "%p = arith.cmpi ult, %a, %b : i32\n%r = arith.extui %p : i1 to i32", -1, 1), 0);
  EXPECT_EQ(whole("i32", "%f = arith.uitofp %a : i32 to f64\n%h = arith.constant 0.5 : f64\n"
                         "%g = arith.mulf %f, %h : f64\n"
                         "%r = arith.fptosi %g : f64 to i32", -2, 0), 2147483647);
}

TEST(Scalars, WhatHasNoResultIsAnError) {
  bool fails = false;
  apply<int64_t>("i32", "%r = arith.divsi %a, %b : i32", 1, 0, nullptr, &fails);
  EXPECT_TRUE(fails);
  apply<int64_t>("i32", "%f = arith.sitofp %a : i32 to f64\n%r = arith.fptoui %f : f64 to i32", -1, 0, nullptr, &fails);
  EXPECT_TRUE(fails);
}

TEST(Scalars, Magnitudes) {
  double magnitude = 0;
  auto magnitudeOf = [&](const std::string &body, double a, double b) {
    apply<double>("f32", body, a, b, &magnitude);
    return magnitude;
  };
  EXPECT_EQ(magnitudeOf("%r = arith.subf %a, %b : f32", 3, 3), 6);
  EXPECT_EQ(magnitudeOf("%r = arith.mulf %a, %b : f32", -3, 5), 15);
  // (a - b) * b with a = b: 0, but the difference was made of 6, so 6 * 3.
  EXPECT_EQ(magnitudeOf("%d = arith.subf %a, %b : f32\n%r = arith.mulf %d, %b : f32", 3, 3), 18);
  // 6 / 3 from exact numbers.
  EXPECT_EQ(magnitudeOf("%r = arith.divf %a, %b : f32", 6, -3), 2);
  // exp(0) with an argument that is a difference of 2 and 2: 1 * (1 + 4).
  EXPECT_EQ(magnitudeOf("%d = arith.subf %a, %b : f32\n%r = math.exp %d : f32", 2, 2), 5);
}
