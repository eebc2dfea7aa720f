//===- LowerCluster.cpp - Blocks of a cluster -------------------*- C++ -*-===//
//
// A loop on block in a loop on cluster: consecutive blocks are a cluster, and a
// block's rank in it tells its iteration. A tile that several of them stage in
// boxes is copied once, a slice by each.
//
//===----------------------------------------------------------------------===//

#include "KernelLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tilec/Analysis/BulkPlan.h"

using namespace mlir;
using namespace tilec;

LogicalResult KernelLowering::enterCluster(tile::ForOp cluster) {
  auto onBlock = [](Operation &op) {
    auto loop = dyn_cast<tile::ForOp>(op);
    return loop && loop.getUnit() == tile::Unit::Block;
  };
  Block &body = cluster.getBody().front();
  auto first = llvm::find_if(body, onBlock);
  tile::ForOp blocks = first == body.end() ? tile::ForOp() : cast<tile::ForOp>(*first);
  bool reduces = blocks && blocks.getReduce(), after = false;
  for (Operation &op : body) {
    if (&op == blocks.getOperation()) {
      after = true;
      continue;
    }
    // Parts are followed from their uses. Around a loop that reduces is what it adds to, and what the first block does then.
    if (isa<tile::PartOp>(op) || (reduces && !onBlock(op) && (after || isa<tile::HoldOp>(op))))
      continue;
    InFlightDiagnostic diag = op.emitOpError("is beside or instead of the one loop on block in a loop on cluster");
    diag.attachNote(cluster.getLoc()) << "the loop on cluster is here";
    return diag;
  }
  if (!blocks)
    return cluster.emitOpError("on cluster needs a loop on block in it, which says how many blocks a cluster has");
  for (unsigned i = 0; i < blocks.getNumLoops(); ++i)
    if (!blocks.getStaticCount(i))
      return blocks.emitOpError("on block in a cluster needs static extents, but extent ") << i << " is dynamic";
  clusterBlocks = analysis::getClusterSize(blocks);
  if (clusterBlocks > analysis::kMostClusterBlocks)
    return blocks.emitOpError("makes clusters of ") << clusterBlocks << " blocks; they have at most " << analysis::kMostClusterBlocks;
  Location loc = unnamed(blocks.getLoc());
  if (clusterBlocks > 1) {
    function.setCluster(clusterBlocks);
    clusterRank = kernel::ClusterRankOp::create(b, named(loc, "rank"), b.getIndexType());
    index.know(clusterRank, {1, 0, clusterBlocks - 1, {}});
  }
  for (auto [i, digit] : llvm::enumerate(analysis::getRankDigits(blocks))) {
    Value number = index.constant(loc, 0);
    if (digit.count > 1)
      number = index.rem(loc, index.div(loc, clusterRank, digit.stride), digit.count);
    Value offset = index.mul(digit.iv.getLoc(), number, blocks.getSteps()[i]);
    values.map(digit.iv, offset);
  }
  return success();
}

tile::ForOp KernelLowering::getBlockLoop(tile::ForOp grid) {
  return grid.getUnit() == tile::Unit::Cluster ? analysis::getClusteredLoop(kernel) : grid;
}

//===----------------------------------------------------------------------===//
// Blocks that want the same
//===----------------------------------------------------------------------===//

IndexExpr KernelLowering::getNumberIn(Location loc, const analysis::BlockGroup &group) {
  IndexExpr number;
  int64_t below = 1;
  for (const analysis::RankDigit &digit : llvm::reverse(group.own)) {
    Value own = index.rem(loc, index.div(loc, clusterRank, digit.stride), digit.count);
    number = number + valueIndex(own, below);
    below *= digit.count;
  }
  return number;
}

IndexExpr KernelLowering::getFirstRank(Location loc, const analysis::BlockGroup &group) {
  IndexExpr rank;
  for (const analysis::RankDigit &digit : group.common)
    rank = rank + valueIndex(index.rem(loc, index.div(loc, clusterRank, digit.stride), digit.count), digit.stride);
  return rank;
}

Value KernelLowering::getRankOf(Location loc, const analysis::BlockGroup &group, Value number) {
  IndexExpr rank = getFirstRank(loc, group);
  int64_t below = 1;
  for (const analysis::RankDigit &digit : llvm::reverse(group.own)) {
    // The last quotient is a digit itself: who asks has a number of the group.
    Value own = index.div(loc, number, below);
    if (&digit != &group.own.front())
      own = index.rem(loc, own, digit.count);
    rank = rank + valueIndex(own, digit.stride);
    below *= digit.count;
  }
  return index.materialize(loc, rank);
}

Value KernelLowering::getRankMask(Location loc, const analysis::BlockGroup &group) {
  Value ranks = index.constant(loc, group.ranks());
  IndexExpr first = getFirstRank(loc, group);
  if (first.terms.empty())
    return ranks;
  return arith::ShLIOp::create(b, loc, ranks, index.materialize(loc, first));
}

void KernelLowering::copySlice(tile::StageOp stage, Value slot) {
  Location loc = unnamed(stage.getLoc());
  const SharedTile tile = shared.find(stage.getTile())->second;
  tile::Access access = tile::getSourceAccess(stage);
  analysis::BulkCopy copy = *analysis::getBulkCopy(stage); // describeLaunch has refused others.
  IndexExpr number = getNumberIn(loc, copy.sharers);
  Coordinates coordinates;
  for (unsigned dim : copy.box.dims)
    coordinates.push_back(mapSum(access.subscripts[dim]));
  IndexExpr place = tile.slot;
  OpBuilder::InsertionGuard guard(b);
  if (copy.slices < copy.sharers.size()) {
    Value has = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, index.materialize(loc, number),
                                      index.constant(loc, copy.slices));
    auto condition = scf::IfOp::create(b, loc, has, /*withElseRegion=*/false);
    b.setInsertionPoint(condition.thenBlock()->getTerminator());
  }
  if (copy.slices > 1) {
    coordinates[copy.sliced] = coordinates[copy.sliced] + number * copy.box.extents[copy.sliced];
    place = place + number * (tile.type.getNumElements() / copy.slices);
  }
  SmallVector<Value> at;
  for (const IndexExpr &coordinate : coordinates)
    at.push_back(index.materialize(loc, coordinate));
  Value dest = index.materialize(loc, place), map = tensorMaps.lookup(stage);
  if (copy.sharers.size() == 1)
    kernel::TmaLoadOp::create(b, loc, tile.buffer, dest, map, at, ring->full, slot);
  else
    kernel::TmaLoadMulticastOp::create(b, loc, tile.buffer, dest, map, at, ring->full, slot, getRankMask(loc, copy.sharers));
}
