//===- KernelDescription.cpp - Checking and packing launches --*- C++ -*-===//
//
// Grid, spans, overlap and parameter bytes of a launch.
//
//===----------------------------------------------------------------------===//

#include "tilec/Runtime/KernelDescription.h"

#include <algorithm>
#include <cstring>

namespace tilec::runtime {

namespace {

constexpr int64_t maxBlocks = (int64_t(1) << 31) - 1;
/// A persistent kernel's tile number passes maxExtent by less than this.
constexpr int64_t maxResidentBlocks = 65536;
/// Twice as many steps of a cut loop fit into an int.
constexpr int64_t maxCutSteps = int64_t(1) << 30;
constexpr int64_t maxSpan = int64_t(1) << 62;
constexpr unsigned maxBlockThreads = 1024;
/// The largest cluster any device takes (16 needs the non-portable attribute).
constexpr unsigned maxClusterBlocks = 16;

std::string number(int64_t value) { return std::to_string(value); }
std::string quoted(const std::string &name) { return "'" + name + "'"; }

MaybeError checkExtent(const KernelDescription &kernel, const Extent &extent,
                       const std::string &where) {
  if (extent.size && *extent.size >= kernel.sizes.size())
    return Error{where + " names size " + number(*extent.size) + ", there are " +
                 number(kernel.sizes.size())};
  if (!extent.size && (extent.value < 0 || extent.value > maxExtent))
    return Error{where + " is " + number(extent.value) + ", allowed are 0.." + number(maxExtent)};
  return std::nullopt;
}

MaybeError checkTensor(const KernelDescription &kernel, const TensorArgument &tensor) {
  std::string where = "tensor " + quoted(tensor.name);
  if (tensor.shape.size() != tensor.strides.size())
    return Error{where + " has " + number(tensor.shape.size()) + " extents and " +
                 number(tensor.strides.size()) + " strides"};
  if (tensor.alignment == 0)
    return Error{where + " has alignment 0, the least is 1"};
  for (size_t dim = 0; dim < tensor.shape.size(); ++dim) {
    std::string place = where + " dimension " + number(dim);
    if (MaybeError error = checkExtent(kernel, tensor.shape[dim], place))
      return error;
    const Stride &stride = tensor.strides[dim];
    if (stride.value && *stride.value <= 0)
      return Error{place + " has stride " + number(*stride.value) + ", strides must be positive"};
  }
  return std::nullopt;
}

MaybeError checkTensorMap(const KernelDescription &kernel, size_t position) {
  const TensorMapArgument &map = kernel.tensorMaps[position];
  std::string where = "tensor map " + number(position);
  if (map.tensor >= kernel.tensors.size())
    return Error{where + " names tensor " + number(map.tensor) + ", there are " +
                 number(kernel.tensors.size())};
  const TensorArgument &tensor = kernel.tensors[map.tensor];
  std::vector<unsigned> sorted = map.dims;
  std::sort(sorted.begin(), sorted.end());
  if (sorted.empty() || sorted.size() != tensor.shape.size() || sorted.back() >= sorted.size() ||
      std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
    return Error{where + " must name each of the " + number(tensor.shape.size()) +
                 " dimensions of tensor " + quoted(tensor.name) + " once"};
  if (map.box.size() != map.dims.size())
    return Error{where + " has " + number(map.dims.size()) + " dimensions and boxes of " +
                 number(map.box.size())};
  return std::nullopt;
}

MaybeError checkParameter(const KernelDescription &kernel, const Parameter &parameter,
                          size_t position) {
  std::string where = "kernel parameter " + number(position);
  auto outOfRange = [&](const char *what, size_t count) {
    return Error{where + " names " + what + " " + number(parameter.index) + ", there are " +
                 number(count)};
  };
  switch (parameter.kind) {
  case Parameter::Kind::TensorBase:
  case Parameter::Kind::TensorStride:
    if (parameter.index >= kernel.tensors.size())
      return outOfRange("tensor", kernel.tensors.size());
    if (parameter.kind == Parameter::Kind::TensorStride &&
        parameter.dim >= kernel.tensors[parameter.index].strides.size())
      return Error{where + " names dimension " + number(parameter.dim) + " of tensor " +
                   quoted(kernel.tensors[parameter.index].name) + " of rank " +
                   number(kernel.tensors[parameter.index].strides.size())};
    return std::nullopt;
  case Parameter::Kind::Size:
    if (parameter.index >= kernel.sizes.size())
      return outOfRange("size", kernel.sizes.size());
    return std::nullopt;
  case Parameter::Kind::Scalar:
    if (parameter.index >= kernel.scalars.size())
      return outOfRange("scalar", kernel.scalars.size());
    return std::nullopt;
  case Parameter::Kind::TensorMap:
    if (parameter.index >= kernel.tensorMaps.size())
      return outOfRange("tensor map", kernel.tensorMaps.size());
    return std::nullopt;
  case Parameter::Kind::Workspace:
    if (parameter.index >= kernel.workspaces.size())
      return outOfRange("workspace", kernel.workspaces.size());
    return std::nullopt;
  }
  return std::nullopt;
}

/// Arrays in constant memory are copied as one piece, of a size that is known, and not written.
MaybeError checkConstants(const KernelDescription &kernel) {
  int64_t sum = 0;
  for (const TensorArgument &tensor : kernel.tensors) {
    if (!tensor.constant)
      continue;
    std::string where = "tensor " + quoted(tensor.name) + " in constant memory";
    int64_t elements = 1;
    for (size_t dim = tensor.shape.size(); dim-- > 0;) {
      if (tensor.shape[dim].size || tensor.strides[dim].value != elements)
        return Error{where + " needs a constant extent and rows without gaps along dimension " + number(dim)};
      if (tensor.shape[dim].value > maxConstantBytes)
        return Error{where + " has extent " + number(tensor.shape[dim].value) + ", there are " + number(maxConstantBytes) + " bytes"};
      elements *= tensor.shape[dim].value;
      if (elements > maxConstantBytes)
        break;
    }
    sum += elements * int64_t(byteWidth(tensor.type));
    if (tensor.written)
      return Error{where + " is written, it can only be read"};
    if (sum > maxConstantBytes)
      return Error{"kernel " + quoted(kernel.symbol) + " has more than " + number(maxConstantBytes) + " bytes in constant memory"};
  }
  return std::nullopt;
}

/// The value of an extent whose index and sizes are known to be in range.
int64_t evaluate(const Extent &extent, const std::vector<int64_t> &sizes) {
  return extent.size ? sizes[*extent.size] : extent.value;
}

MaybeError checkSizes(const KernelDescription &kernel, const std::vector<int64_t> &sizes) {
  if (sizes.size() != kernel.sizes.size())
    return Error{"kernel " + quoted(kernel.symbol) + " takes " + number(kernel.sizes.size()) +
                 " sizes, got " + number(sizes.size())};
  for (size_t i = 0; i < sizes.size(); ++i)
    if (sizes[i] < 0 || sizes[i] > maxExtent)
      return Error{"size " + quoted(kernel.sizes[i].name) + " is " + number(sizes[i]) +
                   ", allowed are 0.." + number(maxExtent)};
  return std::nullopt;
}

MaybeError checkBinding(const TensorArgument &tensor, const TensorBinding &binding,
                        const std::vector<int64_t> &shape, int64_t span) {
  std::string where = "tensor " + quoted(tensor.name);
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    int64_t stride = binding.strides[dim];
    const Stride &declared = tensor.strides[dim];
    std::string place = where + " dimension " + number(dim);
    if (declared.value && stride != *declared.value)
      return Error{place + " has stride " + number(stride) + ", the kernel was compiled for " +
                   number(*declared.value)};
  }
  if (span == 0)
    return std::nullopt;
  if (binding.address == 0)
    return Error{where + " has " + number(span) + " bytes but address 0"};
  uint64_t alignment = std::max<uint64_t>(tensor.alignment, byteWidth(tensor.type));
  if (binding.address % alignment != 0)
    return Error{where + " starts " + number(int64_t(binding.address % alignment)) +
                 " bytes past a multiple of " + number(int64_t(alignment)) +
                 ", the kernel was compiled for multiples of " + number(int64_t(alignment))};
  if (binding.address > UINT64_MAX - uint64_t(span))
    return Error{where + " of " + number(span) +
                 " bytes reaches past the end of the address space"};
  if (tensor.written && mayOverlapItself(shape, binding.strides))
    return Error{where + " is written, but its strides let two elements share memory"};
  return std::nullopt;
}

/// ceil(extent / step).
int64_t countSteps(const GridTerm &term, const std::vector<int64_t> &sizes) {
  int64_t extent = evaluate(term.extent, sizes);
  return extent / term.step + (extent % term.step != 0);
}

template <typename T>
std::vector<unsigned char> bytesOf(T value) {
  std::vector<unsigned char> bytes(sizeof(T));
  std::memcpy(bytes.data(), &value, sizeof(T));
  return bytes;
}

} // namespace

bool balancesClusters(const KernelDescription &kernel) {
  constexpr unsigned mostBlocks = 4;
  return kernel.clusterBlocks > 1 && kernel.clusterBlocks <= mostBlocks;
}

MaybeError checkDescription(const KernelDescription &kernel) {
  std::string where = "kernel " + quoted(kernel.symbol);
  for (const TensorArgument &tensor : kernel.tensors)
    if (MaybeError error = checkTensor(kernel, tensor))
      return error;
  if (MaybeError error = checkConstants(kernel))
    return error;
  for (size_t i = 0; i < kernel.tensorMaps.size(); ++i)
    if (MaybeError error = checkTensorMap(kernel, i))
      return error;
  for (size_t i = 0; i < kernel.parameters.size(); ++i)
    if (MaybeError error = checkParameter(kernel, kernel.parameters[i], i))
      return error;
  for (size_t i = 0; i < kernel.grid.size(); ++i) {
    std::string place = "grid term " + number(i);
    if (MaybeError error = checkExtent(kernel, kernel.grid[i].extent, place))
      return error;
    if (kernel.grid[i].step <= 0)
      return Error{place + " has step " + number(kernel.grid[i].step) + ", the least is 1"};
  }
  if (kernel.cutLoop) {
    if (MaybeError error = checkExtent(kernel, kernel.cutLoop->extent, "the cut loop"))
      return error;
    if (kernel.cutLoop->step <= 0 || !kernel.persistent)
      return Error{where + " cuts a loop of step " + number(kernel.cutLoop->step) +
                   "; steps are positive, and the grid is persistent"};
    if (kernel.cutWorthIdle < 1 || kernel.cutWorthSteps < 1 || kernel.cutEvenSpare < 1)
      return Error{where + " cuts where a " + number(kernel.cutWorthIdle) + "th is idle and " + number(kernel.cutWorthSteps) + " steps are saved, evenly with a " +
                   number(kernel.cutEvenSpare) + "th to spare; all are at least 1"};
  }
  if (kernel.blockThreads == 0 || kernel.blockThreads > maxBlockThreads)
    return Error{where + " has " + number(kernel.blockThreads) +
                 " threads in a block, allowed are 1.." + number(maxBlockThreads)};
  if (kernel.clusterBlocks == 0 || kernel.clusterBlocks > maxClusterBlocks)
    return Error{where + " has " + number(kernel.clusterBlocks) +
                 " blocks in a cluster, allowed are 1.." + number(maxClusterBlocks)};
  return std::nullopt;
}

Result<std::vector<int64_t>> tensorShape(const KernelDescription &kernel,
                                         const TensorArgument &tensor,
                                         const std::vector<int64_t> &sizes) {
  if (MaybeError error = checkSizes(kernel, sizes))
    return *error;
  std::vector<int64_t> shape;
  for (size_t dim = 0; dim < tensor.shape.size(); ++dim) {
    std::string place = "tensor " + quoted(tensor.name) + " dimension " + number(dim);
    if (MaybeError error = checkExtent(kernel, tensor.shape[dim], place))
      return *error;
    shape.push_back(evaluate(tensor.shape[dim], sizes));
  }
  return shape;
}

Result<uint32_t> countTiles(const KernelDescription &kernel, const std::vector<int64_t> &sizes) {
  if (MaybeError error = checkDescription(kernel))
    return *error;
  if (MaybeError error = checkSizes(kernel, sizes))
    return *error;
  std::vector<int64_t> factors;
  for (const GridTerm &term : kernel.grid)
    factors.push_back(countSteps(term, sizes));
  // An empty dimension empties the grid however large the others are.
  if (std::find(factors.begin(), factors.end(), 0) != factors.end())
    return uint32_t(0);
  int64_t tiles = 1;
  int64_t limit = kernel.persistent ? maxExtent : maxBlocks;
  for (int64_t factor : factors) {
    if (factor > limit / tiles) // limit_x6
      return Error{"kernel " + quoted(kernel.symbol) + " needs more than " + number(limit) +
                   (kernel.persistent ? " tiles, the limit of a persistent grid"
                                      : " blocks, the limit of gridDim.x")};
    tiles *= factor;
  }
  if (kernel.cutLoop && countSteps(*kernel.cutLoop, sizes) > maxCutSteps) // limit_x6
    return Error{"kernel " + quoted(kernel.symbol) + " cuts a loop of " +
                 number(countSteps(*kernel.cutLoop, sizes)) + " steps, the limit is " +
                 number(maxCutSteps)};
  return uint32_t(tiles);
}

Result<uint32_t> computeGrid(const KernelDescription &kernel, const std::vector<int64_t> &sizes,
                             int64_t residentBlocks) {
  Result<uint32_t> tiles = countTiles(kernel, sizes);
  if (!tiles)
    return tiles;
  int64_t blocks = *tiles;
  if (kernel.cutLoop)
    blocks *= std::max(countSteps(*kernel.cutLoop, sizes), int64_t(1));
  // Whole clusters, at least one.
  int64_t resident = std::min(residentBlocks, maxResidentBlocks) / kernel.clusterBlocks;
  if (kernel.persistent)
    blocks = std::min(blocks, std::max(resident, int64_t(1)) * kernel.clusterBlocks);
  if (kernel.cutLoop && blocks > 0) {
    // Not worth a cut: a block a tile.
    int64_t slots = (*tiles + blocks - 1) / blocks * blocks, idle = slots - *tiles;
    int64_t steps = std::max(countSteps(*kernel.cutLoop, sizes), int64_t(1));
    if (idle * kernel.cutWorthIdle < slots || idle * steps < kernel.cutWorthSteps * blocks)
      blocks = *tiles;
  }
  if (blocks % kernel.clusterBlocks != 0)
    return Error{"kernel " + quoted(kernel.symbol) + " needs " + number(blocks) +
                 " blocks, which clusters of " + number(kernel.clusterBlocks) + " do not divide"};
  return uint32_t(blocks);
}

CutWave findCutWave(const KernelDescription &kernel, const std::vector<int64_t> &sizes,
                    int64_t blocks) {
  CutWave wave;
  Result<uint32_t> tiles = countTiles(kernel, sizes);
  if (!kernel.cutLoop || !tiles || blocks == 0)
    return wave;
  // Clusters share the tiles of clusters.
  blocks /= kernel.clusterBlocks;
  wave.tiles = *tiles / kernel.clusterBlocks % blocks;
  wave.steps = std::max(countSteps(*kernel.cutLoop, sizes), int64_t(1));
  int64_t spare = wave.tiles == 0 ? 0 : blocks % wave.tiles;
  if (spare * kernel.cutEvenSpare <= blocks)
    blocks -= spare;
  wave.shares = std::min(blocks, wave.tiles * wave.steps);
  return wave;
}

int64_t countElements(const KernelDescription &kernel, const Workspace &workspace,
                      const std::vector<int64_t> &sizes, int64_t blocks) {
  CutWave wave = findCutWave(kernel, sizes, blocks);
  int64_t times = workspace.each == Workspace::Each::Part ? wave.slots() : wave.tiles;
  return std::max(workspace.elements * times, int64_t(1));
}

Result<int64_t> spanBytes(ElementType type, const std::vector<int64_t> &shape,
                          const std::vector<int64_t> &strides) {
  if (shape.size() != strides.size())
    return Error{"shape of rank " + number(shape.size()) + " with " + number(strides.size()) +
                 " strides"};
  if (std::find(shape.begin(), shape.end(), 0) != shape.end())
    return int64_t(0);
  int64_t limit = maxSpan / byteWidth(type);
  int64_t last = 0;
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    if (shape[dim] < 0 || strides[dim] <= 0)
      return Error{"dimension " + number(dim) + " has extent " + number(shape[dim]) +
                   " and stride " + number(strides[dim]) +
                   ", extents must not be negative and strides positive"};
    int64_t step = shape[dim] - 1;
    if (step != 0 && strides[dim] > (limit - 1 - last) / step)
      return Error{"dimension " + number(dim) + " with extent " + number(shape[dim]) +
                   " and stride " + number(strides[dim]) +
                   " makes the tensor larger than 2^62 bytes"};
    last += step * strides[dim];
  }
  return (last + 1) * int64_t(byteWidth(type));
}

