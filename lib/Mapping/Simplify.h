//===- Simplify.h - Ops that stand for several --------------------*- C++ -*-===//

#ifndef TILEC_MAPPING_SIMPLIFY_H
#define TILEC_MAPPING_SIMPLIFY_H

#include "mlir/IR/BuiltinOps.h"

namespace tilec::mapping {

/// Parts ops on tensors that stand for several, as softmax does.
void decompose(mlir::ModuleOp module);

} // namespace tilec::mapping

#endif // TILEC_MAPPING_SIMPLIFY_H
