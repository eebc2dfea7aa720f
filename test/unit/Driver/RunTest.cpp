//===- RunTest.cpp - What a run finds and says ---------------------------===//
//
// Wrong kernels are found, counts are the ones that arithmetic gives, and what
// is missing is named.
//
//===----------------------------------------------------------------------===//

#include "RunTestHelp.h"
#include "tilec/Runtime/Device.h"

#include <map>

using namespace tilec;

static std::string replaced(std::string text, const std::string &from, const std::string &to) {
  size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << "'" << from << "' is not in\n" << text;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

// A kernel that adds beta * C where the nest subtracts it.
TEST(Run, FindsADifferenceOfKernelAndNest) {
  CompileResult compiled = compileExample("naive");
  compiled.nest = replaced(compiled.nest, "arith.addf", "arith.subf");
  RunResult result = run(compiled, 0, onCPU(5, 4, 3));
  EXPECT_EQ(result.status, Status::Wrong);
  EXPECT_TRUE(contains(getText(result), "of 20 elements differ, first at C[")) << getText(result);
  EXPECT_TRUE(contains(result.verifyJson, "\"right\":false")) << result.verifyJson;
}

// The same with beta = 0: no difference is left.
TEST(Run, DoesNotSeeWhatBetaZeroLeavesOut) {
  CompileResult compiled = compileExample("naive");
  compiled.nest = replaced(compiled.nest, "arith.addf", "arith.subf");
  RunOptions options = onCPU(5, 4, 3);
  options.arguments["beta"] = "0";
  EXPECT_EQ(run(compiled, 0, options).status, Status::Done);
}

// beta = 0 and a kernel that reads C nevertheless: 0 * NaN is NaN.
TEST(Run, FindsAReadOfCWhereBetaIsZero) {
  CompileResult compiled = compileExample("naive");
  compiled.kernels[0].cuda = replaced(compiled.kernels[0].cuda, "beta != 0", "beta == 0");
  RunOptions options = onCPU(5, 4, 3);
  options.arguments["beta"] = "0";
  RunResult result = run(compiled, 0, options);
  EXPECT_EQ(result.status, Status::Wrong);
  EXPECT_TRUE(contains(getText(result), "nan instead of")) << getText(result);
}

// Between rows of 3 the element after a row would be the next row's first: a gap tells.
TEST(Run, FindsAReadPastARow) {
  CompileResult compiled = compileExample("naive");
  compiled.kernels[0].cuda = replaced(compiled.kernels[0].cuda, "  c *= alpha;", "  c += 0.0f * ldg(&A[K]);\n  c *= alpha;");
  RunOptions options = onCPU(5, 4, 3);
  RunResult result = run(compiled, 0, options);
  EXPECT_EQ(result.status, Status::Wrong);
  EXPECT_TRUE(contains(getText(result), "out of bounds: thread 0 of block 0 reads 4 bytes of global memory at A[0, 3] of shape [5, 3]"))
      << getText(result);
  // Rows without gaps where they are asked for.
  options.arguments["A.gap"] = "0";
  EXPECT_EQ(run(compiled, 0, options).status, Status::Done);
}

// The barrier between filling shared memory and reading it is left out.
TEST(Run, ReportsTheFindingsOfTheEmulator) {
  CompileResult compiled = compileExample("smem");
  compiled.kernels[0].cuda = replaced(compiled.kernels[0].cuda, "    sync_block();\n", "");
  RunResult result = run(compiled, 0, onCPU(32, 32, 64));
  EXPECT_EQ(result.status, Status::Wrong);
  EXPECT_TRUE(contains(getText(result), "race")) << getText(result);
}

// Integers of -4..4: 256 products of at most 16 and one C of at most 4 are far
// below 2^24. With alpha = 0.3, which is no short binary fraction, they round.
TEST(Run, AsksForEqualityWhereSumsAreExact) {
  CompileResult compiled = compileExample("naive");
  RunOptions options = onCPU(3, 3, 256);
  EXPECT_TRUE(contains(run(compiled, 0, options).verifyJson, "\"bitwise\":true"));
  options.arguments["alpha"] = "0.3";
  RunResult result = run(compiled, 0, options);
  EXPECT_EQ(result.status, Status::Done) << getText(result);
  EXPECT_FALSE(contains(result.verifyJson, "\"bitwise\":true"));
  EXPECT_TRUE(contains(getText(result), "within rounding errors only")) << getText(result);
}

// Each of the 5 * 4 threads reads 3 elements of A and of B, 4 bytes each: 240.
// Each element of C is written once: 80 bytes. C is not read where beta is 0.
TEST(Run, CountsTraffic) {
  RunOptions options = onCPU(5, 4, 3);
  options.arguments["beta"] = "0";
  RunResult result = run(compileExample("naive"), 0, options);
  std::map<std::string, uint64_t> read, written;
  for (const CountedTraffic &site : result.counted) {
    EXPECT_TRUE(site.global) << site.object;
    (site.access == CountedTraffic::Access::Read ? read : written)[site.object] += site.bytes;
  }
  EXPECT_EQ(read, (std::map<std::string, uint64_t>{{"A", 240}, {"B", 240}}));
  EXPECT_EQ(written, (std::map<std::string, uint64_t>{{"C", 80}}));
}

// 820^3 = 551 million products are more than 32 million for each of at most 16
// threads (512 million). The text says how many of ceil(820 / 128)^2 = 49 blocks
// were compared.
TEST(Run, SamplesHugeGrids) {
  CompileResult compiled = compileExample("gemm");
  RunOptions options = onCPU(820, 820, 820);
  options.emulator.checks = false;
  options.emulator.threads = 2;
  RunResult result = run(compiled, 0, options);
  EXPECT_EQ(result.status, Status::Done) << getText(result);
  EXPECT_TRUE(contains(getText(result), "of 49 blocks compared)")) << getText(result);
}

TEST(Run, TimesNothingInTheEmulator) {
  RunOptions options = onCPU(5, 4, 3);
  options.benchRepetitions = 5;
  RunResult result = run(compileExample("naive"), 0, options);
  EXPECT_EQ(result.status, Status::Rejected);
  EXPECT_EQ(getText(result), "the emulator counts, it does not tell time: timing takes a GPU");
}

TEST(Run, NamesWhatIsMissing) {
  if (runtime::Device::open(runtime::cudaSearchOfProcess()))
    GTEST_SKIP() << "there is a GPU";
  CompileResult compiled = compileExample("naive");
  RunOptions options = onCPU(5, 4, 3);
  options.place = RunPlace::GPU;
  RunResult missing = run(compiled, 0, options);
  EXPECT_EQ(missing.status, Status::Missing);
  EXPECT_EQ(missing.place, RunPlace::Automatic);
  EXPECT_TRUE(contains(getText(missing), "no GPU: ")) << getText(missing);
  options.place = RunPlace::Automatic;
  RunResult fallen = run(compiled, 0, options);
  EXPECT_EQ(fallen.status, Status::Done) << getText(fallen);
  EXPECT_EQ(fallen.place, RunPlace::CPU);
}
