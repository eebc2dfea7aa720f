//===- ComputeClauses.h - How a computation is done ---------------*- C++ -*-===//
//
// What linalg ops, which are not ours, say of themselves: `tile.order`, which dimension of the iteration space is walked by
// which loop (rule C5), and `tile.instruction`, what computes a point (rule C6).
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_TILE_COMPUTECLAUSES_H
#define TILEC_TILE_COMPUTECLAUSES_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

namespace tilec::tile {

/// An array of 64-bit numbers: the dimensions from the outermost loop to the innermost, each once.
inline constexpr llvm::StringLiteral kOrder = "tile.order";

/// The name of an instruction that multiplies, as `tilec layout print` knows it.
inline constexpr llvm::StringLiteral kInstruction = "tile.instruction";

/// The instruction that computes one point of one thread: the ops of the body, one by one.
inline constexpr llvm::StringLiteral kByElement = "fma";

/// The order that a computation states; nothing where it leaves it open. Of one that verifies.
inline std::optional<llvm::ArrayRef<int64_t>> getOrder(mlir::Operation *compute) {
  auto order = compute->getAttrOfType<mlir::DenseI64ArrayAttr>(kOrder);
  return order ? std::optional(order.asArrayRef()) : std::nullopt;
}

/// The instruction that a computation states; nothing where it leaves it open. Of one that verifies.
inline std::optional<llvm::StringRef> getInstruction(mlir::Operation *compute) {
  auto name = compute->getAttrOfType<mlir::StringAttr>(kInstruction);
  return name ? std::optional(name.getValue()) : std::nullopt;
}

} // namespace tilec::tile

#endif // TILEC_TILE_COMPUTECLAUSES_H
