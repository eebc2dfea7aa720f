//===- Passes.h - From nests to planned nests --------------------*- C++ -*-===//
//
// The passes that annotate, check and plan nests.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_TRANSFORMS_PASSES_H
#define TILEC_TRANSFORMS_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace tilec {

#define GEN_PASS_DECL
#include "tilec/Transforms/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "tilec/Transforms/Passes.h.inc"

/// The planning passes in their order: from nests to planned nests.
void buildPlanPipeline(mlir::OpPassManager &manager);

} // namespace tilec

#endif // TILEC_TRANSFORMS_PASSES_H
