//===- AccessOps.cpp - tile.stage, tile.part, tile.store --------*- C++ -*-===//
//
// Subscripts, and rules S1 to S5, P1 to P5 and W1 to W4.
//
//===----------------------------------------------------------------------===//

#include "Bounds.h"

#include "tilec/Tile/Access.h"

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
    if (failed(sum)) // stage_s1, part_p1, store_w1
      return op->emitOpError("subscript ") << i << " is not a sum of multiples of values and a constant";
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
  auto loop = dyn_cast_if_present<ForOp>((*this)->getParentOp());
  if (getCopy() == Copy::Tma && (*getLevel(tile) != Level::SMEM || !loop || !loop.getProducers())) // stage_s6
    return emitOpError("copy(tma) needs a tile in smem, directly in a loop with producers that wait for it");
  if (std::optional<int64_t> place = getSmemAt()) {
    if (*getLevel(tile) != Level::SMEM) // stage_s7
      return emitOpError("smem_at is for a tile in smem, got ") << tile;
    if (!isSharedPlace(*place)) // stage_s7
      return emitOpError("smem_at(") << *place << ") is no multiple of 128 from 0 to 2147483520";
  }
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

LogicalResult StoreOp::verify() {
  auto tile = cast<MemRefType>(getTile().getType()), dest = cast<MemRefType>(getDest().getType());
  if (failed(verifyAccess(*this, getDest(), tile, getMap(), getOperands_())))
    return failure();
  if (*getLevel(dest) >= *getLevel(tile)) // store_w3
    return emitOpError("stores from ") << stringifyLevel(*getLevel(tile)) << " to "
                                       << stringifyLevel(*getLevel(dest)) << ", which is not farther";
  if (!tile.hasStaticShape())
    return emitOpError("the stored tile needs a static shape, got ") << tile;
  return verifyInside(*this, getDest(), getMap(), getOperands_(), tile.getShape()); // store_w4
}

// The generated definitions use the subscripts' syntax above.
#define GET_OP_CLASSES
#include "tilec/Tile/TileOps.cpp.inc"
