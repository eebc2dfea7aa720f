//===- Cluster.cpp - Blocks of a cluster --------------------------*- C++ -*-===//

#include "Cluster.h"

#include "tilec/Conversion/Launch.h"

using namespace mlir;
using namespace tilec;

static bool isHeldInRegisters(Operation &op) { return isa<tile::HoldOp>(op) && tile::getLevel(op.getResult(0).getType()) == tile::Level::RF; }

LogicalResult Cluster::enter(tile::ForOp cluster) {
  auto onBlock = [](Operation &op) {
    auto loop = dyn_cast<tile::ForOp>(op);
    return loop && loop.getUnit() == tile::Unit::Block;
  };
  Block &body = cluster.getBody().front();
  auto first = llvm::find_if(body, onBlock);
  tile::ForOp loop = first == body.end() ? tile::ForOp() : cast<tile::ForOp>(*first);
  bool reduces = loop && loop.reduces(), after = false;
  for (Operation &op : body) {
    if (&op == loop.getOperation()) {
      after = true;
      continue;
    }
    // Parts are followed from their uses. Around a loop that reduces is what it adds to, and what the first block does then.
    if (isa<tile::PartOp>(op) || (reduces && !onBlock(op) && (after || isHeldInRegisters(op))))
      continue;
    InFlightDiagnostic diag = op.emitOpError("is beside or instead of the one loop on block in a loop on cluster"); // limit_x1
    diag.attachNote(cluster.getLoc()) << "the loop on cluster is here";
    return diag;
  }
  if (!loop) // limit_x1
    return cluster.emitOpError("on cluster needs a loop on block in it, which says how many blocks a cluster has");
  for (unsigned i = 0; i < loop.getNumLoops(); ++i)
    if (!loop.getStaticCount(i)) // limit_x2
      return loop.emitOpError("on block in a cluster needs static extents, but extent ") << i << " is dynamic";
  blocks = analysis::getClusterSize(loop);
  if (blocks > analysis::kMostClusterBlocks) // limit_x2
    return loop.emitOpError("makes clusters of ") << blocks << " blocks; they have at most " << analysis::kMostClusterBlocks;
  Location loc = unnamed(loop.getLoc());
  if (blocks > 1) {
    context.function.setCluster(blocks);
    rank = kernel::ClusterRankOp::create(b, named(loc, "rank"), b.getIndexType());
    index.know(rank, {1, 0, blocks - 1, {}});
  }
  for (auto [i, digit] : llvm::enumerate(analysis::getRankDigits(loop))) {
    Value number = index.constant(loc, 0);
    if (digit.count > 1)
      number = index.rem(loc, index.div(loc, rank, digit.stride), digit.count);
    Value offset = index.mul(digit.iv.getLoc(), number, loop.getSteps()[i]);
    context.values.map(digit.iv, offset);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Blocks that want the same
//===----------------------------------------------------------------------===//

IndexExpr Cluster::getNumberIn(Location loc, const analysis::BlockGroup &group) {
  IndexExpr number;
  int64_t below = 1;
  for (const analysis::RankDigit &digit : llvm::reverse(group.own)) {
    Value own = index.rem(loc, index.div(loc, rank, digit.stride), digit.count);
    number = number + valueIndex(own, below);
    below *= digit.count;
  }
  return number;
}

IndexExpr Cluster::getFirstRank(Location loc, const analysis::BlockGroup &group) {
  IndexExpr first;
  for (const analysis::RankDigit &digit : group.common)
    first = first + valueIndex(index.rem(loc, index.div(loc, rank, digit.stride), digit.count), digit.stride);
  return first;
}

Value Cluster::getRankOf(Location loc, const analysis::BlockGroup &group, Value number) {
  IndexExpr result = getFirstRank(loc, group);
  int64_t below = 1;
  for (const analysis::RankDigit &digit : llvm::reverse(group.own)) {
    // The last quotient is a digit itself: who asks has a number of the group.
    Value own = index.div(loc, number, below);
    if (&digit != &group.own.front())
      own = index.rem(loc, own, digit.count);
    result = result + valueIndex(own, digit.stride);
    below *= digit.count;
  }
  return index.materialize(loc, result);
}

Value Cluster::getRankMask(Location loc, const analysis::BlockGroup &group) {
  Value ranks = index.constant(loc, group.ranks());
  IndexExpr first = getFirstRank(loc, group);
  if (first.terms.empty())
    return ranks;
  return arith::ShLIOp::create(b, loc, ranks, index.materialize(loc, first));
}


Value Cluster::getOwnNumber(Location loc, Value ofCluster) {
  if (blocks == 1)
    return ofCluster;
  index.know(ofCluster, {1, 0, runtime::maxExtent / blocks - 1, {}}); // The launcher refuses more tiles.
  return index.materialize(loc, valueIndex(ofCluster, blocks) + valueIndex(rank));
}

void Cluster::enterFirst(Location loc, bool first) {
  if (blocks == 1)
    return;
  context.enterIf(loc, arith::CmpIOp::create(b, loc, first ? arith::CmpIPredicate::eq : arith::CmpIPredicate::ne, rank,
                                             index.constant(loc, 0)));
}
