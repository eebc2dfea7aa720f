//===- CalibrateCommand.cpp - `tilec calibrate` ------------------*- C++ -*-===//

#include "CalibrateCommand.h"

#include "Options.h"
#include "OutputFiles.h"
#include "tilec/Driver/Calibrate.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

using namespace tilec;
using llvm::StringRef;

static constexpr StringRef kHelp =
    "usage: tilec calibrate [OPTION]...\n\n"
    "Measures the GPU present with small kernels, which takes some seconds, and writes a machine file with what they show:\n"
    "bandwidths, latencies, rates, what a launch and a scattered store take. For --target=FILE.\n\n"
    "  --name=NAME          what the machine is called (default calibrated)\n"
    "  -o FILE|-            where to write it (default NAME.yaml; - for standard output)\n"
    "  --cuda-path=FOLDER   the CUDA toolkit, or the folder of libnvrtc, to try first\n";

namespace {

struct Parsed {
  CalibrateOptions options;
  std::string output;
  bool help = false;
};

} // namespace

static std::optional<Parsed> parse(int argc, const char *const *argv, std::string &error) {
  Parsed parsed;
  for (int i = 0; i < argc; ++i) {
    StringRef argument(argv[i]);
    auto [name, value] = argument.split('=');
    std::string *slot = name == "--name" ? &parsed.options.name : name == "-o" ? &parsed.output : name == "--cuda-path" ? &parsed.options.cudaPath : nullptr;
    if (argument == "--help" || argument == "-h") {
      parsed.help = true;
      return parsed;
    }
    if (!slot) {
      error = "'" + argument.str() + "' is no option of tilec calibrate";
      return std::nullopt;
    }
    if (name.size() == argument.size() && ++i < argc)
      value = argv[i];
    if (value.empty()) {
      error = name.str() + " expects a value";
      return std::nullopt;
    }
    *slot = value.str();
  }
  if (parsed.output.empty())
    parsed.output = parsed.options.name + ".yaml";
  return parsed;
}

int tilec::runCalibrateCommand(int argc, const char *const *argv) {
  std::string error;
  std::optional<Parsed> parsed = parse(argc, argv, error);
  if (!parsed) {
    llvm::errs() << "tilec: error: " << error << "\nsee tilec calibrate --help\n";
    return kExitUsage;
  }
  if (parsed->help) {
    llvm::outs() << kHelp;
    return kExitDone;
  }
  parsed->options.onProgress = [](const std::string &what) { llvm::errs() << "measuring " << what << "\n"; };
  CalibrateResult result = calibrate(parsed->options);
  if (result.status != Status::Done) {
    llvm::errs() << "tilec: error: " << result.error << "\n";
    return int(result.status);
  }
  llvm::errs() << result.table;
  OutputFiles files;
  std::optional<std::string> failed = files.add(parsed->output, result.file);
  if (!failed)
    failed = files.commit();
  if (failed) {
    llvm::errs() << "tilec: error: " << *failed << "\n";
    return kExitRejected;
  }
  if (parsed->output != "-")
    llvm::errs() << "wrote " << parsed->output << "\n";
  return kExitDone;
}