bool mayOverlapItself(const std::vector<int64_t> &shape, const std::vector<int64_t> &strides) {
  std::vector<std::pair<int64_t, int64_t>> dims;
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    if (shape[dim] == 0)
      return false;
    if (shape[dim] > 1)
      dims.push_back({strides[dim], shape[dim]});
  }
  std::sort(dims.begin(), dims.end());
  int64_t last = 0;
  for (auto [stride, extent] : dims) {
    if (stride <= last)
      return true;
    last += stride * (extent - 1);
  }
  return false;
}

MaybeError checkLaunch(const KernelDescription &kernel, const LaunchArguments &arguments) {
  // Also checks the description and the sizes.
  Result<uint32_t> blocks = computeGrid(kernel, arguments.sizes, /*residentBlocks=*/1);
  if (!blocks)
    return blocks.error();
  auto countError = [&](const char *what, size_t expected, size_t actual) {
    return Error{"kernel " + quoted(kernel.symbol) + " takes " + number(expected) + " " + what +
                 ", got " + number(actual)};
  };
  if (arguments.tensors.size() != kernel.tensors.size())
    return countError("tensors", kernel.tensors.size(), arguments.tensors.size());
  if (arguments.scalars.size() != kernel.scalars.size())
    return countError("scalars", kernel.scalars.size(), arguments.scalars.size());
  for (size_t i = 0; i < kernel.scalars.size(); ++i) {
    const ScalarArgument &scalar = kernel.scalars[i];
    double value = arguments.scalars[i];
    if (!isFloatingPoint(scalar.type) && roundToType(scalar.type, value) != value)
      return Error{"scalar " + quoted(scalar.name) + " is " + std::to_string(value) +
                   ", which is no value of type " + std::string(elementTypeName(scalar.type))};
  }

  std::vector<int64_t> spans;
  for (size_t i = 0; i < kernel.tensors.size(); ++i) {
    const TensorArgument &tensor = kernel.tensors[i];
    const TensorBinding &binding = arguments.tensors[i];
    if (binding.strides.size() != tensor.shape.size())
      return Error{"tensor " + quoted(tensor.name) + " has rank " + number(tensor.shape.size()) +
                   ", got " + number(binding.strides.size()) + " strides"};
    for (size_t dim = 0; dim < binding.strides.size(); ++dim)
      if (binding.strides[dim] <= 0)
        return Error{"tensor " + quoted(tensor.name) + " dimension " + number(dim) +
                     " has stride " + number(binding.strides[dim]) + ", strides must be positive"};
    Result<std::vector<int64_t>> shape = tensorShape(kernel, tensor, arguments.sizes);
    if (!shape)
      return shape.error();
    Result<int64_t> span = spanBytes(tensor.type, *shape, binding.strides);
    if (!span)
      return Error{"tensor " + quoted(tensor.name) + ": " + span.message()};
    if (MaybeError error = checkBinding(tensor, binding, *shape, *span))
      return error;
    spans.push_back(*span);
  }

  for (size_t i = 0; i < kernel.tensors.size(); ++i)
    for (size_t j = i + 1; j < kernel.tensors.size(); ++j) {
      if (!kernel.tensors[i].written && !kernel.tensors[j].written)
        continue;
      uint64_t beginI = arguments.tensors[i].address;
      uint64_t beginJ = arguments.tensors[j].address;
      if (spans[i] == 0 || spans[j] == 0 || beginI + spans[i] <= beginJ ||
          beginJ + spans[j] <= beginI)
        continue;
      bool firstWritten = kernel.tensors[i].written;
      const std::string &written = kernel.tensors[firstWritten ? i : j].name;
      const std::string &other = kernel.tensors[firstWritten ? j : i].name;
      return Error{"tensor " + quoted(written) + " is written and overlaps tensor " +
                   quoted(other)};
    }
  std::vector<TensorMapValues> maps = listTensorMaps(kernel, arguments);
  for (size_t i = 0; i < maps.size(); ++i)
    if (MaybeError error = canEncode(maps[i]))
      return Error{"tensor " + quoted(kernel.tensors[kernel.tensorMaps[i].tensor].name) + ": " +
                   error->message};
  return std::nullopt;
}

