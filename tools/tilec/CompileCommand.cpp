//===- CompileCommand.cpp - From a nest to its files ------------*- C++ -*-===//
//
// Reads, compiles, holds the report against the requirements, and writes all
// outputs or none.
//
//===----------------------------------------------------------------------===//

#include "CompileCommand.h"

#include "BugReport.h"
#include "EarlyEnd.h"
#include "InputFile.h"
#include "OutputFiles.h"
#include "tilec/Driver/Orders.h"
#include "tilec/Driver/Tune.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"

#include <cmath>
#include <set>

using namespace tilec;

namespace {

class CompileCommand {
public:
  CompileCommand(const Options &options, DiagnosticPrinter &printer) : options(options), printer(printer) {}
  int run();

private:
  bool collect(const CompileResult &result);
  bool addKernel(const CompiledKernel &kernel, const std::string &stem);
  bool add(const std::string &path, std::string_view contents);
  std::string pathOf(const std::string &stem, EmitKind kind) const;
  std::string report(const CompileResult &result) const;
  int replaceText(CompileResult &result);
  void explain(const CompileResult &result) const;
  int tuneMapping(CompileResult &result, const CompileOptions &compiling);
  int takeOrder(CompileResult &result, const CompileOptions &compiling);
  int takeNest(CompileResult &result, const std::string &nest, const CompileOptions &compiling) const;
  Answers answers() const { return Answers(options.cache.value_or(Answers::getDefaultFolder())); }
  int runAll(CompileResult &result, const CompileOptions &compiling);
  int show(const std::string &name, const RunResult &ran);
  bool meetsRequirements(const CompileResult &result);
  void summarize(const CompileResult &result) const;
  std::string argumentText() const;

  const Options &options;
  DiagnosticPrinter &printer;
  OutputFiles files;
};

} // namespace

static llvm::StringRef extensionOf(EmitKind kind, bool json) {
  switch (kind) {
  case EmitKind::Nest:
    return ".nest.mlir";
  case EmitKind::Plan:
    return ".plan.mlir";
  case EmitKind::Report:
    return json ? ".report.json" : ".report.txt";
  case EmitKind::Remarks:
    return ".opt.yaml";
  case EmitKind::KernelIR:
    return ".kernel.mlir";
  case EmitKind::Cuda:
    return ".cu";
  case EmitKind::Ptx:
    return ".ptx";
  case EmitKind::Cubin:
    return ".cubin";
  }
  return "";
}

static bool isFolder(llvm::StringRef path) { return path.ends_with("/") || llvm::sys::fs::is_directory(path); }

/// Where the output of `kind` goes; the same rule for all kernels of a file.
std::string CompileCommand::pathOf(const std::string &stem, EmitKind kind) const {
  bool text = kind != EmitKind::Cubin;
  if (!options.output)
    return options.emit.size() == 1 && text ? "-" : stem + extensionOf(kind, options.jsonReport).str();
  if (*options.output == "-" || !isFolder(*options.output))
    return *options.output;
  llvm::SmallString<128> path(*options.output);
  llvm::sys::path::append(path, stem + extensionOf(kind, options.jsonReport));
  return std::string(path);
}

bool CompileCommand::add(const std::string &path, std::string_view contents) {
  std::optional<std::string> error = files.add(path, contents);
  if (error)
    printer.error(*error);
  return !error;
}

/// The report of all kernels and programs.
std::string CompileCommand::report(const CompileResult &result) const {
  std::vector<std::string> kernels, programs;
  for (const CompiledKernel &kernel : result.kernels)
    if (kernel.isCalledFor)
      kernels.push_back(options.jsonReport ? "    " + kernel.reportJson : kernel.reportText);
  for (const CompiledProgram &program : result.programs)
    programs.push_back(options.jsonReport ? "    " + program.reportJson : program.reportText);
  if (!options.jsonReport) {
    kernels.insert(kernels.end(), programs.begin(), programs.end());
    return llvm::join(kernels, "\n");
  }
  auto list = [](const std::vector<std::string> &elements) { return "[" + (elements.empty() ? "" : "\n" + llvm::join(elements, ",\n") + "\n  ") + "]"; };
  return "{\n  \"schema\": 1,\n  \"tilec\": \"" TILEC_VERSION "\",\n  \"kernels\": " + list(kernels) + ",\n  \"programs\": " + list(programs) + "\n}\n";
}

