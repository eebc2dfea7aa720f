//===- BuiltinTargetsTest.cpp - Figures of the known machines ---*- C++ -*-===//

#include "tilec/Machine/Targets.h"

#include <gtest/gtest.h>

using namespace tilec;

namespace {

MachineSpec get(const std::string &name) {
  TargetResult target = resolveTarget(name);
  EXPECT_TRUE(target) << target.error;
  return target ? *target.spec : MachineSpec();
}

double amplification(const MachineSpec &spec, MemoryLevel level, MathUnit unit, MathType type) {
  return spec.requiredAmplification(level, unit, type).value_or(-1);
}

TEST(BuiltinTargets, allAreValidAndNamedAfterTheirFile) {
  std::vector<std::string> names = targetNames();
  EXPECT_EQ(names, (std::vector<std::string>{"a100-40gb", "a100-80gb-sxm", "b200", "h100-sxm",
                                             "h200", "l40s", "rtx3090", "v100"}));
  for (const std::string &name : names) {
    MachineSpec spec = get(name);
    EXPECT_EQ(spec.name, name);
    // The table of aliases is made apart from the reader; both must agree.
    for (const std::string &alias : spec.aliases)
      EXPECT_EQ(get(alias).name, name);
    // A number without a source of its own would show the file's name instead.
    EXPECT_EQ(describeTarget(spec).find("targets/"), std::string::npos) << name;
  }
}

TEST(BuiltinTargets, aliases) {
  EXPECT_EQ(get("sm80").name, "a100-80gb-sxm");
  EXPECT_EQ(get("sm90").name, "h100-sxm");
  EXPECT_EQ(get("sm70").name, "v100");
  EXPECT_EQ(get("sm86").name, "rtx3090");
  EXPECT_EQ(get("sm89").name, "l40s");
  EXPECT_EQ(get("sm100").name, "b200");
}

TEST(BuiltinTargets, a100ReproducesTheWorkedExample) {
  MachineSpec spec = get("sm80");
  // 2039e9 / (108 * 1.41e9) = 2039 / 152.28 = 13.390
  EXPECT_NEAR(spec.dramBytesPerCyclePerSM(), 13.390, 0.001);
  // 2 operands * 4 bytes * 64 FMA = 512
  EXPECT_EQ(spec.operandBytesPerCycle(MathUnit::Fma, MathType::F32), 512);
  // 512 / 13.390 = 38.24 and 512 / 128 = 4
  EXPECT_NEAR(amplification(spec, MemoryLevel::Dram, MathUnit::Fma, MathType::F32), 38.24, 0.005);
  EXPECT_EQ(amplification(spec, MemoryLevel::Smem, MathUnit::Fma, MathType::F32), 4);
  // 64 / 13.390 = 4.780
  EXPECT_NEAR(*spec.fmaPerDramByte(MathUnit::Fma, MathType::F32), 4.780, 0.001);
  // 2 * 64 * 108 * 1.41e9 = 19.49e12 and 2 * 1024 * 108 * 1.41e9 = 311.9e12
  EXPECT_NEAR(*spec.peakTFlops(MathUnit::Fma, MathType::F32), 19.49, 0.005);
  EXPECT_NEAR(*spec.peakTFlops(MathUnit::Mma, MathType::F16), 311.9, 0.05);
  // 64 / 32 = 2 warp instructions a cycle out of 4 slots
  EXPECT_EQ(spec.issueShare(MathUnit::Fma, MathType::F32), 0.5);
  EXPECT_EQ(spec.arch, "sm_80");
  EXPECT_EQ(spec.featureArch, "sm_80");
  // 163 KiB a block, 164 KiB an SM
  EXPECT_EQ(spec.limits.smemPerBlock.value, 163 * 1024);
  EXPECT_EQ(spec.smemPerSM(), 164 * 1024);
  EXPECT_EQ(spec.registersPerSM(), 65536);
  EXPECT_EQ(spec.maxClusterSize(), 1);
  EXPECT_FALSE(spec.features.tma);
}

TEST(BuiltinTargets, a100With40GBNeedsMore) {
  MachineSpec spec = get("a100-40gb");
  // 1555 / 152.28 = 10.211; 512 / 10.211 = 50.14
  EXPECT_NEAR(amplification(spec, MemoryLevel::Dram, MathUnit::Fma, MathType::F32), 50.14, 0.005);
  // The rest is that of the larger A100, sources included.
  EXPECT_EQ(spec.sms.value, 108);
  EXPECT_EQ(spec.sms.source, get("sm80").sms.source);
  EXPECT_TRUE(spec.aliases.empty());
}

TEST(BuiltinTargets, v100) {
  MachineSpec spec = get("v100");
  // 900 / (80 * 1.53) = 7.353; 512 / 7.353 = 69.63
  EXPECT_NEAR(amplification(spec, MemoryLevel::Dram, MathUnit::Fma, MathType::F32), 69.63, 0.005);
  // Before compute capability 8.0 nothing is reserved, so a block may have all 96 KiB.
  EXPECT_EQ(spec.limits.smemReservedPerBlock.value, 0);
  EXPECT_EQ(spec.limits.smemPerBlock.value, spec.smemPerSM());
  EXPECT_FALSE(spec.features.cpAsync);
}

TEST(BuiltinTargets, h100) {
  MachineSpec spec = get("h100-sxm");
  // 3350 / (132 * 1.98) = 3350 / 261.36 = 12.818
  EXPECT_NEAR(spec.dramBytesPerCyclePerSM(), 12.818, 0.001);
  // 2 * 4 * 128 = 1024; 2 * 2 * 2048 = 8192
  EXPECT_EQ(spec.operandBytesPerCycle(MathUnit::Fma, MathType::F32), 1024);
  EXPECT_EQ(spec.operandBytesPerCycle(MathUnit::Wgmma, MathType::BF16), 8192);
  // Tensor figures hold at 1.83 GHz: 3350 / (132 * 1.83) = 13.868; 8192 / 13.868 = 590.7
  EXPECT_EQ(spec.clockGHz(MathUnit::Wgmma, MathType::BF16), 1.83);
  EXPECT_NEAR(amplification(spec, MemoryLevel::Dram, MathUnit::Wgmma, MathType::BF16), 590.7, 0.05);
  // 6154 / 132 = 46.62; 8192 / 46.62 = 175.7; 8192 / 128 = 64
  EXPECT_NEAR(amplification(spec, MemoryLevel::L2, MathUnit::Wgmma, MathType::BF16), 175.7, 0.05);
  EXPECT_EQ(amplification(spec, MemoryLevel::Smem, MathUnit::Wgmma, MathType::BF16), 64);
  // 2 * 128 * 132 * 1.98e9 = 66.9e12; 2 * 2048 * 132 * 1.83e9 = 989.4e12
  EXPECT_NEAR(*spec.peakTFlops(MathUnit::Fma, MathType::F32), 66.91, 0.01);
  EXPECT_NEAR(*spec.peakTFlops(MathUnit::Wgmma, MathType::BF16), 989.4, 0.05);
  // 128 / 32 = 4 warp instructions a cycle: an FMA needs every issue slot
  EXPECT_EQ(spec.issueShare(MathUnit::Fma, MathType::F32), 1.0);
  EXPECT_EQ(spec.limits.smemPerBlock.value, 227 * 1024);
  EXPECT_EQ(spec.maxClusterSize(), 8);
  EXPECT_EQ(spec.featureArch, "sm_90a");
  EXPECT_EQ(spec.computeCapability(), std::make_pair(9, 0));
}

TEST(BuiltinTargets, sharedMemoryLimits) {
  // 99 KiB a block of the 100 KiB of an SM on 8.6 and 8.9, 227 of 228 on 10.0
  for (const char *name : {"rtx3090", "l40s"}) {
    EXPECT_EQ(get(name).limits.smemPerBlock.value, 99 * 1024);
    EXPECT_EQ(get(name).smemPerSM(), 100 * 1024);
    EXPECT_EQ(get(name).limits.threadsPerSM.value, 1536);
  }
  EXPECT_EQ(get("b200").limits.smemPerBlock.value, 227 * 1024);
}

TEST(BuiltinTargets, peaksOfTheOthers) {
  // 2 * 128 * 82 * 1.695 = 35.58, 2 * 128 * 142 * 2.52 = 91.61, 2 * 128 * 148 * 1.98 = 75.02
  EXPECT_NEAR(*get("rtx3090").peakTFlops(MathUnit::Fma, MathType::F32), 35.58, 0.01);
  EXPECT_NEAR(*get("l40s").peakTFlops(MathUnit::Fma, MathType::F32), 91.61, 0.01);
  EXPECT_NEAR(*get("b200").peakTFlops(MathUnit::Fma, MathType::F32), 75.02, 0.01);
  // 4800 / (132 * 1.98) = 18.365
  EXPECT_NEAR(get("h200").dramBytesPerCyclePerSM(), 18.365, 0.001);
}

TEST(BuiltinTargets, unknownIsAbsentNotZero) {
  MachineSpec spec = get("b200");
  EXPECT_EQ(spec.rate(MathUnit::Mma, MathType::BF16), nullptr);
  EXPECT_FALSE(spec.peakTFlops(MathUnit::Mma, MathType::BF16));
  EXPECT_FALSE(spec.operandBytesPerCycle(MathUnit::Mma, MathType::BF16));
  EXPECT_FALSE(spec.level(MemoryLevel::L2).bandwidth);
  EXPECT_FALSE(spec.requiredAmplification(MemoryLevel::L2, MathUnit::Fma, MathType::F32));
  EXPECT_EQ(spec.computeCapability(), std::make_pair(10, 0));
}

TEST(BuiltinTargets, unknownNameListsAllAndSuggests) {
  const std::string known =
      "known machines are a100-40gb, a100-80gb-sxm (sm80, a100-80gb), b200 (sm100), "
      "h100-sxm (sm90, h100), h200, l40s (sm89), rtx3090 (sm86), v100 (sm70); "
      "or give the path of a machine file";
  EXPECT_EQ(resolveTarget("sm81").error, "unknown machine 'sm81' (did you mean 'sm80'?); " + known);
  EXPECT_EQ(resolveTarget("a100").error,
            "unknown machine 'a100' (did you mean 'a100-40gb'?); " + known);
  EXPECT_EQ(resolveTarget("gfx942").error, "unknown machine 'gfx942'; " + known);
  EXPECT_EQ(resolveTarget("").error, "unknown machine ''; " + known);
}

} // namespace
