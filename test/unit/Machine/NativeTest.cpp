//===- NativeTest.cpp - Machines from driver values -------------*- C++ -*-===//

#include "tilec/Machine/Targets.h"

#include <gtest/gtest.h>

using namespace tilec;

namespace {

/// What a driver says about an H100 SXM.
DeviceProperties h100() {
  DeviceProperties device;
  device.name = "NVIDIA H100 80GB HBM3";
  device.ccMajor = 9;
  device.ccMinor = 0;
  device.smCount = 132;
  device.clockKHz = 1980000;
  device.memoryClockKHz = 2619000;
  device.memoryBusBits = 5120;
  device.l2Bytes = 52428800;
  device.smemPerBlockOptinBytes = 232448;
  device.smemPerSMBytes = 233472;
  device.smemReservedPerBlockBytes = 1024;
  device.registersPerSM = 65536;
  device.threadsPerBlock = 1024;
  device.threadsPerSM = 2048;
  device.blocksPerSM = 32;
  device.maxGridX = 2147483647;
  return device;
}

TEST(Native, takesWhatTheDriverSays) {
  TargetResult native = fromDeviceProperties(h100());
  ASSERT_TRUE(native) << native.error;
  const MachineSpec &spec = *native.spec;
  EXPECT_EQ(spec.name, "native");
  EXPECT_EQ(spec.title, "NVIDIA H100 80GB HBM3");
  EXPECT_EQ(spec.arch, "sm_90");
  // 2 * 2619 MHz * 5120 bits / 8 = 3352.32 GB/s
  EXPECT_NEAR(spec.level(MemoryLevel::Dram).bandwidth->value, 3352.32, 1e-9);
  EXPECT_EQ(spec.level(MemoryLevel::Dram).bandwidth->source,
            "driver: memory clock rate and bus width");
  EXPECT_EQ(spec.level(MemoryLevel::L2).capacity->value, 52428800);
  EXPECT_EQ(spec.sms.source, "driver: multiprocessor count");
  EXPECT_EQ(spec.registersPerSM(), 65536);
  // What a driver does not know comes from the nearest machine, and says so.
  EXPECT_EQ(spec.level(MemoryLevel::L2).bandwidth->source,
            "as h100-sxm: " + resolveTarget("h100-sxm").spec->level(MemoryLevel::L2).bandwidth->source);
}

// What the machine with its capability does not state either is a stand-in, as everywhere.
TEST(Native, standIns) {
  DeviceProperties device = h100();
  device.ccMajor = 10;
  device.smCount = 100;
  TargetResult native = fromDeviceProperties(device);
  ASSERT_TRUE(native) << native.error;
  // 4950 / 132 = 37.5 for each of 100 SMs.
  EXPECT_EQ(native.spec->level(MemoryLevel::L2).bandwidth->value, 3750);
  EXPECT_TRUE(native.spec->level(MemoryLevel::L2).bandwidth->standIn);
}

TEST(Native, choosesTheNearestBandwidth) {
  DeviceProperties device = h100();
  // 2 * 3201 MHz * 6144 bits / 8 = 4916.7 GB/s: nearer to 4800 than to 3350
  device.memoryClockKHz = 3201000;
  device.memoryBusBits = 6144;
  TargetResult native = fromDeviceProperties(device);
  ASSERT_TRUE(native) << native.error;
  EXPECT_EQ(native.spec->level(MemoryLevel::Dram).latency->source,
            "as h200: RRZE-HPC/gpu-benches 1038c5d, gpu-latency (GH200)");
}

TEST(Native, lowClocksLowerAllClocks) {
  DeviceProperties device = h100();
  device.clockKHz = 1200000;
  TargetResult native = fromDeviceProperties(device);
  ASSERT_TRUE(native) << native.error;
  EXPECT_EQ(native.spec->clockGHz(MathUnit::Wgmma, MathType::BF16), 1.2);
  EXPECT_FALSE(native.spec->loadClock);
}

TEST(Native, whatTheDriverLeavesOutStaysKnown) {
  DeviceProperties device;
  device.name = "quiet";
  device.ccMajor = 7;
  device.ccMinor = 0;
  TargetResult native = fromDeviceProperties(device);
  ASSERT_TRUE(native) << native.error;
  EXPECT_EQ(native.spec->sms.value, 80);
  EXPECT_EQ(native.spec->sms.source, "as v100: NVIDIA V100 architecture whitepaper 2017");
}

TEST(Native, errors) {
  DeviceProperties device = h100();
  device.ccMajor = 12;
  EXPECT_EQ(fromDeviceProperties(device).error,
            "no built-in machine has compute capability 12.0 of device 'NVIDIA H100 80GB HBM3'; "
            "known ones are 7.0, 8.0, 8.6, 8.9, 9.0, 10.0; describe the device in a machine file "
            "instead");
  device = h100();
  device.smCount = -1;
  EXPECT_EQ(fromDeviceProperties(device).error,
            "device 'NVIDIA H100 80GB HBM3': the driver's multiprocessor count is -1 SMs, "
            "expected 1 to 1048576");
  device = h100();
  device.smemPerSMBytes = 1024;
  EXPECT_EQ(fromDeviceProperties(device).error,
            "device 'NVIDIA H100 80GB HBM3': limits.smem_per_block + "
            "limits.smem_reserved_per_block is 233472 B, but levels.smem.capacity is 1024 B");
}

} // namespace
