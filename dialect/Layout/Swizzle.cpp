//===- Swizzle.cpp - Swizzles and composed layouts --------------*- C++ -*-===//

#include "tilec/Layout/Swizzle.h"

#include "CheckedMath.h"

#include <algorithm>

using namespace tilec::layout;

//===----------------------------------------------------------------------===//
// Swizzle
//===----------------------------------------------------------------------===//

Result<Swizzle> Swizzle::get(int64_t bits, int64_t base, int64_t shift) {
  std::string text =
      "Sw<" + std::to_string(bits) + "," + std::to_string(base) + "," + std::to_string(shift) + ">";
  // Bounds first, so that the sum below cannot overflow.
  for (int64_t part : {bits, base, shift})
    if (part < -32 || part > 32)
      return Error{text + ": each of B, M and S lies between -32 and 32"};
  int64_t distance = shift < 0 ? -shift : shift;
  if (bits < 0 || base < 0)
    return Error{text + ": B and M are at least 0"};
  if (distance < bits)
    return Error{text + ": |S| = " + std::to_string(distance) +
                 " is less than B = " + std::to_string(bits)};
  if (bits + base + distance > 32)
    return Error{text + ": B + M + |S| = " + std::to_string(bits + base + distance) +
                 ", at most 32 is allowed"};
  Swizzle swizzle;
  swizzle.bitCount = static_cast<int>(bits);
  swizzle.baseShift = static_cast<int>(base);
  swizzle.shiftAmount = static_cast<int>(shift);
  return swizzle;
}

std::string Swizzle::str() const {
  return "Sw<" + std::to_string(bitCount) + "," + std::to_string(baseShift) + "," +
         std::to_string(shiftAmount) + ">";
}

size_t Swizzle::hash() const {
  return hashCombine(hashCombine(static_cast<size_t>(bitCount), static_cast<size_t>(baseShift)),
                     static_cast<size_t>(shiftAmount));
}

bool Swizzle::operator==(const Swizzle &other) const {
  return bitCount == other.bitCount && baseShift == other.baseShift &&
         shiftAmount == other.shiftAmount;
}

//===----------------------------------------------------------------------===//
// ComposedLayout
//===----------------------------------------------------------------------===//

Result<ComposedLayout> ComposedLayout::get(Swizzle swizzle, int64_t offset, Layout layout) {
  if (offset < 0)
    return Error{"the offset " + std::to_string(offset) + " of a composed layout is negative"};
  // The xor only changes bits below 2^32, so it stays in 64 bits if the sum and that block do.
  auto end = checkedAdd(offset, layout.cosize());
  if (!end || !checkedAdd(*end, int64_t(1) << 33))
    return Error{"the offsets of " + std::to_string(offset) + " o " + layout.str() +
                 " overflow 64 bits"};
  ComposedLayout composed(std::move(layout));
  composed.outer = swizzle;
  composed.base = offset;
  return composed;
}

Result<ComposedLayout> ComposedLayout::withLayout(Layout layout) const {
  if (!outer)
    return ComposedLayout(std::move(layout));
  return get(*outer, base, std::move(layout));
}

/// Does an element lie at each offset below the cosize, since each mode goes on where those of smaller strides end?
static bool hasNoGaps(const Layout &layout) {
  std::vector<Mode> modes = layout.modes();
  std::sort(modes.begin(), modes.end(), [](const Mode &a, const Mode &b) { return a.stride < b.stride; });
  int64_t end = 1;
  for (const Mode &mode : modes) {
    if (mode.extent == 1)
      continue;
    if (mode.stride != end)
      return false;
    end *= mode.extent;
  }
  return true;
}

Result<int64_t> ComposedLayout::cosize() const {
  if (!outer || inner.cosize() == kSymbolic)
    return inner.cosize();
  if (outer->isIdentity())
    return base + inner.cosize();
  constexpr int64_t kEnumerable = int64_t(1) << 24;
  if (!inner.isStatic() || inner.size() > kEnumerable)
    return Error{
        "the cosize of a swizzled layout is found by enumeration: " + formatExtent(inner.size()) +
        " elements, at most " + std::to_string(kEnumerable) + " are enumerated"};
  if (int64_t end = inner.cosize(); base == 0 && end % outer->blockSize() == 0 && hasNoGaps(inner))
    return end;
  int64_t largest = 0;
  for (int64_t i = 0, e = inner.size(); i < e; ++i)
    largest = std::max(largest, (*this)(i));
  return largest + 1;
}

Result<int64_t> ComposedLayout::offset(const IntTuple &coordinate) const {
  Result<int64_t> plain = inner.offset(coordinate);
  if (!plain || !outer)
    return plain;
  auto sum = checkedAdd(base, *plain);
  if (!sum)
    return Error{"the offset of coordinate " + coordinate.str() + " overflows 64 bits"};
  return (*outer)(*sum);
}

std::string ComposedLayout::str() const {
  if (!outer)
    return inner.str();
  return outer->str() + " o " + std::to_string(base) + " o " + inner.str();
}

size_t ComposedLayout::hash() const {
  size_t seed = hashCombine(inner.hash(), static_cast<size_t>(base));
  return outer ? hashCombine(seed, outer->hash()) : seed;
}

bool ComposedLayout::operator==(const ComposedLayout &other) const {
  return outer == other.outer && base == other.base && inner == other.inner;
}
