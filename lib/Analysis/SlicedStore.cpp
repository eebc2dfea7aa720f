//===- SlicedStore.cpp - Stores by way of shared memory -----------*- C++ -*-===//

#include "tilec/Analysis/SlicedStore.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::analysis;

tile::Distribution SlicedStore::getDealt(int64_t width, bool all) const {
  int64_t groups = columns / width, rowsAtOnce = threads / groups;
  tile::Distribution dealt;
  dealt.dims.resize(rank);
  auto add = [](SmallVector<tile::Digit> &digits, int64_t count, int64_t step, int64_t threadStride) {
    if (count > 1)
      digits.push_back({count, step, threadStride});
  };
  SmallVector<tile::Digit> &ofRows = dealt.dims[rowDim];
  add(ofRows, rows / rowsAtOnce, rowsAtOnce, 0);
  add(ofRows, rowsAtOnce, 1, groups);
  SmallVector<tile::Digit> &ofColumns = dealt.dims[columnDim];
  if (all)
    add(ofColumns, slices, columns, 0);
  add(ofColumns, groups, width, 1);
  add(ofColumns, width, 1, 0);
  return dealt;
}

/// The elements of 16 bytes, the most that an instruction moves.
static int64_t getGroup(tile::StoreOp store) {
  return tile::kWidestBytes * 8 / cast<MemRefType>(store.getTile().getType()).getElementTypeBitWidth();
}

/// Parts what a thread holds into slices along its columns. Fails without a diagnostic.
static LogicalResult partHeld(SlicedStore &store, const tile::Distribution &held) {
  store.held = held;
  if (store.slices == 1)
    return success();
  SmallVector<tile::LocalDigit> local = held.getLocalDigits();
  bool parted = false;
  for (tile::Digit &digit : store.held.dims[store.columnDim]) {
    if (digit.step * digit.count <= store.columns)
      continue;
    // The digit of which each slice has its part.
    if (parted || digit.threadStride != 0 || store.columns % digit.step != 0)
      return failure();
    parted = true;
    store.moved = llvm::find_if(local, [&](const tile::LocalDigit &other) { return other.dim == store.columnDim && other.digit == digit; }) - local.begin();
    store.perSlice = store.columns / digit.step;
    digit.count = store.perSlice;
  }
  return success(parted);
}

FailureOr<SlicedStore> tilec::analysis::getSlicedStore(tile::StoreOp store, const tile::Distribution &held) {
  auto type = cast<MemRefType>(store.getTile().getType());
  SlicedStore result;
  result.rank = type.getRank();
  std::tie(result.rowDim, result.columnDim) = *tile::getMatrixDims(type.getShape());
  result.rows = type.getDimSize(result.rowDim);
  result.columns = *store.getSliceColumns();
  result.slices = type.getDimSize(result.columnDim) / result.columns;
  // Rows begin in other banks than the ones above: 16 bytes further.
  result.pitch = result.columns + getGroup(store);
  result.threads = tile::getComputeThreads(store->getParentOfType<tile::KernelOp>());
  if (failed(partHeld(result, held))) // limit_x39
    return store.emitOpError("through(") << result.columns << ") needs threads that hold the same of each slice of " << result.columns << " columns";
  while (result.run * 2 <= getGroup(store) && held.getRunDim() == result.columnDim && held.hasRuns(result.run * 2))
    result.run *= 2;
  for (int64_t width : {int64_t(1), getGroup(store)}) {
    int64_t groups = result.columns / width;
    if (groups * width != result.columns || result.threads % groups != 0 || result.rows % (result.threads / groups) != 0) // limit_x39
      return store.emitOpError("through(") << result.columns << ") needs slices that " << result.threads << " threads store in rounds of whole rows, "
                                           << groups << " groups of " << width << " elements each; " << result.rows << " rows of "
                                           << result.columns << " do not part so";
  }
  return result;
}

tile::Distribution tilec::analysis::getStoredSpread(tile::StoreOp store, const tile::Distribution &held) {
  if (!store.getSliceColumns() || store.getCopy())
    return held;
  ScopedDiagnosticHandler quiet(store.getContext(), [](Diagnostic &) { return success(); });
  FailureOr<SlicedStore> sliced = getSlicedStore(store, held);
  return failed(sliced) ? held : sliced->getDealt(getGroup(store), /*all=*/true);
}
