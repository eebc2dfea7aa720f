//===- Diagnostics.h - MLIR's diagnostics as plain structs -------*- C++ -*-===//

#ifndef TILEC_CODEGEN_DRIVER_DIAGNOSTICS_H
#define TILEC_CODEGEN_DRIVER_DIAGNOSTICS_H

#include "mlir/IR/Diagnostics.h"
#include "tilec/Driver/Compiler.h"

namespace tilec {

/// The position, severity, text and notes of a diagnostic.
Diagnostic toPlain(mlir::Diagnostic &diagnostic);

/// Hands a context's diagnostics to the caller's callback, and keeps count.
class DiagnosticForwarder {
public:
  DiagnosticForwarder(mlir::MLIRContext &context, const CompileOptions &options);

  /// A diagnostic that does not come from MLIR.
  void report(Severity severity, const std::string &message, const std::string &file = "", unsigned line = 0);
  unsigned getWarnings() const { return warnings; }

private:
  void forward(const Diagnostic &diagnostic);

  const CompileOptions &options;
  unsigned warnings = 0, errors = 0;
  mlir::ScopedDiagnosticHandler handler;
};

/// Says that runDeep found no thread, and returns the status for it.
Status refuseThread(const CompileOptions &options);

} // namespace tilec

#endif // TILEC_CODEGEN_DRIVER_DIAGNOSTICS_H
