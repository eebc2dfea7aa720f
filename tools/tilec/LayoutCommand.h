//===- LayoutCommand.h - `tilec layout` -------------------------*- C++ -*-===//
//
// The layout algebra from the command line.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_TOOLS_LAYOUTCOMMAND_H
#define TILEC_TOOLS_LAYOUTCOMMAND_H

#include <iosfwd>

/// Runs `tilec layout` with the arguments after the word `layout`.
/// Returns 0 if done, 1 if an input is rejected, 2 for a wrong command line.
int runLayoutCommand(int argc, const char *const *argv, std::ostream &out, std::ostream &err);

#endif // TILEC_TOOLS_LAYOUTCOMMAND_H
