//===- Simplify.cpp - Transposes and views that nothing needs ---*- C++ -*-===//
//
// Models come with transposes that one op alone reads or writes, and with views between ops that walk the same elements. An op reads and writes through its maps as
// well what a transpose would have moved, and ops on the same dimensions become one launch where ops on views of each other do not. So maps take transposes up, and
// views move behind what reads them: by MLIR's patterns, towards more dimensions where that lets a transpose vanish, towards fewer elsewhere.
//
//===----------------------------------------------------------------------===//

#include "Simplify.h"

#include "Forms.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace tilec;
using linalg::GenericOp;

/// The map from elements of the result to those of the input, where `op` does nothing but move them; null elsewhere.
static AffineMap getTransposed(Operation *op) {
  auto moved = dyn_cast_or_null<linalg::LinalgOp>(op);
  if (!moved || moved.getNumDpsInputs() != 1 || moved.getNumDpsInits() != 1 || op->getNumResults() != 1 || moved.getNumParallelLoops() != moved.getNumLoops())
    return AffineMap();
  if (!isa<linalg::TransposeOp>(op)) {
    auto yield = dyn_cast<linalg::YieldOp>(moved.getBlock()->getTerminator());
    if (!isa<linalg::GenericOp>(op) || moved.getBlock()->getOperations().size() != 1 || yield.getOperand(0) != moved.getBlock()->getArgument(0))
      return AffineMap();
  }
  AffineMap from = moved.getMatchingIndexingMap(moved.getDpsInputOperand(0)), to = moved.getMatchingIndexingMap(moved.getDpsInitOperand(0));
  if (!from.isPermutation() || !to.isPermutation())
    return AffineMap();
  AffineMap map = from.compose(inversePermutation(to));
  return map.isIdentity() ? AffineMap() : map;
}

static void setMap(linalg::GenericOp op, unsigned operand, AffineMap map) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  maps[operand] = map;
  op.setIndexingMapsAttr(Builder(op.getContext()).getAffineMapArrayAttr(maps));
}

// A transpose that brings channels, or what one batch has, to the front stays. Of 32x58x58x128 by 3x3x128x128 a transpose of the weights takes 4 us by prediction, and weights as they lay before 293.
bool mapping::takesMap(linalg::LinalgOp op, AffineMap map) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  if (op.getNumReductionLoops() == 0 || op.getNumDpsInputs() < 2)
    return true;
  auto fast = map.getNumResults() > 0 ? dyn_cast<AffineDimExpr>(map.getResults().back()) : nullptr;
  auto isPlace = [](AffineExpr expr) { return isa<AffineDimExpr, AffineConstantExpr>(expr); };
  bool hasWindows = llvm::any_of(maps, [&](AffineMap other) { return !llvm::all_of(other.getResults(), isPlace); });
  return fast && !hasWindows && !llvm::all_of(maps, [&](AffineMap other) { return other.isFunctionOfDim(fast.getPosition()); });
}

GenericOp mapping::readBy(linalg::LinalgOp op, unsigned number, Value array, AffineMap moved) {
  GenericOp generic = mapping::generalize(op);
  if (!generic)
    return GenericOp();
  OpOperand &read = generic->getOpOperand(number);
  setMap(generic, number, moved.compose(generic.getMatchingIndexingMap(&read)));
  read.set(array);
  return generic;
}

/// Has the one op that reads what `transpose` moves read it where it lies.
static bool readInPlace(linalg::LinalgOp transpose, AffineMap moved) {
  OpOperand &use = *transpose->getResult(0).getUses().begin();
  auto reader = dyn_cast<linalg::LinalgOp>(use.getOwner());
  if (!reader || !reader.isDpsInput(&use) || !reader.hasPureTensorSemantics() || !mapping::takesMap(reader, moved.compose(reader.getMatchingIndexingMap(&use))))
    return false;
  return bool(mapping::readBy(reader, use.getOperandNumber(), transpose.getDpsInputOperand(0)->get(), moved));
}

