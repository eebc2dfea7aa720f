//===- RunOnGPU.cpp - Kernels on the device present --------------*- C++ -*-===//
//
// Loads a cubin that fits the device and runs it on copies of host tensors.
//
//===----------------------------------------------------------------------===//

#include "RunExecutor.h"

#include "tilec/NVRTC/Compiler.h"

using namespace tilec;
using namespace tilec::runtime;

/// The instruction set of the device, with what is its own from Hopper on.
static std::string getDeviceArch(const DeviceProperties &properties) {
  return "sm_" + std::to_string(properties.ccMajor * 10 + properties.ccMinor) + (properties.ccMajor >= 9 ? "a" : "");
}

static Result<std::vector<uint8_t>> compileFor(const CompiledKernel &kernel, const std::string &arch, const RunOptions &options) {
  Result<nvrtc::Compiler> compiler = nvrtc::Compiler::open(cudaSearchOfProcess(options.cudaPath));
  if (!compiler)
    return Error{"the cubin for " + kernel.arch + " does not fit the device (" + arch + "), and there is nothing to compile another with: " +
                 compiler.message()};
  if (MaybeError error = compiler->checkArch(arch))
    return *error;
  nvrtc::CompileOutput output = compiler->compile(kernel.cuda, kernel.name + ".cu", arch, {});
  if (output.ok)
    return std::move(output.cubin);
  return Error{"kernel '" + kernel.name + "' cannot be compiled for " + arch + ": " +
               (output.diagnostics.empty() ? output.log : output.diagnostics.front().message)};
}

Result<std::unique_ptr<GPUExecutor>> GPUExecutor::create(const CompiledKernel &kernel, Device device, const RunOptions &options,
                                                         std::vector<std::string> &notes) {
  std::string arch = getDeviceArch(device.properties());
  std::vector<uint8_t> cubin = kernel.cubin;
  // sm_90 code runs on an sm_90 device as sm_90a code does.
  if (cubin.empty() || (kernel.arch != arch && kernel.arch + "a" != arch)) {
    Result<std::vector<uint8_t>> compiled = compileFor(kernel, arch, options);
    if (!compiled)
      return compiled.error();
    cubin = std::move(*compiled);
    if (kernel.arch != arch)
      notes.push_back("compiled again for " + arch + ", the device present; the target is " + kernel.arch);
  } else {
    arch = kernel.arch;
  }
  Result<Kernel> loaded = device.load(cubin, kernel.launch);
  if (!loaded)
    return loaded.error();
  return std::unique_ptr<GPUExecutor>(new GPUExecutor(std::move(device), std::make_shared<Kernel>(std::move(*loaded)), std::move(arch)));
}

std::string GPUExecutor::describe() const { return device.properties().name + " (" + arch + ")"; }

Result<DeviceTensors> DeviceTensors::create(const Device &device, Stream &stream, const std::vector<HostTensor> &tensors, const RunPlan &plan) {
  DeviceTensors copies;
  copies.arguments.sizes = plan.sizes;
  copies.arguments.scalars = plan.scalars;
  for (const HostTensor &tensor : tensors) {
    const std::vector<unsigned char> &bytes = tensor.bytes();
    Result<DeviceBuffer> buffer = device.allocate(bytes.size(), stream);
    if (!buffer)
      return buffer.error();
    if (MaybeError error = stream.copyToDevice(*buffer, 0, bytes.data(), bytes.size()))
      return *error;
    copies.arguments.tensors.push_back({buffer->address() + uint64_t(tensor.dataOffset()), tensor.strides()});
    copies.buffers.push_back(std::move(*buffer));
  }
  return Result<DeviceTensors>(std::move(copies));
}

Execution GPUExecutor::execute(std::vector<HostTensor> &tensors, const RunPlan &plan) {
  Result<Stream> stream = device.createStream();
  if (!stream)
    return {Status::Missing, stream.message()};
  Result<DeviceTensors> copies = DeviceTensors::create(device, *stream, tensors, plan);
  if (!copies)
    return {Status::Rejected, copies.message()};
  if (MaybeError error = checkLaunch(kernel->description(), copies->arguments))
    return {Status::Rejected, error->message};
  if (MaybeError error = kernel->launch(copies->arguments, *stream))
    return {Status::Wrong, error->message};
  if (MaybeError error = stream->synchronize())
    return {Status::Wrong, "the kernel failed: " + error->message};
  for (size_t i = 0; i < tensors.size(); ++i) {
    std::vector<unsigned char> &bytes = tensors[i].bytes();
    if (MaybeError error = stream->copyToHost(bytes.data(), copies->buffers[i], 0, bytes.size()))
      return {Status::Wrong, error->message};
  }
  if (MaybeError error = stream->synchronize())
    return {Status::Wrong, error->message};
  return {};
}
