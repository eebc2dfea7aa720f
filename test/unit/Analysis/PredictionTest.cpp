//===- PredictionTest.cpp - The least time a kernel can take ----*- C++ -*-===//
//
// Times of each resource by hand, and what was measured on real machines.
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

class PredictionTest : public ::testing::Test {
protected:
  Prediction predict(const std::string &text, const MachineSpec &spec, int64_t m, int64_t n,
                     int64_t k, std::optional<int64_t> registers = std::nullopt) {
    nest = parse(context, text);
    auto analyses =
        report::analyzeKernel(nest.kernel, {-1, -1, -1, m, n, k, -1, -1}, spec, registers);
    EXPECT_TRUE(succeeded(analyses));
    return analyses->prediction;
  }

  static double cycles(const Prediction &prediction, StringRef resource) {
    for (const ResourceTime &time : prediction.times)
      if (time.resource == resource)
        return time.cycles;
    ADD_FAILURE() << resource.str();
    return 0;
  }

  Context context;
  Nest nest;
};

// 64x64 blocks, 64x64 of them on 108 SMs: 37.93 an SM, the SM with most has 38. One block computes
// 64*64*4096 / 64 FMA cycles = 262144, 38 of them 9961472. Issue: FMA 2 a slot of 4: half of that,
// and loads of 16 B for each 32 lanes: 64*64*4096/32 + 64*64*4096*2/512 = 524288 + 65536
// instructions a block, / 4 * 38 = 5603328.
TEST_F(PredictionTest, ResourcesOfTile64) {
  Prediction p = predict(exampleText("seed/tile64.mlir"), machine("sm80"), 4096, 4096, 4096);
  EXPECT_NEAR(cycles(p, "compute"), 9961472, 1);
  EXPECT_NEAR(cycles(p, "smem"), 9961472, 1);
  EXPECT_NEAR(cycles(p, "issue"), 5603328, 1);
  EXPECT_EQ(p.times.front().resource, "compute");
  EXPECT_NEAR(*p.fractionOfPeak, 4096.0 / 108 / 38, 1e-6);
  EXPECT_NEAR(*p.seconds, 9961472 / 1.41e9, 1e-9);
  // (formula 21) 2 * 4 GiB of inputs and 64 MiB of C pass L2.
  EXPECT_DOUBLE_EQ(p.l2Bytes, 2 * 4294967296.0 + 67108864.0);
  EXPECT_DOUBLE_EQ(p.dramBytes, 2 * 4294967296.0 / p.sharing + 67108864.0);
}

// The issue model of thread tiles: 64 FFMA and 4 LDS.128 make 94.1 % FFMA for 8x8 threads, 128 and
// 6 make 95.5 % for 16x8. On an H100 an FFMA takes each issue slot, so that is the fraction of
// peak, times the tail: 32x32 blocks on 132 SMs are 7.76 of 8.
TEST_F(PredictionTest, IssueSlotsOnH100) {
  GemmSizes s;
  s.bm = s.bn = 128;
  s.tm = s.tn = 8;
  Prediction p = predict(gemmText(s), machine("h100-sxm"), 4096, 4096, 4096);
  EXPECT_EQ(p.times.front().resource, "issue");
  EXPECT_NEAR(*p.fractionOfPeak, 64.0 / 68 * 1024 / 132 / 8, 1e-4);
  s.tm = 16;
  EXPECT_NEAR(*predict(gemmText(s), machine("h100-sxm"), 4096, 4096, 4096).fractionOfPeak,
              128.0 / 134 * 1024 / 132 / 8, 1e-4);
}

// 32x32 blocks starve an A100 by what they guarantee and are saved by what they share in L2: 18
// blocks of 64 threads run on an SM, and the limiter is computing.
TEST_F(PredictionTest, SharingSavesTile32) {
  Prediction p = predict(exampleText("seed/tile32.mlir"), machine("sm80"), 4096, 4096, 4096);
  EXPECT_GT(*p.opportunisticReuse, 38.24);
  EXPECT_EQ(p.times.front().resource, "compute");
}

