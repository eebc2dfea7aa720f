//===- Occupancy.h - Blocks that an SM holds at one time ---------*- C++ -*-===//
//
// From what a block needs to how many run together, and how even the last wave is.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_ANALYSIS_OCCUPANCY_H
#define TILEC_ANALYSIS_OCCUPANCY_H

#include "tilec/Machine/MachineSpec.h"

namespace tilec::analysis {

struct Occupancy {
  /// 0 if not even one block fits.
  int64_t blocksPerSM = 0;
  /// "shared memory", "registers", "threads" or "blocks".
  std::string limitedBy;
};

/// Blocks of `threads` threads with `registers` registers each and `smemBytes` of shared
/// memory that one SM holds (formula 17).
Occupancy findOccupancy(const MachineSpec &machine, int64_t smemBytes, int64_t threads,
                        int64_t registers);

/// So many blocks of `threads` threads an SM are worth keeping, of a grid of `blocks`: no more than it gives to an SM, and none beyond 6 warps a scheduler, which find
/// enough to do (docs/layouts.md).
int64_t countUsefulBlocks(const MachineSpec &machine, int64_t blocks, int64_t threads);

struct Tail {
  /// Waves of the blocks that run together.
  double waves = 0;
  /// Share of the SMs' time that blocks fill, if an SM shares its rate among its blocks: the mean
  /// number of blocks of an SM / that of the SM with most (formula 18).
  double efficiency = 1;
};
Tail findTail(int64_t blocks, int64_t sms, int64_t blocksPerSM);

} // namespace tilec::analysis

#endif // TILEC_ANALYSIS_OCCUPANCY_H
