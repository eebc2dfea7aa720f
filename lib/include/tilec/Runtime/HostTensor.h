//===- HostTensor.h - Strided tensors on the host -------------*- C++ -*-===//
//
// Tensors for running and checking kernels: any positive strides, so rows may
// have gaps; gaps and surroundings hold a pattern that shows what a kernel
// must not have read or written.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_RUNTIME_HOSTTENSOR_H
#define TILEC_RUNTIME_HOSTTENSOR_H

#include "tilec/Runtime/ElementType.h"
#include "tilec/Runtime/Result.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tilec::runtime {

/// Strides of a tensor whose last dimension is dense, in elements; rows (the
/// second last dimension) are `rowGap` elements further apart than need be.
/// An extent of 0 counts as 1, so that every stride is positive.
std::vector<int64_t> rowMajorStrides(const std::vector<int64_t> &shape, int64_t rowGap = 0);

class HostTensor {
public:
  /// Elements before and after the tensor that are guarded.
  static constexpr int64_t margin = 64;

  /// Allocates and fills everything with the guard pattern. Fails for extents
  /// below 0, strides that are not positive or let elements share memory, and
  /// tensors that memory does not hold. With `offset`, element 0 lies that many
  /// elements past a multiple of 256 bytes.
  static Result<HostTensor> create(ElementType type, std::vector<int64_t> shape,
                                   std::vector<int64_t> strides, int64_t offset = 0);

  ElementType type() const { return elementType; }
  const std::vector<int64_t> &shape() const { return extents; }
  const std::vector<int64_t> &strides() const { return steps; }
  unsigned rank() const { return unsigned(extents.size()); }
  int64_t elementCount() const;

  /// Element 0. Bytes from here to the end of the last element: spanBytes().
  unsigned char *data() { return storage.data() + start; }
  const unsigned char *data() const { return storage.data() + start; }
  int64_t spanBytes() const { return span; }

  /// All memory including the margins; what a device copy must hold so that
  /// the guards come back for checkGuards. Element 0 is at dataOffset().
  std::vector<unsigned char> &bytes() { return storage; }
  const std::vector<unsigned char> &bytes() const { return storage; }
  int64_t dataOffset() const { return start; }

  /// Distance in elements from element 0 of the element with row-major number
  /// `index`.
  int64_t offsetOf(int64_t index) const;

  /// The element with row-major number `index`.
  double get(int64_t index) const;
  /// Rounds to the element type.
  void set(int64_t index, double value);
  /// The element's bits, zero-extended.
  uint64_t getBits(int64_t index) const;

  /// Elements in row-major order. get and set for all elements, faster.
  std::vector<double> toDoubles() const;
  /// The same of integers, exact in all their bits.
  std::vector<int64_t> toIntegers() const;
  /// Fails where the count of values is not the count of elements.
  MaybeError fromDoubles(const std::vector<double> &values);
  /// The same of a tensor of S64, in all their bits.
  MaybeError fromIntegers(const std::vector<int64_t> &values);

  /// The same elements in their order by other extents, whose product is the same. Of tensors without gaps.
  void reshape(const std::vector<int64_t> &shape);

  /// Do all gaps and margins still hold the guard pattern? Names the first
  /// byte that does not.
  MaybeError checkGuards(const std::string &name) const;

private:
  friend void fillIntegers(HostTensor &tensor, uint64_t seed, int low, int high);
  friend void fillDistinct(HostTensor &tensor, uint64_t seed, int64_t count);
  friend void fillUniform(HostTensor &tensor, uint64_t seed, double low, double high);
  friend void fillConstant(HostTensor &tensor, double value);

  HostTensor() = default;
  template <typename Visit>
  void forEachElement(Visit visit) const;
  MaybeError checkCount(size_t values) const;
  template <typename Value>
  void fill(Value value);

  ElementType elementType = ElementType::F32;
  std::vector<int64_t> extents;
  std::vector<int64_t> steps;
  int64_t start = 0;
  int64_t span = 0;
  std::vector<unsigned char> storage;
};

/// Fills with integers of low..high inclusive, a pure function of the seed and
/// each element's row-major number: the same for every type and stride. With
/// small bounds all sums of products are exact.
void fillIntegers(HostTensor &tensor, uint64_t seed, int low = -4, int high = 4);

/// Fills with integers of 0..count-1, likewise reproducible, the first `count` elements with
/// different ones.
void fillDistinct(HostTensor &tensor, uint64_t seed, int64_t count);

/// Fills with uniform values of [low, high), likewise reproducible; for integer
/// types they are rounded.
void fillUniform(HostTensor &tensor, uint64_t seed, double low = -1.0, double high = 1.0);

/// Every element the same.
void fillConstant(HostTensor &tensor, double value);

} // namespace tilec::runtime

#endif // TILEC_RUNTIME_HOSTTENSOR_H
