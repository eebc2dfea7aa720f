//===- TensorMap.h - Descriptions for bulk copies -------------*- C++ -*-===//
//
// Kernels that copy boxes of an operand by the tensor memory accelerator take a
// tensor map as a parameter. Here is what a map says, in the operand's terms,
// and what the hardware can take.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_RUNTIME_TENSORMAP_H
#define TILEC_RUNTIME_TENSORMAP_H

#include "tilec/Runtime/ElementType.h"
#include "tilec/Runtime/Result.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace tilec::runtime {

/// How 16-byte chunks of a box are permuted in shared memory: within rows of so
/// many bytes, chunk number xor row number (modulo the chunks of a row).
enum class Swizzle { None, Bytes32, Bytes64, Bytes128 };

/// Bytes of a row of the swizzle; 0 for none.
unsigned swizzleBytes(Swizzle swizzle);

/// Where the byte at `offset` of a box in row-major order lies in shared memory,
/// counted from a multiple of 1024 bytes: the three bits above the swizzle's
/// rows of 128 bytes are xored into the chunk's number (PTX ISA 5.5.7).
uint64_t swizzled(Swizzle swizzle, uint64_t offset);

/// A kernel's tensor map: boxes of one operand.
struct TensorMapArgument {
  /// Index into KernelDescription::tensors; the elements have its type.
  unsigned tensor = 0;
  /// The operand's dimensions, innermost of the box first. The first one has
  /// stride 1. Each dimension once, 1 to 5 in all.
  std::vector<unsigned> dims;
  /// Extents of the box in elements, in the order of `dims`.
  std::vector<unsigned> box;
  Swizzle swizzle = Swizzle::None;
  /// The kernel copies in another way where the hardware does not take the map: then it is zeros.
  bool optional = false;
};

/// One launch's values of a map, in the order of its dimensions.
struct TensorMapValues {
  ElementType type = ElementType::F32;
  uint64_t address = 0;
  std::vector<int64_t> extents;
  /// In bytes; the first one is an element's size.
  std::vector<int64_t> strides;
  std::vector<unsigned> box;
  Swizzle swizzle = Swizzle::None;

  /// Some extent is 0: such a map is never encoded, nor copied by.
  bool isEmpty() const;
  uint64_t boxBytes() const;
};

/// `map` for an operand of this shape at `address`, strides in elements.
TensorMapValues makeTensorMap(const TensorMapArgument &map, ElementType type, uint64_t address,
                              const std::vector<int64_t> &shape,
                              const std::vector<int64_t> &strides);

/// Nothing where the hardware takes the map (any empty one counts as such);
/// else the first rule that it breaks, with the value and the limit: addresses
/// and strides are multiples of 16 bytes, boxes of up to 256 elements along each
/// dimension, innermost rows of boxes multiples of 16 bytes and no wider than
/// the swizzle. Rules of cuTensorMapEncodeTiled, CUDA driver API 6.30.
MaybeError canEncode(const TensorMapValues &map);

/// The map as kernels take it: opaque, 128 bytes.
struct alignas(64) EncodedTensorMap {
  std::array<unsigned char, 128> bytes = {};
};

} // namespace tilec::runtime

#endif // TILEC_RUNTIME_TENSORMAP_H
