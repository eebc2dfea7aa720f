//===- LowerTail.cpp - A last wave that all blocks share --------*- C++ -*-===//
//
// T tiles and G blocks are T / G whole waves and T % G tiles more. The steps of
// those, S each, are dealt out in even, contiguous shares, tile after tile, and
// done before the whole tiles. A share is at most S steps, so it touches at most
// two tiles, and where G is nearly a multiple of T % G one. Who has not the whole of a tile leaves its sums in a workspace; the
// last to do so adds them up in the order of the steps, whoever it is, and goes on
// with the tile. No block waits for another.
//
// In a grid of clusters all of this is about clusters and tiles of theirs: the blocks of a cluster take the same
// steps, each of its own tile in that of the cluster, and each puts its tile together with those of its rank.
//
//===----------------------------------------------------------------------===//

#include "KernelLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "tilec/Analysis/ClusterReduce.h"
#include "tilec/Analysis/CutTail.h"
#include "tilec/Conversion/Launch.h"

using namespace mlir;
using namespace tilec;

namespace {
/// Arithmetic on int and, where a product may not fit, 64 bits.
struct Math {
  OpBuilder &b;
  Location loc;

  Location at(StringRef name) const { return name.empty() ? loc : named(loc, name); }
  Value add(Value x, Value y, StringRef name = {}) { return arith::AddIOp::create(b, at(name), x, y); }
  Value sub(Value x, Value y, StringRef name = {}) { return arith::SubIOp::create(b, at(name), x, y); }
  Value mul(Value x, Value y, StringRef name = {}) { return arith::MulIOp::create(b, at(name), x, y); }
  Value div(Value x, Value y, StringRef name = {}) { return arith::DivSIOp::create(b, at(name), x, y); }
  Value rem(Value x, Value y, StringRef name = {}) { return arith::RemSIOp::create(b, at(name), x, y); }
  Value min(Value x, Value y, StringRef name = {}) { return arith::MinSIOp::create(b, at(name), x, y); }
  Value max(Value x, Value y, StringRef name = {}) { return arith::MaxSIOp::create(b, at(name), x, y); }
  Value less(Value x, Value y, StringRef name = {}) {
    return arith::CmpIOp::create(b, at(name), arith::CmpIPredicate::slt, x, y);
  }
  Value equal(Value x, Value y) { return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, x, y); }
  Value select(Value condition, Value x, Value y, StringRef name = {}) {
    return arith::SelectOp::create(b, at(name), condition, x, y);
  }
  Value wide(Value x) { return arith::IndexCastOp::create(b, loc, b.getI64Type(), x); }
  Value narrow(Value x, StringRef name = {}) { return arith::IndexCastOp::create(b, at(name), b.getIndexType(), x); }
  Value trunc(Value x) { return arith::TruncIOp::create(b, loc, b.getI32Type(), x); }
  Value number(int64_t x) { return arith::ConstantIndexOp::create(b, loc, x); }
  Value wideNumber(int64_t x) { return arith::ConstantIntOp::create(b, loc, x, 64); }
};
} // namespace

void KernelLowering::cutWave(tile::ForOp loop) {
  Math math{b, unnamed(loop.getLoc())};
  tile::ForOp cut = loop.getCutLoop();
  Value zero = math.number(0), one = math.number(1);
  std::string cutName = nameOf(cut.getInductionVar(0).getLoc(), "k");
  Value length = getExtentValue(math.loc, mapExtent(cut.getExtent(0)));
  // A loop without iterations is one step that does nothing: its tile must be stored all the same.
  Value steps = math.max(divideUp(math.loc, math.loc, length, cut.getSteps()[0]), one, cutName + "_steps");
  Value blocks = grid.blocks, block = grid.block;
  Value whole = math.div(grid.allTiles, blocks, "whole_tiles"), cutTiles = math.rem(grid.allTiles, blocks, "cut_tiles");
  Value units = math.mul(math.wide(cutTiles), math.wide(steps), "cut_steps");
  // Where few blocks are idle for it, each tile is cut evenly, and no block has parts of two (CutWave).
  Value spare = math.rem(blocks, math.max(cutTiles, one), "spare");
  Value fewSpare = arith::CmpIOp::create(b, math.loc, arith::CmpIPredicate::sle, math.mul(spare, math.number(analysis::getCutWorth(cut).spare)), blocks);
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
  grid.cut = CutWave{steps, whole, cutTiles, units, shares, firstTile, parts, firstStep, lastStep};
}

