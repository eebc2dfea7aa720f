//===- TimingFixture.h - A kernel whose time is known by hand -*- C++ -*-===//
//
// Work made up so that times can be worked out by hand. The machine is an A100: 4 issue slots, 64 FMA a cycle, so half a cycle for an instruction of 32; 261 cycles to L2,
// 29 to shared memory.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_TEST_UNIT_ANALYSIS_TIMINGFIXTURE_H
#define TILEC_TEST_UNIT_ANALYSIS_TIMINGFIXTURE_H

#include "Nests.h"

#include "tilec/Analysis/Prediction.h"
#include "gtest/gtest.h"

#include <cmath>

namespace tilec::test {


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

  analysis::PhaseWork &step() { return work.phases.front(); }

  void run(double efficiency = 1) {
    prediction.tail.efficiency = efficiency;
    analysis::predictTime(prediction, work, traffic, match, spec);
  }
  double cycles(llvm::StringRef resource) const {
    for (const analysis::ResourceTime &time : prediction.times)
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
  analysis::Prediction prediction;
  analysis::BlockWork work;
  analysis::NestTraffic traffic;
  analysis::ThroughputMatch match;
};

} // namespace tilec::test

#endif // TILEC_TEST_UNIT_ANALYSIS_TIMINGFIXTURE_H
