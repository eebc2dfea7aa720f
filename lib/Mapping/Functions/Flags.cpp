//===- Flags.cpp - Arrays of truth values -----------------------*- C++ -*-===//

#include "Forms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilec;
using linalg::LinalgOp;

static bool isOfFlags(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  return memref && memref.getElementType().isInteger(1);
}

static Type widen(Type type) { return isOfFlags(type) ? MemRefType::Builder(cast<MemRefType>(type)).setElementType(IntegerType::get(type.getContext(), 8)) : type; }

/// Has the body of `op` take bytes for flags, and yield them.
static void widenBody(LinalgOp op) {
  linalg::GenericOp generic = mapping::generalize(op);
  OpBuilder b(generic);
  Block *body = generic.getBody();
  Location loc = generic.getLoc();
  Type byte = b.getI8Type();
  b.setInsertionPointToStart(body);
  for (OpOperand &operand : generic->getOpOperands()) {
    if (!isOfFlags(operand.get().getType()))
      continue;
    BlockArgument element = generic.getMatchingBlockArgument(&operand);
    element.setType(byte);
    if (element.use_empty())
      continue;
    Value none = arith::ConstantOp::create(b, loc, b.getI8IntegerAttr(0));
    Value flag = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, element, none);
    element.replaceAllUsesExcept(flag, flag.getDefiningOp());
  }
  // What gathers hands bytes on.
  for (auto load : body->getOps<memref::LoadOp>())
    if (isOfFlags(load.getMemRefType()))
      load.getResult().setType(byte);
  Operation *yield = body->getTerminator();
  b.setInsertionPoint(yield);
  for (auto [init, yielded] : llvm::zip_equal(generic.getDpsInits(), yield->getOpOperands()))
    if (isOfFlags(init.getType()) && yielded.get().getType() != byte)
      yielded.set(arith::ExtUIOp::create(b, loc, byte, yielded.get()));
}

/// A fill stays one, with a byte.
static bool widenFill(LinalgOp op) {
  auto fill = dyn_cast<linalg::FillOp>(op.getOperation());
  APInt flag;
  if (!fill || !matchPattern(fill.getInputs()[0], m_ConstantInt(&flag)))
    return false;
  OpBuilder b(fill);
  fill->setOperand(0, arith::ConstantOp::create(b, fill.getLoc(), b.getI8IntegerAttr(flag.isZero() ? 0 : 1)));
  Block *body = fill.getBlock();
  for (BlockArgument element : body->getArguments())
    element.setType(b.getI8Type());
  return true;
}

void mapping::widenFlags(func::FuncOp function) {
  SmallVector<LinalgOp> ops;
  function.walk([&](LinalgOp op) {
    if (llvm::any_of(op->getOperandTypes(), isOfFlags))
      ops.push_back(op);
  });
  for (LinalgOp op : ops)
    if (!widenFill(op))
      widenBody(op);
  auto widenAll = [](ValueRange values) {
    for (Value value : values)
      value.setType(widen(value.getType()));
  };
  widenAll(function.getArguments());
  function.walk([&](Operation *op) { widenAll(op->getResults()); });
  function.setFunctionType(FunctionType::get(function.getContext(), llvm::map_to_vector(function.getArgumentTypes(), widen), llvm::map_to_vector(function.getResultTypes(), widen)));
}
