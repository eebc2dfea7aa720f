//===- HoldOp.cpp - tile.hold -----------------------------------*- C++ -*-===//
//
// Rules H1 and H2 of tile.hold; H3 and H4 look at the kernel (Ownership.cpp).
//
//===----------------------------------------------------------------------===//

#include "Bounds.h"
#include "tilec/Tile/Open.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

LogicalResult HoldOp::verify() {
  auto type = dyn_cast<MemRefType>(getTile().getType());
  bool open = type && !type.hasStaticShape() && isInOpenKernel(*this); // rule_o1
  if (!type || (!type.hasStaticShape() && !open) || getLevel(type) != Level::RF) // hold_h1
    return emitOpError("holds a static memref in rf, got ") << getTile().getType();
  if (llvm::is_contained(type.getShape(), 0)) // hold_h1
    return emitOpError("holds no elements, got ") << type << "; every extent of a tile is at least 1";
  if (!open && failed(verifyTileSize(*this, type))) // hold_h1
    return failure();
  if (isa<LayoutAttr>(type.getLayout()))
    return emitOpError("a tile in rf is spread over threads and has no layout, got ") << type;
  if (cast<TypedAttr>(getInit()).getType() != type.getElementType()) // hold_h2
    return emitOpError("starts from ") << cast<TypedAttr>(getInit()).getType() << " but its elements are "
                                       << type.getElementType();
  return success();
}