LogicalResult KernelLowering::forEachPart(tile::ForOp loop, llvm::function_ref<LogicalResult()> body) {
  Math math{b, unnamed(loop.getLoc())};
  const CutWave &wave = *grid.cut;
  Value zero = math.number(0), one = math.number(1);
  auto walk = kernel::ForOp::create(b, math.loc, zero, math.add(wave.parts, wave.wholeTiles), one);
  Value item = walk.getInductionVar();
  item.setLoc(named(math.loc, "item"));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(walk.getBody()->getTerminator());
  Value isPart = math.less(item, wave.parts, "is_part");
  Value wholeTile = math.add(math.add(wave.cutTiles, math.mul(math.sub(item, wave.parts), grid.blocks)), grid.block);
  Value tile = math.select(isPart, math.add(wave.firstTile, item), wholeTile, "tile");
  // Who has no part begins where a tile does: at the end of all.
  Value isFirst = math.equal(item, zero);
  Value isLast = math.equal(item, math.sub(wave.parts, one));
  Value first = math.select(isFirst, wave.beginStep, zero, "first_step");
  Value last = math.select(isLast, wave.endStep, wave.steps, "last_step");
  // Of a static loop the steps fit as well, or getTimeBounds takes 64 bits.
  tile::ForOp cut = loop.getCutLoop();
  int64_t most = getLast(cut, 0) / cut.getSteps()[0] + 1;
  index.know(first, {1, 0, most, {}});
  index.know(last, {1, 0, most, {}});
  part = TilePart{tile, first, last};
  enterTile(loop, tile);
  LogicalResult result = body();
  part.reset();
  return result;
}

void KernelLowering::waitForThreads(Location loc) {
  if (roleThreads)
    kernel::SyncNamedOp::create(b, loc, index.constant(loc, 1), index.constant(loc, roleThreads));
  else
    kernel::SyncBlockOp::create(b, loc);
}

Value KernelLowering::getOwner(Location loc, Value end) {
  // Share g starts at floor(units * g / shares): the last one that starts before `end`.
  Math math{b, loc};
  Value last = math.sub(math.mul(end, math.wide(grid.cut->shares)), math.wideNumber(1));
  return math.div(last, grid.cut->units);
}

Value KernelLowering::getOwnNumber(Location loc, Value ofCluster) {
  if (clusterBlocks == 1)
    return ofCluster;
  index.know(ofCluster, {1, 0, runtime::maxExtent / clusterBlocks - 1, {}}); // The launcher refuses more tiles.
  return index.materialize(loc, valueIndex(ofCluster, clusterBlocks) + valueIndex(clusterRank));
}

Value KernelLowering::getPartSlot(Location loc, Value number) {
  return getOwnNumber(loc, Math{b, loc}.add(part->tile, number));
}

Value KernelLowering::flatten(Value array) {
  auto type = cast<MemRefType>(array.getType());
  if (type.getRank() < 2)
    return array;
  SmallVector<ReassociationIndices> all = {llvm::to_vector<4>(llvm::seq<int64_t>(type.getRank()))};
  return memref::CollapseShapeOp::create(b, named(array.getLoc(), nameOf(array.getLoc(), "r") + "_flat"), array, all);
}

void KernelLowering::forEachSum(Location loc, Value slot,
                                llvm::function_ref<void(Value, int64_t, const Indices &, Value, Value)> body) {
  Math math{b, loc};
  for (auto [number, held] : llvm::enumerate(sums)) {
    Value array = flatten(registers.find(held)->second.array);
    auto type = cast<MemRefType>(array.getType());
    int64_t width = analysis::getExchangeWidth(type.getNumElements(), type.getElementTypeBitWidth() / 8);
    // A slot is a row of threads for each run, so that a warp's accesses are whole lines.
    Value base = math.add(math.mul(math.wide(slot), math.wideNumber(type.getNumElements() * blockThreads)),
                          math.wide(math.mul(thread, math.number(width))), nameOf(held.getLoc(), "held") + "_slot");
    countedLoop(loc, "e", type.getNumElements() / width, width, /*unrolled=*/true, [&](const IndexExpr &element) {
      Indices indices;
      if (type.getRank() > 0)
        indices.push_back(index.materialize(loc, element));
      Value at = base;
      if (!element.terms.empty())
        at = math.add(base, math.wide(index.materialize(loc, element * blockThreads)));
      body(array, width, indices, workspaces[number], at);
    });
  }
}

