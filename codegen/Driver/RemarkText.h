//===- RemarkText.h - Optimization remarks as text ---------------*- C++ -*-===//

#ifndef TILEC_CODEGEN_DRIVER_REMARKTEXT_H
#define TILEC_CODEGEN_DRIVER_REMARKTEXT_H

#include "mlir/IR/MLIRContext.h"

#include <string>

namespace tilec {

/// From now on remarks of `context` are added to `text` in LLVM's YAML. `text` must outlive the
/// context or `takeRemarks`.
mlir::LogicalResult collectRemarks(mlir::MLIRContext &context, std::string &text);

/// Completes the text.
void takeRemarks(mlir::MLIRContext &context);

} // namespace tilec

#endif // TILEC_CODEGEN_DRIVER_REMARKTEXT_H
