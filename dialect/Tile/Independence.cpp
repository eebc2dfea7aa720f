//===- Independence.cpp - What iterations of unit loops may touch -*- C++ -*-===//
//
// Iterations of loops on threads, warps, blocks and clusters have no order. So two
// of them never touch one element of an operand, or of a tile from outside of the
// loop, if one of them writes it; then all orders give the same result.
//
//===----------------------------------------------------------------------===//

#include "Independence.h"

#include "Bounds.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "tilec/Tile/Touches.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace tilec::tile;

static bool isUnitLoop(ForOp loop) { return loop.getUnit() != Unit::Time && loop.getUnit() != Unit::Unroll; }

static std::string describe(Value root) {
  if (auto argument = dyn_cast<BlockArgument>(root))
    return "operand #" + std::to_string(argument.getArgNumber());
  return "a tile in " + stringifyLevel(*getLevel(root.getType())).str();
}

//===----------------------------------------------------------------------===//
// Pairs
//===----------------------------------------------------------------------===//

namespace {
class IndependenceVerifier {
public:
  explicit IndependenceVerifier(KernelOp kernel) : kernel(kernel) {}
  LogicalResult verify();

private:
  LogicalResult verifyRoot(Value root, ArrayRef<Touch> touches);
  LogicalResult verifyPair(const Touch &first, const Touch &second);
  LogicalResult verifyIterations(ForOp loop, const Touch &first, const Touch &second);
  LogicalResult verifyAfterBlocks(const Touch &first, const Touch &second);
  LogicalResult verifyAhead(ForOp loop);
  LogicalResult verifyUnwritten(ForOp loop, StageOp stage, Value root);
  LogicalResult refuse(ForOp loop, unsigned number, const Touch &first, const Touch &second);
  std::optional<unsigned> findMeeting(ForOp loop, const Touch &first, const Touch &second);
  /// False, with an error, where a kernel has more pairs than are compared.
  LogicalResult count(Operation *op);

  KernelOp kernel;
  llvm::MapVector<Value, SmallVector<Touch>> touches;
  int64_t comparisons = 0;
};
} // namespace

/// Both only add to what is there, in whatever order.
static bool commute(const Touch &first, const Touch &second) {
  return first.combine && first.combine == second.combine;
}

namespace {
/// What a box takes along one dimension, apart from what moves with a loop and with the loops around it.
struct Span {
  int64_t first, last;
};
} // namespace

/// The span of `extent` elements at `subscript`, as iterations of the loops in `loop` move them; none where that is not known.
static std::optional<Span> getSpan(ForOp loop, const LinearExpr &subscript, int64_t extent) {
  Span span{subscript.constant, subscript.constant + extent - 1};
  for (auto [value, factor] : subscript.terms) {
    std::optional<InductionVar> iv = getInductionVar(value);
    if (!loop->isAncestor(value.getParentBlock()->getParentOp()) || (iv && iv->loop == loop))
      continue;
    std::optional<int64_t> iterations = iv ? iv->loop.getStaticCount(iv->number) : std::nullopt;
    int64_t reach;
    if (!iterations || llvm::MulOverflow(std::max<int64_t>(*iterations - 1, 0), iv->loop.getSteps()[iv->number], reach) ||
        llvm::MulOverflow(reach, factor, reach) ||
        llvm::AddOverflow(reach < 0 ? span.first : span.last, reach, reach < 0 ? span.first : span.last))
      return std::nullopt;
  }
  return span;
}

/// The induction variable of `loop` alone that moves `first` and `second`, both alike; null where there is no such.
static Value getMover(ForOp loop, const LinearExpr &first, const LinearExpr &second) {
  Value mover;
  for (const LinearExpr *sum : {&first, &second})
    for (auto [value, factor] : sum->terms) {
      bool own = value.getParentBlock() == &loop.getBody().front() && isa<BlockArgument>(value);
      if (loop->isAncestor(value.getParentBlock()->getParentOp()) && !own)
        continue;
      if (first.factorOf(value) != second.factorOf(value) || (own && mover && mover != value))
        return {};
      if (own)
        mover = value;
    }
  return mover;
}

