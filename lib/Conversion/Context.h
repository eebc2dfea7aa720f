//===- Context.h - What all of the lowering of a nest needs ------*- C++ -*-===//
//
// The nest, the function that it becomes, and which of the function's values
// stands for which of the nest's.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_CONVERSION_CONTEXT_H
#define TILEC_CONVERSION_CONTEXT_H

#include "IndexExpr.h"
#include "Names.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "tilec/Kernel/Kernel.h"

namespace tilec {

using Indices = llvm::SmallVector<mlir::Value>;
using Coordinates = llvm::SmallVector<IndexExpr>;

struct Context {
  Context(tile::KernelOp kernel, kernel::FuncOp function, mlir::OpBuilder &builder)
      : kernel(kernel), b(builder), index(builder), function(function) {}

  /// An extent of the nest as one of the function.
  mlir::OpFoldResult mapExtent(mlir::OpFoldResult extent) const;
  mlir::OpFoldResult getOperandExtent(mlir::Value operand, unsigned dim) const;
  /// Of an operand or a tile.
  mlir::OpFoldResult getExtent(mlir::Value root, unsigned dim) const;
  /// An extent of the function as a value.
  mlir::Value getExtentValue(mlir::Location loc, mlir::OpFoldResult extent);
  /// A sum of the nest's values as a sum of the function's.
  IndexExpr mapSum(const tile::LinearExpr &sum);
  /// The place in the root of `access` of element `offsets` of a part.
  Coordinates mapPlace(const tile::Access &access, const Coordinates &offsets);

  /// Goes on inside of an scf.if.
  void enterIf(mlir::Location loc, mlir::Value condition);
  /// Emits `whole` where `condition` holds, which is null for always, and `other` elsewhere.
  void choose(mlir::Location loc, mlir::Value condition, llvm::function_ref<void()> whole, llvm::function_ref<void()> other);
  /// An array in registers.
  kernel::RegistersOp createArray(mlir::Location loc, llvm::ArrayRef<int64_t> shape, mlir::Type element, mlir::TypedAttr init = {});
  /// A value that a thread keeps across iterations: an int in a register.
  mlir::Value createCounter(mlir::Location loc, llvm::StringRef name, int64_t start);

  tile::KernelOp kernel;
  mlir::OpBuilder &b;
  IndexBuilder index;
  kernel::FuncOp function;
  /// The function's first op beside the arrays in shared memory, which stand ahead of it.
  mlir::Operation *start = nullptr;
  mlir::IRMapping values;
  /// What is being emitted is a second text, for launches that are rare: it is kept small.
  bool isRare = false;
};

} // namespace tilec

#endif // TILEC_CONVERSION_CONTEXT_H
