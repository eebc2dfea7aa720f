//===- LayoutAttr.cpp - Layouts of memrefs ----------------------*- C++ -*-===//
//
// #tile.layout: its text, its map, and the layout of any memref as a value.
//
//===----------------------------------------------------------------------===//

#include "tilec/Layout/Algebra.h"
#include "tilec/Layout/Parse.h"
#include "tilec/Tile/Tile.h"

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;
using layout::ComposedLayout;
using layout::IntTuple;
using layout::kSymbolic;
using layout::Layout;
using layout::Mode;

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

Attribute LayoutAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  SMLoc quote = parser.getCurrentLocation();
  std::string text;
  if (parser.parseString(&text))
    return {};
  layout::Result<ComposedLayout> layout = layout::parseComposedLayout(text);
  if (!layout) {
    const layout::Error &error = layout.error();
    SMLoc place = SMLoc::getFromPointer(quote.getPointer() + error.column);
    InFlightDiagnostic diagnostic = parser.emitError(place, "layout '") << text << "'";
    if (error.column)
      diagnostic << ", column " << error.column;
    diagnostic << ": " << error.message;
    return {};
  }
  if (parser.parseGreater())
    return {};
  // A swizzle of nothing is none.
  if (layout->swizzle().isIdentity() && layout->baseOffset() == 0)
    layout = ComposedLayout(layout->layout());
  return parser.getChecked<LayoutAttr>(quote, parser.getContext(), *layout);
}

void LayoutAttr::print(AsmPrinter &printer) const { printer << "<\"" << getLayout().str() << "\">"; }

