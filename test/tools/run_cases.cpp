//===- run_cases.cpp - One kernel, many launches, many texts -----*- C++ -*-===//
//
//   tilec-run-cases NEST.mlir [KERNEL [TARGET]] < JOBS
//
// Compiles a nest once and prints what it is as a line of JSON: names of sizes,
// scalars and tensors, and the CUDA text. Then reads jobs, one a line, and
// answers each with a line:
//
//   {"text": TEXT or absent, "mutant": N, "all": BOOL,
//    "cases": [{"shape": {..}, "args": {..}, "spread": N, "resident": N, "seed": N, "schedule": NAME, "traffic": TEXT}, ..]}
//   {"results": [["right" | "costs" | "refused" | "caught", WHY], ..]} or {"error": WHY}
//
// Shapes and arguments are those of the command line; spread multiplies all
// strides of the operands that allow it; resident is how many blocks of a
// persistent grid run at once. A job's text takes the place of the kernel's; it
// finds the mutant's number in tilec_mutant, so that one text, compiled once, is
// many mutants. What is right says as WHY which bytes it moved; a case that
// expects other traffic costs. Without "all" the first case that is caught or
// costs ends the job.
// Operands hold small integers, tensors that the result does not depend on NaN.
// Results must be equal to the bit to plain loops (NaiveLoops.h), or, for a
// kernel without a formula there, to the reference evaluator.
//
//===----------------------------------------------------------------------===//

#include "NaiveLoops.h"
#include "RunPlan.h"
#include "RunReference.h"

#include "tilec/Driver/Compiler.h"
#include "tilec/Emulator/Emulator.h"
#include "tilec/Runtime/Compare.h"
#include "tilec/Runtime/Fill.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <iostream>
#include <limits>
#include <memory>

using namespace tilec;
using namespace tilec::runtime;

/// Read by texts that are several mutants in one (mutate_text.py).
extern "C" __attribute__((visibility("default"))) int tilec_mutant;
int tilec_mutant = 0;

namespace {

using Outcome = std::pair<std::string, std::string>;

/// A launch with its inputs and what it should write.
struct Prepared {
  RunPlan plan;
  std::vector<HostTensor> inputs;
  /// Empty for tensors that are only read.
  std::vector<std::vector<double>> expected;
  std::string refusal;
  unsigned residentBlocks = 1;
};

class Cases {
public:
  explicit Cases(CompileResult compiled, size_t number, std::string compiler)
      : compiled(std::move(compiled)), kernel(this->compiled.kernels[number]), hostCompiler(std::move(compiler)) {}

  llvm::json::Object describe() const;
  llvm::json::Object answer(const llvm::json::Object &job);

private:
  Result<emulator::HostModule> load(const std::string &text);
  std::shared_ptr<Prepared> prepare(const llvm::json::Object &given);
  void expect(Prepared &prepared);
  Outcome runOne(const emulator::HostModule &module, const Prepared &prepared, llvm::StringRef schedule);

  CompileResult compiled;
  const CompiledKernel &kernel;
  std::string hostCompiler;
  /// By their texts.
  std::map<std::string, emulator::HostModule> modules;
  /// Of jobs with a text of their own, which run the same cases again and again.
  std::map<std::string, std::shared_ptr<Prepared>> known;
};

} // namespace

static RunOptions readOptions(const llvm::json::Object &given) {
  RunOptions options;
  if (const llvm::json::Object *shape = given.getObject("shape"))
    for (const auto &[name, value] : *shape)
      options.shape[name.str()] = *value.getAsInteger();
  if (const llvm::json::Object *arguments = given.getObject("args"))
    for (const auto &[name, value] : *arguments)
      options.arguments[name.str()] = value.getAsString()->str();
  options.seed = given.getInteger("seed").value_or(1);
  return options;
}

/// Does a launch choose all strides?
static bool isFree(const TensorArgument &tensor) {
  return llvm::none_of(tensor.strides, [](const Stride &stride) { return stride.value.has_value(); });
}

