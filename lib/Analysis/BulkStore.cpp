//===- BulkStore.cpp - Tiles that TMA stores ----------------------*- C++ -*-===//

#include "tilec/Analysis/BulkStore.h"

#include "tilec/Analysis/BulkPlan.h"
#include "tilec/Layout/MatrixOperand.h"

#include <numeric>

using namespace mlir;
using namespace tilec;
using namespace tilec::analysis;

/// Elements of a box along a dimension (CUDA driver API 6.30).
static constexpr int64_t kMostBoxExtent = 256;

int64_t BulkStore::slices() const {
  int64_t count = 1;
  for (const Walk &walk : walks)
    count *= walk.count;
  return count;
}

/// Parts the digits of dimension `dim` into those of a slice of `extent` elements, or of as many as lie side by side where that is 0, those
/// that tell warps apart and those that walk from slice to slice. Gives back the elements of a slice; nothing where they do not part so.
static std::optional<int64_t> partDim(BulkStore &store, const tile::Distribution &held, unsigned dim, int64_t extent) {
  SmallVector<tile::LocalDigit> local = held.getLocalDigits();
  int64_t inside = 1;
  bool full = false;
  SmallVector<tile::Digit> &ofSlice = store.held.dims[dim], &ofWarp = store.origin.dims[dim];
  for (tile::Digit digit : llvm::reverse(held.dims[dim])) {
    bool ofWarps = digit.threadStride >= tile::kWarpThreads, ofLanes = digit.threadStride != 0 && !ofWarps;
    full |= ofWarps || digit.step != inside || inside == extent || (extent == 0 && inside * digit.count > kMostBoxExtent);
    if (ofWarps) {
      ofWarp.push_back(digit);
      continue;
    }
    if (ofLanes && (full || digit.threadStride * digit.count > tile::kWarpThreads || (extent != 0 && inside * digit.count > extent)))
      return std::nullopt;
    tile::Digit own = digit;
    if (full)
      own.count = 1;
    else if (extent != 0 && inside * digit.count > extent)
      own.count = extent / inside;
    if (digit.count % own.count != 0)
      return std::nullopt;
    inside *= own.count;
    if (own.count < digit.count) {
      unsigned number = llvm::find_if(local, [&](const tile::LocalDigit &other) { return other.dim == dim && other.digit == digit; }) - local.begin();
      store.walks.push_back({dim, number, digit.count / own.count, digit.step * own.count, own.count});
    }
    ofSlice.push_back(own);
  }
  std::reverse(ofSlice.begin(), ofSlice.end());
  std::reverse(ofWarp.begin(), ofWarp.end());
  return extent == 0 || inside == extent ? std::optional(inside) : std::nullopt;
}

/// Is the operand one that tensor maps take, and does each slice begin at 16 bytes of its row?
static LogicalResult checkOperand(tile::StoreOp store, const tile::Access &dest, int64_t bytes) {
  SmallVector<int64_t> strides = *tile::getStaticStrides(cast<MemRefType>(dest.root.getType()));
  auto isWhole = [&](int64_t elements) { return elements * bytes % kBulkBytes == 0; };
  if (strides.back() == 1 && llvm::all_of(ArrayRef(strides).drop_back(), [&](int64_t stride) { return ShapedType::isDynamic(stride) || isWhole(stride); }) &&
      isWhole(std::gcd(tile::getDivisor(dest.subscripts.back()), kBulkBytes)))
    return success();
  InFlightDiagnostic diag = store.emitOpError("copy(tma) stores rows of stride 1 to places, and an operand whose other static strides, are multiples of 16 bytes"); // limit_x44
  diag.attachNote(dest.root.getLoc()) << "the operand is of type " << dest.root.getType();
  return diag;
}

static layout::SmemSwizzle getSwizzle(int64_t rowBytes) {
  return rowBytes == 128 ? layout::SmemSwizzle::Bytes128 : rowBytes == 64 ? layout::SmemSwizzle::Bytes64 : layout::SmemSwizzle::Bytes32;
}

FailureOr<BulkStore> tilec::analysis::getBulkStore(tile::StoreOp store, const tile::Distribution &held) {
  auto type = cast<MemRefType>(store.getTile().getType());
  tile::Access dest = tile::getDestAccess(store);
  int64_t columns = *store.getSliceColumns(), bits = type.getElementTypeBitWidth(), threads = tile::getComputeThreads(store->getParentOfType<tile::KernelOp>());
  if (failed(checkOperand(store, dest, bits / 8)))
    return failure();
  BulkStore result;
  result.operand = cast<BlockArgument>(dest.root);
  result.slots = store.getSlots().value_or(1);
  result.warps = threads / tile::kWarpThreads;
  result.held.dims.resize(type.getRank());
  result.held.order = held.order;
  result.origin.dims.resize(type.getRank());
  auto [rowDim, columnDim] = *tile::getMatrixDims(type.getShape());
  std::optional<int64_t> width = partDim(result, held, columnDim, columns), rows = width ? partDim(result, held, rowDim, 0) : std::nullopt;
  std::vector<int64_t> slice(type.getRank(), 1);
  slice[rowDim] = rows.value_or(1);
  slice[columnDim] = columns;
  layout::Result<layout::ComposedLayout> layout = layout::Error{""};
  if (rows && *rows % kSwizzleRows == 0 && threads % tile::kWarpThreads == 0 && held.getHolders() == threads)
    layout = layout::matrixTileLayout(slice, columnDim, getSwizzle(columns * bits / 8), bits);
  if (!layout) // limit_x44
    return store.emitOpError("copy(tma) needs warps that hold boxes of ") << columns << " columns, of whole 8 rows, each element once; this tile is not held so";
  result.type = MemRefType::get(slice, type.getElementType(), tile::LayoutAttr::get(store.getContext(), *layout), Attribute(tile::LevelAttr::get(store.getContext(), tile::Level::SMEM)));
  result.swizzleBytes = columns * bits / 8;
  if (result.slices() % result.slots != 0) // limit_x44
    return store.emitOpError("slots(") << result.slots << ") does not part the " << result.slices() << " slices of a warp";
  while (result.run * 2 <= tile::kWidestBytes * 8 / bits && held.getRunDim() == columnDim && held.hasRuns(result.run * 2))
    result.run *= 2;
  return result;
}

SmallVector<tile::StoreOp> tilec::analysis::getBulkStores(tile::KernelOp kernel) {
  SmallVector<tile::StoreOp> stores;
  kernel.walk<WalkOrder::PreOrder>([&](tile::StoreOp store) {
    if (store.getCopy() == tile::Copy::Tma)
      stores.push_back(store);
  });
  return stores;
}

SmallVector<Operation *> tilec::analysis::getBulkOps(tile::KernelOp kernel) {
  SmallVector<Operation *> ops(llvm::to_vector_of<Operation *>(getBulkStages(kernel)));
  llvm::append_range(ops, llvm::to_vector_of<Operation *>(getBulkStores(kernel)));
  return ops;
}
