//===- Scalars.h - Numbers -----------------------------------------*- C++ -*-===//

#ifndef TILEC_CONVERSION_SCALARS_H
#define TILEC_CONVERSION_SCALARS_H

#include "IndexExpr.h"
#include "mlir/IR/IRMapping.h"

namespace tilec {

/// A scalar op of the nest, whose operands `map` knows; its result too then.
mlir::Value lowerScalar(IndexBuilder &index, mlir::OpBuilder &b, mlir::Operation &op, mlir::IRMapping &map);

/// Says of an addition, a subtraction, a product or a shift that it may wrap: all others are known not to (ComputedExactly).
mlir::Value wrapping(mlir::Value value);

/// Says of each of these ops that is made that it does not wrap: all that the lowering computes with integers fits them. What
/// the nest computes wraps (rule C1 of tile.kernel).
struct ComputedExactly : mlir::OpBuilder::Listener {
  void notifyOperationInserted(mlir::Operation *op, mlir::OpBuilder::InsertPoint previous) override;
};

} // namespace tilec

#endif // TILEC_CONVERSION_SCALARS_H
