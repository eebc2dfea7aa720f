//===- Ownership.cpp - Rules that look at a whole kernel --------*- C++ -*-===//
//
// H3: a register element that is written has one owner. H4: all loops part a
// register tile alike. H5: what threads hold together they store together. K5: a
// declared dataflow is what the loops do. H6: a stated spread is that of the loops.
//
//===----------------------------------------------------------------------===//

#include "Ownership.h"

#include "Bounds.h"

#include "tilec/Tile/Distributions.h"
#include "tilec/Tile/Reduction.h"
#include "tilec/Tile/Spread.h"
#include "tilec/Tile/Stationary.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace tilec::tile;

//===----------------------------------------------------------------------===//
// Ownership
//===----------------------------------------------------------------------===//

/// Does induction variable `iv` move any subscript of `access`?
static bool moves(Value iv, const Access &access) {
  return llvm::any_of(access.subscripts, [&](const LinearExpr &sum) { return sum.factorOf(iv) != 0; });
}

/// Registers are a thread's: no loop on block parts a tile from outside of it.
// hold_h4
static LogicalResult verifyNotOverBlocks(Value tile, const TileUse &use) {
  Operation *user = use.operand->getOwner();
  Access access = traceParts(use.operand->get());
  for (auto loop = user->getParentOfType<ForOp>(); loop && !loop->isAncestor(tile.getDefiningOp()); loop = loop->getParentOfType<ForOp>()) {
    if (loop.getUnit() != Unit::Block && loop.getUnit() != Unit::Cluster)
      continue;
    if (llvm::none_of(loop.getBody().getArguments(), [&](Value iv) { return moves(iv, access); }))
      continue;
    InFlightDiagnostic diag = user->emitOpError("uses a part of a register tile for each ")
                              << stringifyUnit(loop.getUnit()) << "; blocks have no registers in common";
    diag.attachNote(loop.getLoc()) << "this loop parts it";
    diag.attachNote(tile.getLoc()) << "the tile";
    return diag;
  }
  return success();
}

// hold_h3
static LogicalResult verifyOwners(Value tile, const TileUse &use) {
  Operation *user = use.operand->getOwner();
  Access access = traceParts(use.operand->get());
  for (auto loop = user->getParentOfType<ForOp>(); loop && !loop->isAncestor(tile.getDefiningOp()); loop = loop->getParentOfType<ForOp>()) {
    if (loop.getUnit() == Unit::Time || loop.getUnit() == Unit::Unroll || loop.getReduce() || llvm::is_contained(loop.getTied(), tile))
      continue;
    for (unsigned i = 0; i < loop.getNumLoops(); ++i) {
      if (moves(loop.getInductionVar(i), access) || loop.getStaticCount(i) == 1)
        continue;
      InFlightDiagnostic diag = user->emitOpError("writes an element of a register tile from ");
      if (std::optional<int64_t> count = loop.getStaticCount(i))
        diag << *count << " " << stringifyUnit(loop.getUnit()) << "s";
      else
        diag << "several " << stringifyUnit(loop.getUnit()) << "s";
      diag << "; each written element has one owner, or the loop says reduce";
      diag.attachNote(loop.getLoc()) << "induction variable " << i << " of this loop is not in the part's subscripts";
      diag.attachNote(tile.getLoc()) << "the tile";
      return diag;
    }
  }
  return success();
}

/// What several threads hold together is stored by all of them, so not in an iteration of one.
// hold_h5
static LogicalResult verifyStoredByHolders(Value tile, const TileUse &use, const Distribution &distribution) {
  auto store = dyn_cast<StoreOp>(use.operand->getOwner());
  if (!store || use.writes || use.operand->get() != tile || distribution.isLocal())
    return success();
  for (auto loop = store->getParentOfType<ForOp>(); loop && !loop->isAncestor(tile.getDefiningOp()); loop = loop->getParentOfType<ForOp>()) {
    if (!isThreadUnit(loop))
      continue;
    InFlightDiagnostic diag = store.emitOpError("stores the whole of a register tile in a loop on ")
                              << stringifyUnit(loop.getUnit()) << ", but several threads hold it together";
    diag.attachNote(loop.getLoc()) << "store it after this loop, or hold it inside of the loop";
    diag.attachNote(tile.getLoc()) << "the tile";
    return diag;
  }
  return success();
}

