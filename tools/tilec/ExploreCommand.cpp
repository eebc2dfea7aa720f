//===- ExploreCommand.cpp - `tilec explore` ---------------------*- C++ -*-===//
//
// Takes the options of a compilation that a report depends on, and its own.
//
//===----------------------------------------------------------------------===//

#include "ExploreCommand.h"

#include "DiagnosticPrinter.h"
#include "InputFile.h"
#include "Options.h"
#include "tilec/Driver/Explore.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace tilec;
using llvm::StringRef;

static std::string exploreHelp() {
  return "usage: tilec explore FILE|- [OPTION]...\n\n"
         "Analyses a nest on machines that differ from the target, and with other operands kept on chip.\n\n"
         "  --vary=KEY[=V:V...][,KEY...]     figures of the machine to vary: half, once and twice its own, or the\n"
         "                                   values given, in the units of machine files; all combinations\n"
         "  --compare-dataflows              the nest's tiles, output-, weight- and input-stationary, and split\n"
         "  --export=timeloop|accelforge     the nest, the machine and the mapping as YAML for Timeloop 0.4, or\n"
         "                                   for AccelForge\n"
         "  --target, --shape, --format, --cuda-path, --diagnostics-format: as without explore\n\n"
         "KEY is one of " +
         llvm::join(variationKeys(), ", ") + ".\n";
}

/// Reads KEY or KEY=V:V:V, several with commas.
static std::optional<std::string> addVariations(StringRef text, std::vector<Variation> &variations) {
  for (StringRef piece : llvm::split(text, ',')) {
    auto [key, values] = piece.split('=');
    std::vector<std::string> keys = variationKeys();
    if (!llvm::is_contained(keys, key))
      return "'" + key.str() + "' cannot be varied; known are " + llvm::join(keys, ", ");
    if (llvm::any_of(variations, [&, key = key](const Variation &other) { return other.key == key; }))
      return "'" + key.str() + "' is given twice";
    Variation &variation = variations.emplace_back();
    variation.key = key.str();
    if (key.size() == piece.size())
      continue;
    for (StringRef value : llvm::split(values, ':'))
      if (value.getAsDouble(variation.values.emplace_back()) || !(variation.values.back() > 0))
        return "'" + value.str() + "' is no value of " + key.str() + "; expected numbers above 0, as in " + key.str() + "=54:108";
  }
  return std::nullopt;
}

namespace {

struct Parsed {
  Options options;
  ExploreOptions exploring;
  std::optional<ExportFormat> exporting;
  bool help = false;
};

} // namespace

static std::optional<Parsed> parse(int argc, const char *const *argv, std::string &error) {
  constexpr StringRef kTaken[] = {"--target", "--shape", "--format", "--cuda-path", "--diagnostics-format"};
  Parsed parsed;
  std::vector<const char *> rest = {"--emit=report"};
  for (int i = 0; i < argc; ++i) {
    auto [name, value] = StringRef(argv[i]).split('=');
    if (name == "--help" || name == "-h") {
      parsed.help = true;
      return parsed;
    }
    if (name == "--compare-dataflows" && value.empty()) {
      parsed.exploring.compareDataflows = true;
      continue;
    }
    if (name == "--export") {
      parsed.exporting = llvm::StringSwitch<std::optional<ExportFormat>>(value)
                             .Case("timeloop", ExportFormat::Timeloop)
                             .Case("accelforge", ExportFormat::AccelForge)
                             .Default(std::nullopt);
      if (!parsed.exporting) {
        error = "--export: '" + value.str() + "' is nothing to export to; known are timeloop and accelforge, as in --export=timeloop";
        return std::nullopt;
      }
      continue;
    }
    if (name == "--vary") {
      if (name.size() == StringRef(argv[i]).size() && ++i < argc)
        value = argv[i];
      if (value.empty()) {
        error = "--vary expects a value: KEY[=V:V...][,KEY...]";
        return std::nullopt;
      }
      if (std::optional<std::string> wrong = addVariations(value, parsed.exploring.variations)) {
        error = "--vary: " + *wrong;
        return std::nullopt;
      }
      continue;
    }
    if (name.starts_with("-") && name != "-" && !llvm::is_contained(kTaken, name)) {
      error = "'" + name.str() + "' is no option of tilec explore";
      return std::nullopt;
    }
    rest.push_back(argv[i]);
    if (name.starts_with("-") && name != "-" && name.size() == StringRef(argv[i]).size() && ++i < argc)
      rest.push_back(argv[i]);
  }
  if (parsed.exporting && (parsed.exploring.compareDataflows || !parsed.exploring.variations.empty())) {
    error = "--export does not go with --vary and --compare-dataflows";
    return std::nullopt;
  }
  std::optional<Options> options = parseOptions(rest.size(), rest.data(), error);
  if (!options)
    return std::nullopt;
  parsed.options = std::move(*options);
  return parsed;
}

int tilec::runExploreCommand(int argc, const char *const *argv) {
  std::string error;
  std::optional<Parsed> parsed = parse(argc, argv, error);
  DiagnosticPrinter printer(llvm::errs(), parsed && parsed->options.jsonDiagnostics);
  if (!parsed) {
    printer.error(error + "\nsee tilec explore --help");
    return kExitUsage;
  }
  if (parsed->help) {
    llvm::outs() << exploreHelp();
    return kExitDone;
  }
  const Options &options = parsed->options;
  std::optional<std::string> text = readInput(options.input, error);
  if (!text) {
    printer.error(error);
    return kExitRejected;
  }
  std::string fileName = options.input == "-" ? "<stdin>" : options.input;
  printer.setSource(fileName, *text);
  parsed->exploring.compile = options.compile;
  parsed->exploring.compile.onDiagnostic = [&](const Diagnostic &diagnostic) { printer.print(diagnostic); };
  // Only a person who waits wants to know.
  bool shown = false;
  if (llvm::errs().is_displayed())
    parsed->exploring.onProgress = [&](size_t done, size_t all) {
      constexpr size_t kOften = 64;
      if (done == 0 || done % kOften != 0)
        return;
      llvm::errs() << "\r" << done << " of " << all << " machines";
      llvm::errs().flush();
      shown = true;
    };
  ExploreResult result = parsed->exporting ? exportNest(*text, fileName, *parsed->exporting, parsed->exploring.compile)
                                           : explore(*text, fileName, parsed->exploring);
  if (shown)
    llvm::errs() << "\r\x1b[K";
  if (result.status == Status::Done)
    llvm::outs() << (options.jsonReport && !parsed->exporting ? result.json : result.text);
  return int(result.status);
}
