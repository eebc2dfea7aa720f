//===- Device.h - The GPU through the CUDA driver API ---------*- C++ -*-===//
//
// Opens libcuda at run time and wraps the part of the driver API that running
// a kernel takes. Every result of the driver is checked; an error names the
// call, the driver's name for the error, and its explanation.
//
// Objects keep the device open for as long as they live; destroying them in
// any order is fine. They may move between threads.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_RUNTIME_DEVICE_H
#define TILEC_RUNTIME_DEVICE_H

#include "tilec/Runtime/CachingAllocator.h"
#include "tilec/Runtime/CudaPaths.h"
#include "tilec/Runtime/KernelDescription.h"
#include "tilec/Runtime/Result.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tilec::runtime {

/// What the driver says about a device; 0 where it says nothing.
struct DeviceProperties {
  std::string name;
  int ccMajor = 0;
  int ccMinor = 0;
  int64_t smCount = 0;
  int64_t clockKHz = 0;
  /// Before doubling for double data rate.
  int64_t memoryClockKHz = 0;
  int64_t memoryBusBits = 0;
  int64_t l2Bytes = 0;
  int64_t smemPerBlockOptinBytes = 0;
  int64_t smemPerSMBytes = 0;
  int64_t smemReservedPerBlockBytes = 0;
  int64_t registersPerSM = 0;
  int64_t threadsPerBlock = 0;
  int64_t threadsPerSM = 0;
  int64_t blocksPerSM = 0;
  int64_t maxGridX = 0;
  bool clusterLaunch = false;
};

/// The driver, the device's primary context, and the allocator (private).
struct DeviceState;
/// A stream, destroyed after the last buffer that it may still be using
/// (private).
struct StreamState;
/// The workspaces of a kernel's launches, a set for each stream (private).
class ConstantArrays;
struct KernelWorkspaces;

/// A mark in a stream; also a point in time.
class Event {
public:
  Event(Event &&other);
  Event &operator=(Event &&other);
  ~Event();

  /// Waits until the work in front of the mark is done.
  MaybeError synchronize() const;
  /// Milliseconds between two marks that were both recorded and reached.
  Result<double> millisecondsSince(const Event &start) const;
  EventHandle handle() const { return event; }

private:
  friend class Device;
  Event(std::shared_ptr<DeviceState> state, EventHandle event)
      : state(std::move(state)), event(event) {}

  std::shared_ptr<DeviceState> state;
  EventHandle event = nullptr;
};

/// Device memory of a stream, back in the device's cache when destroyed.
class DeviceBuffer {
public:
  DeviceBuffer(DeviceBuffer &&other);
  DeviceBuffer &operator=(DeviceBuffer &&other);
  ~DeviceBuffer();

  /// A multiple of 256.
  uint64_t address() const { return block.address; }
  /// What was asked for.
  size_t size() const { return bytes; }

private:
  friend class Device;
  friend class Stream;
  DeviceBuffer(std::shared_ptr<DeviceState> state, std::shared_ptr<StreamState> stream,
               MemoryBlock block, size_t bytes)
      : state(std::move(state)), users({std::move(stream)}), block(std::move(block)), bytes(bytes) {
  }

  std::shared_ptr<DeviceState> state;
  std::vector<std::shared_ptr<StreamState>> users;
  MemoryBlock block;
  size_t bytes = 0;
};

/// A queue of work. Nothing here waits for the device but synchronize, copies
/// from or to the host, and the end of the queue, which comes with the last of
/// the stream and the buffers allocated for it.
class Stream {
public:
  /// Copies `size` bytes to `target` from byte `offset` on; refused where they
  /// do not fit.
  MaybeError copyToDevice(DeviceBuffer &target, size_t offset, const void *source, size_t size);
  MaybeError copyToHost(void *target, const DeviceBuffer &source, size_t offset, size_t size);
  /// Sets every byte of the buffer.
  MaybeError fill(DeviceBuffer &target, uint8_t value);

  MaybeError record(Event &event);
  /// Makes later work wait for the mark, on the device.
  MaybeError wait(const Event &event);
  /// To be called before work of this stream uses a buffer that was allocated
  /// for another one: keeps the memory from being used again too early.
  void use(DeviceBuffer &buffer);

  /// Waits for all work; reports errors of kernels too.
  MaybeError synchronize();
  StreamHandle handle() const;

private:
  friend class Device;
  explicit Stream(std::shared_ptr<StreamState> stream) : stream(std::move(stream)) {}

  std::shared_ptr<StreamState> stream;
};

/// A loaded kernel.
class Kernel {
public:
  Kernel(Kernel &&other);
  Kernel &operator=(Kernel &&other);
  ~Kernel();

  /// Queues the kernel. Refuses what checkLaunch refuses; launches nothing
  /// where the grid is empty.
  MaybeError launch(const LaunchArguments &arguments, Stream &stream) const;

  const KernelDescription &description() const { return kernel; }
  int registers() const { return registerCount; }
  /// Local memory of a thread: stack and spills.
  int localBytes() const { return localSize; }
  /// Static shared memory as the cubin has it.
  int staticSharedBytes() const { return staticSharedSize; }
  /// Blocks that run on an SM at once.
  Result<int> blocksPerSM() const;
  /// How many of its clusters the whole device runs at once.
  Result<int> residentClusters() const;

private:
  friend class Device;
  Kernel(std::shared_ptr<DeviceState> state, KernelDescription kernel);
  /// Fills in the addresses of workspaces for a launch of `blocks` blocks.
  MaybeError provideWorkspaces(LaunchArguments &arguments, int64_t blocks, Stream &stream) const;

  std::shared_ptr<DeviceState> state;
  KernelDescription kernel;
  void *module = nullptr;
  void *function = nullptr;
  int registerCount = 0;
  int localSize = 0;
  int staticSharedSize = 0;
  /// Blocks that the device runs at once; known of persistent kernels.
  int64_t residentBlocks = 1;
  std::unique_ptr<KernelWorkspaces> workspaces;
  std::unique_ptr<ConstantArrays> constants;
};

/// Copies share the device.
class Device {
public:
  /// Opens device 0. The error says what is missing: the driver's library (and
  /// where was looked), a device, or a driver that is new enough.
  static Result<Device> open(const CudaSearch &search);

  const DeviceProperties &properties() const;
  /// 13000 for CUDA 13.0.
  int driverVersion() const;
  const std::string &libraryPath() const;

  /// Makes the device's context current in the calling thread, for libraries
  /// that work in whatever context is current.
  MaybeError makeCurrent() const;

  Result<Stream> createStream() const;
  /// With time stamps.
  Result<Event> createEvent() const;
  /// Memory for the work of `stream`, from the cache where it has some.
  Result<DeviceBuffer> allocate(size_t bytes, const Stream &stream) const;
  AllocatorStatistics allocatorStatistics() const;
  void releaseCachedMemory() const;

  /// Loads a cubin and finds the kernel that `description` names. Refuses what
  /// the device cannot launch: too much shared memory, too many threads,
  /// clusters it does not have.
  Result<Kernel> load(const std::vector<uint8_t> &cubin, KernelDescription description) const;

private:
  friend class Kernel;
  explicit Device(std::shared_ptr<DeviceState> state) : state(std::move(state)) {}

  std::shared_ptr<DeviceState> state;
};

} // namespace tilec::runtime

#endif // TILEC_RUNTIME_DEVICE_H
