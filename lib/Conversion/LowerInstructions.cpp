//===- LowerInstructions.cpp - Instructions of warpgroups -----------*- C++ -*-===//
//
// wgmma reads its inputs from shared memory while the threads go on. They fence what they wrote to the accumulators,
// run the instructions of an iteration as one group, and wait for it, or for the group before it where nobody needs
// what the newest adds up.
//
//===----------------------------------------------------------------------===//

#include "Ring.h"

#include "tilec/Analysis/InstructionPlan.h"

using namespace mlir;
using namespace tilec;

static Value describeMatrix(OpOperand &operand, const layout::MatrixOperand &matrix, Lowering &lowering) {
  Context &context = lowering.context;
  Location loc = unnamed(operand.getOwner()->getLoc());
  tile::Access access = tile::traceParts(operand.get());
  auto type = cast<MemRefType>(operand.get().getType());
  const SharedTile &tile = *lowering.shared.find(access.root);
  Value address = lowering.shared.getAddress(loc, tile, context.mapPlace(access, Coordinates(type.getRank())));
  int64_t bytes = type.getElementTypeBitWidth() / 8;
  return kernel::MatrixDescriptorOp::create(context.b, named(loc, nameOf(access.root.getLoc(), "m")), context.b.getI64Type(), tile.buffer, ValueRange(address), matrix.leading * bytes,
                                            matrix.stride * bytes, layout::smemSwizzleInfo(matrix.swizzle).byteSwizzle.isIdentity()
                                                                       ? 0
                                                                       : layout::smemSwizzleInfo(matrix.swizzle).rowBytes);
}

LogicalResult tilec::lowerInstruction(linalg::LinalgOp op, const tile::InstructionUse &use, Lowering &lowering) {
  Context &context = lowering.context;
  FailureOr<analysis::InstructionPlan> plan = analysis::planInstruction(op, use);
  if (failed(plan) || failed(checkAllPoints(op, lowering)))
    return failure();
  tile::Access access = tile::traceParts(use.c->get());
  const RegisterTile &sums = lowering.registers.get(access.root);
  auto part = cast<MemRefType>(use.c->get().getType());
  FailureOr<Indices> first = lowering.registers.getFragment(op, sums, access, part);
  if (failed(first))
    return failure();
  auto columns = part.getDimSize(use.getMatrixDims(*use.c).second);
  bool turnsB = plan->b.major == layout::SmemMajor::MN;
  if (!plan->a) {
    tile::Access factors = tile::traceParts(use.a->get());
    const RegisterTile &held = lowering.registers.get(factors.root);
    FailureOr<Indices> left = lowering.registers.getFragment(op, held, factors, cast<MemRefType>(use.a->get().getType()));
    if (failed(left))
      return failure();
    lowering.registers.appendFirst(held, *left);
    Value b = describeMatrix(*use.b, plan->b, lowering);
    kernel::WgmmaRegistersOp::create(context.b, unnamed(op.getLoc()), sums.array, *first, held.array, *left, b, columns,
                                     use.aType, turnsB);
    return success();
  }
  Value a = describeMatrix(*use.a, *plan->a, lowering), b = describeMatrix(*use.b, plan->b, lowering);
  kernel::WgmmaOp::create(context.b, unnamed(op.getLoc()), sums.array, *first, a, b, columns, use.aType, use.bType, plan->a->major == layout::SmemMajor::MN, turnsB);
  return success();
}

void tilec::enterInstructions(Location loc, Lowering &lowering) { kernel::WgmmaFenceOp::create(lowering.context.b, loc); }

void tilec::leaveInstructions(tile::ForOp loop, Lowering &lowering) {
  kernel::WgmmaCommitOp::create(lowering.context.b, unnamed(loop.getLoc()));
  if (lowering.ring && analysis::staysInFlight(lowering.ring->loop))
    kernel::WgmmaWaitOp::create(lowering.context.b, unnamed(loop.getLoc()), /*pending=*/1);
  else
    waitForInstructions(loop, lowering);
}

void tilec::waitForInstructions(tile::ForOp loop, Lowering &lowering) {
  llvm::SetVector<Value> sums;
  loop.walk([&](linalg::LinalgOp compute) {
    if (std::optional<tile::InstructionUse> use = tile::getInstructionUse(compute); use && use->isAsynchronous())
      sums.insert(lowering.registers.get(tile::traceParts(use->c->get()).root).array);
  });
  for (Value sum : sums)
    kernel::WgmmaWaitOp::create(lowering.context.b, unnamed(loop.getLoc()), sum, ValueRange(), /*pending=*/0);
}
