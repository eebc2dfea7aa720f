//===- Parse.h - Layout text -> values --------------------------*- C++ -*-===//
//
// Every parser reads the whole text, spaces allowed between tokens, and reports the column of the
// first thing it cannot accept. Tuples nest at most 64 deep and hold at most 4096 leaves.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LAYOUT_PARSE_H
#define TILEC_LAYOUT_PARSE_H

#include "tilec/Layout/Algebra.h"
#include "tilec/Layout/Swizzle.h"

#include <string_view>

namespace tilec::layout {

/// A tuple of integers >= 0, as coordinates and profiles are: `3`, `(1,(0,2))`.
Result<IntTuple> parseIntTuple(std::string_view text);

/// `shape:stride`, or a shape alone, which is column-major. `?` is a symbolic extent or stride.
/// Integers may carry CuTe's mark of a static value, `_8`.
Result<Layout> parseLayout(std::string_view text);

/// `Sw<B,M,S>`; `S<B,M,S>`, `Swizzle<B,M,S>` and `SW_B_M_S` mean the same.
Result<Swizzle> parseSwizzle(std::string_view text);

/// `swizzle o offset o layout`, or a plain layout.
Result<ComposedLayout> parseComposedLayout(std::string_view text);

/// A layout, or one tiler for each mode in brackets, `[3:3, (2,4):(1,8), _]`; brackets may nest.
Result<Tiler> parseTiler(std::string_view text);

/// An integer in [0, 2^63).
Result<int64_t> parseInteger(std::string_view text);

} // namespace tilec::layout

#endif // TILEC_LAYOUT_PARSE_H
