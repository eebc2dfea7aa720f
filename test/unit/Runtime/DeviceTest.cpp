//===- DeviceTest.cpp - Running kernels on a GPU --------------*- C++ -*-===//
//
// Skipped, with the reason, where there is no driver, device or NVRTC.
//
//===----------------------------------------------------------------------===//

#include "tilec/Runtime/Device.h"
#include "tilec/NVRTC/Compiler.h"
#include "tilec/Runtime/HostTensor.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>
#include <optional>

using namespace tilec;
using namespace tilec::runtime;

namespace {

/// C[i, j] = alpha * A[i, j] for a grid of 16 x 16 tiles, flattened; dynamic
/// shared memory holds the tile on the way.
constexpr const char *scaleSource = R"(
extern "C" __global__ void scale(const float *a, long long lda, float *c, long long ldc, int m,
                                 int n, float alpha) {
  extern __shared__ float tile[];
  int tiles = (n + 15) / 16;
  int i = blockIdx.x / tiles * 16 + threadIdx.x / 16;
  int j = blockIdx.x % tiles * 16 + threadIdx.x % 16;
  if (i < m && j < n) tile[threadIdx.x] = a[i * lda + j];
  __syncthreads();
  if (i < m && j < n) c[i * ldc + j] = alpha * tile[threadIdx.x];
}
)";

/// Writes its rank in its cluster of two, read from the hardware.
constexpr const char *clusterSource = R"(
extern "C" __global__ void ranks(int *out) {
  unsigned rank, size;
  asm volatile("mov.u32 %0, %cluster_ctarank;" : "=r"(rank));
  asm volatile("mov.u32 %0, %cluster_nctarank;" : "=r"(size));
  if (threadIdx.x == 0) out[blockIdx.x] = rank * 10 + size;
}
)";

class DeviceTest : public testing::Test {
protected:
  void SetUp() override {
    Result<Device> opened = Device::open(cudaSearchOfProcess());
    if (!opened)
      GTEST_SKIP() << opened.message();
    device.emplace(std::move(*opened));
    Result<Stream> created = device->createStream();
    ASSERT_TRUE(created.ok()) << created.message();
    stream.emplace(std::move(*created));
  }

  /// The source as a cubin for this device; empty, and the test skipped, where
  /// there is no NVRTC for it.
  std::vector<uint8_t> compile(const char *source) {
    Result<nvrtc::Compiler> compiler = nvrtc::Compiler::open(cudaSearchOfProcess());
    if (!compiler) {
      skipReason = compiler.message();
      return {};
    }
    std::string arch = "sm_" + std::to_string(device->properties().ccMajor) +
                       std::to_string(device->properties().ccMinor);
    nvrtc::CompileOutput output = compiler->compile(source, "test.cu", arch, {});
    if (!output.ok)
      skipReason = output.diagnostics.front().message;
    return output.cubin;
  }

  DeviceBuffer upload(const HostTensor &tensor) {
    Result<DeviceBuffer> buffer = device->allocate(tensor.bytes().size(), *stream);
    EXPECT_TRUE(buffer.ok());
    EXPECT_FALSE(stream->copyToDevice(*buffer, 0, tensor.bytes().data(), tensor.bytes().size()));
    return std::move(*buffer);
  }

  std::optional<Device> device;
  std::optional<Stream> stream;
  std::string skipReason;
};

KernelDescription scaleDescription() {
  KernelDescription kernel;
  kernel.symbol = "scale";
  kernel.sizes = {{"M"}, {"N"}};
  TensorArgument a;
  a.name = "A";
  a.read = true;
  a.shape = {Extent::argument(0), Extent::argument(1)};
  a.strides = {Stride::dynamic(), Stride::constant(1)};
  TensorArgument c = a;
  c.name = "C";
  c.read = false;
  c.written = true;
  kernel.tensors = {a, c};
  kernel.scalars = {{"alpha", ElementType::F32}};
  kernel.parameters = {Parameter::tensorBase(0), Parameter::tensorStride(0, 0),
                       Parameter::tensorBase(1), Parameter::tensorStride(1, 0),
                       Parameter::size(0),       Parameter::size(1),
                       Parameter::scalar(0)};
  kernel.grid = {{Extent::argument(0), 16}, {Extent::argument(1), 16}};
  kernel.blockThreads = 256;
  kernel.dynamicSharedBytes = 100 * 1024;
  return kernel;
}

