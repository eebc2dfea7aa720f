//===- RunPlaces.cpp - Where kernels run ------------------------*- C++ -*-===//

#include "RunExecutor.h"

using namespace tilec;
using namespace tilec::runtime;

static Result<std::vector<std::unique_ptr<GPUExecutor>>> findGPU(const std::vector<const CompiledKernel *> &kernels, const RunOptions &options,
                                                                 RunResult &result) {
  Result<Device> device = Device::open(cudaSearchOfProcess(options.cudaPath));
  if (!device)
    return device.error();
  std::vector<std::unique_ptr<GPUExecutor>> executors;
  for (const CompiledKernel *kernel : kernels) {
    Result<std::unique_ptr<GPUExecutor>> gpu = GPUExecutor::create(*kernel, *device, options, result.lines);
    if (!gpu)
      return gpu.error();
    executors.push_back(std::move(*gpu));
  }
  return Result<std::vector<std::unique_ptr<GPUExecutor>>>(std::move(executors));
}

Places tilec::findPlaces(const std::vector<const CompiledKernel *> &kernels, const std::string &nestFile, const RunOptions &options,
                         RunResult &result) {
  Places places;
  if (options.place != RunPlace::CPU) {
    Result<std::vector<std::unique_ptr<GPUExecutor>>> gpu = findGPU(kernels, options, result);
    if (gpu) {
      places.gpu = std::move(*gpu);
      return places;
    }
    result.lines.push_back("no GPU: " + gpu.message());
  }
  if (options.place == RunPlace::GPU || options.benchRepetitions > 0) {
    if (options.place != RunPlace::GPU)
      result.lines.push_back("the emulator counts, it does not tell time: timing takes a GPU");
    return places;
  }
  for (const CompiledKernel *kernel : kernels) {
    Result<std::unique_ptr<Executor>> emulator = createEmulator(*kernel, nestFile, options.emulator, places.status);
    if (!emulator) {
      result.lines.push_back("no emulator: " + emulator.message());
      places.emulator.clear();
      return places;
    }
    places.emulator.push_back(std::move(*emulator));
  }
  return places;
}
