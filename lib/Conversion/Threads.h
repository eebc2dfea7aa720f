//===- Threads.h - Who runs what is being emitted ----------------*- C++ -*-===//

#ifndef TILEC_CONVERSION_THREADS_H
#define TILEC_CONVERSION_THREADS_H

#include "Context.h"
#include "tilec/Tile/Distribution.h"
#include "llvm/Support/SaveAndRestore.h"
#include <map>

namespace tilec {

/// The threads that run what is being emitted: those of a block, or of a role in it.
class Threads {
public:
  /// `number` is 0..count-1. Of several teams that do the same for other tiles they are `team`.
  Threads(Context &context, mlir::Value number, int64_t count, mlir::Value team = {});

  mlir::Value getNumber() const { return number; }
  int64_t getCount() const { return count; }

  /// Fewer of them run what is emitted until the scope ends.
  [[nodiscard]] llvm::SaveAndRestore<int64_t> activate(int64_t threads) { return {active, threads}; }
  int64_t getActive() const { return active; }
  /// They are not all of the block until the scope ends.
  [[nodiscard]] llvm::SaveAndRestore<bool> bePart() { return {areBlock, false}; }

  /// Where, in an array in shared memory of which each team has `elements`, theirs begin.
  IndexExpr getOwn(int64_t elements) const { return team ? valueIndex(team, elements) : IndexExpr(); }

  /// Names digits of their numbers after the loops that run on them.
  void nameDigits();
  /// step * (number / stride % count), computed once, where the number is.
  mlir::Value getDigit(mlir::Location loc, const tile::Digit &digit);
  /// Where in its tile the first element lies that a thread holds.
  Coordinates getCoordinates(mlir::Location loc, const tile::Distribution &distribution);
  /// True for one of the threads that hold the same elements of a tile at `op`; null where each holds its own.
  mlir::Value isFirstHolder(mlir::Operation *op, const tile::Distribution &distribution);
  /// Is it the first of them?
  mlir::Value isFirst(mlir::Location loc);
  /// They wait for each other.
  void wait(mlir::Location loc);

private:
  Context *context;
  mlir::Value number;
  int64_t count;
  int64_t active;
  mlir::Value team;
  bool areBlock = true;
  /// By stride, count and step.
  std::map<std::tuple<int64_t, int64_t, int64_t>, mlir::Value> digits;
};

} // namespace tilec

#endif // TILEC_CONVERSION_THREADS_H
