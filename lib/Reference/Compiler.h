//===- Compiler.h - From a kernel to nodes -----------------------*- C++ -*-===//
//
// Registers for scalars, views for memrefs, a node for each op.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_REFERENCE_COMPILER_H
#define TILEC_LIB_REFERENCE_COMPILER_H

#include "CompileScalar.h"
#include "Program.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tilec::reference {

class Compiler {
public:
  Compiler(Machine &machine) : machine(machine), registers(machine.registers) {}

  llvm::LogicalResult bindArguments(tile::KernelOp kernel, const Arguments &arguments);
  llvm::LogicalResult compileBlock(mlir::Block &block, Body &body);

private:
  llvm::LogicalResult compileOp(mlir::Operation &op, Body &body);
  llvm::LogicalResult compileFor(tile::ForOp loop, Body &body);
  llvm::LogicalResult compileTied(tile::ForOp loop, Body &body);
  llvm::LogicalResult compileIf(mlir::scf::IfOp op, Body &body);
  llvm::LogicalResult compilePart(tile::PartOp part, Body &body);
  llvm::LogicalResult compileHold(tile::HoldOp hold, Body &body);
  llvm::LogicalResult compileStage(tile::StageOp stage, Body &body);
  llvm::LogicalResult compileStore(tile::StoreOp store, Body &body);
  llvm::LogicalResult compileCompute(mlir::linalg::LinalgOp op, Body &body);
  llvm::FailureOr<ComputeNode::Operand> compileOperand(mlir::linalg::LinalgOp op, mlir::OpOperand &operand,
                                                     llvm::ArrayRef<int64_t> extents);

  /// What each element of a held tile begins as.
  static llvm::FailureOr<Element> getInit(tile::HoldOp hold);
  llvm::FailureOr<uint32_t> getView(mlir::Operation *user, mlir::Value memref);
  /// The clause `gather` or `scatter` of `op`.
  template <typename Op>
  llvm::FailureOr<std::optional<Numbered>> getNumbered(Op op);
  llvm::FailureOr<uint32_t> createView(mlir::Value memref, Root *root);
  llvm::FailureOr<uint32_t> createTile(mlir::Value tile);
  llvm::FailureOr<uint32_t> createTile(mlir::Value tile, llvm::ArrayRef<int64_t> shape);
  llvm::SmallVector<int64_t> getShape(mlir::Value memref);
  llvm::FailureOr<uint32_t> createReshaped(mlir::Operation *op);
  llvm::FailureOr<Linear> compileLinear(mlir::Operation *user, mlir::AffineExpr expr, mlir::ValueRange operands);
  llvm::FailureOr<llvm::SmallVector<Linear>> compileSubscripts(mlir::Operation *user, mlir::AffineMap map,
                                                               mlir::ValueRange operands);

  Machine &machine;
  RegisterMap registers;
  llvm::DenseMap<mlir::Value, uint32_t> views;
};

} // namespace tilec::reference

#endif // TILEC_LIB_REFERENCE_COMPILER_H
