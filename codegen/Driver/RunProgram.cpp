//===- RunProgram.cpp - Running and verifying compiled programs -*- C++ -*-===//
//
// Kernels run one after the other on the same tensors. Each is held against its own nest, evaluated on what it really was given: so a
// program of any length is verified as well as its kernels are, and a difference is told of the kernel that makes it.
//
//===----------------------------------------------------------------------===//

#include "DeepThread.h"
#include "RunBench.h"
#include "RunMemory.h"
#include "RunParts.h"
#include "RunVerify.h"
#include "tilec/Runtime/Fill.h"
#include "tilec/Runtime/Program.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace tilec;
using namespace tilec::runtime;

namespace {

class ProgramRun {
public:
  ProgramRun(const CompileResult &compiled, const CompiledProgram &program, const RunOptions &options, RunResult &result)
      : compiled(compiled), program(program.launch), everything(program.launch.arguments), options(options), result(result), whole(compiled, program) {
    for (const ProgramArray &array : program.launch.arrays) {
      TensorArgument &tensor = everything.tensors.emplace_back();
      tensor.name = array.name;
      tensor.type = array.type;
      tensor.written = true;
    }
  }

  void run();

private:
  bool plan();
  bool find();
  bool create(const RunPlan &laidOut);
  bool runSteps(const char *name, std::vector<Verifier> *verifiers);
  bool checkIntegers(std::vector<Verifier> &verifiers);
  bool checkFilled(std::vector<Verifier> &verifiers);
  bool checkWhole(const char *name, std::vector<Verifier> &verifiers);
  void verify();
  void conclude(std::vector<Verifier> &verifiers, bool right);
  void bench();
  bool fail(Status status, const std::string &message) {
    reject(result, status, message);
    return false;
  }
  bool reduces() const;
  const CompiledKernel &kernelOf(size_t step) const { return compiled.kernels[program.steps[step].kernel]; }

  const CompileResult &compiled;
  /// Once sizes are known, with the steps and arrays that they call for.
  ProgramDescription program;
  /// The arguments with the arrays as further operands.
  KernelDescription everything;
  const RunOptions &options;
  RunResult &result;
  /// Of the function that the program was made of.
  Reference whole;
  Places places;
  /// The place of each step among `places`.
  std::vector<size_t> placeOf;
  /// Of `everything`.
  RunPlan inUse;
  std::vector<int64_t> values;
  std::vector<HostTensor> tensors;
  /// What each step is run on.
  std::vector<RunPlan> steps;
};

} // namespace

bool ProgramRun::find() {
  std::vector<const CompiledKernel *> kernels;
  for (size_t step = 0; step < program.steps.size(); ++step) {
    auto known = llvm::find(kernels, &kernelOf(step));
    placeOf.push_back(known - kernels.begin());
    if (known == kernels.end())
      kernels.push_back(&kernelOf(step));
  }
  places = findPlaces(kernels, compiled.fileName, options, result);
  if (places.empty())
    result.status = places.status;
  return !places.empty();
}

bool ProgramRun::plan() {
  Result<RunPlan> planned = planRun(program.arguments, options, getDefaultExtents(program.arguments, options, result.place));
  if (!planned)
    return fail(Status::Rejected, planned.message());
  inUse = std::move(*planned);
  Result<std::vector<int64_t>> computed = computeValues(program, inUse.sizes);
  if (!computed)
    return fail(Status::Rejected, computed.message());
  values = std::move(*computed);
  for (size_t step = program.steps.size(); step-- > 0;)
    if (!isChosen(program.steps[step], values)) {
      program.steps.erase(program.steps.begin() + step);
      placeOf.erase(placeOf.begin() + step);
    }
  Result<std::vector<ArrayLayout>> arrays = layOutArrays(program, values);
  if (!arrays)
    return fail(Status::Rejected, arrays.message());
  for (const ArrayLayout &array : *arrays)
    inUse.tensors.push_back({array.shape, array.strides, 0, ""});
  if (MaybeError error = checkMemory(everything, inUse, options.verify))
    return fail(Status::Rejected, error->message);
  for (size_t i = 0; i < program.arguments.sizes.size(); ++i)
    result.shape[program.arguments.sizes[i].name] = inUse.sizes[i];
  return true;
}

