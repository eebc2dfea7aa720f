//===- Reduction.h - Loops whose iterations add up ---------------*- C++ -*-===//
//
// What a loop on units that says reduce puts together when it ends, and what may
// be done to it meanwhile.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_TILE_REDUCTION_H
#define TILEC_TILE_REDUCTION_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "tilec/Tile/Tile.h"

namespace tilec::tile {

/// The held tiles of outer scopes that iterations of `loop` add to: those that it ties together, or, in the order of its body,
/// those that are written in it by a part that some induction variable of the loop does not move.
llvm::SmallVector<mlir::Value> getReducedTiles(ForOp loop);

/// Bytes of a thread, 16 registers, that go through shared memory at a time where threads put together what they have.
inline constexpr int64_t kExchangedBytes = 64;

/// The loop at whose end what the iterations of `loop` have, a loop on units that reduces, is put together: the outermost loop in steps around it in which nothing
/// else touches the tiles that it reduces, for in any order they make the same (7.1); `loop` itself where there is none, or where tiles are tied, which have an order (7.5).
ForOp getCombiningLoop(ForOp loop);

/// Is what `op` writes to `init` kind(old value, x), with an x that does not depend on what any result was before? As
/// read off the region: a chain of such operations, `a - x` among those of add.
bool isUpdateBy(mlir::linalg::LinalgOp op, mlir::OpOperand &init, Combine kind);

/// The same of a result whose old value others may depend on.
bool isCombinedBy(mlir::linalg::LinalgOp op, mlir::OpOperand &init, Combine kind);

/// The kind by which it is; absent where there is none.
std::optional<Combine> getUpdateKind(mlir::linalg::LinalgOp op, mlir::OpOperand &init);

/// The value of `type` that changes nothing by `kind`; null for bits of floats.
mlir::TypedAttr getIdentity(Combine kind, mlir::Type type);

/// Rules R1 to R8 of docs/language.md for a loop that says reduce.
mlir::LogicalResult verifyReduction(ForOp loop);

/// Rules R7 and R8 for `op`, which writes `tile` by `carried` in a loop with prefix, and that it is the only one.
mlir::LogicalResult verifyPrefixUpdate(ForOp loop, mlir::Value tile, mlir::linalg::LinalgOp op, mlir::OpOperand &carried);
mlir::LogicalResult verifyOneUpdate(ForOp loop, mlir::Value tile);

/// The result of `op` whose old values are those of the iterations before, in a loop with prefix; null where none is.
mlir::OpOperand *getCarried(mlir::linalg::LinalgOp op);

/// Rules R4 to R6 of it, for one that ties tiles together.
mlir::LogicalResult verifyTied(ForOp loop);

/// Rule F20 of tile.for, as far as it looks at the body, and rules F18 and F19, which look at the loop alone.
mlir::LogicalResult verifyPrefixClause(ForOp loop);
mlir::LogicalResult verifyTiedClause(ForOp loop);

} // namespace tilec::tile

#endif // TILEC_TILE_REDUCTION_H