/// A quick answer for boxes of which each induction variable of `loop` moves one dimension, past all that the loops in it
/// make of them.
static bool areApart(ForOp loop, const Touch &first, const Touch &second) {
  llvm::SmallDenseSet<Value> told;
  for (auto [a, b, aExtent, bExtent] :
       llvm::zip_equal(first.at.subscripts, second.at.subscripts, first.shape, second.shape)) {
    Value mover = getMover(loop, a, b);
    if (!mover || ShapedType::isDynamic(aExtent) || ShapedType::isDynamic(bExtent))
      continue;
    std::optional<Span> aSpan = getSpan(loop, a, aExtent), bSpan = getSpan(loop, b, bExtent);
    int64_t step = saturatingMul(std::abs(a.factorOf(mover)), loop.getSteps()[cast<BlockArgument>(mover).getArgNumber()]);
    if (aSpan && bSpan && step > aSpan->last - bSpan->first && step > bSpan->last - aSpan->first)
      told.insert(mover);
  }
  for (unsigned i = 0; i < loop.getNumLoops(); ++i)
    if (loop.getStaticCount(i).value_or(2) > 1 && !told.contains(loop.getInductionVar(i)))
      return false;
  return true;
}

// limit_x16
LogicalResult IndependenceVerifier::count(Operation *op) {
  constexpr int64_t kMostComparisons = 4096;
  if (++comparisons <= kMostComparisons)
    return success();
  return op->emitOpError("is one of too many ops that touch one operand or tile in different places: more than ")
         << kMostComparisons << " pairs of them would have to be held against each other";
}

/// May two different iterations of `loop`, in the same iterations of the loops around it, touch one element? If so, the
/// first induction variable that differs.
std::optional<unsigned> IndependenceVerifier::findMeeting(ForOp loop, const Touch &first, const Touch &second) {
  TouchSystem both(kernel, loop);
  both.requireSameElement(first, second);
  for (unsigned i = 0; i < loop.getNumLoops(); ++i) {
    Value iv = loop.getInductionVar(i);
    TouchSystem::Sum distance = both.getIteration(iv, 1) - both.getIteration(iv, 0);
    // Induction variable i is the first that differs; of two executions of one op either may be the later one.
    for (int sign : {1, -1}) {
      if (sign < 0 && &first == &second)
        continue;
      TouchSystem apart = both;
      TouchSystem::Sum beyond = sign > 0 ? distance : TouchSystem::Sum() - distance;
      beyond.constant -= 1;
      apart.requireNotNegative(beyond);
      if (!apart.isEmpty())
        return i;
    }
    both.requireZero(distance);
  }
  return std::nullopt;
}

/// Iterations that differ in induction variable `number` first may meet.
LogicalResult IndependenceVerifier::refuse(ForOp loop, unsigned number, const Touch &first, const Touch &second) {
  StringRef unit = stringifyUnit(loop.getUnit());
  if (&first == &second) {
    InFlightDiagnostic diag = first.op->emitOpError("may write one element from several iterations of a loop on ") << unit;
    diag.attachNote(loop.getLoc()) << "induction variable " << number
                                   << " of this loop must move the destination past what others write; a store with "
                                      "combine(add) adds up instead";
    return diag;
  }
  const Touch &writer = first.writes ? first : second, &other = first.writes ? second : first;
  InFlightDiagnostic diag = other.op->emitOpError(other.writes ? "writes" : "reads")
                            << " elements of " << describe(other.at.root) << " that other iterations of a loop on " << unit
                            << " may write" << (other.writes ? " as well" : "");
  diag.attachNote(writer.op->getLoc()) << "the write is here";
  diag.attachNote(loop.getLoc()) << "iterations of this loop have no order; end it before elements are used that others "
                                    "write, or write to another operand or tile";
  return diag;
}

// rule_i1
LogicalResult IndependenceVerifier::verifyIterations(ForOp loop, const Touch &first, const Touch &second) {
  if (areApart(loop, first, second))
    return success();
  if (failed(count(second.op)))
    return failure();
  if (std::optional<unsigned> number = findMeeting(loop, first, second))
    return refuse(loop, *number, first, second);
  return success();
}

/// The loop on block around `op`, if there is one.
static ForOp getBlockLoop(Operation *op) {
  auto loop = op->getParentOfType<ForOp>();
  while (loop && loop.getUnit() != Unit::Block)
    loop = loop->getParentOfType<ForOp>();
  return loop;
}

