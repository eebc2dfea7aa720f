//===- CheckedMath.h - Overflow-checked, symbolic-aware integers -*- C++ -*-===//
//
// No value means overflow. A product or sum with an unknown is unknown, except 0 * unknown.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LAYOUT_CHECKEDMATH_H
#define TILEC_LAYOUT_CHECKEDMATH_H

#include "tilec/Layout/IntTuple.h"

#include <optional>

namespace tilec::layout {

inline std::optional<int64_t> checkedMul(int64_t a, int64_t b) {
  if (a == 0 || b == 0)
    return 0;
  if (a == kSymbolic || b == kSymbolic)
    return kSymbolic;
  int64_t product;
  if (__builtin_mul_overflow(a, b, &product))
    return std::nullopt;
  return product;
}

inline std::optional<int64_t> checkedAdd(int64_t a, int64_t b) {
  if (a == kSymbolic || b == kSymbolic)
    return kSymbolic;
  int64_t sum;
  if (__builtin_add_overflow(a, b, &sum))
    return std::nullopt;
  return sum;
}

inline int64_t ceilDiv(int64_t a, int64_t b) { return a / b + (a % b != 0); }

inline size_t hashCombine(size_t seed, size_t value) {
  return seed ^ (value + 0x9e3779b97f4a7c15ULL + (seed << 6) + (seed >> 2));
}

} // namespace tilec::layout

#endif // TILEC_LAYOUT_CHECKEDMATH_H
