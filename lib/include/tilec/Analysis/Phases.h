//===- Phases.h - Parts of a kernel that run one after another ---*- C++ -*-===//
//
// A kernel is a tree of loops and computations. A phase is a path of loops over time
// in it that fetches what is computed with; phases follow one another, and what stands
// in none of them is done before, between or after them.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_ANALYSIS_PHASES_H
#define TILEC_ANALYSIS_PHASES_H

#include "tilec/Analysis/NestModel.h"

namespace tilec::analysis {

struct Phase {
  /// The loops over time whose iterations are its steps, outermost first; none where a kernel fetches in no loop.
  llvm::SmallVector<unsigned> loops;
  /// Its steps copy tiles of operands into shared memory; otherwise they load operands where they lie.
  bool staged = false;

  /// Does what stands in the loops `around` run in its steps?
  bool contains(llvm::ArrayRef<unsigned> around) const;
  /// Iterations of its loops.
  double steps(const NestModel &model) const;
};

/// Loads of an operand where it lies.
struct PhaseLoads {
  llvm::SmallVector<unsigned> loops;
  double requests = 0;
};

/// The phases of `model` in program order, at least one. Of loops within one another those are a phase's which fetch most
/// often: copy tiles into shared memory, or, where none of them does, hold most of the requests of `loads`.
std::vector<Phase> findPhases(const NestModel &model, llvm::ArrayRef<PhaseLoads> loads);

/// The phase in whose steps that runs which stands in the loops `around`; absent where it is none.
std::optional<unsigned> findPhase(llvm::ArrayRef<Phase> phases, llvm::ArrayRef<unsigned> around);

} // namespace tilec::analysis

#endif // TILEC_ANALYSIS_PHASES_H
