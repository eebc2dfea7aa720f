//===- Grid.cpp - Blocks and their tiles --------------------------*- C++ -*-===//

#include "Grid.h"

#include "IntMath.h"
#include "tilec/Analysis/CutTail.h"
#include "tilec/Conversion/Launch.h"

using namespace mlir;
using namespace tilec;

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

SmallVector<Value> Grid::countTiles(tile::ForOp loop) {
  Location loc = unnamed(loop.getLoc());
  SmallVector<Value> tiles;
  for (unsigned i = 0; i < loop.getNumLoops(); ++i) {
    if (std::optional<int64_t> fixed = loop.getStaticCount(i)) {
      tiles.push_back(index.constant(loc, *fixed));
      continue;
    }
    std::string name = nameOf(loop.getInductionVar(i).getLoc(), "i" + std::to_string(i));
    int64_t step = loop.getSteps()[i];
    Value extent = cast<Value>(context.mapExtent(loop.getExtent(i)));
    tiles.push_back(divideUp(loc, named(loc, name + "_tiles"), extent, step));
  }
  return tiles;
}

Value Grid::countSteps(tile::ForOp loop, Location named) {
  Location loc = unnamed(loop.getLoc());
  if (std::optional<int64_t> fixed = loop.getStaticCount(0))
    return index.constant(loc, *fixed);
  return divideUp(loc, named, cast<Value>(context.mapExtent(loop.getExtent(0))), loop.getSteps()[0]);
}

