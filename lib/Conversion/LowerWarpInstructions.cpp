//===- LowerWarpInstructions.cpp - Products of warps ----------------*- C++ -*-===//
//
// What a lane holds of each operand lies side by side in its array, in the order of the instruction.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "tilec/Analysis/CopyDecisions.h"
#include "tilec/Analysis/MatrixLoad.h"

using namespace mlir;
using namespace tilec;

LogicalResult tilec::lowerWarpInstruction(linalg::LinalgOp op, const tile::InstructionUse &use, Lowering &lowering) {
  if (failed(checkAllPoints(op, lowering)))
    return failure();
  SmallVector<Value> arrays;
  SmallVector<Indices> places;
  for (OpOperand *operand : {use.c, use.a, use.b}) {
    tile::Access access = tile::traceParts(operand->get());
    const RegisterTile &tile = lowering.registers.get(access.root);
    FailureOr<Indices> place = lowering.registers.getFragment(op, tile, access, cast<MemRefType>(operand->get().getType()));
    if (failed(place))
      return failure();
    if (operand == use.a)
      lowering.registers.appendFirst(tile, *place);
    arrays.push_back(tile.array);
    places.push_back(std::move(*place));
  }
  kernel::MmaOp::create(lowering.context.b, unnamed(op.getLoc()), arrays[0], places[0], arrays[1], places[1], arrays[2], places[2], use.aType);
  return success();
}

void tilec::loadMatrices(tile::StageOp op, const RegisterTile &tile, const SharedTile &source, Lowering &lowering) {
  Context &context = lowering.context;
  Location loc = unnamed(op.getLoc());
  tile::Access access = tile::getSourceAccess(op);
  const layout::ComposedLayout layout = *tile::getStaticLayout(source.type);
  const analysis::MatrixLoad load = *analysis::getRegisterLoad(op, tile.distribution, layout, analysis::getTilePlace(access, layout)).matrices;
  size_t rank = tile.distribution.getLocalDigits().size();
  lowering.registers.forEachHeld(loc, load.rows, load.step, [&](const Indices &walked, const Coordinates &offsets) {
    Indices first = walked;
    first.resize(rank, context.index.constant(loc, 0));
    Value address = lowering.shared.getAddress(loc, source, context.mapPlace(access, offsets));
    kernel::LdmatrixOp::create(context.b, loc, tile.array, tile.inSlot(first), source.buffer, address, load.count, load.transposes);
  });
}
