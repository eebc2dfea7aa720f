//===- Counting.h - How many points satisfy bounds ---------------*- C++ -*-===//
//
// Counts the iterations of a loop nest whose coordinates lie inside an operand.
// This is where the edges of operands that tiles do not divide become exact
// numbers of elements.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_ANALYSIS_COUNTING_H
#define TILEC_ANALYSIS_COUNTING_H

#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace tilec::analysis {

/// `factor` times the value of variable `variable`.
struct CountTerm {
  unsigned variable;
  int64_t factor;
};

/// lower <= sum of terms < upper.
struct CountBound {
  llvm::SmallVector<CountTerm, 4> terms;
  int64_t lower = 0;
  int64_t upper = 0;
};

/// Variables with values 0 ... count - 1, and bounds on sums of them.
class CountingProblem {
public:
  /// Adds a variable and returns its number. `count` must not be negative.
  unsigned addVariable(int64_t count) {
    counts.push_back(count);
    return counts.size() - 1;
  }
  void addBound(CountBound bound) { bounds.push_back(std::move(bound)); }

  /// The number of assignments that satisfy all bounds (formula 1). Bounds that share no
  /// variable are counted apart; variables that several bounds share are enumerated.
  /// Absent if the count exceeds 64 bits or needs more than a million steps.
  std::optional<int64_t> count() const;

private:
  llvm::SmallVector<int64_t, 16> counts;
  std::vector<CountBound> bounds;
};

} // namespace tilec::analysis

#endif // TILEC_ANALYSIS_COUNTING_H
