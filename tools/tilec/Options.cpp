//===- Options.cpp - The command line of tilec ------------------*- C++ -*-===//
//
// An option that takes a value accepts --name=VALUE and --name VALUE.
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"

using namespace tilec;
using llvm::StringRef;

namespace {

/// Takes an option's value; the error says what is wrong with it.
using Setter = std::optional<std::string> (*)(Options &, StringRef value);

struct Option {
  StringRef name;
  /// What the value is called in --help; empty for an option without a value.
  StringRef value;
  StringRef help;
  Setter set;
  bool valueOptional = false;
};

struct EmitName {
  StringRef name;
  EmitKind kind;
};

struct ScheduleName {
  StringRef name;
  EmulatorSettings::Schedule schedule;
};

constexpr ScheduleName kScheduleNames[] = {{"in-order", EmulatorSettings::Schedule::InOrder},
                                           {"reversed", EmulatorSettings::Schedule::Reversed},
                                           {"ahead", EmulatorSettings::Schedule::WarpAhead},
                                           {"random", EmulatorSettings::Schedule::Random}};

constexpr EmitName kEmitNames[] = {{"cuda", EmitKind::Cuda}, {"ptx", EmitKind::Ptx},   {"cubin", EmitKind::Cubin},
                                   {"report", EmitKind::Report}, {"remarks", EmitKind::Remarks}, {"nest", EmitKind::Nest}, {"plan", EmitKind::Plan}, {"kernel-ir", EmitKind::KernelIR}};

} // namespace

/// "; did you mean 'x'?" where a name is near, else nothing.
static std::string suggest(StringRef wrong, const std::vector<StringRef> &known) {
  StringRef best;
  unsigned smallest = std::max<size_t>(2, wrong.size() / 3) + 1;
  for (StringRef name : known)
    if (unsigned distance = wrong.edit_distance(name); distance < smallest) {
      smallest = distance;
      best = name;
    }
  return best.empty() ? "" : "; did you mean '" + best.str() + "'?";
}

template <Action action>
static std::optional<std::string> setAction(Options &options, StringRef value) {
  options.action = action;
  return std::nullopt;
}

static std::optional<std::string> setEmit(Options &options, StringRef value) {
  std::vector<StringRef> known;
  for (const EmitName &entry : kEmitNames)
    known.push_back(entry.name);
  for (StringRef word : llvm::split(value, ',')) {
    const EmitName *entry = llvm::find_if(kEmitNames, [&](const EmitName &e) { return e.name == word; });
    if (entry == std::end(kEmitNames))
      return "'" + word.str() + "' is nothing to emit; known are " + llvm::join(known, ", ") + suggest(word, known);
    if (!options.emits(entry->kind))
      options.emit.push_back(entry->kind);
  }
  return std::nullopt;
}

static std::optional<std::string> setShape(Options &options, StringRef value) {
  for (StringRef pair : llvm::split(value, ',')) {
    auto [name, number] = pair.split('=');
    int64_t extent;
    if (name.empty() || number.getAsInteger(10, extent) || extent < 0)
      return "'" + pair.str() + "' is no size; expected NAME=NUMBER, as in m=4096";
    if (!options.compile.shape.emplace(name.str(), extent).second)
      return "size '" + name.str() + "' is given twice";
  }
  return std::nullopt;
}

