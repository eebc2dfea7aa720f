//===- PipelineDecisions.h - What a nest decides about pipelines -*- C++ -*-===//
//
// The clauses `choose`, `issue` and `release` of a pipelined tile.for: what one that leaves them open gets, and what one
// that states them may state.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_ANALYSIS_PIPELINEDECISIONS_H
#define TILEC_ANALYSIS_PIPELINEDECISIONS_H

#include "tilec/Tile/Tile.h"

namespace tilec::analysis {

/// The stages in the body of `loop` whose tiles are in shared memory.
llvm::SmallVector<tile::StageOp> getSharedStages(tile::ForOp loop);

/// Where a pipelined loop without producers chooses the forms of its copies, whose stages state theirs: in the loop where
/// forms differ in widths only. A branch in the middle of an iteration keeps loads and arithmetic from being mixed.
tile::Choose chooseWhere(tile::ForOp loop);

/// Can what `loop` decides be carried out? Fails with a diagnostic.
mlir::LogicalResult checkDecisions(tile::ForOp loop);

} // namespace tilec::analysis

#endif // TILEC_ANALYSIS_PIPELINEDECISIONS_H
