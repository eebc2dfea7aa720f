//===- GrowStep.h - Nests with another step ----------------------*- C++ -*-===//
//
// A step grows and shrinks together with everything that spans it: tiles staged inside of
// the loop, the loops that walk them, the iteration space of the computation.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_ANALYSIS_GROWSTEP_H
#define TILEC_ANALYSIS_GROWSTEP_H

#include "tilec/Analysis/NestModel.h"
#include "llvm/ADT/SetVector.h"

namespace tilec::analysis {

/// `model` with `step` as that of loop `loop`, and all tiles and loops that lie inside of such a step grown or shrunk
/// alike. Whether that is a nest which anybody accepts is not asked.
NestModel changeStep(const NestModel &model, unsigned loop, int64_t step);

/// Loops beside `loop` that part the same register tile in the same dimension, and so must
/// keep its step.
llvm::SmallSetVector<unsigned, 2> findPartners(const NestModel &model, unsigned loop);

} // namespace tilec::analysis

#endif // TILEC_ANALYSIS_GROWSTEP_H
