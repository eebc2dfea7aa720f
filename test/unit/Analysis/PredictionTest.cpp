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
// 64*64*4096 / 64 FMA cycles = 262144, 38 of them 9961472. (formula 30) A step is 256 FMA, 4 * 4
// loads of A (4 rows, 4 of k at a time, since an iteration has 16 FMA) and 16 of B, and 8 copies of 19 with 30 more in each of 8 warps: 8 * (256 + 32 + 8 * 19 +
// 30) = 3760 instructions; before and after are 8 * (60 + 4 stores of 3.6). 38 * (256 * 3760 + 595.2) / 4.
// Threads of a warp read A in 2 rows whose words lie 64 apart, in one bank: 2 wavefronts for each of 16
// loads, 4 for 16 bytes a lane of B, 64 for the copies: 8 * (32 + 16 * 4) + 64 = 832 a step.
TEST_F(PredictionTest, ResourcesOfTile64) {
  Prediction p = predict(exampleText("seed/tile64.mlir"), machine("sm80"), 4096, 4096, 4096);
  EXPECT_NEAR(cycles(p, "compute"), 9961472, 1);
  EXPECT_NEAR(cycles(p, "smem"), 38 * 256 * 832.0, 1);
  EXPECT_NEAR(cycles(p, "issue"), 38 * (256 * 3760.0 + 595.2) / 4, 1);
  // Lines: 2 for two rows of 16 elements of A, 1 of B, in 32 requests each; 4 for each store.
  EXPECT_NEAR(cycles(p, "l1"), 38 * (256 * 96.0 + 128), 1);
  EXPECT_EQ(p.limiter, "compute");
  EXPECT_DOUBLE_EQ(*p.leastCycles, 9961472);
  EXPECT_GT(*p.cycles, *p.leastCycles);
  EXPECT_NEAR(*p.fractionOfPeak, 4096.0 * 4096 * 4096 / 108 / 64 / *p.cycles, 1e-6);
  EXPECT_NEAR(*p.seconds, *p.cycles / 1.41e9, 1e-9);
  // (formula 21) 2 * 4 GiB of inputs and 64 MiB of C pass L2.
  EXPECT_DOUBLE_EQ(p.l2Bytes, 2 * 4294967296.0 + 67108864.0);
  // (formula 20) Of C what the last blocks stored stays in L2: those of the last of 9.5 waves, 432 at once, at the least, but for a twentieth.
  EXPECT_LE(p.dramBytes, 2 * 4294967296.0 / p.sharing + 67108864.0 - 0.95 * 432 * 16384 + 1);
  EXPECT_GT(p.dramBytes, 2 * 4294967296.0 / p.sharing + 67108864.0 - 0.92 * 41943040);
}

// The issue model of thread tiles: 64 FFMA and 4 LDS.128 make 94.1 % FFMA for 8x8 threads with k by k
// layouts, 128 and 6 make 95.5 % for 16x8. What is left of it: copies of 16 by 19, and 30.
TEST_F(PredictionTest, IssueSlotsOnH100) {
  GemmSizes s;
  s.bm = s.bn = 128;
  s.tm = s.tn = 8;
  std::string text = gemmText(s);
  text.replace(text.find("!sA = memref<128x16xf32"), 23,
               "!sA = memref<128x16xf32, #tile.layout<\"(128,16):(1,132)\">");
  Prediction p = predict(text, machine("h100-sxm"), 4096, 4096, 4096);
  // 8 of 7.76 blocks; 4 waits (1024 FMA / 256) more than unrolled loops have: 16 of 9 instructions. So that two blocks fit, 128 registers are given
  // where 132 are liked: what computes takes 0.6 * 4 / 128 longer.
  double warp = (16 * 68 + 16 * 9) * (1 + 0.6 * 4 / 128) + 16 * 19 + 30;
  EXPECT_NEAR(cycles(p, "issue"), 8 * (256 * 8 * warp + 8 * (60 + 16 * 3.6)) / 4, 1);
  EXPECT_NEAR(cycles(p, "compute"), 8 * 256 * 16 * 128 * 128 / 128.0, 1);
}

