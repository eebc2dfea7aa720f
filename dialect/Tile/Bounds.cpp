//===- Bounds.cpp - How far subscripts reach --------------------*- C++ -*-===//
//
// Rules S5, P5 and W4: inside of a tile.
//
//===----------------------------------------------------------------------===//

#include "Bounds.h"

#include "tilec/Tile/Open.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace mlir;
using namespace tilec::tile;

static constexpr int64_t kUnbounded = std::numeric_limits<int64_t>::max();

int64_t tilec::tile::saturatingMul(int64_t lhs, int64_t rhs) {
  int64_t product;
  return llvm::MulOverflow(lhs, rhs, product) ? kUnbounded : product;
}

int64_t tilec::tile::saturatingAdd(int64_t lhs, int64_t rhs) {
  int64_t sum;
  return llvm::AddOverflow(lhs, rhs, sum) ? kUnbounded : sum;
}

std::optional<InductionVar> tilec::tile::getInductionVar(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  auto loop = argument ? dyn_cast_or_null<ForOp>(argument.getOwner()->getParentOp()) : nullptr;
  if (!loop)
    return std::nullopt;
  return InductionVar{loop, argument.getArgNumber()};
}

//===----------------------------------------------------------------------===//
// Inside of a tile
//===----------------------------------------------------------------------===//

LogicalResult tilec::tile::verifyInside(Operation *op, Value tile, AffineMap map, ValueRange operands, ArrayRef<int64_t> shape,
                                        std::optional<int64_t> numbered) {
  if (isa<BlockArgument>(tile))
    return success();
  auto type = cast<MemRefType>(tile.getType());
  for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
    if (numbered == static_cast<int64_t>(dim))
      continue;
    std::optional<SumBounds> range = getSumBounds(*getLinearExpr(expr, operands));
    bool open = ShapedType::isDynamic(shape[dim]) || type.isDynamicDim(dim);
    if ((!range || open) && isInOpenKernel(op))
      continue; // How far it reaches is open, too.
    if (!range)
      return op->emitOpError("subscript ") << dim << " has no static bounds, but must stay inside of a tile of "
                                           << type.getDimSize(dim) << " elements";
    int64_t end;
    if (range->least < 0 || llvm::AddOverflow(range->most, shape[dim], end) || end > type.getDimSize(dim))
      return op->emitOpError("subscript ")
             << dim << " goes from " << range->least << " to " << range->most << " and takes " << shape[dim]
             << " elements from there, but the tile has " << type.getDimSize(dim);
  }
  return success();
}

LogicalResult tilec::tile::verifyTileSize(Operation *op, MemRefType tile) {
  int64_t elements = 1;
  for (int64_t extent : tile.getShape())
    elements = saturatingMul(elements, extent);
  if (elements > kMostElements)
    return op->emitOpError("has a tile of ") << tile << ", which is more than " << kMostElements << " elements";
  if (!isa<LayoutAttr>(tile.getLayout()))
    return success();
  FailureOr<layout::ComposedLayout> layout = getStaticLayout(tile);
  if (failed(layout))
    return success();
  layout::Result<int64_t> spanned = layout->cosize();
  if (!spanned || *spanned > kMostElements)
    return op->emitOpError("has a tile of ") << tile << ", which spans more than " << kMostElements << " elements";
  return success();
}
