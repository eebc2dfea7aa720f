//===- CountingBox.h - Iterations and elements that count --------*- C++ -*-===//
//
// The iterations of some loops and the points of a box, of which those count whose
// places exist.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_ANALYSIS_COUNTINGBOX_H
#define TILEC_LIB_ANALYSIS_COUNTINGBOX_H

#include "tilec/Analysis/Counting.h"
#include "tilec/Analysis/NestModel.h"

namespace tilec::analysis {

/// A sum of loops and of dimensions of a box that must be inside of an extent.
struct Presence {
  Subscript subscript;
  llvm::SmallVector<CountTerm, 2> dims;
  int64_t extent = 0;
};

class CountingBox {
public:
  explicit CountingBox(const NestModel &model) : model(model) {}

  /// All iterations of `loop`, or iteration `at` alone; the loops that say how many come before it.
  void addLoop(unsigned loop, std::optional<int64_t> at = std::nullopt);
  unsigned addDimension(int64_t extent) { return problem.addVariable(extent); }
  void require(const Presence &presence);

  /// The points that meet all requirements; absent where they cannot be counted.
  std::optional<int64_t> count() const { return problem.count(); }

private:
  const NestModel &model;
  CountingProblem problem;
  llvm::DenseMap<unsigned, unsigned> variables;
  llvm::DenseMap<unsigned, int64_t> fixed;
};

/// What it takes for element `dims` of `place` to exist in the operand that it is copied from,
/// through all stages; nothing for what comes from none, or is padded on its way. `inner` moves
/// `place` on.
llvm::SmallVector<Presence> getPresence(const NestModel &model, const Place &place,
                                        llvm::ArrayRef<llvm::SmallVector<CountTerm, 2>> dims,
                                        llvm::ArrayRef<Subscript> inner = {});

} // namespace tilec::analysis

#endif // TILEC_LIB_ANALYSIS_COUNTINGBOX_H
