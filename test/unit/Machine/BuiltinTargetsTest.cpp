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
  EXPECT_EQ(names, (std::vector<std::string>{"a10", "a100-40gb", "a100-80gb-sxm", "b200", "h100-sxm",
                                             "h200", "l40s", "rtx3090", "rtx4090", "v100"}));
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
  // 4950 / 132 = 37.5; 8192 / 37.5 = 218.5; 8192 / 128 = 64
  EXPECT_NEAR(amplification(spec, MemoryLevel::L2, MathUnit::Wgmma, MathType::BF16), 218.5, 0.05);
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
  TargetResult target = parseTarget("inherit: b200\nname: other\n", "other.yaml");
  ASSERT_TRUE(target) << target.error;
  const MachineSpec &spec = *target.spec;
  EXPECT_EQ(spec.rate(MathUnit::Mma, MathType::BF16), nullptr);
  EXPECT_FALSE(spec.peakTFlops(MathUnit::Mma, MathType::BF16));
  EXPECT_FALSE(spec.operandBytesPerCycle(MathUnit::Mma, MathType::BF16));
  EXPECT_FALSE(spec.level(MemoryLevel::L2).bandwidth);
  EXPECT_FALSE(spec.requiredAmplification(MemoryLevel::L2, MathUnit::Fma, MathType::F32));
  EXPECT_EQ(spec.computeCapability(), std::make_pair(10, 0));
}

TEST(BuiltinTargets, standIns) {
  MachineSpec spec = get("b200");
  // 4950 / 132 = 37.5 for each SM of an H100, 148 SMs: 5550.
  EXPECT_NEAR(spec.level(MemoryLevel::L2).bandwidth->value, 5550, 1e-9);
  EXPECT_EQ(spec.level(MemoryLevel::L2).bandwidth->source, "stand-in: as h100-sxm, for each SM");
  EXPECT_TRUE(spec.level(MemoryLevel::L2).bandwidth->standIn);
  // Stated at rest: 295. Under load as many times that as on an H100: 295 * 372 / 263 = 417.3.
  EXPECT_FALSE(spec.level(MemoryLevel::L2).latency->standIn);
  EXPECT_NEAR(spec.level(MemoryLevel::L2).loadedLatency->value, 417.3, 0.05);
  EXPECT_EQ(spec.level(MemoryLevel::L2).loadedLatency->source, "stand-in: as h100-sxm, in proportion to latency");
  // Judged by its tensor cores: mma.sync of the architecture before it.
  EXPECT_EQ(spec.rate(MathUnit::Mma, MathType::BF16)->rate.value, 1280);
  EXPECT_TRUE(spec.rate(MathUnit::Mma, MathType::BF16)->rate.standIn);
  EXPECT_EQ(spec.rate(MathUnit::Mma, MathType::BF16)->perInstruction->value, 2048);
  EXPECT_EQ(spec.costs.storeLine->source, "stand-in: as h100-sxm");

  // V100 and A100 are as near to each other as nothing older; what only an H100 states comes from there. No clusters, no costs of them.
  EXPECT_EQ(get("v100").costs.launch->source, "stand-in: as a100-40gb");
  EXPECT_EQ(get("sm80").costs.storeLine->value, get("sm90").costs.storeLine->value);
  EXPECT_FALSE(get("sm80").costs.clusterBarrier);
  // Rates come from no newer machine, and none in f64.
  EXPECT_EQ(get("v100").rate(MathUnit::Mma, MathType::BF16), nullptr);
  EXPECT_EQ(get("rtx4090").rate(MathUnit::Mma, MathType::F64), nullptr);
}

