//===- AbsentElements.h - What absent elements can change --------*- C++ -*-===//
//
// Elements of a tile outside of the operand are absent; they read as zero. Where that
// changes nothing, computation runs on them as well.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_ANALYSIS_ABSENTELEMENTS_H
#define TILEC_ANALYSIS_ABSENTELEMENTS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "tilec/Tile/Tile.h"

namespace tilec::analysis {

/// Does `op` leave its result as it is at a point where the operands in `zero` are zero? The others
/// may be anything, NaN and infinity included, so a product is zero only where both factors are.
bool isZeroNeutral(mlir::linalg::LinalgOp op, llvm::ArrayRef<mlir::OpOperand *> zero);

/// Are there numbers for which an op of the body has no meaning (a division, a shift, a conversion to an integer)? Absent
/// elements may be such numbers, also where nothing is kept of the result.
bool mayHaveNoMeaning(mlir::linalg::LinalgOp op);

/// Does some op write to the tile that `memref` names a part of, or to one that it was staged from? Then absent elements
/// may hold anything.
bool isWrittenInPlace(mlir::Value memref);

/// The stores that take the whole of a held tile to DRAM, or that of tiles each element of which is computed from the one at the
/// same place; none where elements are used for anything else.
llvm::SmallVector<tile::StoreOp> getStores(mlir::Value held);

} // namespace tilec::analysis

#endif // TILEC_ANALYSIS_ABSENTELEMENTS_H
