//===- CopyDecisions.cpp - What a nest decides about its copies -*- C++ -*-===//

#include "tilec/Analysis/CopyDecisions.h"


#include "tilec/Analysis/BulkPlan.h"
#include "tilec/Analysis/BulkStore.h"
#include "tilec/Analysis/ClusterPlan.h"
#include "tilec/Analysis/MatrixLoad.h"
#include "tilec/Analysis/PipelineDecisions.h"
#include "tilec/Analysis/ScalarBody.h"
#include "tilec/Analysis/SlicedStore.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::analysis;
using tile::ForOp;
using tile::StageOp;
using tile::StoreOp;

//===----------------------------------------------------------------------===//
// The nest as copies see it
//===----------------------------------------------------------------------===//

ForOp tilec::analysis::getPipeline(StageOp stage) {
  auto loop = dyn_cast<ForOp>(stage->getParentOp());
  return loop && loop.getPipeline() ? loop : ForOp();
}

FailureOr<CopyTile> tilec::analysis::getCopyTile(StageOp stage) {
  auto type = cast<MemRefType>(stage.getTile().getType());
  FailureOr<layout::ComposedLayout> layout = tile::getStaticLayout(type);
  if (failed(layout) || type.getRank() == 0)
    return failure();
  return CopyTile{llvm::to_vector<2>(type.getShape()), *layout, type.getElementTypeBitWidth() / 8, getPipeline(stage) != nullptr,
                  stage.getPad()};
}

CopySource tilec::analysis::getCopySource(const tile::Access &access) {
  auto operand = cast<BlockArgument>(access.root);
  auto kernel = cast<tile::KernelOp>(operand.getOwner()->getParentOp());
  CopySource source;
  source.strides = *tile::getStaticStrides(cast<MemRefType>(operand.getType()));
  source.single = tile::isInConstantMemory(operand.getType());
  for (auto [dim, sum] : llvm::enumerate(access.subscripts)) {
    source.extents.push_back(getConstantIntValue(kernel.getOperandExtent(operand.getArgNumber(), dim)).value_or(ShapedType::kDynamic));
    source.divisors.push_back(tile::getDivisor(sum));
    tile::LinearExpr moves = sum;
    moves.constant = 0;
    source.constants.push_back(sum.constant);
    source.moves.push_back(tile::getDivisor(moves));
  }
  auto isCounted = [](const tile::LinearExpr &sum) {
    return CopySource::isCounted(sum.constant) && llvm::all_of(sum.terms, [](const auto &term) { return CopySource::isCounted(term.second); });
  };
  if (llvm::all_of(source.strides, CopySource::isCounted) && llvm::all_of(access.subscripts, isCounted)) {
    tile::LinearExpr before;
    for (auto [sum, stride] : llvm::zip_equal(access.subscripts, source.strides))
      before.add(sum, stride);
    source.before = before.constant;
    before.constant = 0;
    source.beforeMoves = tile::getDivisor(before);
  }
  if (access.gather)
    source.gather(access.gather->dim);
  return source;
}

std::optional<tile::Distribution> tilec::analysis::getSpread(Value tile) {
  ScopedDiagnosticHandler quiet(tile.getContext(), [](Diagnostic &) { return success(); });
  FailureOr<tile::Distribution> spread = tile::getDistribution(tile);
  return failed(spread) ? std::nullopt : std::optional(*spread);
}

TilePlace tilec::analysis::getTilePlace(const tile::Access &access, const layout::ComposedLayout &layout) {
  TilePlace place{llvm::map_to_vector(access.subscripts, [](const tile::LinearExpr &sum) { return tile::getDivisor(sum); })};
  std::optional<SmallVector<int64_t>> strides = getStrides(layout);
  if (!strides || access.gather)
    return place;
  tile::LinearExpr before;
  before.constant = layout.baseOffset();
  for (auto [sum, stride] : llvm::zip_equal(access.subscripts, *strides))
    before.add(sum, stride);
  place.before = tile::getDivisor(before);
  return place;
}

//===----------------------------------------------------------------------===//
// What is stated, and what else
//===----------------------------------------------------------------------===//