TEST(BuiltinTargets, noMachineLacksWhatTimeIsMadeFrom) {
  for (const std::string &name : targetNames()) {
    MachineSpec spec = get(name);
    EXPECT_TRUE(spec.level(MemoryLevel::L2).bandwidth) << name;
    EXPECT_TRUE(spec.level(MemoryLevel::Dram).sustained) << name;
    for (MemoryLevel level : {MemoryLevel::Dram, MemoryLevel::L2, MemoryLevel::Smem})
      EXPECT_TRUE(spec.level(level).waitNumber()) << name;
    EXPECT_TRUE(spec.costs.launch && spec.costs.storeLine) << name;
  }
}

/// The same of each machine in other units, as makers' overviews of a product print it (teraflops, bus width and speed of a pin): a mistake
/// in copying a machine file, or in its arithmetic, would show. Written down apart from the files, not looked up anew.
struct SecondSource {
  const char *name;
  int64_t sms;
  double fmaTFlops;
  /// Width of the bus in bits and Gbit/s of a pin.
  double busBits, gbps;
  int64_t l2Bytes;
  /// Tensor cores, f16 added up in f32 without sparsity; 0 where the file has none of its own.
  double tensorTFlops;
};

TEST(BuiltinTargets, secondSources) {
  constexpr int64_t kMiB = 1 << 20;
  const SecondSource sources[] = {{"v100", 80, 15.7, 4096, 1.76, 6 * kMiB, 125},
                                  {"a100-40gb", 108, 19.5, 5120, 2.43, 40 * kMiB, 312},
                                  {"a100-80gb-sxm", 108, 19.5, 5120, 3.19, 40 * kMiB, 312},
                                  {"a10", 72, 31.2, 384, 12.5, 6 * kMiB, 125},
                                  {"rtx3090", 82, 35.6, 384, 19.5, 6 * kMiB, 71},
                                  {"l40s", 142, 91.6, 384, 18, 96 * kMiB, 366},
                                  {"rtx4090", 128, 82.6, 384, 21, 72 * kMiB, 165},
                                  {"h100-sxm", 132, 66.9, 5120, 5.23, 50 * kMiB, 990},
                                  {"h200", 132, 66.9, 6144, 6.25, 60 * kMiB, 990},
                                  {"b200", 148, 75, 8192, 7.5, 126 * kMiB, 0}};
  EXPECT_EQ(std::size(sources), targetNames().size());
  for (const SecondSource &source : sources) {
    MachineSpec spec = get(source.name);
    EXPECT_EQ(spec.sms.value, source.sms) << source.name;
    EXPECT_NEAR(*spec.peakTFlops(MathUnit::Fma, MathType::F32) / source.fmaTFlops, 1, 0.01) << source.name;
    EXPECT_NEAR(spec.level(MemoryLevel::Dram).bandwidth->value / (source.busBits * source.gbps / 8), 1, 0.01) << source.name;
    EXPECT_NEAR(double(spec.level(MemoryLevel::L2).capacity->value) / source.l2Bytes, 1, 0.01) << source.name;
    MathUnit unit = spec.features.wgmma ? MathUnit::Wgmma : MathUnit::Mma;
    if (source.tensorTFlops > 0) {
      EXPECT_NEAR(*spec.peakTFlops(unit, MathType::F16) / source.tensorTFlops, 1, 0.01) << source.name;
    }
  }
}

TEST(BuiltinTargets, unknownNameListsAllAndSuggests) {
  const std::string known =
      "known machines are a10, a100-40gb, a100-80gb-sxm (sm80, a100-80gb), b200 (sm100), "
      "h100-sxm (sm90, h100), h200, l40s (sm89), rtx3090 (sm86), rtx4090, v100 (sm70); "
      "or give the path of a machine file";
  EXPECT_EQ(resolveTarget("sm81").error, "unknown machine 'sm81' (did you mean 'sm80'?); " + known);
  EXPECT_EQ(resolveTarget("a100").error,
            "unknown machine 'a100' (did you mean 'a100-40gb'?); " + known);
  EXPECT_EQ(resolveTarget("gfx942").error, "unknown machine 'gfx942'; " + known);
  EXPECT_EQ(resolveTarget("").error, "unknown machine ''; " + known);
}

} // namespace
