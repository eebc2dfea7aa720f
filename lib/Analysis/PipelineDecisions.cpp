//===- PipelineDecisions.cpp - What a nest decides of pipelines -*- C++ -*-===//

#include "tilec/Analysis/PipelineDecisions.h"

#include "tilec/Analysis/CopyDecisions.h"
#include "tilec/Tile/InstructionUse.h"
#include "tilec/Tile/Reduction.h"

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
    if ((stage && isShared(stage) && stage->getParentOp() != loop) || (inner && inner.reduces() && loop->isProperAncestor(tile::getCombiningLoop(inner))))
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

//===----------------------------------------------------------------------===//
// Loads ahead across the iterations of a ring
//===----------------------------------------------------------------------===//

SmallVector<StageOp> tilec::analysis::getRegisterStages(ForOp loop) {
  return llvm::filter_to_vector(loop.getBody().front().getOps<StageOp>(), [](StageOp stage) { return !isShared(stage); });
}

ForOp tilec::analysis::getRing(ForOp loop) {
  for (auto outer = loop->getParentOfType<ForOp>(); outer; outer = outer->getParentOfType<ForOp>())
    if (outer.getPipeline() && !outer.getProducers() && !getSharedStages(outer).empty())
      return outer;
  return {};
}

int64_t tilec::analysis::getStepsAhead(ForOp loop) { return *loop.getPipeline() - 1; }

SmallVector<ForOp> tilec::analysis::getLoopsBetween(ForOp ring, ForOp loop) {
  SmallVector<ForOp> loops;
  for (auto outer = loop->getParentOfType<ForOp>(); outer != ring; outer = outer->getParentOfType<ForOp>())
    loops.insert(loops.begin(), outer);
  return loops;
}

namespace {
/// Why a loop cannot begin ahead, and where.
struct Obstacle {
  Operation *op;
  std::string reason;
};
} // namespace

/// What stands in the way of loading what `stage` does from the next slot of `ring`.
static std::optional<Obstacle> findObstacle(ForOp ring, StageOp stage) {
  tile::Access access = tile::getSourceAccess(stage);
  auto source = access.root.getDefiningOp<StageOp>();
  if (!source || source->getParentOp() != ring || !isShared(source) || access.gather)
    return Obstacle{stage, "loads what the pipelined loop around does not stage in smem"};
  for (const tile::LinearExpr &sum : access.subscripts)
    if (sum.factorOf(ring.getInductionVar(0)) != 0)
      return Obstacle{stage, "loads from another place in each iteration of the pipelined loop around"};
  return std::nullopt;
}

/// What stands in the way of `loop`, which loads to registers ahead of its iterations, beginning in the run before.
static std::optional<Obstacle> findObstacle(ForOp ring, ForOp loop) {
  std::optional<int64_t> count = loop.getNumLoops() == 1 ? loop.getStaticCount(0) : std::nullopt;
  if (!count || *count == 0 || *count % *loop.getPipeline() != 0)
    return Obstacle{loop, "does not run through all of its " + std::to_string(*loop.getPipeline()) + " tiles each time"};
  if (ring.getNumLoops() != 1 || ring.getCutTail())
    return Obstacle{ring, "is cut, or has several induction variables"};
  // Loops on threads, one right in the other, of which each thread of the block runs one iteration.
  for (Operation *inner = loop, *outer = loop->getParentOp(); inner != ring; inner = outer, outer = outer->getParentOp()) {
    auto around = dyn_cast<ForOp>(outer);
    if (!around || (around != ring && (!tile::isThreadUnit(around) || around.reduces())))
      return Obstacle{outer, "stands between the loop and the pipelined one around it, and is no loop on threads without reduce"};
    for (Operation &op : *inner->getBlock())
      if (&op != inner && !isa<tile::PartOp>(op) && !(around == ring && isa<StageOp>(op) && isShared(cast<StageOp>(op))))
        return Obstacle{&op, "is done beside the loop in each iteration of the pipelined loop around"};
    if (around == ring && inner != loop && tile::getThreads(cast<ForOp>(inner)) != tile::getComputeThreads(loop->getParentOfType<tile::KernelOp>()))
      return Obstacle{inner, "leaves threads of the block out, which wait for slots with the others"};
  }
  for (StageOp stage : getRegisterStages(loop))
    if (std::optional<Obstacle> obstacle = findObstacle(ring, stage))
      return obstacle;
  // Past the last iteration of the ring a slot is loaded from, too: it must have been filled, with absent elements.
  for (StageOp stage : getSharedStages(ring))
    if (!endsWithLoop(ring, stage))
      return Obstacle{stage, "has elements past the last iteration of the pipelined loop, which are not copied"};
  return std::nullopt;
}

