//===- ComputeClauses.h - How a computation is done ---------------*- C++ -*-===//
//
// What linalg ops, which are not ours, say of themselves: `tile.order`, which dimension of the iteration space is walked by
// which loop, and `tile.snake`, forth and back (rule C5), and `tile.instruction`, what computes a point (rule C6).
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_TILE_COMPUTECLAUSES_H
#define TILEC_TILE_COMPUTECLAUSES_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace tilec::tile {

/// An array of 64-bit numbers: the dimensions from the outermost loop to the innermost, each once.
inline constexpr llvm::StringLiteral kOrder = "tile.order";

/// A unit beside kOrder: the innermost dimension goes forth and back, so that each product shares an operand with the one before.
inline constexpr llvm::StringLiteral kSnake = "tile.snake";

/// The name of an instruction that multiplies, as `tilec layout print` knows it.
inline constexpr llvm::StringLiteral kInstruction = "tile.instruction";

/// The instruction that computes one point of one thread: the ops of the body, one by one.
inline constexpr llvm::StringLiteral kByElement = "fma";

/// The order that a computation states; nothing where it leaves it open. Of one that verifies.
inline std::optional<llvm::ArrayRef<int64_t>> getOrder(mlir::Operation *compute) {
  auto order = compute->getAttrOfType<mlir::DenseI64ArrayAttr>(kOrder);
  return order ? std::optional(order.asArrayRef()) : std::nullopt;
}

/// A dimension that is walked forth where the number of `by` is even, and back where it is odd.
struct Turn {
  int64_t dim, by;
};

/// Of an order's dimensions that have more than one place the last two; nothing where there are no two.
std::optional<Turn> findTurn(mlir::linalg::LinalgOp compute, llvm::ArrayRef<int64_t> order);

/// What a computation walks forth and back; nothing where it states no such dimension. Of one that verifies.
inline std::optional<Turn> getTurn(mlir::linalg::LinalgOp compute) {
  return compute->hasAttr(kSnake) ? findTurn(compute, *getOrder(compute)) : std::nullopt;
}

/// The instruction that a computation states; nothing where it leaves it open. Of one that verifies.
inline std::optional<llvm::StringRef> getInstruction(mlir::Operation *compute) {
  auto name = compute->getAttrOfType<mlir::StringAttr>(kInstruction);
  return name ? std::optional(name.getValue()) : std::nullopt;
}

} // namespace tilec::tile

#endif // TILEC_TILE_COMPUTECLAUSES_H