SmallVector<CopyForm> tilec::analysis::getForms(StageOp stage) {
  SmallVector<CopyForm> forms;
  if (ArrayAttr stated = stage.getFormsAttr())
    for (auto form : stated.getAsRange<tile::FormAttr>())
      forms.push_back({form.getAlong(), form.getWidth()});
  return forms;
}

SmallVector<CopyForm> tilec::analysis::getForms(StageOp stage, const CopyTile &tile, const CopySource &source) {
  SmallVector<CopyForm> forms = getForms(stage);
  if (!forms.empty() && llvm::all_of(forms, [&](CopyForm form) { return canCopy(tile, source, form); }))
    return forms;
  return getCopyForms(tile, source);
}

int64_t tilec::analysis::getLoadWidth(StageOp stage, const tile::Distribution &distribution, const layout::ComposedLayout &layout,
                                      const TilePlace &place) {
  std::optional<int64_t> stated = stage.getWide();
  if (stated && (*stated == 1 || canLoadWide(distribution, layout, place, *stated)))
    return *stated;
  return getLoadWidth(distribution, layout, cast<MemRefType>(stage.getTile().getType()).getElementTypeBitWidth() / 8, place);
}

int64_t tilec::analysis::getStoreWidth(StoreOp store, const tile::Distribution &distribution, const layout::ComposedLayout &layout,
                                       const TilePlace &place) {
  std::optional<int64_t> stated = store.getCombine() ? 1 : store.getWide();
  if (stated && (*stated == 1 || canLoadWide(distribution, layout, place, *stated)))
    return *stated;
  return getLoadWidth(distribution, layout, cast<MemRefType>(store.getTile().getType()).getElementTypeBitWidth() / 8, place);
}

std::optional<CopyForm> tilec::analysis::getWideStore(StoreOp store, const tile::Distribution &distribution, const CopySource &dest) {
  std::optional<int64_t> stated = store.getWide();
  if (stated == 1 || store.getCombine())
    return std::nullopt;
  if (stated && canStoreWide(distribution, dest, *stated))
    return CopyForm{*distribution.getRunDim(), *stated};
  return getWideStore(distribution, cast<MemRefType>(store.getTile().getType()).getElementTypeBitWidth() / 8, dest);
}

/// Does a thread hold several elements, side by side in each dimension?
static bool isBox(const tile::Distribution &distribution) { return distribution.getBox() && distribution.getLocalElements() > 1; }

bool tilec::analysis::asksOnce(StoreOp store, const tile::Distribution &distribution) {
  if (!isBox(distribution) || store.getCombine() || store.getIndices() || store.getSliceColumns())
    return false;
  return store.getWide() || store.getEdges() ? store.getEdges().value_or(tile::EdgeCheck::Element) != tile::EdgeCheck::Element : true;
}

std::optional<WideRuns> tilec::analysis::getWideRuns(StoreOp store, const tile::Distribution &distribution, const CopySource &dest) {
  RunSource to = {dest, std::nullopt, tile::EdgeCheck::Tile};
  std::optional<int64_t> stated = store.getWide();
  if (stated == 1)
    return std::nullopt;
  if (stated)
    if (std::optional<WideRuns> wide = getWideRuns(distribution, to, *stated))
      return wide;
  return getWidestRuns(distribution, to, cast<MemRefType>(store.getTile().getType()).getElementTypeBitWidth() / 8);
}

bool tilec::analysis::isRead(StageOp stage) {
  return llvm::any_of(tile::getTileUses(stage.getTile()), [](const tile::TileUse &use) {
    auto compute = dyn_cast<linalg::LinalgOp>(use.operand->getOwner());
    return compute ? ScalarBody(compute).isLoaded(*use.operand) : true;
  });
}

/// Does the kernel write `array`, or a part of it?
static bool isWritten(Value array) {
  return llvm::any_of(array.getUses(), [](OpOperand &use) {
    Operation *user = use.getOwner();
    if (isa<tile::PartOp>(user))
      return isWritten(user->getResult(0));
    auto compute = dyn_cast<linalg::LinalgOp>(user);
    return (isa<StoreOp>(user) && cast<StoreOp>(user).getDest() == use.get()) || (compute && compute.isDpsInit(&use));
  });
}

