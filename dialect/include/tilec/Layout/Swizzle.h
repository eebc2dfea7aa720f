//===- Swizzle.h - Swizzles and composed layouts ----------------*- C++ -*-===//
//
// A swizzle permutes offsets by xor so that a tile's rows start in different banks.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LAYOUT_SWIZZLE_H
#define TILEC_LAYOUT_SWIZZLE_H

#include "tilec/Layout/Layout.h"

#include <optional>

namespace tilec::layout {

/// Sw<B,M,S>: x ^ (((x >> (M + max(0,S))) & (2^B - 1)) << (M + max(0,-S))). An involution.
class Swizzle {
public:
  /// The identity, Sw<0,0,0>.
  Swizzle() = default;
  /// Refuses B < 0, M < 0, |S| < B and B + M + |S| > 32.
  static Result<Swizzle> get(int64_t bits, int64_t base, int64_t shift);

  int bits() const { return bitCount; }
  int base() const { return baseShift; }
  int shift() const { return shiftAmount; }
  bool isIdentity() const { return bitCount == 0; }

  /// The swizzled offset of `offset` >= 0.
  int64_t operator()(int64_t offset) const {
    int64_t mask = (int64_t(1) << bitCount) - 1;
    int source = baseShift + (shiftAmount > 0 ? shiftAmount : 0);
    int target = baseShift + (shiftAmount < 0 ? -shiftAmount : 0);
    return offset ^ (((offset >> source) & mask) << target);
  }
  /// Offsets below a multiple of this many stay below it, so a buffer of such a size is enough.
  int64_t blockSize() const {
    if (isIdentity())
      return 1;
    return int64_t(1) << (baseShift + bitCount + (shiftAmount < 0 ? -shiftAmount : 0));
  }

  /// Normal form, Sw<B,M,S>.
  std::string str() const;
  size_t hash() const;
  bool operator==(const Swizzle &other) const;
  bool operator!=(const Swizzle &other) const { return !(*this == other); }

private:
  int bitCount = 0;
  int baseShift = 0;
  int shiftAmount = 0;
};

/// `swizzle o offset o layout`: the coordinate c lies at swizzle(offset + layout(c)). A plain
/// layout is one without a swizzle and with offset 0.
class ComposedLayout {
public:
  ComposedLayout() = default;
  ComposedLayout(Layout layout) : inner(std::move(layout)) {}
  /// Refuses a negative offset and offsets beyond 64 bits.
  static Result<ComposedLayout> get(Swizzle swizzle, int64_t offset, Layout layout);

  bool isPlain() const { return !outer; }
  /// The identity for a plain layout.
  Swizzle swizzle() const { return outer.value_or(Swizzle()); }
  int64_t baseOffset() const { return base; }
  const Layout &layout() const { return inner; }
  /// The same swizzle and offset around another layout.
  Result<ComposedLayout> withLayout(Layout layout) const;

  int64_t size() const { return inner.size(); }
  /// One more than the largest offset; kSymbolic if unknown. Refuses a swizzled layout of more than
  /// 2^24 elements, whose offsets would have to be enumerated.
  Result<int64_t> cosize() const;

  /// As Layout::operator(), Layout::at and Layout::offset.
  int64_t operator()(int64_t index) const { return apply(inner(index)); }
  int64_t at(const int64_t *coordinates, size_t count) const {
    return apply(inner.at(coordinates, count));
  }
  Result<int64_t> offset(const IntTuple &coordinate) const;

  /// Normal form: `Sw<B,M,S> o offset o layout`, or the layout's own if plain.
  std::string str() const;
  size_t hash() const;
  bool operator==(const ComposedLayout &other) const;
  bool operator!=(const ComposedLayout &other) const { return !(*this == other); }

private:
  int64_t apply(int64_t offset) const { return outer ? (*outer)(base + offset) : offset; }

  std::optional<Swizzle> outer;
  int64_t base = 0;
  Layout inner;
};

} // namespace tilec::layout

#endif // TILEC_LAYOUT_SWIZZLE_H