// (formula 30) A loop around one that the nest writes out stays a loop: S2 computes a slot of 64 in 4 runs of 16
// (2048 FMA a thread), in 8 runs of 8 it counts and compares 4 times more in each of 8 warps, by 9 instructions.
// 512 tiles of 64 steps on 132 SMs: 3 whole ones and a share of 116 * 64 / 132 steps, 57, on the SM with most: 249 * 4 * 8 * 9 / 4 issue slots.
TEST_F(PredictionTest, RunsStayALoop) {
  std::string text = exampleText("fast/s2.mlir");
  Prediction sixteen = predict(text, machine("h100-sxm"), 4096, 4096, 4096);
  text.replace(text.find("by (16) at smem {"), 7, "by (8)");
  text.replace(text.find("(%k1) in (16)"), 13, "(%k1) in (8)");
  Prediction eight = predict(text, machine("h100-sxm"), 4096, 4096, 4096);
  EXPECT_NEAR(cycles(eight, "issue") - cycles(sixteen, "issue"), 17928, 1);
  EXPECT_EQ(sixteen.limiter, "issue");
}

// (formula 30) B of 64x64 blocks swizzled: rows of 64 elements are whole periods of Sw<1,2,3>, 2^(2 + 1 + 3), so addresses are computed once; of Sw<1,2,4>, 128 elements, they are not, and
// each of the 16 loads of a step's 8 warps takes 2 instructions more, 38 * 256 * 256 / 4 cycles.
TEST_F(PredictionTest, SwizzlesMoveByPeriods) {
  auto getText = [](const std::string &swizzle) {
    std::string text = exampleText("seed/tile64.mlir");
    return text.replace(text.find("16x64xf32, "), 11, "16x64xf32, #tile.layout<\"" + swizzle + " o 0 o (16,64):(64,1)\">, ");
  };
  double plain = cycles(predict(exampleText("seed/tile64.mlir"), machine("sm80"), 4096, 4096, 4096), "issue");
  EXPECT_NEAR(cycles(predict(getText("Sw<1,2,3>"), machine("sm80"), 4096, 4096, 4096), "issue"), plain, 1);
  EXPECT_NEAR(cycles(predict(getText("Sw<1,2,4>"), machine("sm80"), 4096, 4096, 4096), "issue"), plain + 38 * 256 * 64, 1);
}

// 32x32 blocks starve an A100 by what they guarantee and are saved by what they share in L2: blocks of
// 64 threads run together on an SM, and what limits is nearer than memory.
TEST_F(PredictionTest, SharingSavesTile32) {
  Prediction p = predict(exampleText("seed/tile32.mlir"), machine("sm80"), 4096, 4096, 4096);
  EXPECT_GT(*p.opportunisticReuse, 38.24);
  EXPECT_LT(cycles(p, "dram"), cycles(p, "compute"));
  EXPECT_EQ(p.limiter, "smem");
}

// Where L2 holds next to nothing, only blocks at the same step share: of 14 an SM two, 216. They ask for 432 tiles, of which 128 of B and 2 or 3 of A differ, 0.606 a block;
// the last group is short. In the 16384 / 1512 = 10.84 rounds of blocks all begin together, 1512 for 128 tiles of B and 12.8 of A, 0.093 a block, and drift apart: so much
// for exp(-9.84 / 3) = 0.0377 of them. 2 / (0.606 - 0.0377 * (0.606 - 0.093)) = 3.409. Of its room 0.46 had others' results, which are driven out, and 0.74 are left with its own. A byte read takes 0.94 of the time of a copy's, one written the rest of 2.
TEST_F(PredictionTest, NoSharingWithoutRoom) {
  MachineSpec tiny = machine("sm80");
  tiny.level(MemoryLevel::L2).capacity->value = 4096;
  Prediction p = predict(exampleText("seed/tile32.mlir"), tiny, 4096, 4096, 4096);
  EXPECT_NEAR(p.sharing, 3.409, 0.005);
  EXPECT_NEAR(*p.opportunisticReuse, 32 * p.sharing, 0.01);
  EXPECT_NEAR(cycles(p, "dram"), (0.94 * 64 * 4096 * 4 * 16384.0 / p.sharing + 1.06 * (4.0 * 4096 * 4096 - 0.74 * 4096 + 0.46 * 4096)) / (0.852 * 2039e9 / 1.41e9), 10);
  EXPECT_GT(predict(exampleText("seed/tile32.mlir"), machine("sm80"), 4096, 4096, 4096).sharing, p.sharing);
}

