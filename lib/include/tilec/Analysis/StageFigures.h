//===- StageFigures.h - What a stage delivers and needs ----------*- C++ -*-===//
//
// The figures of both models as plain numbers: the analysis makes them, records hold them.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_ANALYSIS_STAGEFIGURES_H
#define TILEC_ANALYSIS_STAGEFIGURES_H

#include <optional>
#include <string>

namespace tilec::analysis {

/// The simple model: FMA for each byte that must move at least once, and the machine's ridge.
struct RooflineFigures {
  std::optional<double> fmaPerByte;
  std::optional<double> machineFmaPerByte;
};

/// One stage of the realistic model: from a level to the next one that the nest names.
struct StageFigures {
  /// Bytes in a cycle that one SM gets from the level (formula 7); absent if unknown.
  std::optional<double> available;
  /// Operand bytes in a cycle that keep the units of one SM busy (formula 8).
  std::optional<double> required;
  /// required / available (formula 9).
  std::optional<double> requiredReuse;
  /// Operand bytes that computation takes / bytes that leave the level for inputs, by
  /// whatever stage, and of partial results, of whole tiles (formula 10). Multicast is in it.
  std::optional<double> guaranteedReuse;
  /// Elements that the next stage takes / elements delivered, of whole tiles, weighted by bytes.
  std::optional<double> localReuse;
  /// Local reuse that lets the stage feed the next one: the next stage's rate, at most what is
  /// required, / available. More cannot pass the next stage.
  std::optional<double> requiredLocalReuse;
  /// available * guaranteedReuse (formula 11).
  std::optional<double> amplified;
  /// guaranteedReuse / requiredReuse: below 1 the stage starves the units.
  std::optional<double> slack;
  /// Cycles in which one SM receives its share of the level's bytes, exact at edges (formula 12).
  std::optional<double> cycles;
  /// False if the level cannot feed the units; true also where nobody computes.
  bool satisfied = true;
  /// The input with the least reuse in this stage; empty without inputs.
  std::string limitingOperand;
};

} // namespace tilec::analysis

#endif // TILEC_ANALYSIS_STAGEFIGURES_H
