//===- ClusterPlan.cpp - What blocks of a cluster do together ---*- C++ -*-===//

#include "tilec/Analysis/ClusterPlan.h"

#include "tilec/Tile/Access.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::analysis;

tile::ForOp tilec::analysis::getClusteredLoop(tile::KernelOp kernel) {
  tile::ForOp blocks;
  kernel.walk([&](tile::ForOp loop) {
    auto outer = loop->getParentOfType<tile::ForOp>();
    if (loop.getUnit() == tile::Unit::Block && outer && outer.getUnit() == tile::Unit::Cluster)
      blocks = loop;
  });
  return blocks;
}

SmallVector<RankDigit> tilec::analysis::getRankDigits(tile::ForOp blocks) {
  SmallVector<RankDigit> digits;
  for (unsigned i = 0; blocks && i < blocks.getNumLoops(); ++i)
    digits.push_back({blocks.getInductionVar(i), std::max<int64_t>(blocks.getStaticCount(i).value_or(1), 1), 1});
  int64_t stride = 1;
  for (RankDigit &digit : llvm::reverse(digits)) {
    digit.stride = stride;
    if (llvm::MulOverflow(stride, digit.count, stride))
      stride = std::numeric_limits<int64_t>::max();
  }
  return digits;
}

int64_t tilec::analysis::getClusterSize(tile::ForOp blocks) {
  int64_t size = 1;
  for (const RankDigit &digit : getRankDigits(blocks))
    if (llvm::MulOverflow(size, digit.count, size))
      return std::numeric_limits<int64_t>::max();
  return size;
}

int64_t BlockGroup::size() const {
  int64_t size = 1;
  for (const RankDigit &digit : own)
    size *= digit.count;
  return size;
}

int64_t BlockGroup::ranks() const {
  int64_t ranks = 1;
  for (const RankDigit &digit : llvm::reverse(own))
    for (int64_t i = 1, one = ranks; i < digit.count; ++i)
      ranks |= one << i * digit.stride;
  return ranks;
}

/// Does the tile depend on the induction variable?
static bool isMovedBy(tile::StageOp stage, Value iv) {
  tile::Access access = tile::getSourceAccess(stage);
  return llvm::any_of(access.subscripts, [&](const tile::LinearExpr &sum) {
    return llvm::any_of(sum.terms, [&](const auto &term) {
      // What is computed may be computed from anything.
      return term.first == iv || !isa<BlockArgument>(term.first);
    });
  });
}

BlockGroup tilec::analysis::getSharers(tile::ForOp blocks, ArrayRef<tile::StageOp> stages) {
  BlockGroup group;
  for (const RankDigit &digit : getRankDigits(blocks)) {
    if (digit.count == 1)
      continue;
    bool isCommon = llvm::all_of(stages, [&](tile::StageOp stage) { return isMovedBy(stage, digit.iv); });
    (isCommon ? group.common : group.own).push_back(digit);
  }
  return group;
}
