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

/// Hands each kernel of `module` to `see`, with the machine `target` and the value of each of its
/// arguments. Entries of `shape` are "name=value", or values in the order of the size arguments; names that no
/// kernel has are an error. Fails with a diagnostic, or where `see` does.
mlir::LogicalResult forEachKernel(
    mlir::ModuleOp module, llvm::StringRef target, llvm::ArrayRef<std::string> shape,
    llvm::function_ref<mlir::LogicalResult(tile::KernelOp, llvm::ArrayRef<int64_t>,
                                           const MachineSpec &)> see);

/// Analyses each kernel of `module` and hands it to `see`; options as above.
mlir::LogicalResult analyzeModule(mlir::ModuleOp module, llvm::StringRef target,
                                  llvm::ArrayRef<std::string> shape,
                                  llvm::function_ref<void(const report::Analyses &)> see);

} // namespace tilec

#endif // TILEC_TRANSFORMS_ANALYZEMODULE_H