bool CompileCommand::addKernel(const CompiledKernel &kernel, const std::string &stem) {
  std::string_view cubin(reinterpret_cast<const char *>(kernel.cubin.data()), kernel.cubin.size());
  for (EmitKind kind : options.emit) {
    std::string_view contents;
    if (kind == EmitKind::Cuda)
      contents = kernel.cuda;
    else if (kind == EmitKind::Ptx)
      contents = kernel.ptx;
    else if (kind == EmitKind::Cubin)
      contents = cubin;
    else
      continue;
    if (!add(pathOf(stem, kind), contents))
      return false;
  }
  return true;
}

bool CompileCommand::collect(const CompileResult &result) {
  std::string stem = options.input == "-" ? "stdin" : llvm::sys::path::stem(options.input).str();
  if (options.emits(EmitKind::Nest) && !add(pathOf(stem, EmitKind::Nest), result.nest))
    return false;
  if (options.emits(EmitKind::Plan) && !add(pathOf(stem, EmitKind::Plan), result.plan))
    return false;
  if (options.emits(EmitKind::Report) && !add(pathOf(stem, EmitKind::Report), report(result)))
    return false;
  if (options.emits(EmitKind::Remarks) && !add(pathOf(stem, EmitKind::Remarks), result.remarks))
    return false;
  if (options.emits(EmitKind::KernelIR) && !add(pathOf(stem, EmitKind::KernelIR), result.kernelIR))
    return false;
  for (const CompiledKernel &kernel : result.kernels) {
    // The symbol is a plain identifier, whatever the kernel is called, and no other kernel's.
    const std::string &name = kernel.launch.symbol;
    bool perKernel = options.emits(EmitKind::Cuda) || options.emits(EmitKind::Ptx) || options.emits(EmitKind::Cubin);
    if (perKernel && result.kernels.size() > 1 && pathOf(stem, options.emit.back()) == pathOf(stem + "." + name, options.emit.back())) {
      printer.error("'" + options.input + "' has " + std::to_string(result.kernels.size()) +
                    " kernels, which do not fit in one output; name a folder with -o");
      return false;
    }
    if (!addKernel(kernel, result.kernels.size() == 1 ? stem : stem + "." + name))
      return false;
  }
  return true;
}

/// Sets `key`, which is null so far, in an element of the report, whichever way it is printed.
static void setFigure(std::string &element, llvm::StringRef key, const std::string &value) {
  std::string unset = ("\"" + key + "\": null").str();
  // Inside of a string the quotes would be escaped.
  if (size_t at = element.find(unset); at != std::string::npos)
    element.replace(at + unset.size() - 4, 4, value);
}

int CompileCommand::replaceText(CompileResult &result) {
  std::string error;
  std::optional<std::string> text = readInput(*options.kernelText, error);
  if (text)
    if (runtime::MaybeError failed = useKernelText(result, *text, *options.kernelText))
      error = failed->message;
  if (!error.empty())
    printer.error("--kernel-text: " + error);
  return error.empty() ? kExitDone : kExitRejected;
}

/// What was tried for kernels whose mapping was open.
/// The shapes of a family, who takes each, and what it costs that it is not a nest of its own.
static void explainFamily(const std::vector<FamilyShape> &family) {
  llvm::errs() << "predicted us  of the best  member  shape\n";
  for (const FamilyShape &shape : family) {
    std::string sizes;
    for (const auto &[name, value] : shape.sizes)
      sizes += (sizes.empty() ? "" : ", ") + name + " = " + std::to_string(value);
    llvm::errs() << llvm::format("%12.1f  %11.3f  %6u  ", shape.seconds * 1e6, shape.best / shape.seconds, shape.member) << printable(sizes) << "\n";
  }
}