/// May what is staged ahead of `op` as well be loaded after it? Who stages ahead of a loop or a store has it load beside that.
static bool mayStandAhead(Operation *op) {
  auto compute = dyn_cast<linalg::LinalgOp>(op);
  return isa<StageOp, tile::HoldOp, tile::PartOp>(op) || (compute && tile::getSpreadOf(compute)) || isPure(op);
}

linalg::LinalgOp tilec::analysis::getReaderThatLoads(StageOp stage) {
  Value tile = stage.getTile();
  Value source = tile::getSourceAccess(stage).root;
  // Other threads may write what the kernel writes as soon as threads have met after the stage.
  if (tile::getLevel(tile.getType()) != tile::Level::RF || !isa<BlockArgument>(source) || isWritten(source) || !isRead(stage))
    return {};
  // A pipelined loop loads ahead what it stages to registers.
  if (auto loop = dyn_cast<ForOp>(stage->getParentOp()); loop && loop.getPipeline() && getSharedStages(loop).empty())
    return {};
  auto uses = [&](Operation &op) { return llvm::any_of(tile.getUsers(), [&](Operation *user) { return op.isAncestor(user); }); };
  Operation *op = stage->getNextNode();
  for (; op && !uses(*op); op = op->getNextNode())
    if (!mayStandAhead(op))
      return {};
  auto reader = dyn_cast_if_present<linalg::LinalgOp>(op);
  if (!reader || !tile::getSpreadOf(reader))
    return {};
  bool others = false;
  for (OpOperand &operand : reader->getOpOperands()) {
    if (operand.get() == tile && !reader.getMatchingIndexingMap(&operand).isIdentity())
      return {};
    // Of several such tiles the last.
    auto other = operand.get() != tile && !others ? operand.get().getDefiningOp<StageOp>() : StageOp();
    others |= other && stage->isBeforeInBlock(other) && getReaderThatLoads(other);
  }
  return others ? linalg::LinalgOp() : reader;
}

tile::EdgeCheck tilec::analysis::getEdges(StageOp stage, const tile::Distribution &distribution) {
  // Of what does not lie side by side some is absent in most blocks at an edge, and one element is asked for once.
  bool box = isBox(distribution) && !stage.getIndices();
  if (std::optional<tile::EdgeCheck> stated = stage.getEdges(); stated && (box || *stated == tile::EdgeCheck::Element))
    return *stated;
  return box ? tile::EdgeCheck::Tile : tile::EdgeCheck::Element;
}

std::optional<WideRuns> tilec::analysis::getWideRuns(StageOp stage, const tile::Distribution &distribution, const CopySource &source) {
  RunSource from = {source, stage.getPad(), getEdges(stage, distribution)};
  std::optional<int64_t> stated = stage.getWide();
  if (stated == 1)
    return std::nullopt;
  if (stated)
    if (std::optional<WideRuns> wide = getWideRuns(distribution, from, *stated))
      return wide;
  return getWidestRuns(distribution, from, cast<MemRefType>(stage.getTile().getType()).getElementTypeBitWidth() / 8);
}

int64_t tilec::analysis::getSlices(StageOp stage, int64_t sharers, const BoxShape &box) {
  std::optional<int64_t> stated = stage.getSlices();
  return stated && *stated <= sharers && box.canSlice(*stated) ? *stated : countSlices(box, sharers);
}

//===----------------------------------------------------------------------===//
// What may be stated
//===----------------------------------------------------------------------===//

