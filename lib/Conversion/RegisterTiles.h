//===- RegisterTiles.h - Who holds what ---------------------------*- C++ -*-===//
//
// Arrays that hold a thread's share of a register tile.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_CONVERSION_REGISTERTILES_H
#define TILEC_CONVERSION_REGISTERTILES_H

#include "Threads.h"

namespace tilec {

/// Bits of a register.
constexpr int64_t kRegisterBits = 32;

/// A register tile: the array that each thread holds, and who holds what.
struct RegisterTile {
  mlir::Value array;
  tile::Distribution distribution;
  /// Which of the copies in a pipeline's array is meant; null where there is one.
  mlir::Value slot;

  /// The place in the array of an element of the copy that is meant.
  Indices inSlot(Indices indices) const;
};

class RegisterTiles {
public:
  RegisterTiles(Context &context, Threads &threads) : context(context), threads(threads) {}

  /// The array of `tile`, with `slots` copies of it. Fails with a diagnostic where the tile has no distribution.
  mlir::LogicalResult create(mlir::Value tile, int64_t slots = 1);
  /// Null where `root` lies elsewhere.
  RegisterTile *find(mlir::Value root);
  RegisterTile &get(mlir::Value tile) { return *find(tile); }
  /// The tiles of a loop's body are lowered with it: where a body is lowered twice, each has arrays of its own.
  void forgetTilesIn(tile::ForOp loop);

  /// The name of the loop inside of `i` others that walk what a thread holds.
  static llvm::StringRef getLoopName(unsigned i);

  /// Numbers of a digit, from one on to before another; all where absent.
  using Numbers = std::optional<std::pair<int64_t, int64_t>>;

  /// Runs `body` for each element that a thread holds, with its place in the
  /// array and its coordinates in the tile; `width` elements at a time along the
  /// last digit. `outermost`: of the first of several digits these numbers alone.
  void forEachHeld(mlir::Location loc, const tile::Distribution &distribution, int64_t width,
                   llvm::function_ref<void(const Indices &, const Coordinates &)> body, Numbers outermost = std::nullopt);
  /// The same with runs along the last digit: `head` elements one by one, then `width` at a time, and one by one what is left. `body` is told how
  /// many.
  void forEachRunHeld(mlir::Location loc, const tile::Distribution &distribution, int64_t head, int64_t width,
                      llvm::function_ref<void(const Indices &, const Coordinates &, int64_t)> body, Numbers outermost = std::nullopt);
  /// The place in the array of element `offsets` of a part. Fails with a diagnostic where a thread does not hold it all.
  mlir::FailureOr<Indices> getIndices(mlir::Operation *op, const RegisterTile &tile, const tile::Access &access,
                                      mlir::MemRefType part, const Coordinates &offsets);
  /// The indices of the array's first dimensions: the others are the values that a thread has of the part that an
  /// instruction works on.
  mlir::FailureOr<Indices> getFragment(mlir::Operation *op, const RegisterTile &tile, const tile::Access &access, mlir::MemRefType part);
  /// Makes `indices` of a part of the array of `tile` those of the part's first element.
  void appendFirst(const RegisterTile &tile, Indices &indices);

private:
  /// The numbers of the local digits in the order of the tile's dimensions; without `offsets` of those above the part's.
  mlir::FailureOr<Indices> getDigits(mlir::Operation *op, const RegisterTile &tile, const tile::Access &access, mlir::MemRefType part,
                                     const Coordinates *offsets);

  Context &context;
  Threads &threads;
  llvm::DenseMap<mlir::Value, RegisterTile> tiles;
};

/// The elements of an array of registers as one row.
mlir::Value flatten(Context &context, mlir::Value array);
/// Runs `body` for each run of `width` elements of a flat array: with the first one's number, and its place in the array.
void forEachRun(Context &context, mlir::Location loc, mlir::MemRefType array, int64_t width,
                llvm::function_ref<void(const IndexExpr &, const Indices &)> body);

} // namespace tilec

#endif // TILEC_CONVERSION_REGISTERTILES_H
