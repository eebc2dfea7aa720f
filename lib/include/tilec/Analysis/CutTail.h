//===- CutTail.h - The last wave, shared by all blocks -----------*- C++ -*-===//
//
// What a loop that says tail(cut) costs and gains: parts of tiles that pass through
// a workspace, and how even the blocks' work becomes.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_ANALYSIS_CUTTAIL_H
#define TILEC_ANALYSIS_CUTTAIL_H

#include "tilec/Analysis/NestAnalysis.h"
#include "tilec/Tile/Distribution.h"

namespace tilec::analysis {

/// When a last wave is cut, and how evenly (runtime::KernelDescription): waves that leave less than 1 / `idle` of the blocks idle
/// are not cut, nor those where that would save a block less than `steps` steps; up to 1 / `spare` of the blocks stay idle for
/// shares that end where tiles do.
struct CutWorth {
  int64_t idle, spare, steps;
};

/// What tail(cut) says of the loop, or what tile-plan-raster gives it: blocks that take tiles as they become free do a 64th better than
/// those that walk them in a fixed order, since SMs differ, and a part is written in the time of the steps that stage as many bytes
/// (docs/results/gpu.md, "When a last wave is cut").
CutWorth getCutWorth(tile::ForOp cut);

struct CutTail {
  /// Blocks launched: those that the machine runs at once, at most one a step of each tile; one a tile where a cut is not
  /// worth it.
  int64_t blocks = 0;
  /// Tiles of the grid, and those beyond whole waves of the blocks.
  int64_t tiles = 0;
  int64_t cutTiles = 0;
  /// Steps of the cut loop in a tile, and those of the block with most in all its tiles.
  int64_t steps = 1;
  int64_t mostSteps = 0;
  CutWorth worth = {1, 1, 1};
  /// Parts of tiles that several blocks have, and those tiles.
  int64_t parts = 0;
  int64_t partedTiles = 0;
  /// Of those that the last block reads of a tile, as many as are asked for at once.
  int64_t partsAtOnce = 1;
  /// Bytes of the workspaces.
  int64_t workspaceBytes = 0;
  /// What goes there and comes back: for each held tile that the loop adds to what is written and
  /// read, then the counters of parts.
  std::vector<Transfer> transfers;

  /// Steps of all tiles / what SMs could do in the time of the one with most (formula 28).
  double efficiency(int64_t sms) const;
};

/// Of `threads` that a block computes with, so many leave what they hold of a part of a sum that is spread by `distribution`: where several hold the
/// same, the first of them.
int64_t countHolders(const tile::Distribution &distribution, int64_t threads);

/// So many parts of a sum are asked for before the first is added, where each thread holds `elements` of `elementBytes`: several where one load
/// takes a thread's part.
int64_t getPartsAtOnce(int64_t elements, int64_t elementBytes);

/// Counts the parts of a launch on a machine that runs `resident` blocks at once. Absent where the
/// nest has no cut loop, or nothing to run.
std::optional<CutTail> findCutTail(const NestModel &model, int64_t resident);

} // namespace tilec::analysis

#endif // TILEC_ANALYSIS_CUTTAIL_H