void CompileCommand::explain(const CompileResult &result) const {
  if (!result.family.empty())
    return explainFamily(result.family);
  if (result.searches.empty())
    llvm::errs() << "--explain: no kernel leaves its mapping open; --emit=report explains a nest\n";
  for (const MappingSearch &search : result.searches) {
    llvm::errs() << printableName(search.kernel) << ": " << search.considered << " mappings considered, " << search.judged << " planned and analysed\n"
                 << "predicted us  mapping, and what limits it\n";
    for (const MappingSearch::Other &other : search.others)
      if (std::isfinite(other.seconds))
        llvm::errs() << llvm::format("%12.1f  ", other.seconds * 1e6) << "not taken: " << other.what << "\n";
    for (const Candidate &candidate : search.best)
      if (std::isfinite(candidate.seconds))
        llvm::errs() << llvm::format("%12.1f  ", candidate.seconds * 1e6) << candidate.mapping << "\n"
                     << "              " << candidate.limiter << ": " << candidate.reason << "\n";
      else
        llvm::errs() << "     unknown  " << candidate.mapping << "\n";
  }
}

/// Puts the mapping that is measured to be the fastest in the place of that which was chosen.
int CompileCommand::tuneMapping(CompileResult &result, const CompileOptions &compiling) {
  RunOptions running = options.running.value_or(RunOptions());
  running.shape = options.compile.shape;
  TuneResult tuned = tune(result, compiling, running, options.tune, answers());
  std::string lines = printable(llvm::join(tuned.lines, "\n"));
  if (tuned.status != Status::Done) {
    printer.error("--tune: " + lines);
    return int(tuned.status);
  }
  llvm::errs() << lines << "\n";
  return takeNest(result, tuned.nest, compiling);
}

/// Puts the order of the inner product that is compiled best in the place of the nest's.
int CompileCommand::takeOrder(CompileResult &result, const CompileOptions &compiling) {
  OrdersResult orders = chooseOrder(result, compiling, options.orders, answers(), {makeTemporaryFolder, forgetTemporary});
  std::string lines = printable(llvm::join(orders.lines, "\n"));
  if (orders.status != Status::Done) {
    printer.error("--orders: " + lines);
    return int(orders.status);
  }
  llvm::errs() << lines << "\n";
  return orders.nest.empty() ? kExitDone : takeNest(result, orders.nest, compiling);
}

/// Goes on with `nest`, which means what the nest of `result` means.
int CompileCommand::takeNest(CompileResult &result, const std::string &nest, const CompileOptions &compiling) const {
  CompileResult taken = compile(nest, result.fileName, compiling);
  taken.problem = result.problem;
  taken.searches = std::move(result.searches);
  result = std::move(taken);
  return int(result.status);
}

/// Prints what came of a run and keeps what was to be saved. Returns the exit status.
int CompileCommand::show(const std::string &name, const RunResult &ran) {
  bool toStdout = (options.emit.size() == 1 && pathOf("", options.emit.front()) == "-") ||
                  llvm::any_of(options.saves, [](const auto &save) { return save.second == "-"; });
  llvm::raw_ostream &os = toStdout ? llvm::errs() : llvm::outs();
  std::string lines = printable(llvm::join(ran.lines, "\n"));
  if (ran.status != Status::Done && ran.status != Status::Wrong) {
    printer.error(lines);
    return int(ran.status);
  }
  os << lines << "\n";
  os.flush();
  // main says why.
  if (!toStdout && llvm::outs().has_error())
    return kExitRejected;
  for (const auto &[tensor, bytes] : ran.saved)
    if (std::optional<std::string> failed = files.add(options.saves.at(tensor), bytes)) {
      printer.error("--save " + tensor + ": " + *failed);
      return kExitRejected;
    }
  if (ran.status == Status::Wrong) {
    printer.error("'" + name + (ran.verdict == Verdict::NotVerified ? "' ran and is not verified" : "' ran and its result is wrong"));
    return kExitWrong;
  }
  return kExitDone;
}

