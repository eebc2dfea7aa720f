//===- PipelineDecisions.cpp - What a nest decides of pipelines -*- C++ -*-===//

#include "tilec/Analysis/PipelineDecisions.h"

#include "tilec/Analysis/CopyDecisions.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::analysis;
using tile::ForOp;
using tile::StageOp;

static bool isShared(StageOp stage) { return tile::getLevel(stage.getTile().getType()) == tile::Level::SMEM; }

SmallVector<StageOp> tilec::analysis::getSharedStages(ForOp loop) {
  return llvm::filter_to_vector(loop.getBody().front().getOps<StageOp>(), isShared);
}

/// What in the body stands in the way of writing it twice: shared memory of its own. Null for nothing.
static Operation *findUnrepeatable(ForOp loop) {
  Operation *found = nullptr;
  loop.walk([&](Operation *op) {
    auto stage = dyn_cast<StageOp>(op);
    auto inner = dyn_cast<ForOp>(op);
    if ((stage && isShared(stage) && stage->getParentOp() != loop) || (inner && inner.reduces()))
      found = op;
    return found ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found;
}

/// Where a loop without producers chooses the forms of its copies: in the loop where forms differ in widths only. A branch in the middle of
/// an iteration keeps loads and arithmetic from being mixed.
static tile::Choose chooseWhere(ForOp loop) {
  bool asks = false;
  for (StageOp stage : getSharedStages(loop)) {
    SmallVector<CopyForm> forms = getForms(stage);
    // Of forms along different dimensions none is the usual one.
    if (llvm::any_of(forms, [&](CopyForm form) { return form.along != forms.front().along; }))
      return tile::Choose::Copy;
    asks |= forms.size() > 1;
  }
  return asks && !findUnrepeatable(loop) ? tile::Choose::Loop : tile::Choose::Copy;
}

LogicalResult tilec::analysis::checkDecisions(ForOp loop) {
  if ((loop.getChoose() || loop.getIssue()) && getSharedStages(loop).empty())
    return loop.emitOpError(loop.getChoose() ? "choose" : "issue") << " is for copies to smem, but its body stages no tile there";
  if (loop.getChoose() != tile::Choose::Loop)
    return success();
  Operation *inTheWay = findUnrepeatable(loop);
  if (!inTheWay)
    return success();
  InFlightDiagnostic diag = loop.emitOpError("choose(loop) writes the body twice, which it must not be");
  diag.attachNote(inTheWay->getLoc()) << "this has shared memory of its own";
  return diag;
}

FailureOr<Decisions> tilec::analysis::decide(ForOp loop) {
  Decisions open;
  if (!loop.getPipeline())
    return open;
  MLIRContext *context = loop.getContext();
  if (loop.getProducers()) {
    // An arrival right after an iteration's loads would wait for them; arithmetic on them is done an iteration later.
    if (!loop.getRelease())
      open.push_back({loop.getReleaseAttrName(), tile::ReleaseAttr::get(context, tile::Release::Next),
                      "gives a slot back in the next iteration, when its loads have returned"});
    return open;
  }
  if (getSharedStages(loop).empty())
    return open;
  if (!loop.getChoose()) {
    tile::Choose choose = chooseWhere(loop);
    open.push_back({loop.getChooseAttrName(), tile::ChooseAttr::get(context, choose),
                    choose == tile::Choose::Loop ? "stands twice, for launches that take the first form of each copy and for others: a branch in an iteration would keep "
                                                   "loads and arithmetic apart"
                                                 : ""});
  }
  if (!loop.getIssue())
    open.push_back({loop.getIssueAttrName(), tile::IssueAttr::get(context, tile::Issue::AfterLoads),
                    "asks for copies after its first loads to registers, which arithmetic waits for"});
  return open;
}
