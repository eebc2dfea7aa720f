//===- LowerBlockEdges.cpp - What a block asks for its threads ----*- C++ -*-===//
//
// edges(block): ahead of loops on thread and unroll the block asks whether all that
// is loaded in them is present. Where it is, loads follow each other without a branch,
// so that all of a thread's are under way at one time.
//
//===----------------------------------------------------------------------===//

#include "Loops.h"
#include "Lowering.h"

#include "tilec/Analysis/CopyDecisions.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace tilec;

static bool isWrittenOut(tile::ForOp loop) { return loop && (loop.getUnit() == tile::Unit::Unroll || tile::isThreadUnit(loop)); }

/// The stages in `loop` for which it asks: between them are only loops of which each iteration is written out or that of a thread.
static SmallVector<tile::StageOp> getAsked(tile::ForOp loop) {
  SmallVector<tile::StageOp> asked;
  loop.walk([&](tile::StageOp stage) {
    Operation *around = stage->getParentOp();
    while (around != loop && isWrittenOut(dyn_cast<tile::ForOp>(around)))
      around = around->getParentOp();
    if (around == loop && stage.getEdges() == tile::EdgeCheck::Block && analysis::isRead(stage))
      asked.push_back(stage);
  });
  return asked;
}

/// Is all that `stage` loads in `loop` present, and does it lie as a wide load takes it?
static Value isPresent(tile::StageOp stage, tile::ForOp loop, Lowering &lowering) {
  Location loc = unnamed(stage.getLoc());
  tile::Access access = tile::getSourceAccess(stage);
  Coordinates starts;
  SmallVector<int64_t> extents(cast<MemRefType>(stage.getTile().getType()).getShape());
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
  Value present = lowering.operands.isBoxInside(loc, access, starts, extents);
  std::optional<tile::Distribution> spread = analysis::getSpread(stage.getTile());
  std::optional<analysis::WideRuns> wide = analysis::getWideRuns(*spread, {analysis::getCopySource(access), stage.getPad(), *stage.getEdges()}, *stage.getWide());
  return wide ? lowering.context.index.both(loc, present, lowering.operands.getFormCondition(loc, access.root, wide->form, /*whole=*/true)) : present;
}

LogicalResult tilec::askByBlock(tile::ForOp loop, Lowering &lowering, llvm::function_ref<LogicalResult()> lower) {
  Context &context = lowering.context;
  SmallVector<tile::StageOp> asked;
  if (!isWrittenOut(dyn_cast<tile::ForOp>(loop->getParentOp())))
    asked = getAsked(loop);
  if (asked.empty())
    return lower();
  Value present;
  for (tile::StageOp stage : asked)
    present = context.index.both(unnamed(loop.getLoc()), present, isPresent(stage, loop, lowering));
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
