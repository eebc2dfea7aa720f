//===- AccessOps.cpp - tile.stage, tile.part, tile.store --------*- C++ -*-===//
//
// Subscripts, and rules S1 to S16, P1 to P5 and W1 to W9.
//
//===----------------------------------------------------------------------===//

#include "Bounds.h"
#include "tilec/Tile/Distribution.h"

#include "tilec/Tile/Access.h"
#include "tilec/Tile/Open.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

//===----------------------------------------------------------------------===//
// Syntax
//===----------------------------------------------------------------------===//

// %A[%i + 1, %j]
static ParseResult parseSubscripted(OpAsmParser &parser, OpAsmParser::UnresolvedOperand &memref,
                                    SmallVectorImpl<OpAsmParser::UnresolvedOperand> &operands, AffineMapAttr &map) {
  NamedAttrList unnamed;
  Attribute parsed;
  if (parser.parseOperand(memref) || parser.parseAffineMapOfSSAIds(operands, parsed, "map", unnamed))
    return failure();
  map = cast<AffineMapAttr>(parsed);
  return success();
}

static void printSubscripted(OpAsmPrinter &printer, Operation *, Value memref, OperandRange operands,
                             AffineMapAttr map) {
  printer << memref << '[';
  printer.printAffineMapOfSSAIds(map, operands);
  printer << ']';
}

// 1 by 4, 1, 0
static ParseResult parseForms(OpAsmParser &parser, ArrayAttr &forms) {
  SmallVector<Attribute> list;
  auto parseForm = [&]() -> ParseResult {
    SMLoc loc = parser.getCurrentLocation();
    int64_t along, width = 1;
    if (parser.parseInteger(along))
      return failure();
    if (along < 0 || along > std::numeric_limits<int32_t>::max())
      return parser.emitError(loc, "a form walks dimension ") << along << ", which no tile has";
    if (succeeded(parser.parseOptionalKeyword("by")) && parser.parseInteger(width))
      return failure();
    list.push_back(FormAttr::get(parser.getContext(), along, width));
    return success();
  };
  if (parser.parseCommaSeparatedList(parseForm))
    return failure();
  forms = parser.getBuilder().getArrayAttr(list);
  return success();
}

static void printForms(OpAsmPrinter &printer, Operation *, ArrayAttr forms) {
  llvm::interleaveComma(forms.getAsRange<FormAttr>(), printer, [&](FormAttr form) {
    printer << form.getAlong();
    if (form.getWidth() != 1)
      printer << " by " << form.getWidth();
  });
}

// 32, 2
static ParseResult parseUnroll(OpAsmParser &parser, DenseI64ArrayAttr &unroll) {
  int64_t most, rare;
  if (parser.parseInteger(most) || parser.parseComma() || parser.parseInteger(rare))
    return failure();
  unroll = parser.getBuilder().getDenseI64ArrayAttr({most, rare});
  return success();
}

