//===- GridMath.h - Orders of tiles over values of the kernel ----*- C++ -*-===//
//
// What analysis::RasterWalk computes with where a grid is lowered.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_CONVERSION_GRIDMATH_H
#define TILEC_CONVERSION_GRIDMATH_H

#include "tilec/Analysis/RasterOrder.h"

namespace tilec {

class IndexBuilder;

/// Emits arithmetic at the builder's insertion point, at one location. Values are of type index, which
/// kernels keep in an int.
class GridMath {
public:
  using Value = mlir::Value;

  GridMath(mlir::OpBuilder &builder, IndexBuilder &index, mlir::Location loc) : b(builder), index(index), loc(loc) {}

  Value constant(int64_t n) const;
  Value add(llvm::StringRef name, Value x, Value y) const;
  Value sub(llvm::StringRef name, Value x, Value y) const;
  Value mul(llvm::StringRef name, Value x, Value y) const;
  Value div(llvm::StringRef name, Value x, Value y) const;
  Value rem(llvm::StringRef name, Value x, Value y) const;
  Value min(llvm::StringRef name, Value x, Value y) const;
  /// Is x a constant and a multiple of n?
  bool isMultiple(Value x, int64_t n) const;
  /// Is x * n known to fit an int?
  bool fits(Value x, int64_t n) const;

private:
  /// The location of a value of this name, or of none.
  mlir::Location at(llvm::StringRef name) const;

  mlir::OpBuilder &b;
  IndexBuilder &index;
  mlir::Location loc;
};

} // namespace tilec

#endif // TILEC_CONVERSION_GRIDMATH_H
