//===- InstructionUse.h - Computations that one instruction does --*- C++ -*-===//
//
// An instruction of the tensor cores is the last unit of a nest: a computation that stands in a loop
// on warpgroup, with no loop on warps or threads between, is one instruction of the warpgroup. Which
// one follows from the computation's shape, maps and types (rule C7).
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_TILE_INSTRUCTIONUSE_H
#define TILEC_TILE_INSTRUCTIONUSE_H

#include "mlir/Dialect/Linalg/IR/LinalgInterfaces.h"
#include "tilec/Layout/Instructions.h"
#include "tilec/Tile/Tile.h"

namespace tilec::tile {

/// A computation as an instruction: c(m, n) += a(m, k) * b(n, k).
struct InstructionUse {
  std::string name;
  mlir::OpOperand *a = nullptr, *b = nullptr, *c = nullptr;
  /// What it multiplies: elements of a and b as they are, or what the body rounds them to.
  mlir::Type aType, bType;
  /// Dimensions of the iteration space.
  unsigned m = 0, n = 0, k = 0;

  llvm::StringRef getName() const { return name; }
  /// Which dimension of the tile of `operand`, a or b, runs along k; the other one runs along m or n.
  unsigned getDepthDim(mlir::OpOperand &operand) const;
};

/// The loop on warpgroup whose units execute `compute` together; null where each thread computes on its own.
ForOp getUnitLoop(mlir::Operation *compute);

/// The instruction that `op`, which keeps rule C7, is; nothing where threads compute it by element.
std::optional<InstructionUse> getInstructionUse(mlir::Operation *op);

/// Rule C7 of one computation.
mlir::LogicalResult verifyInstructionUse(mlir::linalg::LinalgOp compute);

} // namespace tilec::tile

#endif // TILEC_TILE_INSTRUCTIONUSE_H
