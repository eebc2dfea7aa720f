//===- Distribution.h - How units share work and registers -------*- C++ -*-===//
//
// Which thread runs which iteration, and which elements of a register tile a
// thread holds. Both follow from the loops alone.
//
// A block's threads are numbered. Nested loops on thread number them with the
// last induction variable fastest; loops on warp around them count in 32s. So an
// induction variable of such a loop is a digit of the thread's number: its value
// is step * (number / stride % count).
//
// A register tile declared outside of such loops is spread over their threads.
// Each of its dimensions is a mixed-radix number whose digits are the loops in
// the subscripts of its parts: thread digits say who holds an element, local
// digits (loops on unroll or time, and the part's own extent) where.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_TILE_DISTRIBUTION_H
#define TILEC_TILE_DISTRIBUTION_H

#include "tilec/Tile/Access.h"

namespace tilec::tile {

constexpr int64_t kWarpThreads = 32;

/// True for loops whose iterations run on the threads of a block.
bool isThreadUnit(ForOp loop);

/// The threads that one iteration of the body of `loop` runs on: the product of
/// the counts of the thread loops nested in it, whole warps for a loop on warp.
int64_t getThreadsInside(ForOp loop);

/// The threads that `loop` (on thread or warp) runs on.
int64_t getThreads(ForOp loop);

/// The threads of a block that its loops on warp and thread need.
int64_t getComputeThreads(KernelOp kernel);

/// How far apart the threads of consecutive values of induction variable `i` are.
int64_t getThreadStride(ForOp loop, unsigned i);

/// One digit of a dimension of a register tile: an element's coordinate is the
/// sum of step * digit.
struct Digit {
  int64_t count;
  int64_t step;
  /// Distance of the threads that hold consecutive values, 0 for a local digit.
  int64_t threadStride = 0;
  bool operator==(const Digit &other) const {
    return count == other.count && step == other.step && threadStride == other.threadStride;
  }
};

/// For each dimension its digits, largest step first. Digits of count 1 are left out, and of two local ones next to
/// each other one is made.
struct Distribution {
  llvm::SmallVector<llvm::SmallVector<Digit>> dims;
  bool operator==(const Distribution &other) const { return dims == other.dims; }
  /// The shape of the array that one thread holds: the counts of the local digits.
  llvm::SmallVector<int64_t> getLocalShape() const;
  /// The elements of that array.
  int64_t getLocalElements() const;
  bool isLocal() const;
  /// Do threads that are `threadStride` apart hold different elements?
  bool isPartedBy(int64_t threadStride) const;
  /// The dimension along which the last elements of a thread's array are consecutive, if they are.
  std::optional<unsigned> getRunDim() const;
  /// Does a thread hold whole, aligned runs of `width` elements along `getRunDim()`?
  bool hasRuns(int64_t width) const;
};

/// How the register tile `tile` (the result of a hold, or of a stage to rf) is
/// spread. Fails with a diagnostic where its parts disagree or do not cover it.
mlir::FailureOr<Distribution> getDistribution(mlir::Value tile);

/// The digits of one access to `tile` made by `user` through `access`, whose
/// part has `shape`. Fails with a diagnostic.
mlir::FailureOr<Distribution> getAccessDistribution(mlir::Value tile, mlir::Operation *user, const Access &access,
                                                    llvm::ArrayRef<int64_t> shape);

/// The reads and writes of `tile` through any chain of parts.
struct TileUse {
  mlir::OpOperand *operand;
  bool writes;
};
llvm::SmallVector<TileUse> getTileUses(mlir::Value tile);

} // namespace tilec::tile

#endif // TILEC_TILE_DISTRIBUTION_H