/// Has the op that makes `source`, which one op alone reads, write its elements as an array of `type`, of which `moved` says where each lies now. Null where that cannot be.
static Value writeMoved(Value source, AffineMap moved, RankedTensorType type) {
  auto writer = source.getDefiningOp<linalg::LinalgOp>();
  if (!writer || !source.hasOneUse() || writer->getNumResults() != 1 || isa<linalg::FillOp>(writer.getOperation()))
    return Value();
  AffineMap written = inversePermutation(moved).compose(writer.getMatchingIndexingMap(writer.getDpsInitOperand(0)));
  if (!mapping::takesMap(writer, written))
    return Value();
  // What the result begins with lies elsewhere, too: nothing, or the same everywhere.
  auto fill = writer.getDpsInits().front().getDefiningOp<linalg::FillOp>();
  if (!fill && !writer.getDpsInits().front().getDefiningOp<tensor::EmptyOp>())
    return Value();
  linalg::GenericOp generic = mapping::generalize(writer);
  if (!generic)
    return Value();
  OpBuilder b(generic);
  SmallVector<OpFoldResult> lying = mapping::getExtents(b, generic.getLoc(), generic.getDpsInits().front()), extents(type.getRank());
  for (auto [extent, dim] : llvm::zip_equal(lying, moved.getResults()))
    extents[cast<AffineDimExpr>(dim).getPosition()] = extent;
  Value begin = tensor::EmptyOp::create(b, generic.getLoc(), extents, type.getElementType());
  if (begin.getType() != type) { // One says an extent that the other has open.
    begin.getDefiningOp()->erase();
    return Value();
  }
  if (fill)
    begin = linalg::FillOp::create(b, fill.getLoc(), fill.getInputs(), begin).getResult(0);
  unsigned number = generic.getDpsInitOperand(0)->getOperandNumber();
  setMap(generic, number, written);
  generic->setOperand(number, begin);
  if (fill && fill->use_empty())
    fill->erase();
  generic->getResult(0).setType(type);
  return generic->getResult(0);
}

/// Has the op that makes what `transpose` alone reads write it where that would have moved it.
static bool writeInPlace(linalg::LinalgOp transpose, AffineMap moved) {
  if (!transpose.getDpsInits().front().getDefiningOp<tensor::EmptyOp>())
    return false;
  Value written = writeMoved(transpose.getDpsInputOperand(0)->get(), moved, cast<RankedTensorType>(transpose->getResult(0).getType()));
  if (written)
    transpose->getResult(0).replaceAllUsesWith(written);
  return bool(written);
}

/// Has the op that makes what `op`, element by element, alone reads write it where `op` writes, so that one launch does both; true where it did not.
static bool writeWhereRead(linalg::GenericOp op) {
  if (op.getNumParallelLoops() != op.getNumLoops() || op->getNumResults() != 1 || !op.hasPureTensorSemantics())
    return false;
  AffineMap to = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap from = op.getMatchingIndexingMap(input);
    auto writer = input->get().getDefiningOp<linalg::LinalgOp>();
    if (!writer || writer.getNumReductionLoops() == 0 || !from.isPermutation() || !to.isPermutation() || from == to)
      continue;
    auto type = cast<RankedTensorType>(input->get().getType());
    auto moved = RankedTensorType::get(cast<RankedTensorType>(op->getResult(0).getType()).getShape(), type.getElementType());
    Value written = writeMoved(input->get(), from.compose(inversePermutation(to)), moved);
    if (!written)
      continue;
    setMap(op, input->getOperandNumber(), to);
    input->set(written);
    return true;
  }
  return false;
}

/// Takes up a transpose that one op alone reads, or makes; true where there is one. Ops that were not generic are others then.
static bool takeTranspose(func::FuncOp function) {
  for (auto op : function.getOps<linalg::LinalgOp>()) {
    AffineMap moved = getTransposed(op);
    if (moved && op.hasPureTensorSemantics() && ((op->hasOneUse() && readInPlace(op, moved)) || writeInPlace(op, moved))) {
      op->erase();
      return true;
    }
    if (auto generic = dyn_cast<linalg::GenericOp>(op.getOperation()); generic && !moved && writeWhereRead(generic))
      return true;
  }
  return false;
}

