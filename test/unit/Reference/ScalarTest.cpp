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
static Number apply(const std::string &type, const std::string &body, Number a, Number b, ErrorBound *bound = nullptr,
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
  arguments.operands[2].bounds = bound;
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
  EXPECT_EQ(real("%r = math.round %a : f32", 2.5, 0), 3);
  EXPECT_EQ(real("%t = arith.truncf %a : f32 to f16\n%r = arith.extf %t : f16 to f32", 0.1, 0), 0.0999755859375); // 1638 * 2^-14
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
  EXPECT_EQ(whole("i8", "%r = arith.remsi %a, %b : i8", -7, 2), -1);
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
  // The quotient of the least integer and -1 does not fit, whatever the width.
  for (const char *op : {"divsi", "remsi"}) {
    apply<int64_t>("i8", std::string("%r = arith.") + op + " %a, %b : i8", -128, -1, nullptr, &fails);
    EXPECT_TRUE(fails);
    EXPECT_EQ(whole("i16", std::string("%r = arith.") + op + " %a, %b : i16", -128, -1), *op == 'd' ? 128 : 0);
  }
  apply<int64_t>("i8", "%r = arith.shli %a, %b : i8", 1, 8, nullptr, &fails);
  EXPECT_TRUE(fails);
}

//===----------------------------------------------------------------------===//
// Error bounds
//===----------------------------------------------------------------------===//

// Of single operations on f32, up to the evaluator's own roundings; u is half a unit in the last place of 1.
constexpr double u = 0x1p-24, inf = std::numeric_limits<double>::infinity();

static ErrorBound boundOf(const std::string &body, double a, double b) {
  ErrorBound bound;
  apply<double>("f32", body, a, b, &bound);
  return bound;
}
static double errorOf(const std::string &body, double a, double b) { return boundOf(body, a, b).total(); }

TEST(Bounds, AreZeroWhereNothingRounds) {
  EXPECT_EQ(errorOf("%r = arith.addf %a, %b : f32", 3, 0.25), 0);
  EXPECT_EQ(errorOf("%r = arith.mulf %a, %b : f32", -3, 5), 0);
  EXPECT_EQ(errorOf("%r = arith.divf %a, %b : f32", 6, -3), 0);
  EXPECT_EQ(errorOf("%r = math.sqrt %a : f32", 2.25, 0), 0);
  EXPECT_EQ(errorOf("%r = arith.maximumf %a, %b : f32", 0.1f, 7), 0);
  // Zero leaves all there is, infinities and NaN are what they are.
  EXPECT_EQ(errorOf("%r = arith.addf %a, %b : f32", 1e30f, 0), 0);
  EXPECT_EQ(errorOf("%r = arith.addf %a, %b : f32", -inf, 3), 0);
  EXPECT_EQ(errorOf("%r = arith.subf %a, %b : f32", inf, inf), 0);
}

TEST(Bounds, FollowFromTheValues) {
  // 2^24 + 1 is no number of the type.
  EXPECT_NEAR(errorOf("%r = arith.addf %a, %b : f32", 0x1p24, 1) / (u * (0x1p24 + 1)), 1, 1e-6);
  EXPECT_NEAR(errorOf("%r = arith.mulf %a, %b : f32", 0.1f, 0.1f) / (u * 0.01), 1, 1e-6);
  // What is cancelled leaves the error of the sum, not of the result: (1/3 + 1) - 1.
  std::string third = "%t = arith.divf %a, %b : f32\n";
  EXPECT_NEAR(errorOf(third + "%one = arith.constant 1.0 : f32\n%s = arith.addf %t, %one : f32\n%r = arith.subf %s, %one : f32", 1, 3) / u,
              1. / 3 + 2 * (1. / 3 + 2), 1e-3);
  // An argument that is off by u/3 moves exp by as much; exp itself is off by 2 units in the last place.
  double e = std::exp(1. / 3);
  EXPECT_NEAR(errorOf(third + "%r = math.exp %t : f32", 1, 3) / u, e / 3 + 4 * e, 1e-3);
}