static LogicalResult checkForms(StageOp stage, const CopyTile &tile, const CopySource &source) {
  SmallVector<CopyForm> forms = getForms(stage);
  for (auto [number, form] : llvm::enumerate(forms)) {
    if (form.width > 1 && !tile.ahead)
      return stage.emitOpError("form ") << number << " moves " << form.width << " elements at once, which only copies of a pipelined loop do";
    if (!canCopy(tile, source, form)) {
      InFlightDiagnostic diag = stage.emitOpError("form ")
                                << number << " moves " << form.width << " elements along dimension " << form.along
                                << " at once, but no launch has them side by side and aligned, in the operand and in " << stage.getTile().getType();
      diag.attachNote(stage.getSource().getLoc()) << "the operand is of type " << stage.getSource().getType();
      return diag;
    }
    bool asks = form.width > 1 || ShapedType::isDynamic(source.strides[form.along]);
    if (!asks && number + 1 < forms.size())
      return stage.emitOpError("form ") << number << " is one that any launch takes; form " << number + 1 << " is for none";
  }
  if (stage.getEdges() != tile::EdgeCheck::Tile)
    return success();
  ForOp loop = getPipeline(stage);
  int64_t threads = loop.getProducers() ? *loop.getProducers() * tile::kWarpThreads
                                        : tile::getComputeThreads(stage->getParentOfType<tile::KernelOp>());
  if (stage.getCopy() == tile::Copy::Tma)
    return stage.emitOpError("edges(tile) beside copy(tma), which asks for no edges");
  if (!isEven(getCopyDigits(tile, forms.front()), threads))
    return stage.emitOpError("edges(tile) needs rounds that deal the tile out evenly, but form 0 and ") << threads << " threads do not";
  return success();
}

static LogicalResult checkSlices(StageOp stage) {
  FailureOr<BulkBox> box = getBulkBox(stage, cast<MemRefType>(stage.getTile().getType()));
  if (failed(box))
    return failure();
  int64_t sharers = getSharers(getClusteredLoop(stage->getParentOfType<tile::KernelOp>()), stage).size(), slices = *stage.getSlices();
  if (slices > sharers)
    return stage.emitOpError("has ") << slices << " slices, but " << sharers << (sharers == 1 ? " block shares the tile" : " blocks share the tile");
  if (box->canSlice(slices))
    return success();
  InFlightDiagnostic diag = stage.emitOpError("has ");
  diag << slices << " slices; ";
  if (box->pieces > 1)
    diag << box->pieces << " boxes do not part into as many, and of each ";
  return diag << box->extents[box->getSliced()] << " elements along dimension " << box->dims[box->getSliced()] << " and " << box->bytes
              << " bytes do not part into as many of whole " << box->alignment() << " bytes";
}

/// Of a tile in registers that is loaded from an operand.
static LogicalResult checkLoad(StageOp stage, const tile::Access &access, const tile::Distribution &spread) {
  if (stage.getEdges() && getEdges(stage, spread) != stage.getEdges())
    return stage.emitOpError("edges(") << stringifyEdgeCheck(*stage.getEdges()) << ") needs a thread to hold several elements, side by side in each dimension";
  if (stage.getWide().value_or(1) == 1 || getWideRuns(spread, {getCopySource(access), stage.getPad(), getEdges(stage, spread)}, *stage.getWide()))
    return success();
  InFlightDiagnostic diag = stage.emitOpError("wide(") << *stage.getWide() << ") loads elements at once that a thread does not hold side by side, "
                                                       << "or that are in no launch side by side, aligned and all there in the operand";
  diag.attachNote(access.root.getLoc()) << "the operand is of type " << access.root.getType();
  return diag;
}

static LogicalResult checkWide(StageOp stage) {
  tile::Access access = tile::getSourceAccess(stage);
  std::optional<tile::Distribution> spread = getSpread(stage.getTile());
  if (isa<BlockArgument>(access.root))
    return spread ? checkLoad(stage, access, *spread) : success();
  if (!stage.getWide() && stage.getCopy() != tile::Copy::Ldmatrix)
    return success();
  FailureOr<layout::ComposedLayout> layout = tile::getStaticLayout(cast<MemRefType>(access.root.getType()));
  if (!spread || failed(layout))
    return success();
  if (stage.getCopy() == tile::Copy::Ldmatrix) {
    if (getRegisterLoad(stage, *spread, *layout, getTilePlace(access, *layout)).matrices)
      return success();
    InFlightDiagnostic diag = stage.emitOpError("copy(ldmatrix) loads rows of 16 bytes that lie side by side and aligned, for lanes that hold 4 bytes ")
                              << "of each, 1, 2 or 4 matrices at once; this tile is not held so, or not so many at once, or " << access.root.getType() << " has no such rows";
    diag.attachNote(access.root.getLoc()) << "it is loaded from this tile";
    return diag;
  }
  if (stage.getWide().value_or(1) == 1 || canLoadWide(*spread, *layout, getTilePlace(access, *layout), *stage.getWide()))
    return success();
  InFlightDiagnostic diag = stage.emitOpError("wide(") << *stage.getWide() << ") loads elements at once that a thread does not hold side by side, "
                                                       << "or that are not side by side and aligned in " << access.root.getType();
  diag.attachNote(access.root.getLoc()) << "they are loaded from this tile";
  return diag;
}