static void takeTransposes(func::FuncOp function) {
  while (takeTranspose(function))
    ;
}

/// A reader that `use` belongs to, and what has made the array of which it reads a view by the op `View`; null where that is not so, or where what is merged or parted is not known.
template <typename View>
static std::pair<linalg::LinalgOp, linalg::LinalgOp> getViewed(OpOperand &use) {
  auto reader = dyn_cast<linalg::LinalgOp>(use.getOwner());
  auto view = use.get().getDefiningOp<View>();
  if (!reader || !view || !reader.isDpsInput(&use) || getTransposed(reader) || !mapping::hasKnownParts(view))
    return {};
  auto maker = view.getSrc().template getDefiningOp<linalg::LinalgOp>();
  return maker ? std::pair(reader, maker) : std::pair<linalg::LinalgOp, linalg::LinalgOp>();
}

/// Ops that read each element several times, as products do.
static bool reuses(linalg::LinalgOp op) { return op.getNumReductionLoops() > 0 && op.getNumDpsInputs() > 1; }

/// Does `op` nothing but move elements?
static bool isMove(linalg::LinalgOp op) { return op.getBlock()->getOperations().size() == 1; }

/// Does `use`, of a view, merge dimensions that a sum is over?
static bool mergesReduced(OpOperand &use, linalg::LinalgOp reader) {
  SmallVector<utils::IteratorType> kinds = reader.getIteratorTypesArray();
  auto groups = use.get().getDefiningOp<tensor::CollapseShapeOp>().getReassociationIndices();
  return llvm::any_of(llvm::zip_equal(groups, reader.getMatchingIndexingMap(&use).getResults()), [&](auto pair) {
    auto [group, expr] = pair;
    auto dim = dyn_cast<AffineDimExpr>(expr);
    return group.size() > 1 && !(dim && linalg::isParallelIterator(kinds[dim.getPosition()]));
  });
}

/// Is what `view` names by more dimensions made element by element, and read so alone? It is made by these, then.
static bool isMadeForElements(OpOperand &use, tensor::ExpandShapeOp view) {
  auto isByElements = [](linalg::LinalgOp op) { return op && op.getNumReductionLoops() == 0 && op.hasPureTensorSemantics() && !getTransposed(op); };
  auto maker = use.get().getDefiningOp<linalg::LinalgOp>();
  return mapping::hasKnownParts(view) && use.get().hasOneUse() && isByElements(maker) && isa<GenericOp>(maker.getOperation()) &&
         llvm::all_of(view->getUsers(), [&](Operation *user) { return isByElements(dyn_cast<linalg::LinalgOp>(user)); });
}

/// Views of fewer dimensions move behind ops that then read what has been transposed where it lies, and behind what is done to the results of these.
static bool isExpanded(OpOperand &use) {
  if (auto view = dyn_cast<tensor::ExpandShapeOp>(use.getOwner()))
    return isMadeForElements(use, view);
  auto [reader, maker] = getViewed<tensor::CollapseShapeOp>(use);
  return reader && (!reuses(reader) || (getTransposed(maker) && maker->hasOneUse() && use.get().hasOneUse() && !mergesReduced(use, reader)));
}

/// What is read several times by others under fewer dimensions, as one head of keys is by several of queries: products walk these dimensions apart, and read it where it lies.
static bool isRepeated(OpOperand &use) {
  auto [reader, maker] = getViewed<tensor::CollapseShapeOp>(use);
  if (!reader || !reuses(reader) || mergesReduced(use, reader) || !isa<GenericOp>(maker.getOperation()) || !isMove(maker) || maker.getNumDpsInputs() != 1)
    return false;
  AffineMap map = maker.getMatchingIndexingMap(maker.getDpsInputOperand(0));
  return map.isProjectedPermutation() && !map.isPermutation() && maker->getResult(0).hasOneUse() && use.get().hasOneUse();
}

