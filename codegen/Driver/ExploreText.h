//===- ExploreText.h - Tables of what was explored ---------------*- C++ -*-===//

#ifndef TILEC_CODEGEN_DRIVER_EXPLORETEXT_H
#define TILEC_CODEGEN_DRIVER_EXPLORETEXT_H

#include "tilec/Report/Record.h"

namespace tilec {

/// A dataflow's traffic on one machine, as tiles promise it: without what caches give.
struct ExploredDataflow {
  std::string name;
  int64_t blocks = 0;
  /// Bytes that each operand moves between DRAM and blocks.
  std::vector<std::pair<std::string, int64_t>> operands;
  std::optional<double> requiredReuse, guaranteedReuse;
  /// Cycles in which DRAM moves all of it, combined results twice; and those of computing.
  std::optional<double> dramCycles, computeCycles;
};

struct ExploredMachine {
  /// Of each key.
  std::vector<double> values;
  /// Why the machine cannot run the kernel; empty if it can.
  std::string refused;
  /// True if each stage feeds the units.
  bool satisfied = false;
  report::KernelRecord record;
  std::vector<ExploredDataflow> dataflows;
};

/// One kernel on all machines.
struct Exploration {
  std::string kernel;
  /// The machine whose figures are varied.
  std::string machine;
  std::vector<std::pair<std::string, int64_t>> shape;
  std::vector<std::string> keys;
  std::vector<ExploredMachine> machines;
};

/// Tables, a row for each machine, and for each dataflow where they are compared.
std::string printExplorations(const std::vector<Exploration> &explorations);

/// The same as JSON, schema 1.
std::string printExplorationsAsJson(const std::vector<Exploration> &explorations);

} // namespace tilec

#endif // TILEC_CODEGEN_DRIVER_EXPLORETEXT_H
