//===- Access.h - Where a tile's elements lie --------------------*- C++ -*-===//
//
// Subscripts as sums, and parts traced to the tile or operand they belong to.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_TILE_ACCESS_H
#define TILEC_TILE_ACCESS_H

#include "tilec/Tile/Tile.h"

namespace tilec::tile {

/// Arrays in shared memory begin at multiples of so many bytes, as boxes of TMA do (CUDA C++ Programming Guide, bulk tensor copies).
constexpr int64_t kSharedAlignment = 128;

/// The most elements that a tile has or spans, and the largest extent of a loop or an operand: numbers of elements fit in
/// an `int` of the kernel, with room for one tile past an extent.
constexpr int64_t kMostElements = (int64_t(1) << 31) - 1, kMostExtent = kMostElements - 65536;

/// One instruction of a thread moves at most so many bytes (PTX ISA 9.7.9.8, vectors of ld).
constexpr int64_t kWidestBytes = 16;

/// A sum of multiples of values, and a constant.
struct LinearExpr {
  llvm::SmallVector<std::pair<mlir::Value, int64_t>> terms;
  int64_t constant = 0;

  void add(mlir::Value value, int64_t factor);
  void add(const LinearExpr &other, int64_t times = 1);
  /// The factor of `value`, 0 where it does not appear.
  int64_t factorOf(mlir::Value value) const;
  bool operator==(const LinearExpr &other) const;
};

/// A subscript as a sum; fails for what is none (products of values, divisions) and for numbers of 2^48 and more.
mlir::FailureOr<LinearExpr> getLinearExpr(mlir::AffineExpr expr, mlir::ValueRange operands);

/// Where `value` is the induction variable of a tile.for, that loop and its number in it.
struct InductionVar {
  ForOp loop;
  unsigned number;
};
std::optional<InductionVar> getInductionVar(mlir::Value value);

/// The least and the most that a sum is.
struct SumBounds {
  int64_t least, most;
};
/// Those of `sum` over all iterations; none where a loop's extent is dynamic, a value is neither an induction variable nor a quotient, or a number does not fit.
std::optional<SumBounds> getSumBounds(const LinearExpr &sum);

/// The sum that arithmetic makes `value` of induction variables, sizes and whatever else is no sum; the value itself where none makes it.
LinearExpr getIndexSum(mlir::Value value);

/// A sum that is never negative, divided by a positive number: the whole part, or what remains.
struct Quotient {
  LinearExpr sum;
  int64_t divisor;
  bool isRemainder;
};
/// What `value` divides, where arithmetic of a nest divides so. Signed and unsigned division then agree.
std::optional<Quotient> getQuotient(mlir::Value value);

/// Makes subscripts under `root` that divide in their maps, as `%A[%i floordiv 4]`, subscripts by quotients. They do not verify before.
void expandDivisions(mlir::Operation *root);

/// An induction variable divided by what divides the step of its loop: it moves by whole numbers.
struct ScaledVar {
  InductionVar iv;
  int64_t divisor;
  int64_t getStep() const;
};
/// What `value` is, where it is such a quotient or, divided by 1, an induction variable.
std::optional<ScaledVar> getScaledVar(mlir::Value value);

/// A dimension of an operand that an operand of indices numbers.
struct Gather {
  unsigned dim;
  mlir::Value indices;
};

/// A place in a tile or operand: where element (0, ..., 0) of some part lies in it.
struct Access {
  mlir::Value root;
  /// That of a gathered dimension is a place among the indices.
  llvm::SmallVector<LinearExpr> subscripts;
  std::optional<Gather> gather = {};

  bool isGathered(unsigned dim) const { return gather && gather->dim == dim; }
  /// The operand or tile, and its dimension, in which subscript `dim` is a place.
  std::pair<mlir::Value, unsigned> getBounds(unsigned dim) const { return isGathered(dim) ? std::pair(gather->indices, 0u) : std::pair(root, dim); }
};

/// A number that divides all values of a sum of induction variables, 0 where it is always 0.
int64_t getDivisor(const LinearExpr &sum);
/// The divisor of a sum that has one term more: an induction variable of `loop`, which moves by `step`, times `factor`.
int64_t addToDivisor(int64_t divisor, ForOp loop, unsigned number, int64_t step, int64_t factor);

/// Follows parts up to the staged or held tile or the kernel operand that they are parts of.
Access traceParts(mlir::Value memref);

/// The dimension that `gather` of a stage or `scatter` of a store numbers.
template <typename Op>
std::optional<Gather> getGather(Op op) {
  return op.getIndices() ? std::optional(Gather{static_cast<unsigned>(*op.getAlong()), op.getIndices()}) : std::nullopt;
}

/// What a stage copies, in the operand or tile that it copies from.
Access getSourceAccess(StageOp stage);

/// Where a store puts its tile, in the operand that it stores to.
Access getDestAccess(StoreOp store);

/// Follows parts and stages up to the kernel operand, or to a held tile.
Access traceToOperand(mlir::Value memref);

/// Have all elements of a tile a value, wherever it is copied from?
bool hasAllElements(mlir::Value tile);

} // namespace tilec::tile

#endif // TILEC_TILE_ACCESS_H
