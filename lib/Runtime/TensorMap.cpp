//===- TensorMap.cpp - Descriptions for bulk copies -----------*- C++ -*-===//
//
// Limits and the swizzle's arithmetic.
//
//===----------------------------------------------------------------------===//

#include "tilec/Runtime/TensorMap.h"

#include <algorithm>

namespace tilec::runtime {

namespace {

// All of cuTensorMapEncodeTiled (CUDA driver API 6.30).
constexpr uint64_t chunkBytes = 16;
constexpr int64_t maxStrideBytes = int64_t(1) << 40;
constexpr int64_t maxMapExtent = int64_t(1) << 32;
constexpr unsigned maxBoxExtent = 256;
constexpr size_t maxRank = 5;
/// A swizzle repeats after 8 rows of banks.
constexpr uint64_t bankRowBytes = 128;

std::string number(uint64_t value) { return std::to_string(value); }

} // namespace

unsigned swizzleBytes(Swizzle swizzle) {
  switch (swizzle) {
  case Swizzle::None:
    return 0;
  case Swizzle::Bytes32:
    return 32;
  case Swizzle::Bytes64:
    return 64;
  case Swizzle::Bytes128:
    return 128;
  }
  return 0;
}

uint64_t swizzled(Swizzle swizzle, uint64_t offset) {
  if (swizzle == Swizzle::None)
    return offset;
  // Rows of 32, 64, 128 bytes have 2, 4, 8 chunks: 1, 2, 3 bits of the number of
  // the row of banks move down into the chunk's.
  const uint64_t chunks = swizzleBytes(swizzle) / chunkBytes;
  const uint64_t row = offset / bankRowBytes % chunks;
  return offset ^ row * chunkBytes;
}

bool TensorMapValues::isEmpty() const {
  return std::find(extents.begin(), extents.end(), 0) != extents.end();
}

uint64_t TensorMapValues::boxBytes() const {
  uint64_t bytes = byteWidth(type);
  for (unsigned extent : box)
    bytes *= extent;
  return bytes;
}

TensorMapValues makeTensorMap(const TensorMapArgument &map, ElementType type, uint64_t address,
                              const std::vector<int64_t> &shape,
                              const std::vector<int64_t> &strides) {
  TensorMapValues values;
  values.type = type;
  values.address = address;
  values.box = map.box;
  values.swizzle = map.swizzle;
  for (unsigned dim : map.dims) {
    values.extents.push_back(shape[dim]);
    values.strides.push_back(strides[dim] * int64_t(byteWidth(type)));
  }
  return values;
}

MaybeError canEncode(const TensorMapValues &map) {
  if (map.isEmpty())
    return std::nullopt;
  const size_t rank = map.extents.size();
  if (rank < 1 || rank > maxRank)
    return Error{"a tensor map has 1 to " + number(maxRank) + " dimensions, not " + number(rank)};
  const unsigned width = byteWidth(map.type);
  if (map.address % chunkBytes != 0)
    return Error{"bulk copies need a base address that is a multiple of " + number(chunkBytes) +
                 " bytes, it lies " + number(map.address % chunkBytes) + " bytes past one"};
  if (map.strides[0] != width && map.extents[0] > 1)
    return Error{"bulk copies need neighbours along the innermost dimension, its stride is " +
                 number(map.strides[0]) + " bytes"};
  for (size_t dim = 0; dim < rank; ++dim) {
    const std::string where = "dimension " + number(dim) + " of the tensor map";
    if (map.extents[dim] > maxMapExtent)
      return Error{where + " has " + number(map.extents[dim]) + " elements, at most " +
                   number(maxMapExtent) + " are possible"};
    if (dim > 0 && (map.strides[dim] % int64_t(chunkBytes) != 0 ||
                    map.strides[dim] >= maxStrideBytes))
      return Error{where + " has a stride of " + number(map.strides[dim]) +
                   " bytes, bulk copies need multiples of " + number(chunkBytes) + " below 2^40"};
    if (map.box[dim] < 1 || map.box[dim] > maxBoxExtent)
      return Error{where + " has boxes of " + number(map.box[dim]) + " elements, possible are 1 to " +
                   number(maxBoxExtent)};
  }
  const uint64_t row = uint64_t(map.box[0]) * width;
  if (row % chunkBytes != 0)
    return Error{"rows of the box have " + number(row) + " bytes, bulk copies need multiples of " +
                 number(chunkBytes)};
  if (const unsigned limit = swizzleBytes(map.swizzle); limit != 0 && row > limit)
    return Error{"rows of the box have " + number(row) + " bytes, a swizzle of " + number(limit) +
                 " bytes takes no wider ones"};
  return std::nullopt;
}

} // namespace tilec::runtime
