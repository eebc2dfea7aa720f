//===- Operands.h - Operands in global memory --------------------*- C++ -*-===//
//
// Where elements of the nest's operands lie, and which are present.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_CONVERSION_OPERANDS_H
#define TILEC_CONVERSION_OPERANDS_H

#include "Context.h"
#include "tilec/Analysis/CopyPlan.h"

namespace tilec {

class Operands {
public:
  explicit Operands(Context &context) : context(context), b(context.b), index(context.index) {}

  /// `operand` begins at `base`.
  void add(mlir::Value operand, mlir::Value base);
  /// A stride of it that only the launch knows.
  void setStride(mlir::Value operand, unsigned dim, mlir::Value stride) { strides[operand][dim] = stride; }
  /// The tensor map that the tile of a stage, or of a store, is copied by.
  void setMap(mlir::Operation *op, mlir::Value map) { maps[op] = map; }
  mlir::Value getMap(mlir::Operation *op) const { return maps.lookup(op); }

  /// Where an element lies: an element number. With `from`, that of an element as far from element `from` as `coordinates`
  /// say.
  mlir::Value getAddress(mlir::Location loc, mlir::Value operand, const Coordinates &coordinates, mlir::Value from = {});
  /// Loads the element at an address that getAddress gave, from global or constant memory.
  mlir::Value loadAt(mlir::Location loc, mlir::Value operand, mlir::Value address);
  /// How far coordinates are from others.
  static Coordinates getApart(Coordinates coordinates, const Coordinates &from);
  /// Element numbers of the operand fit an int.
  static bool hasNarrowAddresses(mlir::Value operand);
  /// The place in an operand of element `offsets` of a part, each coordinate a variable of its own: the predicate and the
  /// address use it. Of a gathered dimension it is the number that is there, which is loaded, -1 for none.
  Coordinates namePlace(mlir::Location loc, const tile::Access &access, const Coordinates &offsets);

  /// All coordinates lie inside of the operand, as a condition; null where they always do.
  mlir::Value isPresent(mlir::Location loc, mlir::Value operand, const Coordinates &coordinates);
  /// All elements of a tile of `shape` at `access` lie inside of the operand, as a condition; null where they always do.
  mlir::Value isTileInside(mlir::Location loc, const tile::Access &access, llvm::ArrayRef<int64_t> shape);
  /// The same of a box that begins at `start`.
  mlir::Value isBoxInside(mlir::Location loc, const tile::Access &access, const Coordinates &start, llvm::ArrayRef<int64_t> shape);
  /// Loads an element, `pad` (zero where there is none) where it is absent.
  mlir::Value load(mlir::Location loc, mlir::Value operand, Coordinates coordinates, std::optional<tile::Pad> pad);

  /// What must hold at launch for accesses of this form, as a condition; null for nothing. See analysis::admits.
  mlir::Value getFormCondition(mlir::Location loc, mlir::Value operand, analysis::CopyForm form, bool whole = false);

private:
  /// Element 0 and all strides but that along `along` are multiples of `width` elements; null where that is known.
  mlir::Value getAlignedCondition(mlir::Location loc, mlir::Value operand, unsigned along, int64_t width);

  /// The number at `place` of `indices`, if it is below `extent`, else -1.
  IndexExpr loadIndex(mlir::Location loc, mlir::Value indices, const IndexExpr &place, mlir::OpFoldResult extent);

  Context &context;
  mlir::OpBuilder &b;
  IndexBuilder &index;
  /// The dynamic strides of each operand; null where static.
  llvm::DenseMap<mlir::Value, Indices> strides;
  llvm::DenseMap<mlir::Operation *, mlir::Value> maps;
};

} // namespace tilec

#endif // TILEC_CONVERSION_OPERANDS_H