/// What `shape` says of the sizes of `arguments`; all of it where these are the only ones.
static std::map<std::string, int64_t> selectSizes(const std::map<std::string, int64_t> &shape, const runtime::KernelDescription &arguments, bool isOnly) {
  std::map<std::string, int64_t> selected;
  for (const auto &[name, extent] : shape)
    if (isOnly || llvm::any_of(arguments.sizes, [&](const runtime::SizeArgument &size) { return llvm::StringRef(size.name).equals_insensitive(name); }))
      selected[name] = extent;
  return selected;
}

/// Runs each program, and each kernel that is part of none, and adds what came out to its report. Returns the exit status.
int CompileCommand::runAll(CompileResult &result, const CompileOptions &compiling) {
  RunOptions running = *options.running;
  running.emulator.folders = {makeTemporaryFolder, forgetTemporary};
  auto report = [&](size_t kernel, const RunResult &ran) {
    bool agrees = reportRun(result, kernel, ran, compiling);
    if (!agrees)
      printer.error("'" + result.kernels[kernel].name + "' moves other bytes than the analysis predicts");
    return agrees;
  };
  auto addRun = [&](std::string &text, std::string &json, const RunResult &ran) {
    text += "\nrun:\n" + printable(llvm::join(ran.lines, "\n")) + "\n";
    setFigure(json, "measured", ran.measuredJson);
    setFigure(json, "verify", ran.verifyJson);
  };
  const std::map<std::string, int64_t> shape = running.shape;
  bool isOnly = result.kernels.size() == 1 || (result.programs.size() == 1 && llvm::all_of(llvm::seq(result.kernels.size()), [&](size_t i) { return isPartOfProgram(result, i); }));
  for (size_t i = 0; i < result.kernels.size(); ++i) {
    if (isPartOfProgram(result, i))
      continue;
    running.shape = selectSizes(shape, result.kernels[i].launch, isOnly);
    RunResult ran = tilec::run(result, i, running);
    if (int status = show(result.kernels[i].name, ran))
      return status;
    if (!report(i, ran))
      return kExitWrong;
    addRun(result.kernels[i].reportText, result.kernels[i].reportJson, ran);
  }
  for (size_t i = 0; i < result.programs.size(); ++i) {
    running.shape = selectSizes(shape, result.programs[i].launch.arguments, isOnly);
    RunResult ran = runProgram(result, i, running);
    if (int status = show(result.programs[i].name, ran))
      return status;
    // A kernel that is run several times is reported for the first time.
    std::set<unsigned> reported;
    for (const RunResult &step : ran.steps)
      if (reported.insert(step.kernel).second && !report(step.kernel, step))
        return kExitWrong;
    addRun(result.programs[i].reportText, result.programs[i].reportJson, ran);
  }
  return kExitDone;
}

bool CompileCommand::meetsRequirements(const CompileResult &result) {
  bool met = true;
  for (const CompiledKernel &kernel : result.kernels) {
    if (!kernel.isCalledFor)
      continue;
    llvm::Expected<llvm::json::Value> parsed = llvm::json::parse(kernel.reportJson);
    if (!parsed) {
      printer.error("the report is no JSON: " + llvm::toString(parsed.takeError()));
      return false;
    }
    for (const Requirement &requirement : options.requirements)
      if (std::optional<std::string> failed = checkRequirement(requirement, *parsed->getAsObject())) {
        printer.error(*failed);
        met = false;
      }
  }
  return met;
}

