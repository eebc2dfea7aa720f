//===- Cluster.h - Blocks that run together -------------------*- C++ -*-===//
//
// A worker runs one cluster at a time; without clusters that is one block. When
// no thread of any of its blocks can run, something that was on its way must
// arrive: this is the last moment for it.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_EMULATOR_CLUSTER_H
#define TILEC_EMULATOR_CLUSTER_H

#include "Block.h"

#include <memory>
#include <optional>
#include <vector>

namespace tilec::emulator {

class Cluster {
public:
  explicit Cluster(Launch &launch);
  /// Reserves stacks and memory; false where the system gives none.
  bool allocate();
  /// Runs the cluster to its end, or to where it cannot go on.
  void run(unsigned number, unsigned wave);

  unsigned size() const { return blocks.size(); }
  Block &getBlock(unsigned rank) { return *blocks[rank]; }
  const std::vector<std::unique_ptr<Block>> &getBlocks() const { return blocks; }
  /// Null where counting barriers is enough.
  Clocks *getClocks() { return clocks ? &*clocks : nullptr; }

private:
  bool isStopped() const;
  bool releaseClusterBarrier();
  /// One thing happens that cannot wait any longer; false where there is none.
  bool letArrive();

  Launch &launch;
  std::optional<Clocks> clocks;
  std::vector<std::unique_ptr<Block>> blocks;
};

} // namespace tilec::emulator

#endif // TILEC_EMULATOR_CLUSTER_H
