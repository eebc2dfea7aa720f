//===- LayoutPlan.h - Where a tile's elements should lie ---------*- C++ -*-===//
//
// Tries paddings and swizzles of a tile in shared memory on all of its accesses,
// as the lowering will write them for each: copies in, loads to registers, and
// computations.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_ANALYSIS_LAYOUTPLAN_H
#define TILEC_ANALYSIS_LAYOUTPLAN_H

#include "tilec/Analysis/WarpRequests.h"

namespace tilec::analysis {

/// What all accesses to a tile cost in the whole grid, conditions taken to hold.
struct TileFigures {
  /// Of shared memory, and how many would do.
  int64_t wavefronts = 0;
  int64_t idealWavefronts = 0;
  /// Instructions of warps that move data to or from the tile.
  int64_t requests = 0;
  /// Instructions that find where elements lie, where that takes more than a sum.
  int64_t addresses = 0;
  /// Of global memory, of the copy's source: sectors, and the lines that pass through L1.
  int64_t sectors = 0, lines = 0;

  bool isConflictFree() const { return wavefronts == idealWavefronts; }
  /// Passes of the array that is shared memory and L1, and instructions.
  int64_t all() const { return wavefronts + lines + requests + addresses; }
};

/// The figures of tile `number` as `model` lays it out; absent where they cannot be counted.
std::optional<TileFigures> countTile(const NestModel &model, unsigned number,
                                     const LaunchLayouts &layouts, const MachineSpec &machine);

/// A layout that serves a tile better than its own.
struct LayoutPlan {
  layout::ComposedLayout layout;
  TileFigures before, after;
};

/// The layout of tile `number` of shared memory with the fewest wavefronts, lines, requests and
/// instructions for addresses together, among those that need less of all that and fewer wavefronts
/// than its own and neither more requests nor more sectors, fit into the machine's shared memory, and
/// let as many blocks run on an SM. Among equals a padding comes before a swizzle, then the smaller
/// buffer. Rows and columns may change places in tiles of rank 2. Absent where the tile's own layout
/// is free of conflicts, and where none is better.
std::optional<LayoutPlan> planLayout(const NestModel &model, unsigned number,
                                     const LaunchLayouts &layouts, const MachineSpec &machine);

/// The swizzle of `like` around a tile of `shape`: elements along the last dimension of `order` side by side, such rows `distance` apart, those along
/// all other dimensions one after the other.
std::optional<layout::ComposedLayout> layRows(const layout::ComposedLayout &like, llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<unsigned> order,
                                              int64_t distance);

/// `model` with tile `number` laid out as `layout` says, which has its shape.
void setLayout(NestModel &model, unsigned number, const layout::ComposedLayout &layout);

} // namespace tilec::analysis

#endif // TILEC_ANALYSIS_LAYOUTPLAN_H
