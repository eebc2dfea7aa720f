//===- MatrixLoad.h - Register tiles loaded as matrices ----------*- C++ -*-===//
//
// ldmatrix loads matrices of 8 rows of 16 bytes: lanes name the rows, and each gets of each matrix the 4 bytes that an instruction
// of the warp wants it to have. Here it is said which tiles can be loaded so, and which lane names which row.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_ANALYSIS_MATRIXLOAD_H
#define TILEC_ANALYSIS_MATRIXLOAD_H

#include "tilec/Analysis/CopyPlan.h"
#include "tilec/Tile/Distribution.h"

namespace tilec::analysis {

/// How instructions load a register tile.
struct MatrixLoad {
  /// The row that each lane names, as if it held its first element; local digits are those of the array that the loads walk.
  tile::Distribution rows;
  /// The loads walk the last of these digits in steps of so many values: the matrices of one load are as many of them.
  int64_t step = 1;
  /// Matrices of one load: 1, 2 or 4. The first 8 lanes name the rows of the first one, and so on.
  int64_t count = 1;
  /// Rows run across what a lane has side by side.
  bool transposes = false;
};

/// How a warp loads what is spread as `held`, `width` elements of each lane at a time, from a tile in shared memory; nothing where rows of
/// 16 bytes are not what it holds, or do not lie side by side and aligned. `divisors` as in CopySource, for the place of the first element.
std::optional<MatrixLoad> getMatrixLoad(const tile::Distribution &held, const layout::ComposedLayout &layout, llvm::ArrayRef<int64_t> divisors,
                                        int64_t elementBytes, int64_t width);

/// How a stage from shared memory to registers is loaded.
struct RegisterLoad {
  /// Elements of a lane at a time.
  int64_t width = 1;
  /// Absent where each lane loads on its own.
  std::optional<MatrixLoad> matrices;
};

/// What `stage` says where that can be done, else what is best for it.
RegisterLoad getRegisterLoad(tile::StageOp stage, const tile::Distribution &held, const layout::ComposedLayout &layout,
                             const TilePlace &place);

} // namespace tilec::analysis

#endif // TILEC_ANALYSIS_MATRIXLOAD_H