/// Shapes as "m=64..8192,n=4096": all values of each size with all of the others, twice the last one to the end of a range.
static std::optional<std::string> addFamily(Options &options, StringRef value) {
  std::vector<std::map<std::string, int64_t>> shapes = {{}};
  for (StringRef pair : llvm::split(value, ',')) {
    auto [name, numbers] = pair.split('=');
    auto [first, last] = numbers.split("..");
    int64_t low, high;
    bool isRange = numbers.contains("..");
    if (name.empty() || first.getAsInteger(10, low) || low < 0 || (isRange && (last.getAsInteger(10, high) || low == 0 || high < low)))
      return "'" + pair.str() + "' is no size of a family; expected NAME=NUMBER or NAME=LOW..HIGH, as in m=64..8192";
    std::vector<int64_t> values = {low};
    while (isRange && values.back() <= high / 2)
      values.push_back(values.back() * 2);
    std::vector<std::map<std::string, int64_t>> all;
    for (const std::map<std::string, int64_t> &shape : shapes)
      for (int64_t extent : values) {
        all.push_back(shape);
        if (!all.back().emplace(name.str(), extent).second)
          return "size '" + name.str() + "' is given twice";
        if (all.size() > kMostFamilyShapes)
          return "more shapes than the " + std::to_string(kMostFamilyShapes) + " that a family is made for at most";
      }
    shapes = std::move(all);
  }
  options.compile.family.insert(options.compile.family.end(), shapes.begin(), shapes.end());
  if (options.compile.family.size() > kMostFamilyShapes)
    return "more shapes than the " + std::to_string(kMostFamilyShapes) + " that a family is made for at most";
  return std::nullopt;
}

/// A choice between text and json.
template <bool Options::*member>
static std::optional<std::string> setFormat(Options &options, StringRef value) {
  if (value != "text" && value != "json")
    return "'" + value.str() + "' is no format; known are text, json";
  options.*member = value == "json";
  return std::nullopt;
}

static std::optional<std::string> setAdvice(Options &options, StringRef value) {
  if (value != "on" && value != "off")
    return "'" + value.str() + "' is neither on nor off";
  options.advice = value == "on";
  return std::nullopt;
}

static std::optional<std::string> setArch(Options &options, StringRef value) {
  StringRef digits = value;
  bool named = digits.consume_front("sm_");
  digits.consume_back("a") || digits.consume_back("f");
  if (!named || digits.size() < 2 || digits.size() > 3 || !llvm::all_of(digits, llvm::isDigit))
    return "'" + value.str() + "' is no instruction set; expected sm_NN, as in sm_80 or sm_90a";
  options.compile.arch = value.str();
  return std::nullopt;
}

static std::optional<std::string> addRequirement(Options &options, StringRef value) {
  std::string error;
  std::optional<Requirement> requirement = parseRequirement(value.str(), error);
  if (!requirement)
    return error;
  options.requirements.push_back(std::move(*requirement));
  return std::nullopt;
}

/// The options of the run; there is one from now on. Without --verify it only runs.
static RunOptions &runningOf(Options &options) {
  if (!options.running) {
    options.running.emplace();
    options.running->verify = false;
  }
  return *options.running;
}

static std::optional<std::string> setRun(Options &options, StringRef value) {
  RunOptions &running = runningOf(options);
  if (value == "gpu")
    running.place = RunPlace::GPU;
  else if (value == "cpu")
    running.place = RunPlace::CPU;
  else if (!value.empty())
    return "'" + value.str() + "' is no place to run; known are gpu, cpu";
  return std::nullopt;
}

static std::optional<std::string> setSchedule(Options &options, StringRef value) {
  std::vector<StringRef> known;
  for (const ScheduleName &entry : kScheduleNames)
    known.push_back(entry.name);
  const ScheduleName *entry = llvm::find_if(kScheduleNames, [&](const ScheduleName &e) { return e.name == value; });
  if (entry == std::end(kScheduleNames))
    return "'" + value.str() + "' is no schedule; known are " + llvm::join(known, ", ") + suggest(value, known);
  runningOf(options).emulator.schedule = entry->schedule;
  options.schedules = true;
  return std::nullopt;
}

static std::optional<std::string> setBench(Options &options, StringRef value) {
  RunOptions &running = runningOf(options);
  running.benchRepetitions = 20;
  if (!value.empty() && (value.getAsInteger(10, running.benchRepetitions) || running.benchRepetitions == 0))
    return "'" + value.str() + "' is no number of runs; expected 1 or more";
  return std::nullopt;
}

static std::optional<std::string> setTune(Options &options, StringRef value) {
  options.tune = 8;
  if (!value.empty() && (value.getAsInteger(10, options.tune) || options.tune == 0))
    return "'" + value.str() + "' is no number of mappings; expected 1 or more";
  return std::nullopt;
}

