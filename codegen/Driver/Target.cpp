//===- Target.cpp - The machine that is compiled for ------------*- C++ -*-===//

#include "Target.h"

#include "tilec/Transforms/ModuleTarget.h"

using namespace tilec;

DeviceProperties tilec::forMachineModel(const runtime::DeviceProperties &device) {
  DeviceProperties properties;
  properties.name = device.name;
  properties.ccMajor = device.ccMajor;
  properties.ccMinor = device.ccMinor;
  properties.smCount = device.smCount;
  properties.clockKHz = device.clockKHz;
  properties.memoryClockKHz = device.memoryClockKHz;
  properties.memoryBusBits = device.memoryBusBits;
  properties.l2Bytes = device.l2Bytes;
  properties.smemPerBlockOptinBytes = device.smemPerBlockOptinBytes;
  properties.smemPerSMBytes = device.smemPerSMBytes;
  properties.smemReservedPerBlockBytes = device.smemReservedPerBlockBytes;
  properties.registersPerSM = device.registersPerSM;
  properties.threadsPerBlock = device.threadsPerBlock;
  properties.threadsPerSM = device.threadsPerSM;
  properties.blocksPerSM = device.blocksPerSM;
  properties.maxGridX = device.maxGridX;
  return properties;
}

static constexpr llvm::StringLiteral kNative = "native";

/// The device present; the error where `status` is Missing.
static runtime::Result<DeviceProperties> findDevice(const CompileOptions &options, Status &status) {
  runtime::Result<runtime::Device> device = runtime::Device::open(runtime::cudaSearchOfProcess(options.cudaPath));
  if (device)
    return forMachineModel(device->properties());
  status = Status::Missing;
  return runtime::Error{"the target is native but there is no device: " + device.message()};
}

TargetResult tilec::targetModule(mlir::ModuleOp module, const CompileOptions &options, Status &status) {
  status = Status::Rejected;
  setSizes(module, options.shape);
  if (options.target == kNative) {
    runtime::Result<DeviceProperties> device = findDevice(options, status);
    if (!device)
      return {std::nullopt, device.message()};
    setTarget(module, *device);
  } else if (!options.target.empty()) {
    setTarget(module, options.target);
  }
  return getTarget(module);
}

MachineText tilec::describeMachine(const CompileOptions &options) {
  MachineText described;
  TargetResult target;
  if (options.target == kNative) {
    runtime::Result<DeviceProperties> device = findDevice(options, described.status);
    target = device ? fromDeviceProperties(*device) : TargetResult{std::nullopt, device.message()};
  } else {
    target = resolveTarget(options.target.empty() ? kDefaultTarget.str() : options.target);
  }
  described.text = target ? describeTarget(*target.spec) : target.error;
  if (target)
    described.status = Status::Done;
  return described;
}
