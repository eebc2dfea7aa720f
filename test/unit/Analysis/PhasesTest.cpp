//===- PhasesTest.cpp - Kernels with several computations -------*- C++ -*-===//
//
// What follows one after the other adds up: a product of matrices twice, and one with sums of rows after it.
// 64x64 blocks of 4096^3 on an A100, as in PredictionTest.
//
//===----------------------------------------------------------------------===//

#include "Nests.h"

#include "tilec/Report/BuildRecord.h"
#include "gtest/gtest.h"

#include <cmath>

using namespace mlir;
using namespace tilec;
using namespace tilec::analysis;
using namespace tilec::test;
using report::Analyses;

namespace {

class PhasesTest : public ::testing::Test {
protected:
  Analyses analyze(const std::string &text) {
    nest = parse(context, text, {"A", "B", "C", "M", "N", "K", "R"});
    auto analyses = report::analyzeKernel(nest.kernel, {-1, -1, -1, 4096, 4096, 4096, -1}, machine("sm80"));
    EXPECT_TRUE(succeeded(analyses));
    return *analyses;
  }

  static double cycles(const Analyses &analyses, StringRef resource) {
    for (const ResourceTime &time : analyses.prediction.times)
      if (time.resource == resource)
        return time.cycles;
    ADD_FAILURE() << resource.str();
    return 0;
  }

  /// `text` with `more` before its store.
  static std::string insert(std::string text, const std::string &more) {
    return text.insert(text.find("    tile.store %c"), more);
  }

