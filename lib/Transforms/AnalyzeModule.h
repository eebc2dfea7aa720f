//===- AnalyzeModule.h - Analyses as passes ask for them ---------*- C++ -*-===//

#ifndef TILEC_TRANSFORMS_ANALYZEMODULE_H
#define TILEC_TRANSFORMS_ANALYZEMODULE_H

#include "mlir/IR/BuiltinOps.h"
#include "tilec/Report/BuildRecord.h"

namespace tilec {

/// Analyses each kernel of `module` on its machine, at its sizes (ModuleTarget.h), and hands it to `see`. Fails with a diagnostic.
mlir::LogicalResult analyzeModule(mlir::ModuleOp module, llvm::function_ref<void(const report::Analyses &)> see);

} // namespace tilec

#endif // TILEC_TRANSFORMS_ANALYZEMODULE_H
