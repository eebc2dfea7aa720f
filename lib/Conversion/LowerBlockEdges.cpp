//===- LowerBlockEdges.cpp - What a block asks for its threads ----*- C++ -*-===//
//
// edges(block): ahead of loops on thread and unroll the block asks whether all that
// is loaded and stored in them is present. Where it is, nothing branches between one
// load and the next, so that all of a thread's are under way at one time.
//
//===----------------------------------------------------------------------===//

#include "Loops.h"
#include "Lowering.h"

#include "tilec/Analysis/CopyDecisions.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace tilec;

static bool isWrittenOut(tile::ForOp loop) { return loop && (loop.getUnit() == tile::Unit::Unroll || tile::isThreadUnit(loop)); }

/// Is it known ahead of `loop` how far `access` reaches in it? It is of induction variables, but not of what else is computed there.
static bool isKnownAhead(const tile::Access &access, tile::ForOp loop) {
  return llvm::all_of(access.subscripts, [&](const tile::LinearExpr &sum) {
    return llvm::all_of(llvm::make_first_range(sum.terms), [&](Value value) {
      return tile::getInductionVar(value) || !loop->isAncestor(value.getParentBlock()->getParentOp());
    });
  });
}

/// The stages and stores in `loop` for which it asks: between them are only loops of which each iteration is written out or that of a thread.
static SmallVector<Operation *> getAsked(tile::ForOp loop) {
  SmallVector<Operation *> asked;
  auto add = [&](Operation *op, std::optional<tile::EdgeCheck> edges, const tile::Access &access) {
    Operation *around = op->getParentOp();
    while (around != loop && isWrittenOut(dyn_cast<tile::ForOp>(around)))
      around = around->getParentOp();
    if (around == loop && edges == tile::EdgeCheck::Block && isKnownAhead(access, loop))
      asked.push_back(op);
  };
  loop.walk([&](Operation *op) {
    if (auto stage = dyn_cast<tile::StageOp>(op); stage && analysis::isRead(stage))
      add(stage, stage.getEdges(), tile::getSourceAccess(stage));
    else if (auto store = dyn_cast<tile::StoreOp>(op))
      add(store, store.getEdges(), tile::getDestAccess(store));
  });
  return asked;
}

/// Is all of a tile of `extents` at `access` present, whatever the iterations of `loop` add to its place?
static Value isPresent(Location loc, tile::ForOp loop, const tile::Access &access, SmallVector<int64_t> extents, Lowering &lowering) {
  Coordinates starts;
  for (auto [sum, extent] : llvm::zip_equal(access.subscripts, extents)) {
    tile::LinearExpr start;
    start.constant = sum.constant;
    for (auto [value, factor] : sum.terms) {
      std::optional<tile::InductionVar> variable = tile::getInductionVar(value);
      if (!variable || !loop->isAncestor(variable->loop)) {
        start.terms.push_back({value, factor});
        continue;
      }
      int64_t reach = factor * getLast(variable->loop, variable->number);
      start.constant += std::min<int64_t>(reach, 0);
      extent += std::abs(reach);
    }
    starts.push_back(lowering.context.mapSum(start));
  }
  return lowering.operands.isBoxInside(loc, access, starts, extents);
}

/// Is all that `op`, a stage or a store, moves in `loop` present, does it lie as wide loads and stores take it, and is `known`, too?
static Value isPresent(Operation *op, tile::ForOp loop, Value known, Lowering &lowering) {
  IndexBuilder &index = lowering.context.index;
  Location loc = unnamed(op->getLoc());
  auto stage = dyn_cast<tile::StageOp>(op);
  auto store = dyn_cast<tile::StoreOp>(op);
  Value tile = stage ? stage.getTile() : store.getTile();
  tile::Access access = stage ? tile::getSourceAccess(stage) : tile::getDestAccess(store);
  known = index.both(loc, known, isPresent(loc, loop, access, SmallVector<int64_t>(cast<MemRefType>(tile.getType()).getShape()), lowering));
  tile::Distribution spread = *analysis::getSpread(tile::traceParts(tile).root);
  analysis::CopySource source = analysis::getCopySource(access);
  std::optional<analysis::WideRuns> wide = stage ? analysis::getWideRuns(stage, spread, source) : analysis::getWideRuns(store, spread, source);
  return wide ? index.both(loc, known, lowering.operands.getFormCondition(loc, access.root, wide->form, /*whole=*/true)) : known;
}

LogicalResult tilec::askByBlock(tile::ForOp loop, Lowering &lowering, llvm::function_ref<LogicalResult()> lower) {
  Context &context = lowering.context;
  SmallVector<Operation *> asked;
  // Inside of a loop on threads, with one on time between, they would go different ways, of which lanes that exchange elements must take one: each asks for itself there.
  if (!isWrittenOut(dyn_cast<tile::ForOp>(loop->getParentOp())) && !tile::getInnermostUnit(loop))
    asked = getAsked(loop);
  if (asked.empty())
    return lower();
  Value present;
  for (Operation *op : asked)
    present = isPresent(op, loop, present, lowering);
  LogicalResult result = success();
  auto lowerKnown = [&] {
    llvm::SaveAndRestore known(lowering.present, asked);
    result = lower();
  };
  context.choose(unnamed(loop.getLoc()), present, lowerKnown, [&] {
    if (succeeded(result))
      result = lower();
  });
  return result;
}
