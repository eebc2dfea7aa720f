//===- TimingTest.cpp - Times that follow from a block's work ---*- C++ -*-===//
//
// Work made up so that times can be worked out by hand. The machine is an A100: 4 issue slots, 64 FMA
// a cycle, so half a cycle for an instruction of 32; 261 cycles to L2, 29 to shared memory.
//
//===----------------------------------------------------------------------===//

#include "Nests.h"

#include "tilec/Analysis/Prediction.h"
#include "gtest/gtest.h"

#include <cmath>

using namespace mlir;
using namespace tilec;
using namespace tilec::analysis;
using namespace tilec::test;

namespace {

class TimingTest : public ::testing::Test {
protected:
  TimingTest() {
    match.unit = ComputeUnit{MathUnit::Fma, MathType::F32};
    match.computeCycles = 1e4;
    traffic.iterations = 108 * 64 * 10000;
    // What the test's arithmetic leaves out.
    spec.costs.launch.reset();
    spec.costs.storeLine.reset();
    spec.timing.startWaits.value = 0;
    spec.timing.blockStart.value = 0;
    spec.timing.dramRead.value = 1;
    spec.level(MemoryLevel::L2).loadedLatency.reset();
    spec.level(MemoryLevel::Smem).loadedLatency.reset();
    spec.level(MemoryLevel::Dram).sustained.reset();
    prediction.occupancy.blocksPerSM = 1;
    work.blocks = 108;
    work.warps = 8;
    step().steps = 10;
    step().staged = true;
    step().tiles = 2;
    step().copy.instructions = 80;
    step().compute.instructions = 4000;
    step().compute.math = 2000;
  }

  PhaseWork &step() { return work.phases.front(); }

  void run(double efficiency = 1) {
    prediction.tail.efficiency = efficiency;
    predictTime(prediction, work, traffic, match, spec);
  }
  double cycles(StringRef resource) const {
    for (const ResourceTime &time : prediction.times)
      if (time.resource == resource)
        return time.cycles;
    return 0;
  }
  /// Of times that overlap in part: what blocks wait for, with what keeps units busy, and with DRAM beside these.
  static double overlap(double busy, double waits) { return std::pow(std::pow(busy, 3.5) + std::pow(waits, 3.5), 1 / 3.5); }
  /// Of the rounds, which take `whole` with waits and `busy` without, all but `end`.
  static double besideDram(double busy, double whole, double end, double dram) {
    double left = whole - end, ofBusy = left * busy / whole;
    double waits = std::pow(std::pow(left, 3.5) - std::pow(ofBusy, 3.5), 1 / 3.5);
    return overlap(std::pow(std::pow(ofBusy, 4.5) + std::pow(dram, 4.5), 1 / 4.5), waits);
  }

  /// The same of times that warps with different roles take.
  static double overlapRoles(double a, double b) { return std::pow(std::pow(a, 6) + std::pow(b, 6), 1. / 6); }

  MachineSpec spec = machine("sm80");
  Prediction prediction;
  BlockWork work;
  NestTraffic traffic;
  ThroughputMatch match;
};

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

TEST_F(TimingTest, LaunchesLimitShortKernels) {
  spec.costs.launch = SourcedReal{100, "test"};
  run();
  EXPECT_EQ(prediction.limiter, "launch");
  EXPECT_GE(*prediction.cycles, 141000);
}

} // namespace
