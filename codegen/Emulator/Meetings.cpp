//===- Meetings.cpp - Barriers of a block and of parts of it --*- C++ -*-===//
//
// See Meetings.h.
//
//===----------------------------------------------------------------------===//

#include "Meetings.h"

#include <algorithm>
#include <cstring>
#include <map>

namespace tilec::emulator {

using State = Threads::State;

void Meetings::start() {
  atBlock = 0;
  atCluster = 0;
  for (NamedBarrier &barrier : named)
    barrier = {};
  for (WarpMeeting &warp : warps)
    warp.arrived = 0;
}

//===----------------------------------------------------------------------===//
// All of a block, or of a cluster
//===----------------------------------------------------------------------===//

void Meetings::syncBlock(int line) {
  witness.stopIfClockEnds(line);
  ++atBlock;
  threads.wait(State::AtBarrier, line);
}

void Meetings::reportBlock(const std::vector<unsigned> &waiting) {
  std::map<int, std::vector<unsigned>> byLine;
  for (unsigned i : waiting)
    byLine[threads.lineOf(i)].push_back(i);
  const auto &[line, first] = *byLine.begin();
  threads.speakOf(first.front());
  if (threads.getEnded() != 0)
    witness.report(FindingKind::Barrier, line, "", [&] {
      return format("block %d: %u of %u threads end without reaching this sync_block",
                    witness.getNumber(), threads.getEnded(), threads.size());
    });
  if (byLine.size() > 1)
    witness.report(FindingKind::Barrier, line, "", [&, &first = first] {
      const auto other = std::next(byLine.begin());
      return format("block %d: threads %s wait in sync_block here, threads %s at line %d",
                    witness.getNumber(), describeRanges(first).c_str(),
                    describeRanges(other->second).c_str(), other->first);
    });
}

void Meetings::releaseBlock() {
  const std::vector<unsigned> members = threads.list(State::AtBarrier);
  reportBlock(members);
  atBlock = 0;
  witness.passBarrier();
  for (unsigned member : members)
    threads.markReady(member);
  witness.meet(members, /*readsReturn=*/true);
}

void Meetings::syncCluster(int line) {
  witness.stopIfClockEnds(line);
  ++atCluster;
  threads.wait(State::AtCluster, line);
}

void Meetings::releaseCluster(std::vector<unsigned> &members) {
  atCluster = 0;
  for (unsigned thread : threads.list(State::AtCluster)) {
    members.push_back(witness.agentOf(thread));
    threads.markReady(thread);
  }
}

//===----------------------------------------------------------------------===//
// Named barriers
//===----------------------------------------------------------------------===//

void Meetings::syncNamed(int id, int count, int line) {
  witness.stopIfClockEnds(line);
  if (id < 1 || id >= namedBarriers || count < int(warpLanes) || count % warpLanes != 0 ||
      count > int(threads.size())) {
    witness.report(FindingKind::Barrier, line, "", [&] {
      return format("%s waits for %d threads at barrier %d; possible are multiples of %u up to %u "
                    "at barriers 1 to %d",
                    witness.who().c_str(), count, id, warpLanes, threads.size(),
                    namedBarriers - 1);
    });
    witness.abandon();
  }
  NamedBarrier &barrier = named[id];
  if (barrier.members.empty())
    barrier.expected = count;
  else if (barrier.expected != count)
    witness.report(FindingKind::Barrier, line, "", [&] {
      return format("%s waits for %d threads at barrier %d, thread %u for %d",
                    witness.who().c_str(), count, id, barrier.members.front(), barrier.expected);
    });
  barrier.members.push_back(threads.getThread());
  if (int(barrier.members.size()) < barrier.expected)
    threads.wait(State::AtNamed, line);
  else
    releaseNamed(id, line);
}

void Meetings::releaseNamed(int id, int line) {
  const std::vector<unsigned> members = std::move(named[id].members);
  named[id] = {};
  std::vector<unsigned> lanes(warps.size());
  for (unsigned member : members)
    ++lanes[member / warpLanes];
  for (unsigned warp = 0; warp < lanes.size(); ++warp)
    if (lanes[warp] != 0 && lanes[warp] != threads.lanesOf(warp))
      witness.report(FindingKind::Barrier, line, "", [&] {
        return format("block %d: %u threads of warp %u come to barrier %d, which takes whole warps",
                      witness.getNumber(), lanes[warp], warp, id);
      });
  // The last one does not wait.
  for (unsigned member : members)
    if (int(member) != threads.getThread())
      threads.markReady(member);
  witness.meet(members, /*readsReturn=*/true);
}

std::string Meetings::describeNamedWait(unsigned thread) const {
  for (int id = 0; id < namedBarriers; ++id) {
    const std::vector<unsigned> &members = named[id].members;
    if (std::count(members.begin(), members.end(), thread))
      return format("sync_named of barrier %d (%zu of %d threads are there)", id, members.size(),
                    named[id].expected);
  }
  return "sync_named";
}

//===----------------------------------------------------------------------===//
// Warps
//===----------------------------------------------------------------------===//

void Meetings::syncWarp(int line) {
  const char nothing = 0;
  witness.stopIfClockEnds(line);
  meetWarp(State::AtWarp, &nothing, 0, line);
}

static const char *nameOf(State state) {
  return state == State::AtShuffle ? "shuffle" : state == State::AtMatrix ? "matrix instruction" : "sync_warp";
}

unsigned Meetings::meetWarp(State state, const void *value, unsigned bytes, int line) {
  const unsigned thread = threads.getThread();
  const unsigned warp = thread / warpLanes;
  const unsigned lane = thread % warpLanes;
  const unsigned present = threads.lanesOf(warp);
  WarpMeeting &meeting = warps[warp];
  if (present < warpLanes)
    witness.report(FindingKind::Shuffle, line, "", [&] {
      return format("all 32 lanes take part in a %s, but warp %u of block %d has %u threads",
                    nameOf(state), warp,
                    witness.getNumber(), present);
    });
  const unsigned turn = meeting.turn;
  if (meeting.arrived == 0)
    meeting.line = line;
  else if (meeting.line != line)
    witness.report(FindingKind::Shuffle, std::min(line, meeting.line), "", [&] {
      return format("%s %s at line %d, other lanes of its warp at line %d", witness.who().c_str(),
                    state == State::AtShuffle  ? "shuffles"
                    : state == State::AtMatrix ? "has a matrix with its warp"
                                               : "meets its warp",
                    line, meeting.line);
    });
  std::memcpy(meeting.values[turn][lane], value, bytes);
  if (++meeting.arrived < present) {
    threads.wait(state, line);
    return turn;
  }
  meeting.arrived = 0;
  meeting.turn ^= 1;
  std::vector<unsigned> members;
  for (unsigned other = 0; other < present; ++other) {
    members.push_back(warp * warpLanes + other);
    if (other != lane)
      threads.markReady(warp * warpLanes + other);
  }
  // A shuffle orders no memory. Neither waits for values that are being loaded.
  if (state == State::AtWarp)
    witness.meet(members, /*readsReturn=*/false);
  return turn;
}

const Meetings::Values &Meetings::gather(const void *value, unsigned bytes, int line) {
  const unsigned turn = meetWarp(State::AtMatrix, value, bytes, line);
  return warps[threads.getThread() / warpLanes].values[turn];
}

void Meetings::shuffleXor(void *value, unsigned bytes, int mask, int line) {
  const unsigned thread = threads.getThread();
  const unsigned warp = thread / warpLanes;
  const unsigned partner = thread % warpLanes ^ (unsigned(mask) % warpLanes);
  const unsigned turn = meetWarp(State::AtShuffle, value, bytes, line);
  if (partner < threads.lanesOf(warp))
    std::memcpy(value, warps[warp].values[turn][partner], bytes);
}

} // namespace tilec::emulator
