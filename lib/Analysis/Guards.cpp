//===- Guards.cpp - Points that a computation leaves out --------*- C++ -*-===//
//
// What PointGuards.h says of the nest, on the model.
//
//===----------------------------------------------------------------------===//

#include "Guards.h"

#include "tilec/Analysis/PointGuards.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::analysis;

/// The coordinates of the element that a point uses, in the operand that it is copied from.
static SmallVector<Presence> getElementPresence(const NestModel &model, const ComputeOperand &operand, unsigned first) {
  SmallVector<SmallVector<CountTerm, 2>> dims;
  for (const auto &factors : operand.dims) {
    auto &terms = dims.emplace_back();
    for (auto [dim, factor] : factors)
      terms.push_back({first + dim, factor});
  }
  return getPresence(model, operand.place, dims);
}

SmallVector<Presence> tilec::analysis::getGuards(const NestModel &model, const ComputeModel &compute, unsigned first) {
  auto op = cast<linalg::LinalgOp>(compute.op);
  llvm::SmallDenseMap<OpOperand *, const ComputeOperand *> operands;
  auto inputAt = compute.inputs.begin(), outputAt = compute.outputs.begin();
  for (OpOperand &operand : op->getOpOperands())
    if (isa<MemRefType>(operand.get().getType()))
      operands[&operand] = op.isDpsInit(&operand) ? &*outputAt++ : &*inputAt++;
  PointGuards needed = findGuards(op);
  SmallVector<Presence> guards;
  for (OpOperand *operand : needed.inPlace)
    llvm::append_range(guards, getElementPresence(model, *operands.lookup(operand), first));
  for (StagedCoordinate coordinate : needed.staged)
    guards.push_back(getElementPresence(model, *operands.lookup(coordinate.operand), first)[coordinate.dim]);
  return guards;
}