static std::optional<std::string> setOrders(Options &options, StringRef value) {
  options.orders = 24;
  if (!value.empty() && (value.getAsInteger(10, options.orders) || options.orders == 0))
    return "'" + value.str() + "' is no number of orders; expected 1 or more";
  return std::nullopt;
}

static std::optional<std::string> addArgument(Options &options, StringRef value) {
  auto [name, content] = value.split('=');
  if (name.empty() || content.empty())
    return "'" + value.str() + "' is no argument; expected NAME=VALUE, as in alpha=-0.5 or A=a.npy";
  if (!runningOf(options).arguments.emplace(name.str(), content.str()).second)
    return "'" + name.str() + "' is given twice";
  return std::nullopt;
}

static std::optional<std::string> addSave(Options &options, StringRef value) {
  auto [name, file] = value.split('=');
  if (name.empty() || file.empty())
    return "'" + value.str() + "' is no tensor and file; expected NAME=FILE, as in C=c.npy";
  runningOf(options).saves.insert(name.str());
  if (!options.saves.emplace(name.str(), file.str()).second)
    return "'" + name.str() + "' is given twice";
  return std::nullopt;
}

static const Option kOptions[] = {
    {"--target", "NAME|FILE", "the machine: a name of --print-targets, native, or a machine file (default: tile.target of the module, or sm80)",
     [](Options &options, StringRef value) -> std::optional<std::string> {
       options.compile.target = value.str();
       return std::nullopt;
     }},
    {"--arch", "sm_NN[a]", "the instruction set to compile for (default: the machine's)", setArch},
    {"--emit", "KIND[,KIND]", "what to write: cuda, ptx, cubin, report, remarks, nest, plan, kernel-ir (default cuda,cubin)", setEmit},
    {"-o", "PATH|-", "where to write: a file, a folder, or - for standard output",
     [](Options &options, StringRef value) -> std::optional<std::string> {
       if (options.output)
         return "is given twice";
       options.output = value.str();
       return std::nullopt;
     }},
    {"--shape", "NAME=N[,...]", "sizes to analyse, as in m=4096,n=4096,k=4096 (default 4096 each)", setShape},
    {"--family", "NAME=N|LOW..HIGH[,...]", "shapes to be fast at: of a kernel whose mapping is open a few nests are made, and the launcher chooses by sizes", addFamily},
    {"--format", "text|json", "form of the report", setFormat<&Options::jsonReport>},
    {"--advice", "on|off", "try what would make kernels faster, for reports and remarks (default on)", setAdvice},
    {"--run", "gpu|cpu", "run the kernel: on the GPU where there is one, else in the emulator", setRun, true},
    {"--verify", "", "run and compare with the nest's meaning",
     [](Options &options, StringRef) -> std::optional<std::string> {
       runningOf(options).verify = true;
       return std::nullopt;
     }},
    {"--bench", "N", "run and time N runs on the GPU (default 20)", setBench, true},
    {"--against", "cublas", "time cuBLAS beside the kernel",
     [](Options &options, StringRef value) -> std::optional<std::string> {
       if (value != "cublas")
         return "'" + value.str() + "' is nothing to compare with; known is cublas";
       RunOptions &running = runningOf(options);
       running.againstCublas = true;
       running.benchRepetitions = std::max(running.benchRepetitions, 20u);
       return std::nullopt;
     }},
    {"--arg", "NAME=VALUE", "a scalar's value or a tensor's .npy file, for the run", addArgument},
    {"--save", "NAME=FILE|-", "write a tensor, as the run leaves it, to a .npy file", addSave},
    {"--seed", "N", "seed of the values that tensors are filled with, for the run (default 1)",
     [](Options &options, StringRef value) -> std::optional<std::string> {
       if (value.getAsInteger(10, runningOf(options).seed))
         return "'" + value.str() + "' is no seed; expected a number from 0";
       return std::nullopt;
     }},
    {"--schedule", "NAME", "run in the emulator, threads in-order, reversed, one warp ahead, or random (by --seed)", setSchedule},
    {"--kernel-text", "FILE", "run this CUDA text, edited by hand, in place of the kernel's own",
     [](Options &options, StringRef value) -> std::optional<std::string> {
       runningOf(options);
       options.kernelText = value.str();
       return std::nullopt;
     }},
    {"--explain", "", "say what was tried for kernels whose mapping is open, and what limits it",
     [](Options &options, StringRef) -> std::optional<std::string> {
       options.explain = true;
       return std::nullopt;
     }},
    {"--tune", "N", "measure the best N mappings of a kernel whose mapping is open on the GPU, and take the fastest (default 8)", setTune, true},
    {"--orders", "N", "compile N orders of the inner product, read the machine code, and take the best (default 24)", setOrders, true},
    {"--cache", "FOLDER|off", "where answers of --tune and --orders are kept (default: tilec in $XDG_CACHE_HOME, or in ~/.cache)",
     [](Options &options, StringRef value) -> std::optional<std::string> {
       options.cache = value == "off" ? "" : value.str();
       return std::nullopt;
     }},
    {"--require", "EXPR", "fail unless a figure of the report holds, as in 'stages[0].slack>=1'", addRequirement},
    {"--werror", "", "fail on warnings",
     [](Options &options, StringRef) -> std::optional<std::string> {
       options.compile.warningsAreErrors = true;
       return std::nullopt;
     }},
    {"--cuda-path", "FOLDER", "the CUDA toolkit, or the folder of libnvrtc, to try first",
     [](Options &options, StringRef value) -> std::optional<std::string> {
       options.compile.cudaPath = value.str();
       return std::nullopt;
     }},
    {"--diagnostics-format", "text|json", "form of errors and warnings; json is one object a line",
     setFormat<&Options::jsonDiagnostics>},
    {"--print-targets", "", "list the machines that are built in", setAction<Action::PrintTargets>},
    {"--print-target", "NAME|FILE", "every number of a machine, or of native, with its source",
     [](Options &options, StringRef value) -> std::optional<std::string> {
       options.action = Action::PrintTarget;
       options.compile.target = value.str();
       return std::nullopt;
     }},
    {"--doctor", "", "what of CUDA is found on this machine, and where", setAction<Action::Doctor>},
    {"--version", "", "versions of tilec, LLVM and NVRTC", setAction<Action::Version>},
    {"--help", "", "this text", setAction<Action::Help>},
};

