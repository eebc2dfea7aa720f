//===- BuildRecord.h - From a nest to its record -----------------*- C++ -*-===//
//
// Runs the analyses on a kernel and writes down what they say.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_REPORT_BUILDRECORD_H
#define TILEC_REPORT_BUILDRECORD_H

#include "tilec/Analysis/Changes.h"
#include "tilec/Analysis/Latency.h"
#include "tilec/Analysis/LayoutPlan.h"
#include "tilec/Analysis/LowerBound.h"
#include "tilec/Analysis/Prediction.h"
#include "tilec/Analysis/WarpRequests.h"
#include "tilec/Report/RequestCounts.h"
#include "tilec/Report/Record.h"

namespace tilec::report {

/// Changes of a nest that were written into it, planned, lowered and analysed, and pay together.
struct Advice {
  std::vector<analysis::Change> changes;
  /// Predicted time, and its share of the nest's own.
  double seconds = 0;
  double share = 1;
  /// Of the changed nest.
  analysis::ThroughputMatch match;
  /// Its text.
  std::string nest;

  /// "block tile 64x64 and thread tile 8x8"
  std::string text() const;
  bool has(analysis::Change::Kind kind) const;
};

/// The analyses' results for one kernel.
struct Analyses {
  analysis::NestModel model;
  analysis::NestTraffic traffic;
  analysis::ThroughputMatch match;
  analysis::Resources resources;
  std::vector<analysis::Violation> violations;
  analysis::Prediction prediction;
  std::optional<analysis::LatencyMatch> latency;
  std::optional<analysis::LowerBound> lowerBound;
  std::vector<analysis::BankAccess> banks;
  std::vector<analysis::GlobalAccess> coalescing, constants;
  analysis::BlockWork work;
  /// Better layouts of tiles in shared memory, by the tile's number; see findLayouts.
  std::map<unsigned, analysis::LayoutPlan> layouts;
  /// What would be faster, best first, where somebody has tried.
  std::vector<Advice> advice;
  /// Of each transfer, where the kernel has run and was counted; empty otherwise.
  std::vector<TransferCount> counts;
  /// Of each transfer of prediction.cutTail, in the same case.
  std::vector<TransferCount> tailCounts;
  /// Of each of `banks`, `coalescing` and `constants`.
  std::vector<RequestCount> wavefronts, sectors, constantAccesses;
};

/// Analyses `kernel` with `arguments` (the value of each size argument, by argument number)
/// on `machine`. `registers` is what the compiler says a thread takes, where it has run; `layouts` of
/// the operands at launch, dense ones where null. Fails with a diagnostic.
mlir::FailureOr<Analyses> analyzeKernel(tile::KernelOp kernel, llvm::ArrayRef<int64_t> arguments,
                                        const MachineSpec &machine,
                                        std::optional<int64_t> registers = std::nullopt,
                                        const analysis::LaunchLayouts *layouts = nullptr);

/// Looks for better layouts of tiles whose accesses collide. Takes longer than all analyses together.
void findLayouts(Analyses &analyses, const MachineSpec &machine);

/// What the analyses found, as a record. Violations become its diagnostics of severity
/// "error", starving stages of a compute-bound kernel those of severity "warning".
KernelRecord buildRecord(const Analyses &analyses, const MachineSpec &machine);

} // namespace tilec::report

#endif // TILEC_REPORT_BUILDRECORD_H
