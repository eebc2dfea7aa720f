//===- TimingTest.cpp - Times that follow from a block's work ---*- C++ -*-===//
//
// Steps and rounds of blocks, and units that wait for one another (formulas 22, 31 and 32).
//
//===----------------------------------------------------------------------===//

#include "TimingFixture.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::analysis;
using namespace tilec::test;

namespace {

// (formula 31) Copy, wait, compute: 2 tiles * 261, 80 instructions of 2 slots / 4 = 40, 4000 / 2 = 2000:
// 2562 a step, and 261 at the end: 25881, with 1 block an SM. The pipe is busy for 20000; the issue
// slots for 10200.
TEST_F(TimingTest, OneBlockWaits) {
  run();
  EXPECT_NEAR(cycles("compute"), 20000, 1e-6);
  EXPECT_NEAR(cycles("issue"), 10200, 1e-6);
  EXPECT_NEAR(cycles("latency"), 25881, 1e-6);
  EXPECT_NEAR(*prediction.cycles, overlap(20000, 25881), 1e-3);
  EXPECT_NEAR(*prediction.leastCycles, 20000, 1e-6);
  EXPECT_EQ(prediction.limiter, "latency");
}

// A pipeline hides the copies: 2000 a step, and 522.
TEST_F(TimingTest, PipelinesHideCopies) {
  step().depth = 2;
  run();
  EXPECT_NEAR(cycles("latency"), 20522, 1e-6);
  EXPECT_EQ(prediction.limiter, "compute");
}

// (formula 31) Of 16 warps half hide the others' waits by what they issue: (1 + 8 / 16) / 2 of 2000 are 1500 a step, where warps that only copy have them all wait.
TEST_F(TimingTest, ManyWarpsHideWaits) {
  step().depth = 2;
  work.warps = 16;
  run();
  EXPECT_NEAR(cycles("latency"), 15522, 1e-6);
  EXPECT_NEAR(*prediction.cycles, overlap(20000, 15522), 1e-3);
  prediction.times.clear();
  work.producers = 4;
  run();
  EXPECT_NEAR(cycles("latency"), 20522, 1e-6);
}

// Tensor cores that are busy all the time take the clock from 1.41 to 1.2 GHz: power limits, and the time is that much longer. CUDA
// cores keep theirs, and so does a kernel that has other limits (its clock is taken to fall all the same).
TEST_F(TimingTest, PowerLimitsTensorCores) {
  step().depth = 2;
  spec.loadClock = SourcedReal{1.2, "made up for the test"};
  run();
  EXPECT_EQ(prediction.limiter, "compute");
  EXPECT_NEAR(*prediction.seconds, *prediction.cycles / 1.41e9, 1e-12);
  prediction.times.clear();
  match.unit = ComputeUnit{MathUnit::Mma, MathType::BF16};
  match.computeCycles = 1e9; // Busy all the time.
  step().compute.instructions = 80000;
  step().compute.math = 160000;
  run();
  EXPECT_EQ(prediction.limiter, "power");
  EXPECT_NEAR(*prediction.seconds, *prediction.cycles / 1.2e9, 1e-12);
  prediction.times.clear();
  spec.loadClock.reset();
  run();
  EXPECT_EQ(prediction.limiter, "compute");
}

// Two blocks hide each other's waits: 40000 against 25881.
TEST_F(TimingTest, BlocksHideWaits) {
  work.blocks = 216;
  prediction.occupancy.blocksPerSM = 2;
  run();
  EXPECT_NEAR(*prediction.cycles, overlap(40000, 25881), 1e-3);
  EXPECT_EQ(prediction.limiter, "compute");
}

// (formula 32) 8 tiles of an SM, each of steps and of 300 wavefronts of stores after them. Teams store beside the steps of others: all but the last
// stores are hidden, and where they take longer than steps each of two teams has 4 tiles to do.
TEST_F(TimingTest, TeamsStoreBesideSteps) {
  step().depth = 2;
  work.blocks = 8 * 108;
  run();
  double steps = *prediction.cycles / 8;
  EXPECT_NEAR(steps, overlap(20000, 20522), 1e-3);
  work.rest.smemWavefronts = 300;
  run();
  EXPECT_NEAR(*prediction.cycles, 8 * (steps + 300), 1e-3);
  work.teams = 2;
  run();
  EXPECT_NEAR(*prediction.cycles, 8 * steps + 300, 1e-3);
  work.rest.smemWavefronts = 100000;
  run();
  EXPECT_NEAR(*prediction.cycles, 4 * (steps + 100000), 1e-3);
}

// (formula 31) A ring of two slots, filled in 400 cycles, waited for in 261 and used in 420, for 1600 instructions and 80 that copy: a step takes 540.5, for both are filled and
// used one after the other. With four slots copies and products meet at the issue slots alone: (400^6 + 420^6)^(1/6) = 460.9.
TEST_F(TimingTest, SlotsAreFilledAndUsed) {
  step().depth = 2;
  step().compute.instructions = 1600;
  step().compute.math = 400;
  work.producers = 4;
  step().pieces = 10;
  spec.timing.producerCopy.value = 160;
  run();
  EXPECT_NEAR(cycles("latency"), 5405 + 522, 1e-6);
  prediction.times.clear();
  step().depth = 4;
  run();
  EXPECT_NEAR(cycles("latency"), 10 * overlapRoles(400, 420) + 522, 1e-6);
}

// (formula 31) Of 4000 instructions 3600 are products, 900 cycles of 4 schedulers: a tenth is left, and a copy takes 7 / 0.1 = 70 cycles. 48 by 4 warps are 840, and with a
// wait of 261 and the use of the slot, 1020 (with 80 that copy), a step of a ring of two slots takes 1060.5, and (840^6 + 1020^6)^(1/6) = 1067.2 since copies and products
// meet at the issue slots.
TEST_F(TimingTest, ProductsLeaveSlots) {
  step().depth = 2;
  step().compute.math = 900;
  work.producers = 4;
  step().pieces = 48;
  spec.timing.producerCopy.value = 160;
  spec.timing.producerSlots.value = 7;
  run();
  EXPECT_NEAR(cycles("latency"), 10 * overlapRoles(840, 1020) + 522, 1e-6);
  // 12 / 0.1 = 120 cycles are 1440, longer than the use of the slot; 20 / 0.1 are more than 160, which are 1920.
  prediction.times.clear();
  spec.timing.producerSlots.value = 12;
  run();
  EXPECT_NEAR(cycles("latency"), 10 * overlapRoles(1440, 1020) + 522, 1e-6);
  prediction.times.clear();
  spec.timing.producerSlots.value = 20;
  run();
  EXPECT_NEAR(cycles("latency"), 10 * overlapRoles(1920, 1020) + 522, 1e-6);
}

// (formula 32) 4 warps, one a scheduler, beside others that copy for them wait half as long again as they compute; 8 do not.
TEST_F(TimingTest, FewWarpsWait) {
  step().depth = 4;
  work.producers = 4;
  run();
  EXPECT_NEAR(*prediction.cycles, std::pow(std::pow(20522., 6) + std::pow(20000., 6), 1. / 6), 1e-3);
  work.warps = 4;
  run();
  EXPECT_NEAR(*prediction.cycles, std::pow(std::pow(30000., 6) + std::pow(20000., 6), 1. / 6), 1e-3);
}

// (formula 32) What all SMs store at one time takes DRAM's time where warps have roles: of 1e7 bytes that take 10000 cycles 108 tiles of 20000 bytes are 2160.
TEST_F(TimingTest, StoresComeInWaves) {
  step().depth = 4;
  work.producers = 4;
  work.restSectorBytes = 20000;
  spec.timing.l2Port.value = 64;
  spec.level(MemoryLevel::L2).bandwidth = SourcedReal{1e6, "test"};
  run();
  double alone = *prediction.cycles;
  prediction.times.clear();
  prediction.foundBytes = 1e7;
  double dram = 1e7 * 1.41 / 2039;
  spec.level(MemoryLevel::Dram).bandwidth->value *= dram / 10000;
  run();
  // The stores of the last block, 20000 / 64, are those of the first, too; a tenth of the bytes are those of the first tiles.
  double steps = std::pow(std::pow(20522., 6) + std::pow(20000., 6), 1. / 6), last = 20000 / 64.;
  EXPECT_NEAR(alone, steps + last, 1e-2);
  EXPECT_NEAR(*prediction.cycles, std::pow(std::pow(steps + 2160 - last, 6) + std::pow(10000., 6), 1. / 6) + last + 1000, 1);
}

// (formula 32) Half of that, 1080, where one block with a ring has an SM to itself; none where another computes meanwhile.
TEST_F(TimingTest, LoneBlocksStoreByThemselves) {
  step().depth = 4;
  work.restSectorBytes = 20000;
  spec.timing.l2Port.value = 64;
  spec.level(MemoryLevel::L2).bandwidth = SourcedReal{1e6, "test"};
  prediction.foundBytes = 1e7;
  spec.level(MemoryLevel::Dram).bandwidth->value *= 1e7 * 1.41 / 2039 / 10000;
  run();
  double steps = overlap(20000, 20522), last = 20000 / 64.;
  EXPECT_NEAR(*prediction.cycles, besideDram(20000 + 1080, steps + 1080, last, 10000) + last + 1000, 1);
  prediction.times.clear();
  prediction.occupancy.blocksPerSM = 2;
  run();
  EXPECT_NEAR(*prediction.cycles, besideDram(20000 + last, steps + last, last, 10000) + last + 1000, 1);
}

// Where the grid has one block for an SM that holds two, or leaves most SMs without one, it limits.
TEST_F(TimingTest, SmallGrids) {
  prediction.occupancy.blocksPerSM = 2;
  run();
  EXPECT_EQ(prediction.limiter, "occupancy");
  // 27 blocks take as long as 108.
  double full = *prediction.cycles;
  prediction.times.clear();
  work.blocks = 27;
  step().depth = 2;
  prediction.occupancy.blocksPerSM = 1;
  run(0.25);
  EXPECT_NEAR(cycles("compute"), 20000, 1e-6);
  EXPECT_LT(*prediction.cycles, full);
  EXPECT_EQ(prediction.limiter, "occupancy");
}

// A loop that is not unrolled waits for shared memory in each of 100 iterations: 4000 / 8 + 2900 for a
// warp, more than the 2000 of the pipe.
TEST_F(TimingTest, LoopsWaitForSharedMemory) {
  step().waits = 100;
  run();
  EXPECT_NEAR(cycles("latency"), 10 * (2 * 261 + 40 + 3400) + 261, 1e-6);
}

// Phases follow one another: 10 steps of 2562 and then 5 that wait for 3 tiles, copy nothing else and compute 1000 / 2 = 500:
// 5 * (3 * 261 + 500) = 6415, and 261 at the end. The pipe is busy 10 * 2000 + 5 * 500, the issue slots
// (10 * 4080 + 5 * 1000) / 4.
TEST_F(TimingTest, PhasesAddUp) {
  PhaseWork &second = work.phases.emplace_back();
  second.steps = 5;
  second.staged = true;
  second.tiles = 3;
  second.compute.instructions = 1000;
  second.compute.math = 500;
  run();
  EXPECT_NEAR(cycles("compute"), 22500, 1e-6);
  EXPECT_NEAR(cycles("issue"), 11450, 1e-6);
  EXPECT_NEAR(cycles("latency"), 25620 + 6415 + 261, 1e-6);
}

// Shared memory and L1 are one array: 3000 + 1500 wavefronts a step limit, named after the larger part,
// where each alone would not.
TEST_F(TimingTest, OneArray) {
  step().depth = 2;
  work.blocks = 10800;
  step().compute.smemWavefronts = 1500;
  step().compute.l1Wavefronts = 1000;
  run();
  EXPECT_NEAR(cycles("smem"), 100 * 10 * 1500.0, 1e-6);
  EXPECT_NEAR(cycles("l1"), 100 * 10 * 1000.0, 1e-6);
  EXPECT_NEAR(cycles("compute"), 100 * 10 * 2000.0, 1e-6);
  EXPECT_EQ(prediction.limiter, "smem");
}

// Without tiles in shared memory a warp has 8 loads under way: 32 loads of 10 steps wait 261 * 32 / 8.
TEST_F(TimingTest, LoadsFromGlobalMemory) {
  step().staged = false;
  step().copy = UnitWork();
  step().tiles = 3.2;
  run();
  EXPECT_NEAR(cycles("latency"), 261 * 4 + 261, 1e-6);
}

// Without a loop all loads are under way at once, but guarded ones, which wait 3 times: 3 * 261, 261 for the results, and the block issues its 400 instructions
// and 40 others in 4 slots.
TEST_F(TimingTest, GuardedLoadsWaitOneByOne) {
  step() = PhaseWork();
  step().tiles = 32;
  step().compute.instructions = 400;
  work.rest.instructions = 40;
  run();
  EXPECT_NEAR(cycles("latency"), 261 + 261 + 110, 1e-6);
  prediction.times.clear();
  step().guardedWaits = 3;
  run();
  EXPECT_NEAR(cycles("latency"), 3 * 261 + 261 + 110, 1e-6);
}

// L2 adds 100 elements in a cycle: 1e7 of them take 1e5 cycles, longer than their bytes.
TEST_F(TimingTest, AdditionsInL2) {
  spec.costs.atomics = SourcedReal{100, "test"};
  work.additions = 1e7;
  run();
  EXPECT_NEAR(cycles("l2"), 1e5, 1e-6);
  EXPECT_EQ(prediction.limiter, "l2");
}

// 2e9 bytes at 0.75 of 2039 GB/s and 1.41 GHz: 1.84e6 cycles, which limit; the verdicts of stages go by
// what the datasheet says.
TEST_F(TimingTest, SustainedBandwidth) {
  prediction.dramBytes = 2e9;
  spec.level(MemoryLevel::Dram).sustained = SourcedReal{0.75, "test"};
  run();
  EXPECT_NEAR(cycles("dram"), 2e9 / (0.75 * 2039e9) * 1.41e9, 1e-3);
  EXPECT_EQ(prediction.limiter, "dram");
}

// A byte of a copy, half of which is written, takes 1; one that is read 0.94, one that is written 1.06.
TEST_F(TimingTest, ReadsAndWrites) {
  spec.timing.dramRead.value = 0.94;
  prediction.dramBytes = 2e9;
  double ofCopy = 2e9 / 2039e9 * 1.41e9;
  for (auto [written, share] : {std::pair(0.0, 0.94), std::pair(1e9, 1.0), std::pair(2e9, 1.06)}) {
    prediction.times.clear();
    prediction.writtenBytes = written;
    run();
    EXPECT_NEAR(cycles("dram"), share * ofCopy, 1e-3);
  }
}

// (formula 31) Of two slots one is filled while the other is used: where L2 takes 3000 cycles to bring a block's step, 261 + 3000 a step, and with three slots half of it.
TEST_F(TimingTest, SlotsAreFilledByL2) {
  step().depth = 2;
  prediction.occupancy.blocksPerSM = 1;
  spec.level(MemoryLevel::L2).bandwidth = SourcedReal{2000, "test"};
  prediction.l2Bytes = 10.0 * 3000 * 2000;
  run();
  EXPECT_NEAR(cycles("l2"), 30000, 1e-3);
  EXPECT_NEAR(cycles("latency"), 10 * (261 + 3000) + 522, 1e-3);
  prediction.times.clear();
  step().depth = 3;
  run();
  EXPECT_NEAR(cycles("latency"), 20522, 1e-3);
}

// (formula 32) Warps that copy for themselves: shared memory, 1600 wavefronts a step, and the pipe, 2000 cycles, by p = 2.8, and with waits by 3.5.
TEST_F(TimingTest, UnitsOfWarpsAlike) {
  step().depth = 4;
  step().compute.smemWavefronts = 1600;
  run();
  double units = 10 * std::pow(std::pow(2000, 2.8) + std::pow(1600, 2.8), 1 / 2.8);
  EXPECT_NEAR(*prediction.cycles, overlap(units, 20522), 1e-3);
}

// Two slots, and the end of a step loads what the next begins with: a tile is asked for when it is needed next, 2000 + 261 a step.
TEST_F(TimingTest, TwoSlotsAhead) {
  step().depth = 2;
  run();
  EXPECT_NEAR(*prediction.cycles, overlap(20000, 20522), 1e-3);
  prediction.times.clear();
  step().ahead = true;
  run();
  EXPECT_NEAR(*prediction.cycles, overlap(20000, 22610 + 522), 1e-3);
}

// Warps that compute need shared memory, 1600 wavefronts a step, and issue slots, 2000 cycles, both: by p = 2.4, and with waits by 6.
TEST_F(TimingTest, UnitsBesideProducers) {
  step().depth = 4;
  step().compute.smemWavefronts = 1600;
  work.producers = 4;
  run();
  double units = std::pow(std::pow(20000., 2.4) + std::pow(16000., 2.4), 1 / 2.4);
  EXPECT_NEAR(*prediction.cycles, std::pow(std::pow(units, 6) + std::pow(20522., 6), 1. / 6), 1e-3);
}

// 1000 lines of which copies of a block load parts: 3500 cycles.
TEST_F(TimingTest, PartsOfLines) {
  work.partialLines = 1000;
  run();
  EXPECT_NEAR(cycles("stores"), 3500, 1e-6);
}

} // namespace