// rule_i2
LogicalResult IndependenceVerifier::verifyAfterBlocks(const Touch &first, const Touch &second) {
  ForOp blocks = getBlockLoop(first.op), others = getBlockLoop(second.op);
  if (blocks == others)
    return success();
  const Touch &inside = blocks ? first : second, &outside = blocks ? second : first;
  if (!blocks)
    blocks = others;
  TouchSystem both(kernel, blocks);
  both.requireSameElement(inside, outside);
  if (failed(count(second.op)) || both.isEmpty())
    return success();
  InFlightDiagnostic diag = outside.op->emitOpError("touches elements of ")
                            << describe(outside.at.root) << " that "
                            << (inside.writes ? "blocks may write" : "blocks touch, and may write them");
  diag.attachNote(inside.op->getLoc()) << "a block touches them here";
  diag.attachNote(blocks.getLoc()) << "what the blocks of this loop write is seen by nobody else in this kernel";
  return diag;
}

LogicalResult IndependenceVerifier::verifyPair(const Touch &first, const Touch &second) {
  Operation *def = first.at.root.getDefiningOp();
  for (auto loop = first.op->getParentOfType<ForOp>(); loop && !(def && loop->isAncestor(def));
       loop = loop->getParentOfType<ForOp>())
    if (isUnitLoop(loop) && loop->isAncestor(second.op) && failed(verifyIterations(loop, first, second)))
      return failure();
  return verifyAfterBlocks(first, second);
}

LogicalResult IndependenceVerifier::verifyRoot(Value root, ArrayRef<Touch> all) {
  if (llvm::none_of(all, [](const Touch &touch) { return touch.writes; }))
    return success();
  // Touches of one kind stand for each other.
  SmallVector<const Touch *> distinct;
  for (const Touch &touch : all)
    if (touch.kind == distinct.size())
      distinct.push_back(&touch);
  for (auto [number, second] : llvm::enumerate(distinct))
    for (const Touch *first : ArrayRef(distinct).take_front(number + 1))
      if ((first->writes || second->writes) && !commute(*first, *second) && failed(verifyPair(*first, *second)))
        return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Copies that run ahead
//===----------------------------------------------------------------------===//

// rule_i3
LogicalResult IndependenceVerifier::verifyAhead(ForOp loop) {
  for (auto stage : loop.getBody().getOps<StageOp>()) {
    Value root = traceParts(stage.getSource()).root;
    Operation *def = root.getDefiningOp();
    if (def && loop->isAncestor(def)) {
      if (isa<StageOp>(def))
        continue;
      InFlightDiagnostic diag = stage.emitOpError("copies a tile that each iteration of a pipelined loop makes, ahead of the iteration");
      diag.attachNote(def->getLoc()) << "the tile is made here";
      diag.attachNote(loop.getLoc()) << "leave out pipeline, or stage it in a loop on thread";
      return diag;
    }
    if (failed(verifyUnwritten(loop, stage, root)) || (stage.getIndices() && failed(verifyUnwritten(loop, stage, stage.getIndices()))))
      return failure();
  }
  return success();
}

/// Nobody writes `root`, which `stage` reads ahead of the iterations of `loop`.
LogicalResult IndependenceVerifier::verifyUnwritten(ForOp loop, StageOp stage, Value root) {
  for (const Touch &touch : touches.lookup(root)) {
    // Producers go ahead of everything that others do in the block.
    if (!touch.writes || !(loop->isAncestor(touch.op) || loop.getProducers()))
      continue;
    InFlightDiagnostic diag = stage.emitOpError(root == stage.getIndices() ? "reads " : "copies ")
                              << describe(root) << " ahead of the iterations of a pipelined loop, but it is written "
                              << (loop->isAncestor(touch.op) ? "in the loop" : "in the kernel, by others than the producers");
    diag.attachNote(touch.op->getLoc()) << "the write is here";
    diag.attachNote(loop.getLoc()) << "leave out pipeline, or write to another operand";
    return diag;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

LogicalResult IndependenceVerifier::verify() {
  touches = getTouches(kernel);
  for (const auto &[root, all] : touches)
    if (failed(verifyRoot(root, all)))
      return failure();
  WalkResult result = kernel.walk([&](ForOp loop) -> WalkResult {
    return loop.getPipeline() ? verifyAhead(loop) : success();
  });
  return failure(result.wasInterrupted());
}

LogicalResult tilec::tile::verifyIndependence(KernelOp kernel) { return IndependenceVerifier(kernel).verify(); }