// A maximum forgets how large the other number was, exp that its argument was off by more than the result; powers that are small may be taken for zero
// (CompileScalar.cpp: 2^-116, which a bound's own rounding makes a little more).
TEST(Bounds, DoNotOutliveTheirCause) {
  EXPECT_EQ(errorOf("%r = arith.maximumf %a, %b : f32", -1e30f, 0.5), 0);
  EXPECT_LE(errorOf("%d = arith.subf %a, %b : f32\n%r = math.exp %d : f32", -1e30f, 0.5), 0x1.001p-116);
  EXPECT_EQ(errorOf("%d = arith.subf %a, %b : f32\n%p = math.exp %d : f32\n%r = arith.mulf %p, %b : f32", -inf, 0), 0);
}

TEST(Bounds, AreInfiniteWhereNothingIsKnown) {
  std::string difference = "%t = arith.divf %a, %b : f32\n%d = arith.subf %t, %t : f32\n";
  EXPECT_EQ(errorOf(difference + "%r = arith.divf %a, %d : f32", 1, 3), inf);
  EXPECT_EQ(errorOf(difference + "%r = math.sqrt %d : f32", 1, 3), inf);
  EXPECT_EQ(errorOf(difference + "%r = math.log %d : f32", 1, 3), inf);
  // 1e20 * 1e20 passes the range of f32.
  EXPECT_EQ(errorOf("%r = arith.mulf %a, %b : f32", 1e20f, 1e20f), inf);
  // 0 * inf is NaN, and 1e-9 * inf is not.
  EXPECT_EQ(errorOf(difference + "%i = arith.constant 0x7F800000 : f32\n%r = arith.mulf %d, %i : f32", 1, 3), inf);
}

// A choice that errors may turn is off by as much as the two sides differ.
TEST(Bounds, OfChoices) {
  std::string third = "%t = arith.divf %a, %b : f32\n", one = "%one = arith.constant 1.0 : f32\n";
  std::string choose = "%r = arith.select %p, %a, %b : f32";
  EXPECT_EQ(errorOf(third + one + "%p = arith.cmpf olt, %t, %one : f32\n" + choose, 1, 3), 0);
  EXPECT_EQ(errorOf(third + "%p = arith.cmpf olt, %t, %t : f32\n" + choose, 1, 3), 2);
  // An integer that depends on such a choice is unknown.
  EXPECT_EQ(errorOf(third + "%p = arith.cmpf olt, %t, %t : f32\n%i = arith.extui %p : i1 to i32\n"
                            "%r = arith.sitofp %i : i32 to f32", 1, 3), inf);
}

// n numbers in any order: n u sum |x|, though their sum may be 0; nothing where they are multiples of one unit.
TEST(Bounds, OfSums) {
  ParsedKernel kernel = ParsedKernel::fromText(R"(
!x = memref<8xf32>
!y = memref<1xf32>
tile.kernel @f(%X: !x[8], %Y: !y[1]) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%X : !x) outs(%Y : !y) {
  ^bb0(%x: f32, %y: f32):
    %r = arith.addf %x, %y : f32
    linalg.yield %r : f32
  }
})");
  auto sumOf = [&](double scale, double last) {
    Buffer x({8}), y({1});
    x.fill([&](int64_t i, int64_t) { return i == 7 ? last : scale * (i % 2 ? 1 : -1); });
    y.data[0] = 0;
    Arguments arguments;
    arguments.operands = {x.view(), y.viewWithBounds()};
    EXPECT_TRUE(succeeded(evaluate(kernel.get(), arguments))) << kernel.said();
    return y.bounds[0].total();
  };
  auto sum = [&](double scale) { return sumOf(scale, scale); };
  EXPECT_EQ(sum(3), 0);
  EXPECT_EQ(sum(0x1p-3), 0);
  // 0.1f has 24 digits: 7 additions of 8 numbers round.
  EXPECT_NEAR(sum(0.1f) / (7 * u * 0.8), 1, 1e-5);
  // Of 7 threes and 0.1 in this order the last addition alone rounds; where 0.1 comes first all 7 do.
  EXPECT_NEAR(sumOf(3, 0.1f) / (7 * u * 21.1), 1, 1e-5);
}
