//===- Places.cpp - Slices at places that are computed ----------*- C++ -*-===//
//
// What is sliced where a number of the function says, as caches of keys and values are, has bodies that compute the place of each element: one that takes a slice
// extracts it (Extracts.cpp), one that inserts a slice chooses between that and what is there, or stores the slice into an argument that nothing else reads (Scatters.cpp).
// Kernels have indices for extents alone, so a number that says a place is an integer to them.
//
//===----------------------------------------------------------------------===//

#include "Forms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilec;
using linalg::GenericOp;

/// Is `slice` one of known extents and distances whose place is computed?
template <typename Slice> static bool isPlaced(Slice slice) {
  bool known = slice.getSource().getType().hasStaticShape() && cast<RankedTensorType>(slice.getResult().getType()).hasStaticShape();
  return known && !ShapedType::isDynamicShape(slice.getStaticSizes()) && !ShapedType::isDynamicShape(slice.getStaticStrides()) &&
         ShapedType::isDynamicShape(slice.getStaticOffsets());
}

/// The constant that `value` is, or that its maker folds to; null where there is none.
static Attribute getConstant(Value value) {
  Attribute constant;
  if (matchPattern(value, m_Constant(&constant)))
    return constant;
  Operation *maker = value.getDefiningOp();
  if (!maker || maker->getNumResults() != 1 || !(isa<arith::ArithDialect>(maker->getDialect()) || isa<tensor::ExtractOp>(maker)))
    return Attribute();
  SmallVector<Attribute> operands = llvm::map_to_vector(maker->getOperands(), getConstant);
  SmallVector<OpFoldResult> folded;
  bool isFolded = llvm::all_of(operands, [](Attribute operand) { return bool(operand); }) && succeeded(maker->fold(operands, folded)) && folded.size() == 1;
  return isFolded ? dyn_cast<Attribute>(folded[0]) : Attribute();
}

/// Places that are constants of the function are known, and a slice of all of a dimension begins at 0. `array`: what has the slice.
template <typename Slice> static void foldPlaces(Slice slice, RankedTensorType array) {
  SmallVector<int64_t> known;
  SmallVector<Value> computed;
  for (auto [offset, size, extent] : llvm::zip_equal(slice.getMixedOffsets(), slice.getStaticSizes(), array.getShape())) {
    std::optional<int64_t> number = getConstantIntValue(offset);
    if (auto value = dyn_cast<Value>(offset))
      if (auto constant = dyn_cast_if_present<IntegerAttr>(getConstant(value)))
        number = constant.getInt();
    if (size == extent && !ShapedType::isDynamic(size))
      number = 0;
    known.push_back(number.value_or(ShapedType::kDynamic));
    if (!number)
      computed.push_back(cast<Value>(offset));
  }
  slice.getOffsetsMutable().assign(computed);
  slice.setStaticOffsets(known);
}