  Context context;
  Nest nest;
};

/// The loop over k of gemmText.
std::string loopOf(const std::string &text) {
  size_t start = text.find("    tile.for (%k0)");
  return text.substr(start, text.find("    tile.store %c") - start);
}

// 1024 threads spill 38 registers each (PredictionTest, SpilledRegisters), 155,648 bytes of a block. One block fits an SM, whose array of 167,936 bytes has 32,768 for tiles: L1
// keeps half of the rest, 67,584. What it does not keep passes L2 twice in each of 256 steps of 256 blocks.
TEST_F(PhasesTest, SpillsThatPassL2) {
  GemmSizes s;
  s.bm = s.bn = 256;
  s.tm = s.tn = 8;
  EXPECT_DOUBLE_EQ(analyze(gemmText(s)).work.scatteredBytes, 2.0 * (155648 - 67584) * 256 * 256);
  EXPECT_EQ(analyze(gemmText({})).work.scatteredBytes, 0);
}

// Twice the FMA, operand bytes and bytes moved: reuse is as before, times are twice as long. 2 * 4096^3 FMA / (3 * 4096^2 * 4 B)
// = 682.67. A block of tile64 has 256 steps of 3760 instructions and 832 wavefronts, 608 instructions beside them
// (PredictionTest); here it has 512 steps.
TEST_F(PhasesTest, TwoProducts) {
  std::string once = gemmText({});
  Analyses one = analyze(once), two = analyze(insert(once, loopOf(once)));
  EXPECT_EQ(two.traffic.iterations, 2 * one.traffic.iterations);
  EXPECT_EQ(two.traffic.operandBytes, 2 * one.traffic.operandBytes);
  EXPECT_NEAR(*two.match.roofline.fmaPerByte, 682.67, 0.01);
  EXPECT_DOUBLE_EQ(*two.match.computeCycles, 2 * *one.match.computeCycles);
  ASSERT_EQ(two.match.stages.size(), one.match.stages.size());
  for (auto [first, both] : llvm::zip_equal(one.match.stages, two.match.stages)) {
    EXPECT_DOUBLE_EQ(*both.cycles, 2 * *first.cycles);
    EXPECT_DOUBLE_EQ(*both.guaranteedReuse, *first.guaranteedReuse);
    EXPECT_DOUBLE_EQ(*both.required, *first.required);
  }
  ASSERT_EQ(two.work.phases.size(), 2u);
  for (const PhaseWork &phase : two.work.phases) {
    EXPECT_EQ(phase.steps, 256);
    EXPECT_EQ(phase.tiles, 2);
    EXPECT_TRUE(phase.staged);
    EXPECT_NEAR(phase.step().instructions, 3760, 1e-6);
    EXPECT_NEAR(phase.step().wavefronts(), 832 + 96, 1e-6);
  }
  EXPECT_NEAR(cycles(two, "compute"), 2 * 9961472.0, 1);
  EXPECT_NEAR(cycles(two, "issue"), 38 * (2 * 256 * 3760.0 + 595.2) / 4, 1);
  EXPECT_NEAR(cycles(two, "smem"), 2 * 38 * 256 * 832.0, 1);
  EXPECT_EQ(two.prediction.limiter, "compute");
  EXPECT_GT(*two.prediction.cycles, 1.9 * *one.prediction.cycles);
  // What each must read, not the sum; of a block with 2 * 8192 B of shared memory and 24576 B of registers (formula 34).
  EXPECT_NEAR(two.lowerBound->bytes / 4096, 2 * std::pow(2, 24) * 8 / std::sqrt(40960.0) - 2 * 40960, 1);
}

// Each block adds up its 64 rows of A once more, 16 columns in a step: 64 * 16 / 32 = 32 instructions, 64 * 16 / 64 = 16 cycles of
// the pipe, in 256 steps. All of them: 64 columns of blocks * 4096^2 = 2^30 FMA beside the 2^36 of the product. A comes from DRAM
// twice: 3 * 2^32 bytes in all, of which computations take 8 * 2^36 + 4 * 2^30. Each column of blocks adds to the 4096 sums, which
// reads and writes 4 B.
TEST_F(PhasesTest, RowsAfterAProduct) {
  std::string text = gemmText({});
  text.replace(text.find("%K: index)"), 10, "%K: index, %R: memref<?xf32, strided<[1]>>[%M])");
  Analyses analyses = analyze(insert(text, R"(
    %s = tile.hold init(0.0 : f32) : memref<64xf32, #tile.level<rf>>
    tile.for (%k2) in (%K) by (16) at dram {
      %sA = tile.stage %A[%m0, %k2] : !A to !sA
      tile.for (%m1) in (64) by (1) at smem on thread {
        %q = tile.part %s[%m1] : memref<64xf32, #tile.level<rf>> to memref<1xf32, #tile.level<rf>>
        tile.for (%k1) in (16) by (1) at smem {
          %rA = tile.stage %sA[%m1, %k1] : !sA to memref<1x1xf32, #tile.level<rf>>
          linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
                          iterator_types = ["parallel", "reduction"]}
              ins(%rA : memref<1x1xf32, #tile.level<rf>>) outs(%q : memref<1xf32, #tile.level<rf>>) {
          ^bb0(%a: f32, %sum: f32):
            %r = arith.addf %sum, %a : f32
            linalg.yield %r : f32
          }
        }
      }
    }
    tile.store %s to %R[%m0] combine(add) unordered : memref<64xf32, #tile.level<rf>> to memref<?xf32, strided<[1]>>
)"));
  double product = std::pow(2, 36), rows = std::pow(2, 30);
  EXPECT_EQ(static_cast<double>(analyses.traffic.iterations), product + rows);
  EXPECT_NEAR(*analyses.match.roofline.fmaPerByte, (product + rows) / (4 * (3 * 4096.0 * 4096 + 4096)), 1e-6);
  EXPECT_NEAR(*analyses.match.computeCycles, (product + rows) / 64 / 108, 1e-3);
  const StageMatch &dram = analyses.match.stages.front();
  double bytes = 3 * std::pow(2, 32) + 64 * 4096.0 * 8;
  EXPECT_NEAR(*dram.cycles, bytes / (*dram.available * 108), 1e-3);
  EXPECT_NEAR(*dram.guaranteedReuse, (8 * product + 4 * rows) / bytes, 1e-9);
  ASSERT_EQ(analyses.work.phases.size(), 2u);
  const PhaseWork &second = analyses.work.phases.back();
  EXPECT_EQ(second.steps, 256);
  EXPECT_EQ(second.tiles, 1);
  EXPECT_NEAR(second.compute.math, 16, 1e-9);
  EXPECT_NEAR(cycles(analyses, "compute"), 38 * (262144 + 256 * 16.0), 1);
}

// What is done to each element of the result after the loop over k, in 1 of 4096 iterations, is no work beside the product. In
// a loop of its own over time it is: 8 times 4096^2 FMA more.
TEST_F(PhasesTest, WhatComesAfterTheSteps) {
  auto scale = [](const std::string &body) {
    return "    tile.for (%m1, %n1) in (64, 64) by (4, 4) at rf on thread {\n"
           "      %r = tile.part %c[%m1, %n1] : !c to !r\n"
           "      linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = [\"parallel\", \"parallel\"]}\n"
           "          outs(%r : !r) {\n      ^bb0(%x: f32):\n" +
           body + "      }\n    }\n";
  };
  const std::string twice = "        %y = arith.addf %x, %x : f32\n        linalg.yield %y : f32\n";
  auto iterations = [&](const std::string &text) { return analyze(text).traffic.iterations; };
  const int64_t square = int64_t(4096) * 4096;
  std::string once = gemmText({});
  EXPECT_EQ(iterations(insert(once, scale(twice))), square * 4096);
  std::string again = insert(once, "    tile.for (%t) in (8) by (1) at dram {\n" + scale(twice) + "    }\n");
  EXPECT_EQ(iterations(again), square * (4096 + 8));
  // Outside of the steps: 8 * 64 * 64 / 64 = 512 cycles of a block.
  EXPECT_NEAR(analyze(again).work.rest.math, 512, 1e-9);
  // Elements that are only set are none.
  EXPECT_EQ(iterations(insert(once, "    tile.for (%t) in (8) by (1) at dram {\n" + scale("        linalg.yield %x : f32\n") +
                                        "    }\n")),
            square * 4096);
}

} // namespace
