//===- Slices.cpp - Slices that are read where they lie ---------*- C++ -*-===//
//
// What takes a part of an array is an op that moves elements: it reads them by a map. A part whose extent divides the array's, as one of several that a product has
// made at once, is a place along a dimension of a view. Ops that read such parts read them by maps of their own, where they lie.
//
//===----------------------------------------------------------------------===//

#include "Forms.h"
#include "Simplify.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tilec;
using linalg::GenericOp;
using linalg::LinalgOp;

namespace {

/// A view of an array in which some dimensions are parted, and the subscripts of elements in it.
struct Read {
  SmallVector<SmallVector<OpFoldResult>> extents;
  SmallVector<AffineExpr> exprs;

  Value getView(OpBuilder &b, Location loc, Value array) const;
};

} // namespace

Value Read::getView(OpBuilder &b, Location loc, Value array) const {
  SmallVector<ReassociationIndices> groups;
  SmallVector<OpFoldResult> all;
  for (const auto &parts : extents) {
    groups.emplace_back();
    for (OpFoldResult part : parts) {
      groups.back().push_back(all.size());
      all.push_back(part);
    }
  }
  auto type = cast<RankedTensorType>(array.getType());
  if (all.size() == extents.size())
    return array;
  SmallVector<int64_t> shape = llvm::map_to_vector(all, [](OpFoldResult extent) { return getConstantIntValue(extent).value_or(ShapedType::kDynamic); });
  auto viewed = RankedTensorType::get(shape, type.getElementType());
  // What stands there already is named once.
  for (Operation *user : array.getUsers())
    if (auto view = dyn_cast<tensor::ExpandShapeOp>(user); view && viewed.hasStaticShape() && view.getResultType() == viewed && view.getReassociationIndices() == groups) {
      if (array.getDefiningOp())
        view->moveAfter(array.getDefiningOp());
      else
        view->moveBefore(&b.getBlock()->front());
      return view;
    }
  return tensor::ExpandShapeOp::create(b, loc, viewed, array, groups, all);
}

/// Where `slice` has its elements, of which dimension `loops[i]` walks dimension i; absent where no map says so.
static std::optional<Read> getRead(tensor::ExtractSliceOp slice, ArrayRef<AffineExpr> loops) {
  Read read;
  Value array = slice.getSource();
  auto type = cast<RankedTensorType>(array.getType());
  MLIRContext *context = slice.getContext();
  auto sizes = slice.getMixedSizes();
  for (auto [dim, loop] : llvm::enumerate(loops)) {
    int64_t offset = slice.getStaticOffsets()[dim], stride = slice.getStaticStrides()[dim], extent = type.getDimSize(dim);
    std::optional<int64_t> size = getConstantIntValue(sizes[dim]);
    OpFoldResult whole = ShapedType::isDynamic(extent) ? sizes[dim] : OpFoldResult(Builder(context).getIndexAttr(extent));
    if (ShapedType::isDynamic(offset) || ShapedType::isDynamic(stride))
      return std::nullopt;
    read.extents.push_back({whole});
    if (size == 1) {
      read.exprs.push_back(getAffineConstantExpr(offset, context));
      continue;
    }
    if (offset == 0 && stride == 1 && mapping::isExtent(sizes[dim], array, dim)) {
      read.exprs.push_back(loop);
      continue;
    }
    if (!size || ShapedType::isDynamic(extent))
      return std::nullopt;
    if (stride == 1 && extent % *size == 0 && offset % *size == 0) {
      read.extents.back() = {Builder(context).getIndexAttr(extent / *size), Builder(context).getIndexAttr(*size)};
      read.exprs.append({getAffineConstantExpr(offset / *size, context), loop});
    } else if (offset > 0 || stride > 1) {
      // A dimension alone would go as far as the array.
      read.exprs.push_back(loop * stride + offset);
    } else {
      return std::nullopt;
    }
  }
  return read;
}

/// An op that moves elements of `array`, by `map`, to one of `type` and `sizes`.
static Value createMove(OpBuilder &b, Location loc, Value array, AffineMap map, ArrayRef<OpFoldResult> sizes) {
  Value empty = tensor::EmptyOp::create(b, loc, sizes, cast<RankedTensorType>(array.getType()).getElementType());
  SmallVector<utils::IteratorType> iterators(sizes.size(), utils::IteratorType::parallel);
  SmallVector<AffineMap> maps = {map, b.getMultiDimIdentityMap(sizes.size())};
  return GenericOp::create(b, loc, TypeRange(empty.getType()), ValueRange(array), ValueRange(empty), maps, iterators,
                           [](OpBuilder &inside, Location at, ValueRange arguments) { linalg::YieldOp::create(inside, at, arguments[0]); })
      .getResult(0);
}

