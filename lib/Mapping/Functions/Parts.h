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

/// Ahead of bufferization: slices of tensors become copies of them, and what joins tensors becomes what writes a slice for each. Those of static shape.
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
};

/// The box that `op`, on memrefs, moves: into a place of an array, with a constant around it or not, or out of one.
std::optional<OwnNest> getBoxNest(mlir::Operation &op);

/// Does `op` gather elements, and nothing else?
bool gathers(mlir::Operation &op);
/// The elements that `op` gathers. The view of its indices that the nest reads is made ahead of `op`.
std::optional<OwnNest> getGatherNest(mlir::Operation &op);

/// Does `function` gather, or move boxes of, arrays of static shape?
bool hasOwnNests(mlir::func::FuncOp function);

/// Makes a program of `function`: a kernel for each nest of its own, and functions of what stands between, which are returned; these are to become the
/// kernels that the program runs by their names. Fails with a diagnostic where extents are dynamic, or where a view is returned.
mlir::FailureOr<llvm::SmallVector<mlir::func::FuncOp>> partFunction(mlir::func::FuncOp function);

} // namespace tilec::mapping

#endif // TILEC_MAPPING_FUNCTIONS_PARTS_H