LogicalResult tilec::tile::verifyOwnership(KernelOp kernel) {
  Distributions distributions;
  WalkResult result = kernel.walk([&](Operation *op) -> WalkResult {
    if (!isa<HoldOp, StageOp>(op) || getLevel(op->getResult(0).getType()) != Level::RF)
      return WalkResult(verifySpread(op, std::nullopt));
    Value tile = op->getResult(0);
    for (const TileUse &use : getTileUses(tile))
      if (failed(verifyNotOverBlocks(tile, use)))
        return WalkResult::interrupt();
    FailureOr<Distribution> distribution = distributions.get(tile);
    if (failed(distribution) || failed(verifySpread(op, *distribution)))
      return WalkResult::interrupt();
    for (const TileUse &use : getTileUses(tile))
      if ((use.writes && failed(verifyOwners(tile, use))) || failed(verifyStoredByHolders(tile, use, *distribution)))
        return WalkResult::interrupt();
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  result = kernel.walk([](ForOp loop) -> WalkResult { return loop.reduces() ? verifyReduction(loop) : success(); });
  return failure(result.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// Dataflow
//===----------------------------------------------------------------------===//

/// The places in DRAM that the result of `compute` is stored to, also by way of tiles that it is stored to or that others make of it: `tiles`.
static SmallVector<StoreOp> getStores(linalg::LinalgOp compute, llvm::SetVector<Value> &tiles) {
  SmallVector<StoreOp> stores;
  auto addResults = [&](linalg::LinalgOp op) {
    for (OpOperand &init : op.getDpsInitsMutable())
      tiles.insert(traceParts(init.get()).root);
  };
  addResults(compute);
  for (size_t i = 0; i < tiles.size(); ++i)
    for (const TileUse &use : getTileUses(tiles[i])) {
      if (use.writes)
        continue;
      if (auto store = dyn_cast<StoreOp>(use.operand->getOwner())) {
        Value root = getDestAccess(store).root;
        if (isa<BlockArgument>(root))
          stores.push_back(store);
        else
          tiles.insert(root);
      }
      if (auto user = dyn_cast<linalg::LinalgOp>(use.operand->getOwner()))
        addResults(user);
    }
  return stores;
}

/// The loops around `compute` that move an input but no place its result is stored to.
static SmallVector<std::pair<ForOp, unsigned>> getReductionLoops(linalg::LinalgOp compute) {
  SmallVector<Access> inputs, outputs;
  for (OpOperand *input : compute.getDpsInputOperands())
    if (isa<MemRefType>(input->get().getType()))
      inputs.push_back(traceToOperand(input->get()));
  for (OpOperand &init : compute.getDpsInitsMutable())
    outputs.push_back(traceToOperand(init.get()));
  llvm::SetVector<Value> tiles;
  for (StoreOp store : getStores(compute, tiles))
    outputs.push_back(getDestAccess(store));
  SmallVector<std::pair<ForOp, unsigned>> loops;
  for (auto loop = compute->getParentOfType<ForOp>(); loop; loop = loop->getParentOfType<ForOp>())
    for (unsigned i = 0; i < loop.getNumLoops(); ++i) {
      Value iv = loop.getInductionVar(i);
      if (llvm::any_of(inputs, [&](const Access &a) { return moves(iv, a); }) &&
          llvm::none_of(outputs, [&](const Access &a) { return moves(iv, a); }))
        loops.emplace_back(loop, i);
    }
  return loops;
}

static LogicalResult contradict(KernelOp kernel, linalg::LinalgOp compute, ForOp loop, const Twine &why) {
  InFlightDiagnostic diag = kernel.emitOpError("declares dataflow ")
                            << stringifyDataflow(*kernel.getDataflow()) << ", but " << why;
  diag.attachNote(loop.getLoc()) << "the loop";
  diag.attachNote(compute.getLoc()) << "the computation";
  return diag;
}

/// No partial result leaves its level: the loops that reduce lie inside of what is held, or of a tile that partial results are added to.
static LogicalResult verifyOutputStationary(KernelOp kernel, linalg::LinalgOp compute) {
  llvm::SetVector<Value> tiles;
  getStores(compute, tiles);
  for (auto [loop, i] : getReductionLoops(compute))
    if (llvm::none_of(tiles, [loop = loop](Value tile) { return tile.getDefiningOp() && tile.getDefiningOp()->getParentOp()->isProperAncestor(loop); }))
      return contradict(kernel, compute, loop, "induction variable " + Twine(i) + " of a reduction lies outside of the held result");
  return success();
}

/// The op that brings `value` from DRAM: a stage, or `compute` where it reads in place.
static Operation *getBringer(linalg::LinalgOp compute, Value value) {
  Operation *bringer = compute;
  for (auto stage = traceParts(value).root.getDefiningOp<StageOp>(); stage;
       stage = traceParts(stage.getSource()).root.getDefiningOp<StageOp>())
    bringer = stage;
  return bringer;
}

/// What is kept is brought once: each loop around its stage moves it, and the others lie inside.
static LogicalResult verifyStationary(KernelOp kernel, linalg::LinalgOp compute) {
  SmallVector<Value> inputs;
  for (OpOperand *input : compute.getDpsInputOperands())
    if (isa<MemRefType>(input->get().getType()))
      inputs.push_back(input->get());
  for (unsigned number : getStationaryInputs(compute, *kernel.getDataflow())) {
    Access access = traceToOperand(inputs[number]);
    Operation *bringer = getBringer(compute, inputs[number]);
    for (auto loop = bringer->getParentOfType<ForOp>(); loop; loop = loop->getParentOfType<ForOp>())
      for (unsigned i = 0; i < loop.getNumLoops(); ++i)
        if (!moves(loop.getInductionVar(i), access))
          return contradict(kernel, compute, loop,
                            "input #" + Twine(number) + " is brought again in each iteration of induction variable " +
                                Twine(i) + ", which does not move it");
  }
  return success();
}

LogicalResult tilec::tile::verifyDataflow(KernelOp kernel) {
  if (!kernel.getDataflow())
    return success();
  bool splits = false;
  WalkResult result = kernel.walk([&](linalg::LinalgOp compute) -> WalkResult {
    if (compute.getNumReductionLoops() == 0)
      return WalkResult::advance();
    switch (*kernel.getDataflow()) {
    case Dataflow::OutputStationary:
      return verifyOutputStationary(kernel, compute);
    case Dataflow::InputStationary:
    case Dataflow::WeightStationary:
      return verifyStationary(kernel, compute);
    case Dataflow::SplitReduction:
      for (auto [loop, i] : getReductionLoops(compute))
        splits |= loop.getUnit() == Unit::Block || loop.getUnit() == Unit::Cluster;
      return WalkResult::advance();
    }
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  if (*kernel.getDataflow() == Dataflow::SplitReduction && !splits)
    return kernel.emitOpError("declares dataflow split_reduction, but no loop on block or cluster reduces");
  return success();
}