// Blocks that ask for tiles two steps ahead drift further apart than others, and share less; those of few warps in all do not, and none does at once.
TEST_F(PredictionTest, BlocksDriftApart) {
  MachineSpec tiny = machine("sm80");
  tiny.level(MemoryLevel::L2).capacity->value = 4096;
  std::string text = gemmText({}), far = text;
  far.insert(far.find("at dram {", far.find("(%k0)")) + 8, "pipeline(3) ");
  double plain = predict(text, tiny, 4096, 4096, 4096).sharing;
  EXPECT_LT(predict(far, tiny, 4096, 4096, 4096).sharing, plain);
  tiny.timing.stepRounds.value = 100;
  EXPECT_GT(predict(text, tiny, 4096, 4096, 4096).sharing, plain);
  tiny.timing.stepWarps.value = 64;
  EXPECT_GT(predict(text, tiny, 4096, 4096, 4096).sharing, plain);
}

// (formula 29) A thread of 8x8 elements would like 128 registers: 1024 threads have 64 each, and 0.8 * 128 = 102 are needed; 256 threads have enough.
TEST_F(PredictionTest, SpilledRegisters) {
  auto spilled = [&](int64_t side, int64_t threads) {
    GemmSizes s;
    s.bm = s.bn = side;
    s.tm = s.tn = 8;
    Nest product = parse(context, gemmText(s));
    FailureOr<NestModel> model = NestModel::get(product.kernel, {-1, -1, -1, 4096, 4096, 4096});
    EXPECT_TRUE(succeeded(model));
    return getSpilledRegisters(*model, threads, machine("sm80"));
  };
  EXPECT_EQ(spilled(128, 256), 0);
  EXPECT_EQ(spilled(256, 1024), 102 - 64);
}

// (formula 30) A thread of 8x8 elements would like 131 registers. Where four blocks of 256 threads are asked for each has 64; where one is, all. What computes takes 0.6 of
// what it does without longer: 0.6 * 67 / 64 of 1024 products, 8 loads of A and 2 of B for each of 16 k, and 16 waits of 9, in 8 warps of 10 blocks (1024 on 108 SMs) and 256 steps.
TEST_F(PredictionTest, TightRegisters) {
  auto getText = [&](int blocks) {
    GemmSizes s;
    s.bm = s.bn = 128;
    s.tm = s.tn = 8;
    std::string text = gemmText(s);
    text.insert(text.rfind('}'), "tile.launch grid [%M, %N] by [128, 128] threads(256) min_blocks(" + std::to_string(blocks) + ")\n");
    return text;
  };
  auto getTight = [&](int blocks) {
    Nest product = parse(context, getText(blocks));
    FailureOr<NestModel> model = NestModel::get(product.kernel, {-1, -1, -1, 4096, 4096, 4096});
    EXPECT_TRUE(succeeded(model));
    return getTightness(*model, 256, machine("sm80"));
  };
  EXPECT_DOUBLE_EQ(getTight(1), 1);
  EXPECT_DOUBLE_EQ(getTight(4), 131. / 64);
  MachineSpec free = machine("sm80");
  free.timing.tightRegisters.value = 0;
  double with = cycles(predict(getText(4), machine("sm80"), 4096, 4096, 4096), "issue"), without = cycles(predict(getText(4), free, 4096, 4096, 4096), "issue");
  EXPECT_NEAR(with - without, 10 * 256 * 8 * (1024 + 16 * 10 + 16 * 9) * 0.6 * 67 / 64 / 4, 1);
}

// Of 256 threads, 8 warps, three blocks have six warps for each of 4 schedulers; of 64 threads twelve. 108 blocks are one for each SM, 109 two for some.
TEST_F(PredictionTest, UsefulBlocks) {
  EXPECT_EQ(countUsefulBlocks(machine("sm80"), 100000, 256), 3);
  EXPECT_EQ(countUsefulBlocks(machine("sm80"), 100000, 64), 12);
  EXPECT_EQ(countUsefulBlocks(machine("sm80"), 108, 64), 1);
  EXPECT_EQ(countUsefulBlocks(machine("sm80"), 109, 64), 2);
}

// A kernel whose operands fit L2 reads them once: 3 * 4 MiB of the A100's 40. Of the result a twentieth does not stay there.
TEST_F(PredictionTest, SmallOperandsComeOnce) {
  EXPECT_NEAR(predict(gemmText({}), machine("sm80"), 1024, 1024, 1024).dramBytes,
              2.05 * 4.0 * 1024 * 1024, 0.02 * 4 * 1024 * 1024);
}

