//===- MatchingTest.cpp - Throughput and capacity ---------------*- C++ -*-===//
//
// Every figure of the worked example: an A100 that multiplies f32 matrices on
// its CUDA cores, and what changes with the tile, the cluster and the machine.
//
//===----------------------------------------------------------------------===//

#include "Nests.h"

#include "mlir/IR/Diagnostics.h"
#include "tilec/Report/BuildRecord.h"
#include "gtest/gtest.h"

#include <chrono>

using namespace mlir;
using namespace tilec;
using namespace tilec::analysis;
using namespace tilec::test;
using report::Analyses;
using tile::Level;

namespace {

class MatchingTest : public ::testing::Test {
protected:
  Analyses analyze(const std::string &text, const MachineSpec &spec, int64_t m = 4096,
                   int64_t n = 4096, int64_t k = 4096) {
    nest = parse(context, text);
    FailureOr<Analyses> analyses =
        report::analyzeKernel(nest.kernel, {-1, -1, -1, m, n, k, -1, -1}, spec);
    EXPECT_TRUE(succeeded(analyses));
    return *analyses;
  }

  static GemmSizes block(int64_t bm, int64_t bn) {
    GemmSizes s;
    s.bm = bm;
    s.bn = bn;
    return s;
  }

  Context context;
  Nest nest;
};

constexpr double kK = 4096;

/// Cycles of one block: an SM's share of all blocks, divided by how many it has.
double ofOneBlock(std::optional<double> cycles, const Analyses &analyses, const MachineSpec &spec) {
  return *cycles * static_cast<double>(spec.sms.value) /
         static_cast<double>(analyses.model.blocks());
}

// 4096^3 FMA / (3 * 4096^2 * 4 B) = 4096 / 12 = 341.33 FMA/B; the machine's ridge is 64 / 13.39
// = 4.78.
TEST_F(MatchingTest, RooflineSaysComputeBound) {
  Analyses analyses = analyze(gemmText({}), machine("sm80"));
  EXPECT_NEAR(*analyses.match.roofline.fmaPerByte, 341.33, 0.01);
  EXPECT_NEAR(*analyses.match.roofline.machineFmaPerByte, 4.78, 0.005);
  EXPECT_TRUE(analyses.match.roofline.computeBound);
}

// (formulas 7 to 11) DRAM 2039e9 / (108 * 1.41e9) = 13.39 B/cycle/SM, smem 128; 64 FMA/cycle * 8 B
// = 512 B/cycle/SM. 512 / 13.39 = 38.24 and 512 / 128 = 4; 64x64 gives 64 and 4x4 gives 4. 13.390 *
// 64 = 856.95.
TEST_F(MatchingTest, Tile64FeedsAnA100) {
  Analyses analyses = analyze(exampleText("seed/tile64.mlir"), machine("sm80"));
  ASSERT_EQ(analyses.match.stages.size(), 2u);
  const StageMatch &dram = analyses.match.stages[0], &smem = analyses.match.stages[1];
  EXPECT_EQ(dram.from, Level::DRAM);
  EXPECT_EQ(dram.to, Level::SMEM);
  EXPECT_NEAR(*dram.available, 13.39, 0.005);
  EXPECT_DOUBLE_EQ(*dram.required, 512);
  EXPECT_NEAR(*dram.requiredReuse, 38.24, 0.005);
  EXPECT_DOUBLE_EQ(*dram.guaranteedReuse, 64);
  EXPECT_DOUBLE_EQ(*dram.localReuse, 16);
  EXPECT_NEAR(*dram.amplified, 856.95, 0.005);
  EXPECT_TRUE(dram.satisfied);
  EXPECT_EQ(smem.from, Level::SMEM);
  EXPECT_EQ(smem.to, Level::RF);
  EXPECT_DOUBLE_EQ(*smem.available, 128);
  EXPECT_DOUBLE_EQ(*smem.requiredReuse, 4);
  EXPECT_DOUBLE_EQ(*smem.guaranteedReuse, 4);
  EXPECT_DOUBLE_EQ(*smem.localReuse, 4);
  EXPECT_TRUE(smem.satisfied);
  EXPECT_EQ(analyses.match.limiter, "compute");
  EXPECT_TRUE(analyses.violations.empty());
  // 64*16 + 16*64 floats = 8192 B; 256 threads; 16 + 4 + 4 registers.
  EXPECT_EQ(analyses.resources.smemBytes, 8192);
  EXPECT_EQ(analyses.resources.threadsPerBlock, 256);
  EXPECT_EQ(analyses.resources.tileRegisters, 24);
  // The local requirement: 128 / 13.39 = 9.56, so 16 is enough.
  EXPECT_NEAR(*smem.available / *dram.available, 9.56, 0.005);
  EXPECT_GE(*dram.localReuse, *smem.available / *dram.available);
}

// The nest as first written: reuse 16 / 64 / 4 / 4, but (64*4096 + 4096*64) * 4 B = 2097152 B of
// shared memory, and 16 + 2 * 16384 registers a thread. 64 rows and 64 columns of k = 256 take 2 *
// 64*256*4 = 131072 B, of 512 twice that.
TEST_F(MatchingTest, VerbatimIsRejectedForCapacity) {
  Analyses analyses = analyze(exampleText("seed/verbatim.mlir"), machine("sm80"));
  ASSERT_EQ(analyses.match.stages.size(), 2u);
  EXPECT_DOUBLE_EQ(*analyses.match.stages[0].localReuse, 16);
  EXPECT_DOUBLE_EQ(*analyses.match.stages[0].guaranteedReuse, 64);
  EXPECT_DOUBLE_EQ(*analyses.match.stages[1].localReuse, 4);
  EXPECT_DOUBLE_EQ(*analyses.match.stages[1].guaranteedReuse, 4);
  ASSERT_EQ(analyses.violations.size(), 2u);
  const Violation &smem = analyses.violations[0];
  EXPECT_EQ(smem.message.rfind(
                "stages of [64, 4096] and [4096, 64] f32 take 2097152 bytes of shared memory, "
                "a100-80gb-sxm allows 166912 per block",
                0),
            0u)
      << smem.message;
  ASSERT_EQ(smem.notes.size(), 3u);
  EXPECT_EQ(smem.notes[0].second, "A: [64, 4096] f32 = 1048576 bytes");
  EXPECT_EQ(smem.notes[1].second, "B: [4096, 64] f32 = 1048576 bytes");
  EXPECT_EQ(smem.notes[2].second,
            "tile k (dimension 1 of A, dimension 0 of B): the largest power of two that fits is "
            "256, which takes 131072 bytes");
  EXPECT_NE(analyses.violations[1].message.find("32784 registers of a thread"), std::string::npos)
      << analyses.violations[1].message;
}

// (formulas 12 and 13) One block of 32x32: (32 + 32)*K*4 B / 13.39 = 19.12*K cycles of data,
// 32*32*K*8 B / 512 = 16*K of computing.
TEST_F(MatchingTest, Tile32Starves) {
  MachineSpec sm80 = machine("sm80");
  Analyses analyses = analyze(exampleText("seed/tile32.mlir"), sm80);
  const StageMatch &dram = analyses.match.stages[0];
  EXPECT_DOUBLE_EQ(*dram.guaranteedReuse, 32);
  EXPECT_FALSE(dram.satisfied);
  EXPECT_EQ(analyses.match.limiter, "dram");
  EXPECT_NEAR(ofOneBlock(dram.cycles, analyses, sm80) / kK, 19.12, 0.005);
  EXPECT_NEAR(ofOneBlock(analyses.match.computeCycles, analyses, sm80) / kK, 16, 1e-9);
}

// What tiles promise holds whatever the extents; cycles are exact: 4095x4097 pays for 65 columns of
// blocks.
TEST_F(MatchingTest, EdgesChangeCyclesAndNoVerdict) {
  Analyses analyses = analyze(gemmText({}), machine("sm80"), 4095, 4097, 1001);
  EXPECT_DOUBLE_EQ(*analyses.match.stages[0].guaranteedReuse, 64);
  EXPECT_DOUBLE_EQ(*analyses.match.stages[1].guaranteedReuse, 4);
  EXPECT_TRUE(analyses.match.stages[1].satisfied);
  // A: 4 * 4095 * 1001 * 65, B: 4 * 1001 * 4097 * 64, over 108 SMs.
  double bytes = 4.0 * 4095 * 1001 * 65 + 4.0 * 1001 * 4097 * 64;
  EXPECT_NEAR(*analyses.match.stages[0].cycles, bytes / (2039e9 / 1.41e9), 1);
}

// 32x64 blocks have 2*32*64 / 96 = 42.67, which is enough.
TEST_F(MatchingTest, WiderTilesDo) {
  Analyses analyses = analyze(gemmText(block(32, 64)), machine("sm80"));
  EXPECT_NEAR(*analyses.match.stages[0].guaranteedReuse, 42.67, 0.005);
  EXPECT_TRUE(analyses.match.stages[0].satisfied);
}

// A cluster of 2x2 blocks of 32x32: half the bytes leave DRAM, 9.56*K cycles against 16*K; the same
// as one 64x64 tile.
TEST_F(MatchingTest, ClusterOf32FeedsTheUnits) {
  GemmSizes s = block(32, 32);
  s.clusterM = s.clusterN = 2;
  MachineSpec spec = sm80WithClusters();
  Analyses analyses = analyze(gemmText(s), spec);
  const StageMatch &dram = analyses.match.stages[0];
  EXPECT_DOUBLE_EQ(*dram.guaranteedReuse, 64);
  EXPECT_TRUE(dram.satisfied);
  EXPECT_NEAR(ofOneBlock(dram.cycles, analyses, spec) / kK, 9.56, 0.005);
  EXPECT_NEAR(ofOneBlock(analyses.match.computeCycles, analyses, spec) / kK, 16, 1e-9);
  EXPECT_TRUE(analyses.violations.empty());
}

TEST_F(MatchingTest, ClusterIsRefusedOnSm80) {
  GemmSizes s = block(32, 32);
  s.clusterM = s.clusterN = 2;
  Analyses analyses = analyze(gemmText(s), machine("sm80"));
  ASSERT_FALSE(analyses.violations.empty());
  EXPECT_EQ(analyses.violations[0].message,
            "needs clusters of blocks, which a100-80gb-sxm (sm_80) lacks");
}

// p x q blocks, p along m and q along n: F = p*q*(BM + BN) / (p*BM + q*BN) times 2*BM*BN / (BM +
// BN). For 2x1 blocks of 64x32: 2*96 / (128 + 32) = 1.2, times 42.67 = 51.2.
TEST_F(MatchingTest, ClusterFactorIsTheMeanByBytes) {
  GemmSizes s = block(64, 32);
  s.clusterM = 2;
  Analyses analyses = analyze(gemmText(s), sm80WithClusters());
  EXPECT_NEAR(*analyses.match.stages[0].guaranteedReuse, 51.2, 1e-9);
}

// H100 SXM: 3350e9 / (132 * 1.98e9) = 12.82 B/cycle/SM; 128 FMA/cycle * 8 B = 1024; 1024 / 12.82
// = 79.9, 1024 / 128 = 8.
TEST_F(MatchingTest, H100NeedsMore) {
  Analyses analyses = analyze(gemmText({}), machine("h100-sxm"));
  const StageMatch &dram = analyses.match.stages[0], &smem = analyses.match.stages[1];
  EXPECT_NEAR(*dram.available, 12.82, 0.005);
  EXPECT_DOUBLE_EQ(*dram.required, 1024);
  EXPECT_NEAR(*dram.requiredReuse, 79.9, 0.05);
  EXPECT_DOUBLE_EQ(*smem.requiredReuse, 8);
  EXPECT_FALSE(dram.satisfied);
  EXPECT_FALSE(smem.satisfied);
}

// Half of the SMs share the same DRAM: 2039e9 / (54 * 1.41e9) = 26.78; 512 / 26.78 = 19.1, so 32x32
// is enough.
TEST_F(MatchingTest, HalfAMachineIsFed) {
  MachineSpec half = machine("sm80");
  half.sms.value = 54;
  Analyses analyses = analyze(gemmText(block(32, 32)), half);
  EXPECT_NEAR(*analyses.match.stages[0].available, 26.78, 0.005);
  EXPECT_NEAR(*analyses.match.stages[0].requiredReuse, 19.1, 0.05);
  EXPECT_TRUE(analyses.match.stages[0].satisfied);
}

// V100: 900e9 / (80 * 1.53e9) = 7.35, 512 / 7.35 = 69.6. A100 40GB: 1555e9 / (108 * 1.41e9)
// = 10.21, 512 / 10.21 = 50.1.
TEST_F(MatchingTest, OtherMachines) {
  EXPECT_NEAR(*analyze(gemmText({}), machine("v100")).match.stages[0].requiredReuse, 69.6, 0.05);
  EXPECT_NEAR(*analyze(gemmText({}), machine("a100-40gb")).match.stages[0].requiredReuse, 50.1,
              0.05);
}

// bf16 on an H100's tensor cores: 989.4e12 / (2 * 132 * 1.83e9) = 2048 FMA/cycle/SM * 4 B = 8192
// B/cycle. DRAM: 3350e9 / (132 * 1.83e9) = 13.87, 8192 / 13.87 = 591. smem: 8192 / 128 = 64.
// L2: 37.5 B/cycle/SM, 8192 / 37.5 = 218.
TEST_F(MatchingTest, Bf16OnH100) {
  MachineSpec h100 = machine("h100-sxm");
  GemmSizes s;
  s.type = "bf16";
  s.instruction = "wgmma.m64n256k16";
  Analyses analyses = analyze(gemmText(s), h100);
  EXPECT_EQ(analyses.match.unit->unit, MathUnit::Wgmma);
  const StageMatch &dram = analyses.match.stages[0], &smem = analyses.match.stages[1];
  EXPECT_NEAR(*dram.required, 8192, 10);
  EXPECT_NEAR(*dram.requiredReuse, 591, 1.5);
  EXPECT_NEAR(*smem.requiredReuse, 64, 0.1);
  double l2 =
      *h100.bytesPerCyclePerSM(MemoryLevel::L2, h100.clockGHz(MathUnit::Wgmma, MathType::BF16));
  EXPECT_NEAR(*dram.required / l2, 218.5, 1.5);
}

// What is computed element by element runs on the CUDA cores: f16 and bf16 in f32, 128 FMA a cycle.
TEST_F(MatchingTest, NarrowTypesByElement) {
  GemmSizes s;
  for (auto [type, of, rate] : {std::tuple("f16", MathType::F32, 128.0), std::tuple("bf16", MathType::F32, 128.0), std::tuple("f32", MathType::F32, 128.0)}) {
    s.type = type;
    Analyses analyses = analyze(gemmText(s), machine("h100-sxm"));
    EXPECT_EQ(analyses.match.unit->unit, MathUnit::Fma) << type;
    EXPECT_EQ(analyses.match.unit->type, of) << type;
    EXPECT_DOUBLE_EQ(analyses.match.unit->rate, rate) << type;
  }
}

// 256x256 blocks of bf16 give 256, more than L2's 218. An instruction of m64n64 takes from shared memory what a tile of 64x64
// does: 2 * 64 * 64 / 128 = 64, exactly what is needed; m64n32 gives 2 * 64 * 32 / 96 = 42.67.
TEST_F(MatchingTest, Bf16TilesThatDo) {
  GemmSizes s = block(256, 256);
  s.type = "bf16";
  s.instruction = "wgmma.m64n256k16";
  s.tm = s.tn = 64;
  Analyses analyses = analyze(gemmText(s), machine("h100-sxm"));
  const StageMatch &dram = analyses.match.stages[0], &smem = analyses.match.stages[1];
  ASSERT_EQ(dram.caches.size(), 1u);
  EXPECT_DOUBLE_EQ(*dram.caches[0].guaranteedReuse, 256);
  EXPECT_NEAR(*dram.caches[0].requiredReuse, 218.5, 0.05);
  EXPECT_TRUE(dram.caches[0].satisfied);
  EXPECT_DOUBLE_EQ(*smem.guaranteedReuse, 64);
  EXPECT_DOUBLE_EQ(*smem.requiredReuse, 64);
  EXPECT_TRUE(smem.satisfied);
  s.tn = 32;
  EXPECT_NEAR(*analyze(gemmText(s), machine("h100-sxm")).match.stages[1].guaranteedReuse, 42.67,
              0.005);
}

// L2 of an A100 gives 3830 / 108 = 35.46 B/cycle/SM and needs 512 / 35.46 = 14.44. 8x8 blocks give 8.
TEST_F(MatchingTest, L2MayStarveToo) {
  GemmSizes s = block(8, 8);
  s.tm = s.tn = 2;
  Analyses analyses = analyze(gemmText(s), machine("sm80"));
  const CacheMatch &l2 = analyses.match.stages[0].caches.at(0);
  EXPECT_NEAR(*l2.requiredReuse, 14.44, 0.005);
  EXPECT_DOUBLE_EQ(*l2.guaranteedReuse, 8);
  EXPECT_FALSE(l2.satisfied);
}

// Partial results pass as inputs do: 64x64x16 tiles that keep B read A once for each 64 columns, and add to C, which is read and
// written, once for each 16 of k: 4096 / 64 * 4 + 2 * 4096 / 16 * 4 + 4 bytes for each of the 4096^2 elements.
TEST_F(MatchingTest, PartialResultsCount) {
  Analyses analyses = analyze(exampleText("weight_stationary.mlir"), machine("sm80"));
  double bytes = (64.0 + 2 * 256 + 1) * 4 * 4096 * 4096;
  EXPECT_NEAR(*analyses.match.stages[0].guaranteedReuse, 8.0 * 4096 * 4096 * 4096 / bytes, 1e-9);
  EXPECT_FALSE(analyses.match.stages[0].satisfied);
}

// GEMV: one column of C uses each element of A once, so the roofline says memory-bound.
TEST_F(MatchingTest, ProductsWithOneColumnAreMemoryBound) {
  EXPECT_FALSE(analyze(gemmText({}), machine("sm80"), 4096, 1, 4096).match.roofline.computeBound);
}

TEST_F(MatchingTest, TooManyThreads) {
  GemmSizes s;
  s.tm = s.tn = 1;
  Analyses analyses = analyze(gemmText(s), machine("sm80"));
  ASSERT_FALSE(analyses.violations.empty());
  EXPECT_EQ(analyses.violations[0].message.rfind(
                "runs on 4096 threads per block, a100-80gb-sxm allows 1024", 0),
            0u)
      << analyses.violations[0].message;
}

TEST_F(MatchingTest, PipelinesTakeCopiesAndCpAsync) {
  std::string text = gemmText({});
  text.replace(text.find("by (16) at dram"), 15, "by (16) at dram pipeline(3)");
  Analyses onA100 = analyze(text, machine("sm80"));
  EXPECT_EQ(onA100.resources.smemBytes, 3 * 8192);
  EXPECT_TRUE(onA100.violations.empty());
  Analyses onV100 = analyze(text, machine("v100"));
  ASSERT_EQ(onV100.violations.size(), 1u);
  EXPECT_EQ(onV100.violations[0].message,
            "pipelines its copies to shared memory, which needs cp_async, which v100 (sm_70) lacks");
}

// Rows padded to 132 floats count: ((128 - 1) * 1 + (16 - 1) * 132 + 1) * 4 B = 8432, aligned to 16
// already, and three of them to 128: 25344; B 8192.
TEST_F(MatchingTest, PaddedRowsTakeSpace) {
  Analyses analyses = analyze(exampleText("gemm.mlir"), machine("sm80"));
  // Three slots each: sA 127 + 15 * 132 + 1 = 2108 elements, sB 16 * 128.
  EXPECT_EQ(analyses.resources.smemBytes, 25344 + 3 * 2048 * 4);
  // c 8x8, rA and rB 8 each in two slots.
  EXPECT_EQ(analyses.resources.tileRegisters, 64 + 2 * 16);
}

TEST_F(MatchingTest, TakesUnderTwoMilliseconds) {
  MachineSpec sm80 = machine("sm80");
  nest = parse(context, exampleText("seed/tile32.mlir"));
  double best = 1e9;
  for (int i = 0; i < 5; ++i) {
    auto start = std::chrono::steady_clock::now();
    ASSERT_TRUE(
        succeeded(report::analyzeKernel(nest.kernel, {-1, -1, -1, 4096, 4096, 4096}, sm80)));
    best = std::min(
        best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  EXPECT_LT(best, 2e-3);
}

} // namespace
