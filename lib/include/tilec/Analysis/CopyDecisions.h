//===- CopyDecisions.h - What a nest decides about its copies ----*- C++ -*-===//
//
// The clauses `forms`, `edges`, `unroll`, `slices` and `wide` of tile.stage and tile.store: what a nest that leaves them
// open gets, and what one that states them may state. tile-plan-copy writes the first; the lowering reads the clauses and
// nothing else.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_ANALYSIS_COPYDECISIONS_H
#define TILEC_ANALYSIS_COPYDECISIONS_H

#include "tilec/Analysis/CopyPlan.h"
#include "tilec/Analysis/Decision.h"

namespace tilec::analysis {

struct BoxShape;

/// The pipelined loop in whose body `stage` stands; null where there is none.
tile::ForOp getPipeline(tile::StageOp stage);

/// The tile that `stage` copies to; fails where its layout is not static or it has no dimension.
mlir::FailureOr<CopyTile> getCopyTile(tile::StageOp stage);

/// What a copy or a store of an operand at `access` finds there.
CopySource getCopySource(const tile::Access &access);

/// How the tile of a stage or a hold is spread over threads; nothing where it cannot be, which the lowering says.
std::optional<tile::Distribution> getSpread(mlir::Value tile);

/// What is known of where a load from a tile of shared memory at `access`, or a store there, begins.
TilePlace getTilePlace(const tile::Access &access, const layout::ComposedLayout &layout);

/// The forms that `stage` states.
llvm::SmallVector<CopyForm> getForms(tile::StageOp stage);

/// The forms of a copy of `stage`: those that it states, if each is one of `tile` and `source`, else those of getCopyForms.
llvm::SmallVector<CopyForm> getForms(tile::StageOp stage, const CopyTile &tile, const CopySource &source);

/// The elements that one instruction moves between a thread's share and memory: what the op states, if that can be, else as
/// many as can be.
int64_t getLoadWidth(tile::StageOp stage, const tile::Distribution &distribution, const layout::ComposedLayout &layout,
                     const TilePlace &place);
std::optional<CopyForm> getWideStore(tile::StoreOp store, const tile::Distribution &distribution, const CopySource &dest);
/// The same of a store to a tile in shared memory that lies as `layout`.
int64_t getStoreWidth(tile::StoreOp store, const tile::Distribution &distribution, const layout::ComposedLayout &layout,
                      const TilePlace &place);

/// Does each thread ask once for all that it stores? As the op states, where it says how it stores, else if that is best; and how many
/// elements it then stores at once.
bool asksOnce(tile::StoreOp store, const tile::Distribution &distribution);
std::optional<WideRuns> getWideRuns(tile::StoreOp store, const tile::Distribution &distribution, const CopySource &dest);

/// Does anything read the tile in registers that `stage` loads? What nobody reads is not loaded.
bool isRead(tile::StageOp stage);

/// The computation that loads what `stage` takes of an operand that is only read, each element where it computes with it: the first one that uses the tile, which threads hold
/// together. Null where the stage loads it. What is loaded so takes no registers beside accumulators until it is used.
mlir::linalg::LinalgOp getReaderThatLoads(tile::StageOp stage);

/// Who asks for the elements of a tile in registers that `stage` loads from an operand, and how many at once: as it states, if that can be,
/// else as is best.
tile::EdgeCheck getEdges(tile::StageOp stage, const tile::Distribution &distribution);
std::optional<WideRuns> getWideRuns(tile::StageOp stage, const tile::Distribution &distribution, const CopySource &source);

/// The blocks that copy a part of the boxes of `stage` for all `sharers`: as many as it states, if such parts are whole, else as many
/// as can be.
int64_t getSlices(tile::StageOp stage, int64_t sharers, const BoxShape &box);

/// Are the decisions of `stage` ones that can be carried out? Fails with a diagnostic. What it leaves open is not looked at.
mlir::LogicalResult checkDecisions(tile::StageOp stage);
mlir::LogicalResult checkDecisions(tile::StoreOp store);

/// What the op, whose decisions can be carried out, gets for those that it leaves open. Fails with a diagnostic where nothing will do. `arguments` has the value of
/// each size argument of the kernel by its number.
mlir::FailureOr<Decisions> decide(tile::StageOp stage, llvm::ArrayRef<int64_t> arguments);
mlir::FailureOr<Decisions> decide(tile::StoreOp store);

} // namespace tilec::analysis

#endif // TILEC_ANALYSIS_COPYDECISIONS_H
