//===- Rounds.h - What threads do of a tile together -------------*- C++ -*-===//
//
// The groups of elements of a tile in shared memory, dealt out among the threads in
// rounds, as analysis::getCopyDigits says.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_CONVERSION_ROUNDS_H
#define TILEC_CONVERSION_ROUNDS_H

#include "Threads.h"
#include "tilec/Analysis/CopyPlan.h"

namespace tilec {

class Rounds {
public:
  /// Groups of `form.width` elements of `tile`. So many rounds are written out, in texts for rare launches and in others.
  Rounds(Context &context, Threads &threads, mlir::Location loc, const analysis::CopyTile &tile, analysis::CopyForm form,
         std::pair<int64_t, int64_t> unroll, std::function<std::string(unsigned)> nameOfDim);

  /// Is each group's place a sum of the thread's and the round's?
  bool isEven() const { return analysis::isEven(places, threads.getCount()); }
  /// Where in the tile the thread's groups begin, and what a round adds to that.
  Coordinates getThreadOffsets();
  Coordinates getRoundOffsets(const IndexExpr &round);
  /// A loop over the rounds, whose number it gives times `step`.
  void forEachRound(int64_t step, llvm::function_ref<void(const IndexExpr &)> body);
  /// Calls `body` with the first element of each group that a thread does.
  void forEachGroup(llvm::function_ref<void(const Coordinates &)> body);

private:
  /// Each group's place follows from its number.
  void forEachByNumber(llvm::function_ref<void(const Coordinates &)> body);
  /// What the rounds leave over falls to the first threads: calls `body` in their condition, if anything is left.
  void forFirstThreads(llvm::function_ref<void()> body);
  Coordinates getGroupOffsets(mlir::Value number);

  Context &context;
  Threads &threads;
  IndexBuilder &index;
  mlir::Location loc;
  llvm::SmallVector<analysis::CopyDigit> places;
  std::pair<int64_t, int64_t> unroll;
  std::function<std::string(unsigned)> nameOfDim;
  size_t rank;
  int64_t groups;
  /// Whole rounds of all threads.
  int64_t rounds;
};

/// Each coordinate with another added.
Coordinates add(Coordinates sum, const Coordinates &more);

} // namespace tilec

#endif // TILEC_CONVERSION_ROUNDS_H
