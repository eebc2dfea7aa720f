//===- Inlining.h - Variable or expression ----------------------*- C++ -*-===//
//
// A value is written where it is used if it is used once and has no name of its
// own, or if it is as short as a name. A load moves over nothing that could change
// what it reads.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_CODEGEN_CUDA_INLINING_H
#define TILEC_CODEGEN_CUDA_INLINING_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tilec/Kernel/Kernel.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace tilec {

class Inlining {
public:
  explicit Inlining(kernel::FuncOp function) { limitNesting(function); }

  /// Is the value written where it is used, instead of being a variable?
  bool isInlined(mlir::Value value);
  /// Is a condition's result an expression, were it inlined or not?
  bool isSimpleTernary(mlir::scf::IfOp op);

private:
  bool computeInlined(mlir::Operation *op);
  /// Finds the values that must be variables, or expressions would nest without end.
  void limitNesting(kernel::FuncOp function);
  /// The names and numbers in the text of a value.
  unsigned countTerms(mlir::Value value);
  bool isShort(mlir::Operation *op);
  bool isKnown(mlir::Value value);
  /// The statement that the text of `op` ends up in.
  mlir::Operation *getStatement(mlir::Operation *op);

  llvm::DenseMap<mlir::Operation *, bool> inlined;
  llvm::DenseSet<mlir::Operation *> tooDeep;
};

} // namespace tilec

#endif // TILEC_CODEGEN_CUDA_INLINING_H