TEST(DeviceAbsent, SaysWhereItLooked) {
  Result<Device> device = Device::open(cudaSearchOfProcess());
  if (device)
    GTEST_SKIP() << "there is a device: " << device->properties().name;
  EXPECT_FALSE(device.message().empty());
  if (device.message().find("no NVIDIA driver: ") == 0) {
    EXPECT_NE(device.message().find("found no libcuda.so.1; tried\n  the loader's path"),
              std::string::npos)
        << device.message();
  }
}

TEST_F(DeviceTest, Properties) {
  const DeviceProperties &p = device->properties();
  EXPECT_FALSE(p.name.empty());
  EXPECT_GE(p.ccMajor, 5);
  EXPECT_GT(p.smCount, 0);
  EXPECT_GT(p.clockKHz, 100000);
  EXPECT_GT(p.l2Bytes, 1 << 18);
  EXPECT_GE(p.smemPerBlockOptinBytes, 49152);
  EXPECT_EQ(p.maxGridX, 2147483647);
  EXPECT_GE(device->driverVersion(), 12000);
  std::printf("%s: sm_%d%d, %ld SMs at %ld kHz, memory %ld kHz x %ld bits, L2 %ld B, shared %ld / "
              "%ld + %ld B\n",
              p.name.c_str(), p.ccMajor, p.ccMinor, long(p.smCount), long(p.clockKHz),
              long(p.memoryClockKHz), long(p.memoryBusBits), long(p.l2Bytes),
              long(p.smemPerBlockOptinBytes), long(p.smemPerSMBytes), long(p.smemReservedPerBlockBytes));
}

TEST_F(DeviceTest, BuffersComeBackAtTheSameAddress) {
  uint64_t first = 0;
  size_t allocations = 0;
  for (int i = 0; i < 10; ++i) {
    Result<DeviceBuffer> buffer = device->allocate(size_t(64) << 20, *stream);
    ASSERT_TRUE(buffer.ok()) << buffer.message();
    ASSERT_FALSE(stream->fill(*buffer, uint8_t(i)));
    if (i == 0) {
      first = buffer->address();
      allocations = device->allocatorStatistics().deviceAllocations;
    }
    EXPECT_EQ(buffer->address(), first);
    EXPECT_EQ(buffer->address() % 256, 0u);
  }
  EXPECT_EQ(device->allocatorStatistics().deviceAllocations, allocations);
  EXPECT_FALSE(stream->synchronize());
}

TEST_F(DeviceTest, ReuseAcrossStreamsKeepsOrder) {
  Result<Stream> other = device->createStream();
  ASSERT_TRUE(other.ok());
  size_t bytes = size_t(256) << 20;
  {
    Result<DeviceBuffer> buffer = device->allocate(bytes, *stream);
    ASSERT_TRUE(buffer.ok());
    // They take tens of milliseconds; the other stream's fill must come after them.
    for (int i = 0; i < 200; ++i)
      ASSERT_FALSE(stream->fill(*buffer, 1));
  }
  Result<DeviceBuffer> reused = device->allocate(bytes, *other);
  ASSERT_TRUE(reused.ok());
  ASSERT_FALSE(other->fill(*reused, 2));
  ASSERT_FALSE(other->synchronize());
  ASSERT_FALSE(stream->synchronize());
  std::vector<uint8_t> host(bytes);
  ASSERT_FALSE(other->copyToHost(host.data(), *reused, 0, bytes));
  ASSERT_FALSE(other->synchronize());
  for (size_t i = 0; i < bytes; i += 4096)
    ASSERT_EQ(host[i], 2) << i;
  EXPECT_EQ(host[bytes - 1], 2);
}

