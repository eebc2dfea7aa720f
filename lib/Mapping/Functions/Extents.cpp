//===- Extents.cpp - Extents by the arguments that have them ----*- C++ -*-===//
//
// Functions ask ops for the extents of their results. What was told to these says it: so nobody reads an array for its extents alone.
//
//===----------------------------------------------------------------------===//

#include "Forms.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tilec;

namespace {

/// A number or a value that was told; without one, dimension `dim` of `array`, which nobody was told.
struct Extent {
  OpFoldResult told;
  Value array;
  int64_t dim = 0;
};

} // namespace

static Extent trace(Value array, int64_t dim) {
  while (true) {
    auto type = cast<RankedTensorType>(array.getType());
    if (!type.isDynamicDim(dim))
      return {Builder(array.getContext()).getIndexAttr(type.getDimSize(dim)), {}};
    Operation *maker = array.getDefiningOp();
    OpFoldResult told;
    if (auto empty = dyn_cast_if_present<tensor::EmptyOp>(maker))
      told = empty.getMixedSizes()[dim];
    else if (auto view = dyn_cast_if_present<tensor::ExpandShapeOp>(maker))
      told = view.getMixedOutputShape()[dim];
    else if (auto slice = dyn_cast_if_present<tensor::ExtractSliceOp>(maker); slice && slice.getDroppedDims().none())
      told = slice.getMixedSizes()[dim];
    auto view = dyn_cast_if_present<tensor::CollapseShapeOp>(maker);
    auto join = dyn_cast_if_present<tensor::ConcatOp>(maker);
    // What was told of another array follows from that.
    auto asked = told ? dyn_cast<Value>(told) : Value();
    auto from = asked ? asked.getDefiningOp<tensor::DimOp>() : tensor::DimOp();
    if (from && from.getConstantIndex() && isa<RankedTensorType>(from.getSource().getType())) {
      array = from.getSource();
      dim = *from.getConstantIndex();
    } else if (told) {
      return {told, {}};
    } else if (auto inserted = dyn_cast_if_present<tensor::InsertSliceOp>(maker)) {
      array = inserted.getDest();
    } else if (auto op = dyn_cast_if_present<DestinationStyleOpInterface>(maker)) {
      array = op.getTiedOpOperand(cast<OpResult>(array))->get();
    } else if (view && view.getReassociationIndices()[dim].size() == 1) {
      dim = view.getReassociationIndices()[dim].front();
      array = view.getSrc();
    } else if (join && int64_t(join.getDim()) != dim) {
      array = join.getInputs()[0];
    } else {
      return {{}, array, dim};
    }
  }
}

OpFoldResult mapping::getExtent(OpBuilder &b, Location loc, Value array, int64_t dim) {
  Extent extent = trace(array, dim);
  return extent.told ? extent.told : tensor::DimOp::create(b, loc, extent.array, extent.dim).getResult();
}

bool mapping::isExtent(OpFoldResult size, Value array, int64_t dim) {
  Extent extent = trace(array, dim);
  if (extent.told)
    return isEqualConstantIntOrValue(extent.told, size);
  auto value = dyn_cast<Value>(size);
  auto from = value ? value.getDefiningOp<tensor::DimOp>() : tensor::DimOp();
  if (!from || !from.getConstantIndex() || !isa<RankedTensorType>(from.getSource().getType()))
    return false;
  Extent other = trace(from.getSource(), *from.getConstantIndex());
  return !other.told && other.array == extent.array && other.dim == extent.dim;
}

SmallVector<OpFoldResult> mapping::getExtents(OpBuilder &b, Location loc, Value array) {
  SmallVector<OpFoldResult> extents;
  for (int64_t dim = 0; dim < cast<RankedTensorType>(array.getType()).getRank(); ++dim)
    extents.push_back(getExtent(b, loc, array, dim));
  return extents;
}

bool mapping::hasKnownParts(Operation *view) {
  auto expanded = dyn_cast<tensor::ExpandShapeOp>(view);
  auto groups = expanded ? expanded.getReassociationIndices() : cast<tensor::CollapseShapeOp>(view).getReassociationIndices();
  auto parts = cast<RankedTensorType>((expanded ? view->getResult(0) : view->getOperand(0)).getType());
  return llvm::all_of(groups, [&](const ReassociationIndices &group) { return group.size() == 1 || llvm::none_of(group, [&](int64_t part) { return parts.isDynamicDim(part); }); });
}

bool mapping::areAlikeBut(Type first, Type second, int64_t but) {
  auto a = cast<RankedTensorType>(first).getShape(), b = cast<RankedTensorType>(second).getShape();
  return a.take_front(but) == b.take_front(but) && a.drop_front(but + 1) == b.drop_front(but + 1);
}

void mapping::nameExtents(ModuleOp module) {
  SmallVector<tensor::DimOp> asked;
  module.walk([&](tensor::DimOp op) {
    if (op.getConstantIndex() && op.getSource().getDefiningOp() && isa<RankedTensorType>(op.getSource().getType()))
      asked.push_back(op);
  });
  for (tensor::DimOp op : asked) {
    if (*op.getConstantIndex() >= cast<RankedTensorType>(op.getSource().getType()).getRank())
      continue;
    OpBuilder b(op);
    Value extent = getValueOrCreateConstantIndexOp(b, op.getLoc(), getExtent(b, op.getLoc(), op.getSource(), *op.getConstantIndex()));
    op.replaceAllUsesWith(extent);
    op.erase();
  }
}
