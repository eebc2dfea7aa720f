//===- Parse.h - Text to nests -----------------------------------*- C++ -*-===//
//
// Parses a file of nests, keeping the names that the source gives to values.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_CODEGEN_DRIVER_PARSE_H
#define TILEC_CODEGEN_DRIVER_PARSE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringRef.h"

namespace tilec {

/// The dialects of nests and of the kernels made from them.
mlir::DialectRegistry nestDialects();

/// Parses and verifies; diagnostics go to the context's handlers. Null on failure.
/// Refuses what MLIR's parser must not be given (CheckText.h).
mlir::OwningOpRef<mlir::ModuleOp> parseNests(llvm::StringRef text, llvm::StringRef fileName, mlir::MLIRContext &context);

/// The text of `op`, as it can be read again.
std::string printIR(mlir::Operation *op);

} // namespace tilec

#endif // TILEC_CODEGEN_DRIVER_PARSE_H
