//===- InfoCommands.h - Options that print and end ---------------*- C++ -*-===//

#ifndef TILEC_TOOLS_INFOCOMMANDS_H
#define TILEC_TOOLS_INFOCOMMANDS_H

#include "DiagnosticPrinter.h"
#include "Options.h"

namespace tilec {

/// --help, --version, --print-targets, --print-target and --doctor. Returns the exit
/// status; --doctor's is 3 where no cubin can be made.
int runInfoCommand(const Options &options, DiagnosticPrinter &printer);

} // namespace tilec

#endif // TILEC_TOOLS_INFOCOMMANDS_H
