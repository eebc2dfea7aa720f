//===- LowerBlocks.cpp - The loop on block --------------------------*- C++ -*-===//
//
// The outermost loop, and that on block in one on cluster. Where the latter says
// reduce, each block of a cluster has partial tiles of its own. After the loop the
// first block reads those of the others from their shared memory, combines them in
// the order of the ranks, so that results do not vary between runs, and goes on with
// what follows the loop.
//
//===----------------------------------------------------------------------===//

#include "Ring.h"

#include "Combine.h"
#include "Reduction.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "tilec/Analysis/ClusterReduce.h"
#include "tilec/Analysis/InstructionPlan.h"

using namespace mlir;
using namespace tilec;

//===----------------------------------------------------------------------===//
// Reductions over blocks
//===----------------------------------------------------------------------===//

namespace {
/// Partial tiles of one held tile: of this block, as a row of registers, and where the others find them in its shared
/// memory, a row of threads for each run of `width` elements.
struct BlockParts {
  Value array;
  Value shared;
  int64_t width;
};
} // namespace

static BlockParts createBlockParts(tile::ForOp blocks, Value held, Lowering &lowering) {
  Value array = flatten(lowering.context, lowering.registers.get(held).array);
  auto type = cast<MemRefType>(array.getType());
  int64_t width = analysis::getExchangeWidth(type.getNumElements(), type.getElementTypeBitWidth() / 8);
  Location loc = named(held.getLoc(), nameOf(held.getLoc(), "held") + "_parts");
  return {array, lowering.shared.create(loc, analysis::SharedUse::Parts, blocks, type.getElementType(), held), width};
}

/// Calls `body` with the indices of the first element of each run of a thread, and its place in shared memory.
static void forEachPart(Location loc, const BlockParts &parts, Lowering &lowering, llvm::function_ref<void(const Indices &, Value)> body) {
  const Threads &threads = lowering.threads;
  auto type = cast<MemRefType>(parts.array.getType());
  forEachRun(lowering.context, loc, type, parts.width, [&](const IndexExpr &element, const Indices &first) {
    IndexExpr place = element * threads.getCount() + valueIndex(threads.getNumber(), parts.width);
    body(first, lowering.context.index.materialize(loc, place));
  });
}

static void leaveParts(Location loc, const BlockParts &parts, Lowering &lowering) {
  forEachPart(loc, parts, lowering, [&](const Indices &first, Value at) { storeRun(lowering.context, loc, parts.shared, at, parts.array, first, parts.width); });
}

/// Combines this block's parts with those of block `from`.
static void fetchParts(Location loc, tile::Combine kind, const BlockParts &parts, Value from, Lowering &lowering) {
  Context &context = lowering.context;
  Type element = cast<MemRefType>(parts.array.getType()).getElementType();
  forEachPart(loc, parts, lowering, [&](const Indices &first, Value at) {
    Value more = context.createArray(named(loc, "more"), parts.width, element);
    kernel::LdsClusterOp::create(context.b, loc, more, context.index.constant(loc, 0), parts.shared, at, from, parts.width);
    combineRun(context, loc, kind, parts.array, first, more, parts.width);
  });
}

/// Combines this block's tuples, which `all` tiles make, with those of block `from`. Runs differ in width: all are fetched first.
static void fetchTuples(Location loc, Combiner &combiner, ArrayRef<BlockParts> all, Value from, Lowering &lowering) {
  Context &context = lowering.context;
  OpBuilder &b = context.b;
  Indices fetched;
  for (const BlockParts &parts : all) {
    auto type = cast<MemRefType>(parts.array.getType());
    Value more = fetched.emplace_back(context.createArray(named(loc, "more"), type.getNumElements(), type.getElementType()));
    forEachPart(loc, parts, lowering, [&](const Indices &first, Value at) {
      Value to = first.empty() ? context.index.constant(loc, 0) : first.front();
      kernel::LdsClusterOp::create(b, loc, more, to, parts.shared, at, from, parts.width);
    });
  }
  forEachRun(context, loc, cast<MemRefType>(all.front().array.getType()), 1, [&](const IndexExpr &element, const Indices &at) {
    Indices own = llvm::map_to_vector(all, [&](const BlockParts &parts) -> Value { return memref::LoadOp::create(b, loc, parts.array, at); });
    Value number = context.index.materialize(loc, element);
    Indices other = llvm::map_to_vector(fetched, [&](Value array) -> Value { return memref::LoadOp::create(b, loc, array, number); });
    for (auto [parts, value] : llvm::zip_equal(all, combiner.combine(loc, own, other)))
      memref::StoreOp::create(b, loc, value, parts.array, at);
  });
}

