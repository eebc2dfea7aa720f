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

std::string RasterAttr::toString(RasterOrder order, int64_t rows, int64_t columns) {
  std::string text = stringifyRasterOrder(order).str();
  if (order == RasterOrder::Grouped)
    return text + " = " + std::to_string(rows);
  if (order == RasterOrder::Boxes)
    return text + " = " + std::to_string(rows) + "x" + std::to_string(columns);
  return text;
}

FailureOr<RasterAttr> RasterAttr::parseText(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef keyword;
  if (parser.parseKeyword(&keyword))
    return failure();
  std::optional<RasterOrder> order = symbolizeRasterOrder(keyword);
  if (!order)
    return parser.emitError(loc, "unknown raster '")
           << keyword << "'; expected row, column, grouped = N, boxes = NxM or diagonal";
  SmallVector<int64_t> sides;
  if (*order == RasterOrder::Grouped || *order == RasterOrder::Boxes) {
    if (parser.parseEqual())
      return failure();
    loc = parser.getCurrentLocation();
    if (*order == RasterOrder::Grouped && parser.parseInteger(sides.emplace_back()))
      return failure();
    if (*order == RasterOrder::Boxes &&
        parser.parseDimensionList(sides, /*allowDynamic=*/false, /*withTrailingX=*/false))
      return failure();
    if (*order == RasterOrder::Boxes && sides.size() != 2)
      return parser.emitError(loc, "boxes of a raster have 2 sides, got ") << sides.size();
  }
  sides.resize(2, 1);
  auto attr = parser.getChecked<RasterAttr>(loc, parser.getContext(), *order, sides[0], sides[1]);
  if (!attr)
    return failure();
  return attr;
}

LogicalResult RasterAttr::verify(function_ref<InFlightDiagnostic()> emitError, RasterOrder order, int64_t rows,
                                 int64_t columns) {
  bool hasRows = order == RasterOrder::Grouped || order == RasterOrder::Boxes;
  for (auto [side, has] : {std::make_pair(rows, hasRows), {columns, order == RasterOrder::Boxes}}) {
    int64_t most = has ? std::numeric_limits<int32_t>::max() : 1;
    if (side < 1 || side > most)
      return emitError() << "raster " << toString(order, rows, columns) << " has a side of " << side
                         << " tiles; expected from 1 to " << most;
  }
  return success();
}

LogicalResult BoxAttr::verify(function_ref<InFlightDiagnostic()> emitError, unsigned, ArrayRef<int64_t>, ArrayRef<int64_t>, int64_t swizzle) {
  if (llvm::is_contained({0, 32, 64, 128}, swizzle))
    return success();
  return emitError() << "box has a swizzle of " << swizzle << " bytes; expected 32, 64 or 128";
}

Attribute RasterAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  FailureOr<RasterAttr> attr = parseText(parser);
  if (failed(attr) || parser.parseGreater())
    return {};
  return *attr;
}

void RasterAttr::print(AsmPrinter &printer) const { printer << '<' << toString() << '>'; }
