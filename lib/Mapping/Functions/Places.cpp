//===- Places.cpp - Slices at places that are computed ----------*- C++ -*-===//
//
// What is sliced where a number of the function says, as caches of keys and values are, has bodies that compute the place of each element: one that takes a slice
// extracts it (Extracts.cpp), one that inserts a slice chooses between that and what is there.
// Kernels have indices for extents alone, so a number that says a place is an integer to them.
//
//===----------------------------------------------------------------------===//

#include "Forms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tilec;
using linalg::GenericOp;

/// Is `slice` one of known extents and distances whose place is computed?
template <typename Slice> static bool isPlaced(Slice slice) {
  bool known = slice.getSource().getType().hasStaticShape() && cast<RankedTensorType>(slice.getResult().getType()).hasStaticShape();
  return known && !ShapedType::isDynamicShape(slice.getStaticSizes()) && !ShapedType::isDynamicShape(slice.getStaticStrides()) &&
         ShapedType::isDynamicShape(slice.getStaticOffsets());
}

/// Places that are constants of the function are known.
template <typename Slice> static void foldPlaces(Slice slice) {
  SmallVector<int64_t> known;
  SmallVector<Value> computed;
  for (OpFoldResult offset : slice.getMixedOffsets()) {
    std::optional<int64_t> number = getConstantIntValue(offset);
    known.push_back(number.value_or(ShapedType::kDynamic));
    if (!number)
      computed.push_back(cast<Value>(offset));
  }
  slice.getOffsetsMutable().assign(computed);
  slice.setStaticOffsets(known);
}

/// An op over the elements of `type` that yields what `make` does, of elements of `inputs`, which lie as `read` says, and of the numbers of the point.
static Value makeGeneric(Operation *op, RankedTensorType type, ValueRange inputs, ArrayRef<AffineMap> read, llvm::function_ref<Value(OpBuilder &, ValueRange, ArrayRef<Value>)> make) {
  OpBuilder b(op);
  SmallVector<AffineMap> maps(read);
  maps.push_back(b.getMultiDimIdentityMap(type.getRank()));
  SmallVector<utils::IteratorType> iterators(type.getRank(), utils::IteratorType::parallel);
  Value empty = tensor::EmptyOp::create(b, op->getLoc(), type, ValueRange());
  return GenericOp::create(b, op->getLoc(), TypeRange(type), inputs, ValueRange(empty), maps, iterators, [&](OpBuilder &inside, Location loc, ValueRange elements) {
           SmallVector<Value> point;
           for (int64_t dim = 0; dim < type.getRank(); ++dim)
             point.push_back(linalg::IndexOp::create(inside, loc, dim));
           linalg::YieldOp::create(inside, loc, make(inside, elements, point));
         })
      .getResult(0);
}

/// An op that takes the elements of `slice`, one by one.
static void takeSlice(tensor::ExtractSliceOp slice) {
  llvm::SmallBitVector dropped = slice.getDroppedDims();
  Location loc = slice.getLoc();
  Value taken = makeGeneric(slice, slice.getType(), {}, {}, [&](OpBuilder &b, ValueRange, ArrayRef<Value> point) {
    SmallVector<Value> places;
    for (auto [dim, offset, size, stride] : llvm::enumerate(slice.getMixedOffsets(), slice.getStaticSizes(), slice.getStaticStrides())) {
      Value place = getValueOrCreateConstantIndexOp(b, loc, offset);
      if (size > 1) {
        Value step = arith::ConstantIndexOp::create(b, loc, stride), moved = arith::MulIOp::create(b, loc, point.front(), step);
        place = arith::AddIOp::create(b, loc, moved, place);
      }
      point = point.drop_front(dropped.test(dim) ? 0 : 1);
      places.push_back(place);
    }
    return tensor::ExtractOp::create(b, loc, slice.getSource(), places).getResult();
  });
  slice.getResult().replaceAllUsesWith(taken);
  slice.erase();
}

namespace {

/// One dimension of a slice that is inserted, at a point of the array: is the point in it, null where all are, and which of the slice's numbers is it?
struct Inside {
  Value holds, number;
};

} // namespace

