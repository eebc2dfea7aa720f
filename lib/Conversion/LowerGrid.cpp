//===- LowerGrid.cpp - Blocks and their tiles -------------------*- C++ -*-===//
//
// The outermost loop: which tiles a block takes, in which order. A block (or, where
// that loop is on cluster, all blocks of a cluster together) takes one tile, or,
// where the loop is persistent, every G-th from its own number on, for G blocks.
//
//===----------------------------------------------------------------------===//

#include "KernelLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tilec/Conversion/Launch.h"

using namespace mlir;
using namespace tilec;

LogicalResult KernelLowering::lowerGrid(tile::ForOp loop) {
  if (!isa<tile::KernelOp>(loop->getParentOp()))
    return loop.emitOpError("on ") << stringifyUnit(loop.getUnit()) << " must be the kernel's outermost loop";
  if (llvm::range_size(loop->getBlock()->getOps<tile::ForOp>()) > 1)
    return loop.emitOpError("on ") << stringifyUnit(loop.getUnit()) << " must be the kernel's only outermost loop";
  if (loop.getUnit() == tile::Unit::Cluster && failed(enterCluster(loop)))
    return failure();
  tile::ForOp filled;
  loop.walk([&](tile::ForOp inner) {
    if (inner.getProducers())
      filled = inner;
  });
  if (filled)
    return lowerRoles(loop, filled);
  enterGrid(loop);
  tile::ForOp blocks = getBlockLoop(loop);
  return forEachTile(loop, [&] { return blocks.getReduce() ? lowerReducingBlocks(blocks) : lowerTile(blocks); });
}

LogicalResult KernelLowering::lowerTile(tile::ForOp loop) {
  OpBuilder::InsertionGuard guard(b);
  tile::ForOp cut = loop.getCutLoop();
  for (Operation &op : loop.getBody().front()) {
    if (failed(lowerOp(op)))
      return failure();
    if (&op != cut.getOperation())
      continue;
    auto complete = scf::IfOp::create(b, unnamed(op.getLoc()), addParts(cut), /*withElseRegion=*/false);
    b.setInsertionPoint(complete.thenBlock()->getTerminator());
  }
  return success();
}

SmallVector<Value> KernelLowering::countTiles(tile::ForOp loop) {
  Location loc = unnamed(loop.getLoc());
  SmallVector<Value> tiles;
  for (unsigned i = 0; i < loop.getNumLoops(); ++i) {
    if (std::optional<int64_t> fixed = loop.getStaticCount(i)) {
      tiles.push_back(index.constant(loc, *fixed));
      continue;
    }
    std::string name = nameOf(loop.getInductionVar(i).getLoc(), "i" + std::to_string(i));
    int64_t step = loop.getSteps()[i];
    Value extent = cast<Value>(mapExtent(loop.getExtent(i)));
    tiles.push_back(divideUp(loc, named(loc, name + "_tiles"), extent, step));
  }
  return tiles;
}

Value KernelLowering::divideUp(Location loc, Location named, Value extent, int64_t step) {
  // A sum of its own: a quotient of it is no multiple of anything.
  bool wide = step - 1 > std::numeric_limits<int32_t>::max() - runtime::maxExtent;
  if (wide)
    extent = index.widen(loc, extent);
  auto number = [&](int64_t n) { return wide ? index.widen(loc, index.constant(loc, n)) : index.constant(loc, n); };
  Value up = arith::AddIOp::create(b, loc, extent, number(step - 1));
  Value quotient = arith::DivSIOp::create(b, named, up, number(step));
  index.know(quotient, {1, 0, llvm::divideCeil(runtime::maxExtent, step), {}});
  return index.narrow(loc, quotient);
}

void KernelLowering::enterGrid(tile::ForOp loop) {
  Location loc = unnamed(loop.getLoc());
  grid.block = kernel::BlockOp::create(b, named(loc, "block"), b.getIndexType());
  grid.tiles = countTiles(loop);
  if (clusterBlocks > 1)
    grid.block = index.div(named(loc, "cluster"), grid.block, clusterBlocks);
  grid.order.emplace(GridMath(b, index, loc), analysis::rasterOf(loop), grid.tiles);
  if (!loop.getPersistent())
    return;
  grid.allTiles = grid.tiles.front();
  for (Value count : ArrayRef(grid.tiles).drop_front())
    grid.allTiles = arith::MulIOp::create(b, named(loc, "tiles"), grid.allTiles, count);
  grid.blocks = kernel::BlockCountOp::create(b, named(loc, "blocks"), b.getIndexType());
  if (clusterBlocks > 1)
    grid.blocks = index.div(named(loc, "clusters"), grid.blocks, clusterBlocks);
  if (loop.getCutLoop())
    cutWave(loop);
}

LogicalResult KernelLowering::forEachTile(tile::ForOp loop, llvm::function_ref<LogicalResult()> body) {
  Location loc = unnamed(loop.getLoc());
  if (!loop.getPersistent()) {
    enterTile(loop, grid.block);
    return body();
  }
  if (grid.cut)
    return forEachPart(loop, body);
  auto walk = kernel::ForOp::create(b, loc, grid.block, grid.allTiles, grid.blocks);
  walk.getInductionVar().setLoc(named(loc, "tile"));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(walk.getBody()->getTerminator());
  enterTile(loop, walk.getInductionVar());
  return body();
}

void KernelLowering::enterTile(tile::ForOp loop, Value number) {
  Location loc = unnamed(loop.getLoc());
  SmallVector<Value, 3> numbers = grid.order->getTile(number);
  for (unsigned i = 0; i < loop.getNumLoops(); ++i) {
    Value source = loop.getInductionVar(i);
    int64_t step = loop.getSteps()[i];
    OpFoldResult extent = mapExtent(loop.getExtent(i));
    std::optional<int64_t> fixed = loop.getStaticCount(i);
    if (!fixed) // Where it is 0 there is no tile to be in.
      index.know(cast<Value>(extent), {1, 1, runtime::maxExtent, {}});
    int64_t last = getLast(loop, i);
    if (last < step && step > std::numeric_limits<int32_t>::max()) { // One tile.
      values.map(source, index.constant(loc, 0));
      continue;
    }
    bool wide = last > std::numeric_limits<int32_t>::max();
    Value number = wide ? index.widen(loc, numbers[i]) : numbers[i];
    Value offset = arith::MulIOp::create(b, source.getLoc(), number,
                                         wide ? index.widen(loc, index.constant(loc, step)) : index.constant(loc, step));
    index.know(offset, {step, 0, last, dyn_cast<Value>(extent)});
    values.map(source, offset);
  }
}
