//===- Teams.h - Groups of threads that take turns ---------------*- C++ -*-===//
//
// teams(n) on a persistent loop: a block has n times the threads that its nest takes, and each team of them takes
// every n-th of the block's tiles.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_TILE_TEAMS_H
#define TILEC_TILE_TEAMS_H

#include "tilec/Tile/Tile.h"

namespace tilec::tile {

/// A block has barriers 0 to 15 (PTX ISA 9.7.13.1); the first is that of all its threads, and each team waits at one of its own.
constexpr int64_t kMostTeams = 15;

/// Rule F17, of the loop alone and of what is in it.
mlir::LogicalResult verifyTeams(ForOp grid);
mlir::LogicalResult verifyTeamsRing(ForOp grid);

/// The teams of a block: 1 where nothing is said.
int64_t getTeams(KernelOp kernel);

} // namespace tilec::tile

#endif // TILEC_TILE_TEAMS_H
