//===- MatrixOperand.h - Tiles that wgmma reads where they lie --*- C++ -*-===//
//
// wgmma reads a matrix from shared memory by a descriptor, which knows few layouts (PTX ISA 9.7.15.5.1).
// Whether parts of a tile have one of them follows from the tile's layout.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LAYOUT_MATRIXOPERAND_H
#define TILEC_LAYOUT_MATRIXOPERAND_H

#include "tilec/Layout/Instructions.h"

#include <array>

namespace tilec::layout {

/// What a descriptor says of a matrix, but for its address.
struct MatrixOperand {
  SmemMajor major = SmemMajor::K;
  SmemSwizzle swizzle = SmemSwizzle::None;
  /// The leading and the stride offset of wgmmaCanonicalLayout, in elements.
  int64_t leading = 0, stride = 0;
};

/// Parts of a tile that one instruction each reads: of the two modes of the tile's layout that are the matrix the part's extent, and a
/// number that divides where parts start (0: they all start at 0).
struct MatrixParts {
  std::array<int64_t, 2> extents, divisors;
  /// Which of the two runs along k; the other one runs along m or n.
  unsigned depth = 1;
  /// Their numbers among the modes of the tile's layout; all others have one element.
  std::array<unsigned, 2> modes = {0, 1};
};

/// The descriptor of `parts` of a tile with elements of `elementBits` and layout `tile`. Refuses other
/// layouts than those of wgmmaCanonicalLayout, and parts that start inside of a swizzled pattern's rows.
Result<MatrixOperand> matchMatrixOperand(const ComposedLayout &tile, int64_t elementBits, const MatrixParts &parts);

/// A tile of `extents`, all but two of which are 1, whose rows along mode `along` are pieces of smemSwizzleInfo(swizzle).rowBytes that lie one below the other,
/// swizzled; longer rows are several of them, side by side in the tile and one after the other in shared memory. TMA writes such tiles. Refuses
/// extents that such pieces do not divide.
Result<ComposedLayout> matrixTileLayout(const std::vector<int64_t> &extents, unsigned along, SmemSwizzle swizzle, int64_t elementBits);

} // namespace tilec::layout

#endif // TILEC_LAYOUT_MATRIXOPERAND_H