/// The partial tiles of all blocks become those of the first.
static void exchangeParts(tile::ForOp blocks, Reduction &reduction, Lowering &lowering) {
  Location loc = unnamed(blocks.getLoc());
  Context &context = lowering.context;
  OpBuilder &b = context.b;
  SmallVector<BlockParts> all;
  for (ArrayRef<Value> group : reduction.getGroups())
    for (Value held : group) {
      // Some blocks leave what others add to.
      if (lowering.ring && analysis::runsInstructions(lowering.ring->loop))
        kernel::SettleOp::create(b, loc, lowering.registers.get(held).array);
      all.push_back(createBlockParts(blocks, held, lowering));
    }
  {
    OpBuilder::InsertionGuard guard(b);
    lowering.cluster.enterFirst(loc, /*first=*/false);
    for (const BlockParts &parts : all)
      leaveParts(loc, parts, lowering);
  }
  kernel::ClusterSyncOp::create(b, loc); // All parts are there.
  {
    OpBuilder::InsertionGuard guard(b);
    lowering.cluster.enterFirst(loc);
    auto number = [&](int64_t n) { return context.index.constant(loc, n); };
    auto walk = kernel::ForOp::create(b, loc, number(1), number(lowering.cluster.getBlocks()), number(1));
    walk.getInductionVar().setLoc(named(loc, "from"));
    b.setInsertionPoint(walk.getBody()->getTerminator());
    for (const BlockParts &parts : all)
      if (blocks.getReduce())
        fetchParts(loc, *blocks.getReduce(), parts, walk.getInductionVar(), lowering);
    if (!blocks.getReduce())
      fetchTuples(loc, reduction.getCombiner(), all, walk.getInductionVar(), lowering);
  }
  kernel::ClusterSyncOp::create(b, loc); // Nobody reads them any more: their blocks may end, or take the next tile.
}

LogicalResult tilec::lowerReducingBlocks(tile::ForOp blocks, Lowering &lowering) {
  if (tile::ForOp cut = blocks.getCutLoop()) { // limit_x3
    InFlightDiagnostic diag = cut.emitOpError("cuts the steps of tiles over whose blocks a loop reduces; not lowered yet");
    diag.attachNote(blocks.getLoc()) << "the loop on block is here";
    return diag;
  }
  Block &around = *blocks->getBlock();
  if (failed(lowerOps({around.begin(), blocks->getIterator()}, lowering)))
    return failure();
  Reduction reduction(lowering.context, lowering.registers, blocks);
  if (failed(lowerBody(blocks, lowering)))
    return failure();
  if (lowering.cluster.getBlocks() > 1)
    exchangeParts(blocks, reduction, lowering);
  OpBuilder::InsertionGuard guard(lowering.context.b);
  lowering.cluster.enterFirst(unnamed(blocks.getLoc()));
  reduction.finish();
  return lowerOps({std::next(blocks->getIterator()), around.end()}, lowering);
}

//===----------------------------------------------------------------------===//
// The grid
//===----------------------------------------------------------------------===//

tile::ForOp tilec::getBlockLoop(tile::ForOp grid) {
  return grid.getUnit() == tile::Unit::Cluster ? analysis::getClusteredLoop(grid->getParentOfType<tile::KernelOp>()) : grid;
}

LogicalResult tilec::lowerTile(tile::ForOp loop, Lowering &lowering) {
  OpBuilder::InsertionGuard guard(lowering.context.b);
  tile::ForOp cut = loop.getCutLoop();
  for (Operation &op : loop.getBody().front()) {
    if (failed(lowerOp(op, lowering)))
      return failure();
    if (&op == cut.getOperation())
      lowering.context.enterIf(unnamed(op.getLoc()), lowering.sums.addParts(cut));
  }
  return success();
}

LogicalResult tilec::lowerGrid(tile::ForOp loop, Lowering &lowering) {
  if (!isa<tile::KernelOp>(loop->getParentOp())) // limit_x4
    return loop.emitOpError("on ") << stringifyUnit(loop.getUnit()) << " must be the kernel's outermost loop";
  if (llvm::range_size(loop->getBlock()->getOps<tile::ForOp>()) > 1) // limit_x4
    return loop.emitOpError("on ") << stringifyUnit(loop.getUnit()) << " must be the kernel's only outermost loop";
  if (loop.getUnit() == tile::Unit::Cluster && failed(lowering.cluster.enter(loop)))
    return failure();
  tile::ForOp filled;
  loop.walk([&](tile::ForOp inner) {
    if (inner.getProducers())
      filled = inner;
  });
  if (filled)
    return lowerRoles(loop, filled, lowering);
  lowering.grid.enter(loop);
  tile::ForOp blocks = getBlockLoop(loop);
  if (failed(lowering.grid.forEachTile(
          loop, [&] { return blocks.reduces() ? lowerReducingBlocks(blocks, lowering) : lowerTile(blocks, lowering); })))
    return failure();
  waitForBulkStores(lowering);
  return success();
}
