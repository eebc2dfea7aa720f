//===- AccessOps.cpp - tile.stage, tile.part, tile.store --------*- C++ -*-===//
//
// Subscripts, and rules S1 to S4, P1 to P4 and W1 to W4.
//
//===----------------------------------------------------------------------===//

#include "tilec/Tile/Access.h"


using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

//===----------------------------------------------------------------------===//
// Syntax
//===----------------------------------------------------------------------===//

static ParseResult parseSubscripts(OpAsmParser &parser, SmallVectorImpl<OpAsmParser::UnresolvedOperand> &operands,
                                   AffineMapAttr &map) {
  NamedAttrList unnamed;
  Attribute parsed;
  if (parser.parseAffineMapOfSSAIds(operands, parsed, "map", unnamed))
    return failure();
  map = cast<AffineMapAttr>(parsed);
  return success();
}

static void printSubscripts(OpAsmPrinter &printer, Operation *, OperandRange operands, AffineMapAttr map) {
  printer << '[';
  printer.printAffineMapOfSSAIds(map, operands);
  printer << ']';
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

/// What stage, part and store have in common: as many subscripts as dimensions,
/// on both sides, each an affine sum of values; equal element types.
static LogicalResult verifyAccess(Operation *op, MemRefType subscripted, MemRefType tile, AffineMap map,
                                  OperandRange operands) {
  if (map.getNumInputs() != operands.size())
    return op->emitOpError("subscripts use ") << map.getNumInputs() << " values, got " << operands.size();
  if (map.getNumResults() != subscripted.getRank()) // stage_s1, part_p1, store_w1
    return op->emitOpError("has ") << map.getNumResults() << " subscripts for an operand of rank "
                                   << subscripted.getRank();
  for (auto [i, subscript] : llvm::enumerate(map.getResults()))
    if (failed(getLinearExpr(subscript, operands))) // stage_s1, part_p1, store_w1
      return op->emitOpError("subscript ") << i << " is not a sum of multiples of values and a constant";
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
  auto source = dyn_cast<MemRefType>(getSource().getType()), tile = dyn_cast<MemRefType>(getTile().getType());
  if (!source || !tile)
    return emitOpError("needs ranked memrefs");
  if (failed(verifyAccess(*this, source, tile, getMap(), getOperands_())))
    return failure();
  if (*getLevel(tile) <= *getLevel(source)) // stage_s3
    return emitOpError("stages from ") << stringifyLevel(*getLevel(source)) << " to "
                                       << stringifyLevel(*getLevel(tile)) << ", which is not nearer";
  if (!tile.hasStaticShape()) // stage_s4
    return emitOpError("the staged tile needs a static shape, got ") << tile;
  return success();
}

LogicalResult PartOp::verify() {
  auto source = dyn_cast<MemRefType>(getSource().getType()), part = dyn_cast<MemRefType>(getPart().getType());
  if (!source || !part)
    return emitOpError("needs ranked memrefs");
  if (failed(verifyAccess(*this, source, part, getMap(), getOperands_())))
    return failure();
  if (getLevel(part) != getLevel(source)) // part_p2
    return emitOpError("a part stays where it lies, but goes from ")
           << stringifyLevel(*getLevel(source)) << " to " << stringifyLevel(*getLevel(part));
  if (!part.hasStaticShape()) // part_p3
    return emitOpError("a part needs a static shape, got ") << part;
  if (part.getLayout().isIdentity())
    return success();
  FailureOr<SmallVector<int64_t>> stated = getStaticStrides(part), actual = getStaticStrides(source);
  if (failed(stated) || failed(actual))
    return success(part.getLayout() == source.getLayout()) /* a layout that is no sum of strides is repeated */;
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
  auto tile = dyn_cast<MemRefType>(getTile().getType()), dest = dyn_cast<MemRefType>(getDest().getType());
  if (!tile || !dest)
    return emitOpError("needs ranked memrefs");
  if (failed(verifyAccess(*this, dest, tile, getMap(), getOperands_())))
    return failure();
  if (*getLevel(dest) >= *getLevel(tile)) // store_w3
    return emitOpError("stores from ") << stringifyLevel(*getLevel(tile)) << " to "
                                       << stringifyLevel(*getLevel(dest)) << ", which is not farther";
  if (*getLevel(dest) != Level::DRAM || getCombine())
    return success();
  for (auto loop = (*this)->getParentOfType<ForOp>(); loop; loop = loop->getParentOfType<ForOp>()) {
    if (loop.getUnit() != Unit::Block && loop.getUnit() != Unit::Cluster)
      continue;
    for (Value iv : loop.getBody().getArguments()) {
      if (loop.getStaticCount(cast<BlockArgument>(iv).getArgNumber()) == 1)
        continue;
      if (!llvm::is_contained(getOperands_(), iv)) { // store_w4
        InFlightDiagnostic diag = emitOpError("is written by every iteration of a loop on ")
                                  << stringifyUnit(loop.getUnit()) << "; combine(add) adds them up";
        diag.attachNote(loop.getLoc()) << "induction variable "
                                       << cast<BlockArgument>(iv).getArgNumber() << " is not in the subscripts";
        return diag;
      }
    }
  }
  return success();
}

// The generated definitions use the subscripts' syntax above.
#define GET_OP_CLASSES
#include "tilec/Tile/TileOps.cpp.inc"
