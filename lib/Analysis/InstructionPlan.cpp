//===- InstructionPlan.cpp - Instructions of warpgroups, lowered -*- C++ -*-===//

#include "tilec/Analysis/InstructionPlan.h"

#include "tilec/Tile/Access.h"
#include "tilec/Tile/Distribution.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::analysis;
using tile::ForOp;
using tile::InstructionUse;

layout::MatrixParts tilec::analysis::getMatrixParts(const InstructionUse &use, OpOperand &operand) {
  tile::Access access = tile::traceParts(operand.get());
  layout::MatrixParts parts;
  auto [row, depth] = use.getMatrixDims(operand);
  parts.depth = row < depth ? 1 : 0;
  parts.modes = {std::min(row, depth), std::max(row, depth)};
  for (auto [number, dim] : llvm::enumerate(parts.modes)) {
    parts.extents[number] = cast<MemRefType>(operand.get().getType()).getDimSize(dim);
    parts.divisors[number] = tile::getDivisor(access.subscripts[dim]);
  }
  return parts;
}

/// The descriptor of an operand in shared memory.
static FailureOr<layout::MatrixOperand> planMatrix(linalg::LinalgOp compute, const InstructionUse &use, OpOperand &operand) {
  tile::Access access = tile::traceParts(operand.get());
  auto root = cast<MemRefType>(access.root.getType());
  auto stage = access.root.getDefiningOp<tile::StageOp>();
  ForOp loop = stage ? dyn_cast<ForOp>(stage->getParentOp()) : ForOp();
  if (!stage || stage.getCopy() != tile::Copy::Tma || !loop || !loop.getProducers()) { // limit_x36
    InFlightDiagnostic diag = compute->emitOpError("operand #") << operand.getOperandNumber() << " of '" << use.getName()
                              << "' is no tile that producers fill by copy(tma); others are not lowered yet";
    diag.attachNote(access.root.getLoc()) << "the tile";
    return diag;
  }
  FailureOr<layout::ComposedLayout> layout = tile::getStaticLayout(root);
  auto matrix = failed(layout) ? layout::Result<layout::MatrixOperand>(layout::Error{"its layout is not known"})
                               : layout::matchMatrixOperand(*layout, root.getElementTypeBitWidth(), getMatrixParts(use, operand));
  if (!matrix) { // limit_x36
    InFlightDiagnostic diag = compute->emitOpError("operand #") << operand.getOperandNumber() << " of '" << use.getName() << "': " << matrix.error().message;
    diag.attachNote(access.root.getLoc()) << "the tile";
    return diag;
  }
  return *matrix;
}

/// Refuses what stands beside instructions in their loop on warpgroup: nobody waits for them there.
static LogicalResult checkCompany(linalg::LinalgOp compute) {
  ForOp units = tile::getUnitLoop(compute);
  for (ForOp outer = units; outer; outer = outer->getParentOfType<ForOp>())
    if (tile::isThreadUnit(outer))
      units = outer;
  WalkResult result = units.walk<WalkOrder::PreOrder>([&](Operation *op) -> WalkResult {
    if (op == units || isa<tile::PartOp>(op))
      return WalkResult::advance();
    if (auto loop = dyn_cast<ForOp>(op); loop && !loop.getPipeline() && !loop.reduces())
      return WalkResult::advance();
    if (tile::getInstructionUse(op))
      return WalkResult::skip();
    InFlightDiagnostic diag = compute->emitOpError("is an instruction that is waited for after its loop on warpgroup, but something else stands there; "
                                                   "not lowered yet"); // limit_x37
    diag.attachNote(op->getLoc()) << "this stands in the loop";
    return WalkResult(diag);
  });
  return failure(result.wasInterrupted());
}

LogicalResult tilec::analysis::checkWarpInstruction(linalg::LinalgOp compute, const InstructionUse &use) {
  constexpr int64_t kDepthBytes = 32, kSumBits = 32;
  int64_t depth = compute.getStaticLoopRanges()[use.k];
  Type sum = getElementTypeOrSelf(use.c->get().getType()), element = getElementTypeOrSelf(use.a->get().getType());
  if (sum.getIntOrFloatBitWidth() == kSumBits && depth * element.getIntOrFloatBitWidth() == 8 * kDepthBytes)
    return success();
  // limit_x31
  return compute->emitOpError("is '") << use.getName() << "' of " << use.aType << " added up in " << sum << ", which is not lowered yet; those of "
                                      << kDepthBytes << " bytes along k added up in " << kSumBits << " bits are";
}

FailureOr<InstructionPlan> tilec::analysis::planInstruction(linalg::LinalgOp compute, InstructionUse use) {
  InstructionPlan plan{use, std::nullopt, {}};
  if (tile::getLevel(use.a->get().getType()) != tile::Level::RF) {
    FailureOr<layout::MatrixOperand> a = planMatrix(compute, use, *use.a);
    if (failed(a))
      return failure();
    plan.a = *a;
  }
  FailureOr<layout::MatrixOperand> b = planMatrix(compute, use, *use.b);
  if (failed(b) || failed(checkCompany(compute)))
    return failure();
  plan.b = *b;
  return plan;
}

static bool isAsynchronous(const std::optional<InstructionUse> &use) { return use && use->isAsynchronous(); }

bool tilec::analysis::runsInstructions(ForOp loop) {
  return loop.walk([](linalg::LinalgOp compute) {
    return isAsynchronous(tile::getInstructionUse(compute)) ? WalkResult::interrupt() : WalkResult::advance();
  }).wasInterrupted();
}

/// Is a tile in registers made, or written, in an iteration of `loop`?
static bool isWrittenIn(ForOp loop, Value tile) {
  return loop->isProperAncestor(tile.getDefiningOp()) ||
         llvm::any_of(tile::getTileUses(tile), [&](const tile::TileUse &use) { return use.writes && loop->isProperAncestor(use.operand->getOwner()); });
}

bool tilec::analysis::staysInFlight(ForOp loop) {
  if (loop.getRelease() != tile::Release::Next)
    return false;
  bool some = false;
  WalkResult result = loop.walk([&](linalg::LinalgOp compute) {
    std::optional<InstructionUse> instruction = tile::getInstructionUse(compute);
    if (!isAsynchronous(instruction))
      return WalkResult::advance();
    some = true;
    Value sum = tile::traceParts(instruction->c->get()).root, factors = tile::traceParts(instruction->a->get()).root;
    if (loop->isProperAncestor(sum.getDefiningOp()))
      return WalkResult::interrupt();
    // What threads hold of a is not written before the instructions are done.
    if (tile::getLevel(factors.getType()) == tile::Level::RF && isWrittenIn(loop, factors))
      return WalkResult::interrupt();
    // What an scf.if leaves out waits for no group of the iteration before.
    for (Operation *outer = compute->getParentOp(); outer != loop; outer = outer->getParentOp())
      if (!isa<ForOp>(outer))
        return WalkResult::interrupt();
    for (const tile::TileUse &use : tile::getTileUses(sum))
      if (Operation *user = use.operand->getOwner(); loop->isProperAncestor(user) && !isAsynchronous(tile::getInstructionUse(user)))
        return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return some && !result.wasInterrupted();
}