/// Memory for all tensors as `laidOut` says, and what each step has of it.
bool ProgramRun::create(const RunPlan &laidOut) {
  tensors.clear(); // Their memory comes back first.
  Result<std::vector<HostTensor>> created = createTensors(everything, laidOut);
  if (!created)
    return fail(Status::Rejected, created.message());
  tensors = std::move(*created);
  steps.resize(program.steps.size());
  result.steps.resize(program.steps.size());
  for (size_t i = 0; i < steps.size(); ++i) {
    const ProgramStep &step = program.steps[i];
    std::vector<TensorBinding> nowhere;
    for (const TensorPlan &plan : laidOut.tensors)
      nowhere.push_back({0, plan.strides});
    LaunchArguments bound = bindStep(step, values, laidOut.scalars, nowhere);
    steps[i] = {std::move(bound.sizes), std::move(bound.scalars), {}};
    result.steps[i].tensors.clear();
    for (auto [tensor, given] : llvm::zip_equal(step.tensors, bound.tensors)) {
      const TensorPlan &array = laidOut.tensors[tensor.array];
      steps[i].tensors.push_back({getShape(tensor, values, array.shape), given.strides, array.offset, ""});
      result.steps[i].tensors.push_back({given.strides, array.offset});
    }
    result.steps[i].kernel = step.kernel;
    result.steps[i].shape = result.shape;
    result.steps[i].place = result.place;
  }
  return true;
}

/// All kernels in their order, on `tensors`; with `verifiers`, one for each step, each is compared.
bool ProgramRun::runSteps(const char *name, std::vector<Verifier> *verifiers) {
  for (size_t i = 0; i < steps.size(); ++i) {
    Executor &executor = places.get(placeOf[i]);
    std::vector<HostTensor> given;
    for (auto [tensor, plan] : llvm::zip_equal(program.steps[i].tensors, steps[i].tensors)) {
      given.push_back(tensors[tensor.array]);
      if (tensor.shape)
        given.back().reshape(plan.shape);
    }
    RunResult &step = result.steps[i];
    bool right = true;
    if (verifiers) {
      step.status = Status::Done;
      step.lines.clear();
      right = (*verifiers)[i].check(name, given);
    } else {
      Execution execution = executor.execute(given, steps[i]);
      step.status = execution.status;
      step.lines = {execution.message};
      right = execution.status == Status::Done;
    }
    if (verifiers || !right)
      for (const std::string &line : step.lines)
        result.lines.push_back("launch " + std::to_string(i + 1) + ", " + kernelOf(i).name + ": " + line);
    if (!right) {
      result.status = step.status == Status::Done ? Status::Wrong : step.status;
      return false;
    }
    executor.addCounts(step);
    for (auto [tensor, after] : llvm::zip_equal(program.steps[i].tensors, given))
      if (kernelOf(i).launch.tensors[&after - given.data()].written) {
        if (tensor.shape)
          after.reshape(tensors[tensor.array].shape());
        tensors[tensor.array] = std::move(after);
      }
  }
  return true;
}

/// The steps, and all of them together where the function is small enough.
bool ProgramRun::checkWhole(const char *name, std::vector<Verifier> &verifiers) {
  RunPlan arguments = inUse;
  arguments.tensors.resize(program.arguments.tensors.size());
  if (!whole.isProblemSmall(arguments))
    return runSteps(name, &verifiers);
  auto getArguments = [&] { return std::vector<HostTensor>(tensors.begin(), tensors.begin() + arguments.tensors.size()); };
  RunResult compared;
  compared.status = Status::Done;
  Verifier verifier(whole, program.arguments, arguments, places.get(0), options, compared);
  bool known = verifier.expect(getArguments());
  if (!runSteps(name, &verifiers))
    return false;
  bool right = known && verifier.compareWith(name, getArguments());
  for (const std::string &line : compared.lines)
    result.lines.push_back("all launches: " + line);
  if (!right)
    result.status = compared.status;
  return right;
}

bool ProgramRun::checkIntegers(std::vector<Verifier> &verifiers) {
  RunPlan gapped = inUse;
  RunPlan wider = addGaps(program.arguments, options, inUse);
  std::copy_n(wider.tensors.begin(), program.arguments.tensors.size(), gapped.tensors.begin());
  if (!create(gapped))
    return false;
  for (size_t i = 0; i < tensors.size(); ++i)
    if (everything.tensors[i].read)
      fillWithIntegers(everything, inUse, i, options.seed * 1000003 + i, tensors[i]);
    else
      poison(tensors[i]);
  return checkWhole("integers", verifiers);
}

bool ProgramRun::checkFilled(std::vector<Verifier> &verifiers) {
  if (!create(inUse))
    return false;
  if (MaybeError error = fillForUse(everything, inUse, options.seed + 1, tensors))
    return fail(Status::Rejected, error->message);
  bool files = llvm::any_of(inUse.tensors, [](const TensorPlan &tensor) { return !tensor.file.empty(); });
  return checkWhole(files ? "files" : "random", verifiers);
}

void ProgramRun::verify() {
  steps.resize(program.steps.size());
  result.steps.resize(program.steps.size());
  std::vector<Verifier> verifiers;
  for (size_t i = 0; i < steps.size(); ++i)
    verifiers.emplace_back(Reference(compiled, program.steps[i].kernel), kernelOf(i).launch, steps[i], places.get(placeOf[i]), options, result.steps[i]);
  result.status = Status::Done;
  conclude(verifiers, checkIntegers(verifiers) && checkFilled(verifiers));
}

