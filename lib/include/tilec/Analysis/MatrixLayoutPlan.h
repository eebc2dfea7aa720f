//===- MatrixLayoutPlan.h - Where tiles that wgmma reads lie -----*- C++ -*-===//
//
// An instruction of a warpgroup reads tiles by descriptors, which know few layouts, and TMA fills them in boxes. A tile whose type
// states no layout gets one that suits both.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_ANALYSIS_MATRIXLAYOUTPLAN_H
#define TILEC_ANALYSIS_MATRIXLAYOUTPLAN_H

#include "tilec/Tile/Tile.h"
#include "tilec/Layout/Swizzle.h"

#include <string>

namespace tilec::analysis {

struct MatrixLayoutPlan {
  layout::ComposedLayout layout;
  /// Bytes of a row within which chunks of 16 bytes change places; 16 without a swizzle.
  int64_t rowBytes = 0;
  /// Which instruction reads the tile.
  std::string instruction;
};

/// The layout of the tile of `stage`: rows along the operand's contiguous dimension, of as many bytes as divide the tile's, 128 at most. Absent
/// where no instruction reads the tile, where TMA does not copy it, and where no layout suits all parts that instructions read.
std::optional<MatrixLayoutPlan> planMatrixLayout(tile::StageOp stage);

} // namespace tilec::analysis

#endif // TILEC_ANALYSIS_MATRIXLAYOUTPLAN_H