/// An op over the elements of `type` that yields what `make` does, of elements of `inputs`, which lie as `read` says, and of the numbers of the point.
static Value makeGeneric(OpBuilder &b, Location loc, RankedTensorType type, ValueRange inputs, ArrayRef<AffineMap> read, llvm::function_ref<Value(OpBuilder &, ValueRange, ArrayRef<Value>)> make) {
  SmallVector<AffineMap> maps(read);
  maps.push_back(b.getMultiDimIdentityMap(type.getRank()));
  SmallVector<utils::IteratorType> iterators(type.getRank(), utils::IteratorType::parallel);
  Value empty = tensor::EmptyOp::create(b, loc, type, ValueRange());
  return GenericOp::create(b, loc, TypeRange(type), inputs, ValueRange(empty), maps, iterators, [&](OpBuilder &inside, Location, ValueRange elements) {
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
  OpBuilder ahead(slice);
  Value taken = makeGeneric(ahead, loc, slice.getType(), {}, {}, [&](OpBuilder &b, ValueRange, ArrayRef<Value> point) {
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
  OpBuilder ahead(slice);
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
  Value all = makeGeneric(ahead, loc, type, inputs, maps, [&](OpBuilder &b, ValueRange elements, ArrayRef<Value> point) {
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

/// The first dimension of `slice` along which its place is computed.
static unsigned getComputed(tensor::InsertSliceOp slice) { return llvm::find(slice.getStaticOffsets(), ShapedType::kDynamic) - slice.getStaticOffsets().begin(); }

/// May bufferization write `slice` where what it is inserted into lies, an argument of the function that nobody else reads?
static bool isInPlace(tensor::InsertSliceOp slice) {
  Value array = slice.getDest();
  if (slice.getSourceType().getRank() == 0 || slice.getOffsets().size() != 1 || ShapedType::isDynamicShape(slice.getStaticStrides()) ||
      ShapedType::isDynamic(slice.getStaticSizes()[getComputed(slice)]))
    return false;
  while (array.hasOneUse() && array.getDefiningOp<tensor::InsertSliceOp>())
    array = array.getDefiningOp<tensor::InsertSliceOp>().getDest();
  auto argument = dyn_cast<BlockArgument>(array);
  auto function = argument ? dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp()) : func::FuncOp();
  auto writable = function ? function.getArgAttrOfType<BoolAttr>(argument.getArgNumber(), bufferization::BufferizationDialect::kWritableAttrName) : BoolAttr();
  return function && array.hasOneUse() && (!writable || writable.getValue());
}

namespace {

/// Arrays of the numbers that a function's slices are inserted at.
class PlaceArrays {
public:
  /// Has `slice` begin at the first element of an array that has a number for each of its own along the dimension whose place is computed.
  void number(tensor::InsertSliceOp slice);

private:
  Value getNumbers(tensor::InsertSliceOp slice, int64_t size, int64_t stride);

  struct Known {
    Value first;
    int64_t size, stride;
    Value numbers;
  };
  SmallVector<Known> known;
};

} // namespace

Value PlaceArrays::getNumbers(tensor::InsertSliceOp slice, int64_t size, int64_t stride) {
  Value first = slice.getOffsets()[0];
  for (const Known &one : known)
    if (one.first == first && one.size == size && one.stride == stride)
      return one.numbers;
  auto type = RankedTensorType::get({size}, IntegerType::get(slice.getContext(), 64));
  Location loc = slice.getLoc();
  OpBuilder ahead(slice);
  if (Operation *maker = first.getDefiningOp())
    ahead.setInsertionPointAfter(maker);
  else
    ahead.setInsertionPointToStart(slice->getBlock());
  Value numbers = makeGeneric(ahead, loc, type, {}, {}, [&](OpBuilder &b, ValueRange, ArrayRef<Value> point) {
    Value place = first;
    if (size > 1) {
      Value step = arith::ConstantIndexOp::create(b, loc, stride), moved = arith::MulIOp::create(b, loc, point.front(), step);
      place = arith::AddIOp::create(b, loc, moved, place);
    }
    return arith::IndexCastOp::create(b, loc, type.getElementType(), place).getResult();
  });
  known.push_back({first, size, stride, numbers});
  return numbers;
}

/// The element that `place` is, of an array of i32 or i64 that lies there; null where it is computed.
static tensor::ExtractOp getElementRead(Value place) {
  auto cast = place.getDefiningOp<arith::IndexCastOp>();
  auto extract = cast ? cast.getIn().getDefiningOp<tensor::ExtractOp>() : tensor::ExtractOp();
  bool isNumber = extract && (extract.getType().isInteger(32) || extract.getType().isInteger(64)) && extract.getTensor().getType().hasStaticShape();
  return isNumber && llvm::all_of(extract.getIndices(), [](Value index) { return getConstantIntValue(index).has_value(); }) ? extract : tensor::ExtractOp();
}

void PlaceArrays::number(tensor::InsertSliceOp slice) {
  unsigned along = getComputed(slice);
  int64_t size = slice.getStaticSizes()[along];
  Location loc = slice.getLoc();
  tensor::ExtractOp read = size == 1 ? getElementRead(slice.getOffsets()[0]) : tensor::ExtractOp();
  Value numbers = read ? Value() : getNumbers(slice, size, slice.getStaticStrides()[along]);
  OpBuilder b(slice);
  Value number;
  if (read)
    number = b.clone(*read)->getResult(0);
  else
    number = tensor::ExtractOp::create(b, loc, numbers, ValueRange{arith::ConstantIndexOp::create(b, loc, 0)});
  slice.getOffsetsMutable().assign(arith::IndexCastOp::create(b, loc, b.getIndexType(), number).getResult());
}

void mapping::placeSlices(ModuleOp module) {
  SmallVector<tensor::ExtractSliceOp> taken;
  SmallVector<tensor::InsertSliceOp> inserted;
  module.walk([&](tensor::ExtractSliceOp slice) { taken.push_back(slice); });
  module.walk([&](tensor::InsertSliceOp slice) { inserted.push_back(slice); });
  for (tensor::ExtractSliceOp slice : taken) {
    foldPlaces(slice, slice.getSourceType());
    if (isPlaced(slice))
      takeSlice(slice);
  }
  for (tensor::InsertSliceOp slice : inserted)
    foldPlaces(slice, slice.getDestType());
  PlaceArrays arrays;
  for (tensor::InsertSliceOp slice : inserted) {
    if (slice.getSourceType() == slice.getType() && slice.getType().hasStaticShape()) { // All that there is.
      slice.getResult().replaceAllUsesWith(slice.getSource());
      slice.erase();
    } else if (isInPlace(slice)) {
      arrays.number(slice);
    } else if (isPlaced(slice)) {
      insertSlice(slice);
    }
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