llvm::json::Object Cases::describe() const {
  const KernelDescription &launch = kernel.launch;
  llvm::json::Array sizes, scalars, tensors;
  for (const SizeArgument &size : launch.sizes)
    sizes.push_back(size.name);
  for (const ScalarArgument &scalar : launch.scalars)
    scalars.push_back(scalar.name);
  for (const TensorArgument &tensor : launch.tensors) {
    llvm::json::Array shape;
    for (const Extent &extent : tensor.shape)
      shape.push_back(extent.size ? llvm::json::Value(launch.sizes[*extent.size].name) : llvm::json::Value(extent.value));
    // What the kernel leaves open about the layout is asked of the planner itself.
    auto takes = [&](const char *setting, const char *value) {
      RunOptions options;
      options.arguments[tensor.name + "." + setting] = value;
      return bool(planRun(launch, options, std::vector<int64_t>(launch.sizes.size(), 8)));
    };
    tensors.push_back(llvm::json::Object{{"name", tensor.name},
                                         {"shape", std::move(shape)},
                                         {"columns", takes("order", "columns")},
                                         {"gap", takes("gap", "4")},
                                         {"offset", takes("offset", "1")}});
  }
  return llvm::json::Object{{"kernel", kernel.name},
                            {"kernels", compiled.kernels.size()},
                            {"sizes", std::move(sizes)},
                            {"scalars", std::move(scalars)},
                            {"tensors", std::move(tensors)},
                            {"persistent", launch.persistent},
                            {"cut", launch.cutLoop.has_value()},
                            {"cluster", launch.clusterBlocks},
                            {"cuda", kernel.cuda}};
}

void Cases::expect(Prepared &prepared) {
  NaiveOperands operands{kernel.launch, {}, {}, prepared.plan.scalars};
  for (const HostTensor &tensor : prepared.inputs) {
    operands.values.push_back(tensor.toDoubles());
    operands.shapes.push_back(tensor.shape());
  }
  if (runNaively(operands)) {
    prepared.expected = std::move(operands.values);
    return;
  }
  constexpr int64_t kAllBlocks = std::numeric_limits<int64_t>::max();
  Result<Expected> evaluated = Reference(compiled, &kernel - compiled.kernels.data()).evaluate(prepared.plan, prepared.inputs, kAllBlocks, /*bounds=*/false);
  if (!evaluated) {
    prepared.refusal = evaluated.message();
    return;
  }
  prepared.expected.resize(prepared.inputs.size());
  for (ExpectedTensor &tensor : evaluated->tensors)
    prepared.expected[tensor.tensor] = std::move(tensor.values);
}

std::shared_ptr<Prepared> Cases::prepare(const llvm::json::Object &given) {
  auto prepared = std::make_shared<Prepared>();
  RunOptions options = readOptions(given);
  Result<RunPlan> plan = planRun(kernel.launch, options, getDefaultExtents(kernel.launch, options, RunPlace::CPU));
  if (!plan) {
    prepared->refusal = plan.message();
    return prepared;
  }
  prepared->plan = std::move(*plan);
  prepared->residentBlocks = given.getInteger("resident").value_or(1);
  for (size_t i = 0; i < prepared->plan.tensors.size(); ++i)
    if (isFree(kernel.launch.tensors[i]))
      for (int64_t &stride : prepared->plan.tensors[i].strides)
        stride *= given.getInteger("spread").value_or(1);
  Result<std::vector<HostTensor>> tensors = createTensors(kernel.launch, prepared->plan);
  if (!tensors) {
    prepared->refusal = tensors.message();
    return prepared;
  }
  prepared->inputs = std::move(*tensors);
  bool betaIsZero = false;
  for (size_t i = 0; i < kernel.launch.scalars.size(); ++i)
    betaIsZero |= kernel.launch.scalars[i].name == "beta" && prepared->plan.scalars[i] == 0;
  for (size_t i = 0; i < prepared->inputs.size(); ++i) {
    const TensorArgument &argument = kernel.launch.tensors[i];
    HostTensor &tensor = prepared->inputs[i];
    if (!argument.read || (argument.written && betaIsZero))
      fillConstant(tensor, isFloatingPoint(tensor.type()) ? std::numeric_limits<double>::quiet_NaN() : -77);
    else
      fillWhole(kernel.launch, i, prepared->plan.sizes, options.seed * 1000003 + i, tensor);
  }
  expect(*prepared);
  return prepared;
}

static std::string describeTraffic(const emulator::Report &report) {
  std::string text;
  for (const emulator::ObjectCounters &object : report.objects)
    text += object.name + ": " + std::to_string(object.bytesRead) + " bytes read, " + std::to_string(object.bytesWritten) + " written; ";
  return text;
}

