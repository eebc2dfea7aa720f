//===- CompileCompute.cpp - linalg ops --------------------------*- C++ -*-===//
//
// Extents of loops, and where operands' elements lie.
//
//===----------------------------------------------------------------------===//

#include "Compiler.h"

#include "tilec/Tile/InstructionUse.h"

#include "mlir/IR/AffineExprVisitor.h"

#include <cmath>

using namespace mlir;
using namespace tilec;
using namespace tilec::reference;

/// The extent of each loop: that of a dimension which is subscripted by the loop alone.
static FailureOr<SmallVector<int64_t>> getExtents(linalg::LinalgOp op,
                                                  llvm::function_ref<int64_t(Value, unsigned)> getExtent) {
  SmallVector<int64_t> extents(op.getNumLoops(), -1);
  for (OpOperand &operand : op->getOpOperands())
    for (auto [dim, expr] : llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults()))
      if (auto loop = dyn_cast<AffineDimExpr>(expr); loop && extents[loop.getPosition()] < 0)
        extents[loop.getPosition()] = getExtent(operand.get(), dim);
  for (auto [loop, extent] : llvm::enumerate(extents))
    if (extent < 0)
      return op->emitOpError("has no meaning in the reference evaluator: no operand says the extent of loop ") << loop;
  return extents;
}

FailureOr<ComputeNode::Operand> Compiler::compileOperand(linalg::LinalgOp op, OpOperand &operand,
                                                         ArrayRef<int64_t> extents) {
  ComputeNode::Operand result;
  FailureOr<uint32_t> view = getView(op, operand.get());
  if (failed(view))
    return failure();
  result.view = *view;
  result.element = registers.get(op.getMatchingBlockArgument(&operand));
  const Root &root = *machine.views[*view].root;
  result.steps.assign(extents.size(), 0);
  for (auto [dim, expr] : llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults())) {
    SmallVector<int64_t> flat;
    SimpleAffineExprFlattener flattener(extents.size(), /*numSymbols=*/0);
    if (!expr.isPureAffine() || failed(flattener.walkPostOrder(expr)) || flattener.operandExprStack.empty() ||
        flattener.operandExprStack.back().size() != extents.size() + 1)
      return op->emitOpError("has no meaning in the reference evaluator: a subscript is no sum of multiples of loops");
    flat = llvm::to_vector(flattener.operandExprStack.back());
    int64_t constant = flat.pop_back_val(), least = constant, most = constant;
    for (auto [loop, coefficient] : llvm::enumerate(flat)) {
      result.coefficients.push_back(coefficient);
      result.steps[loop] += coefficient * root.strides[dim];
      (coefficient < 0 ? least : most) += coefficient * (extents[loop] - 1);
    }
    result.constants.push_back(constant);
    result.least.push_back(least);
    result.most.push_back(most);
  }
  return result;
}

/// What is moved as it is, such as a number that becomes one of a wider type, is read where it was. Returns what stands for a register after that.
static llvm::DenseMap<uint32_t, uint32_t> dropMoves(Code &code) {
  llvm::DenseMap<uint32_t, uint32_t> moved;
  auto read = [&](uint32_t &from) {
    if (auto found = moved.find(from); found != moved.end())
      from = found->second;
  };
  Code kept;
  for (Instruction &instruction : code) {
    read(instruction.a);
    read(instruction.b);
    read(instruction.c);
    if (instruction.opcode == Opcode::Move)
      moved[instruction.result] = instruction.a;
    else
      kept.push_back(instruction);
  }
  code = std::move(kept);
  return moved;
}

/// A product that only the sum after it uses becomes one instruction with it, which halves the time of a matrix
/// product. FmaF rounds twice, as the two instructions do.
static void fuseProducts(Code &code) {
  for (size_t i = 0; i + 1 < code.size(); ++i) {
    const Instruction &product = code[i];
    Instruction &sum = code[i + 1];
    if (product.opcode != Opcode::MulF || sum.opcode != Opcode::AddF || !product.op->hasOneUse() ||
        (sum.a == product.result) == (sum.b == product.result))
      continue;
    uint32_t added = sum.a == product.result ? sum.b : sum.a;
    sum.opcode = Opcode::FmaF;
    sum.a = product.a;
    sum.b = product.b;
    sum.c = added;
    code.erase(code.begin() + i);
  }
}

/// A tensor core adds up products of 8-bit floats in registers of f32, but keeps 13 bits behind the leading one of the largest (DeepSeek-V3 Technical Report,
/// arXiv 2412.19437, 3.5.2, of Hopper's).
static void roundShortSums(linalg::LinalgOp op, Code &code) {
  constexpr int kSumBits = 13;
  std::optional<tile::InstructionUse> use = tile::getInstructionUse(op);
  if (!use || use->aType.getIntOrFloatBitWidth() != 8 || isa<IntegerType>(use->aType))
    return;
  for (Instruction &instruction : code)
    if (instruction.opcode == Opcode::FmaF || instruction.opcode == Opcode::AddF) {
      instruction.format.roundoff = std::ldexp(1.0, -kSumBits);
      instruction.format.integers = std::ldexp(1.0, kSumBits);
    }
}

LogicalResult Compiler::compileCompute(linalg::LinalgOp op, Body &body) {
  if (op->getNumResults() != 0)
    return op->emitOpError("has no meaning in the reference evaluator: it computes on tensors");
  auto node = std::make_unique<ComputeNode>();
  FailureOr<SmallVector<int64_t>> extents = getExtents(op, [&](Value memref, unsigned dim) {
    auto type = cast<MemRefType>(memref.getType());
    if (!type.isDynamicDim(dim))
      return type.getDimSize(dim);
    // Only whole operands have dynamic extents.
    auto known = views.find(memref);
    return known == views.end() ? int64_t(-1) : machine.views[known->second].root->shape[dim];
  });
  if (failed(extents))
    return failure();
  node->extents = *extents;
  for (unsigned loop = extents->size(); loop-- > 0;)
    if ((*extents)[loop] > 1)
      node->running.push_back(loop);
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType())) {
      Instruction move{Opcode::Move};
      move.a = registers.get(operand.get());
      move.result = registers.get(op.getMatchingBlockArgument(&operand));
      node->code.push_back(move);
      continue;
    }
    FailureOr<ComputeNode::Operand> compiled = compileOperand(op, operand, *extents);
    if (failed(compiled))
      return failure();
    node->operands.push_back(*compiled);
  }
  for (Operation &inner : op.getBlock()->without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(inner))
      node->indices.push_back({registers.get(index.getResult()), static_cast<unsigned>(index.getDim())});
    else if (failed(compileScalar(&inner, registers, node->code)))
      return failure();
  }
  llvm::DenseMap<uint32_t, uint32_t> moved = dropMoves(node->code);
  fuseProducts(node->code);
  roundShortSums(op, node->code);
  unsigned first = node->operands.size() - op.getNumDpsInits();
  for (auto [i, value] : llvm::enumerate(op.getBlock()->getTerminator()->getOperands())) {
    uint32_t yielded = registers.get(value);
    auto found = moved.find(yielded);
    node->operands[first + i].yielded = found == moved.end() ? yielded : found->second;
  }
  body.push_back(std::move(node));
  return success();
}

