//===- RankZero.cpp - Single numbers as arrays of one element ---*- C++ -*-===//
//
// Who reduces all of an array writes a memref of rank 0. A nest stores to subscripts: so its ops work on a view of one dimension.
//
//===----------------------------------------------------------------------===//

#include "tilec/Mapping/Launches.h"

#include "Generics.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace tilec;
using linalg::LinalgOp;

static bool hasNoDims(Value value) {
  auto type = dyn_cast<MemRefType>(value.getType());
  return type && type.getRank() == 0;
}

/// Replaces operands without dimensions by what `views` has for them: read at 0, or written along a dimension of one place.
static void addDimension(LinalgOp op, const DenseMap<Value, Value> &views) {
  linalg::GenericOp generic = mapping::generalize(op);
  Builder b(generic.getContext());
  SmallVector<AffineMap> maps = generic.getIndexingMapsArray();
  SmallVector<Attribute> iterators(generic.getIteratorTypes().getValue());
  bool writes = llvm::any_of(generic.getDpsInits(), hasNoDims);
  if (writes)
    iterators.push_back(linalg::IteratorTypeAttr::get(b.getContext(), utils::IteratorType::parallel));
  for (auto [map, operand] : llvm::zip_equal(maps, generic->getOpOperands())) {
    SmallVector<AffineExpr> exprs(map.getResults());
    if (hasNoDims(operand.get())) {
      exprs.push_back(writes ? b.getAffineDimExpr(iterators.size() - 1) : b.getAffineConstantExpr(0));
      operand.set(views.lookup(operand.get()));
    }
    map = AffineMap::get(iterators.size(), 0, exprs, b.getContext());
  }
  generic.setIndexingMapsAttr(b.getAffineMapArrayAttr(maps));
  generic.setIteratorTypesAttr(b.getArrayAttr(iterators));
}

void mapping::addDimensions(tile::KernelOp kernel) {
  DenseMap<Value, Value> views;
  OpBuilder b(kernel.getContext());
  auto addView = [&](Value array) {
    auto type = cast<MemRefType>(array.getType());
    views[array] = memref::ExpandShapeOp::create(b, array.getLoc(), MemRefType::get({1}, type.getElementType(), MemRefLayoutAttrInterface(), type.getMemorySpace()), array, ArrayRef<ReassociationIndices>(),
                                                 ArrayRef<OpFoldResult>{b.getIndexAttr(1)});
  };
  b.setInsertionPointToStart(&kernel.getBody().front());
  llvm::for_each(llvm::make_filter_range(kernel.getBody().getArguments(), hasNoDims), addView);
  for (Operation &op : llvm::make_early_inc_range(kernel.getBody().front()))
    if (op.getNumResults() == 1 && hasNoDims(op.getResult(0))) {
      b.setInsertionPointAfter(&op);
      addView(op.getResult(0));
    }
  for (LinalgOp op : llvm::to_vector(kernel.getBody().getOps<LinalgOp>()))
    if (llvm::any_of(op->getOperands(), hasNoDims))
      addDimension(op, views);
}
