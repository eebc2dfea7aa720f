//===- RowGroup.h - Rows that several ops reduce ------------------*- C++ -*-===//
//
// Ops that have their parallel dimensions in common, the rows, and that reduce all other dimensions or none: what they hand to each other belongs to a row,
// so that one unit can do all of them for its rows. Softmax, norms and their like are such groups. Ops have no names here.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_MAPPING_ROWGROUP_H
#define TILEC_MAPPING_ROWGROUP_H

#include "tilec/Mapping/Problem.h"
#include "tilec/Tile/Reduction.h"

namespace tilec::mapping {

/// What an array holds between two of the ops that write it.
struct RowValue {
  /// Who computes it; null for what an operand holds when the kernel begins.
  mlir::linalg::LinalgOp op;
  /// The array, and where elements lie in the group's iteration space.
  Use place;
  /// Of each operand of the op the number of the value that it is; nothing for scalars, for what is not read, and for what a reduction begins with.
  llvm::SmallVector<std::optional<unsigned>> operands;
  /// Of each loop of the op the dimension of the group.
  llvm::SmallVector<unsigned> dims;
  /// What its op reduces by, and what that begins with: a constant or a value.
  std::optional<tile::Combine> kind;
  mlir::TypedAttr init;
  std::optional<unsigned> first;
  /// Do elements differ along a row?
  bool isLong = false;
  /// Reductions that it waits for, one after the other.
  unsigned depth = 0;
  /// Walks along the rows that read it.
  unsigned passes = 0;
};

/// All ops of a kernel.
struct RowGroup {
  /// Each after those that it is computed from.
  std::vector<RowValue> values;
  /// Those that operands hold in the end.
  llvm::SmallVector<unsigned> outputs;
  /// The walks along the rows, in their order: reductions that wait for the same number of others and are of one kind, and last what is stored along rows.
  std::vector<llvm::SmallVector<unsigned>> passes;
  /// May rows that no operand has be computed on? Not where that has no meaning, as a division by an integer.
  bool padsRows = true;

  /// What `value` is computed from that is not computed with it, element by element: operands, what belongs to rows, and what is `made` already.
  llvm::SmallVector<unsigned> getSources(const RowValue &value, llvm::ArrayRef<unsigned> made = {}) const;
  /// Values along rows that may take the place of what they are computed from, which nobody reads after them, and are worth it: functions that several
  /// walks read.
  llvm::SmallVector<unsigned> getMade() const;
  /// Fills in the walks.
  void setPasses();
};

/// The problem of all ops of `kernel`, which are a group of rows. Fails silently where they are none. `arguments` has the value of each size
/// argument by its number.
mlir::FailureOr<Problem> getRowProblem(tile::KernelOp kernel, llvm::ArrayRef<int64_t> arguments);
/// The same of some ops of a kernel, for which `arrays` of it are operands, too.
mlir::FailureOr<Problem> getRowProblem(tile::KernelOp kernel, llvm::ArrayRef<mlir::linalg::LinalgOp> ops, llvm::ArrayRef<mlir::Value> arrays,
                                       llvm::ArrayRef<int64_t> arguments);

} // namespace tilec::mapping

#endif // TILEC_MAPPING_ROWGROUP_H
