//===- Options.h - The command line of tilec ---------------------*- C++ -*-===//
//
// One table of options; the parser and --help read the same one.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_TOOLS_OPTIONS_H
#define TILEC_TOOLS_OPTIONS_H

#include "Requirement.h"
#include "tilec/Driver/Run.h"

#include <optional>
#include <string>
#include <vector>

namespace tilec {

/// Exit statuses beside those of `Status`.
enum ExitStatus { kExitDone = 0, kExitRejected = 1, kExitUsage = 2, kExitMissing = 3, kExitWrong = 4, kExitGateFailed = 5, kExitBug = 70 };

/// What can be written, in the order in which it is written.
enum class EmitKind { Nest, Plan, Report, Remarks, KernelIR, Cuda, Ptx, Cubin };

enum class Action { Compile, Help, Version, PrintTargets, PrintTarget, Doctor };

struct Options {
  Action action = Action::Compile;
  /// Path of the nest; "-" for standard input.
  std::string input;
  CompileOptions compile;
  /// Kinds of --emit; empty where it is not given.
  std::vector<EmitKind> emit;
  /// Path of -o; "-" for standard output.
  std::optional<std::string> output;
  bool jsonReport = false;
  /// Reports and remarks try what would be faster.
  bool advice = true;
  bool jsonDiagnostics = false;
  std::vector<Requirement> requirements;
  /// Set by --run and by the options that need a run.
  std::optional<RunOptions> running;
  /// Tensors to save, and where.
  std::map<std::string, std::string> saves;
  /// Path of a text to run in place of the kernel's own.
  std::optional<std::string> kernelText;
  /// Say what was tried for kernels whose mapping was open.
  bool explain = false;
  /// So many candidates of the mapping are measured; 0 for none.
  unsigned tune = 0;
  /// So many orders of the inner product are compiled; 0 for none but the nest's own.
  unsigned orders = 0;
  /// Where answers are kept that measuring gave, empty for nowhere; not set for the user's cache.
  std::optional<std::string> cache;
  /// --schedule is given.
  bool schedules = false;

  bool emits(EmitKind kind) const;
};

/// Reads the arguments after the program's name. On failure `error` says what is
/// wrong in one line.
std::optional<Options> parseOptions(int argc, const char *const *argv, std::string &error);

/// Text of --help.
std::string helpText();

} // namespace tilec

#endif // TILEC_TOOLS_OPTIONS_H
