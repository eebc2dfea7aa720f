//===- RowBodies.cpp - Bodies of a group of rows ----------------*- C++ -*-===//

#include "RowBodies.h"

using namespace mlir;
using namespace tilec::mapping;

Value BodyWriter::write(unsigned number, Value old) {
  if (Value value = known.lookup(number))
    return value;
  const RowValue &value = group.values[number];
  linalg::LinalgOp op = value.op;
  IRMapping inner = copied;
  for (auto [operand, source] : llvm::zip_equal(op->getOpOperands(), value.operands)) {
    BlockArgument argument = op.getMatchingBlockArgument(&operand);
    if (value.kind && op.isDpsInit(&operand))
      inner.map(argument, old);
    else if (source)
      inner.map(argument, write(*source, Value()));
    else if (!isa<MemRefType>(operand.get().getType()))
      inner.map(argument, copied.lookupOrDefault(operand.get()));
  }
  for (Operation &each : op.getBlock()->without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(each))
      inner.map(index.getResult(), getIndex(value.dims[index.getDim()]));
    else
      b.clone(each, inner);
  }
  Value made = inner.lookupOrDefault(op.getBlock()->getTerminator()->getOperand(0));
  known[number] = made;
  return made;
}