static Inside getInside(OpBuilder &b, Location loc, Value point, OpFoldResult offset, int64_t size, int64_t stride, int64_t extent) {
  auto number = [&](int64_t value) { return arith::ConstantIndexOp::create(b, loc, value).getResult(); };
  // A slice of all that there is begins at 0.
  if (size == extent)
    return {Value(), point};
  Value begin = getValueOrCreateConstantIndexOp(b, loc, offset);
  if (size == 1)
    return {arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, point, begin), number(0)};
  Value distance = arith::SubIOp::create(b, loc, point, begin), last = number((size - 1) * stride);
  Value least = arith::MaxSIOp::create(b, loc, distance, number(0)), most = arith::MinSIOp::create(b, loc, least, last);
  // What lies outside has been moved.
  Value holds = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, distance, most);
  if (stride == 1)
    return {holds, most};
  Value rest = arith::RemSIOp::create(b, loc, most, number(stride));
  holds = arith::AndIOp::create(b, loc, holds, arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, rest, number(0)));
  return {holds, arith::DivSIOp::create(b, loc, most, number(stride))};
}

/// An op that chooses between the elements of `slice` and those of the array that it is inserted into.
static void insertSlice(tensor::InsertSliceOp slice) {
  Location loc = slice.getLoc();
  RankedTensorType type = slice.getType();
  llvm::SmallBitVector dropped = slice.getDroppedDims();
  // Where the slice has one element along what it is not all of, a map says which.
  bool isMapped = llvm::all_of(llvm::zip_equal(slice.getStaticSizes(), type.getShape()), [](auto pair) { return std::get<0>(pair) == 1 || std::get<0>(pair) == std::get<1>(pair); });
  SmallVector<Value> inputs = {slice.getDest()};
  SmallVector<AffineMap> maps = {AffineMap::getMultiDimIdentityMap(type.getRank(), slice.getContext())};
  if (isMapped) {
    SmallVector<AffineExpr> exprs;
    for (auto [dim, size] : llvm::enumerate(slice.getStaticSizes()))
      if (!dropped.test(dim))
        exprs.push_back(size == 1 ? getAffineConstantExpr(0, slice.getContext()) : getAffineDimExpr(dim, slice.getContext()));
    inputs.push_back(slice.getSource());
    maps.push_back(AffineMap::get(type.getRank(), 0, exprs, slice.getContext()));
  }
  Value all = makeGeneric(slice, type, inputs, maps, [&](OpBuilder &b, ValueRange elements, ArrayRef<Value> point) {
    Value holds;
    SmallVector<Value> places;
    for (auto [dim, offset, size, stride, extent] : llvm::enumerate(slice.getMixedOffsets(), slice.getStaticSizes(), slice.getStaticStrides(), type.getShape())) {
      Inside inside = getInside(b, loc, point[dim], offset, size, stride, extent);
      if (inside.holds)
        holds = holds ? arith::AndIOp::create(b, loc, holds, inside.holds).getResult() : inside.holds;
      if (!dropped.test(dim))
        places.push_back(inside.number);
    }
    Value element = isMapped ? elements[1] : tensor::ExtractOp::create(b, loc, slice.getSource(), places).getResult();
    return holds ? arith::SelectOp::create(b, loc, holds, element, elements[0]).getResult() : element;
  });
  slice.getResult().replaceAllUsesWith(all);
  slice.erase();
}

void mapping::placeSlices(ModuleOp module) {
  SmallVector<tensor::ExtractSliceOp> taken;
  SmallVector<tensor::InsertSliceOp> inserted;
  module.walk([&](tensor::ExtractSliceOp slice) { taken.push_back(slice); });
  module.walk([&](tensor::InsertSliceOp slice) { inserted.push_back(slice); });
  for (tensor::ExtractSliceOp slice : taken) {
    foldPlaces(slice);
    if (isPlaced(slice))
      takeSlice(slice);
  }
  for (tensor::InsertSliceOp slice : inserted) {
    foldPlaces(slice);
    if (isPlaced(slice))
      insertSlice(slice);
  }
}

void mapping::widenIndices(func::FuncOp function) {
  if (function.isExternal())
    return;
  Block &body = function.getBody().front();
  for (BlockArgument argument : body.getArguments()) {
    auto isOperand = [&](Operation *user) { return user->getBlock() == &body && !isa<arith::ArithDialect>(user->getDialect()); };
    if (!argument.getType().isIndex() || llvm::any_of(argument.getUsers(), isOperand))
      continue;
    DenseMap<Block *, Value> casts;
    for (OpOperand &use : llvm::make_early_inc_range(argument.getUses())) {
      Value &cast = casts[use.getOwner()->getBlock()];
      if (!cast) {
        OpBuilder b = OpBuilder::atBlockBegin(use.getOwner()->getBlock());
        cast = arith::IndexCastOp::create(b, argument.getLoc(), b.getIndexType(), argument);
      }
      use.set(cast);
    }
    argument.setType(IntegerType::get(function.getContext(), 64));
  }
  function.setFunctionType(FunctionType::get(function.getContext(), body.getArgumentTypes(), function.getResultTypes()));
}
