//===- Simplify.h - Transposes and views that nothing needs -------*- C++ -*-===//

#ifndef TILEC_MAPPING_SIMPLIFY_H
#define TILEC_MAPPING_SIMPLIFY_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace tilec::mapping {

/// Ahead of bufferization: ops on tensors of `module`'s functions read and write through their maps what transposes would move for one of them alone, and views stand
/// after what can be done on the array itself. Unless `all` are asked for, those alone that become several kernels at nests of their own (Parts.h).
void simplify(mlir::ModuleOp module, bool all);

/// Has ops read where they lie the elements that others only take from there, as slices do.
void takeMoves(mlir::func::FuncOp function);

/// Is `op` computed element by element, so that it may be computed where it is read, or read what is computed there? What gathers is a nest of its own.
bool isByElement(mlir::linalg::LinalgOp op);

/// Computes what is read as `input`, by a generic op that is its only reader, there; returns the op that takes the place of both, null where that cannot be.
mlir::linalg::GenericOp computeWhereRead(mlir::OpOperand &input);

/// May an operand of `op` lie as `map` says? Windows, and their weights, are walked fastest along channels, and products by what one batch has.
bool takesMap(mlir::linalg::LinalgOp op, mlir::AffineMap map);

/// Has `op` read operand `number` from `array`, where `moved` says where each element lies; returns the op that takes its place.
mlir::linalg::GenericOp readBy(mlir::linalg::LinalgOp op, unsigned number, mlir::Value array, mlir::AffineMap moved);

} // namespace tilec::mapping

#endif // TILEC_MAPPING_SIMPLIFY_H
