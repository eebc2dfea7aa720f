//===- ScalarOps.h - What may be computed with numbers -----------*- C++ -*-===//
//
// The closed list of scalar ops (rule C1 of tile.kernel): those of the bodies of
// linalg ops and of what stands between loops. The lowering, the printer and the
// evaluator each know all of them; test/Run/scalar-ops.test holds all sides together.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_TILE_SCALAROPS_H
#define TILEC_TILE_SCALAROPS_H

#include "tilec/Tile/Tile.h"

namespace tilec::tile {

/// What the operands of a scalar op may be, among the types of scalars.
enum class ScalarOperands {
  Any,
  /// Floating-point numbers.
  Float,
  /// Integers of 8 bits and more, and index: arithmetic on i1 is what `Logic` has.
  Integer,
  /// Integers, i1 and index.
  Logic
};

struct ScalarOp {
  llvm::StringRef name;
  ScalarOperands operands;
};

/// All scalar ops, in the order in which rule C1 names them.
llvm::ArrayRef<ScalarOp> getScalarOps();

/// Is `op` an exp2 of f32 with fastmath<afn>, which is one instruction, but for which numbers below 2^-126 are zero?
bool isFlushed(mlir::Operation *op);

/// Numbers that scalar ops take and give: f64, f32, f16, bf16, i64, i32, i16, i8, i1 and index.
bool isScalarType(mlir::Type type);

/// Elements of memrefs: the same without i1 and index, which are no types of memory.
bool isElementType(mlir::Type type);

/// Rules C1 and C3 for an op inside of a kernel that is neither of the tile dialect nor a loop, condition or
/// computation; `inBody`: in the body of a linalg op.
mlir::LogicalResult verifyScalar(mlir::Operation *op, bool inBody);

} // namespace tilec::tile

#endif // TILEC_TILE_SCALAROPS_H