LogicalResult tilec::analysis::checkDecisions(StageOp stage) {
  if (tile::getLevel(stage.getTile().getType()) == tile::Level::RF)
    return checkWide(stage);
  if (stage.getSlices() && failed(checkSlices(stage)))
    return failure();
  if (!stage.getForms())
    return success();
  FailureOr<CopyTile> tile = getCopyTile(stage);
  return failed(tile) ? success() : checkForms(stage, *tile, getCopySource(tile::getSourceAccess(stage)));
}

/// Of a store to a tile in shared memory.
static LogicalResult checkWide(StoreOp store, const tile::Distribution &spread) {
  tile::Access dest = tile::getDestAccess(store);
  FailureOr<layout::ComposedLayout> layout = tile::getStaticLayout(cast<MemRefType>(dest.root.getType()));
  if (failed(layout) || store.getWide().value_or(1) == 1 || canLoadWide(spread, *layout, getTilePlace(dest, *layout), *store.getWide()))
    return success();
  InFlightDiagnostic diag = store.emitOpError("wide(") << *store.getWide() << ") stores elements at once that a thread does not hold side by side, "
                                                       << "or that are not side by side and aligned in " << dest.root.getType();
  diag.attachNote(dest.root.getLoc()) << "they are stored to this tile";
  return diag;
}

LogicalResult tilec::analysis::checkDecisions(StoreOp store) {
  std::optional<tile::Distribution> spread = getSpread(tile::traceParts(store.getTile()).root);
  if (spread && store.getCopy())
    return getBulkStore(store, *spread);
  if (spread && store.getSliceColumns()) {
    if (failed(getSlicedStore(store, *spread)))
      return failure();
    spread = getStoredSpread(store, *spread);
  }
  if (!spread)
    return success();
  if (tile::getLevel(store.getDest().getType()) == tile::Level::SMEM)
    return checkWide(store, *spread);
  bool once = store.getEdges().value_or(tile::EdgeCheck::Element) != tile::EdgeCheck::Element;
  if (once && !asksOnce(store, *spread))
    return store.emitOpError("edges(") << stringifyEdgeCheck(*store.getEdges()) << ") needs a thread to hold several elements, side by side in each dimension";
  CopySource dest = getCopySource(tile::getDestAccess(store));
  int64_t width = store.getWide().value_or(1);
  if (width == 1 || (once ? getWideRuns(*spread, {dest, std::nullopt, tile::EdgeCheck::Tile}, width).has_value() : canStoreWide(*spread, dest, width)))
    return success();
  InFlightDiagnostic diag = store.emitOpError("wide(") << *store.getWide() << ") stores elements at once that a thread does not hold side by "
                                                       << "side, or that are in no launch side by side and aligned in the operand";
  diag.attachNote(store.getDest().getLoc()) << "the operand is of type " << store.getDest().getType();
  return diag;
}

//===----------------------------------------------------------------------===//
// What is left open
//===----------------------------------------------------------------------===//

/// Copies of more rounds stay loops; texts for rare launches, which are there once more, stay short.
constexpr int64_t kUnrolled = 32, kUnrolledRare = 2;
/// Warps that only copy wait for what they ask one by one at the edges of an operand: with 2 rounds at a time f32 products of 48 and 552 rows take 1.07 and 1.21 times
/// as long on an H100.
constexpr int64_t kUnrolledEdges = 8;

static std::string describe(ArrayRef<CopyForm> forms, int64_t elementBytes) {
  std::string text;
  for (const CopyForm &form : forms)
    text += (text.empty() ? "is copied with " : ", then ") + std::to_string(form.width * elementBytes) + " bytes a thread along dimension " +
            std::to_string(form.along);
  return text + (forms.size() > 1 ? ": a launch takes the first that it allows" : "");
}

