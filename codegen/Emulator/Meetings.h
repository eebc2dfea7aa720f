//===- Meetings.h - Barriers of a block and of parts of it ----*- C++ -*-===//
//
// Threads that wait for each other: all of the block, those of a named barrier,
// the lanes of a warp, all of the cluster.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_EMULATOR_MEETINGS_H
#define TILEC_EMULATOR_MEETINGS_H

#include "Witness.h"

#include <vector>

namespace tilec::emulator {

class Meetings {
public:
  Meetings(Threads &threads, Witness &witness)
      : threads(threads), witness(witness), warps(threads.getWarps()) {}
  void start();

  // By threads of the block.
  void syncBlock(int line);
  void syncNamed(int id, int count, int line);
  void syncWarp(int line);
  void shuffleXor(void *value, unsigned bytes, int mask, int line);
  void syncCluster(int line);
  /// What each lane of a warp has handed in: at most the 24 bytes of factors that an instruction takes of it, each a number of f32.
  using Values = unsigned char[warpLanes][96];
  /// Hands in the lane's value; gives those of all lanes, until the lane's next meeting.
  const Values &gather(const void *value, unsigned bytes, int line);

  /// Are all threads that have not ended at the barrier of the whole block?
  bool isBlockComplete() const {
    return atBlock != 0 && atBlock + threads.getEnded() == threads.size();
  }
  void releaseBlock();
  unsigned getClusterWaiters() const { return atCluster; }
  /// Lets the threads at the cluster's barrier go on; adds them to `members`.
  void releaseCluster(std::vector<unsigned> &members);
  /// Where a thread at a named barrier waits, for a message.
  std::string describeNamedWait(unsigned thread) const;

private:
  struct NamedBarrier {
    int expected = 0;
    std::vector<unsigned> members;
  };
  static constexpr int namedBarriers = 16;

  /// A meeting of a warp. Values of two turns, since a lane may start the next
  /// one before another has read this one's.
  struct WarpMeeting {
    unsigned arrived = 0;
    unsigned turn = 0;
    int line = 0;
    alignas(float) Values values[2];
  };

  void reportBlock(const std::vector<unsigned> &waiting);
  void releaseNamed(int id, int line);
  /// Waits until all lanes of the warp are here; returns the turn.
  unsigned meetWarp(Threads::State state, const void *value, unsigned bytes, int line);

  Threads &threads;
  Witness &witness;
  std::vector<WarpMeeting> warps;
  NamedBarrier named[namedBarriers];
  unsigned atBlock = 0;
  unsigned atCluster = 0;
};

} // namespace tilec::emulator

#endif // TILEC_EMULATOR_MEETINGS_H
