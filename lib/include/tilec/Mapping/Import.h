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
/// With `isSimplified` what transposes and views nothing needs are gone; without, it says what the functions mean, as they stand, but for those that become several
/// kernels here, whose arrays are the same either way.
mlir::LogicalResult importFunctions(mlir::ModuleOp module, bool isSimplified = false);

} // namespace tilec::mapping

#endif // TILEC_MAPPING_IMPORT_H
