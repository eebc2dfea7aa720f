//===- Copies.h - Cooperative copies to shared memory -------------*- C++ -*-===//

#ifndef TILEC_CONVERSION_COPIES_H
#define TILEC_CONVERSION_COPIES_H

#include "Operands.h"
#include "SharedTiles.h"
#include "Threads.h"

namespace tilec {

/// Which of the forms of a copy is emitted: the one that a launch allows, after asking, or the best, which it is known to.
enum class CopyWidth { Ask, Best };

/// Refuses copies to shared memory that cannot be done, or of which the nest leaves something open.
mlir::LogicalResult checkCopy(tile::StageOp op);

/// What copies of tiles to shared memory by threads together are made of.
struct Copying {
  Context &context;
  Threads &threads;
  Operands &operands;
  SharedTiles &tiles;
  /// Forms that are narrower than they could be are kept small.
  bool narrowIsRare = false;
};

/// The threads copy the tile of `op`, which checkCopy has not refused, to its array.
void copyToShared(Copying copying, tile::StageOp op, CopyWidth width);

} // namespace tilec

#endif // TILEC_CONVERSION_COPIES_H