Outcome Cases::runOne(const emulator::HostModule &module, const Prepared &prepared, llvm::StringRef schedule) {
  emulator::RunOptions options;
  options.residentBlocks = prepared.residentBlocks;
  options.schedule = schedule == "reversed" ? emulator::Schedule::Reversed
                     : schedule == "ahead"  ? emulator::Schedule::WarpAhead
                     : schedule == "random" ? emulator::Schedule::Random
                                            : emulator::Schedule::InOrder;
  LaunchArguments arguments;
  arguments.sizes = prepared.plan.sizes;
  arguments.scalars = prepared.plan.scalars;
  std::vector<HostTensor> tensors = prepared.inputs;
  for (size_t i = 0; i < tensors.size(); ++i) {
    arguments.tensors.push_back({reinterpret_cast<uint64_t>(tensors[i].data()), tensors[i].strides()});
    options.baseOffsets.push_back(uint64_t(prepared.plan.tensors[i].offset) * byteWidth(tensors[i].type()));
  }
  Result<emulator::Report> report = emulator::run(module, kernel.launch, arguments, options);
  if (!report)
    return {"refused", report.message()};
  if (!report->ok())
    return {"caught", report->describeFindings("kernel")};
  for (size_t i = 0; i < tensors.size(); ++i) {
    const std::string &name = kernel.launch.tensors[i].name;
    if (MaybeError error = tensors[i].checkGuards(name))
      return {"caught", error->message};
    if (!kernel.launch.tensors[i].written)
      continue;
    Result<Comparison> comparison = compareExactly(tensors[i], prepared.expected[i]);
    if (!comparison)
      return {"refused", comparison.message()};
    if (!comparison->equal())
      return {"caught", runtime::describe(*comparison, name)};
  }
  return {"right", describeTraffic(*report)};
}

Result<emulator::HostModule> Cases::load(const std::string &text) {
  auto found = modules.find(text);
  if (found != modules.end())
    return found->second;
  Result<emulator::HostModule> module = emulator::compileForHost(text, kernel.launch.symbol, hostCompiler);
  if (module)
    modules.emplace(text, *module);
  return module;
}

llvm::json::Object Cases::answer(const llvm::json::Object &job) {
  std::optional<llvm::StringRef> text = job.getString("text");
  Result<emulator::HostModule> module = load(text ? text->str() : kernel.cuda);
  if (!module)
    return llvm::json::Object{{"error", module.message()}};
  tilec_mutant = job.getInteger("mutant").value_or(0);
  llvm::json::Array results;
  for (const llvm::json::Value &given : *job.getArray("cases")) {
    llvm::json::Object launch = *given.getAsObject();
    std::string schedule = launch.getString("schedule").value_or("in-order").str(), key;
    std::optional<llvm::StringRef> traffic = given.getAsObject()->getString("traffic");
    launch.erase("schedule");
    launch.erase("traffic");
    llvm::raw_string_ostream(key) << llvm::json::Value(llvm::json::Object(launch));
    std::shared_ptr<Prepared> prepared = known[key];
    if (!prepared)
      prepared = prepare(launch);
    if (text)
      known[key] = prepared;
    else
      known.clear();
    Outcome outcome("refused", prepared->refusal);
    if (prepared->refusal.empty())
      outcome = runOne(*module, *prepared, schedule);
    if (outcome.first == "right" && traffic && *traffic != outcome.second)
      outcome = {"costs", outcome.second + "before: " + traffic->str()};
    results.push_back(llvm::json::Array{outcome.first, outcome.second});
    if ((outcome.first == "caught" || outcome.first == "costs") && !job.getBoolean("all").value_or(false))
      break;
  }
  return llvm::json::Object{{"results", std::move(results)}};
}

int main(int argc, char **argv) {
  if (argc < 2 || argc > 4) {
    llvm::errs() << "usage: tilec-run-cases NEST.mlir [KERNEL [TARGET]]\n";
    return 2;
  }
  auto file = llvm::MemoryBuffer::getFile(argv[1]);
  size_t number = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 0;
  CompileOptions options;
  options.cubin = false;
  if (argc > 3)
    options.target = argv[3];
  options.onDiagnostic = [](const Diagnostic &diagnostic) {
    if (diagnostic.severity == Severity::Error)
      llvm::errs() << diagnostic.file << ":" << diagnostic.line << ": " << diagnostic.message << "\n";
  };
  CompileResult compiled;
  if (file)
    compiled = compile((*file)->getBuffer().str(), argv[1], options);
  Result<std::string> hostCompiler = emulator::findHostCompiler();
  if (compiled.status != Status::Done || number >= compiled.kernels.size() || !hostCompiler) {
    llvm::errs() << argv[1] << ": " << (hostCompiler ? "is rejected, or has no such kernel" : hostCompiler.message()) << "\n";
    return 1;
  }
  Cases cases(std::move(compiled), number, *hostCompiler);
  llvm::outs() << llvm::json::Value(cases.describe()) << "\n";
  llvm::outs().flush();
  for (std::string line; std::getline(std::cin, line);) {
    llvm::Expected<llvm::json::Value> job = llvm::json::parse(line);
    if (!job || !job->getAsObject()) {
      llvm::errs() << "not a job: " << line << "\n";
      return 2;
    }
    llvm::outs() << llvm::json::Value(cases.answer(*job->getAsObject())) << "\n";
    llvm::outs().flush();
  }
  return 0;
}