static tile::EdgeCheck chooseEdges(StageOp stage, const CopyTile &tile, CopyForm first) {
  // Warps that only copy take issue slots from those that compute: they do not ask for each element.
  ForOp loop = getPipeline(stage);
  bool fills = loop && loop.getProducers() && stage.getCopy() != tile::Copy::Tma && !stage.getIndices();
  return fills && isEven(getCopyDigits(tile, first), *loop.getProducers() * tile::kWarpThreads) ? tile::EdgeCheck::Tile : tile::EdgeCheck::Element;
}

/// Does no whole number of tiles make up the operand that `stage` copies, at sizes `arguments`?
static bool hasEdges(StageOp stage, const CopyTile &tile, ArrayRef<int64_t> arguments) {
  auto operand = dyn_cast<BlockArgument>(tile::traceToOperand(stage.getSource()).root);
  auto kernel = operand ? dyn_cast<tile::KernelOp>(operand.getOwner()->getParentOp()) : tile::KernelOp();
  return kernel && llvm::any_of(llvm::enumerate(tile.shape), [&](const auto &dim) {
    OpFoldResult extent = kernel.getOperandExtent(operand.getArgNumber(), dim.index());
    auto size = dyn_cast<Value>(extent);
    return (size ? arguments[cast<BlockArgument>(size).getArgNumber()] : *getConstantIntValue(extent)) % dim.value() != 0;
  });
}

/// Rounds that are written out at a time where each element is asked for. Copies that stay loops where all is present stay short: S2 was 5 % slower otherwise.
static int64_t chooseRare(StageOp stage, const CopyTile &tile, CopyForm first, tile::EdgeCheck edges, ArrayRef<int64_t> arguments) {
  ForOp loop = getPipeline(stage);
  if (edges != tile::EdgeCheck::Tile || !loop || !loop.getProducers() || !hasEdges(stage, tile, arguments))
    return kUnrolledRare;
  int64_t threads = *loop.getProducers() * tile::kWarpThreads;
  return llvm::product_of(tile.shape) / first.width <= kUnrolled * threads ? kUnrolledEdges : kUnrolledRare;
}

/// Of a tile in shared memory.
static FailureOr<Decisions> decideCopy(StageOp stage, ArrayRef<int64_t> arguments) {
  Decisions open;
  FailureOr<CopyTile> tile = getCopyTile(stage);
  if (failed(tile)) // The lowering says what it cannot lay out.
    return open;
  Builder b(stage.getContext());
  SmallVector<CopyForm> forms = getForms(stage);
  if (!stage.getForms()) {
    forms = getCopyForms(*tile, getCopySource(tile::getSourceAccess(stage)));
    auto toAttr = [&](CopyForm form) -> Attribute { return tile::FormAttr::get(b.getContext(), form.along, form.width); };
    open.push_back({stage.getFormsAttrName(), b.getArrayAttr(llvm::map_to_vector(forms, toAttr)), describe(forms, tile->elementBytes)});
  }
  tile::EdgeCheck edges = stage.getEdges().value_or(chooseEdges(stage, *tile, forms.front()));
  if (!stage.getEdges())
    open.push_back({stage.getEdgesAttrName(), tile::EdgeCheckAttr::get(b.getContext(), edges),
                    edges == tile::EdgeCheck::Tile ? "asks once for each tile whether all of it is present: producers take issue slots from warps that compute" : ""});
  if (!stage.getUnroll()) {
    int64_t rare = chooseRare(stage, *tile, forms.front(), edges, arguments);
    open.push_back({stage.getUnrollAttrName(), b.getDenseI64ArrayAttr({kUnrolled, rare}),
                    rare == kUnrolledEdges ? "writes out " + std::to_string(rare) + " rounds at a time at edges: tiles do not make up the operand at these sizes" : ""});
  }
  if (stage.getCopy() != tile::Copy::Tma || stage.getSlices())
    return open;
  FailureOr<BulkBox> box = getBulkBox(stage, cast<MemRefType>(stage.getTile().getType()));
  if (failed(box))
    return failure();
  int64_t sharers = getSharers(getClusteredLoop(stage->getParentOfType<tile::KernelOp>()), stage).size();
  open.push_back({stage.getSlicesAttrName(), b.getI64IntegerAttr(getSlices(stage, sharers, *box)), ""});
  return open;
}

