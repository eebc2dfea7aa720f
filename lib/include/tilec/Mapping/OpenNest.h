//===- OpenNest.h - A nest that leaves sizes open -----------------*- C++ -*-===//
//
// What such a nest computes, as a kernel without loops, and what it says of how: that is kept, whatever else is chosen.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_MAPPING_OPENNEST_H
#define TILEC_MAPPING_OPENNEST_H

#include "mlir/IR/BuiltinOps.h"
#include "tilec/Mapping/Problem.h"

namespace tilec::mapping {

/// A computation of the nest. `moves` has for each of its dimensions the induction variables that move it, the outermost first.
struct WrittenOp {
  mlir::linalg::LinalgOp op;
  llvm::SmallVector<llvm::SmallVector<mlir::Value>> moves;
  /// Of each dimension how far it goes.
  llvm::SmallVector<mlir::OpFoldResult> extents;
};

/// A tile or a part, and where its elements lie in the iteration space of a computation that uses it.
struct WrittenTile {
  mlir::Value tile;
  mlir::AffineMap map;
  /// The number of the computation.
  unsigned op;
};

/// A loop around a computation, and of each of its induction variables the dimension that it moves.
struct WrittenLoop {
  tile::ForOp loop;
  llvm::SmallVector<unsigned> dims;
};

class OpenNest {
public:
  /// Reads a copy of `kernel`, which has open loops. Fails with a diagnostic where it is no computation of whole operands. An open
  /// size that others tell is filled in.
  static mlir::FailureOr<OpenNest> get(tile::KernelOp kernel);

  tile::KernelOp getKernel() const;
  llvm::ArrayRef<WrittenOp> getOps() const { return ops; }
  llvm::ArrayRef<WrittenTile> getTiles() const { return tiles; }

  /// What it computes: a kernel without loops, made by `builder`.
  tile::KernelOp writePlain(mlir::OpBuilder &builder) const;

  /// The number of the computation that `problem`, which was read from the plain kernel, takes for its root.
  unsigned getRoot(const Problem &problem) const;
  /// The loops around computation `op`, the outermost first.
  llvm::SmallVector<WrittenLoop> getLoops(unsigned op) const;

private:
  friend class OpenNestReader;
  bool readsInit(mlir::Value held) const;

  /// A module of the kernel alone.
  mlir::OwningOpRef<mlir::ModuleOp> written;
  std::vector<WrittenOp> ops;
  std::vector<WrittenTile> tiles;
  /// What held tiles are in the plain kernel: operands that they are stored to.
  llvm::DenseMap<mlir::Value, mlir::Value> stored;
  /// The extents of the others, which are arrays there.
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::OpFoldResult>> arrays;
};

} // namespace tilec::mapping

#endif // TILEC_MAPPING_OPENNEST_H
