//===- Kernel.cpp - Loading and launching kernels -------------*- C++ -*-===//
//
// Everything that a launch can fail on is checked at loading where it can be.
//
//===----------------------------------------------------------------------===//

#include "ConstantArrays.h"
#include "tilec/Runtime/Device.h"

#include <array>
#include <cstring>
#include <map>
#include <mutex>

namespace tilec::runtime {

struct KernelWorkspaces {
  std::mutex mutex;
  /// A stream's launches run one after the other. The buffers keep it alive.
  std::map<StreamHandle, std::vector<DeviceBuffer>> byStream;
};

namespace {

/// The largest cluster that every device with clusters takes.
constexpr unsigned portableClusterBlocks = 8;

/// The driver reads an image without knowing its length: make sure that the
/// section table, which ends a cubin's last part, lies inside.
MaybeError checkImage(const std::vector<uint8_t> &cubin) {
  constexpr size_t elfHeaderBytes = 64;
  if (cubin.size() < elfHeaderBytes || std::memcmp(cubin.data(),
                                                   "\x7f"
                                                   "ELF\x02\x01",
                                                   6) != 0)
    return Error{"the kernel image of " + std::to_string(cubin.size()) + " bytes is no cubin"};
  auto read = [&](size_t at, size_t bytes) {
    uint64_t value = 0;
    std::memcpy(&value, cubin.data() + at, bytes);
    return value;
  };
  uint64_t tableOffset = read(0x28, 8);
  uint64_t entryBytes = read(0x3a, 2);
  uint64_t entryCount = read(0x3c, 2);
  if (tableOffset > cubin.size() || entryBytes * entryCount > cubin.size() - tableOffset)
    return Error{"the cubin is cut short: " + std::to_string(cubin.size()) +
                 " bytes, its section table ends at " +
                 std::to_string(tableOffset + entryBytes * entryCount)};
  return std::nullopt;
}

cu::TensorMapType mapTypeOf(ElementType type) {
  switch (type) {
  case ElementType::F64:
    return cu::mapF64;
  case ElementType::F32:
  case ElementType::TF32:
    return cu::mapF32;
  case ElementType::F16:
    return cu::mapF16;
  case ElementType::BF16:
    return cu::mapBF16;
  case ElementType::S64:
    return cu::mapS64;
  case ElementType::S32:
    return cu::mapS32;
  case ElementType::S16:
    return cu::mapU16;
  case ElementType::E4M3:
  case ElementType::E5M2:
  case ElementType::S8:
  case ElementType::U8:
    return cu::mapU8;
  }
  return cu::mapU8;
}

cu::TensorMapSwizzle mapSwizzleOf(Swizzle swizzle) {
  switch (swizzle) {
  case Swizzle::None:
    return cu::swizzleNone;
  case Swizzle::Bytes32:
    return cu::swizzle32B;
  case Swizzle::Bytes64:
    return cu::swizzle64B;
  case Swizzle::Bytes128:
    return cu::swizzle128B;
  }
  return cu::swizzleNone;
}

/// The driver's form of a map that canEncode() accepts; zeros where it is empty.
Result<EncodedTensorMap> encode(const DeviceState &state, const TensorMapValues &map) {
  EncodedTensorMap encoded;
  if (map.isEmpty())
    return encoded;
  const std::vector<uint64_t> extents(map.extents.begin(), map.extents.end());
  // The innermost stride is implied. Of one dimension there is no other, but the driver wants an address.
  std::vector<uint64_t> strides(map.strides.begin() + 1, map.strides.end());
  strides.push_back(0);
  const std::vector<unsigned> elementStrides(map.box.size(), 1);
  cu::Status status = state.f.tensorMapEncodeTiled(
      encoded.bytes.data(), mapTypeOf(map.type), unsigned(map.box.size()),
      reinterpret_cast<void *>(map.address), extents.data(), strides.data(), map.box.data(),
      elementStrides.data(), 0, mapSwizzleOf(map.swizzle), 0, 0);
  if (MaybeError error = state.check(status, "cuTensorMapEncodeTiled"))
    return *error;
  return encoded;
}

} // namespace

Result<Kernel> Device::load(const std::vector<uint8_t> &cubin,
                            KernelDescription description) const {
  if (MaybeError error = checkDescription(description))
    return *error;
  if (MaybeError error = checkImage(cubin))
    return *error;
  const DeviceProperties &properties = state->properties;
  std::string where = "kernel '" + description.symbol + "'";
  std::string device = properties.name + " (sm_" + std::to_string(properties.ccMajor) +
                       std::to_string(properties.ccMinor) + ")";
  if (description.clusterBlocks > 1 && !properties.clusterLaunch)
    return Error{where + " needs clusters of " + std::to_string(description.clusterBlocks) +
                 " blocks, " + device + " has no clusters"};
  if (MaybeError error = state->makeCurrent())
    return *error;

  const cu::Functions &f = state->f;
  unsigned dynamicShared = description.dynamicSharedBytes;
  unsigned threads = description.blockThreads;
  unsigned cluster = description.clusterBlocks;
  Kernel kernel(state, std::move(description));
  cu::Status status = f.moduleLoadData(&kernel.module, cubin.data());
  if (MaybeError error = state->check(status, "cuModuleLoadData")) {
    if (status == cu::errorNoBinaryForGpu)
      error->message += "; the device is " + device;
    return *error;
  }
  if (MaybeError error = state->check(
          f.moduleGetFunction(&kernel.function, kernel.module, kernel.kernel.symbol.c_str()),
          "cuModuleGetFunction"))
    return Error{where + " is not in the cubin: " + error->message};

  if (MaybeError error = kernel.constants->find(kernel.module, kernel.kernel))
    return *error;

  MaybeError error;
  auto read = [&](cu::FunctionAttribute attribute) {
    int value = 0;
    if (!error)
      error = state->check(f.funcGetAttribute(&value, attribute, kernel.function),
                           "cuFuncGetAttribute");
    return value;
  };
  kernel.registerCount = read(cu::numRegs);
  kernel.localSize = read(cu::localSizeBytes);
  kernel.staticSharedSize = read(cu::sharedSizeBytes);
  int maxThreads = read(cu::maxThreads);
  if (error)
    return *error;

  if (threads > unsigned(maxThreads))
    return Error{where + " with " + std::to_string(kernel.registerCount) +
                 " registers a thread can have " + std::to_string(maxThreads) +
                 " threads in a block on " + device + ", it needs " + std::to_string(threads)};
  int64_t shared = int64_t(kernel.staticSharedSize) + dynamicShared;
  int64_t limit = properties.smemPerBlockOptinBytes;
  if (shared > limit)
    return Error{where + " needs " + std::to_string(shared) + " bytes (" +
                 std::to_string((shared + 1023) / 1024) + " KiB) of shared memory a block, " +
                 device + " has " + std::to_string(limit) + " (" + std::to_string(limit / 1024) +
                 " KiB)"};
  if (dynamicShared > 0)
    if (MaybeError error = state->check(
            f.funcSetAttribute(kernel.function, cu::maxDynamicSharedSizeBytes, int(dynamicShared)),
            "cuFuncSetAttribute"))
      return *error;
  if (cluster > portableClusterBlocks)
    if (MaybeError error =
            state->check(f.funcSetAttribute(kernel.function, cu::nonPortableClusterSizeAllowed, 1),
                         "cuFuncSetAttribute"))
      return *error;
  if (kernel.kernel.persistent) {
    Result<int> count = cluster > 1 ? kernel.residentClusters() : kernel.blocksPerSM();
    if (!count)
      return count.error();
    kernel.residentBlocks = int64_t(*count) * (cluster > 1 ? cluster : properties.smCount);
  }
  return Result<Kernel>(std::move(kernel));
}

Kernel::Kernel(std::shared_ptr<DeviceState> state, KernelDescription kernel)
    : state(std::move(state)), kernel(std::move(kernel)),
      workspaces(std::make_unique<KernelWorkspaces>()),
      constants(std::make_unique<ConstantArrays>(this->state)) {}

Kernel::Kernel(Kernel &&other) { *this = std::move(other); }

Kernel &Kernel::operator=(Kernel &&other) {
  std::swap(state, other.state);
  std::swap(kernel, other.kernel);
  std::swap(module, other.module);
  std::swap(function, other.function);
  std::swap(registerCount, other.registerCount);
  std::swap(localSize, other.localSize);
  std::swap(staticSharedSize, other.staticSharedSize);
  std::swap(residentBlocks, other.residentBlocks);
  std::swap(workspaces, other.workspaces);
  std::swap(constants, other.constants);
  return *this;
}

Kernel::~Kernel() {
  if (!module)
    return;
  (void)state->makeCurrent();
  state->f.moduleUnload(module);
}

MaybeError Kernel::provideWorkspaces(LaunchArguments &arguments, int64_t blocks,
                                     Stream &stream) const {
  if (kernel.workspaces.empty())
    return std::nullopt;
  std::lock_guard<std::mutex> lock(workspaces->mutex);
  std::vector<DeviceBuffer> &buffers = workspaces->byStream[stream.handle()];
  arguments.workspaces.clear();
  for (size_t i = 0; i < kernel.workspaces.size(); ++i) {
    const Workspace &workspace = kernel.workspaces[i];
    size_t bytes =
        countElements(kernel, workspace, arguments.sizes, blocks) * byteWidth(workspace.type);
    if (i == buffers.size() || buffers[i].size() < bytes) {
      Result<DeviceBuffer> buffer = Device(state).allocate(bytes, stream);
      if (!buffer)
        return Error{"kernel '" + kernel.symbol + "' has no memory for its workspace '" +
                     workspace.name + "': " + buffer.message()};
      // Each launch leaves zeros behind.
      if (workspace.each == Workspace::Each::Tile)
        if (MaybeError error = stream.fill(*buffer, 0))
          return error;
      if (i == buffers.size())
        buffers.push_back(std::move(*buffer));
      else
        buffers[i] = std::move(*buffer);
    }
    arguments.workspaces.push_back(buffers[i].address());
  }
  return std::nullopt;
}

using LaunchAttributes = std::array<cu::LaunchAttribute, 3>;

/// What cuLaunchKernelEx takes, but for the stream; `attributes` lives as long as it.
static cu::LaunchConfig configure(const KernelDescription &kernel, unsigned blocks,
                                  LaunchAttributes &attributes) {
  cu::LaunchConfig config = {};
  config.gridDimX = blocks;
  config.gridDimY = config.gridDimZ = 1;
  config.blockDimX = kernel.blockThreads;
  config.blockDimY = config.blockDimZ = 1;
  config.sharedMemBytes = kernel.dynamicSharedBytes;
  config.attributes = attributes.data();
  auto add = [&](int id) -> cu::LaunchAttribute & {
    cu::LaunchAttribute &attribute = attributes[config.attributeCount++];
    attribute.id = id;
    return attribute;
  };
  if (kernel.clusterBlocks > 1) {
    cu::LaunchAttribute &dimension = add(cu::launchAttributeClusterDimension);
    dimension.clusterDim[0] = kernel.clusterBlocks;
    dimension.clusterDim[1] = 1;
    dimension.clusterDim[2] = 1;
    if (balancesClusters(kernel))
      add(cu::launchAttributeClusterPolicy).clusterPolicy = cu::clusterPolicyLoadBalancing;
  }
  if (kernel.dependent)
    add(cu::launchAttributeProgrammaticSerialization).programmaticSerialization = 1;
  return config;
}

MaybeError Kernel::launch(const LaunchArguments &arguments, Stream &stream) const {
  if (MaybeError error = checkLaunch(kernel, arguments))
    return error;
  Result<uint32_t> blocks = computeGrid(kernel, arguments.sizes, residentBlocks);
  if (!blocks)
    return blocks.error();
  if (*blocks == 0)
    return std::nullopt;
  if (MaybeError error = state->makeCurrent())
    return error;

  LaunchArguments complete = arguments;
  if (MaybeError error = provideWorkspaces(complete, *blocks, stream))
    return error;
  std::vector<EncodedTensorMap> maps;
  for (const TensorMapValues &map : listTensorMaps(kernel, arguments)) {
    Result<EncodedTensorMap> encoded = encode(*state, map);
    if (!encoded)
      return Error{"kernel '" + kernel.symbol + "': " + encoded.message()};
    maps.push_back(*encoded);
  }
  std::vector<std::vector<unsigned char>> packed = packParameters(kernel, complete, maps);
  std::vector<void *> parameters;
  for (std::vector<unsigned char> &bytes : packed)
    parameters.push_back(bytes.data());

  LaunchAttributes attributes = {};
  cu::LaunchConfig config = configure(kernel, *blocks, attributes);
  config.stream = stream.handle();
  std::unique_lock<std::mutex> filling;
  if (!constants->empty()) {
    filling = constants->lock();
    if (MaybeError error = constants->fill(arguments, stream.handle()))
      return Error{"kernel '" + kernel.symbol + "': " + error->message};
  }
  MaybeError error = state->check(
      state->f.launchKernelEx(&config, function, parameters.data(), nullptr), "cuLaunchKernelEx");
  if (!error && filling)
    error = constants->finish(stream.handle());
  if (error)
    error->message = "kernel '" + kernel.symbol + "' with " + std::to_string(*blocks) +
                     " blocks of " + std::to_string(kernel.blockThreads) +
                     " threads: " + error->message;
  return error;
}

Result<int> Kernel::blocksPerSM() const {
  if (MaybeError error = state->makeCurrent())
    return *error;
  int blocks = 0;
  if (MaybeError error =
          state->check(state->f.occupancy(&blocks, function, int(kernel.blockThreads),
                                          kernel.dynamicSharedBytes),
                       "cuOccupancyMaxActiveBlocksPerMultiprocessor"))
    return *error;
  return blocks;
}

Result<int> Kernel::residentClusters() const {
  if (MaybeError error = state->makeCurrent())
    return *error;
  LaunchAttributes attributes = {};
  cu::LaunchConfig config = configure(kernel, kernel.clusterBlocks, attributes);
  int clusters = 0;
  if (MaybeError error = state->check(state->f.occupancyClusters(&clusters, function, &config),
                                      "cuOccupancyMaxActiveClusters"))
    return *error;
  return clusters;
}

} // namespace tilec::runtime