/// The program is right where each of its steps is.
void ProgramRun::conclude(std::vector<Verifier> &verifiers, bool right) {
  if (result.status == Status::Rejected || result.status == Status::Missing)
    return;
  result.verdict = right ? Verdict::Right : Verdict::Wrong;
  for (size_t i = 0; right && i < verifiers.size(); ++i) {
    RunResult &step = result.steps[i];
    size_t said = step.lines.size();
    verifiers[i].conclude(true);
    for (size_t line = said; line < step.lines.size(); ++line)
      result.lines.push_back("launch " + std::to_string(i + 1) + ", " + kernelOf(i).name + ": " + step.lines[line]);
    if (step.verdict == Verdict::NotVerified) {
      result.verdict = Verdict::NotVerified;
      result.status = Status::Wrong;
    }
  }
  llvm::json::Array launches;
  for (const RunResult &step : result.steps)
    if (llvm::Expected<llvm::json::Value> one = llvm::json::parse(step.verifyJson))
      launches.push_back(std::move(*one));
    else
      llvm::consumeError(one.takeError());
  llvm::json::Object verify{{"place", result.place == RunPlace::GPU ? "gpu" : "cpu"},
                            {"right", result.verdict == Verdict::NotVerified ? llvm::json::Value(nullptr) : llvm::json::Value(right)},
                            {"launches", std::move(launches)},
                            {"message", result.verdict == Verdict::Right ? llvm::json::Value(nullptr) : llvm::json::Value(result.lines.back())}};
  llvm::raw_string_ostream(result.verifyJson = "") << llvm::json::Value(std::move(verify));
  if (result.verdict == Verdict::Right)
    saveTensors(everything, options, tensors, result);
}

bool ProgramRun::reduces() const {
  return llvm::any_of(program.steps, [&](const ProgramStep &step) { return Reference(compiled, step.kernel).reduces(); });
}

void ProgramRun::bench() {
  const GPUExecutor &first = *places.gpu[0];
  std::vector<std::shared_ptr<Kernel>> kernels(compiled.kernels.size());
  int registers = 0;
  for (size_t i = 0; i < program.steps.size(); ++i) {
    const GPUExecutor &gpu = *places.gpu[placeOf[i]];
    kernels[program.steps[i].kernel] = gpu.getKernel();
    registers = std::max(registers, gpu.getKernel()->registers());
  }
  Program loaded(first.getDevice(), program, std::move(kernels));
  Launched launched{program.arguments, first.getDevice(), first.getArch(), registers,
                    [&](const LaunchArguments &arguments, Stream &stream) { return loaded.launch(arguments, stream); }};
  RunPlan arguments = inUse;
  arguments.tensors.resize(program.arguments.tensors.size());
  benchmarkLaunch(arguments, launched, options, reduces(), result);
}

void ProgramRun::run() {
  if (MaybeError error = checkOptions(options)) {
    fail(Status::Rejected, error->message);
    return;
  }
  // What is wrong in the user's words is wrong wherever the program runs.
  if (Result<RunPlan> words = planRun(program.arguments, options, getDefaultExtents(program.arguments, options, RunPlace::CPU)); !words) {
    fail(Status::Rejected, words.message());
    return;
  }
  if (!find())
    return;
  result.place = places.get(0).getPlace();
  if (!plan())
    return;
  std::string shape = describeShape(program.arguments, inUse);
  result.lines.push_back(program.arguments.symbol + " in " + std::to_string(program.steps.size()) + (program.steps.size() == 1 ? " launch on " : " launches on ") +
                         places.get(0).describe() + (shape.empty() ? "" : ", " + shape));
  result.status = Status::Done;
  if (options.verify) {
    verify();
  } else if (options.benchRepetitions == 0 || !options.saves.empty()) {
    if (!create(inUse))
      return;
    if (MaybeError error = fillForUse(everything, inUse, options.seed, tensors)) {
      fail(Status::Rejected, error->message);
      return;
    }
    if (runSteps("", nullptr))
      saveTensors(everything, options, tensors, result);
  }
  if (result.status == Status::Done && options.benchRepetitions > 0)
    bench();
}

RunResult tilec::runProgram(const CompileResult &compiled, size_t number, const RunOptions &options) {
  RunResult result;
  if (number >= compiled.programs.size())
    return reject(result, Status::Rejected, "there is no program number " + std::to_string(number) + ", there are " + std::to_string(compiled.programs.size()));
  if (!runDeep([&] { ProgramRun(compiled, compiled.programs[number], options, result).run(); }))
    return reject(result, Status::Missing, noDeepThread);
  return result;
}