bool Options::emits(EmitKind kind) const { return llvm::is_contained(emit, kind); }

static const Option *findOption(StringRef name) {
  const Option *found = llvm::find_if(kOptions, [&](const Option &option) { return option.name == name; });
  return found == std::end(kOptions) ? nullptr : found;
}

/// Checks what the options say together.
static std::optional<std::string> checkOptions(Options &options) {
  if (options.action != Action::Compile)
    return options.input.empty() ? std::nullopt
                                 : std::optional<std::string>("'" + options.input + "' is not used with an option that only prints");
  if (options.input.empty())
    return "no input file; expected a nest, as in tilec gemm.mlir";
  if (options.output && options.emit.empty()) {
    StringRef path = *options.output;
    if (path.ends_with(".cu"))
      options.emit = {EmitKind::Cuda};
    else if (path.ends_with(".ptx"))
      options.emit = {EmitKind::Ptx};
    else if (path.ends_with(".cubin"))
      options.emit = {EmitKind::Cubin};
    else if (!path.ends_with("/") && !llvm::sys::fs::is_directory(path))
      return "-o " + path.str() + " does not tell what to write; add --emit";
  }
  if (options.output && !StringRef(*options.output).ends_with("/") && !llvm::sys::fs::is_directory(*options.output) && options.emit.size() > 1)
    return "-o " + *options.output + " takes one kind of output but --emit names " + std::to_string(options.emit.size()) +
           "; a folder, written with a / at its end, takes all";
  if (options.tune > 0 && !options.compile.family.empty())
    return "--tune measures nests at one shape, --family makes nests for several";
  if (options.schedules && options.running->place == RunPlace::GPU)
    return "--schedule orders the threads of the emulator, --run=gpu asks for the GPU";
  if (options.schedules)
    options.running->place = RunPlace::CPU;
  if (options.emit.empty() && (!options.running || options.output))
    options.emit = {EmitKind::Cuda, EmitKind::Cubin};
  if (options.kernelText && llvm::any_of(options.emit, [](EmitKind kind) { return kind >= EmitKind::Cuda; }))
    return "--kernel-text is run in place of the kernel's own text, --emit or -o asks for that";
  llvm::sort(options.emit);
  options.compile.cuda = options.running || llvm::any_of(options.emit, [](EmitKind kind) { return kind > EmitKind::Remarks; });
  options.compile.remarks = options.emits(EmitKind::Remarks);
  options.compile.advise = options.advice && (options.emits(EmitKind::Report) || options.emits(EmitKind::Remarks));
  options.compile.ptx = options.emits(EmitKind::Ptx);
  options.compile.cubin = options.compile.ptx || options.emits(EmitKind::Cubin);
  if (options.running) {
    options.running->shape = options.compile.shape;
    options.running->cudaPath = options.compile.cudaPath;
    options.running->emulator.seed = options.running->seed;
  }
  return std::nullopt;
}

