//===- RunShapesTest.cpp - Every rung of the ladder, awkward shapes ------===//
//
// Each extent takes each value of {0, 1, 7, t-1, t, t+1, 2t+3} for the edge t of
// the block tile; test/tools/shapes.py sweeps the pairs.
//
//===----------------------------------------------------------------------===//

#include "RunTestHelp.h"

using namespace tilec;

namespace {

struct Rung {
  const char *name;
  int64_t tile;
  /// Edge of the tile along k.
  int64_t depth;
};

class Ladder : public testing::TestWithParam<Rung> {
protected:
  std::vector<int64_t> getExtents(int64_t t) const { return {0, 1, 7, t - 1, t, t + 1, 2 * t + 3}; }

  void expectRight(const CompileResult &compiled, const RunOptions &options) const {
    RunResult result = run(compiled, 0, options);
    EXPECT_EQ(result.status, Status::Done) << getText(result);
    EXPECT_TRUE(contains(result.verifyJson, "\"right\":true")) << result.verifyJson;
  }
};

} // namespace

TEST_P(Ladder, IsRightForAwkwardExtents) {
  CompileResult compiled = compileExample(GetParam().name);
  std::vector<int64_t> along = getExtents(GetParam().tile), deep = getExtents(GetParam().depth);
  // Shifted against each other, so that every extent meets others: 3 and 5 are
  // prime to 7.
  for (size_t i = 0; i < along.size(); ++i)
    expectRight(compiled, onCPU(along[i], along[(i + 3) % 7], deep[(i + 5) % 7]));
}

TEST_P(Ladder, IsRightForEachOrderOfEachOperand) {
  CompileResult compiled = compileExample(GetParam().name);
  for (int orders = 0; orders < 8; ++orders) {
    RunOptions options = onCPU(GetParam().tile + 1, 9, GetParam().depth + 1);
    const char *operands[] = {"A", "B", "C"};
    for (int i = 0; i < 3; ++i) {
      options.arguments[std::string(operands[i]) + ".order"] = orders >> i & 1 ? "columns" : "rows";
      options.arguments[std::string(operands[i]) + ".gap"] = std::to_string(i * 3 + (orders & 1));
      options.arguments[std::string(operands[i]) + ".offset"] = std::to_string(i);
    }
    expectRight(compiled, options);
  }
}

// beta = 0 runs with C full of NaN.
TEST_P(Ladder, IsRightForAlphaAndBeta) {
  CompileResult compiled = compileExample(GetParam().name);
  const char *factors[][2] = {{"1", "0"}, {"1", "1"}, {"-0.5", "2"}, {"0", "0"}, {"0", "-1"}};
  for (const auto &[alpha, beta] : factors) {
    RunOptions options = onCPU(GetParam().tile - 1, 7, GetParam().depth + 1);
    options.arguments = {{"alpha", alpha}, {"beta", beta}};
    expectRight(compiled, options);
  }
}

TEST_P(Ladder, IsRightUnderEachSchedule) {
  CompileResult compiled = compileExample(GetParam().name);
  using Schedule = EmulatorSettings::Schedule;
  for (Schedule schedule : {Schedule::InOrder, Schedule::Reversed, Schedule::WarpAhead, Schedule::Random}) {
    RunOptions options = onCPU(GetParam().tile + 1, 2, 2 * GetParam().depth + 3);
    options.emulator.schedule = schedule;
    expectRight(compiled, options);
  }
}

INSTANTIATE_TEST_SUITE_P(Examples, Ladder,
                         testing::Values(Rung{"naive", 16, 16}, Rung{"smem", 32, 32}, Rung{"gemm", 128, 16}),
                         [](const testing::TestParamInfo<Rung> &info) { return std::string(info.param.name); });
