//===- ThroughputMatching.h - Does the memory feed the units? ----*- C++ -*-===//
//
// Holds what each level can deliver, times the reuse that the nest guarantees,
// against what the arithmetic units consume.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_ANALYSIS_THROUGHPUTMATCHING_H
#define TILEC_ANALYSIS_THROUGHPUTMATCHING_H

#include "tilec/Analysis/NestAnalysis.h"
#include "tilec/Analysis/StageFigures.h"
#include "tilec/Machine/MachineSpec.h"

namespace tilec::analysis {

/// A unit that computes, and its operand type.
struct ComputeUnit {
  MathUnit unit = MathUnit::Fma;
  MathType type = MathType::F32;
  /// FMA in a cycle on one SM.
  double rate = 0;
};

/// The unit of the instruction that computes `compute` (`tile.instruction`; the ops of its body one by one where it states none),
/// by its types. Absent where the machine states no rate for them.
std::optional<ComputeUnit> findComputeUnit(const MachineSpec &machine, const ComputeModel &compute);

/// Does the machine execute that instruction on these types?
bool canExecute(const MachineSpec &machine, const ComputeModel &compute);

/// A cache that a stage passes through: what it must deliver, as for a stage.
struct CacheMatch {
  MemoryLevel level = MemoryLevel::L2;
  std::optional<double> available;
  std::optional<double> requiredReuse;
  std::optional<double> guaranteedReuse;
  bool satisfied = true;
};

/// One stage: from a level to the next one that the nest names.
struct StageMatch : StageFigures {
  tile::Level from = tile::Level::DRAM;
  tile::Level to = tile::Level::SMEM;
  /// L2, of stages from DRAM.
  std::vector<CacheMatch> caches;
};

struct Roofline : RooflineFigures {
  /// True if the kernel has at least the intensity of the machine's ridge.
  bool computeBound = false;
};

/// Both models of one kernel on one machine.
struct ThroughputMatch {
  /// The unit that the kernel's computations keep busy longest. Absent without computation, and where the rate of one is
  /// not known.
  std::optional<ComputeUnit> unit;
  /// FMA in a cycle on one SM while it computes: all computations, one after the other, each at the rate of its unit.
  double meanRate = 0;
  Roofline roofline;
  std::vector<StageMatch> stages;
  /// Cycles in which one SM computes its share of all computations, each at full rate (formula 13).
  std::optional<double> computeCycles;
  /// "compute", or the level whose bytes take longest: "dram", "smem".
  std::string limiter;
};

/// Matches `traffic` of `model`, exact at edges, against `machine`. Fails with a diagnostic where whole tiles cannot be
/// counted.
mlir::FailureOr<ThroughputMatch> matchThroughput(const NestModel &model, const NestTraffic &traffic,
                                                 const MachineSpec &machine);

} // namespace tilec::analysis

#endif // TILEC_ANALYSIS_THROUGHPUTMATCHING_H
