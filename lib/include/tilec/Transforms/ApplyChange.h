//===- ApplyChange.h - A nest written otherwise -------------------*- C++ -*-===//

#ifndef TILEC_TRANSFORMS_APPLYCHANGE_H
#define TILEC_TRANSFORMS_APPLYCHANGE_H

#include "tilec/Analysis/Changes.h"

namespace tilec {

/// Writes `change`, which was found on this nest or one with the same loops and tiles, into `kernel`, where nothing is planned yet.
/// `arguments` has the value of each size argument by its number. Tiles that get other extents leave their layout open. Fails where
/// the kernel cannot be analysed; what comes out need not verify.
mlir::LogicalResult applyChange(tile::KernelOp kernel, llvm::ArrayRef<int64_t> arguments, const analysis::Change &change);

/// Lays out the staged tiles of `kernel` that leave it open as those of `planned`, the same nest with other sizes: rows or columns
/// side by side, as far apart more than they are long. That costs nothing, and comes near to what planning would find.
void carryLayouts(tile::KernelOp kernel, const analysis::NestModel &planned);

} // namespace tilec

#endif // TILEC_TRANSFORMS_APPLYCHANGE_H
