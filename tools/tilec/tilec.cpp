//===- tilec.cpp - The tilec command ----------------------------*- C++ -*-===//

#include "CompileCommand.h"
#include "ExploreCommand.h"
#include "InfoCommands.h"
#include "LayoutCommand.h"

#include <iostream>
#include <string_view>

using namespace tilec;

static int run(int argc, char **argv) {
  if (argc > 1 && std::string_view(argv[1]) == "layout")
    return runLayoutCommand(argc - 2, argv + 2, std::cout, std::cerr);
  if (argc > 1 && std::string_view(argv[1]) == "explore")
    return runExploreCommand(argc - 2, argv + 2);
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

int main(int argc, char **argv) {
  int status = run(argc, argv);
  llvm::outs().flush();
  std::cout.flush();
  // A reader that is gone is no bug in tilec.
  llvm::outs().clear_error();
  return status;
}
