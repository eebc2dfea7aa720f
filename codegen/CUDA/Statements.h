//===- Statements.h - Ops as C++ statements ---------------------*- C++ -*-===//
//
// Declarations, loops, conditions, assignments and calls.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_CODEGEN_CUDA_STATEMENTS_H
#define TILEC_CODEGEN_CUDA_STATEMENTS_H

#include "Expressions.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace tilec {

class StatementPrinter {
public:
  StatementPrinter(kernel::FuncOp function, bool lineDirectives) : function(function), lineDirectives(lineDirectives) {}

  /// Prints the function, called `symbol`; fails with a diagnostic on what has no spelling.
  mlir::LogicalResult printKernel(llvm::StringRef symbol);

  const std::string &getText() const { return body; }
  /// For each line of the text, the op of the nest that it comes from.
  llvm::ArrayRef<NestPlace> getPlaces() const { return places; }
  const std::vector<SharedArrayOrigin> &getSharedArrays() const { return sharedArrays; }
  /// The arrays in constant memory, which stand ahead of the kernel.
  llvm::ArrayRef<ConstantArray> getConstants() const { return constants; }
  const TextNeeds &getNeeds() { return expressions.getNeeds(); }

private:
  mlir::LogicalResult printSignature(llvm::StringRef symbol);
  mlir::LogicalResult printBlock(mlir::Block &block);
  mlir::LogicalResult printStatement(mlir::Operation &op);
  mlir::LogicalResult printFor(kernel::ForOp loop);
  mlir::LogicalResult printIf(mlir::scf::IfOp op);
  mlir::LogicalResult printRoles(kernel::RolesOp op);
  mlir::LogicalResult printStore(mlir::memref::StoreOp op);
  mlir::LogicalResult printArray(kernel::RegistersOp op);
  mlir::LogicalResult printFlat(mlir::memref::CollapseShapeOp op);
  mlir::LogicalResult printConstants(llvm::StringRef symbol);
  mlir::LogicalResult printShared(kernel::SharedOp op);
  mlir::LogicalResult printVariable(mlir::Operation &op);
  void line(mlir::Location loc, const llvm::Twine &text);

  kernel::FuncOp function;
  const bool lineDirectives;
  NameScopes names;
  Inlining inlining{function};
  ExpressionPrinter expressions{function, names, inlining};
  unsigned depth = 0;
  /// The condition printed next stands alone in the else of another.
  bool continuesElse = false;
  std::string body;
  std::vector<NestPlace> places;
  std::vector<SharedArrayOrigin> sharedArrays;
  std::vector<ConstantArray> constants;
  unsigned lastLine = 0;
};

} // namespace tilec

#endif // TILEC_CODEGEN_CUDA_STATEMENTS_H