Value Grid::divideUp(Location loc, Location named, Value extent, int64_t step) {
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

void Grid::enter(tile::ForOp loop) {
  Location loc = unnamed(loop.getLoc());
  block = kernel::BlockOp::create(b, named(loc, "block"), b.getIndexType());
  SmallVector<Value> tiles = countTiles(loop);
  if (cluster.getBlocks() > 1)
    block = index.div(named(loc, "cluster"), block, cluster.getBlocks());
  order.emplace(GridMath(b, index, loc), analysis::rasterOf(loop), tiles);
  if (!loop.getPersistent())
    return;
  allTiles = tiles.front();
  for (Value count : ArrayRef(tiles).drop_front())
    allTiles = arith::MulIOp::create(b, named(loc, "tiles"), allTiles, count);
  blocks = kernel::BlockCountOp::create(b, named(loc, "blocks"), b.getIndexType());
  if (cluster.getBlocks() > 1)
    blocks = index.div(named(loc, "clusters"), blocks, cluster.getBlocks());
  if (loop.getCutLoop())
    cutWave(loop);
}

LogicalResult Grid::forEachTile(tile::ForOp loop, llvm::function_ref<LogicalResult()> body, std::optional<TeamTurn> turn) {
  Location loc = unnamed(loop.getLoc());
  if (!loop.getPersistent()) {
    enterTile(loop, block);
    return body();
  }
  if (wave)
    return forEachPart(loop, body);
  Value first = block, step = blocks;
  if (turn) {
    IntMath math{b, loc};
    first = math.add(block, math.mul(turn->team, blocks), "first_tile");
    step = math.mul(blocks, math.number(turn->teams), "tile_step");
  }
  auto walk = kernel::ForOp::create(b, loc, first, allTiles, step);
  walk.getInductionVar().setLoc(named(loc, "tile"));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(walk.getBody()->getTerminator());
  enterTile(loop, walk.getInductionVar());
  return body();
}

void Grid::enterTile(tile::ForOp loop, Value number) {
  Location loc = unnamed(loop.getLoc());
  SmallVector<Value, 3> numbers = order->getTile(number);
  for (unsigned i = 0; i < loop.getNumLoops(); ++i) {
    Value source = loop.getInductionVar(i);
    int64_t step = loop.getSteps()[i];
    OpFoldResult extent = context.mapExtent(loop.getExtent(i));
    std::optional<int64_t> fixed = loop.getStaticCount(i);
    if (!fixed) // Where it is 0 there is no tile to be in.
      index.know(cast<Value>(extent), {1, 1, runtime::maxExtent, {}});
    int64_t last = getLast(loop, i);
    if (last < step && step > std::numeric_limits<int32_t>::max()) { // One tile.
      context.values.map(source, index.constant(loc, 0));
      continue;
    }
    bool wide = last > std::numeric_limits<int32_t>::max();
    Value count = wide ? index.widen(loc, numbers[i]) : numbers[i];
    Value offset = arith::MulIOp::create(b, source.getLoc(), count,
                                         wide ? index.widen(loc, index.constant(loc, step)) : index.constant(loc, step));
    index.know(offset, {step, 0, last, dyn_cast<Value>(extent)});
    context.values.map(source, offset);
  }
}

//===----------------------------------------------------------------------===//
// A last wave that all blocks share
//===----------------------------------------------------------------------===//

void Grid::cutWave(tile::ForOp loop) {
  IntMath math{b, unnamed(loop.getLoc())};
  tile::ForOp cut = loop.getCutLoop();
  Value zero = math.number(0), one = math.number(1);
  std::string cutName = nameOf(cut.getInductionVar(0).getLoc(), "k");
  Value length = context.getExtentValue(math.loc, context.mapExtent(cut.getExtent(0)));
  // A loop without iterations is one step that does nothing: its tile must be stored all the same.
  Value steps = math.max(divideUp(math.loc, math.loc, length, cut.getSteps()[0]), one, cutName + "_steps");
  Value whole = math.div(allTiles, blocks, "whole_tiles"), cutTiles = math.rem(allTiles, blocks, "cut_tiles");
  Value units = math.mul(math.wide(cutTiles), math.wide(steps), "cut_steps");
  // Where few blocks are idle for it, each tile is cut evenly, and no block has parts of two (CutWave).
  Value spare = math.rem(blocks, math.max(cutTiles, one), "spare");
  Value fewSpare = math.compare(arith::CmpIPredicate::sle, math.mul(spare, math.number(analysis::getCutWorth(cut).spare)), blocks);
  Value busy = math.select(fewSpare, math.sub(blocks, spare), blocks, "busy_blocks");
  Value shares = math.max(math.narrow(math.min(math.wide(busy), units)), one, "shares");
  auto bound = [&](Value number, StringRef name) {
    return math.div(math.mul(units, math.wide(math.min(number, shares))), math.wide(shares), name);
  };
  Value begin = bound(block, "share_first"), end = bound(math.add(block, one), "share_last");
  Value last = math.sub(end, math.wideNumber(1), "last_unit");
  Value firstTile = math.narrow(math.div(begin, math.wide(steps)), "first_tile");
  Value lastTile = math.narrow(math.div(last, math.wide(steps)));
  Value parts = math.select(math.less(begin, end), math.add(math.sub(lastTile, firstTile), one), zero, "parts");
  Value firstStep = math.narrow(math.rem(begin, math.wide(steps)), "begin_step");
  Value lastStep = math.add(math.narrow(math.rem(last, math.wide(steps))), one, "end_step");
  wave = CutWave{steps, whole, cutTiles, units, shares, firstTile, parts, firstStep, lastStep};
}

LogicalResult Grid::forEachPart(tile::ForOp loop, llvm::function_ref<LogicalResult()> body) {
  IntMath math{b, unnamed(loop.getLoc())};
  const CutWave &share = *wave;
  Value zero = math.number(0), one = math.number(1);
  auto walk = kernel::ForOp::create(b, math.loc, zero, math.add(share.parts, share.wholeTiles), one);
  Value item = walk.getInductionVar();
  item.setLoc(named(math.loc, "item"));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(walk.getBody()->getTerminator());
  Value isPart = math.less(item, share.parts, "is_part");
  Value wholeTile = math.add(math.add(share.cutTiles, math.mul(math.sub(item, share.parts), blocks)), block);
  Value tile = math.select(isPart, math.add(share.firstTile, item), wholeTile, "tile");
  // Who has no part begins where a tile does: at the end of all.
  Value isFirst = math.equal(item, zero);
  Value isLast = math.equal(item, math.sub(share.parts, one));
  Value first = math.select(isFirst, share.beginStep, zero, "first_step");
  Value last = math.select(isLast, share.endStep, share.steps, "last_step");
  // Of a static loop the steps fit as well, or the loop takes 64 bits.
  tile::ForOp cut = loop.getCutLoop();
  int64_t most = getLast(cut, 0) / cut.getSteps()[0] + 1;
  index.know(first, {1, 0, most, {}});
  index.know(last, {1, 0, most, {}});
  part = TilePart{tile, {first, last}};
  enterTile(loop, tile);
  LogicalResult result = body();
  part.reset();
  return result;
}
