//===- CutTail.h - The last wave, shared by all blocks -----------*- C++ -*-===//
//
// What a loop that says tail(cut) costs and gains: parts of tiles that pass through
// a workspace, and how even the blocks' work becomes.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_ANALYSIS_CUTTAIL_H
#define TILEC_ANALYSIS_CUTTAIL_H

#include "tilec/Analysis/NestAnalysis.h"

namespace tilec::analysis {

/// The rules of a launch (runtime::computeGrid and CutWave): waves that leave less than 1 / kWorthIdle of the blocks idle
/// are not cut; up to 1 / kEvenSpare of the blocks stay idle for shares that end where tiles do.
constexpr int64_t kWorthIdle = 16, kEvenSpare = 16;

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
  /// Parts of tiles that several blocks have, and those tiles.
  int64_t parts = 0;
  int64_t partedTiles = 0;
  /// Bytes of the workspaces.
  int64_t workspaceBytes = 0;
  /// What goes there and comes back: for each held tile that the loop adds to what is written and
  /// read, then the counters of parts.
  std::vector<Transfer> transfers;

  /// Steps of all tiles / what SMs could do in the time of the one with most (formula 28).
  double efficiency(int64_t sms) const;
};

/// Counts the parts of a launch on a machine that runs `resident` blocks at once. Absent where the
/// nest has no cut loop, or nothing to run.
std::optional<CutTail> findCutTail(const NestModel &model, int64_t resident);

} // namespace tilec::analysis

#endif // TILEC_ANALYSIS_CUTTAIL_H
