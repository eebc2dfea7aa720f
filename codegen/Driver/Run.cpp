//===- Run.cpp - Running and verifying compiled kernels ----------*- C++ -*-===//
//
// Chooses the place, makes the plan, and lets the parts do their work.
//
//===----------------------------------------------------------------------===//

#include "tilec/Driver/Run.h"

#include "DeepThread.h"
#include "RunBench.h"
#include "RunMemory.h"
#include "RunParts.h"
#include "RunVerify.h"

using namespace tilec;
using namespace tilec::runtime;

std::string tilec::describeShape(const KernelDescription &kernel, const RunPlan &plan) {
  std::string text;
  for (size_t i = 0; i < kernel.sizes.size(); ++i)
    text += (i ? ", " : "") + kernel.sizes[i].name + "=" + std::to_string(plan.sizes[i]);
  for (size_t i = 0; i < kernel.scalars.size(); ++i) {
    char number[32];
    std::snprintf(number, sizeof(number), "%.9g", plan.scalars[i]);
    text += (text.empty() ? "" : ", ") + kernel.scalars[i].name + "=" + number;
  }
  return text;
}

RunResult &tilec::reject(RunResult &result, Status status, const std::string &message) {
  result.status = status;
  result.lines.push_back(message);
  return result;
}

MaybeError tilec::checkOptions(const RunOptions &options) {
  if (options.place == RunPlace::CPU && options.benchRepetitions > 0)
    return Error{"the emulator counts, it does not tell time: timing takes a GPU"};
  if (options.againstCublas && options.benchRepetitions == 0)
    return Error{"there is nothing to hold against cublas: no timing is asked for"};
  return std::nullopt;
}

/// Runs once, without a comparison.
static void runOnce(const CompiledKernel &kernel, const RunPlan &plan, Executor &executor, const RunOptions &options, RunResult &result) {
  Result<std::vector<HostTensor>> tensors = createTensors(kernel.launch, plan);
  if (!tensors) {
    reject(result, Status::Rejected, tensors.message());
    return;
  }
  if (MaybeError error = fillForUse(kernel.launch, plan, options.seed, *tensors)) {
    reject(result, Status::Rejected, error->message);
    return;
  }
  Execution execution = executor.execute(*tensors, plan);
  result.status = execution.status;
  if (execution.status != Status::Done)
    result.lines.push_back(execution.message);
  else
    saveTensors(kernel.launch, options, *tensors, result);
}

static RunResult runKernel(const CompileResult &compiled, size_t number, const RunOptions &options) {
  RunResult result;
  if (number >= compiled.kernels.size())
    return reject(result, Status::Rejected, "there is no kernel number " + std::to_string(number) + ", there are " + std::to_string(compiled.kernels.size()));
  const CompiledKernel &kernel = compiled.kernels[number];
  if (MaybeError error = checkOptions(options))
    return reject(result, Status::Rejected, error->message);
  // What is wrong in the user's words is wrong wherever the kernel runs.
  if (Result<RunPlan> plan = planRun(kernel.launch, options, getDefaultExtents(kernel.launch, options, RunPlace::CPU)); !plan)
    return reject(result, Status::Rejected, plan.message());
  Places places = findPlaces({&kernel}, compiled.fileName, options, result);
  if (places.empty()) {
    result.status = places.status;
    return result;
  }
  Executor &executor = places.get(0);
  Result<RunPlan> plan = planRun(kernel.launch, options, getDefaultExtents(kernel.launch, options, executor.getPlace()));
  if (!plan)
    return reject(result, Status::Rejected, plan.message());
  if (MaybeError error = checkMemory(kernel.launch, options.verify ? addGaps(kernel.launch, options, *plan) : *plan, options.verify))
    return reject(result, Status::Rejected, error->message);
  result.place = executor.getPlace();
  for (size_t i = 0; i < kernel.launch.sizes.size(); ++i)
    result.shape[kernel.launch.sizes[i].name] = plan->sizes[i];
  for (const TensorPlan &tensor : plan->tensors)
    result.tensors.push_back({tensor.strides, tensor.offset});
  std::string shape = describeShape(kernel.launch, *plan);
  result.lines.push_back(kernel.name + (kernel.editedFile.empty() ? "" : " of " + kernel.editedFile) + " on " + executor.describe() + (shape.empty() ? "" : ", " + shape));

  if (options.verify)
    verifyKernel(compiled, number, *plan, executor, options, result);
  else if (options.benchRepetitions == 0 || !options.saves.empty())
    runOnce(kernel, *plan, executor, options, result);
  else
    result.status = Status::Done;
  if (result.status == Status::Done)
    executor.addCounts(result);
  if (result.status != Status::Done || options.benchRepetitions == 0)
    return result;
  const GPUExecutor &gpu = *places.gpu[0];
  Launched launched{kernel.launch, gpu.getDevice(), gpu.getArch(), gpu.getKernel()->registers(),
                    [&](const LaunchArguments &arguments, Stream &stream) { return gpu.getKernel()->launch(arguments, stream); }};
  benchmarkLaunch(*plan, launched, options, Reference(compiled, number).reduces(), result);
  return result;
}

RunResult tilec::run(const CompileResult &compiled, size_t number, const RunOptions &options) {
  RunResult result;
  if (!runDeep([&] { result = runKernel(compiled, number, options); }))
    return reject(result, Status::Missing, noDeepThread);
  return result;
}
