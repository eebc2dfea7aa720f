//===- Passes.h - From nests to kernels --------------------------*- C++ -*-===//
//
// The passes that turn a nest into kernel IR, and their pipeline.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_CONVERSION_PASSES_H
#define TILEC_CONVERSION_PASSES_H

#include "mlir/Pass/Pass.h"

namespace tilec {

#define GEN_PASS_DECL
#include "tilec/Conversion/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "tilec/Conversion/Passes.h.inc"

/// From a module of nests, planned, to kernel IR that is ready to print.
void buildKernelPipeline(mlir::OpPassManager &manager);

} // namespace tilec

#endif // TILEC_CONVERSION_PASSES_H
