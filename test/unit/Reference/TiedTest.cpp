//===- TiedTest.cpp - Tiles that a loop ties together -----------*- C++ -*-===//
//
// Tuples are combined in the order that docs/language.md says (7.6).
//
//===----------------------------------------------------------------------===//

#include "ReferenceTestUtils.h"

using namespace tilec;
using namespace tilec::reference;

/// What `combine` of the test below makes of two.
static double join(double lower, double upper) { return 3 * lower + 5 * upper; }

/// The values of one induction variable put together: `paired` neighbours in pairs, then one after the other.
static double fold(std::vector<double> values, size_t paired) {
  for (size_t width = 1; width < paired; width *= 2)
    for (size_t i = 0; i < values.size(); i += 2 * width)
      values[i] = join(values[i], values[i + width]);
  for (size_t i = paired; i < values.size(); i += paired)
    values[0] = join(values[0], values[i]);
  return values[0];
}

TEST(Tied, TuplesAreCombinedInTheirOrder) {
  // A tuple is whether something is there, and a number that tells in which order it was made. (64): 32 neighbours in pairs, then both warps. (12), (96): one
  // after the other, as neither the threads of the block, nor the count are such that warps do. (4, 16): 16 neighbours of the last variable in pairs; of the first
  // one, whose values are 16 threads apart, 2.
  struct Case {
    std::string loops, place;
    std::vector<size_t> counts, paired;
  };
  for (const Case &one : {Case{"(%t) in (64) by (1)", "%t", {64}, {32}}, Case{"(%t) in (12) by (1)", "%t", {12}, {1}}, Case{"(%t) in (96) by (1)", "%t", {96}, {1}},
                          Case{"(%s, %t) in (64, 16) by (16, 1)", "%s + %t", {4, 16}, {2, 16}}}) {
    ParsedKernel kernel = ParsedKernel::fromText(R"(
!e = memref<1xf64, #tile.level<rf>>
#one = affine_map<(i) -> (i)>
tile.kernel @order(%X: memref<?xf64>[%N], %Y: memref<1xf64>[1], %N: index) {
  %there = tile.hold init(0.0 : f64) : !e
  %made = tile.hold init(0.0 : f64) : !e
  tile.for )" + one.loops + R"( at dram on thread reduce(%there, %made : !e, !e) {
    %x = tile.stage %X[)" + one.place + R"(] : memref<?xf64> to !e
    linalg.generic {indexing_maps = [#one, #one, #one], iterator_types = ["parallel"]} ins(%x : !e) outs(%there, %made : !e, !e) {
    ^bb0(%v: f64, %f: f64, %m: f64):
      %yes = arith.constant 1.0 : f64
      linalg.yield %yes, %v : f64, f64
    }
  } combine (%there0: f64, %made0: f64, %there1: f64, %made1: f64) {
    %zero = arith.constant 0.0 : f64
    %three = arith.constant 3.0 : f64
    %five = arith.constant 5.0 : f64
    %none0 = arith.cmpf oeq, %there0, %zero : f64
    %none1 = arith.cmpf oeq, %there1, %zero : f64
    %a = arith.mulf %made0, %three : f64
    %b = arith.mulf %made1, %five : f64
    %joined = arith.addf %a, %b : f64
    %lower = arith.select %none1, %made0, %joined : f64
    %made2 = arith.select %none0, %made1, %lower : f64
    %there2 = arith.maximumf %there0, %there1 : f64
    tile.yield %there2, %made2 : f64, f64
  }
  tile.store %made to %Y[0] : !e to memref<1xf64>
})");
    auto n = static_cast<int64_t>(llvm::product_of(one.counts));
    Buffer x({n}, {1}), y({1});
    std::vector<double> values;
    for (int64_t i = 0; i < n; ++i)
      values.push_back(x.at({i}) = i % 7 - 3);
    Arguments arguments;
    arguments.operands = {x.view(), y.viewWithBounds()};
    arguments.sizes = {n};
    ASSERT_TRUE(succeeded(evaluate(kernel.get(), arguments))) << kernel.said();
    for (size_t dim = one.counts.size(); dim-- > 0;) {
      std::vector<double> folded;
      for (size_t i = 0; i < values.size(); i += one.counts[dim])
        folded.push_back(fold({values.begin() + i, values.begin() + i + one.counts[dim]}, one.paired[dim]));
      values = folded;
    }
    EXPECT_EQ(y.at({0}), values[0]) << one.loops;
  }
}
