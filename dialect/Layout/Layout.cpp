//===- Layout.cpp - A function from coordinates to offsets ------*- C++ -*-===//

#include "tilec/Layout/Layout.h"

#include "CheckedMath.h"
#include "ModePath.h"

using namespace tilec::layout;

std::string tilec::layout::formatMode(const Mode &mode) {
  return formatExtent(mode.extent) + ":" + formatExtent(mode.stride);
}

//===----------------------------------------------------------------------===//
// Construction
//===----------------------------------------------------------------------===//

Layout::Layout() : shapeTuple(1), strideTuple(0), flat{{1, 0}}, modeEnds{1} {}

/// Collects the leaves of a shape and its stride, or the error that one of them is not legal.
static std::optional<Error> collectModes(const IntTuple &shape, const IntTuple &stride,
                                         const ModePath &path, std::vector<Mode> &out) {
  if (shape.isLeaf() != stride.isLeaf() || shape.rank() != stride.rank())
    return Error{"shape and stride differ at " + path.str() + ": " + shape.str() + " against " +
                 stride.str()};
  if (shape.isLeaf()) {
    if (!shape.isSymbolic() && shape.value() < 1)
      return Error{"the extent of " + path.str() + " is " + shape.str() + ", at least 1 is needed"};
    if (!stride.isSymbolic() && stride.value() < 0)
      return Error{"the stride of " + path.str() + " is " + stride.str() +
                   ", negative strides are not supported"};
    out.push_back({shape.value(), stride.value()});
    return std::nullopt;
  }
  if (shape.rank() == 0)
    return Error{path.str() + " is empty"};
  for (size_t i = 0; i < shape.rank(); ++i)
    if (auto error = collectModes(shape.element(i), stride.element(i), path.child(i), out))
      return error;
  return std::nullopt;
}

static size_t countLeaves(const IntTuple &tuple) {
  if (tuple.isLeaf())
    return 1;
  size_t count = 0;
  for (const IntTuple &element : tuple.elements())
    count += countLeaves(element);
  return count;
}

Result<Layout> Layout::get(IntTuple shape, IntTuple stride) {
  Layout layout;
  layout.flat.clear();
  if (auto error = collectModes(shape, stride, ModePath(), layout.flat))
    return *error;

  // The known factors and terms alone must fit, or an unknown one would hide an overflow.
  int64_t knownSize = 1, knownLargest = 0;
  bool symbolicSize = false, symbolicReach = false;
  for (const Mode &mode : layout.flat) {
    bool symbolicExtent = mode.extent == kSymbolic;
    auto size = checkedMul(knownSize, symbolicExtent ? 1 : mode.extent);
    if (!size)
      return Error{"the size of shape " + shape.str() + " overflows 64 bits"};
    knownSize = *size;
    symbolicSize |= symbolicExtent;
    if ((symbolicExtent && mode.stride != 0) || (mode.stride == kSymbolic && mode.extent != 1)) {
      symbolicReach = true;
    } else if (mode.stride > 0) {
      auto reach = checkedMul(mode.extent - 1, mode.stride);
      auto largest = reach ? checkedAdd(knownLargest, *reach) : std::nullopt;
      if (!largest || *largest == INT64_MAX)
        return Error{"the offsets of " + shape.str() + ":" + stride.str() + " overflow 64 bits"};
      knownLargest = *largest;
    }
    if (symbolicExtent || mode.stride == kSymbolic)
      layout.allStatic = false;
  }
  layout.elementCount = symbolicSize ? kSymbolic : knownSize;
  layout.largestOffsetPlusOne = symbolicReach ? kSymbolic : knownLargest + 1;

  layout.modeEnds.clear();
  size_t end = 0;
  for (size_t i = 0; i < shape.rank(); ++i)
    layout.modeEnds.push_back(end += countLeaves(shape.element(i)));
  layout.shapeTuple = std::move(shape);
  layout.strideTuple = std::move(stride);
  return layout;
}

/// Strides of a dense layout; `reversed` makes the last leaf the fastest.
static Result<Layout> dense(const IntTuple &shape, bool reversed) {
  std::vector<int64_t> extents = shape.leaves();
  std::vector<int64_t> strides(extents.size());
  int64_t next = 1;
  for (size_t i = 0; i < extents.size(); ++i) {
    size_t leaf = reversed ? extents.size() - 1 - i : i;
    strides[leaf] = extents[leaf] == 1 ? 0 : next;
    auto product = checkedMul(next, extents[leaf]);
    if (!product)
      return Error{"the size of shape " + shape.str() + " overflows 64 bits"};
    next = *product;
  }
  return Layout::get(shape, shape.withLeaves(strides));
}

Result<Layout> Layout::columnMajor(const IntTuple &shape) { return dense(shape, false); }
Result<Layout> Layout::rowMajor(const IntTuple &shape) { return dense(shape, true); }

Result<Layout> Layout::concat(const std::vector<Layout> &modes) {
  std::vector<IntTuple> shapes, strides;
  for (const Layout &mode : modes) {
    shapes.push_back(mode.shape());
    strides.push_back(mode.stride());
  }
  return get(IntTuple::tuple(std::move(shapes)), IntTuple::tuple(std::move(strides)));
}

Layout Layout::mode(size_t i) const {
  // A mode of a valid layout is valid.
  return *get(shapeTuple.element(i), strideTuple.element(i));
}

