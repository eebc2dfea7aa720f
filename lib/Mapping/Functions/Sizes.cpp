//===- Sizes.cpp - Extents of functions that are one size -------*- C++ -*-===//

#include "Sizes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "tilec/Tile/Program.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::mapping;

SmallVector<ReassociationIndices> mapping::getGroups(Operation *view) {
  auto collapsed = dyn_cast<memref::CollapseShapeOp>(view);
  return collapsed ? collapsed.getReassociationIndices() : cast<memref::ExpandShapeOp>(view).getReassociationIndices();
}

bool mapping::takesAll(memref::SubViewOp slice, unsigned dim) {
  auto size = dyn_cast<Value>(slice.getMixedSizes()[dim]);
  if (!size || slice.getStaticOffsets()[dim] != 0 || slice.getStaticStrides()[dim] != 1)
    return false;
  auto from = size.getDefiningOp<memref::DimOp>();
  if (from && from.getSource() == slice.getSource() && from.getConstantIndex() == dim)
    return true;
  auto array = slice.getSource().getDefiningOp<memref::AllocOp>();
  auto made = array ? dyn_cast<Value>(array.getMixedSizes()[dim]) : Value();
  auto told = made ? made.getDefiningOp<memref::DimOp>() : memref::DimOp();
  return made == size || (told && from && told.getSource() == from.getSource() && told.getConstantIndex() == from.getConstantIndex());
}

ExtentClasses::ExtentClasses(Block &body) {
  for (BlockArgument argument : body.getArguments())
    numberAll(argument);
  for (Operation &op : body) {
    for (Value result : op.getResults())
      numberAll(result);
    join(op);
  }
  classes.grow(numbers.size());
  for (auto [a, b] : equal)
    classes.join(a, b);
  classes.compress();
}

unsigned ExtentClasses::numberOf(Value memref, unsigned dim) { return numbers.try_emplace({memref.getAsOpaquePointer(), dim}, numbers.size()).first->second; }

void ExtentClasses::numberAll(Value memref) {
  if (auto type = dyn_cast<MemRefType>(memref.getType()))
    for (unsigned dim = 0; dim < type.getRank(); ++dim)
      numberOf(memref, dim);
}

/// Extents that are one dimension of `op`, or that it was told.
void ExtentClasses::join(Operation &op) {
  auto join = [&](Value a, unsigned dim, Value b, unsigned other) { equal.push_back({numberOf(a, dim), numberOf(b, other)}); };
  auto tell = [&](Value memref, ArrayRef<OpFoldResult> sizes) {
    for (auto [dim, size] : llvm::enumerate(sizes))
      if (auto value = dyn_cast<Value>(size))
        if (auto from = value.getDefiningOp<memref::DimOp>(); from && from.getConstantIndex())
          join(memref, dim, from.getSource(), *from.getConstantIndex());
  };
  if (auto computed = dyn_cast<linalg::LinalgOp>(op)) {
    SmallVector<std::optional<unsigned>> first(computed.getNumLoops());
    for (OpOperand &operand : op.getOpOperands()) {
      if (!isa<MemRefType>(operand.get().getType()))
        continue;
      for (auto [position, expr] : llvm::enumerate(computed.getMatchingIndexingMap(&operand).getResults()))
        if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
          unsigned extent = numberOf(operand.get(), position);
          std::optional<unsigned> &known = first[dim.getPosition()];
          if (known)
            equal.push_back({*known, extent});
          known = extent;
        }
    }
  } else if (auto alloc = dyn_cast<memref::AllocOp>(op)) {
    tell(alloc, alloc.getMixedSizes());
  } else if (auto slice = dyn_cast<memref::SubViewOp>(op); slice && slice.getDroppedDims().none()) {
    tell(slice, slice.getMixedSizes());
  } else if (auto copy = dyn_cast<memref::CopyOp>(op)) {
    for (unsigned dim = 0; dim < cast<MemRefType>(copy.getSource().getType()).getRank(); ++dim)
      join(copy.getSource(), dim, copy.getTarget(), dim);
  } else if (tile::isView(&op)) {
    bool collapses = isa<memref::CollapseShapeOp>(op);
    Value merged = op.getOperand(0), parts = op.getResult(0);
    if (collapses)
      std::swap(merged, parts);
    // A dimension that is parted into itself and ones.
    auto isOne = [&](int64_t part) { return cast<MemRefType>(parts.getType()).getDimSize(part) == 1; };
    for (auto [outer, group] : llvm::enumerate(getGroups(&op)))
      if (llvm::count_if(group, isOne) + 1 == int64_t(group.size()))
        join(merged, outer, parts, *llvm::find_if_not(group, isOne));
  }
}

StringRef mapping::getName(Location loc) {
  auto name = loc->findInstanceOf<NameLoc>();
  return name ? name.getName().strref() : StringRef();
}

Signature::Signature(const ExtentClasses &classes, Location loc, ValueRange operands, ArrayRef<Location> given) : classes(classes), types(operands.getTypes()), names(given) {
  Builder b(loc.getContext());
  SmallVector<Attribute> codes;
  for (auto [operand, name] : llvm::zip_equal(operands, given)) {
    SmallVector<int64_t> extents;
    if (auto type = dyn_cast<MemRefType>(operand.getType()))
      for (unsigned dim = 0; dim < type.getRank(); ++dim) {
        if (!type.isDynamicDim(dim)) {
          extents.push_back(tile::KernelOp::encodeExtent(type.getDimSize(dim)));
          continue;
        }
        unsigned size = llvm::find(sizes, classes.get(operand, dim)) - sizes.begin();
        if (size == sizes.size()) {
          sizes.push_back(classes.get(operand, dim));
          names.push_back(NameLoc::get(b.getStringAttr(getName(name) + Twine(dim)), loc));
        }
        extents.push_back(operands.size() + size);
      }
    codes.push_back(b.getDenseI64ArrayAttr(extents));
  }
  types.resize(operands.size() + sizes.size(), b.getIndexType());
  codes.resize(types.size(), b.getDenseI64ArrayAttr({}));
  shapes = b.getArrayAttr(codes);
}

FailureOr<SmallVector<Value>> Signature::getSizes(Value array, Block &block) const {
  SmallVector<Value> dynamic;
  auto type = cast<MemRefType>(array.getType());
  for (unsigned dim = 0; dim < type.getRank(); ++dim) {
    if (!type.isDynamicDim(dim))
      continue;
    const auto *size = llvm::find(sizes, classes.get(array, dim));
    if (size == sizes.end())
      return emitError(array.getLoc(), "has an extent that is none of an argument's or result's"); // limit_x43
    dynamic.push_back(block.getArgument(types.size() - (sizes.end() - size)));
  }
  return dynamic;
}

FailureOr<Value> mapping::nameAs(OpBuilder &b, Location loc, Value from, Value array, ArrayRef<ReassociationIndices> groups, const Signature &signature) {
  auto type = cast<MemRefType>(array.getType());
  if (type.getRank() <= cast<MemRefType>(from.getType()).getRank())
    return memref::CollapseShapeOp::create(b, loc, type, from, groups).getResult();
  FailureOr<SmallVector<Value>> dynamic = signature.getSizes(array, *b.getBlock());
  if (failed(dynamic))
    return failure();
  return memref::ExpandShapeOp::create(b, loc, type, from, groups, getMixedValues(type.getShape(), *dynamic, b)).getResult();
}
