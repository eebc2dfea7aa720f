//===- ScalarBody.cpp - What a computation does at one point ----*- C++ -*-===//
//
// See ScalarBody.h. Simplified is what MLIR's canonicalization and common
// subexpressions make of it.
//
//===----------------------------------------------------------------------===//

#include "tilec/Analysis/ScalarBody.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "tilec/Tile/ScalarOps.h"

using namespace mlir;
using namespace tilec::analysis;

/// Nothing folds in sums and products of numbers that the compiler does not know.
static bool isPlain(Operation &op) {
  return isa<linalg::YieldOp>(op) ||
         (!op.use_empty() && isa<arith::MulFOp, arith::AddFOp, arith::ExtFOp, arith::MulIOp, arith::AddIOp, arith::ExtSIOp>(op));
}

ScalarBody::ScalarBody(linalg::LinalgOp op, OpOperand *only) : op(op), only(only) {
  copy();
  if (llvm::all_of(getBlock(), isPlain))
    return;
  simplify();
  // A pattern may use ops that a body cannot have.
  if (!isScalar())
    copy();
}

BlockArgument ScalarBody::getArgument(OpOperand &operand) {
  return getBlock().getArgument(op.getMatchingBlockArgument(&operand).getArgNumber());
}

/// Operands that are one element at each point have one value: the argument of the first that the body uses.
static BlockArgument getElement(linalg::LinalgOp op, OpOperand &operand) {
  for (OpOperand &other : op->getOpOperands())
    if (&other == &operand ||
        (other.get() == operand.get() && !op.getMatchingBlockArgument(&other).use_empty() &&
         op.getMatchingIndexingMap(&other) == op.getMatchingIndexingMap(&operand)))
      return op.getMatchingBlockArgument(&other);
  llvm_unreachable("the operand is one of the op's");
}

void ScalarBody::copy() {
  numbers.clear();
  scratch = ModuleOp::create(op.getLoc());
  Block &block = getBlock();
  OpBuilder builder = OpBuilder::atBlockEnd(&block);
  for (BlockArgument argument : op.getBlock()->getArguments())
    block.addArgument(argument.getType(), argument.getLoc());
  IRMapping values;
  for (OpOperand &operand : op->getOpOperands())
    values.map(op.getMatchingBlockArgument(&operand), block.getArgument(getElement(op, operand).getArgNumber()));
  for (Operation &inner : *op.getBlock()) {
    auto index = dyn_cast<linalg::IndexOp>(inner);
    if (!index) {
      builder.clone(inner, values);
    } else if (op.getStaticLoopRanges()[index.getDim()] == 1) {
      values.map(index.getResult(), arith::ConstantIndexOp::create(builder, inner.getLoc(), 0).getResult());
    } else {
      auto *known = llvm::find_if(numbers, [&](const auto &number) { return number.first == index.getDim(); });
      if (known == numbers.end()) {
        numbers.emplace_back(index.getDim(), block.addArgument(index.getType(), inner.getLoc()));
        known = &numbers.back();
      }
      values.map(index.getResult(), known->second);
    }
  }
  if (only)
    block.getTerminator()->setOperands(block.getTerminator()->getOperand(only->getOperandNumber() - op.getDpsInitOperand(0)->getOperandNumber()));
}

void ScalarBody::simplify() {
  MLIRContext *context = op.getContext();
  RewritePatternSet patterns(context);
  llvm::SmallDenseSet<OperationName> names;
  for (Operation &inner : getBlock())
    if (std::optional<RegisteredOperationName> name = inner.getRegisteredInfo(); name && names.insert(*name).second)
      name->getCanonicalizationPatterns(patterns, context);
  FrozenRewritePatternSet frozen(std::move(patterns));
  IRRewriter rewriter(context);
  for (int round = 0; round < 2; ++round) {
    (void)applyPatternsGreedily(*scratch, frozen); // Patterns that do not come to an end leave an equal body.
    DominanceInfo dominance(*scratch);
    eliminateCommonSubExpressions(rewriter, dominance, *scratch);
  }
}

/// Has the block nothing but what rule C1 allows?
bool ScalarBody::isScalar() {
  ScopedDiagnosticHandler quiet(op.getContext(), [](Diagnostic &) { return success(); });
  return llvm::all_of(getBlock().without_terminator(),
                      [](Operation &inner) { return succeeded(tile::verifyScalar(&inner, /*inBody=*/true)); });
}