void mapping::readSlices(ModuleOp module) {
  SmallVector<tensor::ExtractSliceOp> slices;
  module.walk([&](tensor::ExtractSliceOp slice) { slices.push_back(slice); });
  for (tensor::ExtractSliceOp slice : slices) {
    llvm::SmallBitVector dropped = slice.getDroppedDims();
    SmallVector<AffineExpr> loops;
    SmallVector<OpFoldResult> sizes;
    for (auto [dim, size] : llvm::enumerate(slice.getMixedSizes())) {
      loops.push_back(getAffineDimExpr(sizes.size(), slice.getContext()));
      if (!dropped[dim])
        sizes.push_back(size);
    }
    std::optional<Read> read = slice.getType().getRank() > 0 ? getRead(slice, loops) : std::nullopt;
    if (!read || (slice.getType().hasStaticShape() && slice.getType().getNumElements() == 0))
      continue;
    OpBuilder b(slice);
    Value view = read->getView(b, slice.getLoc(), slice.getSource());
    Value moved = createMove(b, slice.getLoc(), view, AffineMap::get(sizes.size(), 0, read->exprs, slice.getContext()), sizes);
    slice.getResult().replaceAllUsesWith(moved);
    slice.erase();
  }
}

/// Is all that reads `array` computed element by element?
static bool isReadByElement(Value array) {
  return !array.use_empty() && llvm::all_of(array.getUsers(), [](Operation *user) {
    auto reader = dyn_cast<LinalgOp>(user);
    return reader && reader.getNumReductionLoops() == 0;
  });
}

/// Do `join` two arrays of one type, of which that along which they are joined is known?
static bool isPair(tensor::ConcatOp join) {
  if (join.getInputs().size() != 2 || join.getInputs()[0].getType() != join.getInputs()[1].getType())
    return false;
  auto type = cast<RankedTensorType>(join.getInputs()[0].getType());
  int64_t dim = join.getDim();
  return !type.isDynamicDim(dim) && join.getResultType().getDimSize(dim) == 2 * type.getDimSize(dim) && mapping::areAlikeBut(type, join.getResultType(), dim);
}

/// Of two arrays of one type that are joined each element of the result is one of the first or of the second, by its place along a dimension of a view.
static void joinPair(tensor::ConcatOp join) {
  Value first = join.getInputs()[0], second = join.getInputs()[1];
  auto type = cast<RankedTensorType>(first.getType());
  OpBuilder b(join);
  unsigned rank = type.getRank(), dim = join.getDim();
  SmallVector<OpFoldResult> shape = mapping::getExtents(b, join.getLoc(), first);
  shape.insert(shape.begin() + dim, b.getIndexAttr(2));
  SmallVector<AffineExpr> exprs;
  SmallVector<ReassociationIndices> groups;
  for (unsigned place = 0; place < rank; ++place) {
    bool isLater = place >= dim;
    exprs.push_back(getAffineDimExpr(place + isLater, join.getContext()));
    groups.push_back({int64_t(place + (place > dim))});
    if (place == dim)
      groups.back().push_back(place + 1);
  }
  AffineMap read = AffineMap::get(rank + 1, 0, exprs, join.getContext());
  SmallVector<AffineMap> maps = {read, read, b.getMultiDimIdentityMap(rank + 1)};
  SmallVector<utils::IteratorType> iterators(rank + 1, utils::IteratorType::parallel);
  Value empty = tensor::EmptyOp::create(b, join.getLoc(), shape, type.getElementType());
  auto made = GenericOp::create(b, join.getLoc(), TypeRange(empty.getType()), ValueRange{first, second}, ValueRange(empty), maps, iterators, [&](OpBuilder &inside, Location loc, ValueRange elements) {
    Value half = linalg::IndexOp::create(inside, loc, dim), zero = arith::ConstantIndexOp::create(inside, loc, 0);
    Value isFirst = arith::CmpIOp::create(inside, loc, arith::CmpIPredicate::eq, half, zero);
    linalg::YieldOp::create(inside, loc, Value(arith::SelectOp::create(inside, loc, isFirst, elements[0], elements[1])));
  });
  join.getResult().replaceAllUsesWith(tensor::CollapseShapeOp::create(b, join.getLoc(), join.getResultType(), made.getResult(0), groups).getResult());
  join.erase();
  // What makes one of both alone is computed there.
  for (unsigned number : {1, 0}) {
    auto maker = made->getOperand(number).getDefiningOp<LinalgOp>();
    if (!mapping::isByElement(maker) || !made->getOperand(number).hasOneUse() || !mapping::generalize(maker))
      continue;
    if (GenericOp both = mapping::computeWhereRead(made->getOpOperand(number)))
      made = both;
  }
}

void mapping::joinPairs(ModuleOp module) {
  SmallVector<tensor::ConcatOp> joins;
  module.walk([&](tensor::ConcatOp join) { joins.push_back(join); });
  for (tensor::ConcatOp join : joins) {
    if (isPair(join) && isReadByElement(join.getResult()))
      joinPair(join);
  }
}

