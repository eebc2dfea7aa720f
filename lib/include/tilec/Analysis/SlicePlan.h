//===- SlicePlan.h - Which tiles go by way of shared memory -------*- C++ -*-===//
//
// An instruction leaves each thread short runs of its result's rows. Where a warp would write parts of sectors with them, a slice of the
// tile in shared memory is worth two barriers (tilec/Analysis/SlicedStore.h), or none where TMA stores it (BulkStore.h).
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_ANALYSIS_SLICEPLAN_H
#define TILEC_ANALYSIS_SLICEPLAN_H

#include "tilec/Analysis/AccessSites.h"
#include "tilec/Machine/MachineSpec.h"
#include "tilec/Tile/Tile.h"

namespace tilec::analysis {

struct SlicePlan {
  /// Of a slice; 0: the tile is stored straight from registers.
  int64_t columns = 0;
  /// Slices of a warp that TMA may have on their way; 0: threads store them.
  int64_t slots = 0;
  /// That a warp writes side by side, straight from registers.
  int64_t runBytes = 0;
};

/// How `store`, which leaves it open, should store its tile to an operand that a launch lays out as `dest`; absent where loops spread the tile over threads that write whole
/// sectors, or whose block shares its SM.
/// `blocks` is the grid's. Shared memory must have room for a slice beside the other arrays, none of which has a place yet.
std::optional<SlicePlan> planSlices(tile::StoreOp store, const OperandLayout &dest, int64_t blocks, const MachineSpec &machine);

} // namespace tilec::analysis

#endif // TILEC_ANALYSIS_SLICEPLAN_H
