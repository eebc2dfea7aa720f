//===- KernelDescriptionTest.cpp - Launch contract ------------*- C++ -*-===//
//
// Grids, spans, refused launches and parameter bytes of a GEMM.
//
//===----------------------------------------------------------------------===//

#include "tilec/Runtime/KernelDescription.h"

#include <gtest/gtest.h>

#include <cstring>

using namespace tilec::runtime;

namespace {

/// C[M, N] = A[M, K] * B[K, N] with blocks of 64 x 32, rows of dynamic stride.
KernelDescription gemm() {
  KernelDescription kernel;
  kernel.symbol = "gemm";
  kernel.sizes = {{"M"}, {"N"}, {"K"}};
  auto tensor = [](const char *name, unsigned rows, unsigned columns, bool written) {
    TensorArgument argument;
    argument.name = name;
    argument.type = ElementType::F32;
    argument.read = !written;
    argument.written = written;
    argument.shape = {Extent::argument(rows), Extent::argument(columns)};
    argument.strides = {Stride::dynamic(), Stride::constant(1)};
    return argument;
  };
  kernel.tensors = {tensor("A", 0, 2, false), tensor("B", 2, 1, false), tensor("C", 0, 1, true)};
  kernel.scalars = {{"alpha", ElementType::F16}};
  kernel.parameters = {Parameter::tensorBase(2), Parameter::size(0), Parameter::tensorStride(1, 0),
                       Parameter::scalar(0)};
  kernel.grid = {{Extent::argument(0), 64}, {Extent::argument(1), 32}};
  kernel.blockThreads = 256;
  return kernel;
}

/// M = 100, N = 33, K = 7, all rows dense, tensors one after another.
LaunchArguments arguments() {
  return {{{4096, {7, 1}}, {8192, {33, 1}}, {16384, {33, 1}}}, {100, 33, 7}, {1.5}};
}

std::string refusal(const KernelDescription &kernel, const LaunchArguments &launch) {
  MaybeError error = checkLaunch(kernel, launch);
  return error ? error->message : "accepted";
}

TEST(KernelDescription, GridIsTheProductOfCeilings) {
  // ceil(100 / 64) * ceil(33 / 32) = 2 * 2.
  EXPECT_EQ(*countTiles(gemm(), {100, 33, 7}), 4u);
  // ceil(128 / 64) * ceil(32 / 32) = 2 * 1.
  EXPECT_EQ(*countTiles(gemm(), {128, 32, 7}), 2u);
  // M is no multiple: 2 * 2 cluster steps times ceil(256 / 128) blocks each.
  KernelDescription clustered = gemm();
  clustered.grid = {
      {Extent::argument(0), 256}, {Extent::argument(1), 128}, {Extent::constant(256), 128}};
  clustered.clusterBlocks = 2;
  EXPECT_EQ(*computeGrid(clustered, {257, 129, 7}, 1), 8u);
}

TEST(KernelDescription, EmptyOutputLaunchesNothingEmptyReductionDoes) {
  EXPECT_EQ(*countTiles(gemm(), {0, 33, 7}), 0u);
  // The other factor alone would be far over the limit.
  EXPECT_EQ(*countTiles(gemm(), {maxExtent, 0, 7}), 0u);
  EXPECT_EQ(*countTiles(gemm(), {100, 33, 0}), 4u);
}

TEST(KernelDescription, GridLimits) {
  KernelDescription kernel = gemm();
  kernel.grid = {{Extent::argument(0), 1}, {Extent::argument(1), 1}};
  // 46341^2 = 2147488281 > 2^31 - 1 = 2147483647 >= 46340 * 46341.
  EXPECT_EQ(countTiles(kernel, {46341, 46341, 1}).message(),
            "kernel 'gemm' needs more than 2147483647 blocks, the limit of "
            "gridDim.x");
  EXPECT_EQ(*countTiles(kernel, {46340, 46341, 1}), 2147441940u);
  EXPECT_EQ(countTiles(gemm(), {100, 33}).message(), "kernel 'gemm' takes 3 sizes, got 2");
  EXPECT_EQ(countTiles(gemm(), {maxExtent + 1, 33, 1}).message(),
            "size 'M' is 2147418112, allowed are 0..2147418111");
  EXPECT_EQ(countTiles(gemm(), {-1, 33, 1}).message(),
            "size 'M' is -1, allowed are 0..2147418111");
  kernel = gemm();
  kernel.clusterBlocks = 3;
  EXPECT_EQ(computeGrid(kernel, {100, 33, 7}, 1).message(),
            "kernel 'gemm' needs 4 blocks, which clusters of 3 do not divide");
}

// limit_x6
TEST(KernelDescription, PersistentGridsHaveWhatTheDeviceRuns) {
  KernelDescription kernel = gemm();
  kernel.persistent = true;
  // 4 tiles, as above.
  EXPECT_EQ(*computeGrid(kernel, {100, 33, 7}, 3), 3u);
  EXPECT_EQ(*computeGrid(kernel, {100, 33, 7}, 132), 4u);
  EXPECT_EQ(*computeGrid(kernel, {0, 33, 7}, 132), 0u);
  EXPECT_EQ(*computeGrid(kernel, {100, 33, 7}, 0), 1u);
  // 131072 * 16383 = 2147352576 tiles of a row and a column each, a number that a wave of 65536 blocks
  // still fits after it; 131072 * 16384 = 2^31 does not.
  kernel.grid = {{Extent::argument(0), 1}, {Extent::argument(1), 1}};
  EXPECT_EQ(*computeGrid(kernel, {131072, 16383, 7}, 1 << 20), 65536u);
  EXPECT_EQ(computeGrid(kernel, {131072, 16384, 7}, 132).message(),
            "kernel 'gemm' needs more than 2147418111 tiles, the limit of a persistent grid");
  // Whole clusters: 7 blocks hold 3 clusters of 2.
  kernel.clusterBlocks = 2;
  EXPECT_EQ(*computeGrid(kernel, {100, 33, 7}, 7), 6u);
}

// limit_x6
TEST(KernelDescription, CutLoopsHaveTwoToTheThirtySteps) {
  KernelDescription kernel = gemm();
  kernel.persistent = true;
  kernel.cutLoop = {Extent::argument(2), 1};
  EXPECT_EQ(*countTiles(kernel, {100, 33, 1 << 30}), 4u);
  EXPECT_EQ(countTiles(kernel, {100, 33, (1 << 30) + 1}).message(), "kernel 'gemm' cuts a loop of 1073741825 steps, the limit is 1073741824");
}

// The hand-worked launches of test/unit/Analysis/CutTailTest.cpp.
TEST(KernelDescription, CutsWhereItSavesASixteenth) {
  KernelDescription kernel = gemm();
  kernel.persistent = true;
  kernel.grid = {{Extent::argument(0), 1}, {Extent::argument(1), 1}};
  kernel.cutLoop = {Extent::argument(2), 16};
  kernel.cutWorthIdle = kernel.cutEvenSpare = 16;
  EXPECT_EQ(*computeGrid(kernel, {5, 7, 64}, 9), 35u);
  EXPECT_EQ(findCutWave(kernel, {5, 7, 64}, 35).tiles, 0);
  EXPECT_EQ(*computeGrid(kernel, {5, 7, 64}, 10), 10u);
  EXPECT_EQ(findCutWave(kernel, {5, 7, 64}, 10).tiles, 5);
  // 16 of 17 blocks, four to a tile; of 14 blocks all.
  EXPECT_EQ(*computeGrid(kernel, {2, 2, 320}, 17), 17u);
  EXPECT_EQ(findCutWave(kernel, {2, 2, 320}, 17).shares, 16);
  EXPECT_EQ(findCutWave(kernel, {2, 2, 320}, 14).shares, 14);
  // 5 of 40 tiles idle, 4 steps each: 2 steps for each of 10 blocks.
  kernel.cutWorthSteps = 2;
  EXPECT_EQ(*computeGrid(kernel, {5, 7, 64}, 10), 10u);
  kernel.cutWorthSteps = 3;
  EXPECT_EQ(*computeGrid(kernel, {5, 7, 64}, 10), 35u);
}

// Clusters of two blocks: 5 * 7 tiles of clusters on 20 blocks, which are 10 clusters, as 35 tiles on 10 blocks above.
TEST(KernelDescription, ClustersShareTilesOfClusters) {
  KernelDescription kernel = gemm();
  kernel.persistent = true;
  kernel.clusterBlocks = 2;
  kernel.grid = {{Extent::argument(0), 1}, {Extent::argument(1), 1}, {Extent::constant(2), 1}};
  kernel.cutLoop = {Extent::argument(2), 16};
  kernel.cutWorthIdle = kernel.cutEvenSpare = 16;
  EXPECT_EQ(*computeGrid(kernel, {5, 7, 64}, 19), 70u);
  EXPECT_EQ(*computeGrid(kernel, {5, 7, 64}, 20), 20u);
  CutWave wave = findCutWave(kernel, {5, 7, 64}, 20);
  EXPECT_EQ(wave.tiles, 5);
  EXPECT_EQ(wave.shares, 10);
  // 5 + 10 - 1 slots, each with the elements of two blocks.
  kernel.workspaces = {{"parts", ElementType::F32, Workspace::Each::Part, 2 * 1024},
                       {"done", ElementType::S32, Workspace::Each::Tile, 2}};
  EXPECT_EQ(countElements(kernel, kernel.workspaces[0], {5, 7, 64}, 20), 14 * 2048);
  EXPECT_EQ(countElements(kernel, kernel.workspaces[1], {5, 7, 64}, 20), 10);
}

TEST(KernelDescription, Span) {
  // Last element at 99 * 40 + 6 = 3966, so 3967 elements of 4 bytes.
  EXPECT_EQ(*spanBytes(ElementType::F32, {100, 7}, {40, 1}), 15868);
  EXPECT_EQ(*spanBytes(ElementType::F32, {100, 0}, {40, 1}), 0);
  EXPECT_EQ(*spanBytes(ElementType::F64, {}, {}), 8);
  // 2^30 * 2^33 = 2^63 bytes is past the limit of 2^62.
  EXPECT_FALSE(spanBytes(ElementType::S8, {(1 << 30) + 1, 1}, {int64_t(1) << 33, 1}).ok());
  EXPECT_EQ(*spanBytes(ElementType::S8, {(1 << 30) + 1, 1}, {int64_t(1) << 31, 1}),
            (int64_t(1) << 61) + 1);
}

TEST(KernelDescription, SelfOverlap) {
  EXPECT_FALSE(mayOverlapItself({4, 8}, {8, 1}));
  EXPECT_TRUE(mayOverlapItself({4, 8}, {7, 1}));
  EXPECT_FALSE(mayOverlapItself({1, 8}, {7, 1}));
  EXPECT_FALSE(mayOverlapItself({8, 4}, {1, 8}));
  EXPECT_TRUE(mayOverlapItself({2, 2}, {1, 1}));
}

TEST(KernelDescription, AcceptsAndRefusesLaunches) {
  EXPECT_EQ(refusal(gemm(), arguments()), "accepted");

  LaunchArguments launch = arguments();
  launch.tensors[1].address = launch.tensors[0].address;
  EXPECT_EQ(refusal(gemm(), launch), "accepted") << "inputs may coincide";

  // B spans (6 * 33 + 33) * 4 = 924 bytes from 8192, up to 9116.
  launch = arguments();
  launch.tensors[2].address = 9112;
  EXPECT_EQ(refusal(gemm(), launch), "tensor 'C' is written and overlaps tensor 'B'");
  launch.tensors[2].address = 9116;
  EXPECT_EQ(refusal(gemm(), launch), "accepted");

  launch = arguments();
  launch.tensors[0].strides = {0, 1};
  EXPECT_EQ(refusal(gemm(), launch),
            "tensor 'A' dimension 0 has stride 0, strides must be positive");
  launch.tensors[0].strides = {7, 2};
  EXPECT_EQ(refusal(gemm(), launch), "tensor 'A' dimension 1 has stride 2, the "
                                     "kernel was compiled for 1");
  launch.tensors[0].strides = {7};
  EXPECT_EQ(refusal(gemm(), launch), "tensor 'A' has rank 2, got 1 strides");

  launch = arguments();
  launch.tensors[2].strides = {32, 1};
  EXPECT_EQ(refusal(gemm(), launch),
            "tensor 'C' is written, but its strides let two elements share "
            "memory");

  launch = arguments();
  launch.tensors[0].address = 4098;
  EXPECT_EQ(refusal(gemm(), launch),
            "tensor 'A' starts 2 bytes past a multiple of 4, the kernel was "
            "compiled for multiples of 4");
  launch.tensors[0].address = 0;
  // (99 * 7 + 7) * 4 = 2800.
  EXPECT_EQ(refusal(gemm(), launch), "tensor 'A' has 2800 bytes but address 0");

  launch = arguments();
  launch.tensors.pop_back();
  EXPECT_EQ(refusal(gemm(), launch), "kernel 'gemm' takes 3 tensors, got 2");
  launch = arguments();
  launch.scalars.clear();
  EXPECT_EQ(refusal(gemm(), launch), "kernel 'gemm' takes 1 scalars, got 0");
}

TEST(KernelDescription, RefusesWhatTheKernelAssumes) {
  KernelDescription kernel = gemm();
  kernel.tensors[0].alignment = 16;
  LaunchArguments launch = arguments();
  launch.tensors[0].address = 4104;
  EXPECT_EQ(refusal(kernel, launch),
            "tensor 'A' starts 8 bytes past a multiple of 16, the kernel was "
            "compiled for multiples of 16");
  kernel = gemm();
  kernel.scalars[0].type = ElementType::S8;
  EXPECT_EQ(refusal(kernel, arguments()),
            "scalar 'alpha' is 1.500000, which is no value of type s8");
}

TEST(KernelDescription, RefusesInconsistentDescriptions) {
  auto broken = [](auto change) {
    KernelDescription kernel = gemm();
    change(kernel);
    MaybeError error = checkDescription(kernel);
    return error ? error->message : std::string("accepted");
  };
  EXPECT_EQ(broken([](auto &kernel) {}), "accepted");
  EXPECT_EQ(broken([](auto &kernel) { kernel.blockThreads = 1025; }),
            "kernel 'gemm' has 1025 threads in a block, allowed are 1..1024");
  EXPECT_EQ(broken([](auto &kernel) { kernel.clusterBlocks = 17; }),
            "kernel 'gemm' has 17 blocks in a cluster, allowed are 1..16");
  EXPECT_EQ(broken([](auto &kernel) { kernel.grid[1].step = 0; }),
            "grid term 1 has step 0, the least is 1");
  EXPECT_EQ(broken([](auto &kernel) { kernel.parameters.push_back(Parameter::size(3)); }),
            "kernel parameter 4 names size 3, there are 3");
  EXPECT_EQ(
      broken([](auto &kernel) { kernel.parameters.push_back(Parameter::tensorStride(2, 2)); }),
      "kernel parameter 4 names dimension 2 of tensor 'C' of rank 2");
  EXPECT_EQ(broken([](auto &kernel) { kernel.tensors[0].strides.pop_back(); }),
            "tensor 'A' has 2 extents and 1 strides");
}

TEST(KernelDescription, ConstantMemoryHoldsOnePieceOf64KiB) {
  auto check = [](auto change) {
    KernelDescription kernel = gemm();
    TensorArgument &tensor = kernel.tensors.emplace_back();
    tensor.name = "W";
    tensor.read = tensor.constant = true;
    tensor.shape = {Extent::constant(128), Extent::constant(128)};
    tensor.strides = {Stride::constant(128), Stride::constant(1)};
    change(kernel, tensor);
    MaybeError error = checkDescription(kernel);
    return error ? error->message : std::string("accepted");
  };
  EXPECT_EQ(check([](auto &, auto &) {}), "accepted"); // 128 * 128 * 4 bytes
  EXPECT_EQ(check([](auto &kernel, auto &tensor) {
              TensorArgument more = tensor;
              more.shape = {Extent::constant(1)};
              more.strides = {Stride::constant(1)};
              kernel.tensors.push_back(more);
            }),
            "kernel 'gemm' has more than 65536 bytes in constant memory");
  EXPECT_EQ(check([](auto &, auto &tensor) { tensor.shape[0] = Extent::constant(int64_t(1) << 30); }),
            "tensor 'W' in constant memory has extent 1073741824, there are 65536 bytes");
  EXPECT_EQ(check([](auto &, auto &tensor) { tensor.strides[0] = Stride::constant(129); }),
            "tensor 'W' in constant memory needs a constant extent and rows without gaps along dimension 0");
  EXPECT_EQ(check([](auto &, auto &tensor) { tensor.shape[1] = Extent::argument(0); }),
            "tensor 'W' in constant memory needs a constant extent and rows without gaps along dimension 1");
  EXPECT_EQ(check([](auto &, auto &tensor) { tensor.written = true; }), "tensor 'W' in constant memory is written, it can only be read");
}

TEST(KernelDescription, PacksParametersInOrder) {
  auto packed = packParameters(gemm(), arguments());
  ASSERT_EQ(packed.size(), 4u);
  uint64_t base;
  ASSERT_EQ(packed[0].size(), sizeof(base));
  std::memcpy(&base, packed[0].data(), sizeof(base));
  EXPECT_EQ(base, 16384u);
  EXPECT_EQ(packed[1], (std::vector<unsigned char>{100, 0, 0, 0}));
  EXPECT_EQ(packed[2], (std::vector<unsigned char>{33, 0, 0, 0, 0, 0, 0, 0}));
  // 1.5 in f16: exponent 15, mantissa 0b1000000000: 0x3e00.
  EXPECT_EQ(packed[3], (std::vector<unsigned char>{0x00, 0x3e}));
}

//===----------------------------------------------------------------------===//
// Tensor maps
//===----------------------------------------------------------------------===//

/// The GEMM with boxes of 16 x 32 elements of B, and a parameter for them.
KernelDescription mapped() {
  KernelDescription kernel = gemm();
  kernel.tensorMaps = {{1, {1, 0}, {32, 16}, Swizzle::None}};
  kernel.parameters.push_back(Parameter::tensorMap(0));
  return kernel;
}

/// K = 7 rows of B with 33 elements, 36 apart: 144 bytes, a multiple of 16.
LaunchArguments mappedArguments() {
  LaunchArguments launch = arguments();
  launch.tensors[1].strides[0] = 36;
  return launch;
}

TEST(TensorMap, ListsWhatTheDriverTakes) {
  const std::vector<TensorMapValues> maps = listTensorMaps(mapped(), mappedArguments());
  ASSERT_EQ(maps.size(), 1u);
  EXPECT_EQ(maps[0].address, 8192u);
  EXPECT_EQ(maps[0].extents, (std::vector<int64_t>{33, 7}));
  EXPECT_EQ(maps[0].strides, (std::vector<int64_t>{4, 144}));
  EXPECT_EQ(maps[0].boxBytes(), 32u * 16 * 4);
  EXPECT_EQ(refusal(mapped(), mappedArguments()), "accepted");

  EncodedTensorMap encoded;
  encoded.bytes[127] = 9;
  const auto packed = packParameters(mapped(), mappedArguments(), {encoded});
  ASSERT_EQ(packed.size(), 5u);
  ASSERT_EQ(packed[4].size(), 128u);
  EXPECT_EQ(packed[4][127], 9);
}

TEST(TensorMap, RefusesWhatTheHardwareCannot) {
  // 33 floats are 132 bytes = 8 * 16 + 4.
  EXPECT_EQ(refusal(mapped(), arguments()),
            "tensor 'B': dimension 1 of the tensor map has a stride of 132 bytes, bulk copies need "
            "multiples of 16 below 2^40");
  LaunchArguments launch = mappedArguments();
  launch.tensors[1].address += 8;
  EXPECT_EQ(refusal(mapped(), launch), "tensor 'B': bulk copies need a base address that is a "
                                       "multiple of 16 bytes, it lies 8 bytes past one");
  KernelDescription kernel = mapped();
  kernel.tensorMaps[0].box = {30, 16};
  EXPECT_EQ(refusal(kernel, mappedArguments()),
            "tensor 'B': rows of the box have 120 bytes, bulk copies need multiples of 16");
  kernel.tensorMaps[0].box = {260, 16};
  EXPECT_EQ(refusal(kernel, mappedArguments()),
            "tensor 'B': dimension 0 of the tensor map has boxes of 260 elements, possible are 1 to 256");
  kernel.tensorMaps[0].box = {32, 0};
  EXPECT_NE(refusal(kernel, mappedArguments()), "accepted");
  kernel.tensorMaps[0] = {1, {1, 0}, {32, 16}, Swizzle::Bytes64};
  EXPECT_EQ(refusal(kernel, mappedArguments()),
            "tensor 'B': rows of the box have 128 bytes, a swizzle of 64 bytes takes no wider ones");
  kernel.tensorMaps[0].swizzle = Swizzle::Bytes128;
  EXPECT_EQ(refusal(kernel, mappedArguments()), "accepted");
  // Rows first: neighbours are 144 bytes apart.
  kernel.tensorMaps[0] = {1, {0, 1}, {4, 32}, Swizzle::None};
  EXPECT_EQ(refusal(kernel, mappedArguments()), "tensor 'B': bulk copies need neighbours along the "
                                                "innermost dimension, its stride is 144 bytes");
}

TEST(TensorMap, EmptyOperandsAreNeverCopied) {
  LaunchArguments launch = arguments();
  launch.sizes[2] = 0;
  EXPECT_EQ(refusal(mapped(), launch), "accepted");
  EXPECT_TRUE(listTensorMaps(mapped(), launch)[0].isEmpty());
}

TEST(TensorMap, RefusesInconsistentDescriptions) {
  auto message = [](const KernelDescription &kernel) {
    MaybeError error = checkDescription(kernel);
    return error ? error->message : "accepted";
  };
  EXPECT_EQ(message(mapped()), "accepted");
  KernelDescription kernel = mapped();
  kernel.tensorMaps[0].tensor = 3;
  EXPECT_EQ(message(kernel), "tensor map 0 names tensor 3, there are 3");
  kernel = mapped();
  kernel.tensorMaps[0].dims = {1, 1};
  EXPECT_EQ(message(kernel), "tensor map 0 must name each of the 2 dimensions of tensor 'B' once");
  kernel = mapped();
  kernel.tensorMaps[0].box = {32};
  EXPECT_EQ(message(kernel), "tensor map 0 has 2 dimensions and boxes of 1");
  kernel = mapped();
  kernel.parameters.back().index = 1;
  EXPECT_EQ(message(kernel), "kernel parameter 4 names tensor map 1, there are 1");
}

TEST(TensorMap, SwizzleMovesChunks) {
  // Rows of 128 bytes: the chunk's number is xored with the row's.
  EXPECT_EQ(swizzled(Swizzle::Bytes128, 3 * 128 + 16), 3u * 128 + 2 * 16);
  EXPECT_EQ(swizzled(Swizzle::Bytes128, 9 * 128 + 20), 9u * 128 + 4);
  // 64: rows of banks 0..3 in turn, on two bits: 2 ^ 3 = 1.
  EXPECT_EQ(swizzled(Swizzle::Bytes64, 3 * 128 + 2 * 16), 3u * 128 + 16);
  EXPECT_EQ(swizzled(Swizzle::Bytes64, 4 * 128 + 2 * 16), 4u * 128 + 2 * 16);
  // 32: one bit.
  EXPECT_EQ(swizzled(Swizzle::Bytes32, 128 + 16), 128u);
  EXPECT_EQ(swizzled(Swizzle::Bytes32, 256 + 16), 256u + 16);
  EXPECT_EQ(swizzled(Swizzle::None, 1000), 1000u);
}

} // namespace
