//===- Generics.h - Generic ops with other operands and dimensions -*- C++ -*-===//

#ifndef TILEC_MAPPING_GENERICS_H
#define TILEC_MAPPING_GENERICS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/SetVector.h"

namespace tilec::mapping {

/// Does each of `dims` dimensions stand alone in a subscript of one of `maps`, so that operands say how far it goes?
bool areKnown(llvm::ArrayRef<mlir::AffineMap> maps, unsigned dims);

/// `op` as a generic op, whose maps and results can be other ones, in the place of `op`, which is erased; null where that is not known.
mlir::linalg::GenericOp generalize(mlir::linalg::LinalgOp op);

/// `op` with `inputs`, read by `maps`, for which its body has arguments already.
mlir::linalg::GenericOp replaceInputs(mlir::linalg::GenericOp op, mlir::ValueRange inputs, llvm::ArrayRef<mlir::AffineMap> maps);

/// `op` without the inputs that its body does not read, as far as dimensions stay known.
mlir::linalg::GenericOp dropUnread(mlir::linalg::GenericOp op);

/// The ops of the body of `value` that it is made by.
llvm::SetVector<mlir::Operation *> getMakers(mlir::Value value, mlir::Block *body);

/// Writes copies of the makers of `value` in `body` at `b`, of which `copied` knows the arguments.
mlir::Value copyMade(mlir::OpBuilder &b, mlir::Value value, mlir::Block *body, mlir::IRMapping &copied);

/// `second`, and ahead of it what `first` makes of each element that it works on, as one op in the place of both, which are erased; null where they do not go element by element
/// over one array, which `first` writes.
mlir::linalg::GenericOp joinElementwise(mlir::linalg::GenericOp first, mlir::linalg::GenericOp second);

/// MLIR writes numbers of points that the body of `op` asks for, where its dimensions have become others, as maps: computes them by `arith`.
void computePlaces(mlir::linalg::GenericOp op);

} // namespace tilec::mapping

#endif // TILEC_MAPPING_GENERICS_H