/// The map by which `op` reads what it does nothing but move, and not all of it in order; null elsewhere, and where neighbours do not stay so: who reads these across takes up
/// a transpose that nobody else reads (Simplify.cpp).
static AffineMap getMove(GenericOp op) {
  if (op.getNumDpsInputs() != 1 || op->getNumResults() != 1 || op.getNumReductionLoops() > 0 || op.getBody()->getOperations().size() != 1 ||
      op.getBody()->getTerminator()->getOperand(0) != op.getBody()->getArgument(0) || !op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity())
    return AffineMap();
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInputOperand(0));
  bool isKept = map.getNumResults() > 0 && map.getResults().back() == getAffineDimExpr(map.getNumDims() - 1, op.getContext());
  return map.isIdentity() || (map.isPermutation() && !isKept) ? AffineMap() : map;
}

/// Has what `view` makes of elements that `op` moves be moved so at once: the view is of what they are moved from. True where it is.
static bool expandMove(GenericOp op, AffineMap map, tensor::ExpandShapeOp view) {
  auto type = view.getResultType(), from = dyn_cast<RankedTensorType>(op.getInputs()[0].getType());
  if (!mapping::hasKnownParts(view) || !from)
    return false;
  MLIRContext *context = op.getContext();
  // Of each dimension the expression in its parts.
  SmallVector<AffineExpr> wholes;
  SmallVector<ReassociationIndices> groups = view.getReassociationIndices();
  for (const ReassociationIndices &group : groups) {
    AffineExpr whole = getAffineConstantExpr(0, context);
    for (int64_t part : group)
      whole = whole * type.getDimSize(part) + getAffineDimExpr(part, context);
    wholes.push_back(whole);
  }
  Read read;
  OpBuilder b(view);
  for (auto [number, expr] : llvm::enumerate(map.getResults())) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    read.extents.emplace_back();
    if (!dim || groups[dim.getPosition()].size() == 1) {
      read.exprs.push_back(expr.replaceDims(wholes));
      read.extents.back().push_back(mapping::getExtent(b, view.getLoc(), op.getInputs()[0], number));
      continue;
    }
    for (int64_t part : groups[dim.getPosition()]) {
      read.exprs.push_back(getAffineDimExpr(part, context));
      read.extents.back().push_back(Builder(context).getIndexAttr(type.getDimSize(part)));
    }
  }
  Value array = read.getView(b, view.getLoc(), op.getInputs()[0]);
  SmallVector<OpFoldResult> sizes = view.getMixedOutputShape();
  view.getResult().replaceAllUsesWith(createMove(b, view.getLoc(), array, AffineMap::get(type.getRank(), 0, read.exprs, context), sizes));
  view.erase();
  return true;
}

/// May `use` be read where `map` says? Its dimensions stay known, for other operands have them.
static bool canMove(OpOperand &use, AffineMap map) {
  auto reader = dyn_cast<LinalgOp>(use.getOwner());
  if (!reader || !reader.isDpsInput(&use) || !reader.hasPureTensorSemantics())
    return false;
  SmallVector<AffineMap> maps = reader.getIndexingMapsArray();
  AffineMap &read = maps[use.getOperandNumber()];
  read = map.compose(read);
  return mapping::takesMap(reader, read) && mapping::areKnown(maps, reader.getNumLoops());
}

/// Has an op read what `op` would have moved for it, or views be of what that is moved from; true where that was so.
static bool takeMove(GenericOp op, AffineMap map) {
  for (OpOperand &use : op->getResult(0).getUses()) {
    if (auto view = dyn_cast<tensor::ExpandShapeOp>(use.getOwner()))
      return expandMove(op, map, view);
    if (canMove(use, map)) {
      mapping::readBy(cast<LinalgOp>(use.getOwner()), use.getOperandNumber(), op.getInputs()[0], map);
      return true;
    }
  }
  return false;
}

/// A transpose that leaves neighbours beside each other moves elements as others do.
static void generalizeTransposes(func::FuncOp function) {
  for (auto transpose : llvm::to_vector(function.getOps<linalg::TransposeOp>())) {
    ArrayRef<int64_t> order = transpose.getPermutation();
    if (order.empty() || order.back() != int64_t(order.size()) - 1 || !transpose.hasPureTensorSemantics())
      continue;
    mapping::generalize(transpose);
  }
}

void mapping::takeMoves(func::FuncOp function) {
  generalizeTransposes(function);
  for (bool found = true; found;) {
    found = false;
    for (GenericOp op : llvm::to_vector(function.getOps<GenericOp>())) {
      AffineMap map = op.hasPureTensorSemantics() ? getMove(op) : AffineMap();
      if (!map)
        continue;
      if (op->use_empty()) {
        op.erase();
        continue;
      }
      if (takeMove(op, map)) {
        found = true;
        break;
      }
    }
  }
}
