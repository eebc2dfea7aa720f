//===- RunVerdictTest.cpp - Comparisons that can fail --------------------===//
//
// The allowed error follows from the values that occur; where there is none, or
// nothing to compare, that is said.
//
//===----------------------------------------------------------------------===//

#include "RunTestHelp.h"

using namespace tilec;

namespace {

/// One row a block, a thread each: `body` computes %ln and %mn from an element and what is held of its row.
std::string rowKernel(const std::string &start, const std::string &body) {
  return R"(
!G = memref<?x?xf32, strided<[?, ?]>>
!x = memref<1x4xf32, #tile.level<rf>>
!s = memref<1xf32, #tile.level<rf>>
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
tile.kernel @rows(%X: !G[%M, %N], %L: memref<?xf32>[%M], %M: index, %N: index) {
  tile.for (%i) in (%M) by (1) at dram on block {
    %m = tile.hold init()" + start + R"( : f32) : !s
    %l = tile.hold init(0.0 : f32) : !s
    tile.for (%t) in (1) by (1) at dram on thread {
      tile.for (%j) in (%N) by (4) at dram {
        %x = tile.stage %X[%i, %j] : !G to !x
        linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]}
            ins(%x : !x) outs(%m, %l : !s, !s) {
        ^bb0(%e: f32, %mo: f32, %lo: f32):
)" + body + R"(
          linalg.yield %mn, %ln : f32, f32
        }
      }
    }
    tile.store %l to %L[%i] : !s to memref<?xf32>
  }
})";
}

/// The sum of exp(x - maximum) of a row, in one pass.
const char *const onlineSoftmax = R"(
          %mn = arith.maximumf %mo, %e : f32
          %d = arith.subf %mo, %mn : f32
          %a = math.exp %d : f32
          %f = arith.subf %e, %mn : f32
          %p = math.exp %f : f32
          %la = arith.mulf %lo, %a : f32
          %ln = arith.addf %la, %p : f32)";

RunOptions rows(int64_t m, int64_t n) {
  RunOptions options;
  options.place = RunPlace::CPU;
  options.shape = {{"m", m}, {"n", n}};
  return options;
}

/// Everywhere: a loop may stand twice.
std::string replaced(std::string text, const std::string &from, const std::string &to) {
  size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << "'" << from << "' is not in\n" << text;
  for (; at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

} // namespace

// What a maximum starts from is no error of what it becomes: a sum that is a thousandth off is found.
TEST(RunVerdict, BoundsDoNotGrowWithTheStartOfAMaximum) {
  for (const char *start : {"-1.0e30", "0xFF800000"}) {
    CompileResult compiled = compileText(rowKernel(start, onlineSoftmax), "rows");
    RunResult right = run(compiled, 0, rows(5, 33));
    EXPECT_EQ(right.verdict, Verdict::Right) << getText(right);
    compiled.kernels[0].cuda = replaced(compiled.kernels[0].cuda, "expf(", "1.001f * expf(");
    EXPECT_EQ(run(compiled, 0, rows(5, 33)).verdict, Verdict::Wrong) << start;
  }
}

// The start is no whole number, so that sums round: equality cannot be asked for.
TEST(RunVerdict, AStartThatIsNoWholeNumber) {
  CompileResult compiled = compileText(rowKernel("0.1", "%mn = arith.addf %mo, %e : f32\n%ln = arith.addf %mn, %lo : f32"), "rows");
  RunResult result = run(compiled, 0, rows(5, 33));
  EXPECT_EQ(result.verdict, Verdict::Right) << getText(result);
  EXPECT_TRUE(contains(getText(result), "(5 of them within rounding errors only)")) << getText(result);
}

// The logarithm of a difference that may be 0: nothing is known of it.
TEST(RunVerdict, SaysWhereNoBoundCanBeGiven) {
  CompileResult compiled = compileText(rowKernel("0.0", R"(
          %mn = math.exp %e : f32
          %d = arith.subf %mn, %mn : f32
          %ln = math.log %d : f32)"), "rows");
  RunResult result = run(compiled, 0, rows(5, 4));
  EXPECT_EQ(result.status, Status::Wrong);
  EXPECT_EQ(result.verdict, Verdict::NotVerified) << getText(result);
  EXPECT_TRUE(contains(getText(result), "not verified: 5 of 5 elements of L cannot be checked")) << getText(result);
  EXPECT_TRUE(contains(getText(result), "the first is L[0], expected -inf, may be anything")) << getText(result);
  EXPECT_TRUE(contains(result.verifyJson, "\"right\":null")) << result.verifyJson;
}

// 3e7 + x - 3e7 is a multiple of 2: a bound there is, but a result of 0 would pass.
TEST(RunVerdict, ABoundAsLargeAsTheValueIsNone) {
  CompileResult compiled = compileText(rowKernel("0.0", R"(
          %large = arith.constant 3.0e7 : f32
          %half = arith.constant 0.3 : f32
          %h = arith.mulf %e, %half : f32
          %mn = arith.addf %h, %large : f32
          %ln = arith.subf %mn, %large : f32)"), "rows");
  RunResult result = run(compiled, 0, rows(5, 4));
  EXPECT_EQ(result.verdict, Verdict::NotVerified) << getText(result);
  EXPECT_TRUE(contains(getText(result), " may be off by ")) << getText(result);
}

// A nest that forgets its store.
TEST(RunVerdict, NothingToCompare) {
  std::string text = replaced(rowKernel("0.0", onlineSoftmax), "    tile.store %l to %L[%i] : !s to memref<?xf32>\n", "");
  CompileResult compiled = compileText(text, "rows");
  RunResult result = run(compiled, 0, rows(5, 4));
  EXPECT_EQ(result.status, Status::Wrong);
  EXPECT_EQ(result.verdict, Verdict::NotVerified);
  EXPECT_TRUE(contains(getText(result), "not verified: the nest stores nothing, so nothing was compared")) << getText(result);
  // No elements are no doubt.
  EXPECT_EQ(run(compileText(rowKernel("0.0", onlineSoftmax), "rows"), 0, rows(0, 4)).verdict, Verdict::Right);
}
