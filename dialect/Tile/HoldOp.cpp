//===- HoldOp.cpp - tile.hold -----------------------------------*- C++ -*-===//
//
// Rules H1, H2 and H7 of tile.hold; H3 to H6 look at the kernel (Ownership.cpp).
//
//===----------------------------------------------------------------------===//

#include "Bounds.h"
#include "tilec/Tile/Open.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

LogicalResult HoldOp::verify() {
  auto type = dyn_cast<MemRefType>(getTile().getType());
  std::optional<Level> level = type ? getLevel(type) : std::nullopt;
  bool open = type && !type.hasStaticShape() && isInOpenKernel(*this); // rule_o1
  if (!level || (!type.hasStaticShape() && !open) || isOperandLevel(*level)) // hold_h1
    return emitOpError("holds a static memref in rf or smem, got ") << getTile().getType();
  if (llvm::is_contained(type.getShape(), 0)) // hold_h1
    return emitOpError("holds no elements, got ") << type << "; every extent of a tile is at least 1";
  if (!open && failed(verifyTileSize(*this, type))) // hold_h1
    return failure();
  if (level == Level::RF && isa<LayoutAttr>(type.getLayout()))
    return emitOpError("a tile in rf is spread over threads and has no layout, got ") << type;
  if (cast<TypedAttr>(getInit()).getType() != type.getElementType()) // hold_h2
    return emitOpError("starts from ") << cast<TypedAttr>(getInit()).getType() << " but its elements are "
                                       << type.getElementType();
  std::optional<int64_t> place = getSmemAt();
  if (place && level != Level::SMEM) // hold_h7
    return emitOpError("smem_at is for a tile in smem, got ") << type;
  if (place && !isSharedPlace(*place)) // hold_h7
    return emitOpError("smem_at(") << *place << ") is no multiple of 128 from 0 to 2147483520";
  return success();
}