static std::string describeWide(const char *verb, const CopyForm &form) {
  return verb + std::to_string(form.width) + " elements at a time along dimension " + std::to_string(form.along) + " in launches that align them";
}

static std::string describeNear(const char *verb, int64_t width) {
  return width > 1 ? verb + std::to_string(width) + " elements at a time: a thread holds as many side by side, aligned in smem" : "";
}

/// Of a tile in registers.
static Decisions decideLoad(StageOp stage) {
  Builder b(stage.getContext());
  tile::Access access = tile::getSourceAccess(stage);
  auto source = cast<MemRefType>(access.root.getType());
  std::optional<tile::Distribution> spread = getSpread(stage.getTile());
  if (spread && isa<BlockArgument>(access.root)) {
    if (stage.getEdges() && stage.getWide())
      return {};
    std::optional<WideRuns> wide = getWideRuns(stage, *spread, getCopySource(access));
    return {{stage.getEdgesAttrName(), tile::EdgeCheckAttr::get(b.getContext(), getEdges(stage, *spread)), ""},
            {stage.getWideAttrName(), b.getI64IntegerAttr(wide ? wide->form.width : 1), wide ? describeWide("is loaded ", wide->form) : ""}};
  }
  FailureOr<layout::ComposedLayout> layout = tile::getStaticLayout(source);
  if (stage.getWide() || tile::getLevel(source) != tile::Level::SMEM || failed(layout) || !spread)
    return {};
  RegisterLoad load = getRegisterLoad(stage, *spread, *layout, getTilePlace(access, *layout));
  IntegerAttr width = b.getI64IntegerAttr(load.width);
  if (!load.matrices)
    return {{stage.getWideAttrName(), width, describeNear("is loaded ", load.width)}};
  return {{stage.getWideAttrName(), width, ""},
          {stage.getCopyAttrName(), tile::CopyAttr::get(b.getContext(), tile::Copy::Ldmatrix),
           "is loaded as " + std::to_string(load.matrices->count) + " matrices at a time: lanes hold of rows of 16 bytes what an instruction takes"}};
}

FailureOr<Decisions> tilec::analysis::decide(StageOp stage, ArrayRef<int64_t> arguments) {
  return tile::getLevel(stage.getTile().getType()) == tile::Level::SMEM ? decideCopy(stage, arguments) : FailureOr<Decisions>(decideLoad(stage));
}

FailureOr<Decisions> tilec::analysis::decide(StoreOp store) {
  Builder b(store.getContext());
  std::optional<tile::Distribution> spread = getSpread(tile::traceParts(store.getTile()).root);
  tile::Access dest = tile::getDestAccess(store);
  if (store.getWide() || store.getCopy() || tile::getLevel(store.getTile().getType()) != tile::Level::RF || !spread)
    return Decisions();
  if (!isa<BlockArgument>(dest.root)) {
    FailureOr<layout::ComposedLayout> layout = tile::getStaticLayout(cast<MemRefType>(dest.root.getType()));
    if (failed(layout))
      return Decisions();
    int64_t width = getStoreWidth(store, *spread, *layout, getTilePlace(dest, *layout));
    return Decisions{{store.getWideAttrName(), b.getI64IntegerAttr(width), describeNear("stores ", width)}};
  }
  Decisions open;
  std::optional<CopyForm> wide;
  if (asksOnce(store, *spread)) {
    if (std::optional<WideRuns> runs = getWideRuns(store, *spread, getCopySource(dest)))
      wide = runs->form;
    open.push_back({store.getEdgesAttrName(), tile::EdgeCheckAttr::get(b.getContext(), store.getEdges().value_or(tile::EdgeCheck::Tile)), ""});
  } else {
    wide = getWideStore(store, getStoredSpread(store, *spread), getCopySource(dest));
  }
  open.push_back({store.getWideAttrName(), b.getI64IntegerAttr(wide ? wide->width : 1), wide ? describeWide("stores ", *wide) : ""});
  return open;
}
