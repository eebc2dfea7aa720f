//===- Target.cpp - The machine that is compiled for ------------*- C++ -*-===//

#include "Target.h"

#include "tilec/Runtime/Device.h"

using namespace tilec;

/// The machine model takes its own struct, so that it needs no runtime.
static DeviceProperties forMachineModel(const runtime::DeviceProperties &device) {
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

TargetResult tilec::chooseTarget(const CompileOptions &options, Status &status) {
  status = Status::Rejected;
  if (options.target != "native")
    return resolveTarget(options.target);
  runtime::Result<runtime::Device> device = runtime::Device::open(runtime::cudaSearchOfProcess(options.cudaPath));
  if (device)
    return fromDeviceProperties(forMachineModel(device->properties()));
  status = Status::Missing;
  return {std::nullopt, "the target is native but there is no device: " + device.message()};
}

MachineText tilec::describeMachine(const CompileOptions &options) {
  MachineText described;
  TargetResult target = chooseTarget(options, described.status);
  described.text = target ? describeTarget(*target.spec) : target.error;
  if (target)
    described.status = Status::Done;
  return described;
}