std::optional<Options> tilec::parseOptions(int argc, const char *const *argv, std::string &error) {
  Options options;
  bool onlyFiles = false;
  for (int i = 0; i < argc; ++i) {
    StringRef argument = argv[i];
    if (onlyFiles || !argument.starts_with("-") || argument == "-") {
      if (argument.empty() || !options.input.empty()) {
        error = argument.empty() ? "an empty name is no input file"
                                 : "one input file is expected but '" + options.input + "' and '" + argument.str() + "' are given";
        return std::nullopt;
      }
      options.input = argument.str();
      continue;
    }
    if (argument == "--") {
      onlyFiles = true;
      continue;
    }
    auto [name, value] = argument.split('=');
    const Option *option = findOption(name == "-h" ? "--help" : name);
    if (!option) {
      std::vector<StringRef> known;
      for (const Option &candidate : kOptions)
        known.push_back(candidate.name);
      error = "unknown option '" + name.str() + "'" + suggest(name, known);
      return std::nullopt;
    }
    bool attached = name.size() < argument.size();
    if (option->value.empty() && attached) {
      error = name.str() + " takes no value";
      return std::nullopt;
    }
    if (!option->value.empty() && !attached && !option->valueOptional) {
      if (i + 1 == argc) {
        error = name.str() + " expects a value: " + option->value.str();
        return std::nullopt;
      }
      value = argv[++i];
    }
    if (!option->value.empty() && value.empty() && (attached || !option->valueOptional)) {
      error = name.str() + " expects a value: " + option->value.str();
      return std::nullopt;
    }
    if (std::optional<std::string> wrong = option->set(options, value)) {
      error = name.str() + ": " + *wrong;
      return std::nullopt;
    }
  }
  if (std::optional<std::string> wrong = checkOptions(options)) {
    error = *wrong;
    return std::nullopt;
  }
  return options;
}

std::string tilec::helpText() {
  std::string text = "usage: tilec FILE|- [OPTION]...\n"
                     "       tilec explore FILE|- [OPTION]...   other machines and dataflows; see tilec explore --help\n"
                     "       tilec layout OP ARG...      the layout algebra; see tilec layout --help\n"
                     "       tilec calibrate [OPTION]...        the GPU present, measured; see tilec calibrate --help\n\n"
                     "Turns a tiled loop nest into a CUDA kernel and says whether the memory feeds the compute units.\n"
                     "Writes STEM.cu and STEM.cubin to the working folder.\n\n";
  for (const Option &option : kOptions) {
    std::string left = "  " + option.name.str();
    if (!option.value.empty())
      left += option.valueOptional ? "[=" + option.value.str() + "]" : (option.name == "-o" ? " " : "=") + option.value.str();
    left.resize(std::max<size_t>(left.size() + 1, 34), ' ');
    text += left + option.help.str() + "\n";
  }
  return text + "\nWith --run, --verify or --bench and without --emit, only what --save names is written.\n"
                "Exit status: 0 done, 1 input rejected, 2 wrong command line, 3 toolchain, driver or device missing,\n"
                "4 ran and the result is wrong, 5 a --require or --werror gate failed, 70 a bug in tilec.\n";
}
