//===- TileOps.td - Operations of the tile dialect ---------*- tablegen -*-===//
//
// All of them, in the order of the reference (docs/ops.md).
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_TILE_TILEOPS_TD
#define TILEC_TILE_TILEOPS_TD

include "tilec/Tile/KernelOps.td"
include "tilec/Tile/LoopOps.td"
include "tilec/Tile/AccessOps.td"
include "tilec/Tile/ProgramOps.td"

#endif
