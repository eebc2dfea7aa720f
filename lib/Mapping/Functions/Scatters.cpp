//===- Scatters.cpp - Kernels that store where data says --------*- C++ -*-===//
//
// A slice that is written into an array at a place which an element of another one says, as a token's keys are into a cache, is a nest of its own: it stores the
// slice, and touches nothing else of the array.
//
//===----------------------------------------------------------------------===//

#include "Forms.h"
#include "Parts.h"
#include "Sizes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "tilec/Tile/Access.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::mapping;

namespace {

/// Elements of `from` that go to `to`: the one at a point d to `written` of it, but for dimension `along`, where element `first` + d of `indices` says which.
struct Scattered {
  Value from, to, indices;
  unsigned along;
  int64_t first;
  SmallVector<AffineExpr> written;
  SmallVector<Operation *> ops;
};

} // namespace

/// Does anything between `load` and `copy` but what reads it touch the array that `load` reads?
static bool isTouchedBetween(memref::LoadOp load, memref::CopyOp copy) {
  return llvm::any_of(load.getMemRef().getUsers(), [&](Operation *user) {
    auto computed = dyn_cast<linalg::LinalgOp>(user);
    bool reads = isa<memref::LoadOp, memref::DimOp>(user) || (computed && !llvm::is_contained(computed.getDpsInits(), load.getMemRef()));
    return !reads && (user->getBlock() != load->getBlock() || (load->isBeforeInBlock(user) && user->isBeforeInBlock(copy)));
  });
}

/// What `copy` scatters, where a nest is known for it: placeSlices has had an array hold the number of each element along the dimension.
static std::optional<Scattered> findScatter(Operation &op) {
  auto copy = dyn_cast<memref::CopyOp>(op);
  auto slice = copy ? copy.getTarget().getDefiningOp<memref::SubViewOp>() : memref::SubViewOp();
  if (!slice || slice.getDroppedDims().any() || slice.getOffsets().size() != 1)
    return std::nullopt;
  auto cast = slice.getOffsets()[0].getDefiningOp<arith::IndexCastOp>();
  auto load = cast ? cast.getIn().getDefiningOp<memref::LoadOp>() : memref::LoadOp();
  if (!load || !load.getMemRefType().hasStaticShape() || (load.getMemRefType().getRank() > 1 && !load.getMemRefType().getLayout().isIdentity()) ||
      ShapedType::isDynamicShape(slice.getStaticStrides()) || isTouchedBetween(load, copy))
    return std::nullopt;
  for (auto [dim, extent] : llvm::enumerate(slice.getType().getShape()))
    if (ShapedType::isDynamic(extent) && !takesAll(slice, dim))
      return std::nullopt;
  MLIRContext *context = op.getContext();
  Scattered scattered{copy.getSource(), slice.getSource(), load.getMemRef(), /*along=*/0, /*first=*/0, {}, {load, cast, slice, copy}};
  for (auto [dim, offset, stride] : llvm::enumerate(slice.getStaticOffsets(), slice.getStaticStrides())) {
    if (ShapedType::isDynamic(offset))
      scattered.along = dim;
    scattered.written.push_back(getAffineDimExpr(dim, context) * stride + (ShapedType::isDynamic(offset) ? 0 : offset));
  }
  for (auto [index, extent] : llvm::zip_equal(load.getIndices(), load.getMemRefType().getShape())) {
    std::optional<int64_t> known = getConstantIntValue(index);
    if (!known)
      return std::nullopt;
    scattered.first = scattered.first * extent + *known;
  }
  scattered.written[scattered.along] = getAffineDimExpr(scattered.along, context) + scattered.first;
  return scattered;
}

bool mapping::scatters(Operation &op) { return findScatter(op).has_value(); }

/// Neighbours along the last dimension that lie side by side in both arrays.
static int64_t countTogether(const Scattered &scattered, int64_t extent) {
  unsigned last = scattered.written.size() - 1;
  auto type = cast<MemRefType>(scattered.to.getType());
  auto isDense = [](Value memref) {
    FailureOr<SmallVector<int64_t>> strides = tile::getStaticStrides(cast<MemRefType>(memref.getType()));
    return succeeded(strides) && strides->back() == 1;
  };
  if (ShapedType::isDynamic(extent) || scattered.along == last || !isDense(scattered.from) || !isDense(scattered.to) || scattered.written[last] != getAffineDimExpr(last, type.getContext()))
    return 1;
  return std::gcd(std::max<int64_t>(tile::kWidestBytes * 8 / type.getElementTypeBitWidth(), 1), extent);
}

/// What lies beyond the slice is there in the array: blocks end with the slice.
static void writeScatter(const Scattered &scattered, NestWriter &w, const Problem &problem, ValueRange operands) {
  constexpr int64_t kThreads = 256;
  unsigned rank = problem.dims.size(), last = rank - 1;
  int64_t together = countTogether(scattered, problem.dims[last].size), most = kThreads * together;
  SmallVector<LoopOver> blocks, threads;
  SmallVector<int64_t> steps(rank, 1);
  for (unsigned dim = rank; dim-- > 0;) {
    int64_t unit = dim == last ? together : 1, extent = problem.dims[dim].size;
    if (ShapedType::isDynamic(extent)) // All of the dimension.
      steps[dim] = most;
    for (int64_t step = unit; step <= std::min(most, extent); step += unit)
      if (extent % step == 0)
        steps[dim] = step;
    most /= steps[dim];
  }
  for (unsigned dim = 0; dim < rank; ++dim) {
    w.setTile(dim, dim == last ? together : 1);
    blocks.push_back({dim, problem.dims[dim].extent, steps[dim]});
    threads.push_back({dim, w.number(steps[dim]), dim == last ? together : 1});
  }
  w.open(blocks, tile::Level::DRAM, tile::Unit::Block, "0");
  w.open(threads, tile::Level::DRAM, tile::Unit::Thread, "1");
  MLIRContext *context = scattered.to.getContext();
  Placed element;
  w.stage(w.operand({operands[0], AffineMap::getMultiDimIdentityMap(rank, context)}), tile::Level::RF, element, "r");
  tile::StoreOp store = w.store(element, w.operand({operands[2], AffineMap::get(rank, 0, scattered.written, context)}));
  store.getIndicesMutable().assign(w.copyOf(operands[1]));
  store.setAlong(scattered.along);
  store.setUnique(true);
}

std::optional<OwnNest> mapping::getScatterNest(Operation &op) {
  std::optional<Scattered> scattered = findScatter(op);
  if (!scattered)
    return std::nullopt;
  SmallVector<int64_t> extents(cast<MemRefType>(scattered->from.getType()).getShape());
  auto write = [scattered = *scattered](NestWriter &w, const Problem &problem, ValueRange operands) { writeScatter(scattered, w, problem, operands); };
  return OwnNest{{scattered->from, getLine(scattered->indices, &op), scattered->to}, {"X", "I", "Y"}, scattered->ops, "_scatter", extents, write};
}
