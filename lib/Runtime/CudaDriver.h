//===- CudaDriver.h - Declarations of the CUDA driver API -----*- C++ -*-===//
//
// The functions, structures and numbers of cuda.h that tilec uses, under their
// versioned symbol names, so that building needs no CUDA header.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_RUNTIME_CUDADRIVER_H
#define TILEC_LIB_RUNTIME_CUDADRIVER_H

#include "tilec/Runtime/CachingAllocator.h"
#include "tilec/Runtime/Device.h"
#include "tilec/Runtime/SharedLibrary.h"

#include <memory>
#include <optional>

namespace tilec::runtime {

namespace cu {

/// CUresult.
using Status = int;
constexpr Status success = 0;
constexpr Status errorNoDevice = 100;
constexpr Status errorNoBinaryForGpu = 209;

/// CUdevice_attribute.
enum Attribute : int {
  maxThreadsPerBlock = 1,
  maxGridDimX = 5,
  clockRate = 13,
  multiprocessorCount = 16,
  memoryClockRate = 36,
  globalMemoryBusWidth = 37,
  l2CacheSize = 38,
  maxThreadsPerMultiprocessor = 39,
  computeCapabilityMajor = 75,
  computeCapabilityMinor = 76,
  maxSharedMemoryPerMultiprocessor = 81,
  maxRegistersPerMultiprocessor = 82,
  maxSharedMemoryPerBlockOptin = 97,
  maxBlocksPerMultiprocessor = 106,
  reservedSharedMemoryPerBlock = 111,
  clusterLaunch = 120
};

/// CUfunction_attribute.
enum FunctionAttribute : int {
  maxThreads = 0,
  sharedSizeBytes = 1,
  localSizeBytes = 3,
  numRegs = 4,
  maxDynamicSharedSizeBytes = 8,
  nonPortableClusterSizeAllowed = 14
};

/// CUlaunchAttribute: only what clusters and dependent kernels are told is used.
struct LaunchAttribute {
  int id;
  int padding;
  union {
    char bytes[64];
    unsigned clusterDim[3];
    int clusterPolicy;
    int programmaticSerialization;
  };
};
constexpr int launchAttributeClusterDimension = 4;
constexpr int launchAttributeClusterPolicy = 5;
constexpr int launchAttributeProgrammaticSerialization = 6;
/// CUclusterSchedulingPolicy.
constexpr int clusterPolicyLoadBalancing = 2;
static_assert(sizeof(LaunchAttribute) == 72, "layout of CUlaunchAttribute");

/// CUlaunchConfig.
struct LaunchConfig {
  unsigned gridDimX, gridDimY, gridDimZ;
  unsigned blockDimX, blockDimY, blockDimZ;
  unsigned sharedMemBytes;
  void *stream;
  LaunchAttribute *attributes;
  unsigned attributeCount;
};
static_assert(sizeof(LaunchConfig) == 56, "layout of CUlaunchConfig");

/// CUtensorMapDataType.
enum TensorMapType : int {
  mapU8 = 0,
  mapU16 = 1,
  mapS32 = 3,
  mapS64 = 5,
  mapF16 = 6,
  mapF32 = 7,
  mapF64 = 8,
  mapBF16 = 9
};
/// CUtensorMapSwizzle; interleave, L2 promotion and fill of none, none and zeros are all 0.
enum TensorMapSwizzle : int { swizzleNone = 0, swizzle32B = 1, swizzle64B = 2, swizzle128B = 3 };

constexpr unsigned eventDisableTiming = 2;
constexpr unsigned streamNonBlocking = 1;

struct Functions {
  Status (*init)(unsigned flags);
  Status (*driverGetVersion)(int *);
  Status (*getErrorName)(Status, const char **);
  Status (*getErrorString)(Status, const char **);
  Status (*deviceGetCount)(int *);
  Status (*deviceGet)(int *, int ordinal);
  Status (*deviceGetName)(char *, int length, int device);
  Status (*deviceGetAttribute)(int *, int attribute, int device);
  Status (*primaryCtxRetain)(void **, int device);
  Status (*primaryCtxRelease)(int device);
  Status (*ctxSetCurrent)(void *);
  Status (*moduleLoadData)(void **, const void *image);
  Status (*moduleUnload)(void *);
  Status (*moduleGetFunction)(void **, void *module, const char *name);
  Status (*moduleGetGlobal)(unsigned long long *, size_t *, void *module, const char *name);
  Status (*funcGetAttribute)(int *, int attribute, void *function);
  Status (*funcSetAttribute)(void *function, int attribute, int value);
  Status (*launchKernelEx)(const LaunchConfig *, void *function, void **parameters, void **extra);
  Status (*occupancy)(int *, void *function, int blockSize, size_t dynamicShared);
  Status (*occupancyClusters)(int *, void *function, const LaunchConfig *);
  Status (*memAlloc)(unsigned long long *, size_t);
  Status (*memFree)(unsigned long long);
  Status (*memcpyHtoDAsync)(unsigned long long, const void *, size_t, void *stream);
  Status (*memcpyDtoHAsync)(void *, unsigned long long, size_t, void *stream);
  Status (*memcpyDtoDAsync)(unsigned long long, unsigned long long, size_t, void *stream);
  Status (*memsetD8Async)(unsigned long long, unsigned char, size_t, void *stream);
  Status (*streamCreate)(void **, unsigned flags);
  Status (*streamDestroy)(void *);
  Status (*streamSynchronize)(void *);
  Status (*streamWaitEvent)(void *stream, void *event, unsigned flags);
  Status (*eventCreate)(void **, unsigned flags);
  Status (*eventDestroy)(void *);
  Status (*eventRecord)(void *event, void *stream);
  Status (*eventSynchronize)(void *);
  Status (*eventElapsedTime)(float *, void *start, void *end);
  Status (*tensorMapEncodeTiled)(void *map, int type, unsigned rank, void *address,
                                 const uint64_t *extents, const uint64_t *strides,
                                 const unsigned *box, const unsigned *elementStrides,
                                 int interleave, int swizzle, int promotion, int fill);
};

/// Binds every function, or says which one the library lacks.
MaybeError bindFunctions(const SharedLibrary &library, Functions &functions);

} // namespace cu

/// The open device. Everything made from it holds a shared pointer to this.
struct DeviceState final : MemorySource {
  explicit DeviceState(SharedLibrary library) : library(std::move(library)) {}
  ~DeviceState() override;

  /// Nothing for success; else "CALL failed with NAME: EXPLANATION".
  MaybeError check(cu::Status status, const char *call) const;
  /// Makes the device's context current in the calling thread.
  MaybeError makeCurrent() const;

  Result<uint64_t> allocate(size_t bytes) override;
  void release(uint64_t address) override;
  Result<EventHandle> record(StreamHandle stream) override;
  MaybeError wait(StreamHandle stream, EventHandle event) override;
  void destroy(EventHandle event) override;

  SharedLibrary library;
  cu::Functions f = {};
  int version = 0;
  int device = 0;
  void *context = nullptr;
  DeviceProperties properties;
  /// Destroyed before the context is.
  std::optional<CachingAllocator> allocator;
};

struct StreamState {
  StreamState(std::shared_ptr<DeviceState> device, StreamHandle handle)
      : device(std::move(device)), handle(handle) {}
  /// Waits for the work that is queued.
  ~StreamState();
  StreamState(const StreamState &) = delete;
  StreamState &operator=(const StreamState &) = delete;

  std::shared_ptr<DeviceState> device;
  StreamHandle handle;
};

} // namespace tilec::runtime

#endif // TILEC_LIB_RUNTIME_CUDADRIVER_H
