//===- Reader.h - From machine files to machines ----------------*- C++ -*-===//
//
// Private entry points shared by the reader of machine files and the look-up of
// names, which call each other where a machine inherits another.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_MACHINE_READER_H
#define TILEC_LIB_MACHINE_READER_H

#include "tilec/Machine/Targets.h"

#include <string>
#include <vector>

namespace tilec::machine {

/// Names and paths of the machines that are being read, the outermost first.
using InheritChain = std::vector<std::string>;

/// resolveTarget for a machine that `chain` inherits.
TargetResult resolveInChain(const std::string &nameOrPath, const InheritChain &chain);

/// Reads one machine file; its own name or path is the last of `chain`, if any.
/// Only built-in machines may have aliases and built-in names.
TargetResult readMachine(const std::string &text, const std::string &fileName,
                         const InheritChain &chain, bool builtin);

/// Lays the text of a file that is part of a machine over `spec`, without asking whether its numbers agree. Returns
/// the error, or nothing.
std::string layFile(const std::string &text, const std::string &fileName, MachineSpec &spec);

/// Sets what a compiler makes of kernels for `arch` in `spec`: the figures for all architectures, and over them those
/// of the newest that is not newer than `arch`, or of the oldest. Returns the error, or nothing.
std::string layCompiler(const std::string &arch, MachineSpec &spec);

/// What a list says of a built-in machine.
struct TargetSummary {
  std::string name, arch, aliases, title;
};

/// Of all built-in machines. Their numbers are not read, which takes most of the time.
std::vector<TargetSummary> summarizeTargets();

/// Does resolveTarget take `nameOrPath` for the path of a machine file?
bool isPath(const std::string &nameOrPath);

/// Is `name` the name or an alias of a built-in machine?
bool isBuiltinName(const std::string &name);

/// The candidate that `text` is probably meant to be: it is the start of one, or differs by
/// a third of its letters at most. Empty if there is none.
std::string nearestName(const std::string &text, const std::vector<std::string> &candidates);

/// "a, b, c"
std::string joinNames(const std::vector<std::string> &names);

} // namespace tilec::machine

#endif // TILEC_LIB_MACHINE_READER_H
