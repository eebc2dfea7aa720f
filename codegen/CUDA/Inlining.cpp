//===- Inlining.cpp - Variable or expression --------------------*- C++ -*-===//
//
// A value is written where it is used if it is used once, close by, and has no
// name of its own. A load moves over nothing that could change what it reads.
//
//===----------------------------------------------------------------------===//

#include "Printer.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilec;

static bool isLoad(Operation *op) { return isa<memref::LoadOp, kernel::LdgOp, kernel::LdsOp>(op); }

/// Could `op` change what a load reads, or order it against other threads?
static bool isBarrierToLoads(Operation *op) {
  return !isLoad(op) && (op->getNumRegions() != 0 || !isMemoryEffectFree(op));
}

bool Printer::isSimpleTernary(scf::IfOp op) {
  if (op.getNumResults() != 1)
    return false;
  for (Region *region : {&op.getThenRegion(), &op.getElseRegion()})
    for (Operation &inner : region->front().without_terminator())
      if (!matchPattern(&inner, m_Constant()) && !isInlined(inner.getResult(0)))
        return false;
  return true;
}

Operation *Printer::getStatement(Operation *op) {
  while (op->getNumResults() == 1 && isInlined(op->getResult(0)))
    op = *op->getResult(0).getUsers().begin();
  if (isa<scf::YieldOp>(op))
    if (auto condition = dyn_cast<scf::IfOp>(op->getParentOp()))
      return getStatement(condition);
  return op;
}

bool Printer::isInlined(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  auto [it, isNew] = inlined.try_emplace(op, false);
  if (isNew) {
    bool answer = computeInlined(op);
    inlined[op] = answer;
    return answer;
  }
  return it->second;
}

bool Printer::computeInlined(Operation *op) {
  if (matchPattern(op, m_Constant()))
    return true;
  if (op->getNumResults() != 1)
    return false;
  if (isa<arith::IndexCastOp>(op)) // Mostly implicit in C++; no variable for it.
    return !op->getResult(0).use_empty();
  if (!op->getResult(0).hasOneUse())
    return false;
  auto condition = dyn_cast<scf::IfOp>(op);
  bool load = isLoad(op) || condition;
  if (condition ? !isSimpleTernary(condition) : !load && !isMemoryEffectFree(op))
    return false;
  if (!condition && op->getNumRegions() != 0)
    return false;
  Operation *user = *op->getResult(0).getUsers().begin();
  if (user->getBlock() != op->getBlock())
    return false;
  if (isa<arith::MaximumFOp, arith::MinimumFOp>(user)) // Written twice.
    return false;
  if (isa<arith::IndexCastOp>(user) && !user->getResult(0).hasOneUse()) // Written once, used often.
    return false;
  // A name of the source makes a variable, unless it is the name of what it is a part of.
  std::optional<std::string> name = getSourceName(op->getLoc());
  if (name && name != getSourceName(user->getLoc()))
    return false;
  // A ternary's branches are expressions.
  if (isa<scf::ForOp>(user))
    return !load;
  if (!load)
    return true;
  Operation *statement = getStatement(user);
  if (statement->getBlock() != op->getBlock())
    return isa<scf::YieldOp>(user);
  for (Operation *between = op->getNextNode(); between && between != statement; between = between->getNextNode()) {
    bool partOfStatement = between->getNumResults() == 1 && between->getResult(0).hasOneUse() && isa<scf::IfOp>(between);
    if (isBarrierToLoads(between) && !partOfStatement)
      return false;
  }
  return true;
}
