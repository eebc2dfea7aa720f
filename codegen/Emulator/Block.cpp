//===- Block.cpp - One block of threads at work ---------------*- C++ -*-===//
//
// See Block.h.
//
//===----------------------------------------------------------------------===//

#include "Block.h"

#include "Cluster.h"

#include <map>

namespace tilec::emulator {

static thread_local Block *currentBlock = nullptr;

Block *Block::current() { return currentBlock; }

Block::Block(Launch &launch, Cluster &cluster, unsigned rank)
    : threads(launch), witness(launch, threads, cluster.getClocks(), rank),
      memory(/*byClocks=*/cluster.getClocks()), sites(launch, threads, witness, memory.shared),
      meetings(threads, witness), registers(threads, witness),
      threadCopies(threads, witness, memory),
      mbarriers(threads, witness, sites, memory, threadCopies),
      sharedAccesses(launch, witness, sites, memory, mbarriers, threadCopies),
      warpgroups(threads, witness, sites, memory, mbarriers, sharedAccesses),
      warpMatrices(threads, meetings, sharedAccesses),
      globalOrder(launch, threads, witness), globalAccesses(witness, sites, globalOrder),
      constantAccesses(launch, sites),
      asyncCopies(sites, globalAccesses, sharedAccesses, threadCopies),
      clusterAccesses(cluster, threads, witness, sites, memory, sharedAccesses),
      bulkCopies(launch, cluster, witness, sites, memory, globalAccesses, clusterAccesses),
      bulkStores(threads, witness, sites, memory, globalAccesses, sharedAccesses, bulkCopies), launch(launch) {}

bool Block::allocate() {
  return threads.allocate() &&
         memory.shared.allocate(/*trackHistory=*/launch.options.checks && !witness.getClocks());
}

void Block::start(unsigned number, unsigned wave) {
  witness.start(number);
  memory.start();
  sites.start(wave);
  meetings.start();
  registers.start();
  threadCopies.start();
  mbarriers.start();
  warpgroups.start();
  globalOrder.start();
  clusterAccesses.start();
  bulkStores.start();
  threads.start(number, runThread);
}

void Block::runThread() {
  Block &block = *currentBlock;
  block.launch.entry->launch(block.launch.arguments.data());
  block.threads.end();
}

bool Block::advance() {
  currentBlock = this;
  return threads.advance();
}

bool Block::releaseBarrier() {
  if (!meetings.isBlockComplete())
    return false;
  sites.flush();
  meetings.releaseBlock();
  return true;
}

void Block::leaveClusterBarrier(std::vector<unsigned> &members) {
  sites.flush();
  meetings.releaseCluster(members);
}

void Block::finish(bool complete) {
  sites.flush();
  if (!complete)
    return;
  mbarriers.reportUnfinished();
  warpgroups.reportUnfinished();
  bulkStores.finish();
  registers.check();
  clusterAccesses.checkVisits();
}

//===----------------------------------------------------------------------===//
// Where nobody can go on
//===----------------------------------------------------------------------===//

std::string Block::describeWait(unsigned thread) const {
  using State = Threads::State;
  switch (threads.stateOf(thread)) {
  case State::AtBarrier:
    return "sync_block";
  case State::AtShuffle:
    return "shfl_xor";
  case State::AtMatrix:
    return "ldmatrix, stmatrix or mma";
  case State::AtWarp:
    return "sync_warp";
  case State::AtCluster:
    return "cluster_sync";
  case State::AtNamed:
    return meetings.describeNamedWait(thread);
  case State::AtMbarrier:
    return mbarriers.describeWait(thread);
  case State::AtWarpgroup:
    return warpgroups.describeWait(thread);
  case State::Ready:
  case State::Throttled:
  case State::Done:
    break;
  }
  return "";
}

void Block::reportDeadlock() {
  std::map<std::pair<int, std::string>, std::vector<unsigned>> waiting;
  for (unsigned i = 0; i < threads.size(); ++i)
    if (threads.stateOf(i) != Threads::State::Done)
      waiting[{threads.lineOf(i), describeWait(i)}].push_back(i);
  threads.stop();
  if (waiting.empty())
    return;
  std::string text = format("block %d: all threads that are left wait:", witness.getNumber());
  const char *separator = " ";
  for (const auto &[place, who] : waiting) {
    text += format("%sthreads %s at line %d in %s", separator, describeRanges(who).c_str(),
                   place.first, place.second.c_str());
    separator = "; ";
  }
  if (threads.getEnded() != 0)
    text += format("; %u threads have ended", threads.getEnded());
  threads.speakOf(waiting.begin()->second.front());
  witness.report(FindingKind::Deadlock, waiting.begin()->first.first, "", [&] { return text; });
}

} // namespace tilec::emulator