static void printUnroll(OpAsmPrinter &printer, Operation *, DenseI64ArrayAttr unroll) {
  llvm::interleaveComma(unroll.asArrayRef(), printer);
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

/// Dominance is verified after ops are, but these rules follow memrefs to their definitions.
static LogicalResult verifyDefinedBefore(Operation *op, Value memref) {
  Operation *def = memref.getDefiningOp();
  if (!def)
    return success();
  Operation *ancestor = def->getBlock()->findAncestorOpInBlock(*op);
  if (!ancestor || !def->isBeforeInBlock(ancestor))
    return op->emitOpError("uses a memref that is not defined before it");
  return success();
}

/// A tile has elements, and how many is known.
static LogicalResult verifyTileShape(Operation *op, StringRef what, MemRefType tile) {
  if (!tile.hasStaticShape() && isInOpenKernel(op)) // rule_o1
    return success();
  if (!tile.hasStaticShape()) // stage_s4, part_p3
    return op->emitOpError(what) << " needs a static shape, got " << tile;
  if (llvm::is_contained(tile.getShape(), 0)) // stage_s4, part_p3
    return op->emitOpError(what) << " has no elements, got " << tile << "; every extent of a tile is at least 1";
  return verifyTileSize(op, tile); // stage_s4, part_p3
}

/// Sums of chains of parts are computed in 64 bits: each is far from what these hold. A dynamic extent is below 2^31.
static bool staysExact(const LinearExpr &sum) {
  constexpr int64_t kMost = static_cast<int64_t>(1) << 56, kMostDynamic = static_cast<int64_t>(1) << 31;
  int64_t reach = std::abs(sum.constant);
  for (auto [value, factor] : sum.terms) {
    std::optional<InductionVar> iv = getInductionVar(value);
    std::optional<int64_t> count = iv ? iv->loop.getStaticCount(iv->number) : std::nullopt;
    int64_t last = count ? saturatingMul(std::max<int64_t>(*count - 1, 0), iv->loop.getSteps()[iv->number]) : kMostDynamic;
    reach = saturatingAdd(reach, saturatingMul(last, std::abs(factor)));
  }
  return reach < kMost;
}

/// What stage, part and store have in common: as many subscripts as dimensions,
/// on both sides, each an affine sum of values; equal element types.
static LogicalResult verifyAccess(Operation *op, Value source, MemRefType tile, AffineMap map,
                                  OperandRange operands) {
  auto subscripted = cast<MemRefType>(source.getType());
  if (failed(verifyDefinedBefore(op, source)))
    return failure();
  if (map.getNumInputs() != operands.size())
    return op->emitOpError("subscripts use ") << map.getNumInputs() << " values, got " << operands.size();
  if (map.getNumResults() != subscripted.getRank()) // stage_s1, part_p1, store_w1
    return op->emitOpError("has ") << map.getNumResults() << " subscripts for an operand of rank "
                                   << subscripted.getRank();
  for (auto [i, subscript] : llvm::enumerate(map.getResults())) {
    FailureOr<LinearExpr> sum = getLinearExpr(subscript, operands);
    if (failed(sum)) { // stage_s1, part_p1, store_w1
      bool divides = subscript.walk([](AffineExpr expr) { return isDivision(expr) ? WalkResult::interrupt() : WalkResult::advance(); }).wasInterrupted();
      return op->emitOpError("subscript ") << i << " is not a sum of multiples of values and a constant" << (divides ? "; divide by arith.divsi and arith.remsi ahead of it" : "");
    }
    if (!staysExact(*sum)) // stage_s1, part_p1, store_w1
      return op->emitOpError("subscript ") << i << " may pass 2^56, which is beyond any memory; its loops and factors are smaller";
  }
  if (tile.getRank() != subscripted.getRank()) // stage_s1, part_p1, store_w1
    return op->emitOpError("the tile's rank is ") << tile.getRank() << " but the operand's is "
                                                  << subscripted.getRank();
  if (tile.getElementType() != subscripted.getElementType()) // stage_s2, part_p2, store_w2
    return op->emitOpError("the tile's elements are ") << tile.getElementType() << " but the operand's are "
                                                       << subscripted.getElementType();
  if (!getLevel(tile) || !getLevel(subscripted))
    return op->emitOpError("memory spaces must be levels, got ") << subscripted << " and " << tile;
  return success();
}

static bool isVector(MemRefType tile, int64_t width) {
  int64_t bytes = width * tile.getElementTypeBitWidth() / 8;
  return width == 1 || (width > 1 && width <= kWidestBytes && (bytes == 4 || bytes == 8 || bytes == kWidestBytes));
}

static LogicalResult verifyForms(StageOp stage, MemRefType tile) {
  ArrayAttr forms = stage.getFormsAttr();
  if (*getLevel(tile) != Level::SMEM) // stage_s8
    return stage.emitOpError("forms is for a tile in smem, got ") << tile;
  if (forms.empty() || forms.size() > 8) // stage_s8
    return stage.emitOpError("has ") << forms.size() << " forms; expected from 1 to 8";
  for (auto [number, form] : llvm::enumerate(forms.getAsRange<FormAttr>())) {
    if (form.getAlong() >= tile.getRank()) // stage_s8
      return stage.emitOpError("form ") << number << " walks dimension " << form.getAlong() << " of a tile of rank " << tile.getRank();
    if (!isVector(tile, form.getWidth())) // stage_s8
      return stage.emitOpError("form ") << number << " moves " << form.getWidth() << " elements of " << tile.getElementType()
                                        << "; expected 1, or as many as take 4, 8 or 16 bytes";
    if (tile.getDimSize(form.getAlong()) % form.getWidth() != 0) // stage_s8
      return stage.emitOpError("form ") << number << " moves " << form.getWidth() << " elements along dimension " << form.getAlong()
                                        << ", which has " << tile.getDimSize(form.getAlong()) << " of them";
    if (llvm::is_contained(forms.getValue().take_front(number), form)) // stage_s8
      return stage.emitOpError("form ") << number << " is there twice";
  }
  if (int64_t width = cast<FormAttr>(forms.getValue().back()).getWidth(); width != 1) // stage_s8
    return stage.emitOpError("the last form moves ") << width << " elements, which some launches do not allow; expected 1";
  return success();
}

/// Rules S8 to S13: what a planned stage says.
static LogicalResult verifyDecisions(StageOp stage, MemRefType source, MemRefType tile) {
  if (stage.getForms() && failed(verifyForms(stage, tile)))
    return failure();
  bool inRegisters = *getLevel(tile) == Level::RF;
  if (inRegisters && (stage.getUnroll() || (stage.getEdges() && !isOperandLevel(*getLevel(source))))) // stage_s13
    return stage.emitOpError(stage.getUnroll() ? "unroll is for a tile in smem" : "edges is for a tile that is staged from dram");
  bool byBlock = stage.getEdges() == EdgeCheck::Block;
  if (inRegisters && byBlock && !getInnermostUnit(stage)) // stage_s13
    return stage.emitOpError("edges(block) is for threads, which ask so for what they load, but the stage is in no loop on warpgroup, warp or thread");
  if (!inRegisters && byBlock) // stage_s9
    return stage.emitOpError("edges(block) is for a tile in rf");
  if (!inRegisters && (stage.getEdges() || stage.getUnroll()) && !stage.getForms()) // stage_s9
    return stage.emitOpError(stage.getEdges() ? "edges" : "unroll") << " is for a copy that says its forms";
  auto loop = dyn_cast_if_present<ForOp>(stage->getParentOp());
  if (!inRegisters && stage.getEdges() == EdgeCheck::Tile && (!loop || !loop.getPipeline())) // stage_s9
    return stage.emitOpError("edges(tile) needs a pipelined loop right around the stage");
  if (std::optional<ArrayRef<int64_t>> unroll = stage.getUnroll()) {
    if (unroll->size() != 2) // stage_s9
      return stage.emitOpError("unroll needs two numbers, got ") << unroll->size();
    for (int64_t number : *unroll)
      if (number < 1 || number > kMostUnrolled) // stage_s9
        return stage.emitOpError("unroll(") << unroll->front() << ", " << unroll->back() << ") has no numbers from 1 to " << kMostUnrolled;
  }
  if (std::optional<int64_t> slices = stage.getSlices()) {
    if (stage.getCopy() != Copy::Tma) // stage_s10
      return stage.emitOpError("slices are parts of a box of copy(tma)");
    if (*slices < 1 || *slices > 16) // stage_s10
      return stage.emitOpError("has ") << *slices << " slices; expected from 1 to 16, the blocks of the largest cluster";
  }
  if (std::optional<int64_t> wide = stage.getWide()) {
    if (!inRegisters) // stage_s11
      return stage.emitOpError("wide is for a tile in rf");
    if (!isVector(tile, *wide)) // stage_s11
      return stage.emitOpError("wide(") << *wide << ") of " << tile.getElementType() << "; expected 1, or as many as take 4, 8 or 16 bytes";
  }
  return success();
}

/// The indices that number a dimension of `operand`. `word`: the clause.
template <typename Op>
static LogicalResult verifyIndices(Op op, StringRef word, Value operand) {
  auto isOperand = [](Value memref) { return isa<BlockArgument>(memref); };
  auto type = cast<MemRefType>(op.getIndices().getType());
  bool isHeld = operand.getDefiningOp<HoldOp>() && word == "scatter";
  if (!isOperand(operand) && !isHeld) // stage_s15, store_w8
    return op.emitOpError(word) << " numbers a dimension of an operand itself" << (word == "scatter" ? " or of a held tile itself" : "") << ", got a "
                                << (operand.getDefiningOp<PartOp>() ? "part" : "tile") << " of type " << operand.getType();
  if (!isOperand(op.getIndices()) || type.getRank() != 1 || !(type.getElementType().isInteger(32) || type.getElementType().isInteger(64))) // stage_s15, store_w8
    return op.emitOpError(word) << " takes its numbers from an operand of one dimension of i32 or i64, got " << (isOperand(op.getIndices()) ? "" : "a tile or part of type ") << type;
  if (int64_t along = *op.getAlong(), rank = cast<MemRefType>(operand.getType()).getRank(); along < 0 || along >= rank) // stage_s15, store_w8
    return op.emitOpError(word) << " numbers dimension " << along << " of an operand of rank " << rank;
  return success();
}

/// Rules S15 and S16.
static LogicalResult verifyGather(StageOp stage) {
  if (static_cast<bool>(stage.getIndices()) != stage.getAlong().has_value()) // stage_s15
    return stage.emitOpError("gather has indices and the dimension that they number");
  if (!stage.getIndices())
    return success();
  if (failed(verifyIndices(stage, "gather", stage.getSource())))
    return failure();
  int64_t numbered = cast<MemRefType>(stage.getTile().getType()).getShape()[*stage.getAlong()];
  if (stage.getCopy() == Copy::Tma && numbered != 1) // stage_s16
    return stage.emitOpError("copy(tma) copies boxes; what gather takes lies in none, with ") << numbered << " numbers a tile; expected 1";
  if (stage.getEdges().value_or(EdgeCheck::Element) != EdgeCheck::Element) // stage_s16
    return stage.emitOpError("edges(") << stringifyEdgeCheck(*stage.getEdges()) << ") asks for a box; what gather takes lies in none";
  if (stage.getPad().value_or(Pad::Zero) != Pad::Zero) // stage_s16
    return stage.emitOpError("gather pads with zero, got ") << stringifyPad(*stage.getPad());
  return success();
}

LogicalResult StageOp::verify() {
  auto source = cast<MemRefType>(getSource().getType()), tile = cast<MemRefType>(getTile().getType());
  if (failed(verifyAccess(*this, getSource(), tile, getMap(), getOperands_())))
    return failure();
  if (*getLevel(tile) <= *getLevel(source)) // stage_s3
    return emitOpError("stages from ") << stringifyLevel(*getLevel(source)) << " to "
                                       << stringifyLevel(*getLevel(tile)) << ", which is not nearer";
  if (failed(verifyTileShape(*this, "the staged tile", tile)))
    return failure();
  if (getLevel(tile) == Level::RF && isa<LayoutAttr>(tile.getLayout()))
    return emitOpError("a tile in rf is spread over threads and has no layout, got ") << tile;
  if (getCopy() == Copy::Ldmatrix && (*getLevel(source) != Level::SMEM || *getLevel(tile) != Level::RF || getInnermostUnit(*this) != Unit::Warp)) // stage_s12
    return emitOpError("copy(ldmatrix) needs a tile in rf that is staged from smem, in a loop on warp with no loop on thread around the stage");
  auto loop = dyn_cast_if_present<ForOp>((*this)->getParentOp());
  if (getCopy() == Copy::Tma && (*getLevel(tile) != Level::SMEM || !loop || !loop.getProducers())) // stage_s6
    return emitOpError("copy(tma) needs a tile in smem, directly in a loop with producers that wait for it");
  if (getPad() && !isOperandLevel(*getLevel(source))) { // stage_s14
    InFlightDiagnostic diag = emitOpError("pad(") << stringifyPad(*getPad()) << ") is for a tile that is staged from dram, got one from " << stringifyLevel(*getLevel(source));
    diag.attachNote(getSource().getLoc()) << "elements of this tile that have no value get one where it is staged itself";
    return diag;
  }
  if (std::optional<int64_t> place = getSmemAt()) {
    if (*getLevel(tile) != Level::SMEM) // stage_s7
      return emitOpError("smem_at is for a tile in smem, got ") << tile;
    if (!isSharedPlace(*place)) // stage_s7
      return emitOpError("smem_at(") << *place << ") is no multiple of 128 from 0 to 2147483520";
  }
  if (failed(verifyDecisions(*this, source, tile)) || failed(verifyGather(*this)))
    return failure();
  return verifyInside(*this, getSource(), getMap(), getOperands_(), tile.getShape()); // stage_s5
}

LogicalResult PartOp::verify() {
  auto source = cast<MemRefType>(getSource().getType()), part = cast<MemRefType>(getPart().getType());
  if (failed(verifyAccess(*this, getSource(), part, getMap(), getOperands_())))
    return failure();
  if (getLevel(part) != getLevel(source)) // part_p2
    return emitOpError("a part stays where it lies, but goes from ")
           << stringifyLevel(*getLevel(source)) << " to " << stringifyLevel(*getLevel(part));
  if (failed(verifyTileShape(*this, "a part", part)))
    return failure();
  if (failed(verifyInside(*this, getSource(), getMap(), getOperands_(), part.getShape()))) // part_p5
    return failure();
  if (part.getLayout().isIdentity())
    return success();
  FailureOr<SmallVector<int64_t>> stated = getStaticStrides(part), actual = getStaticStrides(source);
  if (failed(stated) || failed(actual)) {
    // A layout that is no sum of strides is repeated.
    if (part.getLayout() != source.getLayout()) // part_p4
      return emitOpError("states layout ") << part.getLayout() << " but the source has " << source.getLayout();
    return success();
  }
  for (auto [dim, pair] : llvm::enumerate(llvm::zip_equal(*stated, *actual))) {
    auto [want, have] = pair;
    if (want != have && !ShapedType::isDynamic(want)) // part_p4
      return emitOpError("states stride ") << want << " for dimension " << dim << " but the source has "
                                           << (ShapedType::isDynamic(have) ? std::string("a dynamic one")
                                                                           : std::to_string(have));
  }
  return success();
}

/// Of a store by way of shared memory.
static LogicalResult verifyThrough(StoreOp op, MemRefType tile, MemRefType dest) {
  if (op.getSmemAt() && !op.getSliceColumns()) // store_w6
    return op.emitOpError("smem_at needs through, which puts slices in shared memory");
  if (op.getSmemAt() && !isSharedPlace(*op.getSmemAt())) // store_w6
    return op.emitOpError("smem_at(") << *op.getSmemAt() << ") is no multiple of 128 from 0 to 2147483520";
  if (!op.getThrough())
    return success();
  if (*getLevel(tile) != Level::RF || *getLevel(dest) != Level::DRAM || op.getCombine()) // store_w6
    return op.emitOpError("through is for a tile in rf that is stored to dram without combine");
  std::optional<int64_t> slice = op.getSliceColumns();
  if (!slice)
    return success();
  int64_t columns = *slice;
  if (!getMatrixDims(tile.getShape()) || columns < 1 || tile.getShape().back() % columns != 0) // store_w6
    return op.emitOpError("through(") << columns << ") does not part " << tile << " into slices of so many columns";
  for (auto loop = op->getParentOfType<ForOp>(); loop; loop = loop->getParentOfType<ForOp>())
    if (isThreadUnit(loop)) { // store_w6
      InFlightDiagnostic diag = op.emitOpError("through is for all threads of a block together, not in a loop on ") << stringifyUnit(loop.getUnit());
      diag.attachNote(loop.getLoc()) << "the loop";
      return diag;
    }
  return success();
}

/// Nothing but `op` touches where it stores to; else `why` says what is wrong with that.
static LogicalResult verifyAlone(StoreOp op, StringRef why) {
  for (const TileUse &use : getTileUses(getDestAccess(op).root))
    if (use.operand->getOwner() != op) {
      InFlightDiagnostic diag = op.emitOpError(why);
      diag.attachNote(use.operand->getOwner()->getLoc()) << "here";
      return diag;
    }
  return success();
}

/// Of a store by TMA: it goes on while its threads do, so that nothing else may meet it.
static LogicalResult verifyBulk(StoreOp op, MemRefType tile) {
  if (!op.getCopy())
    return op.getSlots() ? op.emitOpError("slots needs copy(tma), which stores slices while threads go on") : success(); // store_w7
  std::optional<int64_t> columns = op.getSliceColumns();
  if (op.getCopy() != Copy::Tma || !columns || op.getWide()) // store_w7
    return op.emitOpError("copy is for slices of through(N) that TMA stores, copy(tma), and beside it nothing is wide");
  int64_t row = *columns * tile.getElementTypeBitWidth() / 8;
  if (row != 32 && row != 64 && row != 128) // store_w7
    return op.emitOpError("copy(tma) stores slices whose rows have 32, 64 or 128 bytes; those of through(") << *columns << ") have " << row;
  constexpr int64_t kMostSlots = 1024;
  if (op.getSlots() && (*op.getSlots() < 1 || *op.getSlots() > kMostSlots)) // store_w7
    return op.emitOpError("slots(") << *op.getSlots() << ") is not from 1 to " << kMostSlots;
  for (auto loop = op->getParentOfType<ForOp>(); loop; loop = loop->getParentOfType<ForOp>())
    if (loop.getUnit() != Unit::Block && loop.getUnit() != Unit::Cluster) { // store_w7
      InFlightDiagnostic diag = op.emitOpError("copy(tma) may still be on its way in the next iteration of a loop on ") << stringifyUnit(loop.getUnit());
      diag.attachNote(loop.getLoc()) << "the loop";
      return diag;
    }
  return verifyAlone(op, "copy(tma) may still be on its way when something else touches the operand"); // store_w7
}

/// Of a store that replaces elements which data numbers: nobody knows what else would meet it.
static LogicalResult verifyUnique(StoreOp store) {
  if (!isa<BlockArgument>(store.getDest())) // store_w8
    return store.emitOpError("unique is of what is scattered to an operand; a held tile takes combine");
  if (store.getEdges().value_or(EdgeCheck::Element) != EdgeCheck::Element || store.getSliceColumns()) // store_w8
    return store.emitOpError(store.getSliceColumns() ? "through(" + std::to_string(*store.getSliceColumns()) + ")" : ("edges(" + stringifyEdgeCheck(*store.getEdges()) + ")").str())
           << " is for a box; what scatter stores to lies in none";
  return verifyAlone(store, "scatter replaces elements that data says, and something else touches the operand"); // store_w8
}

static LogicalResult verifyScatter(StoreOp store) {
  if (static_cast<bool>(store.getIndices()) != store.getAlong().has_value()) // store_w8
    return store.emitOpError("scatter has indices and the dimension that they number");
  if (!store.getIndices())
    return store.getUnique() ? store.emitOpError("unique says of scatter that no two places have one number; this store has no scatter") : success(); // store_w8
  if (failed(verifyIndices(store, "scatter", store.getDest())))
    return failure();
  if (*getLevel(store.getTile().getType()) != Level::RF || static_cast<bool>(store.getCombine()) == store.getUnique()) // store_w8
    return store.emitOpError("scatter is of a tile in rf, with combine, since two places may have the same number, or with unique, which says that none have");
  if (store.getIndices() == store.getDest()) // store_w8
    return store.emitOpError("scatter changes the operand that it takes its numbers from");
  return store.getUnique() ? verifyUnique(store) : success();
}

LogicalResult StoreOp::verify() {
  auto tile = cast<MemRefType>(getTile().getType()), dest = cast<MemRefType>(getDest().getType());
  if (failed(verifyAccess(*this, getDest(), tile, getMap(), getOperands_())))
    return failure();
  if (*getLevel(dest) >= *getLevel(tile)) // store_w3
    return emitOpError("stores from ") << stringifyLevel(*getLevel(tile)) << " to "
                                       << stringifyLevel(*getLevel(dest)) << ", which is not farther";
  if (!tile.hasStaticShape() && !isInOpenKernel(*this)) // rule_o1
    return emitOpError("the stored tile needs a static shape, got ") << tile;
  if (std::optional<int64_t> wide = getWide()) {
    if (*getLevel(tile) != Level::RF) // store_w5
      return emitOpError("wide is for a tile in rf");
    if (!isVector(tile, *wide)) // store_w5
      return emitOpError("wide(") << *wide << ") of " << tile.getElementType() << "; expected 1, or as many as take 4, 8 or 16 bytes";
    if (getCombine() && *wide != 1) // store_w5
      return emitOpError("wide(") << *wide << ") beside combine, which is done element by element";
  }
  if (std::optional<Combine> kind = getCombine()) {
    bool floats = isa<FloatType>(tile.getElementType());
    bool isOfFloats = kind == Combine::MaxNum || kind == Combine::MinNum, isOfIntegers = kind == Combine::And || kind == Combine::Or || kind == Combine::Xor;
    if ((isOfFloats && !floats) || (isOfIntegers && floats)) // store_w9
      return emitOpError("combine(") << stringifyCombine(*kind) << ") is of " << (floats ? "integers" : "floating-point numbers") << ", got elements of "
                                     << tile.getElementType();
  }
  // Maxima and minima, and what integers wrap to, are the same in every order.
  bool dependsOnOrder = isa<FloatType>(tile.getElementType()) && (getCombine() == Combine::Add || getCombine() == Combine::Mul);
  if (dependsOnOrder && !getUnordered()) // store_w10
    return emitOpError("combine(") << stringifyCombine(*getCombine()) << ") of " << tile.getElementType()
                                   << " rounds in an order that varies between runs; write unordered after it to accept that, or put the parts together by reduce";
  if (getUnordered() && !dependsOnOrder) // store_w10
    return emitOpError("unordered is for combine(add) and combine(mul) of floating-point numbers; nothing else depends on the order");
  if (getEdges() && (*getLevel(tile) != Level::RF || *getLevel(dest) != Level::DRAM || getCombine() || getSliceColumns())) // store_w5
    return emitOpError("edges is for a tile in rf that is stored to dram without combine and through");
  if (getEdges() == EdgeCheck::Block && !getInnermostUnit(*this)) // store_w5
    return emitOpError("edges(block) is for threads, which ask so for what they store, but the store is in no loop on warpgroup, warp or thread");
  if (failed(verifyScatter(*this)) || failed(verifyThrough(*this, tile, dest)) || failed(verifyBulk(*this, tile)))
    return failure();
  return verifyInside(*this, getDest(), getMap(), getOperands_(), tile.getShape(), getAlong()); // store_w4
}

// The generated definitions use the subscripts' syntax above.
#define GET_OP_CLASSES
#include "tilec/Tile/TileOps.cpp.inc"