/// What was made, for a person at a terminal.
void CompileCommand::summarize(const CompileResult &result) const {
  if (files.getPaths().empty())
    return;
  for (const CompiledKernel &kernel : result.kernels) {
    // Of a kernel that was analysed alone there is nothing to say.
    if (kernel.cuda.empty())
      continue;
    llvm::errs() << printableName(kernel.name) << ": " << kernel.arch << ", " << kernel.launch.blockThreads << " threads, "
                 << kernel.launch.staticSharedBytes + kernel.launch.dynamicSharedBytes << " bytes of shared memory";
    if (kernel.resources)
      llvm::errs() << ", " << kernel.resources->registers << " registers, " << kernel.resources->spillBytes << " bytes spilled";
    llvm::errs() << "\n";
  }
  for (const std::string &path : files.getPaths())
    llvm::errs() << "wrote " << printable(path) << "\n";
}

std::string CompileCommand::argumentText() const {
  std::vector<std::string> arguments;
  if (!options.compile.target.empty())
    arguments.push_back("--target=" + options.compile.target);
  if (!options.compile.arch.empty())
    arguments.push_back("--arch=" + options.compile.arch);
  for (const auto &[name, extent] : options.compile.shape)
    arguments.push_back("--shape=" + name + "=" + std::to_string(extent));
  return printable(llvm::join(arguments, " "));
}

int CompileCommand::run() {
  std::string error;
  std::optional<std::string> text = readInput(options.input, error);
  if (!text) {
    printer.error(error);
    return kExitRejected;
  }
  std::string fileName = options.input == "-" ? "<stdin>" : options.input;
  files.addInput(options.input);
  if (options.kernelText)
    files.addInput(*options.kernelText);
  if (options.output && llvm::StringRef(*options.output).ends_with("/"))
    files.addFolder(*options.output);
  printer.setSource(fileName, *text);
  CompileOptions compiling = options.compile;
  // Who verifies asks whether the kernel is right.
  bool folds = options.running && options.running->verify && !options.emits(EmitKind::Report) && !compiling.warningsAreErrors;
  unsigned folded = 0;
  compiling.onDiagnostic = [&](const Diagnostic &diagnostic) {
    if (folds && diagnostic.performance)
      ++folded;
    else
      printer.print(diagnostic);
  };
  std::string arguments = argumentText();
  reportCrashes(arguments, *text);
  CompileResult result = compile(*text, fileName, compiling);
  bool silent = result.status == Status::Rejected && printer.getErrors() == 0;
  if (silent || result.status == Status::Internal)
    return reportBug(arguments, *text);
  bool gateFailed = result.status == Status::GateFailed;
  if (result.status != Status::Done && !gateFailed)
    return int(result.status);
  if (gateFailed)
    printer.error("warnings are errors (--werror)");
  if (folded > 0)
    printer.warn(std::to_string(folded) + " warning" + (folded == 1 ? "" : "s") + " of performance at these sizes; --emit=report says more");
  if (options.explain)
    explain(result);
  if (options.tune > 0)
    if (int status = tuneMapping(result, compiling))
      return status;
  if (options.orders > 0)
    if (int status = takeOrder(result, compiling))
      return status;
  if (options.kernelText)
    if (int status = replaceText(result))
      return status;
  if (options.running)
    if (int status = runAll(result, compiling))
      return status == kExitBug ? reportBug(arguments, *text) : status;
  gateFailed |= !meetsRequirements(result);
  if (!collect(result))
    return kExitRejected;
  // What goes to standard output shows why a gate failed.
  if (gateFailed && !files.getPaths().empty())
    return kExitGateFailed;
  if (std::optional<std::string> failed = files.commit()) {
    printer.error(*failed);
    return kExitRejected;
  }
  summarize(result);
  return gateFailed ? kExitGateFailed : kExitDone;
}

int tilec::runCompileCommand(const Options &options, DiagnosticPrinter &printer) {
  return CompileCommand(options, printer).run();
}