/// Views of more dimensions move behind what is done to single elements of a result, or to its rows: both walk the same.
static bool isCollapsed(OpOperand &use) {
  auto [reader, maker] = getViewed<tensor::ExpandShapeOp>(use);
  return reader && !reuses(reader) && !getTransposed(maker);
}

/// Moves views behind the readers for which `moves` says so, by `patterns`.
static void moveViews(func::FuncOp function, llvm::function_ref<bool(OpOperand &)> moves, RewritePatternSet patterns) {
  MLIRContext *context = function.getContext();
  tensor::ExpandShapeOp::getCanonicalizationPatterns(patterns, context);
  tensor::CollapseShapeOp::getCanonicalizationPatterns(patterns, context);
  linalg::FillOp::getCanonicalizationPatterns(patterns, context);
  FrozenRewritePatternSet frozen(std::move(patterns));
  // A view that has moved behind one reader may have come to others, which are to be generic, too.
  for (bool hasNamed = true; hasNamed;) {
    SmallVector<linalg::LinalgOp> readers;
    for (auto op : function.getOps<linalg::LinalgOp>())
      if (llvm::any_of(op->getOpOperands(), moves))
        readers.push_back(op);
    if (readers.empty())
      break;
    for (linalg::LinalgOp op : readers)
      mapping::generalize(op);
    (void)applyPatternsGreedily(function, frozen);
    hasNamed = llvm::any_of(function.getOps<linalg::LinalgOp>(), [&](linalg::LinalgOp op) {
      return !isa<linalg::GenericOp>(op.getOperation()) && llvm::any_of(op->getOpOperands(), moves);
    });
  }
  // What is made as one view of it can be made so at once.
  SmallVector<Operation *> views;
  for (Operation &op : function.getBody().front())
    if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op) && op.getOperand(0).getDefiningOp<tensor::EmptyOp>() && cast<RankedTensorType>(op.getResult(0).getType()).hasStaticShape())
      views.push_back(&op);
  for (Operation *view : views) {
    OpBuilder b(view);
    view->getResult(0).replaceAllUsesWith(tensor::EmptyOp::create(b, view->getLoc(), view->getResult(0).getType(), ValueRange()));
    view->erase();
  }
}

bool mapping::isByElement(linalg::LinalgOp op) {
  return op && op.getNumReductionLoops() == 0 && op->getNumResults() == 1 && op.hasPureTensorSemantics() && !isa<linalg::FillOp>(op.getOperation()) &&
         op.getBlock()->getOps<tensor::ExtractOp>().empty();
}

/// Is `op` done to what a product or a sum has made for it alone? It stays in that one's launch, which hands on what is rounded.
static bool followsReduction(linalg::LinalgOp op) {
  return llvm::any_of(op.getDpsInputs(), [](Value input) {
    auto maker = input.getDefiningOp<linalg::LinalgOp>();
    return maker && maker.getNumReductionLoops() > 0 && input.hasOneUse();
  });
}

GenericOp mapping::computeWhereRead(OpOperand &input) {
  auto maker = input.get().getDefiningOp<GenericOp>(), reader = dyn_cast<GenericOp>(input.getOwner());
  if (!maker || !reader || !linalg::areElementwiseOpsFusable(&input))
    return GenericOp();
  IRRewriter rewriter(reader);
  FailureOr<linalg::ElementwiseOpFusionResult> fused = linalg::fuseElementwiseOps(rewriter, &input);
  if (failed(fused))
    return GenericOp();
  for (auto [old, now] : fused->replacements)
    if (old.getDefiningOp() == reader)
      old.replaceAllUsesWith(now);
  reader.erase();
  maker.erase();
  auto made = cast<GenericOp>(fused->fusedOp);
  mapping::computePlaces(made);
  return made;
}

