//===- CompileCommand.h - From a nest to its files ---------------*- C++ -*-===//

#ifndef TILEC_TOOLS_COMPILECOMMAND_H
#define TILEC_TOOLS_COMPILECOMMAND_H

#include "DiagnosticPrinter.h"
#include "Options.h"

namespace tilec {

/// Compiles options.input and writes what is asked for. Returns the exit status.
int runCompileCommand(const Options &options, DiagnosticPrinter &printer);

} // namespace tilec

#endif // TILEC_TOOLS_COMPILECOMMAND_H
