//===- TileAttrs.cpp - Attributes of the tile dialect -----------*- C++ -*-===//
//
// Syntax of the attributes that need more than a declarative format.
//
//===----------------------------------------------------------------------===//

#include "tilec/Tile/Tile.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

#include "tilec/Tile/TileEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "tilec/Tile/TileAttrs.cpp.inc"

void TileDialect::registerTileAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "tilec/Tile/TileAttrs.cpp.inc"
      >();
}

// `(row)`, `(column)` or `(grouped = 8)`; the attribute form has the same text in `<>`.
static ParseResult parseOrder(AsmParser &parser, RasterOrder &order, int64_t &group) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef keyword;
  if (parser.parseKeyword(&keyword))
    return failure();
  std::optional<RasterOrder> known = symbolizeRasterOrder(keyword);
  if (!known)
    return parser.emitError(loc, "unknown raster '")
           << keyword << "'; expected row, column or grouped = N";
  order = *known;
  group = 1;
  if (order != RasterOrder::Grouped)
    return success();
  loc = parser.getCurrentLocation();
  if (parser.parseEqual() || parser.parseInteger(group))
    return failure();
  if (group < 1)
    return parser.emitError(loc, "raster group is ") << group << " but must be at least 1";
  return success();
}

Attribute RasterAttr::parse(AsmParser &parser, Type) {
  RasterOrder order;
  int64_t group;
  if (parser.parseLess() || parseOrder(parser, order, group) || parser.parseGreater())
    return {};
  return RasterAttr::get(parser.getContext(), order, group);
}

void RasterAttr::print(AsmPrinter &printer) const {
  printer << '<' << stringifyRasterOrder(getOrder());
  if (getOrder() == RasterOrder::Grouped)
    printer << " = " << getGroup();
  printer << '>';
}