/// An array like `tensor` that holds nothing: what it was made from began with one. Null where it is not known to.
static Value findEmpty(Value tensor) {
  while (auto maker = tensor.getDefiningOp<linalg::LinalgOp>())
    tensor = maker.getDpsInits()[cast<OpResult>(tensor).getResultNumber()];
  return tensor.getDefiningOp<tensor::EmptyOp>() ? tensor : Value();
}

/// `op` with what its result's array has before as one more input: what changes an array in place is not computed where it is read. Null where it is not known how large that is.
static GenericOp readBegin(GenericOp op) {
  OpOperand *init = op.getDpsInitOperand(0);
  if (!op.payloadUsesValueFromOperand(init))
    return op;
  Value empty = findEmpty(init->get());
  if (!empty || empty.getType() != init->get().getType())
    return GenericOp();
  OpBuilder b(op);
  SmallVector<Value> inputs(op.getInputs());
  inputs.push_back(init->get());
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  maps.push_back(maps.back());
  auto made = GenericOp::create(b, op.getLoc(), op->getResultTypes(), inputs, ValueRange(empty), maps, op.getIteratorTypesArray());
  made.getRegion().takeBody(op.getRegion());
  made.getBody()->addArgument(getElementTypeOrSelf(empty.getType()), op.getLoc());
  op->replaceAllUsesWith(made);
  op->erase();
  return made;
}

/// Computes what one op alone reads, element by element, in that op; true where ops have changed.
static bool fuseElements(func::FuncOp function) {
  for (auto reader : function.getOps<linalg::LinalgOp>()) {
    for (OpOperand *input : reader.getDpsInputOperands()) {
      auto maker = input->get().getDefiningOp<linalg::LinalgOp>();
      // What is read several times would be computed as often.
      if (!mapping::isByElement(reader) || !mapping::isByElement(maker) || !input->get().hasOneUse() || followsReduction(maker) || (!reader.getMatchingIndexingMap(input).isPermutation() && !isMove(maker)))
        continue;
      auto made = dyn_cast<GenericOp>(maker.getOperation()), op = dyn_cast<GenericOp>(reader.getOperation());
      if (!made || !op)
        return mapping::generalize(made ? reader : maker);
      if (readBegin(made) && mapping::computeWhereRead(*input))
        return true;
    }
  }
  return false;
}

static void fuseAllElements(func::FuncOp function) {
  while (fuseElements(function))
    ;
}

static void simplifyOps(func::FuncOp function) {
  MLIRContext *context = function.getContext();
  RewritePatternSet repeating(context), expanding(context), collapsing(context);
  linalg::populateFoldReshapeOpsByExpansionPatterns(repeating, [](OpOperand *use) { return isRepeated(*use); });
  moveViews(function, isRepeated, std::move(repeating));
  mapping::takeMoves(function);
  takeTransposes(function);
  linalg::populateFoldReshapeOpsByExpansionPatterns(expanding, [](OpOperand *use) { return isExpanded(*use); });
  linalg::populateFoldReshapeOpsByCollapsingPatterns(collapsing, [](OpOperand *use) { return isCollapsed(*use); });
  moveViews(function, isExpanded, std::move(expanding));
  takeTransposes(function);
  fuseAllElements(function);
  moveViews(function, isCollapsed, std::move(collapsing));
  takeTransposes(function);
  fuseAllElements(function);
}

/// Is `function` parted at nests of its own (Parts.h)?
static bool isParted(func::FuncOp function) {
  return llvm::any_of(function.getBody().front(), [](Operation &op) {
    auto computed = dyn_cast<linalg::GenericOp>(op);
    return isa<tensor::PadOp, tensor::ExtractSliceOp, tensor::InsertSliceOp, tensor::ConcatOp>(op) || (computed && !computed.getBody()->getOps<tensor::ExtractOp>().empty());
  });
}

void mapping::simplify(ModuleOp module, bool all) {
  for (auto function : module.getOps<func::FuncOp>())
    // What is parted is verified part by part, so that parts are the same whoever asks.
    if (!function.isExternal() && function.getBody().hasOneBlock() && (all || isParted(function)))
      simplifyOps(function);
}