// Measured on a V100 with 4096^3: naive 1.9, shared memory 3.7 and registers too 10.7 TFLOP/s. The
// prediction names what limits: reads of L1, reads of shared memory.
TEST_F(PredictionTest, LadderOnV100) {
  Prediction naive = predict(exampleText("naive.mlir"), machine("v100"), 4096, 4096, 4096);
  EXPECT_EQ(naive.limiter, "l1");
  EXPECT_GT(*naive.tflops, 1.9);
  EXPECT_LT(*naive.tflops, 2.6);
  Prediction smem = predict(exampleText("smem.mlir"), machine("v100"), 4096, 4096, 4096);
  EXPECT_EQ(smem.limiter, "smem");
  EXPECT_NEAR(*smem.tflops, 3.7, 0.37);
  EXPECT_GT(*predict(exampleText("gemm.mlir"), machine("v100"), 4096, 4096, 4096).tflops, 8);
}

// An H100 starts a kernel every 2.3 us, 4554 cycles of 1.98 GHz, and waits for DRAM twice: one block of 64x64x16 is done in
// less, 64*64*16 / 128 = 512 and a few waits, after that.
TEST_F(PredictionTest, TinyKernelsWaitForTheLaunch) {
  Prediction p = predict(gemmText({}), machine("h100-sxm"), 64, 64, 16);
  EXPECT_EQ(p.limiter, "launch");
  EXPECT_GE(*p.cycles, 4554);
  EXPECT_LT(*p.cycles, 2 * 4554 + 2 * 587);
  EXPECT_NEAR(*p.seconds, *p.cycles / 1.98e9, 1e-12);
}

// Tensor cores lower the clock of an H100 from 1.83 GHz to 1.5 where they are busy all the time, f32 does not.
TEST_F(PredictionTest, ClockUnderLoad) {
  GemmSizes s;
  s.type = "bf16";
  s.instruction = "wgmma.m64n256k16";
  Prediction tensor = predict(gemmText(s), machine("h100-sxm"), 4096, 4096, 4096);
  double busy = 4096.0 * 4096 * 4096 / 132 / 2048 / *tensor.cycles;
  EXPECT_NEAR(*tensor.seconds, *tensor.cycles / ((1.83 - 0.33 * busy) * 1e9), 1e-9);
  Prediction cores = predict(gemmText({}), machine("h100-sxm"), 4096, 4096, 4096);
  EXPECT_NEAR(*cores.seconds, *cores.cycles / 1.98e9, 1e-12);
}

// (formula 30) smem.mlir, blocks of 32x32, 32 of k a step, one element of C a thread: a warp reads 32
// elements of A side by side, which become 8 reads of 16 bytes, all lanes at one place: 2 wavefronts
// each; 32 of B, one row of 32 words each. With 32 copies of A and 32 of B: 32 warps * (8 * 2 + 32) + 64.
TEST_F(PredictionTest, JoinsReadsThatLieSideBySide) {
  Prediction p = predict(exampleText("smem.mlir"), machine("h100-sxm"), 2048, 2048, 2048);
  EXPECT_NEAR(cycles(p, "smem"), 32 * 64 * 1600.0, 1);
  // Rows of 33 are aligned at no multiple of 16 bytes: 32 reads of A.
  std::string text = exampleText("smem.mlir");
  size_t at = text.find("!s = memref<32x32xf32");
  ASSERT_NE(at, std::string::npos);
  text.replace(at, 21, "!s = memref<32x32xf32, #tile.layout<\"(32,32):(33,1)\">");
  for (std::string from = "strided<[32, 1]"; (at = text.find(from)) != std::string::npos;)
    text.replace(at, from.size(), "strided<[33, 1]");
  EXPECT_NEAR(cycles(predict(text, machine("h100-sxm"), 2048, 2048, 2048), "smem"),
              32 * 64 * (32 * 64 + 64.0), 1);
}