LogicalResult LayoutAttr::verify(function_ref<InFlightDiagnostic()> emitError, ComposedLayout layout) {
  for (size_t i = 0; i < layout.layout().rank(); ++i) {
    const Layout mode = layout.layout().mode(i);
    for (const Mode &leaf : ArrayRef<Mode>(mode.modes()).drop_back())
      if (leaf.extent == kSymbolic)
        return emitError() << "mode " << i << " of layout " << layout.str()
                           << " has an unknown extent before its last; digits after it are not known";
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Interface
//===----------------------------------------------------------------------===//

/// bits xored onto x: each target bit b becomes (a + b) mod 2 where a is its source bit.
static AffineExpr applySwizzle(const layout::Swizzle &swizzle, AffineExpr x) {
  AffineExpr result = x;
  int source = swizzle.base() + std::max(0, swizzle.shift()), target = swizzle.base() + std::max(0, -swizzle.shift());
  for (int bit = 0; bit < swizzle.bits(); ++bit) {
    int64_t to = int64_t(1) << (target + bit), from = int64_t(1) << (source + bit);
    AffineExpr before = x.floorDiv(to) % 2;
    AffineExpr after = (x.floorDiv(to) + x.floorDiv(from)) % 2;
    result = result + (after - before) * to;
  }
  return result;
}

AffineMap LayoutAttr::getAffineMap() const {
  const ComposedLayout &composed = getLayout();
  const Layout &inner = composed.layout();
  MLIRContext *context = getContext();
  unsigned rank = inner.rank(), symbols = 0;
  if (isIdentity())
    return AffineMap::getMultiDimIdentityMap(rank, context);
  AffineExpr sum = getAffineConstantExpr(composed.baseOffset(), context);
  for (unsigned dim = 0; dim < rank; ++dim) {
    const Layout mode = inner.mode(dim);
    int64_t below = 1;
    for (const auto &[i, leaf] : llvm::enumerate(mode.modes())) {
      bool isLast = i + 1 == mode.modes().size();
      AffineExpr digit = getAffineDimExpr(dim, context).floorDiv(below);
      if (!isLast)
        digit = digit % leaf.extent;
      AffineExpr stride = leaf.stride == kSymbolic ? getAffineSymbolExpr(symbols++, context)
                                                   : getAffineConstantExpr(leaf.stride, context);
      sum = sum + digit * stride;
      if (!isLast)
        below *= leaf.extent;
    }
  }
  return AffineMap::get(rank, symbols, applySwizzle(composed.swizzle(), sum));
}

/// The one stride of a mode; none where it takes several.
static std::optional<int64_t> getStride(const Layout &mode) {
  if (mode.modes().size() == 1)
    return mode.modes().front().stride;
  const Layout merged = layout::coalesce(mode);
  if (merged.modes().size() != 1)
    return std::nullopt;
  return merged.modes().front().stride;
}

bool LayoutAttr::isIdentity() const {
  if (!getLayout().swizzle().isIdentity() || getLayout().baseOffset() != 0)
    return false;
  const Layout &inner = getLayout().layout();
  int64_t expected = 1;
  for (size_t dim = inner.rank(); dim-- > 0;) {
    const Layout mode = inner.mode(dim);
    if (mode.size() == 1)
      continue;
    // After an unknown extent no stride is known, so none can be as expected.
    if (expected == kSymbolic || getStride(mode) != expected)
      return false;
    expected = mode.size() == kSymbolic ? kSymbolic : expected * mode.size();
  }
  return true;
}

LogicalResult LayoutAttr::verifyLayout(ArrayRef<int64_t> shape, function_ref<InFlightDiagnostic()> emitError) const {
  const Layout &inner = getLayout().layout();
  if (inner.rank() != shape.size())
    return emitError() << "layout " << getLayout().str() << " has " << inner.rank()
                       << " top-level modes but the memref has rank " << shape.size();
  auto spell = [](int64_t extent) {
    return extent == kSymbolic || ShapedType::isDynamic(extent) ? std::string("?") : std::to_string(extent);
  };
  for (auto [dim, extent] : llvm::enumerate(shape))
    if (int64_t size = inner.mode(dim).size(); spell(size) != spell(extent))
      return emitError() << "mode " << dim << " of layout " << getLayout().str() << " has " << spell(size)
                         << " elements but dimension " << dim << " of the memref has " << spell(extent);
  return success();
}

LogicalResult LayoutAttr::getStridesAndOffset(ArrayRef<int64_t> shape, SmallVectorImpl<int64_t> &strides,
                                              int64_t &offset) const {
  if (!getLayout().swizzle().isIdentity())
    return failure();
  strides.clear();
  for (size_t dim = 0; dim < getLayout().layout().rank(); ++dim) {
    std::optional<int64_t> stride = getStride(getLayout().layout().mode(dim));
    if (!stride)
      return failure();
    strides.push_back(*stride == kSymbolic ? ShapedType::kDynamic : *stride);
  }
  offset = getLayout().baseOffset();
  return success();
}

//===----------------------------------------------------------------------===//
// Layouts of memrefs
//===----------------------------------------------------------------------===//

FailureOr<ComposedLayout> tile::getStaticLayout(MemRefType type) {
  if (auto stated = dyn_cast<LayoutAttr>(type.getLayout())) {
    if (!stated.getLayout().layout().isStatic())
      return failure();
    return stated.getLayout();
  }
  if (type.getRank() == 0)
    return ComposedLayout();
  SmallVector<int64_t> strides;
  int64_t offset;
  if (!type.hasStaticShape() || failed(type.getStridesAndOffset(strides, offset)) || ShapedType::isDynamic(offset) ||
      llvm::any_of(strides, ShapedType::isDynamic))
    return failure();
  std::vector<IntTuple> extents(type.getShape().begin(), type.getShape().end());
  std::vector<IntTuple> distances(strides.begin(), strides.end());
  layout::Result<Layout> sum = Layout::get(IntTuple::tuple(std::move(extents)), IntTuple::tuple(std::move(distances)));
  if (!sum)
    return failure();
  layout::Result<ComposedLayout> moved = ComposedLayout::get(layout::Swizzle(), offset, *sum);
  if (!moved)
    return failure();
  return *moved;
}

/// What hasAlignedRuns says of a sum of one stride a dimension, which begins at `offset`.
static bool hasAlignedRuns(ArrayRef<layout::Mode> modes, int64_t offset, ArrayRef<int64_t> extents, unsigned dim, int64_t width) {
  if (extents[dim] < width)
    return true;
  for (auto [i, mode] : llvm::enumerate(modes))
    if (i == dim ? mode.stride != 1 : extents[i] > 1 && mode.stride % width != 0)
      return false;
  return offset % width == 0;
}

bool tile::hasAlignedRuns(const ComposedLayout &layout, unsigned dim, int64_t width) {
  const size_t rank = layout.layout().rank();
  SmallVector<int64_t> extents;
  for (size_t i = 0; i < rank; ++i)
    extents.push_back(layout.layout().mode(i).size());
  int64_t elements = layout.size();
  // A sum of one stride a dimension needs no look at its elements.
  if (layout.layout().modes().size() == rank) {
    bool isAligned = ::hasAlignedRuns(layout.layout().modes(), layout.baseOffset(), extents, dim, width);
    // A swizzle leaves so many neighbours together.
    int64_t together = int64_t(1) << layout.swizzle().base();
    if (layout.swizzle().isIdentity() || (isAligned && together % width == 0))
      return isAligned;
  }
  SmallVector<int64_t> coordinate(rank);
  for (int64_t number = 0; number < elements; ++number) {
    int64_t rest = number;
    for (auto [place, extent] : llvm::zip_equal(coordinate, extents)) {
      place = rest % extent;
      rest /= extent;
    }
    int64_t inRun = coordinate[dim] % width;
    if (coordinate[dim] - inRun + width > extents[dim])
      continue; // No whole run.
    int64_t offset = layout.at(coordinate.data(), rank);
    coordinate[dim] -= inRun;
    int64_t first = layout.at(coordinate.data(), rank);
    if (first % width != 0 || offset != first + inRun)
      return false;
  }
  return true;
}
