//===- Cluster.h - Blocks of a cluster ----------------------------*- C++ -*-===//
//
// A loop on block in a loop on cluster: consecutive blocks are a cluster, and a
// block's rank in it tells its iteration.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_CONVERSION_CLUSTER_H
#define TILEC_CONVERSION_CLUSTER_H

#include "Context.h"
#include "tilec/Analysis/ClusterPlan.h"

namespace tilec {

/// The cluster that a block is in; of one block where the grid has none.
class Cluster {
public:
  explicit Cluster(Context &context) : context(context), b(context.b), index(context.index) {}

  /// Checks a grid of clusters, and maps the induction variables of the loop on block in it.
  mlir::LogicalResult enter(tile::ForOp cluster);
  int64_t getBlocks() const { return blocks; }
  mlir::Value getRank() const { return rank; }

  /// The number of this block among those of its group.
  IndexExpr getNumberIn(mlir::Location loc, const analysis::BlockGroup &group);
  /// The rank of block `number` of this block's group.
  mlir::Value getRankOf(mlir::Location loc, const analysis::BlockGroup &group, mlir::Value number);
  /// The group's ranks as bits.
  mlir::Value getRankMask(mlir::Location loc, const analysis::BlockGroup &group);
  /// Of tiles or parts of a cluster, numbered `ofCluster`, this block's own.
  mlir::Value getOwnNumber(mlir::Location loc, mlir::Value ofCluster);
  /// Goes on for the first block of the cluster, or for all others.
  void enterFirst(mlir::Location loc, bool first = true);

private:
  /// The rank of the first block of this block's group.
  IndexExpr getFirstRank(mlir::Location loc, const analysis::BlockGroup &group);

  Context &context;
  mlir::OpBuilder &b;
  IndexBuilder &index;
  int64_t blocks = 1;
  mlir::Value rank;
};

} // namespace tilec

#endif // TILEC_CONVERSION_CLUSTER_H
