//===- DescribeTest.cpp - Machines as text ----------------------*- C++ -*-===//

#include "ToyMachine.h"

#include "tilec/Machine/Targets.h"

#include <gtest/gtest.h>

using namespace tilec;

namespace {

TEST(Describe, list) {
  EXPECT_EQ(listTargets(), "a10            sm_86                    NVIDIA A10 24GB\n"
                           "a100-40gb      sm_80                    NVIDIA A100 SXM 40GB\n"
                           "a100-80gb-sxm  sm_80   sm80, a100-80gb  NVIDIA A100 SXM 80GB\n"
                           "b200           sm_100  sm100            NVIDIA B200\n"
                           "h100-sxm       sm_90   sm90, h100       NVIDIA H100 SXM 80GB\n"
                           "h200           sm_90                    NVIDIA H200 SXM 141GB\n"
                           "l40s           sm_89   sm89             NVIDIA L40S\n"
                           "rtx3090        sm_86   sm86             NVIDIA GeForce RTX 3090\n"
                           "rtx4090        sm_89                    NVIDIA GeForce RTX 4090\n"
                           "v100           sm_70   sm70             NVIDIA V100 SXM2 16GB\n");
}

TEST(Describe, everyNumberHasUnitAndSource) {
  TargetResult toy = parseTarget(toyWith("sms:", "sms: {value: 2, source: counted}"), "toy.yaml");
  ASSERT_TRUE(toy) << toy.error;
  std::string text = describeTarget(*toy.spec);
  auto contains = [&](const char *line) { return text.find(line) != std::string::npos; };
  EXPECT_EQ(text.substr(0, text.find("numbers:")),
            "machine: toy\n"
            "arch: sm_80\n"
            "features: none\n"
            "without: cp_async, mbarrier, clusters, dsmem, tma, multicast, wgmma, setmaxnreg, dependent_launch\n");
  EXPECT_TRUE(
      contains("  sms                                         2  SMs                         counted\n"))
      << text;
  EXPECT_TRUE(contains(
      "  clocks.boost                                1  GHz                         toy.yaml\n"));
  EXPECT_TRUE(contains("  clocks.load                           unknown  GHz\n"));
  EXPECT_TRUE(contains(
      "  levels.dram.bandwidth                       8  GB/s                        toy.yaml\n"));
}

// What is written is read again, and goes over what it inherits.
TEST(Describe, writesMachineFiles) {
  std::string text = writeMachineFile("mine", "a \"GPU\"", "h200",
                                      {{"sms", "SMs", "driver: multiprocessor count", 100},
                                       {"levels.l2.latency", "cycles", "measured", 281.5},
                                       {"levels.l2.bandwidth", "B/cycle", "measured", 4000},
                                       {"units.fma.f32.rate", "FMA/cycle/SM", "measured", 128}});
  EXPECT_EQ(text, "inherit: h200\nname: mine\ntitle: \"a 'GPU'\"\n"
                  "levels:\n  l2:\n    bandwidth: {value: 4000, unit: 'B/cycle', source: \"measured\"}\n"
                  "    latency: {value: 281.5, unit: 'cycles', source: \"measured\"}\n"
                  "sms: {value: 100, unit: 'SMs', source: \"driver: multiprocessor count\"}\n"
                  "units:\n  fma:\n    f32:\n      rate: {value: 128, unit: 'FMA/cycle/SM', source: \"measured\"}\n");
  TargetResult read = parseTarget(text, "mine.yaml");
  ASSERT_TRUE(read) << read.error;
  EXPECT_EQ(read.spec->name, "mine");
  EXPECT_EQ(read.spec->sms.value, 100);
  EXPECT_EQ(read.spec->level(MemoryLevel::L2).latency->value, 281.5);
  EXPECT_EQ(read.spec->level(MemoryLevel::Dram).bandwidth->value, 4800);
  // Whatever stands in a machine may be written.
  std::vector<StatedNumber> all = listNumbers(*resolveTarget("h100-sxm").spec);
  TargetResult again = parseTarget(writeMachineFile("again", "t", "v100", all), "again.yaml");
  EXPECT_FALSE(again); // wgmma of a machine without it
  EXPECT_NE(again.error.find("features.wgmma"), std::string::npos) << again.error;
}

TEST(Describe, derivedFigures) {
  TargetResult toy = parseTarget(kToyMachine, "toy.yaml");
  ASSERT_TRUE(toy) << toy.error;
  std::string text = describeTarget(*toy.spec);
  // The sums are those of ToyMachineTest; 0.016 TFLOP/s is printed with two digits.
  EXPECT_EQ(
      text.substr(text.find("derived:")),
      "derived:\n"
      "  dram          4.00  B/cycle/SM    = levels.dram.bandwidth / (sms * clocks.boost)\n"
      "  l2         unknown  B/cycle/SM    = levels.l2.bandwidth / sms\n"
      "  smem         16.00  B/cycle/SM    = levels.smem.bandwidth\n"
      "  registers      256  registers/SM  = levels.rf.capacity / 4\n"
      "  cluster          1  blocks        = limits.cluster_size with clusters, else 1\n"
      "rates: TFLOP/s = 2 * rate * sms * GHz; operands (B/cycle/SM) = 2 * bytes * rate;\n"
      "       LEVEL x = operands / what the level gives an SM in a cycle;\n"
      "       issue share = rate / per_instruction / limits.issue_slots\n"
      "  unit  type  TFLOP/s  GHz   operands  FMA/dram byte  dram x  l2 x     smem x  issue share\n"
      "  fma   f32   0.02     1.00  32.00     1.00           8.00    unknown  2.00    1.00\n");
}

} // namespace