//===----------------------------------------------------------------------===//
// Evaluation
//===----------------------------------------------------------------------===//

int64_t Layout::operator()(int64_t index) const {
  int64_t offset = 0;
  size_t last = flat.size() - 1;
  for (size_t i = 0; i < last; ++i) {
    offset += index % flat[i].extent * flat[i].stride;
    index /= flat[i].extent;
  }
  return offset + index * flat[last].stride;
}

int64_t Layout::at(const int64_t *coordinates, size_t count) const {
  int64_t offset = 0;
  size_t leaf = 0;
  for (size_t i = 0; i < count; ++i) {
    int64_t rest = coordinates[i];
    for (size_t last = modeEnds[i] - 1; leaf < last; ++leaf) {
      offset += rest % flat[leaf].extent * flat[leaf].stride;
      rest /= flat[leaf].extent;
    }
    offset += rest * flat[leaf++].stride;
  }
  return offset;
}

/// Splits `index` over the leaves of `shape`, colexicographically, appending one digit for each.
static std::optional<Error> splitIndex(const IntTuple &shape, int64_t index, const ModePath &path,
                                       std::vector<int64_t> &digits) {
  std::vector<int64_t> extents = shape.leaves();
  int64_t rest = index;
  for (size_t i = 0; i < extents.size(); ++i) {
    bool last = i + 1 == extents.size();
    if (extents[i] == kSymbolic && !last)
      return Error{"index " + std::to_string(index) + " of " + path.str() +
                   " cannot be split: the extent of one of its leaves is symbolic"};
    if (last && (extents[i] == kSymbolic || rest < extents[i])) {
      digits.push_back(rest);
      return std::nullopt;
    }
    digits.push_back(rest % extents[i]);
    rest /= extents[i];
  }
  return Error{"index " + std::to_string(index) + " is outside " + path.str() + " of extent " +
               shape.str()};
}

/// The digit of each leaf for a coordinate of any compatible form.
static std::optional<Error> splitCoordinate(const IntTuple &shape, const IntTuple &coordinate,
                                            const ModePath &path, std::vector<int64_t> &digits) {
  if (coordinate.isLeaf()) {
    if (coordinate.value() < 0)
      return Error{"the coordinate of " + path.str() + " is " + coordinate.str() +
                   ", at least 0 is needed"};
    return splitIndex(shape, coordinate.value(), path, digits);
  }
  if (shape.isLeaf() || shape.rank() != coordinate.rank())
    return Error{"coordinate " + coordinate.str() + " does not fit " + path.str() + " of shape " +
                 shape.str()};
  for (size_t i = 0; i < shape.rank(); ++i)
    if (auto error =
            splitCoordinate(shape.element(i), coordinate.element(i), path.child(i), digits))
      return error;
  return std::nullopt;
}

Result<int64_t> Layout::offset(const IntTuple &coordinate) const {
  std::vector<int64_t> digits;
  if (auto error = splitCoordinate(shapeTuple, coordinate, ModePath(), digits))
    return *error;
  int64_t offset = 0;
  for (size_t i = 0; i < flat.size(); ++i) {
    if (digits[i] != 0 && flat[i].stride == kSymbolic)
      return Error{"leaf " + std::to_string(i) + " (" + formatMode(flat[i]) +
                   ") has a symbolic stride, so coordinate " + coordinate.str() +
                   " has no known offset"};
    // Digits of a symbolic extent are not bounded by the layout.
    auto part = checkedMul(digits[i], flat[i].stride);
    auto sum = part ? checkedAdd(offset, *part) : std::nullopt;
    if (!sum)
      return Error{"the offset of coordinate " + coordinate.str() + " overflows 64 bits"};
    offset = *sum;
  }
  return offset;
}

Result<int64_t> Layout::index(const IntTuple &coordinate) const {
  std::vector<int64_t> digits;
  if (auto error = splitCoordinate(shapeTuple, coordinate, ModePath(), digits))
    return *error;
  int64_t index = 0, weight = 1;
  for (size_t i = 0; i < flat.size(); ++i) {
    if (digits[i] != 0 && weight == kSymbolic)
      return Error{"leaf " + std::to_string(i) + " follows a symbolic extent, so coordinate " +
                   coordinate.str() + " has no known index"};
    auto part = checkedMul(digits[i], weight);
    auto sum = part ? checkedAdd(index, *part) : std::nullopt;
    auto next = checkedMul(weight, flat[i].extent);
    if (!sum || !next)
      return Error{"the index of coordinate " + coordinate.str() + " overflows 64 bits"};
    index = *sum;
    weight = *next;
  }
  return index;
}

Result<IntTuple> Layout::unflatten(int64_t index) const {
  std::vector<int64_t> digits;
  if (auto error = splitCoordinate(shapeTuple, index, ModePath(), digits))
    return *error;
  return shapeTuple.withLeaves(digits);
}

//===----------------------------------------------------------------------===//
// Identity
//===----------------------------------------------------------------------===//

std::string Layout::str() const { return shapeTuple.str() + ":" + strideTuple.str(); }

size_t Layout::hash() const { return hashCombine(shapeTuple.hash(), strideTuple.hash()); }

bool Layout::operator==(const Layout &other) const {
  return shapeTuple == other.shapeTuple && strideTuple == other.strideTuple;
}
