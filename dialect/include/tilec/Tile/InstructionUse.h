//===- InstructionUse.h - Computations that one instruction does --*- C++ -*-===//
//
// An instruction of the tensor cores is the last unit of a nest: a computation that stands in a loop
// on warpgroup, with no loop on warps or threads between, is one instruction of the warpgroup, and a product in
// a loop on warp one of the warp. Which one follows from the computation's shape, maps and types (rules C7 and C8).
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_TILE_INSTRUCTIONUSE_H
#define TILEC_TILE_INSTRUCTIONUSE_H

#include "mlir/Dialect/Linalg/IR/LinalgInterfaces.h"
#include "tilec/Layout/Instructions.h"
#include "tilec/Tile/Tile.h"

namespace tilec::tile {

/// A computation as an instruction: c(m, n) += a(m, k) * b(n, k), at one place of all other dimensions, as those of a batch or of a filter.
struct InstructionUse {
  std::string name;
  /// Whose threads execute it together.
  Unit unit = Unit::Warpgroup;
  mlir::OpOperand *a = nullptr, *b = nullptr, *c = nullptr;
  /// What it multiplies: elements of a and b as they are, or what the body rounds them to.
  mlir::Type aType, bType;
  /// Dimensions of the iteration space.
  unsigned m = 0, n = 0, k = 0;

  llvm::StringRef getName() const { return name; }
  /// Does it go on while the threads do, and read shared memory then?
  bool isAsynchronous() const { return unit == Unit::Warpgroup; }
  /// Which dimensions of the tile of `operand` are the rows and columns of its matrix: of a and b those along m or n and along k, of c those along m
  /// and n. All others have one element.
  std::pair<unsigned, unsigned> getMatrixDims(mlir::OpOperand &operand) const;
};

/// Registers that a thread of a warpgroup must start with beside those of an instruction's sums, whatever roles are given later: ptxas 13.0 asks for so
/// many more at n = 160 to 256 (its message C7602).
constexpr int64_t kRegistersBesideSums = 26;
/// Of producers beside sums that would spill in every step otherwise: with 40 to 56 neither spills (wgmma_pingpong.mlir, ptxas 13.0), with 24 producers do.
constexpr int64_t kProducerRegistersBesideSums = 40;

/// The loop on warpgroup or warp whose units may execute `compute` together; null where each thread computes on its own.
ForOp getUnitLoop(mlir::Operation *compute);

/// The product that `compute` is where the dimensions of its iteration space have `ranges`, wherever it stands: a use without unit and name. Those of range 1
/// are at one place. Nothing where it is none.
std::optional<InstructionUse> findProduct(mlir::linalg::LinalgOp compute, llvm::ArrayRef<int64_t> ranges);

/// The instruction that `op`, which keeps rule C7, is; nothing where threads compute it by element.
std::optional<InstructionUse> getInstructionUse(mlir::Operation *op);

/// Rules C7 and C8 of one computation.
mlir::LogicalResult verifyInstructionUse(mlir::linalg::LinalgOp compute);

} // namespace tilec::tile

#endif // TILEC_TILE_INSTRUCTIONUSE_H