// No sharing where L2 cannot hold a wave's tiles.
TEST_F(PredictionTest, NoSharingWithoutRoom) {
  MachineSpec tiny = machine("sm80");
  tiny.level(MemoryLevel::L2).capacity->value = 4096;
  Prediction p = predict(exampleText("seed/tile32.mlir"), tiny, 4096, 4096, 4096);
  EXPECT_DOUBLE_EQ(p.sharing, 1);
  EXPECT_DOUBLE_EQ(*p.opportunisticReuse, 32);
  EXPECT_EQ(p.times.front().resource, "dram");
  // 19.12*K cycles of data for each of 16384 blocks on 108 SMs, and C.
  EXPECT_NEAR(*p.cycles, (64 * 4096 * 4 * 16384.0 + 4.0 * 4096 * 4096) / (2039e9 / 1.41e9), 10);
}

// A kernel whose operands fit L2 reads them once: 3 * 4 MiB of the A100's 40.
TEST_F(PredictionTest, SmallOperandsComeOnce) {
  EXPECT_DOUBLE_EQ(predict(gemmText({}), machine("sm80"), 1024, 1024, 1024).dramBytes,
                   3 * 4.0 * 1024 * 1024);
}

// Measured on a V100 with 4096^3: naive 1.9, shared memory 3.7 TFLOP/s. The prediction is the least
// time, so it lies above, and it names what limits: reads of L1, reads of shared memory.
TEST_F(PredictionTest, LadderOnV100) {
  Prediction naive = predict(exampleText("naive.mlir"), machine("v100"), 4096, 4096, 4096);
  EXPECT_EQ(naive.times.front().resource, "l1");
  EXPECT_GT(*naive.tflops, 1.9);
  EXPECT_LT(*naive.tflops, 4.0);
  Prediction smem = predict(exampleText("smem.mlir"), machine("v100"), 4096, 4096, 4096);
  EXPECT_EQ(smem.times.front().resource, "smem");
  EXPECT_GT(*smem.tflops, 3.7);
  EXPECT_LT(*smem.tflops, 4.0);
  EXPECT_GT(*predict(exampleText("gemm.mlir"), machine("v100"), 4096, 4096, 4096).tflops, 10.7);
}

// An H100 starts a kernel every 2.3 us, 4554 cycles of 1.98 GHz: one block of 64x64x16 is done in less, 64*64*16 / 128 = 512.
TEST_F(PredictionTest, TinyKernelsWaitForTheLaunch) {
  Prediction p = predict(gemmText({}), machine("h100-sxm"), 64, 64, 16);
  EXPECT_EQ(p.times.front().resource, "launch");
  EXPECT_NEAR(*p.cycles, 4554, 1e-6);
  EXPECT_NEAR(*p.seconds, 2.3e-6, 1e-12);
}

// Tensor cores lower the clock of an H100 to 1.5 GHz, f32 does not.
TEST_F(PredictionTest, ClockUnderLoad) {
  GemmSizes s;
  s.type = "bf16";
  Prediction tensor = predict(gemmText(s), machine("h100-sxm"), 4096, 4096, 4096);
  EXPECT_NEAR(*tensor.seconds, *tensor.cycles / 1.5e9, 1e-12);
  Prediction cores = predict(gemmText({}), machine("h100-sxm"), 4096, 4096, 4096);
  EXPECT_NEAR(*cores.seconds, *cores.cycles / 1.98e9, 1e-12);
}

// What the compiler says about registers replaces the estimate: 128 a thread of 256 leave two
// blocks an SM.
TEST_F(PredictionTest, TakesTheCompilersRegisters) {
  EXPECT_EQ(predict(gemmText({}), machine("sm80"), 4096, 4096, 4096, 128).occupancy.blocksPerSM, 2);
  // 24 registers of tiles and 32 others: 56 * 32 = 1792 a warp; 16384 / 1792 = 9 a scheduler, 36
  // warps, 4 blocks of 8.
  EXPECT_EQ(predict(gemmText({}), machine("sm80"), 4096, 4096, 4096).occupancy.blocksPerSM, 4);
}

} // namespace
