//===- Teams.cpp - Groups of threads that take turns -------------*- C++ -*-===//

#include "tilec/Tile/Teams.h"

using namespace mlir;
using namespace tilec::tile;

LogicalResult tilec::tile::verifyTeams(ForOp grid) {
  int64_t teams = *grid.getTeams();
  if (!grid.getPersistent()) // for_f17
    return grid.emitOpError("teams(") << teams << ") take a block's tiles in turn, of which a loop that is not persistent has one; write persistent, or "
                                                  "leave out teams";
  if (teams < 2 || teams > kMostTeams) // for_f17
    return grid.emitOpError("teams(") << teams << ") has no number from 2 to " << kMostTeams;
  return success();
}

/// The loop whose body is a block's, of `grid`; null where there is none right in one on cluster.
static ForOp getBlocks(ForOp grid) {
  if (grid.getUnit() == Unit::Block)
    return grid;
  for (ForOp loop : grid.getBody().front().getOps<ForOp>())
    if (loop.getUnit() == Unit::Block)
      return loop;
  return {};
}

LogicalResult tilec::tile::verifyTeamsRing(ForOp grid) {
  ForOp blocks = getBlocks(grid), ring;
  if (blocks)
    for (ForOp loop : blocks.getBody().front().getOps<ForOp>())
      if (loop.getProducers())
        ring = loop;
  if (!ring) // for_f17
    return grid.emitOpError("teams(") << *grid.getTeams() << ") need a loop with producers directly in the loop on block, which copy for all of them; "
                                                             "write producers, or leave out teams";
  if (!ring.getCutTail())
    return success();
  InFlightDiagnostic diag = ring.emitOpError("tail(cut) gives tiles other numbers of iterations, but teams(") // for_f17
                            << *grid.getTeams() << ") know where their tiles begin in the ring by one number for all; leave out one of them";
  diag.attachNote(grid.getLoc()) << "the teams are of this loop";
  return diag;
}

int64_t tilec::tile::getTeams(KernelOp kernel) {
  int64_t teams = 1;
  for (ForOp loop : kernel.getBody().getOps<ForOp>())
    teams = std::max<int64_t>(teams, loop.getTeams().value_or(1));
  return teams;
}
