//===- Pads.h - Functions that pad arrays -------------------------*- C++ -*-===//

#ifndef TILEC_MAPPING_PADS_H
#define TILEC_MAPPING_PADS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tilec::mapping {

/// Does `function`, on memrefs, pad an array as bufferization writes `tensor.pad`: fill an array with a constant, and copy another one into it? Of static shapes.
bool hasPads(mlir::func::FuncOp function);

/// Makes a program of `function`: a kernel for each array that is padded, and functions of what stands between, which are returned; these are to become the
/// kernels that the program runs by their names. Fails with a diagnostic where extents are dynamic, or where a view is returned.
mlir::FailureOr<llvm::SmallVector<mlir::func::FuncOp>> partAtPads(mlir::func::FuncOp function);

} // namespace tilec::mapping

#endif // TILEC_MAPPING_PADS_H
