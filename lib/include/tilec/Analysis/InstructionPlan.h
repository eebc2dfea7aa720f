//===- InstructionPlan.h - Instructions of warpgroups, lowered ---*- C++ -*-===//
//
// What a computation that one instruction does (tilec/Tile/InstructionUse.h) needs beyond its rule: tiles in layouts that
// descriptors know, filled by TMA, and accumulators that nobody touches while the instruction runs.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_ANALYSIS_INSTRUCTIONPLAN_H
#define TILEC_ANALYSIS_INSTRUCTIONPLAN_H

#include "tilec/Layout/MatrixOperand.h"
#include "tilec/Tile/InstructionUse.h"

namespace tilec::analysis {

/// A computation as an instruction, and the descriptors of what it reads; none of what its threads hold.
struct InstructionPlan {
  tile::InstructionUse use;
  std::optional<layout::MatrixOperand> a;
  layout::MatrixOperand b;
};

/// Fails with a diagnostic where `compute`, which is `use`, is not lowered.
mlir::FailureOr<InstructionPlan> planInstruction(mlir::linalg::LinalgOp compute, tile::InstructionUse use);

/// What `use` reads of the tile in shared memory that `operand`, its a or b, is a part of.
layout::MatrixParts getMatrixParts(const tile::InstructionUse &use, mlir::OpOperand &operand);

/// Fails with a diagnostic where `compute`, which is the instruction `use` of a warp, is not lowered.
mlir::LogicalResult checkWarpInstruction(mlir::linalg::LinalgOp compute, const tile::InstructionUse &use);

/// Does an iteration of `loop` on warpgroup run instructions of it, which go on while its threads do?
bool runsInstructions(tile::ForOp loop);

/// May the instructions of an iteration of `loop`, which has producers, run on in the next one? They may where slots are given
/// back then, and nothing else in the loop uses what they add up.
bool staysInFlight(tile::ForOp loop);

} // namespace tilec::analysis

#endif // TILEC_ANALYSIS_INSTRUCTIONPLAN_H
