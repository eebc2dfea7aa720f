//===- AnalyzeModule.h - Analyses as passes ask for them ---------*- C++ -*-===//
//
// The options `target` and `shape` that analysing passes share.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_TRANSFORMS_ANALYZEMODULE_H
#define TILEC_TRANSFORMS_ANALYZEMODULE_H

#include "mlir/IR/BuiltinOps.h"
#include "tilec/Report/BuildRecord.h"

namespace tilec {

/// Analyses each kernel of `module` on the machine `target` and hands it to `see`. Entries of
/// `shape` are "name=value", or values in the order of the size arguments; names that no
/// kernel has are an error. Fails with a diagnostic.
mlir::LogicalResult analyzeModule(mlir::ModuleOp module, llvm::StringRef target,
                                  llvm::ArrayRef<std::string> shape,
                                  llvm::function_ref<void(const report::Analyses &)> see);

} // namespace tilec

#endif // TILEC_TRANSFORMS_ANALYZEMODULE_H
