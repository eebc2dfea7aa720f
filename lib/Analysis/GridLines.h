//===- GridLines.h - Rows and columns that some blocks lie in ----*- C++ -*-===//

#ifndef TILEC_LIB_ANALYSIS_GRIDLINES_H
#define TILEC_LIB_ANALYSIS_GRIDLINES_H

#include "tilec/Analysis/RasterOrder.h"

namespace tilec::analysis {

/// So many different rows and columns of a grid.
struct GridLines {
  int64_t rows = 0;
  int64_t columns = 0;
};

/// Those of blocks first .. first + blocks - 1, at least one, in a grid of `counts` rows and columns.
GridLines countLines(const RasterOrder &order, llvm::ArrayRef<int64_t> counts, int64_t first, int64_t blocks);

} // namespace tilec::analysis

#endif // TILEC_LIB_ANALYSIS_GRIDLINES_H
