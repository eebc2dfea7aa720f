//===- Lowering.h - From a nest to one thread's program ------------*- C++ -*-===//
//
// The subjects of lowering one tile.kernel, each with its state, and a pattern for
// each op of a nest. What a pattern emits is decided by loops, indexing maps, types
// and clauses; none by an op's or a kernel's name.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_CONVERSION_LOWERING_H
#define TILEC_CONVERSION_LOWERING_H

#include "Copies.h"
#include "CutSums.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "tilec/Runtime/KernelDescription.h"
#include "tilec/Tile/InstructionUse.h"
#include "llvm/ADT/DenseSet.h"

#include <functional>

namespace tilec {

struct Ring;
class Reduction;

struct Lowering {
  /// `builder` goes on in `function`, which is empty.
  Lowering(tile::KernelOp kernel, kernel::FuncOp function, mlir::OpBuilder &builder);

  /// The parts that a copy to shared memory is made of.
  Copying getCopying();

  Context context;
  Threads threads;
  Operands operands;
  SharedTiles shared;
  RegisterTiles registers;
  Cluster cluster;
  Grid grid;
  CutSums sums;
  /// While the kernel's pipeline has producers.
  Ring *ring = nullptr;
  /// In a loop with prefix.
  Reduction *scan = nullptr;
  /// In an iteration of a ring in which a loop begins ahead: waits for the slot of the next iteration, from which is loaded from there on.
  std::function<void()> enterNextSlot;
  /// The ops ahead of which threads wait, see Exchange.h.
  llvm::DenseSet<mlir::Operation *> exchanges;
  /// Stages and stores of which the block knows that what they load or store is present, and lies as wide loads and stores take it.
  llvm::SmallVector<mlir::Operation *> present;
  /// Loops on threads that have been emitted.
  int64_t threadLoops = 0;
};

/// The function of a kernel, at the builder's insertion point.
mlir::FailureOr<kernel::FuncOp> lowerKernel(tile::KernelOp kernel, mlir::OpBuilder &builder);

//===--- The function (LowerFunction.cpp) -------------------------------===//

/// An empty function with the parameters of the launch.
kernel::FuncOp createFunction(tile::KernelOp kernel, const runtime::KernelDescription &launch, mlir::OpBuilder &builder);
/// Says what its parameters stand for.
void mapParameters(const runtime::KernelDescription &launch, Lowering &lowering);

//===--- The walk (LowerNest.cpp) ---------------------------------------===//

mlir::LogicalResult lowerOp(mlir::Operation &op, Lowering &lowering);
mlir::LogicalResult lowerOps(llvm::iterator_range<mlir::Block::iterator> ops, Lowering &lowering);
/// The body of a loop, but for stages that are copied elsewhere.
mlir::LogicalResult lowerBody(tile::ForOp loop, Lowering &lowering, llvm::ArrayRef<tile::StageOp> but = {});

//===--- Patterns: one for each op --------------------------------------===//

mlir::LogicalResult lower(mlir::scf::IfOp op, Lowering &lowering);
mlir::LogicalResult lower(mlir::linalg::LinalgOp op, Lowering &lowering);
mlir::LogicalResult lower(tile::HoldOp op, Lowering &lowering);
mlir::LogicalResult lower(tile::StageOp op, Lowering &lowering);
mlir::LogicalResult lower(tile::StoreOp op, Lowering &lowering);
mlir::LogicalResult lower(tile::ForOp op, Lowering &lowering);

//===--- Loops by unit ---------------------------------------------------===//

/// The loop on block or cluster (LowerBlocks.cpp).
mlir::LogicalResult lowerGrid(tile::ForOp loop, Lowering &lowering);
/// The loop whose body is one block's: `grid`, or the one on block in it.
tile::ForOp getBlockLoop(tile::ForOp grid);
/// The body of the grid's loop for one tile. After a cut loop go on only blocks that have the whole sum.
mlir::LogicalResult lowerTile(tile::ForOp loop, Lowering &lowering);
/// All accesses to shared memory since `last` (null for the begin of the block) are of one loop on threads: none of what a thread writes
/// there another one accesses.
void setThreadLoop(mlir::OpBuilder &b, mlir::Operation *last, int64_t number);
/// The op in front of the insertion point; null for none.
mlir::Operation *getLastOp(mlir::OpBuilder &b);
/// The body of a loop on cluster around `blocks`, which reduces. All threads of the cluster wait twice for each other: beside threads that
/// compute so, others have to wait too.
mlir::LogicalResult lowerReducingBlocks(tile::ForOp blocks, Lowering &lowering);
/// `body` in a loop an induction variable, the last innermost (LowerLoops.cpp).
mlir::LogicalResult lowerTimeLoops(tile::ForOp loop, Lowering &lowering, llvm::function_ref<mlir::LogicalResult()> body);
/// A loop on time whose tiles are copied ahead (LowerCopiesAhead.cpp).
mlir::LogicalResult lowerPipeline(tile::ForOp loop, Lowering &lowering);
/// One whose tiles are loaded to registers ahead, and of one that begins ahead what its first iterations load, by themselves (LowerLoadsAhead.cpp).
mlir::LogicalResult lowerLoadsAhead(tile::ForOp loop, Lowering &lowering);
mlir::LogicalResult lowerFirstLoads(tile::ForOp loop, Lowering &lowering);
/// The induction variables of a loop on threads, for the thread (LowerLoops.cpp).
void mapThreads(tile::ForOp loop, Lowering &lowering);
/// Loops on thread and unroll around stages and stores that say edges(block): the block asks whether all that these move is present, and has the loops once more where it is not
/// (LowerBlockEdges.cpp). `lower` emits the loop.
mlir::LogicalResult askByBlock(tile::ForOp loop, Lowering &lowering, llvm::function_ref<mlir::LogicalResult()> lower);
/// The kernel whose loop `loop` has producers, in the grid's loop `outer` (LowerRoles.cpp).
mlir::LogicalResult lowerRoles(tile::ForOp outer, tile::ForOp loop, Lowering &lowering);
/// That loop, for the threads that compute.
mlir::LogicalResult lowerConsumers(tile::ForOp loop, Lowering &lowering);

//===--- Computations ----------------------------------------------------===//

/// Refuses a computation of which some points may have to be left out (LowerCompute.cpp).
mlir::LogicalResult checkAllPoints(mlir::linalg::LinalgOp op, Lowering &lowering);
/// A computation that is an instruction of a warpgroup (LowerInstructions.cpp).
mlir::LogicalResult lowerInstruction(mlir::linalg::LinalgOp op, const tile::InstructionUse &use, Lowering &lowering);
/// One that is an instruction of a warp, on what its lanes hold (LowerWarpInstructions.cpp).
mlir::LogicalResult lowerWarpInstruction(mlir::linalg::LinalgOp op, const tile::InstructionUse &use, Lowering &lowering);
/// Around the loop on warpgroup whose iterations run instructions: what the threads wrote to accumulators is done; the
/// instructions are, but for those that stay in flight.
void enterInstructions(mlir::Location loc, Lowering &lowering);
void leaveInstructions(tile::ForOp loop, Lowering &lowering);
/// Waits for all instructions in `loop`.
void waitForInstructions(tile::ForOp loop, Lowering &lowering);

//===--- Copies -----------------------------------------------------------===//

/// Is called where so many elements of a tile have been loaded, side by side from `offsets` of it on, to a thread's array at `indices`.
using AfterLoad = llvm::function_ref<void(const Indices &indices, const Coordinates &offsets, int64_t count)>;
/// What the threads hold of the tile of `op`, from shared memory or, where `after` may be given, an operand (LowerLoads.cpp).
mlir::LogicalResult copyToRegisters(tile::StageOp op, Lowering &lowering, AfterLoad after = nullptr);
/// A load to registers that says `copy(ldmatrix)`, from `source` (LowerWarpInstructions.cpp).
void loadMatrices(tile::StageOp op, const RegisterTile &tile, const SharedTile &source, Lowering &lowering);
/// A held tile in shared memory, and a store to one (LowerHeldTiles.cpp).
mlir::LogicalResult lowerShared(tile::HoldOp op, Lowering &lowering);
mlir::LogicalResult storeToShared(tile::StoreOp op, Lowering &lowering);
/// What a launch must be like for TMA to take `operand`, whose dimension `along` has stride 1: base and strides at multiples of 16
/// bytes, and no extent 0, of which no map can be made; null for nothing (BulkCopies.cpp).
mlir::Value getBulkCondition(mlir::Operation *op, mlir::BlockArgument operand, unsigned along, Lowering &lowering);
/// A coordinate of a box of an operand, which is an int: places that an int may not have are beyond all elements, and so is what stands for them.
mlir::Value getBoxCoordinate(mlir::Location loc, const IndexExpr &expr, Lowering &lowering);
/// What a thread holds of the tile of `op`, `width` elements at a time, straight to the operand (LowerTiles.cpp).
void storeHeld(tile::StoreOp op, const RegisterTile &tile, int64_t width, Lowering &lowering);
/// A store that says `through` (LowerSlicedStores.cpp), and one that says `copy(tma)` too (LowerBulkStores.cpp).
mlir::LogicalResult storeSliced(tile::StoreOp op, Lowering &lowering);
mlir::LogicalResult storeBulk(tile::StoreOp op, Lowering &lowering);
/// At the end of the kernel, by threads that ran it: TMA has read what they stored by copy(tma).
void waitForBulkStores(Lowering &lowering);

} // namespace tilec

#endif // TILEC_CONVERSION_LOWERING_H