void KernelLowering::sumParts(Location loc, Value first, Value last) {
  Math math{b, loc};
  // Its own sums are among the parts. -0 + x is x for every x.
  for (Value held : sums) {
    Value array = flatten(registers.find(held)->second.array);
    auto type = cast<MemRefType>(array.getType());
    Value none = arith::ConstantOp::create(b, loc, getIdentity(tile::Combine::Add, type.getElementType()));
    countedLoop(loc, "e", type.getNumElements(), 1, /*unrolled=*/true, [&](const IndexExpr &element) {
      Indices indices;
      if (type.getRank() > 0)
        indices.push_back(index.materialize(loc, element));
      memref::StoreOp::create(b, loc, none, array, indices);
    });
  }
  auto walk = kernel::ForOp::create(b, loc, first, math.add(last, math.number(1)), math.number(1));
  walk.getInductionVar().setLoc(named(loc, "from"));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(walk.getBody()->getTerminator());
  forEachSum(loc, getPartSlot(loc, walk.getInductionVar()),
             [&](Value array, int64_t width, const Indices &indices, Value workspace, Value at) {
    auto type = cast<MemRefType>(array.getType());
    if (width == 1) {
      Value before = memref::LoadOp::create(b, loc, array, indices);
      Value more = kernel::LdgOp::create(b, loc, type.getElementType(), workspace, at);
      memref::StoreOp::create(b, loc, combine(b, loc, tile::Combine::Add, before, more), array, indices);
      return;
    }
    auto run = MemRefType::get({width}, type.getElementType(), MemRefLayoutAttrInterface(), type.getMemorySpace());
    Value more = kernel::RegistersOp::create(b, named(loc, "more"), run);
    kernel::LdgVectorOp::create(b, loc, more, math.number(0), workspace, at, width);
    combineRun(loc, tile::Combine::Add, array, indices, more, width);
  });
}

void KernelLowering::combineRun(Location loc, tile::Combine kind, Value array, const Indices &first, Value more, int64_t width) {
  countedLoop(loc, "q", width, 1, /*unrolled=*/true, [&](const IndexExpr &element) {
    Value one = memref::LoadOp::create(b, loc, more, index.materialize(loc, element));
    Indices at;
    if (!first.empty())
      at.push_back(index.materialize(loc, valueIndex(first.front()) + element));
    Value before = memref::LoadOp::create(b, loc, array, at);
    memref::StoreOp::create(b, loc, combine(b, loc, kind, before, one), array, at);
  });
}

Value KernelLowering::addParts(tile::ForOp cut) {
  Location loc = unnamed(cut.getLoc());
  Math math{b, loc};
  Value done = createShared(named(loc, "done_before"), analysis::SharedUse::Done, cut, b.getI32Type());
  Value counters = workspaces.back();
  Value isWhole = math.equal(math.sub(part->last, part->first), grid.cut->steps);
  auto complete = scf::IfOp::create(b, named(loc, "is_complete"), b.getI1Type(), isWhole, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(complete.thenBlock());
  scf::YieldOp::create(b, loc, arith::ConstantIntOp::create(b, loc, 1, 1).getResult());

  b.setInsertionPointToEnd(complete.elseBlock());
  forEachSum(loc, getPartSlot(loc, grid.block),
             [&](Value array, int64_t width, const Indices &indices, Value workspace, Value at) {
    if (width > 1)
      kernel::StgVectorOp::create(b, loc, workspace, at, array, indices, width);
    else
      kernel::StgOp::create(b, loc, workspace, at, memref::LoadOp::create(b, loc, array, indices));
  });
  // The barrier orders what all threads have written before the count, and the count, which releases and
  // acquires, before what the threads of the last block read: causality order passes through both (PTX ISA, memory
  // consistency model), so that no thread needs a fence of its own.
  waitForThreads(loc);
  auto byFirst = [&](llvm::function_ref<void()> emit) {
    auto condition = scf::IfOp::create(b, loc, math.equal(thread, math.number(0)), /*withElseRegion=*/false);
    OpBuilder::InsertionGuard inner(b);
    b.setInsertionPoint(condition.thenBlock()->getTerminator());
    emit();
  };
  Value own = getOwnNumber(loc, part->tile);
  auto count = [&](Value more) -> Value {
    return kernel::AtomicFetchAddOp::create(b, loc, b.getI32Type(), counters, own, more);
  };
  byFirst([&] {
    Value before = count(arith::ConstantIntOp::create(b, loc, 1, 32));
    before.setLoc(named(loc, "before"));
    kernel::StsOp::create(b, loc, done, math.number(0), before);
  });
  waitForThreads(loc);
  Value start = math.mul(math.wide(part->tile), math.wide(grid.cut->steps), "tile_start");
  Value first = getOwner(loc, math.add(start, math.wideNumber(1)));
  Value last = getOwner(loc, math.add(start, math.wide(grid.cut->steps)));
  first.setLoc(named(loc, "first_block"));
  last.setLoc(named(loc, "last_block"));
  Value before = kernel::LdsOp::create(b, loc, b.getI32Type(), done, math.number(0));
  Value others = math.trunc(math.sub(last, first));
  Value isLast = arith::CmpIOp::create(b, named(loc, "is_last"), arith::CmpIPredicate::eq, before, others);
  auto finish = scf::IfOp::create(b, loc, isLast, /*withElseRegion=*/false);
  {
    OpBuilder::InsertionGuard inner(b);
    b.setInsertionPoint(finish.thenBlock()->getTerminator());
    sumParts(loc, math.narrow(first), math.narrow(last));
    byFirst([&] { count(math.trunc(math.sub(math.sub(first, last), math.wideNumber(1)))); }); // 0 for the next launch.
  }
  scf::YieldOp::create(b, loc, isLast);
  return complete.getResult(0);
}
