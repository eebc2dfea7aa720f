//===- Meetings.cpp - Named barriers, warps and clusters ------*- C++ -*-===//
//
// Barriers of less, and of more, than a block.
//
//===----------------------------------------------------------------------===//

#include "Block.h"
#include "Cluster.h"

#include <algorithm>

namespace tilec::emulator {

void Block::syncWarp(int line) {
  const char nothing = 0;
  stopIfClockEnds(line);
  meetWarp(State::AtWarp, &nothing, 0, line);
}

void Block::syncNamed(int id, int count, int line) {
  stopIfClockEnds(line);
  if (id < 1 || id >= namedBarriers || count < int(warpLanes) || count % warpLanes != 0 ||
      count > int(threads.size())) {
    report(FindingKind::Barrier, line, "", [&] {
      return format("%s waits for %d threads at barrier %d; possible are multiples of %u up to %zu "
                    "at barriers 1 to %d",
                    who().c_str(), count, id, warpLanes, threads.size(), namedBarriers - 1);
    });
    abandon();
  }
  NamedBarrier &barrier = named[id];
  if (barrier.members.empty())
    barrier.expected = count;
  else if (barrier.expected != count)
    report(FindingKind::Barrier, line, "", [&] {
      return format("%s waits for %d threads at barrier %d, thread %u for %d", who().c_str(), count,
                    id, barrier.members.front(), barrier.expected);
    });
  barrier.members.push_back(thread);
  if (int(barrier.members.size()) < barrier.expected) {
    threads[thread].namedBarrier = id;
    wait(State::AtNamed, line);
    return;
  }
  std::vector<unsigned> members = std::move(barrier.members);
  barrier = {};
  std::vector<unsigned> lanes(shuffles.size());
  for (unsigned member : members)
    ++lanes[member / warpLanes];
  for (unsigned warp = 0; warp < lanes.size(); ++warp)
    if (lanes[warp] != 0 && lanes[warp] != lanesOf(warp))
      report(FindingKind::Barrier, line, "", [&] {
        return format("block %u: %u threads of warp %u come to barrier %d, which takes whole warps",
                      number, lanes[warp], warp, id);
      });
  std::vector<unsigned> agents;
  for (unsigned member : members) {
    agents.push_back(agentOf(member));
    if (member != thread)
      markReady(member);
  }
  if (clocks)
    clocks->meet(agents, /*readsReturn=*/true);
}

void Block::syncCluster(int line) {
  stopIfClockEnds(line);
  ++atCluster;
  wait(State::AtCluster, line);
}

void Block::leaveClusterBarrier(std::vector<unsigned> &members) {
  flushAll();
  atCluster = 0;
  for (unsigned i = 0; i < threads.size(); ++i)
    if (threads[i].state == State::AtCluster) {
      members.push_back(agentOf(i));
      markReady(i);
    }
}

uintptr_t Block::translate(uintptr_t address, Block &other, int line) {
  const SharedArray *array = shared.findHolder(address, 1);
  if (!array) {
    reportOutOfBounds(address, 1, AccessOp::WriteShared, line);
    return 0;
  }
  SharedArray *there = other.shared.findDeclared(array->name.c_str(), array->line);
  if (!there)
    there = other.shared.declare(array->name.c_str(), array->elementBytes, array->count,
                                 array->requestedOffset, array->line);
  return there ? there->begin + (address - array->begin) : 0;
}

std::string Block::describeAgent(unsigned agent) const {
  const unsigned size = threads.size();
  if (agent >= size * cluster.size())
    return "a copy";
  if (agent / size == rank)
    return format("thread %u", agent % size);
  return format("thread %u of block %u", agent % size, number - rank + agent / size);
}

void Block::noteRemoteAccess(const RemoteAccess &access) {
  remoteAccesses.insert_or_assign(access.agent, access);
}

void Block::checkRemoteAccesses() {
  // Shared memory lives until the last thread of the block ends.
  TickVector last;
  for (unsigned i = 0; i < threads.size(); ++i)
    last.join(clocks->of(agentOf(i)).order);
  for (const auto &[agent, access] : remoteAccesses)
    if (last.at(agent) < access.tick) {
      thread = 0;
      report(FindingKind::Barrier, access.line, "", [&, agent = agent, what = access.what] {
        return format("block %u may have ended when %s %s; a cluster_sync before the end is "
                      "missing",
                      number, describeAgent(agent).c_str(), what);
      });
    }
}

} // namespace tilec::emulator