// (formula 29) gemm.mlir: 64 of C, 8 of A and 8 of B in two copies each, and on sm_90 30, 6 for copies ahead, 2
// for each of 4 strides and 16 as registers are staged ahead too. On sm_100 31 and 8: 135, near enough to the
// 65536 / 2 / 256 = 128 that let two blocks fit an SM (135 <= 1.19 * 128). persistent.mlir: 10 for copies ahead,
// 18 for its cut wave. On sm_86 35, 10 and 4: 145, which becomes 128 too (145 <= 1.15 * 128). s2.mlir: 384 threads
// share 65536 registers, 170 each, 168 in the grain of 8.
TEST_F(PredictionTest, EstimatesRegisters) {
  auto estimate = [&](const char *example, const char *target = "h100-sxm") {
    return predict(exampleText(example), machine(target), 4096, 4096, 4096).registers;
  };
  EXPECT_EQ(estimate("gemm.mlir"), 64 + 2 * 16 + 30 + 6 + 2 * 4 + 16);
  EXPECT_EQ(estimate("gemm.mlir", "b200"), 128);
  EXPECT_EQ(estimate("persistent.mlir"), 64 + 2 * 16 + 30 + 10 + 18);
  EXPECT_EQ(estimate("persistent.mlir", "rtx3090"), 128);
  EXPECT_EQ(estimate("fast/s2.mlir"), 168);
  // 16 of C, 4 of A and of B twice, 30, 6 and 2 for each of 4 strides, 4 for the sum over a cluster; 1.2 * 64 would be less.
  EXPECT_EQ(estimate("split_k_cluster.mlir"), 16 + 2 * 8 + 30 + 6 + 2 * 4 + 4);
}

// (formula 29) No loops. stencil.mlir: a thread holds 16 of Y, 36 of X and 9 of W while it computes, and 5 more; 20 and the 36 that it loads
// ahead of W are fewer. transpose_naive.mlir, 4 elements of a thread: 12 + 2 * 4 and 10 + 5 * 4. vecadd.mlir: 6, 4 of X and 4 of Y, 2 since its one
// dimension has an edge, and 6 on sm_90, 4 on sm_80 since its size is known at launch (ptxas: 24, 22).
TEST_F(PredictionTest, EstimatesRegistersWithoutLoops) {
  auto estimate = [&](const char *example, const char *target, llvm::ArrayRef<int64_t> arguments) {
    nest = parse(context, exampleText(example));
    auto analyses = report::analyzeKernel(nest.kernel, arguments, machine(target));
    EXPECT_TRUE(succeeded(analyses));
    return succeeded(analyses) ? analyses->prediction.registers : 0;
  };
  EXPECT_EQ(estimate("stencil.mlir", "sm80", {-1, -1, -1, 4096, 4096}), 66);
  EXPECT_EQ(estimate("stencil.mlir", "sm86", {-1, -1, -1, 4096, 4096}), 66);
  EXPECT_EQ(estimate("stencil.mlir", "h100-sxm", {-1, -1, -1, 4096, 4096}), 66);
  EXPECT_EQ(estimate("transpose_naive.mlir", "sm80", {-1, -1, 4096, 4096}), 20);
  EXPECT_EQ(estimate("transpose_naive.mlir", "h100-sxm", {-1, -1, 4096, 4096}), 30);
  EXPECT_EQ(estimate("vecadd.mlir", "h100-sxm", {-1, -1, -1, 4096}), 22);
  EXPECT_EQ(estimate("vecadd.mlir", "sm80", {-1, -1, -1, 4096}), 20);
}

// (formula 22) Each element of a column that a warp of transpose_naive.mlir writes is in a line of its own. 32x32 blocks of
// 1024x1024: the SM with most of 1024 blocks on 132 has 8, of 1024 lines each, 4.6 cycles a line.
TEST_F(PredictionTest, StoresTakeLines) {
  nest = parse(context, exampleText("transpose_naive.mlir"));
  auto transposed = report::analyzeKernel(nest.kernel, {-1, -1, 1024, 1024}, machine("h100-sxm"));
  ASSERT_TRUE(succeeded(transposed));
  EXPECT_NEAR(cycles(transposed->prediction, "stores"), 8 * 1024 * 4.6, 1e-6);
  EXPECT_EQ(transposed->prediction.limiter, "stores");
  EXPECT_GT(*transposed->prediction.cycles, 8 * 1024 * 4.6);
}

// What the compiler says about registers replaces the estimate: 128 a thread of 256 leave two
// blocks an SM.
TEST_F(PredictionTest, TakesTheCompilersRegisters) {
  EXPECT_EQ(predict(gemmText({}), machine("sm80"), 4096, 4096, 4096, 128).occupancy.blocksPerSM, 2);
  // (formula 29) 16 of C, 8 of A and B twice, 29, and 4 of 5 of 4 copies: 64: 2048 a
  // warp; 16384 / 2048 = 8 a scheduler, 32 warps, 4 blocks of 8.
  EXPECT_EQ(predict(gemmText({}), machine("sm80"), 4096, 4096, 4096).occupancy.blocksPerSM, 4);
}

} // namespace