TEST_F(DeviceTest, BuffersOutliveTheirStreamAndDevice) {
  Result<Stream> other = device->createStream();
  ASSERT_TRUE(other.ok());
  std::optional<DeviceBuffer> kept;
  {
    Stream shortLived = std::move(*other);
    Result<DeviceBuffer> buffer = device->allocate(1 << 20, shortLived);
    ASSERT_TRUE(buffer.ok());
    ASSERT_FALSE(shortLived.fill(*buffer, 3));
    stream->use(*buffer);
    kept.emplace(std::move(*buffer));
  }
  stream.reset();
  device.reset();
  kept.reset();
}

TEST_F(DeviceTest, CopiesRoundTripAndAreBounded) {
  std::vector<unsigned char> out(1000), back(1000);
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = uint8_t(i * 7);
  Result<DeviceBuffer> buffer = device->allocate(1000, *stream);
  ASSERT_TRUE(buffer.ok());
  ASSERT_FALSE(stream->copyToDevice(*buffer, 0, out.data(), 1000));
  ASSERT_FALSE(stream->copyToHost(back.data(), *buffer, 0, 1000));
  ASSERT_FALSE(stream->synchronize());
  EXPECT_EQ(out, back);
  EXPECT_EQ(stream->copyToHost(back.data(), *buffer, 1, 1000)->message,
            "copy to the host of 1000 bytes at 1 passes the end of a buffer of 1000 bytes");
  EXPECT_TRUE(stream->copyToDevice(*buffer, 1001, out.data(), 0));
}

TEST_F(DeviceTest, KernelComputesAndStaysInside) {
  std::vector<uint8_t> cubin = compile(scaleSource);
  if (cubin.empty())
    GTEST_SKIP() << skipReason;
  if (device->properties().smemPerBlockOptinBytes < 100 * 1024)
    GTEST_SKIP() << "the device has less than 100 KiB of shared memory a block";
  Result<Kernel> kernel = device->load(cubin, scaleDescription());
  ASSERT_TRUE(kernel.ok()) << kernel.message();
  EXPECT_GT(kernel->registers(), 0);
  EXPECT_EQ(kernel->staticSharedBytes(), 0);
  Result<int> blocks = kernel->blocksPerSM();
  ASSERT_TRUE(blocks.ok());
  // 100 KiB of dynamic shared memory: once in 99..199 KiB, twice in 227 KiB.
  EXPECT_GE(*blocks, 1);
  EXPECT_LE(*blocks, 2);

  for (auto [m, n] : {std::pair<int64_t, int64_t>{1, 1}, {17, 33}, {64, 48}, {0, 5}}) {
    HostTensor a = *HostTensor::create(ElementType::F32, {m, n}, {n + 3, 1});
    HostTensor c = *HostTensor::create(ElementType::F32, {m, n}, {n + 7, 1});
    fillIntegers(a, 1);
    DeviceBuffer deviceA = upload(a);
    DeviceBuffer deviceC = upload(c);
    LaunchArguments arguments;
    arguments.tensors = {{deviceA.address() + a.dataOffset(), a.strides()},
                         {deviceC.address() + c.dataOffset(), c.strides()}};
    arguments.sizes = {m, n};
    arguments.scalars = {-0.5};
    MaybeError error = kernel->launch(arguments, *stream);
    ASSERT_FALSE(error) << error->message;
    ASSERT_FALSE(stream->copyToHost(c.bytes().data(), deviceC, 0, c.bytes().size()));
    error = stream->synchronize();
    ASSERT_FALSE(error) << error->message;
    for (int64_t i = 0; i < m * n; ++i)
      ASSERT_EQ(c.get(i), -0.5 * a.get(i)) << i;
    error = c.checkGuards("C");
    EXPECT_FALSE(error) << error->message;

    arguments.tensors[1].address = arguments.tensors[0].address;
    error = kernel->launch(arguments, *stream);
    EXPECT_EQ(error.has_value(), m * n != 0) << "overlap must be refused";
  }
}