std::vector<TensorMapValues> listTensorMaps(const KernelDescription &kernel,
                                            const LaunchArguments &arguments) {
  std::vector<TensorMapValues> maps;
  for (const TensorMapArgument &map : kernel.tensorMaps) {
    const TensorArgument &tensor = kernel.tensors[map.tensor];
    const TensorBinding &binding = arguments.tensors[map.tensor];
    std::vector<int64_t> shape;
    for (const Extent &extent : tensor.shape)
      shape.push_back(evaluate(extent, arguments.sizes));
    maps.push_back(makeTensorMap(map, tensor.type, binding.address, shape, binding.strides));
    if (map.optional && canEncode(maps.back())) // An error: the kernel does without, and takes an empty one.
      maps.back().extents.assign(shape.size(), 0);
  }
  return maps;
}

std::vector<std::vector<unsigned char>> packParameters(const KernelDescription &kernel,
                                                       const LaunchArguments &arguments,
                                                       const std::vector<EncodedTensorMap> &maps) {
  std::vector<std::vector<unsigned char>> packed;
  for (const Parameter &parameter : kernel.parameters) {
    switch (parameter.kind) {
    case Parameter::Kind::TensorBase:
      packed.push_back(bytesOf(arguments.tensors[parameter.index].address));
      break;
    case Parameter::Kind::Size:
      packed.push_back(bytesOf(int32_t(arguments.sizes[parameter.index])));
      break;
    case Parameter::Kind::TensorStride:
      packed.push_back(bytesOf(arguments.tensors[parameter.index].strides[parameter.dim]));
      break;
    case Parameter::Kind::Workspace:
      packed.push_back(bytesOf(arguments.workspaces[parameter.index]));
      break;
    case Parameter::Kind::Scalar: {
      ElementType type = kernel.scalars[parameter.index].type;
      std::vector<unsigned char> bytes(byteWidth(type));
      encodeElement(type, arguments.scalars[parameter.index], bytes.data());
      packed.push_back(std::move(bytes));
      break;
    }
    case Parameter::Kind::TensorMap: {
      const auto &bytes = maps[parameter.index].bytes;
      packed.push_back({bytes.begin(), bytes.end()});
      break;
    }
    }
  }
  return packed;
}

} // namespace tilec::runtime
