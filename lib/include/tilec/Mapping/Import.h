//===- Import.h - From functions to kernels without loops ---------*- C++ -*-===//

#ifndef TILEC_MAPPING_IMPORT_H
#define TILEC_MAPPING_IMPORT_H

#include "mlir/IR/BuiltinOps.h"

namespace tilec::mapping {

/// What bufferization of functions needs to know of the dialects that they may hold.
void registerImport(mlir::DialectRegistry &registry);

/// Puts a kernel whose mapping is open in the place of each func.func of `module`: arguments become operands and scalars in their
/// order, results operands after them, extents sizes after these, called by the operand and the number of its dimension (`A0`).
/// Tensors become memrefs. Fails with a diagnostic where a function holds anything but linalg ops, arrays between them and constants.
mlir::LogicalResult importFunctions(mlir::ModuleOp module);

/// Ahead of that: ops on tensors of `module`'s functions read and write through their maps what transposes would move for one of them alone, and views stand after
/// what can be done on the array itself.
void simplifyFunctions(mlir::ModuleOp module);

} // namespace tilec::mapping

#endif // TILEC_MAPPING_IMPORT_H
