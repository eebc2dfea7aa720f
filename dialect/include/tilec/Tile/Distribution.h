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
// digits (loops on unroll or time, and the part's own extent) where. The extent of a
// part that an instruction works on has the digits of the instruction's layout.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_TILE_DISTRIBUTION_H
#define TILEC_TILE_DISTRIBUTION_H

#include "mlir/Dialect/Linalg/IR/LinalgInterfaces.h"
#include "tilec/Tile/Access.h"

namespace tilec::tile {

constexpr int64_t kWarpThreads = 32;
/// Four warps, the first of which has a number that four divides (PTX ISA 9.7.15.1).
constexpr int64_t kWarpgroupThreads = 4 * kWarpThreads;

/// True for loops whose iterations run on the threads of a block, and their units.
bool isThreadUnit(Unit unit);
bool isThreadUnit(ForOp loop);

/// The innermost loop on threads, warps or warpgroups around `op`; null where there is none.
ForOp getThreadLoop(mlir::Operation *op);

/// The unit of the innermost loop on threads, warps or warpgroups around `op`; nothing where all threads of the block execute it.
std::optional<Unit> getInnermostUnit(mlir::Operation *op);

/// The threads that a unit of this kind has where it has all of its own: 1 for all but warps and warpgroups.
int64_t getUnitThreads(Unit unit);

/// How many values an induction variable of a loop takes.
using LoopCount = llvm::function_ref<int64_t(ForOp, unsigned)>;
/// What the nest says.
int64_t getNestCount(ForOp loop, unsigned i);

/// The threads that `loop` (on thread, warp or warpgroup) runs on: the product of its counts and those of the thread loops nested in it,
/// of which an iteration of a loop on warps or warpgroups takes whole ones.
int64_t getThreads(ForOp loop, LoopCount getCount = getNestCount);

/// The threads of a block that its loops on warpgroup, warp and thread need.
int64_t getComputeThreads(KernelOp kernel, LoopCount getCount = getNestCount);

/// How far apart the threads of consecutive values of induction variable `i` are.
int64_t getThreadStride(ForOp loop, unsigned i, LoopCount getCount = getNestCount);

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

/// A digit of one thread's array, and the dimension of the tile that it moves.
struct LocalDigit {
  unsigned dim;
  Digit digit;
};

/// For each dimension its digits, largest step first. Digits of count 1 are left out, and of two local ones that loops
/// walk next to each other one is made.
struct Distribution {
  llvm::SmallVector<llvm::SmallVector<Digit>> dims;
  /// Which local digit, as `dims` counts them, each dimension of a thread's array is; empty: in their order. An instruction
  /// has its own order of the values of a thread.
  llvm::SmallVector<unsigned> order;
  bool operator==(const Distribution &other) const { return dims == other.dims && order == other.order; }
  /// Gives a thread's array the order of `values`, which are all local digits.
  void setOrder(llvm::ArrayRef<LocalDigit> values);
  /// The local digits as the dimensions of a thread's array, the slowest first.
  llvm::SmallVector<LocalDigit> getLocalDigits() const;
  /// The shape of the array that one thread holds: the counts of the local digits.
  llvm::SmallVector<int64_t> getLocalShape() const;
  /// The elements of that array.
  int64_t getLocalElements() const;
  bool isLocal() const;
  /// The number of threads that hold different elements.
  int64_t getHolders() const;
  /// The number of what `thread` holds among them, and the thread digits of it, the slowest first.
  int64_t getHolder(int64_t thread) const;
  llvm::SmallVector<Digit> getThreadDigits() const;
  /// The first coordinates that a thread holds.
  llvm::SmallVector<int64_t, 4> getThreadCoordinates(int64_t thread) const;
  /// Do threads that are `threadStride` apart hold different elements?
  bool isPartedBy(int64_t threadStride) const;
  /// The dimension along which the last elements of a thread's array are consecutive, if they are.
  std::optional<unsigned> getRunDim() const;
  /// Does a thread hold whole, aligned runs of `width` elements along `getRunDim()`?
  bool hasRuns(int64_t width) const;
  /// The extents of what a thread holds where that is a box of elements side by side in each dimension.
  std::optional<llvm::SmallVector<int64_t>> getBox() const;
};

/// How the register tile `tile` (the result of a hold, or of a stage to rf) is
/// spread: as its parts are, or those of a tile that a computation works on together with it, element
/// by element. Fails with a diagnostic where its parts disagree or do not cover it.
mlir::FailureOr<Distribution> getDistribution(mlir::Value tile);

/// The dimensions of a tile that is a matrix: its columns are the last one, its rows another one, and all else has one element. Nothing for other tiles.
std::optional<std::pair<unsigned, unsigned>> getMatrixDims(llvm::ArrayRef<int64_t> shape);

/// The tiles that computations work on together with `tile`, element by element, `tile` the first of them: they are spread alike.
llvm::SetVector<mlir::Value> getCompanions(mlir::Value tile);

/// How the points of `compute` are spread over the threads of a block, where it stands outside of loops on them and works, element
/// by element, on whole register tiles that several threads hold together: each computes the points of what it holds.
std::optional<Distribution> getSpreadOf(mlir::linalg::LinalgOp compute);

/// The digits of one access to `tile` that `use` makes through `access`, and whose part has `shape`. Fails with a diagnostic.
mlir::FailureOr<Distribution> getAccessDistribution(mlir::Value tile, mlir::OpOperand &use, const Access &access,
                                                    llvm::ArrayRef<int64_t> shape);

/// The reads and writes of `tile` through any chain of parts.
struct TileUse {
  mlir::OpOperand *operand;
  bool writes;
};
llvm::SmallVector<TileUse> getTileUses(mlir::Value tile);

} // namespace tilec::tile

#endif // TILEC_TILE_DISTRIBUTION_H
