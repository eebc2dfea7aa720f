//===- GridLines.h - Lines of a grid that some blocks lie in -----*- C++ -*-===//

#ifndef TILEC_ANALYSIS_GRIDLINES_H
#define TILEC_ANALYSIS_GRIDLINES_H

#include "tilec/Analysis/RasterOrder.h"

namespace tilec::analysis {

/// How many different places along the dimensions `dims` (all others left out) blocks first .. first + blocks - 1, at least one,
/// have in a grid of `counts` tiles; of a grid of rows and columns so many rows for {0}, columns for {1}.
int64_t countLines(const RasterOrder &order, llvm::ArrayRef<int64_t> counts, llvm::ArrayRef<unsigned> dims, int64_t first,
                   int64_t blocks);

} // namespace tilec::analysis

#endif // TILEC_ANALYSIS_GRIDLINES_H
