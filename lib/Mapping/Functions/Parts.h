//===- Parts.h - What functions do by nests that are written ------*- C++ -*-===//
//
// Kernels without loops have no word for what moves boxes of arrays, as pads and slices do, nor for what gathers elements. A function is parted there: each becomes
// a kernel with a nest of its own, and a program runs these and what stands between.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_MAPPING_FUNCTIONS_PARTS_H
#define TILEC_MAPPING_FUNCTIONS_PARTS_H

#include "../NestWriter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <functional>

namespace tilec::mapping {

/// Ahead of bufferization: slices of tensors of static shape become copies of them, and what joins tensors, or pads those that have dynamic extents, becomes what writes a slice for each.
void takeSlices(mlir::ModuleOp module);

/// What a function does by a nest.
struct OwnNest {
  /// The arrays that it works on, and what they are called in its kernel.
  llvm::SmallVector<mlir::Value> operands;
  llvm::SmallVector<llvm::StringRef> names;
  /// The ops that say so; the last has all else before it.
  llvm::SmallVector<mlir::Operation *> ops;
  /// What is added to the function's name.
  llvm::StringRef suffix;
  llvm::SmallVector<int64_t> extents;
  /// Writes the nest over these; `operands` are those of the problem.
  std::function<void(NestWriter &w, const Problem &problem, mlir::ValueRange operands)> write;
  /// The operand that has the extents which are dynamic.
  unsigned walked = 0;
};

/// The box that `op`, on memrefs, moves: into a place of an array, with a constant around it or not, or out of one.
std::optional<OwnNest> getBoxNest(mlir::Operation &op);

/// Does `op` gather elements, and nothing else?
bool gathers(mlir::Operation &op);
/// The elements that `op` gathers. The view of its indices that the nest reads is made ahead of `op`.
std::optional<OwnNest> getGatherNest(mlir::Operation &op);

/// Does `op`, on memrefs, store a slice where an element of an array says?
bool scatters(mlir::Operation &op);
/// What it stores. The view of its indices that the nest reads is made ahead of `op`.
std::optional<OwnNest> getScatterNest(mlir::Operation &op);

/// Indices as an array of one dimension, a view that is made ahead of `reader` where they are none.
mlir::Value getLine(mlir::Value indices, mlir::Operation *reader);

/// Does `function` gather, scatter, or move boxes of arrays?
bool hasOwnNests(mlir::func::FuncOp function);

/// Makes a program of `function`: a kernel for each nest of its own, and functions of what stands between, which are returned; these are to become the
/// kernels that the program runs by their names. Fails with a diagnostic where an extent is that of no argument or result, or where a view is returned.
mlir::FailureOr<llvm::SmallVector<mlir::func::FuncOp>> partFunction(mlir::func::FuncOp function);

/// Gives the runs of a program that partFunction has made the sizes that their kernels take after operands and scalars, when all of these are there.
void giveSizes(tile::ProgramOp program);

} // namespace tilec::mapping

#endif // TILEC_MAPPING_FUNCTIONS_PARTS_H
