//===- Views.cpp - Arrays by other extents ----------------------*- C++ -*-===//
//
// Rule G4: what a program gives to a kernel may be an array without gaps by other extents, those of memref.collapse_shape and
// memref.expand_shape. So may be what ops of a kernel without loops work on (rule C4).
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "tilec/Tile/Program.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

bool tile::isView(Operation *op) { return isa_and_present<memref::CollapseShapeOp, memref::ExpandShapeOp>(op); }

Value tile::getArray(Value memref) {
  while (isView(memref.getDefiningOp()))
    memref = memref.getDefiningOp()->getOperand(0);
  return memref;
}

SmallVector<Factors> tile::getExtents(Value memref) {
  SmallVector<Factors> extents;
  auto add = [&](OpFoldResult extent) { extents.push_back({extent}); };
  if (auto collapsed = memref.getDefiningOp<memref::CollapseShapeOp>()) {
    SmallVector<Factors> source = getExtents(collapsed.getSrc());
    for (const ReassociationIndices &group : collapsed.getReassociationIndices()) {
      Factors &product = extents.emplace_back();
      for (int64_t dim : group)
        llvm::append_range(product, source[dim]);
    }
  } else if (auto expanded = memref.getDefiningOp<memref::ExpandShapeOp>()) {
    llvm::for_each(expanded.getMixedOutputShape(), add);
  } else if (auto workspace = memref.getDefiningOp<WorkspaceOp>()) {
    llvm::for_each(workspace.getMixedExtents(), add);
  } else if (auto alloc = memref.getDefiningOp<memref::AllocOp>()) {
    llvm::for_each(alloc.getMixedSizes(), add);
  } else {
    auto argument = cast<BlockArgument>(memref);
    Operation *owner = argument.getOwner()->getParentOp();
    for (unsigned dim = 0, number = argument.getArgNumber(); dim < cast<MemRefType>(memref.getType()).getRank(); ++dim)
      add(isa<ProgramOp>(owner) ? cast<ProgramOp>(owner).getOperandExtent(number, dim) : cast<KernelOp>(owner).getOperandExtent(number, dim));
  }
  return extents;
}

/// The product of all numbers among `factors`, those that sizes are computed with included, and what else they are computed from.
static std::pair<APInt, SmallVector<Value>> split(ArrayRef<OpFoldResult> factors) {
  // 128 bits hold any product of extents of an array that memory does.
  APInt number(128, 1);
  SmallVector<Value> sizes;
  SmallVector<OpFoldResult> waiting(factors);
  while (!waiting.empty()) {
    OpFoldResult factor = waiting.pop_back_val();
    if (std::optional<int64_t> constant = getConstantIntValue(factor)) {
      number *= APInt(128, *constant, /*isSigned=*/true);
      continue;
    }
    auto value = cast<Value>(factor);
    if (auto product = value.getDefiningOp<arith::MulIOp>())
      waiting.append({product.getLhs(), product.getRhs()});
    else
      sizes.push_back(value);
  }
  llvm::sort(sizes, [](Value a, Value b) { return a.getAsOpaquePointer() < b.getAsOpaquePointer(); });
  return {number, sizes};
}

bool tile::areEqual(ArrayRef<OpFoldResult> a, ArrayRef<OpFoldResult> b) { return split(a) == split(b); }

LogicalResult tile::verifyView(Operation *view) {
  auto from = cast<MemRefType>(view->getOperand(0).getType());
  if (!from.getLayout().isIdentity()) // program_g4
    return view->emitOpError("names an array by other extents, which lies without gaps, got ") << from;
  auto expanded = dyn_cast<memref::ExpandShapeOp>(view);
  if (!expanded)
    return success();
  SmallVector<Factors> source = getExtents(expanded.getSrc()), made = getExtents(view->getResult(0));
  for (auto [dim, group] : llvm::enumerate(expanded.getReassociationIndices())) {
    Factors product;
    for (int64_t inner : group)
      llvm::append_range(product, made[inner]);
    if (!areEqual(source[dim], product)) // program_g4
      return view->emitOpError("parts dimension ") << dim << " into extents whose product is not its extent: both must be products of the same sizes and numbers";
  }
  return success();
}
