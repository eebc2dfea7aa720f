//===- Simplify.h - Transposes and views that nothing needs -------*- C++ -*-===//

#ifndef TILEC_MAPPING_SIMPLIFY_H
#define TILEC_MAPPING_SIMPLIFY_H

#include "mlir/IR/BuiltinOps.h"

namespace tilec::mapping {

/// Ahead of bufferization: ops on tensors of `module`'s functions read and write through their maps what transposes would move for one of them alone, and views stand
/// after what can be done on the array itself. Unless `all` are asked for, those alone that become several kernels at nests of their own (Parts.h).
void simplify(mlir::ModuleOp module, bool all);

} // namespace tilec::mapping

#endif // TILEC_MAPPING_SIMPLIFY_H
