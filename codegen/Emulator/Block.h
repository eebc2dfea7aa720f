//===- Block.h - One block of threads at work -----------------*- C++ -*-===//
//
// A block is its parts: each holds one subject's state and the functions of the
// vocabulary that are about it (RuntimeFunctions.td). What they know of each
// other goes one way, from the first to the last; other blocks of the cluster
// are reached in ClusterAccesses and BulkCopies.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_EMULATOR_BLOCK_H
#define TILEC_EMULATOR_BLOCK_H

#include "AsyncCopies.h"
#include "BulkCopies.h"
#include "BulkStores.h"
#include "ClusterAccesses.h"
#include "ConstantAccesses.h"
#include "GlobalAccesses.h"
#include "GlobalOrder.h"
#include "Mbarriers.h"
#include "Meetings.h"
#include "Registers.h"
#include "SharedAccesses.h"
#include "Sites.h"
#include "ThreadCopies.h"
#include "Threads.h"
#include "WarpMatrices.h"
#include "Warpgroups.h"
#include "Witness.h"

namespace tilec::emulator {

class Block {
public:
  Block(Launch &launch, Cluster &cluster, unsigned rank);
  /// Reserves stacks and memory; false where the system gives none.
  bool allocate();

  // What the cluster does with its blocks.
  void start(unsigned number, unsigned wave);
  /// Lets threads run until all wait; false where none could.
  bool advance();
  /// Ends the barrier of the whole block, if all are there.
  bool releaseBarrier();
  /// The same of the cluster's barrier; adds the threads that go on to `members`.
  void leaveClusterBarrier(std::vector<unsigned> &members);
  void reportDeadlock();
  /// `complete`: all threads have ended.
  void finish(bool complete);

  /// The block whose thread this OS thread runs.
  static Block *current();

  Threads threads;
  Witness witness;
  BlockMemory memory;
  Sites sites;
  Meetings meetings;
  Registers registers;
  ThreadCopies threadCopies;
  Mbarriers mbarriers;
  SharedAccesses sharedAccesses;
  Warpgroups warpgroups;
  WarpMatrices warpMatrices;
  GlobalOrder globalOrder;
  GlobalAccesses globalAccesses;
  ConstantAccesses constantAccesses;
  AsyncCopies asyncCopies;
  ClusterAccesses clusterAccesses;
  BulkCopies bulkCopies;
  BulkStores bulkStores;

private:
  static void runThread();
  std::string describeWait(unsigned thread) const;

  Launch &launch;
};

} // namespace tilec::emulator

#endif // TILEC_EMULATOR_BLOCK_H
