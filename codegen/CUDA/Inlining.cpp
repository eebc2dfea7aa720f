//===- Inlining.cpp - Variable or expression --------------------*- C++ -*-===//
//
// See Inlining.h.
//
//===----------------------------------------------------------------------===//

#include "Inlining.h"

#include "Names.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilec;

static bool isLoad(Operation *op) { return isa<memref::LoadOp, kernel::LdgOp, kernel::LdcOp, kernel::LdsOp>(op); }

/// Could `op` change what a load reads, or order it against other threads?
static bool isBarrierToLoads(Operation *op) {
  return !isLoad(op) && (op->getNumRegions() != 0 || !isMemoryEffectFree(op));
}

bool Inlining::isSimpleTernary(scf::IfOp op) {
  if (op.getNumResults() != 1)
    return false;
  for (Region *region : {&op.getThenRegion(), &op.getElseRegion()})
    for (Operation &inner : region->front().without_terminator())
      if (inner.getNumResults() != 1 || (!matchPattern(&inner, m_Constant()) && !isInlined(inner.getResult(0))))
        return false;
  return true;
}

Operation *Inlining::getStatement(Operation *op) {
  while (op->getNumResults() == 1 && isInlined(op->getResult(0)))
    op = *op->getResult(0).getUsers().begin();
  if (isa<scf::YieldOp>(op))
    if (auto condition = dyn_cast<scf::IfOp>(op->getParentOp()))
      return getStatement(condition);
  return op;
}

bool Inlining::isInlined(Value value) {
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

/// Arithmetic on integers that any compiler moves out of a loop by itself.
static bool isCheap(Operation *op) {
  if (isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::CmpIOp>(op))
    return true;
  return isa<arith::DivSIOp, arith::RemSIOp>(op) && matchPattern(op->getOperand(1), m_Constant());
}

static bool isUnrolledVariable(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  auto loop = argument ? dyn_cast<kernel::ForOp>(argument.getOwner()->getParentOp()) : kernel::ForOp();
  return loop && loop.isWrittenOut();
}

unsigned Inlining::countTerms(Value value) {
  Operation *op = value.getDefiningOp();
  constexpr unsigned kMany = 100; // What reads memory stays where it is.
  if (op && isLoad(op) && value.hasOneUse()) // Whether it is inlined may depend on this answer.
    return kMany;
  if (!op || matchPattern(op, m_Constant()) || !isInlined(value))
    return 1;
  if (isa<arith::IndexCastOp>(op))
    return countTerms(op->getOperand(0));
  if (!isCheap(op))
    return kMany;
  return countTerms(op->getOperand(0)) + countTerms(op->getOperand(1));
}

bool Inlining::isShort(Operation *op) {
  constexpr unsigned kMostTerms = 4;
  return isCheap(op) && countTerms(op->getOperand(0)) + countTerms(op->getOperand(1)) <= kMostTerms;
}

/// Known when the text is compiled: made of constants and variables of loops that are written out.
bool Inlining::isKnown(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return isUnrolledVariable(value);
  return matchPattern(op, m_Constant()) || (isCheap(op) && isInlined(value) && llvm::all_of(op->getOperands(), [&](Value x) { return isKnown(x); }));
}

/// Host compilers refuse parentheses deeper than 256 (clang's -fbracket-depth), and printing recurses.
void Inlining::limitNesting(kernel::FuncOp function) {
  constexpr unsigned kDeepest = 64;
  llvm::DenseMap<Operation *, unsigned> heights;
  function.walk([&](Operation *op) { // What stands inside of an op comes before it.
    unsigned height = 0;
    for (Value value : op->getOperands())
      if (Operation *def = value.getDefiningOp(); def && value.hasOneUse())
        height = std::max(height, heights.lookup(def) + 1);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        if (block.mightHaveTerminator())
          height = std::max(height, heights.lookup(block.getTerminator()));
    if (height > kDeepest) {
      tooDeep.insert(op);
      height = 0;
    }
    heights[op] = height;
  });
}

/// Does C++ evaluate this operand only where another one asks for it?
static bool isLazy(OpOperand &use) {
  bool isLogic = isa<arith::AndIOp, arith::OrIOp>(use.getOwner()) && use.get().getType().isInteger(1);
  return use.getOperandNumber() > 0 && (isLogic || isa<arith::SelectOp>(use.getOwner()));
}

/// Is `op` a load, perhaps under a condition, or made of one that nobody else uses?
static bool holdsLoad(Operation *op) {
  return isLoad(op) || isa<scf::IfOp>(op) || llvm::any_of(op->getOperands(), [](Value operand) {
           return operand.getDefiningOp() && operand.hasOneUse() && holdsLoad(operand.getDefiningOp());
         });
}

bool Inlining::computeInlined(Operation *op) {
  if (matchPattern(op, m_Constant()))
    return true;
  if (op->getNumResults() != 1 || isa<memref::CollapseShapeOp, kernel::ConstantOp>(op) || tooDeep.contains(op))
    return false;
  std::optional<std::string> name = getSourceName(op->getLoc());
  if (isa<arith::IndexCastOp>(op)) // Mostly implicit in C++; no variable for it.
    return !op->getResult(0).use_empty() && !name;
  if (!name && isShort(op)) {
    // A variable compared with a number, or arithmetic that is done when the text is compiled.
    if (isa<arith::CmpIOp>(op) && countTerms(op->getOperand(0)) == 1 && matchPattern(op->getOperand(1), m_Constant()))
      return true;
    if (llvm::all_of(op->getOperands(), [&](Value x) { return isKnown(x); }))
      return true;
  }
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
    return !name && isShort(op);
  if (isa<arith::MaximumFOp, arith::MinimumFOp>(user)) // Written twice.
    return false;
  if (isLazy(*op->getResult(0).use_begin()) && holdsLoad(op)) // Every load is executed.
    return false;
  if (isa<arith::IndexCastOp>(user) && isInlined(user->getResult(0)) && !user->getResult(0).hasOneUse()) // Used often.
    return false;
  // A name of the source makes a variable, unless it is the name of what it is a part of.
  if (name && name != getSourceName(user->getLoc()))
    return false;
  // A ternary's branches are expressions.
  if (isa<kernel::ForOp>(user))
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
