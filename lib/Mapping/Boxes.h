//===- Boxes.h - Functions that pad, slice and join arrays --------*- C++ -*-===//

#ifndef TILEC_MAPPING_BOXES_H
#define TILEC_MAPPING_BOXES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tilec::mapping {

/// Ahead of bufferization: slices of tensors become copies of them, and what joins tensors becomes what writes a slice for each. Those of static shape.
void takeSlices(mlir::ModuleOp module);

/// Does `function`, on memrefs, move boxes: does it fill an array with a constant and copy another one into it, copy into a place of an array, or out of one? Of static shapes.
bool hasBoxes(mlir::func::FuncOp function);

/// Makes a program of `function`: a kernel for each box that is moved, and functions of what stands between, which are returned; these are to become the
/// kernels that the program runs by their names. Fails with a diagnostic where extents are dynamic, or where a view is returned.
mlir::FailureOr<llvm::SmallVector<mlir::func::FuncOp>> partAtBoxes(mlir::func::FuncOp function);

} // namespace tilec::mapping

#endif // TILEC_MAPPING_BOXES_H
