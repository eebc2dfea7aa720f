//===- GrowStep.h - Nests with a larger step ---------------------*- C++ -*-===//
//
// A step grows together with everything that spans it: tiles staged inside of
// the loop, the loops that walk them, the iteration space of the computation.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_ANALYSIS_GROWSTEP_H
#define TILEC_LIB_ANALYSIS_GROWSTEP_H

#include "tilec/Analysis/NestModel.h"
#include "llvm/ADT/SetVector.h"

namespace tilec::analysis {

/// `model` with the step of loop `loop` multiplied by `factor`, and all tiles and loops that
/// lie inside of such a step grown alike.
NestModel growStep(const NestModel &model, unsigned loop, int64_t factor);

/// Loops beside `loop` that part the same register tile in the same dimension, and so must
/// keep its step.
llvm::SmallSetVector<unsigned, 2> findPartners(const NestModel &model, unsigned loop);

} // namespace tilec::analysis

#endif // TILEC_LIB_ANALYSIS_GROWSTEP_H