/// Do instructions of a warp multiply in `loop`? They wait for their operands, and take long enough to load the next ones beside them.
static bool runsWarpInstructions(ForOp loop) {
  return loop.walk([](linalg::LinalgOp op) {
               std::optional<tile::InstructionUse> use = tile::getInstructionUse(op);
               return use && use->unit == tile::Unit::Warp ? WalkResult::interrupt() : WalkResult::advance();
             }).wasInterrupted();
}

/// Does `loop`, directly or not in a ring, load to registers ahead?
static bool loadsAhead(ForOp loop) { return loop.getPipeline() && getSharedStages(loop).empty() && !getRegisterStages(loop).empty(); }

static bool shouldBeginAhead(ForOp ring, ForOp loop) { return runsWarpInstructions(loop) && !findObstacle(ring, loop); }

ForOp tilec::analysis::getLoopAhead(ForOp ring) {
  ForOp found;
  ring.walk([&](ForOp loop) {
    if (loop == ring || !loadsAhead(loop) || getRing(loop) != ring)
      return WalkResult::advance();
    bool ahead = loop.getBegin() ? loop.getBegin() == tile::Begin::Ahead && !findObstacle(ring, loop) : shouldBeginAhead(ring, loop);
    if (!ahead)
      return WalkResult::advance();
    found = loop;
    return WalkResult::interrupt();
  });
  return found;
}

ForOp tilec::analysis::getRingAhead(StageOp stage) {
  auto loop = dyn_cast<ForOp>(stage->getParentOp());
  ForOp ring = loop && loadsAhead(loop) ? getRing(loop) : ForOp();
  return ring && getLoopAhead(ring) == loop ? ring : ForOp();
}

static LogicalResult checkBegin(ForOp loop) {
  if (!loadsAhead(loop))
    return loop.emitOpError("begin is for loads to rf ahead of their use, but its body stages ")
           << (getSharedStages(loop).empty() ? "no tile there" : "tiles in smem");
  if (loop.getBegin() != tile::Begin::Ahead)
    return success();
  ForOp ring = getRing(loop);
  if (!ring) // limit_x50
    return loop.emitOpError("begins ahead, but no pipelined loop around it stages in smem without producers");
  std::optional<Obstacle> obstacle = findObstacle(ring, loop);
  if (!obstacle)
    return success();
  InFlightDiagnostic diag = loop.emitOpError("cannot begin ahead, in the iteration before of the loop that stages what it loads"); // limit_x50
  diag.attachNote(obstacle->op->getLoc()) << "this " << obstacle->reason;
  return diag;
}

//===----------------------------------------------------------------------===//
// Decisions
//===----------------------------------------------------------------------===//

LogicalResult tilec::analysis::checkDecisions(ForOp loop) {
  if ((loop.getChoose() || loop.getIssue()) && getSharedStages(loop).empty())
    return loop.emitOpError(loop.getChoose() ? "choose" : "issue") << " is for copies to smem, but its body stages no tile there";
  if (loop.getBegin() && failed(checkBegin(loop)))
    return failure();
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
  if (getSharedStages(loop).empty()) {
    ForOp ring = loadsAhead(loop) ? getRing(loop) : ForOp();
    if (!ring || loop.getBegin())
      return open;
    bool ahead = shouldBeginAhead(ring, loop);
    open.push_back({loop.getBeginAttrName(), tile::BeginAttr::get(context, ahead ? tile::Begin::Ahead : tile::Begin::Here),
                    ahead ? "loads what its first products multiply beside the last ones of the run before, which hide the wait for the next slot" : ""});
    return open;
  }
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
