//===- StartsAndEndsTest.cpp - Before the first step and after the last -*- C++ -*-===//
//
// What a kernel waits for before its first step, and what comes after the last, beside nothing else (formula 33).
//
//===----------------------------------------------------------------------===//

#include "TimingFixture.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::analysis;
using namespace tilec::test;

namespace {

// (formula 33) All SMs ask for their first tiles at once: 108 of the 108 * 10 steps, of a dram of 80000 cycles, are 8000. Warps that only copy take their time for
// the first ones: 40 copies of 160 cycles by 4 of them are 1600, which is less; 400 are 16000.
TEST_F(TimingTest, FirstTiles) {
  step().depth = 2;
  run();
  double without = *prediction.cycles;
  EXPECT_NEAR(without, overlap(20000, 20522), 1e-3);
  prediction.dramBytes = 80000 * 2039 / 1.41;
  run();
  EXPECT_NEAR(*prediction.cycles, besideDram(20000, without, 0, 80000) + 8000, 1e-3);
  work.producers = 4;
  step().pieces = 40;
  spec.timing.producerCopy.value = 160;
  run();
  double few = *prediction.cycles;
  step().pieces = 400;
  spec.timing.producerCopy.value = 16;
  run();
  EXPECT_NEAR(*prediction.cycles, few, 1e-3);
  // Now they take longer than all else: 10 steps of 16000, beside which those of 2000 hardly count, and two waits.
  spec.timing.producerCopy.value = 160;
  prediction.dramBytes = 0;
  run();
  EXPECT_NEAR(*prediction.cycles, overlapRoles(10 * overlapRoles(16000, 2000) + 522, 20000) + 16000, 1e-2);
}

// (formula 33) 8 warps that run 16000 + 80 instructions of 16 bytes once fetch 32160 each; 12288 are there, and of 19872 1.5 come in a cycle: 13248, in each of the first
// two rounds. Of a loop the instructions are there, and so are 8160.
TEST_F(TimingTest, CodeIsFetched) {
  spec.timing.codeHeld.value = 12288;
  spec.timing.codeRate.value = 1.5;
  step().steps = 1;
  step().compute.instructions = 16000;
  auto countFetched = [&](int64_t rounds) {
    work.blocks = 108 * rounds;
    run();
    double fetched = *prediction.cycles;
    MachineSpec own = spec;
    spec.timing.codeHeld.value = 1e6;
    run();
    spec = own;
    return fetched - *prediction.cycles;
  };
  EXPECT_NEAR(countFetched(1), 13248, 1e-6);
  EXPECT_NEAR(countFetched(2), 2 * 13248, 1e-6);
  EXPECT_NEAR(countFetched(5), 2 * 13248, 1e-6);
  step().steps = 2;
  EXPECT_NEAR(countFetched(1), 0, 1e-6);
  step().steps = 1;
  step().compute.instructions = 4000;
  EXPECT_NEAR(countFetched(1), 0, 1e-6);
}

// Blocks start one after the other: 400 of an SM, 150 cycles each, are 60000, unless those that start first do the others' work.
TEST_F(TimingTest, BlocksStartOneByOne) {
  spec.timing.blockStart.value = 150;
  work.blocks = 400 * 108;
  prediction.occupancy.blocksPerSM = 8;
  step().steps = 1;
  step().compute = UnitWork();
  step().compute.instructions = 40;
  run();
  EXPECT_NEAR(cycles("starts"), 60000, 1e-6);
  EXPECT_EQ(prediction.limiter, "starts");
  EXPECT_NE(prediction.limiterReason.find("start one after the other"), std::string::npos);
  prediction.times.clear();
  work.persistent = true;
  run();
  EXPECT_NEAR(cycles("starts"), 1200, 1e-6);
}

// A launch comes before the rest; what L2 takes joins the rest by the power of 6: (1 + 1)^(1/6) of either.
TEST_F(TimingTest, LaunchAndL2) {
  run();
  double alone = *prediction.cycles, clock = 1.41e3;
  prediction.times.clear();
  spec.costs.launch = SourcedReal{2, "test"};
  work.additions = alone * 100;
  spec.costs.atomics = SourcedReal{100, "test"};
  run();
  EXPECT_NEAR(*prediction.cycles, 2 * clock + alone * std::pow(2, 1.0 / 6), 1e-3);
}

// A kernel finds its code and its parameters in no cache: two waits for DRAM before all else.
TEST_F(TimingTest, StartsCold) {
  run();
  double warm = *prediction.cycles;
  prediction.times.clear();
  spec.timing.startWaits.value = 2;
  spec.level(MemoryLevel::Dram).latency = SourcedReal{500, "test"};
  spec.level(MemoryLevel::Dram).loadedLatency.reset();
  run();
  EXPECT_NEAR(*prediction.cycles, warm + 1000, 1e-3);
}

// DRAM is busy while blocks compute, 25000 cycles, but not while the last one stores: 300 wavefronts come on top.
TEST_F(TimingTest, LastStoresAreAlone) {
  spec.level(MemoryLevel::L2).bandwidth.reset();
  step().depth = 2;
  prediction.dramBytes = 25000 * 2039 / 1.41;
  run();
  double before = *prediction.cycles, steps = overlap(20000, 20522);
  // A tenth of its bytes are those of the first tiles.
  EXPECT_NEAR(before, besideDram(20000, steps, 0, 25000) + 2500, 1e-3);
  prediction.times.clear();
  work.rest.smemWavefronts = 300;
  run();
  EXPECT_NEAR(*prediction.cycles, besideDram(20300, steps + 300, 300, 25000) + 2500 + 300, 1e-3);
}

// (formula 33) What the last block computes with what it has loaded at once, 1200 instructions in 4 slots, and what it waits for one by one, twice 261 cycles, comes after DRAM, too.
TEST_F(TimingTest, LastBlocksCompute) {
  spec.level(MemoryLevel::L2).bandwidth.reset();
  step().depth = 2;
  prediction.dramBytes = 25000 * 2039 / 1.41;
  work.computedOnce = 1200;
  double steps = overlap(20000, 20522);
  run();
  EXPECT_NEAR(*prediction.cycles, besideDram(20000, steps, 300, 25000) + 2500 + 300, 1e-3);
  prediction.times.clear();
  work.waitsOnce = 2;
  run();
  EXPECT_NEAR(*prediction.cycles, besideDram(20000, steps, 822, 25000) + 2500 + 822, 1e-3);
}

// Of three blocks of an SM, two at once, the last round has one: 40000 cycles of work, and half of 20000 and of half of 40000. The last block's end comes after DRAM all the same.
TEST_F(TimingTest, LastRoundIsShort) {
  spec.level(MemoryLevel::L2).bandwidth.reset();
  step().depth = 2;
  prediction.occupancy.blocksPerSM = 2;
  work.blocks = 3 * 108;
  run();
  double whole = *prediction.cycles, fill = 25000.0 * 2 / 30;
  prediction.dramBytes = 25000 * 2039 / 1.41;
  prediction.times.clear();
  run();
  EXPECT_NEAR(*prediction.cycles, besideDram(60000, whole, 0, 25000) + fill, 1e-3);
  prediction.times.clear();
  work.computedOnce = 1200;
  run();
  EXPECT_NEAR(*prediction.cycles, besideDram(60000, whole, 300, 25000) + fill + 300, 1e-3);
}

// (formula 33) Four blocks have parts of each tile: 64000 bytes of each are written, at 64 in a cycle, and all four are read by one SM:
// 1000 + 4 * 1000 cycles, with 3 waits of 261, and then it stores the rest of its 100 wavefronts, of which a quarter of a round has 25.
TEST_F(TimingTest, PartsOfCutTiles) {
  spec.level(MemoryLevel::L2).bandwidth = SourcedReal{1e6, "test"};
  spec.timing.l2Port.value = 64;
  step().depth = 2;
  work.blocks = 27;
  work.rest.smemWavefronts = 100;
  run();
  double whole = *prediction.cycles;
  prediction.times.clear();
  CutTail &cut = prediction.cutTail.emplace();
  cut.blocks = 108;
  cut.tiles = cut.cutTiles = cut.partedTiles = 27;
  cut.parts = 108;
  Transfer &read = cut.transfers.emplace_back();
  read.access = AccessKind::Read;
  read.elements = 108 * 16000;
  read.elementBytes = 4;
  run();
  // All of a quarter: a round's steps and stores, but for the stores that come at the end of a whole tile.
  EXPECT_NEAR(*prediction.cycles, whole + 1000 + 4000 + 3 * 261 + 75, 1e-3);
}

// Of three blocks of an SM, two at once, the last one takes half of its time by itself and half of a share of two.
TEST_F(TimingTest, LastRoundAlone) {
  prediction.occupancy.blocksPerSM = 2;
  double took[3];
  for (int blocks = 1; blocks <= 3; ++blocks) {
    prediction.times.clear();
    work.blocks = blocks * 108;
    run();
    took[blocks - 1] = *prediction.cycles;
  }
  EXPECT_NEAR(took[2], took[1] + (took[0] + took[1] / 2) / 2, 1e-3);
}

TEST_F(TimingTest, LaunchesLimitShortKernels) {
  spec.costs.launch = SourcedReal{100, "test"};
  run();
  EXPECT_EQ(prediction.limiter, "launch");
  EXPECT_GE(*prediction.cycles, 141000);
}

} // namespace
