//===- Skew.h - Rows that begin where no vector does ---------------*- C++ -*-===//
//
// Rows of 1001 elements begin elsewhere in a sector each, and vectors of 4 are aligned in one of four. Places that move back along the row by as much as
// the row begins too late are aligned in all: row r at column -(r % 4). That is a sum where a loop over 4 rows says what r % 4 is. What lies before the
// row's beginning is absent.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_MAPPING_SKEW_H
#define TILEC_MAPPING_SKEW_H

#include "NestWriter.h"
#include "tilec/Tile/Access.h"

namespace tilec::mapping {

/// What walks row r begins at column `factor` * (r % `period`) - `back`, which is -`slack` or later and not positive.
struct Skew {
  unsigned row, column;
  int64_t period, factor, back;
  /// How many columns more than a row has each walk takes.
  int64_t slack;
};

/// How rows of `uses` come to begin at multiples of `bytes`, 16 or more, where threads take `vector` elements, as many or more: of those that move with `row` and have neighbours along `column`. A block
/// takes `rows` of them, a power of two. Absent where they begin there anyway, where each use would have to begin elsewhere, and for columns and strides known at launch.
std::optional<Skew> findSkew(const Problem &problem, llvm::ArrayRef<Use> uses, unsigned row, unsigned column, int64_t vector, int64_t rows = 1,
                             int64_t bytes = tile::kWidestBytes);

/// Opens the loops over `blocks`, with what it takes to tell rows apart among them, and moves the writer's places along the columns as `skew` says.
tile::ForOp openSkewed(const Skew &skew, llvm::ArrayRef<LoopOver> blocks, NestWriter &writer);

} // namespace tilec::mapping

#endif // TILEC_MAPPING_SKEW_H
