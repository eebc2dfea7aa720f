//===- ScalarBody.h - What a computation does at one point -------*- C++ -*-===//
//
// The body of a linalg op, simplified. It is what the lowering makes code of, and what
// the analysis asks which operands are loaded.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_ANALYSIS_SCALARBODY_H
#define TILEC_ANALYSIS_SCALARBODY_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/BuiltinOps.h"

namespace tilec::analysis {

class ScalarBody {
public:
  /// `only`: what is yielded to that result alone.
  explicit ScalarBody(mlir::linalg::LinalgOp op, mlir::OpOperand *only = nullptr);

  /// A copy of the op's block, which ends with its linalg.yield. In place of linalg.index it has arguments.
  mlir::Block &getBlock() { return *scratch->getBody(); }
  /// The element of `operand`, or its value if it is a scalar.
  mlir::BlockArgument getArgument(mlir::OpOperand &operand);
  /// Does what is yielded depend on `operand`? Of operands that are the same element at each point, one is loaded.
  bool isLoaded(mlir::OpOperand &operand) { return !getArgument(operand).use_empty(); }
  /// Loops of the op whose numbers the body uses, and the arguments that stand for them.
  llvm::ArrayRef<std::pair<uint64_t, mlir::BlockArgument>> getNumbers() const { return numbers; }

private:
  void copy();
  void simplify();
  bool isScalar();

  mlir::linalg::LinalgOp op;
  mlir::OpOperand *only;
  mlir::OwningOpRef<mlir::ModuleOp> scratch;
  llvm::SmallVector<std::pair<uint64_t, mlir::BlockArgument>, 2> numbers;
};

} // namespace tilec::analysis

#endif // TILEC_ANALYSIS_SCALARBODY_H
