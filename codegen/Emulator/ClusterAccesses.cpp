//===- ClusterAccesses.cpp - What reaches into other blocks ---*- C++ -*-===//
//
// See ClusterAccesses.h.
//
//===----------------------------------------------------------------------===//

#include "ClusterAccesses.h"

#include "Cluster.h"
#include "Refused.h"

namespace tilec::emulator {

Block *ClusterAccesses::findBlock(int rank) {
  return rank < 0 || unsigned(rank) >= cluster.size() ? nullptr : &cluster.getBlock(rank);
}

uintptr_t ClusterAccesses::translate(uintptr_t address, Block &other, int line) {
  const SharedArray *array = memory.shared.findHolder(address, 1);
  if (!array) {
    sites.reportOutOfBounds(address, 1, AccessOp::WriteShared, line);
    return 0;
  }
  SharedMemory &theirs = other.memory.shared;
  SharedArray *there = theirs.findDeclared(array->name.c_str(), array->line);
  if (!there)
    there = theirs.declare(array->name.c_str(), array->elementBytes, array->count,
                           array->requestedOffset, array->line);
  return there ? there->begin + (address - array->begin) : 0;
}

void ClusterAccesses::noteVisit(Block &other, int line, const char *what) {
  if (witness.getClocks() && &other.clusterAccesses != this)
    other.clusterAccesses.visits[witness.self()] = {witness.now(), line, what};
}

const void *ClusterAccesses::readCluster(const void *source, unsigned bytes, int rank, int line,
                                         Position position) {
  Block *other = findBlock(rank);
  if (!other) {
    witness.report(FindingKind::OutOfBounds, line, "", [&] {
      return format("%s reads shared memory of block %d of a cluster of %u",
                    witness.who().c_str(), rank, cluster.size());
    });
    return refusedSource(bytes);
  }
  const uintptr_t address = addressOf(source);
  Site *site = sites.findShared(address, bytes, AccessOp::ReadShared, line);
  const uintptr_t there = site ? translate(address, *other, line) : 0;
  if (!there)
    return refusedSource(bytes);
  if (Clocks *clocks = witness.getClocks()) {
    const auto verdict = other->memory.history->noteRead(
        other->memory.offsetOf(there), bytes, witness.self(), clocks->of(witness.self()));
    if (verdict.conflict != ClockedHistory::Conflict::None)
      shared.reportClocked(
          verdict, *site->array, line,
          format("%s reads of block %d", witness.who().c_str(), other->witness.getNumber()));
    clocks->noteRead(witness.self());
    noteVisit(*other, line, "reads its shared memory");
  }
  sites.count(*site, address, position);
  return reinterpret_cast<const void *>(there);
}

void ClusterAccesses::arriveRemote(void *bar, int rank, int line) {
  Block *other = findBlock(rank);
  if (!other) {
    witness.report(FindingKind::OutOfBounds, line, "", [&] {
      return format("%s arrives at a barrier of block %d of a cluster of %u",
                    witness.who().c_str(), rank, cluster.size());
    });
    return;
  }
  const uintptr_t address = translate(addressOf(bar), *other, line);
  if (!address)
    return;
  Mbarrier &barrier = other->mbarriers.find(address, "arrives at", witness, line);
  if (&other->clusterAccesses != this && !barrier.fenced)
    witness.report(FindingKind::MissingFence, line, barrier.name, [&] {
      return format("%s arrives at %s of block %d, which no fence_mbarrier_init has made known",
                    witness.who().c_str(), barrier.name.c_str(), other->witness.getNumber());
    });
  noteVisit(*other, line, "comes to its barrier");
  other->mbarriers.arriveAt(barrier, witness, line);
}

void ClusterAccesses::checkVisits() {
  const Clocks *clocks = witness.getClocks();
  if (!clocks)
    return;
  // Shared memory lives until the last thread of the block ends.
  TickVector last;
  for (unsigned i = 0; i < threads.size(); ++i)
    last.join(clocks->of(witness.agentOf(i)).order);
  for (const auto &[agent, visit] : visits)
    if (last.at(agent) < visit.tick)
      witness.report(FindingKind::Barrier, visit.line, "", [&, agent = agent, what = visit.what] {
        return format("block %d may have ended when %s %s; a cluster_sync before the end is "
                      "missing",
                      witness.getNumber(), witness.describeAgent(agent).c_str(), what);
      });
}

} // namespace tilec::emulator
