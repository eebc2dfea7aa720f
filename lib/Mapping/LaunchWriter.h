//===- LaunchWriter.h - Kernels of some ops of a kernel -----------*- C++ -*-===//

#ifndef TILEC_MAPPING_LAUNCHWRITER_H
#define TILEC_MAPPING_LAUNCHWRITER_H

#include "tilec/Mapping/CopiesAhead.h"
#include "tilec/Tile/Program.h"
#include "llvm/ADT/SetVector.h"

namespace tilec::mapping {

/// An array that a program makes of an argument.
struct Copied {
  mlir::MemRefType type;
  CopyAhead copy;
};

/// Makes kernels of some of a kernel's ops, and the program that runs them.
class LaunchWriter {
public:
  explicit LaunchWriter(tile::KernelOp kernel) : kernel(kernel), block(kernel.getBody().front()) {}

  /// Makes a kernel called `name` of `ops`, in which copies stand for some arguments; `given` is what a run gives to it.
  tile::KernelOp write(llvm::ArrayRef<mlir::linalg::LinalgOp> ops, const llvm::DenseMap<mlir::Value, Copied> &copies, llvm::StringRef name, mlir::OpBuilder &b,
                       llvm::SmallVectorImpl<mlir::Value> &given) const;

  /// Makes the program, with no runs yet; `copied` maps the kernel's arguments to its own.
  tile::ProgramOp writeProgram(mlir::OpBuilder &b, mlir::IRMapping &copied) const;

private:
  void listUses(llvm::ArrayRef<mlir::linalg::LinalgOp> ops, llvm::SetVector<mlir::Value> &memrefs, llvm::SetVector<mlir::Value> &numbers,
                llvm::SetVector<mlir::Operation *> &computed) const;
  bool isInside(mlir::Value memref, llvm::ArrayRef<mlir::linalg::LinalgOp> ops) const;

  tile::KernelOp kernel;
  mlir::Block &block;
};

/// What a kernel says of the extents of an array like an operand of extents `codes`, the array's.
void shapeCodes(const Copied &array, llvm::SmallVectorImpl<int64_t> &codes);

/// The factors of the dimensions in each result of `map`, sums of multiples of them (checkMaps), and last what is added.
llvm::SmallVector<llvm::SmallVector<int64_t>> getFactors(mlir::AffineMap map);

} // namespace tilec::mapping

#endif // TILEC_MAPPING_LAUNCHWRITER_H
