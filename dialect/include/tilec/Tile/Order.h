//===- Order.h - The order of a computation's points -------------*- C++ -*-===//
//
// `tile.order` on a linalg op: which dimension of its iteration space is walked by which loop (rule C5).
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_TILE_ORDER_H
#define TILEC_TILE_ORDER_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

namespace tilec::tile {

/// An array of 64-bit numbers: the dimensions from the outermost loop to the innermost, each once.
inline constexpr llvm::StringLiteral kOrder = "tile.order";

/// The order that a computation states; nothing where it leaves it open. Of one that verifies.
inline std::optional<llvm::ArrayRef<int64_t>> getOrder(mlir::Operation *compute) {
  auto order = compute->getAttrOfType<mlir::DenseI64ArrayAttr>(kOrder);
  return order ? std::optional(order.asArrayRef()) : std::nullopt;
}

} // namespace tilec::tile

#endif // TILEC_TILE_ORDER_H
