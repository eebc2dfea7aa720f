//===- ToyMachineTest.cpp - Reading a whole machine -------------*- C++ -*-===//

#include "ToyMachine.h"

#include "tilec/Machine/Targets.h"

#include <gtest/gtest.h>

using namespace tilec;

namespace {

TEST(ToyMachine, figures) {
  TargetResult toy = parseTarget(kToyMachine, "toy.yaml");
  ASSERT_TRUE(toy) << toy.error;
  const MachineSpec &spec = *toy.spec;
  // 8 GB/s / (2 * 1 GHz) = 4 B/cycle/SM
  EXPECT_EQ(spec.dramBytesPerCyclePerSM(), 4);
  // at half the clock twice as many bytes arrive in a cycle
  EXPECT_EQ(spec.dramBytesPerCyclePerSM(0.5), 8);
  // 2 * 4 bytes * 4 FMA = 32 B/cycle; 32 / 4 = 8 from dram, 32 / 16 = 2 from smem
  EXPECT_EQ(spec.operandBytesPerCycle(MathUnit::Fma, MathType::F32), 32);
  EXPECT_EQ(spec.requiredAmplification(MemoryLevel::Dram, MathUnit::Fma, MathType::F32), 8);
  EXPECT_EQ(spec.requiredAmplification(MemoryLevel::Smem, MathUnit::Fma, MathType::F32), 2);
  // 4 FMA / 4 B = 1 FMA/B; 2 * 4 * 2 * 1e9 = 0.016 TFLOP/s; 4 / 4 / 1 slot = 1
  EXPECT_EQ(spec.fmaPerDramByte(MathUnit::Fma, MathType::F32), 1);
  EXPECT_EQ(spec.peakTFlops(MathUnit::Fma, MathType::F32), 0.016);
  EXPECT_EQ(spec.issueShare(MathUnit::Fma, MathType::F32), 1);
  // 1024 B / 4 B
  EXPECT_EQ(spec.registersPerSM(), 256);
  EXPECT_EQ(spec.featureArch, "sm_80");
}

TEST(ToyMachine, plainNumbersHaveTheFileAsSource) {
  TargetResult toy = parseTarget(kToyMachine, "toy.yaml");
  ASSERT_TRUE(toy) << toy.error;
  EXPECT_EQ(toy.spec->sms.source, "toy.yaml");
}

TEST(ToyMachine, numbersWithUnitAndSource) {
  TargetResult toy = parseTarget(
      toyWith("sms:", "sms: {value: 3, unit: SMs, source: \"counted, twice\"}"), "toy.yaml");
  ASSERT_TRUE(toy) << toy.error;
  EXPECT_EQ(toy.spec->sms.value, 3);
  EXPECT_EQ(toy.spec->sms.source, "counted, twice");
}

TEST(ToyMachine, clockOfARate) {
  TargetResult toy = parseTarget(toyWith("f32:", "    f32: {rate: 4, clock: 0.5}"), "toy.yaml");
  ASSERT_TRUE(toy) << toy.error;
  EXPECT_EQ(toy.spec->clockGHz(MathUnit::Fma, MathType::F32), 0.5);
  // no rate, no clock of its own: boost
  EXPECT_EQ(toy.spec->clockGHz(MathUnit::Mma, MathType::F16), 1);
  // 8 GB/s / (2 * 0.5 GHz) = 8 B/cycle/SM; 32 / 8 = 4
  EXPECT_EQ(toy.spec->requiredAmplification(MemoryLevel::Dram, MathUnit::Fma, MathType::F32), 4);
  EXPECT_FALSE(toy.spec->issueShare(MathUnit::Fma, MathType::F32));
}

TEST(ToyMachine, aRateNeverRunsAboveBoost) {
  TargetResult toy = parseTarget(toyWith("f32:", "    f32: {rate: 4, clock: 2}"), "toy.yaml");
  ASSERT_TRUE(toy) << toy.error;
  EXPECT_EQ(toy.spec->clockGHz(MathUnit::Fma, MathType::F32), 1);
}

TEST(ToyMachine, clusters) {
  TargetResult eight = parseTarget(kToyMachine + "features: {clusters: true}\n", "toy.yaml");
  ASSERT_TRUE(eight) << eight.error;
  EXPECT_EQ(eight.spec->maxClusterSize(), 8);
  TargetResult two = parseTarget(toyWith("grid_x:", "  grid_x: 1024\n  cluster_size: 2") +
                                     "features: {clusters: true}\n",
                                 "toy.yaml");
  ASSERT_TRUE(two) << two.error;
  EXPECT_EQ(two.spec->maxClusterSize(), 2);
}

} // namespace
