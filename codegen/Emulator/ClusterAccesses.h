//===- ClusterAccesses.h - What reaches into other blocks -----*- C++ -*-===//
//
// Accesses to shared memory of the other blocks of the cluster. Such a block
// must not have ended: at its end it looks back at who came.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_EMULATOR_CLUSTERACCESSES_H
#define TILEC_EMULATOR_CLUSTERACCESSES_H

#include "SharedAccesses.h"

#include <map>

namespace tilec::emulator {

class Block;
class Cluster;

class ClusterAccesses {
public:
  ClusterAccesses(Cluster &cluster, const Threads &threads, Witness &witness, Sites &sites,
                  const BlockMemory &memory, SharedAccesses &shared)
      : cluster(cluster), threads(threads), witness(witness), sites(sites), memory(memory),
        shared(shared) {}
  void start() { visits.clear(); }

  // By threads of the block.
  const void *readCluster(const void *source, unsigned bytes, int rank, int line,
                          Position position);
  void arriveRemote(void *bar, int rank, int line);

  /// Where another block of the cluster has what lies here in this one; 0 where nothing does.
  uintptr_t translate(uintptr_t address, Block &other, int line);
  /// Reports visits for which this block may have been too short-lived.
  void checkVisits();

private:
  /// An access of another block to this one's shared memory.
  struct Visit {
    uint32_t tick;
    int line;
    /// "comes to its barrier"
    const char *what;
  };
  /// The thread visits `other`, if that is not its own block.
  void noteVisit(Block &other, int line, const char *what);
  /// The block of that rank, or null.
  Block *findBlock(int rank);

  Cluster &cluster;
  const Threads &threads;
  Witness &witness;
  Sites &sites;
  const BlockMemory &memory;
  SharedAccesses &shared;
  /// The latest of each agent.
  std::map<unsigned, Visit> visits;
};

} // namespace tilec::emulator

#endif // TILEC_EMULATOR_CLUSTERACCESSES_H
