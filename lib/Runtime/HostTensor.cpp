//===- HostTensor.cpp - Strided tensors on the host -----------*- C++ -*-===//
//
// Allocation with guards, element access, fills.
//
//===----------------------------------------------------------------------===//

#include "tilec/Runtime/HostTensor.h"

#include "tilec/Runtime/KernelDescription.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <new>
#include <numeric>

namespace tilec::runtime {

namespace {

/// 0xff in every byte is NaN in each floating-point type (for e4m3 too) and -1
/// or 255 in the integer ones.
constexpr unsigned char guardByte = 0xff;

/// The largest tensor; above, a mistyped extent is likelier than a wish.
constexpr int64_t maxStorageBytes = int64_t(1) << 40;

/// SplitMix64 of a counter: random access, so each element's value depends on
/// nothing but its number.
uint64_t randomBits(uint64_t seed, uint64_t index) {
  uint64_t z = seed * 0xd1342543de82ef95u + (index + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/// Uniform in [0, 1), a multiple of 2^-53.
double randomUnit(uint64_t seed, uint64_t index) {
  return double(randomBits(seed, index) >> 11) * 0x1p-53;
}

std::string shapeText(const std::vector<int64_t> &shape) {
  std::string text = "(";
  for (size_t dim = 0; dim < shape.size(); ++dim)
    text += (dim ? ", " : "") + std::to_string(shape[dim]);
  return text + ")";
}

} // namespace

std::vector<int64_t> rowMajorStrides(const std::vector<int64_t> &shape, int64_t rowGap) {
  std::vector<int64_t> strides(shape.size());
  int64_t stride = 1;
  for (size_t dim = shape.size(); dim-- > 0;) {
    strides[dim] = stride;
    // An overflow saturates: HostTensor::create and checkLaunch refuse it.
    int64_t gap = dim + 1 == shape.size() ? rowGap : 0;
    if (__builtin_mul_overflow(stride, shape[dim] > 0 ? shape[dim] : 1, &stride) ||
        __builtin_add_overflow(stride, gap, &stride))
      stride = std::numeric_limits<int64_t>::max();
  }
  return strides;
}

Result<HostTensor> HostTensor::create(ElementType type, std::vector<int64_t> shape,
                                      std::vector<int64_t> strides, int64_t offset) {
  for (int64_t extent : shape)
    if (extent < 0)
      return Error{"tensor of shape " + shapeText(shape) + " has an extent below 0"};
  Result<int64_t> span = runtime::spanBytes(type, shape, strides);
  if (!span)
    return span.error();
  for (int64_t stride : strides)
    if (stride <= 0)
      return Error{"tensor has stride " + std::to_string(stride) + ", strides must be positive"};
  if (mayOverlapItself(shape, strides))
    return Error{"tensor of shape " + shapeText(shape) + " with strides " + shapeText(strides) +
                 " would hold two elements in one place"};
  int64_t width = byteWidth(type);
  if (offset < 0 || offset > maxStorageBytes / width)
    return Error{"tensor offset of " + std::to_string(offset) + " elements is out of range"};
  if (*span > maxStorageBytes)
    return Error{"tensor of shape " + shapeText(shape) + " with strides " + shapeText(strides) +
                 " takes " + std::to_string(*span) + " bytes, the limit is " +
                 std::to_string(maxStorageBytes)};

  // The margin in front is a multiple of 256 bytes, so a device buffer, which
  // is aligned to that, gives element 0 the alignment that `offset` asks for.
  constexpr int64_t alignment = 256;
  int64_t front = (margin * width + alignment - 1) / alignment * alignment + offset * width;
  int64_t total = front + *span + margin * width;

  HostTensor tensor;
  tensor.elementType = type;
  tensor.extents = std::move(shape);
  tensor.steps = std::move(strides);
  tensor.start = front;
  tensor.span = *span;
  // Without exceptions a vector that finds no memory ends the process; asking
  // first turns the common case, an extent far too large, into an error.
  void *probe = ::operator new(size_t(total), std::nothrow);
  if (!probe)
    return Error{"no memory for a tensor of " + std::to_string(total) + " bytes"};
  ::operator delete(probe);
  tensor.storage.assign(size_t(total), guardByte);
  return tensor;
}

int64_t HostTensor::elementCount() const {
  // The other extents of an empty tensor are not bounded by its span.
  if (std::find(extents.begin(), extents.end(), 0) != extents.end())
    return 0;
  int64_t count = 1;
  for (int64_t extent : extents)
    count *= extent;
  return count;
}

int64_t HostTensor::offsetOf(int64_t index) const {
  int64_t offset = 0;
  for (size_t dim = extents.size(); dim-- > 0;) {
    offset += index % extents[dim] * steps[dim];
    index /= extents[dim];
  }
  return offset;
}

void HostTensor::reshape(const std::vector<int64_t> &shape) {
  extents = shape;
  steps = rowMajorStrides(shape);
}

double HostTensor::get(int64_t index) const {
  return decodeElement(elementType, data() + offsetOf(index) * byteWidth(elementType));
}

void HostTensor::set(int64_t index, double value) {
  encodeElement(elementType, value, data() + offsetOf(index) * byteWidth(elementType));
}

uint64_t HostTensor::getBits(int64_t index) const {
  uint64_t bits = 0;
  std::memcpy(&bits, data() + offsetOf(index) * byteWidth(elementType), byteWidth(elementType));
  return bits;
}

/// Calls visit(byte offset from element 0) in row-major order.
template <typename Visit>
void HostTensor::forEachElement(Visit visit) const {
  int64_t count = elementCount();
  int64_t width = byteWidth(elementType);
  std::vector<int64_t> coordinate(extents.size(), 0);
  int64_t offset = 0;
  for (int64_t index = 0; index < count; ++index) {
    visit(offset * width);
    for (size_t dim = extents.size(); dim-- > 0;) {
      offset += steps[dim];
      if (++coordinate[dim] < extents[dim])
        break;
      offset -= extents[dim] * steps[dim];
      coordinate[dim] = 0;
    }
  }
}

std::vector<double> HostTensor::toDoubles() const {
  std::vector<double> values;
  values.reserve(size_t(elementCount()));
  forEachElement(
      [&](int64_t offset) { values.push_back(decodeElement(elementType, data() + offset)); });
  return values;
}

std::vector<int64_t> HostTensor::toIntegers() const {
  std::vector<int64_t> values;
  values.reserve(size_t(elementCount()));
  forEachElement([&](int64_t offset) {
    int64_t value = 0;
    if (elementType == ElementType::S64)
      std::memcpy(&value, data() + offset, sizeof(value));
    else
      value = static_cast<int64_t>(decodeElement(elementType, data() + offset));
    values.push_back(value);
  });
  return values;
}

MaybeError HostTensor::checkCount(size_t values) const {
  if (int64_t(values) == elementCount())
    return std::nullopt;
  return Error{"tensor of shape " + shapeText(extents) + " takes " + std::to_string(elementCount()) + " values, got " + std::to_string(values)};
}

MaybeError HostTensor::fromIntegers(const std::vector<int64_t> &values) {
  if (MaybeError error = checkCount(values.size()))
    return error;
  const int64_t *next = values.data();
  forEachElement([&](int64_t offset) { std::memcpy(data() + offset, next++, sizeof(*next)); });
  return std::nullopt;
}

MaybeError HostTensor::fromDoubles(const std::vector<double> &values) {
  if (MaybeError error = checkCount(values.size()))
    return error;
  const double *next = values.data();
  forEachElement([&](int64_t offset) { encodeElement(elementType, *next++, data() + offset); });
  return std::nullopt;
}

MaybeError HostTensor::checkGuards(const std::string &name) const {
  std::vector<bool> covered(storage.size(), false);
  int64_t width = byteWidth(elementType);
  forEachElement([&](int64_t offset) {
    for (int64_t byte = 0; byte < width; ++byte)
      covered[size_t(start + offset + byte)] = true;
  });
  for (size_t byte = 0; byte < storage.size(); ++byte) {
    if (covered[byte] || storage[byte] == guardByte)
      continue;
    int64_t distance = int64_t(byte) - start;
    std::string where = distance < 0       ? "before its first element"
                        : distance >= span ? "after its last element"
                                           : "in a gap between its rows";
    return Error{"tensor '" + name + "' was written outside its elements: byte " +
                 std::to_string(distance) + " from element 0, " + where};
  }
  return std::nullopt;
}

/// Element number i in row-major order becomes value(i).
template <typename Value>
void HostTensor::fill(Value value) {
  int64_t index = 0;
  forEachElement([&](int64_t offset) { encodeElement(elementType, value(index++), data() + offset); });
}

void fillIntegers(HostTensor &tensor, uint64_t seed, int low, int high) {
  uint64_t choices = uint64_t(int64_t(high) - low) + 1;
  tensor.fill([=](int64_t i) {
    return double(low + int64_t((randomBits(seed, uint64_t(i)) >> 32) * choices >> 32));
  });
}

void fillDistinct(HostTensor &tensor, uint64_t seed, int64_t count) {
  // Steps of a length that has no divisor in common with how many there are meet all of them.
  int64_t first = int64_t(seed % uint64_t(count)), step = count / 2 + 1;
  while (std::gcd(step, count) != 1)
    ++step;
  tensor.fill([=](int64_t i) { return double((first + i % count * step) % count); });
}

void fillUniform(HostTensor &tensor, uint64_t seed, double low, double high) {
  tensor.fill([=](int64_t i) { return low + (high - low) * randomUnit(seed, uint64_t(i)); });
}

void fillConstant(HostTensor &tensor, double value) {
  tensor.fill([=](int64_t) { return value; });
}

} // namespace tilec::runtime
