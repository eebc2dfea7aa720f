//===- Device.cpp - Devices, streams and memory ---------------*- C++ -*-===//
//
// Opening the device, its properties, and what moves data.
//
//===----------------------------------------------------------------------===//

#include "tilec/Runtime/Device.h"

#include "CudaDriver.h"

#include <algorithm>

namespace tilec::runtime {

namespace {

/// cuLaunchKernelEx and clusters came with 11.8, tensor maps with 12.0; cubins of NVRTC 12 and 13 need
/// a driver of the same major version, which the driver itself checks.
constexpr int oldestDriver = 12000;

std::string versionText(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

/// Reads all properties; what this driver does not know stays 0.
void readProperties(const cu::Functions &f, int device, DeviceProperties &properties) {
  char name[256] = {};
  if (f.deviceGetName(name, sizeof(name) - 1, device) == cu::success)
    properties.name = name;
  auto read = [&](cu::Attribute attribute) {
    int value = 0;
    return f.deviceGetAttribute(&value, attribute, device) == cu::success ? value : 0;
  };
  properties.ccMajor = read(cu::computeCapabilityMajor);
  properties.ccMinor = read(cu::computeCapabilityMinor);
  properties.smCount = read(cu::multiprocessorCount);
  properties.clockKHz = read(cu::clockRate);
  properties.memoryClockKHz = read(cu::memoryClockRate);
  properties.memoryBusBits = read(cu::globalMemoryBusWidth);
  properties.l2Bytes = read(cu::l2CacheSize);
  properties.smemPerBlockOptinBytes = read(cu::maxSharedMemoryPerBlockOptin);
  properties.smemPerSMBytes = read(cu::maxSharedMemoryPerMultiprocessor);
  properties.smemReservedPerBlockBytes = read(cu::reservedSharedMemoryPerBlock);
  properties.registersPerSM = read(cu::maxRegistersPerMultiprocessor);
  properties.threadsPerBlock = read(cu::maxThreadsPerBlock);
  properties.threadsPerSM = read(cu::maxThreadsPerMultiprocessor);
  properties.blocksPerSM = read(cu::maxBlocksPerMultiprocessor);
  properties.maxGridX = read(cu::maxGridDimX);
  properties.clusterLaunch = read(cu::clusterLaunch) != 0;
}

MaybeError checkRange(const char *what, size_t offset, size_t size, size_t capacity) {
  if (offset <= capacity && size <= capacity - offset)
    return std::nullopt;
  return Error{std::string(what) + " of " + std::to_string(size) + " bytes at " +
               std::to_string(offset) + " passes the end of a buffer of " +
               std::to_string(capacity) + " bytes"};
}

} // namespace

//===----------------------------------------------------------------------===//
// Device
//===----------------------------------------------------------------------===//

Result<Device> Device::open(const CudaSearch &search) {
  Result<SharedLibrary> library = SharedLibrary::open({"libcuda.so.1"}, driverPlaces(search));
  if (!library)
    return Error{"no NVIDIA driver: " + library.message()};
  auto state = std::make_shared<DeviceState>(*library);
  cu::Functions &f = state->f;
  // The version first: an old driver lacks symbols, and then says less.
  if (MaybeError error = library->bind("cuDriverGetVersion", f.driverGetVersion))
    return *error;
  f.driverGetVersion(&state->version);
  if (state->version < oldestDriver)
    return Error{"the driver in " + library->path() + " supports CUDA " +
                 versionText(state->version) + ", tilec needs " + versionText(oldestDriver)};
  if (MaybeError error = cu::bindFunctions(*library, f))
    return *error;

  cu::Status status = f.init(0);
  if (status == cu::errorNoDevice)
    return Error{"the driver in " + library->path() + " sees no device"};
  if (MaybeError error = state->check(status, "cuInit"))
    return *error;
  int count = 0;
  if (MaybeError error = state->check(f.deviceGetCount(&count), "cuDeviceGetCount"))
    return *error;
  if (count == 0)
    return Error{"the driver in " + library->path() + " sees no device"};
  if (MaybeError error = state->check(f.deviceGet(&state->device, 0), "cuDeviceGet"))
    return *error;
  readProperties(f, state->device, state->properties);
  void *context = nullptr;
  if (MaybeError error =
          state->check(f.primaryCtxRetain(&context, state->device), "cuDevicePrimaryCtxRetain"))
    return *error;
  state->context = context;
  if (MaybeError error = state->makeCurrent())
    return *error;
  state->allocator.emplace(*state);
  return Device(std::move(state));
}

const DeviceProperties &Device::properties() const { return state->properties; }
int Device::driverVersion() const { return state->version; }
const std::string &Device::libraryPath() const { return state->library.path(); }

MaybeError Device::makeCurrent() const { return state->makeCurrent(); }

Result<Stream> Device::createStream() const {
  if (MaybeError error = state->makeCurrent())
    return *error;
  void *stream = nullptr;
  if (MaybeError error =
          state->check(state->f.streamCreate(&stream, cu::streamNonBlocking), "cuStreamCreate"))
    return *error;
  return Stream(std::make_shared<StreamState>(state, stream));
}

Result<Event> Device::createEvent() const {
  if (MaybeError error = state->makeCurrent())
    return *error;
  void *event = nullptr;
  if (MaybeError error = state->check(state->f.eventCreate(&event, 0), "cuEventCreate"))
    return *error;
  return Event(state, event);
}

Result<DeviceBuffer> Device::allocate(size_t bytes, const Stream &stream) const {
  Result<MemoryBlock> block = state->allocator->allocate(bytes, stream.handle());
  if (!block)
    return block.error();
  return DeviceBuffer(state, stream.stream, std::move(*block), bytes);
}

AllocatorStatistics Device::allocatorStatistics() const { return state->allocator->statistics(); }
void Device::releaseCachedMemory() const { state->allocator->releaseCached(); }

//===----------------------------------------------------------------------===//
// Event
//===----------------------------------------------------------------------===//

Event::Event(Event &&other) { *this = std::move(other); }

Event &Event::operator=(Event &&other) {
  std::swap(state, other.state);
  std::swap(event, other.event);
  return *this;
}

Event::~Event() {
  if (event)
    state->f.eventDestroy(event);
}

MaybeError Event::synchronize() const {
  return state->check(state->f.eventSynchronize(event), "cuEventSynchronize");
}

Result<double> Event::millisecondsSince(const Event &start) const {
  float milliseconds = 0;
  if (MaybeError error = state->check(state->f.eventElapsedTime(&milliseconds, start.event, event),
                                      "cuEventElapsedTime"))
    return *error;
  return double(milliseconds);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

DeviceBuffer::DeviceBuffer(DeviceBuffer &&other) { *this = std::move(other); }

DeviceBuffer &DeviceBuffer::operator=(DeviceBuffer &&other) {
  std::swap(state, other.state);
  std::swap(users, other.users);
  std::swap(block, other.block);
  std::swap(bytes, other.bytes);
  return *this;
}

DeviceBuffer::~DeviceBuffer() {
  if (state)
    state->allocator->free(std::move(block));
}

//===----------------------------------------------------------------------===//
// Stream
//===----------------------------------------------------------------------===//

StreamHandle Stream::handle() const { return stream->handle; }

MaybeError Stream::copyToDevice(DeviceBuffer &target, size_t offset, const void *source,
                                size_t size) {
  if (MaybeError error = checkRange("copy to the device", offset, size, target.size()))
    return error;
  DeviceState &device = *stream->device;
  if (size == 0)
    return std::nullopt;
  if (MaybeError error = device.makeCurrent())
    return error;
  return device.check(
      device.f.memcpyHtoDAsync(target.address() + offset, source, size, stream->handle),
      "cuMemcpyHtoDAsync");
}

MaybeError Stream::copyToHost(void *target, const DeviceBuffer &source, size_t offset,
                              size_t size) {
  if (MaybeError error = checkRange("copy to the host", offset, size, source.size()))
    return error;
  DeviceState &device = *stream->device;
  if (size == 0)
    return std::nullopt;
  if (MaybeError error = device.makeCurrent())
    return error;
  return device.check(
      device.f.memcpyDtoHAsync(target, source.address() + offset, size, stream->handle),
      "cuMemcpyDtoHAsync");
}

MaybeError Stream::fill(DeviceBuffer &target, uint8_t value) {
  DeviceState &device = *stream->device;
  if (target.size() == 0)
    return std::nullopt;
  if (MaybeError error = device.makeCurrent())
    return error;
  return device.check(
      device.f.memsetD8Async(target.address(), value, target.size(), stream->handle),
      "cuMemsetD8Async");
}

MaybeError Stream::record(Event &event) {
  DeviceState &device = *stream->device;
  if (MaybeError error = device.makeCurrent())
    return error;
  return device.check(device.f.eventRecord(event.handle(), stream->handle), "cuEventRecord");
}

MaybeError Stream::wait(const Event &event) {
  return stream->device->wait(stream->handle, event.handle());
}

void Stream::use(DeviceBuffer &buffer) {
  auto &users = buffer.users;
  if (std::find(users.begin(), users.end(), stream) != users.end())
    return;
  users.push_back(stream);
  buffer.block.alsoUsedBy.push_back(stream->handle);
}

MaybeError Stream::synchronize() {
  DeviceState &device = *stream->device;
  if (MaybeError error = device.makeCurrent())
    return error;
  return device.check(device.f.streamSynchronize(stream->handle), "cuStreamSynchronize");
}

} // namespace tilec::runtime
