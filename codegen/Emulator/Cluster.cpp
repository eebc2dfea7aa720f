//===- Cluster.cpp - Blocks that run together -----------------*- C++ -*-===//
//
// See Cluster.h.
//
//===----------------------------------------------------------------------===//

#include "Cluster.h"

#include <algorithm>

namespace tilec::emulator {

Cluster::Cluster(Launch &launch) : launch(launch) {
  if (launch.needsClocks && launch.options.checks)
    clocks.emplace(launch.clusterBlocks * launch.blockThreads);
  for (unsigned rank = 0; rank < launch.clusterBlocks; ++rank)
    blocks.push_back(std::make_unique<Block>(launch, *this, rank));
}

bool Cluster::allocate() {
  return std::all_of(blocks.begin(), blocks.end(), [](auto &block) { return block->allocate(); });
}

bool Cluster::isStopped() const {
  return std::any_of(blocks.begin(), blocks.end(), [](auto &block) { return block->threads.isAbandoned(); });
}

bool Cluster::releaseClusterBarrier() {
  unsigned waiting = 0;
  bool complete = true;
  for (auto &block : blocks) {
    waiting += block->meetings.getClusterWaiters();
    complete &= block->meetings.getClusterWaiters() + block->threads.getEnded() == launch.blockThreads;
  }
  if (waiting == 0 || !complete)
    return false;
  std::vector<unsigned> members;
  for (auto &block : blocks)
    block->leaveClusterBarrier(members);
  if (clocks)
    clocks->meet(members, /*readsReturn=*/true);
  return true;
}

bool Cluster::letArrive() {
  bool any = false;
  for (auto &block : blocks)
    any |= block->releaseBarrier();
  if (any || releaseClusterBarrier())
    return true;
  for (auto &block : blocks)
    any |= block->sites.releaseThrottled();
  if (any)
    return true;
  return std::any_of(blocks.begin(), blocks.end(), [](auto &block) { return block->mbarriers.landCopies(); });
}

void Cluster::run(unsigned number, unsigned wave) {
  if (clocks)
    clocks->reset();
  for (unsigned rank = 0; rank < size(); ++rank)
    blocks[rank]->start(number * size() + rank, wave);
  while (!isStopped()) {
    bool ran = false;
    for (auto &block : blocks)
      ran |= block->advance();
    if (ran)
      continue;
    if (std::all_of(blocks.begin(), blocks.end(),
                    [&](auto &block) { return block->threads.getEnded() == launch.blockThreads; }))
      break;
    if (!letArrive())
      for (auto &block : blocks)
        block->reportDeadlock();
  }
  for (auto &block : blocks)
    block->finish(/*complete=*/!isStopped());
  if (isStopped())
    launch.stopped = true;
}

} // namespace tilec::emulator
