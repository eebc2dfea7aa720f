//===- Chain.h - Two products with softmax between ----------------*- C++ -*-===//
//
// A product whose rows are weighted, exp(x - the row's maximum) over the row's sum of these, and multiplied by another matrix: attention. Maximum and sum may be
// taken as the row is walked, for exp(x - a) = exp(x - b) * exp(b - a), so that the first product's result never has to be there as a whole. Ops have no names here.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_MAPPING_CHAIN_H
#define TILEC_MAPPING_CHAIN_H

#include "tilec/Mapping/Problem.h"

namespace tilec::mapping {

/// The ops of a kernel as such products. The iteration space has the dimensions of the rows between, `column` and `depth`.
struct Chain {
  /// queries(row, depth) * keys(key, depth), and weights(row, key) * values(key, column), beside dimensions that all of them have.
  mlir::linalg::LinalgOp first, second;
  /// Of each loop of these its dimension.
  llvm::SmallVector<unsigned> firstDims, secondDims;
  unsigned row, key, depth, column;
  Use queries, keys, values;
  /// What stands between them: numbers of values of the group of rows.
  std::shared_ptr<const RowGroup> rows;
  unsigned scores, maximum, weights;
  /// What weights are powers of, and the operands that it is computed from beside `scores`: absent where it is what `scores` holds times `factor`, which is more than 0.
  std::optional<unsigned> exponent;
  llvm::SmallVector<unsigned> operands;
  double factor = 1;
  /// Do keys beyond the row's own number weigh nothing?
  bool isTriangular = false;
  /// Are powers of 2, and not of e?
  bool isBinary = false;
};

/// The problem of all ops of `kernel`, which are such products; its root is the second one. Fails silently where they are none. `arguments` has the value of each
/// size argument by its number.
mlir::FailureOr<Problem> getChainProblem(tile::KernelOp kernel, llvm::ArrayRef<int64_t> arguments);

} // namespace tilec::mapping

#endif // TILEC_MAPPING_CHAIN_H
