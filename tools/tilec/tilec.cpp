//===- tilec.cpp - The tilec command ----------------------------*- C++ -*-===//

#include "CalibrateCommand.h"
#include "CompileCommand.h"
#include "EarlyEnd.h"
#include "ExploreCommand.h"
#include "InfoCommands.h"
#include "InputFile.h"
#include "LayoutCommand.h"

#include <cerrno>
#include <fcntl.h>
#include <iostream>
#include <sstream>
#include <string_view>
#include <unistd.h>

using namespace tilec;

static int run(int argc, char **argv) {
  if (argc > 1 && std::string_view(argv[1]) == "layout") {
    std::ostringstream out;
    int status = runLayoutCommand(argc - 2, argv + 2, out, std::cerr);
    llvm::outs() << out.str();
    return status;
  }
  if (argc > 1 && std::string_view(argv[1]) == "explore")
    return runExploreCommand(argc - 2, argv + 2);
  if (argc > 1 && std::string_view(argv[1]) == "calibrate")
    return runCalibrateCommand(argc - 2, argv + 2);
  std::string error;
  std::optional<Options> options = parseOptions(argc - 1, argv + 1, error);
  DiagnosticPrinter printer(llvm::errs(), options && options->jsonDiagnostics);
  if (!options) {
    printer.error(error + (argc == 1 ? "\n" + helpText() : "\nsee tilec --help"));
    return kExitUsage;
  }
  if (options->action == Action::Compile)
    return runCompileCommand(*options, printer);
  return runInfoCommand(*options, printer);
}

/// A file that is opened later must not be taken for a standard stream that was closed. What stands in for one refuses to be read, or
/// to be written, but for standard error, which nobody wants to see.
static void openStandardStreams() {
  for (int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(stream, F_GETFD) < 0 && errno == EBADF)
      (void)open("/dev/null", stream == STDOUT_FILENO ? O_RDONLY : O_WRONLY);
}

/// What could not be printed is a failure.
static int finishOutput(int status) {
  llvm::outs().flush();
  std::error_code error = llvm::outs().error();
  if (error)
    llvm::errs() << "tilec: error: cannot write standard output: " << reasonOf(error.value()) << "\n";
  llvm::outs().clear_error();
  // Nobody is left to be told.
  llvm::errs().clear_error();
  return error && status == kExitDone ? kExitRejected : status;
}

int main(int argc, char **argv) {
  openStandardStreams();
  watchSignals();
  watchMemory(kExitRejected);
  return finishOutput(run(argc, argv));
}