TEST_F(DeviceTest, ClustersAreLaunched) {
  if (!device->properties().clusterLaunch)
    GTEST_SKIP() << "no clusters on " << device->properties().name;
  std::vector<uint8_t> cubin = compile(clusterSource);
  if (cubin.empty())
    GTEST_SKIP() << skipReason;
  KernelDescription description;
  description.symbol = "ranks";
  TensorArgument out;
  out.name = "out";
  out.type = ElementType::S32;
  out.written = true;
  out.shape = {Extent::constant(6)};
  out.strides = {Stride::constant(1)};
  description.tensors = {out};
  description.parameters = {Parameter::tensorBase(0)};
  description.grid = {{Extent::constant(6), 1}};
  description.blockThreads = 32;
  description.clusterBlocks = 2;
  Result<Kernel> kernel = device->load(cubin, description);
  ASSERT_TRUE(kernel.ok()) << kernel.message();
  // Each SM has room for several blocks as small as these, and no cluster leaves its part of the device.
  EXPECT_GE(*kernel->residentClusters() * 2, *kernel->blocksPerSM());
  HostTensor result = *HostTensor::create(ElementType::S32, {6}, {1});
  DeviceBuffer buffer = upload(result);
  LaunchArguments arguments;
  arguments.tensors = {{buffer.address() + result.dataOffset(), {1}}};
  MaybeError error = kernel->launch(arguments, *stream);
  ASSERT_FALSE(error) << error->message;
  ASSERT_FALSE(stream->copyToHost(result.bytes().data(), buffer, 0, result.bytes().size()));
  ASSERT_FALSE(stream->synchronize());
  // Rank times ten plus the size of the cluster.
  EXPECT_EQ(result.toDoubles(), (std::vector<double>{2, 12, 2, 12, 2, 12}));
}

TEST_F(DeviceTest, LoadingRefusesWhatCannotRun) {
  std::vector<uint8_t> cubin = compile(scaleSource);
  if (cubin.empty())
    GTEST_SKIP() << skipReason;
  KernelDescription description = scaleDescription();
  description.symbol = "absent";
  EXPECT_NE(device->load(cubin, description).message().find("CUDA_ERROR_NOT_FOUND"),
            std::string::npos);
  description = scaleDescription();
  description.dynamicSharedBytes = 300 * 1024;
  EXPECT_NE(device->load(cubin, description).message().find("needs 307200 bytes (300 KiB)"),
            std::string::npos);
  std::vector<uint8_t> cut(cubin.begin(), cubin.begin() + long(cubin.size()) / 2);
  EXPECT_NE(device->load(cut, scaleDescription()).message().find("cut short"), std::string::npos);
  EXPECT_EQ(device->load({1, 2, 3}, scaleDescription()).message(),
            "the kernel image of 3 bytes is no cubin");
}

TEST_F(DeviceTest, EventsMeasureTime) {
  Result<Event> start = device->createEvent();
  Result<Event> end = device->createEvent();
  ASSERT_TRUE(start.ok() && end.ok());
  Result<DeviceBuffer> buffer = device->allocate(size_t(512) << 20, *stream);
  ASSERT_TRUE(buffer.ok());
  ASSERT_FALSE(stream->fill(*buffer, 0));
  ASSERT_FALSE(stream->record(*start));
  for (int i = 0; i < 4; ++i)
    ASSERT_FALSE(stream->fill(*buffer, 0));
  ASSERT_FALSE(stream->record(*end));
  ASSERT_FALSE(end->synchronize());
  Result<double> elapsed = end->millisecondsSince(*start);
  ASSERT_TRUE(elapsed.ok()) << elapsed.message();
  // 2 GiB written: no device writes 100 TB/s or less than 1 GB/s.
  EXPECT_GT(*elapsed, 0.02);
  EXPECT_LT(*elapsed, 2000);
}

} // namespace
