//===- PipelineDecisions.h - What a nest decides about pipelines -*- C++ -*-===//
//
// The clauses `choose`, `issue`, `begin` and `release` of a pipelined tile.for: what one that leaves them open gets, and what one
// that states them may state.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_ANALYSIS_PIPELINEDECISIONS_H
#define TILEC_ANALYSIS_PIPELINEDECISIONS_H

#include "tilec/Analysis/Decision.h"
#include "tilec/Tile/Tile.h"

namespace tilec::analysis {

/// The stages in the body of `loop` whose tiles are in shared memory.
llvm::SmallVector<tile::StageOp> getSharedStages(tile::ForOp loop);

/// The stages in the body of `loop` whose tiles are in registers.
llvm::SmallVector<tile::StageOp> getRegisterStages(tile::ForOp loop);

/// The pipelined loop around `loop` that stages in shared memory, without producers; null where there is none.
tile::ForOp getRing(tile::ForOp loop);

/// Iterations of the run before in which a loop that begins ahead loads what its first ones use.
int64_t getStepsAhead(tile::ForOp loop);

/// The loop in `ring` that begins ahead, by what it states or would be planned with; null where none does.
tile::ForOp getLoopAhead(tile::ForOp ring);

/// The ring of which `stage` loads from one slot more than it has iterations, since its loop begins ahead; null where it does not.
tile::ForOp getRingAhead(tile::StageOp stage);

/// The loops on threads from right inside of `ring` down to `loop` in it, outermost first.
llvm::SmallVector<tile::ForOp> getLoopsBetween(tile::ForOp ring, tile::ForOp loop);

/// Can what `loop` decides be carried out? Fails with a diagnostic.
mlir::LogicalResult checkDecisions(tile::ForOp loop);

/// What a pipelined loop gets for what it leaves open, whose stages state the forms of their copies; nothing of another loop.
mlir::FailureOr<Decisions> decide(tile::ForOp loop);

} // namespace tilec::analysis

#endif // TILEC_ANALYSIS_PIPELINEDECISIONS_H
