//===- CudaDriver.cpp - The open driver and its context -------*- C++ -*-===//
//
// Symbols, error texts, and the memory source of the allocator.
//
//===----------------------------------------------------------------------===//

#include "CudaDriver.h"

namespace tilec::runtime {

MaybeError cu::bindFunctions(const SharedLibrary &library, Functions &f) {
  MaybeError error;
  auto bind = [&](const char *name, auto *&function) {
    if (!error)
      error = library.bind(name, function);
  };
  bind("cuInit", f.init);
  bind("cuDriverGetVersion", f.driverGetVersion);
  bind("cuGetErrorName", f.getErrorName);
  bind("cuGetErrorString", f.getErrorString);
  bind("cuDeviceGetCount", f.deviceGetCount);
  bind("cuDeviceGet", f.deviceGet);
  bind("cuDeviceGetName", f.deviceGetName);
  bind("cuDeviceGetAttribute", f.deviceGetAttribute);
  bind("cuDevicePrimaryCtxRetain", f.primaryCtxRetain);
  bind("cuDevicePrimaryCtxRelease_v2", f.primaryCtxRelease);
  bind("cuCtxSetCurrent", f.ctxSetCurrent);
  bind("cuModuleLoadData", f.moduleLoadData);
  bind("cuModuleUnload", f.moduleUnload);
  bind("cuModuleGetFunction", f.moduleGetFunction);
  bind("cuModuleGetGlobal_v2", f.moduleGetGlobal);
  bind("cuFuncGetAttribute", f.funcGetAttribute);
  bind("cuFuncSetAttribute", f.funcSetAttribute);
  bind("cuLaunchKernelEx", f.launchKernelEx);
  bind("cuOccupancyMaxActiveBlocksPerMultiprocessor", f.occupancy);
  bind("cuOccupancyMaxActiveClusters", f.occupancyClusters);
  bind("cuMemAlloc_v2", f.memAlloc);
  bind("cuMemFree_v2", f.memFree);
  bind("cuMemcpyHtoDAsync_v2", f.memcpyHtoDAsync);
  bind("cuMemcpyDtoHAsync_v2", f.memcpyDtoHAsync);
  bind("cuMemcpyDtoDAsync_v2", f.memcpyDtoDAsync);
  bind("cuMemsetD8Async", f.memsetD8Async);
  bind("cuStreamCreate", f.streamCreate);
  bind("cuStreamDestroy_v2", f.streamDestroy);
  bind("cuStreamSynchronize", f.streamSynchronize);
  bind("cuStreamWaitEvent", f.streamWaitEvent);
  bind("cuEventCreate", f.eventCreate);
  bind("cuEventDestroy_v2", f.eventDestroy);
  bind("cuEventRecord", f.eventRecord);
  bind("cuEventSynchronize", f.eventSynchronize);
  bind("cuEventElapsedTime", f.eventElapsedTime);
  bind("cuTensorMapEncodeTiled", f.tensorMapEncodeTiled);
  return error;
}

DeviceState::~DeviceState() {
  if (!context)
    return;
  (void)makeCurrent();
  allocator.reset();
  f.ctxSetCurrent(nullptr);
  f.primaryCtxRelease(device);
}

MaybeError DeviceState::check(cu::Status status, const char *call) const {
  if (status == cu::success)
    return std::nullopt;
  const char *name = nullptr;
  const char *explanation = nullptr;
  if (f.getErrorName(status, &name) != cu::success || !name)
    name = "an unknown error";
  if (f.getErrorString(status, &explanation) != cu::success || !explanation)
    explanation = "no explanation";
  return Error{std::string(call) + " failed with " + name + " (" + std::to_string(status) +
               "): " + explanation};
}

MaybeError DeviceState::makeCurrent() const {
  return check(f.ctxSetCurrent(context), "cuCtxSetCurrent");
}

Result<uint64_t> DeviceState::allocate(size_t bytes) {
  if (MaybeError error = makeCurrent())
    return *error;
  unsigned long long address = 0;
  if (MaybeError error = check(f.memAlloc(&address, bytes), "cuMemAlloc"))
    return *error;
  return uint64_t(address);
}

void DeviceState::release(uint64_t address) {
  (void)makeCurrent();
  f.memFree(address);
}

Result<EventHandle> DeviceState::record(StreamHandle stream) {
  if (MaybeError error = makeCurrent())
    return *error;
  void *event = nullptr;
  if (MaybeError error = check(f.eventCreate(&event, cu::eventDisableTiming), "cuEventCreate"))
    return *error;
  if (MaybeError error = check(f.eventRecord(event, stream), "cuEventRecord")) {
    f.eventDestroy(event);
    return *error;
  }
  return event;
}

MaybeError DeviceState::wait(StreamHandle stream, EventHandle event) {
  if (MaybeError error = makeCurrent())
    return error;
  return check(f.streamWaitEvent(stream, event, 0), "cuStreamWaitEvent");
}

void DeviceState::destroy(EventHandle event) { f.eventDestroy(event); }

StreamState::~StreamState() {
  (void)device->makeCurrent();
  device->f.streamSynchronize(handle);
  device->f.streamDestroy(handle);
}

} // namespace tilec::runtime
