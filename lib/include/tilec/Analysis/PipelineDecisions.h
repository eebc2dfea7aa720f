//===- PipelineDecisions.h - What a nest decides about pipelines -*- C++ -*-===//
//
// The clauses `choose`, `issue` and `release` of a pipelined tile.for: what one that leaves them open gets, and what one
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

/// Can what `loop` decides be carried out? Fails with a diagnostic.
mlir::LogicalResult checkDecisions(tile::ForOp loop);

/// What a pipelined loop gets for what it leaves open, whose stages state the forms of their copies; nothing of another loop.
mlir::FailureOr<Decisions> decide(tile::ForOp loop);

} // namespace tilec::analysis

#endif // TILEC_ANALYSIS_PIPELINEDECISIONS_H
