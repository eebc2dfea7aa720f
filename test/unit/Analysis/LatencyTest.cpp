//===- LatencyTest.cpp - Bytes under way ------------------------*- C++ -*-===//
//
// Little's law by hand.
//
//===----------------------------------------------------------------------===//

#include "Nests.h"

#include "tilec/Report/BuildRecord.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::analysis;
using namespace tilec::test;

namespace {

class LatencyTest : public ::testing::Test {
protected:
  std::optional<LatencyMatch> analyze(const std::string &text, int64_t blocksPerSM,
                                      const MachineSpec &spec = machine("sm80")) {
    Nest nest = parse(context, text);
    auto analyses =
        report::analyzeKernel(nest.kernel, {-1, -1, -1, 4096, 4096, 4096, -1, -1}, spec);
    EXPECT_TRUE(succeeded(analyses));
    return matchLatency(analyses->model, analyses->traffic, analyses->match, blocksPerSM, spec);
  }

  static std::string pipelined(int64_t depth) {
    std::string text = gemmText({});
    text.replace(text.find("by (16) at dram"), 15,
                 "by (16) at dram pipeline(" + std::to_string(depth) + ")");
    return text;
  }

  Context context;
};

// (formulas 23 to 25) A100, 64x64x16: 8192 bytes a stage, 466 cycles of latency; all of it is there
// after 466 + 8192 / 13.39 = 1077.8 cycles. Computing takes 512 / 64 = 8 B/cycle: 8 * 466 = 3728
// bytes must be under way. One block that copies and then computes has none; two blocks have 8192,
// a pipeline of 2 in one block has 8192.
TEST_F(LatencyTest, Tile64OnA100) {
  std::optional<LatencyMatch> one = analyze(gemmText({}), 1);
  ASSERT_TRUE(one);
  EXPECT_EQ(one->tileBytes, 8192);
  EXPECT_NEAR(one->tileCycles, 1077.8, 0.05);
  EXPECT_NEAR(one->neededBytes, 3728, 1e-6);
  EXPECT_DOUBLE_EQ(one->inFlightBytes, 0);
  EXPECT_FALSE(one->hidden);
  EXPECT_TRUE(analyze(gemmText({}), 2)->hidden);
  EXPECT_DOUBLE_EQ(analyze(pipelined(2), 1)->inFlightBytes, 8192);
  EXPECT_TRUE(analyze(pipelined(2), 1)->hidden);
  EXPECT_DOUBLE_EQ(analyze(pipelined(3), 2)->inFlightBytes, 2 * 2 * 8192);
}

// A latency of 5000 cycles needs 40000 bytes: 5 stages ahead are 40960.
TEST_F(LatencyTest, DeepPipelines) {
  MachineSpec slow = machine("sm80");
  slow.level(MemoryLevel::Dram).latency->value = 5000;
  EXPECT_FALSE(analyze(pipelined(5), 1, slow)->hidden);
  EXPECT_TRUE(analyze(pipelined(6), 1, slow)->hidden);
}

TEST_F(LatencyTest, NothingStagedNothingSaid) {
  EXPECT_FALSE(analyze(exampleText("naive.mlir"), 4));
}

} // namespace
