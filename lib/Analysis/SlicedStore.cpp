//===- SlicedStore.cpp - Stores by way of shared memory -----------*- C++ -*-===//

#include "tilec/Analysis/SlicedStore.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::analysis;

/// Rows of a slice, and columns in groups of `width`, those of units `apart`; those of the `slices` next slices as well.
static tile::Distribution deal(const SlicedStore &store, int64_t width, int64_t apart, int64_t slices) {
  int64_t groups = store.columns / width, rowsAtOnce = store.threads / groups, ofUnit = store.columnsOfUnit() / width;
  tile::Distribution dealt;
  dealt.dims.resize(store.rank);
  auto add = [](SmallVector<tile::Digit> &digits, int64_t count, int64_t step, int64_t threadStride) {
    if (count > 1)
      digits.push_back({count, step, threadStride});
  };
  SmallVector<tile::Digit> &ofRows = dealt.dims[store.rowDim];
  add(ofRows, store.rows / rowsAtOnce, rowsAtOnce, 0);
  add(ofRows, rowsAtOnce, 1, groups);
  SmallVector<tile::Digit> &ofColumns = dealt.dims[store.columnDim];
  add(ofColumns, store.units, apart, ofUnit);
  add(ofColumns, slices, store.columnsOfUnit(), 0);
  add(ofColumns, ofUnit, width, 1);
  add(ofColumns, width, 1, 0);
  return dealt;
}

tile::Distribution SlicedStore::getDealt(int64_t width, bool all) const { return deal(*this, width, apart, all ? slices : 1); }

tile::Distribution SlicedStore::getPlaced(int64_t width) const { return deal(*this, width, columnsOfUnit(), 1); }

std::pair<int64_t, int64_t> tilec::analysis::getUnitsBeside(const tile::Distribution &held, unsigned columnDim, int64_t columns) {
  int64_t units = 1, apart = columns;
  for (const tile::Digit &digit : held.dims[columnDim]) {
    if (digit.threadStride == 0 || digit.step * digit.count != apart)
      break;
    units *= digit.count;
    apart = digit.step;
  }
  // Of columns that threads alone part nothing is left to slice.
  return apart == 1 ? std::pair(int64_t(1), columns) : std::pair(units, apart);
}

/// The elements of 16 bytes, the most that an instruction moves.
static int64_t getGroup(tile::StoreOp store) {
  return tile::kWidestBytes * 8 / cast<MemRefType>(store.getTile().getType()).getElementTypeBitWidth();
}

/// Parts what a thread holds into slices along its columns, of units beside each other as many of each. Fails without a diagnostic.
static LogicalResult partHeld(SlicedStore &store, const tile::Distribution &held) {
  store.held = held;
  if (store.slices == 1)
    return success();
  std::tie(store.units, store.apart) = getUnitsBeside(held, store.columnDim, store.columns * store.slices);
  if (store.columns % store.units != 0)
    return failure();
  int64_t ofUnit = store.columnsOfUnit();
  SmallVector<tile::LocalDigit> local = held.getLocalDigits();
  bool parted = false;
  for (tile::Digit &digit : store.held.dims[store.columnDim]) {
    if (digit.step >= store.apart) { // Whose columns they are; in the array they follow one another.
      digit.step /= store.slices;
      continue;
    }
    if (digit.step * digit.count <= ofUnit)
      continue;
    // The digit of which each slice has its part.
    if (parted || digit.threadStride != 0 || ofUnit % digit.step != 0)
      return failure();
    parted = true;
    store.moved = llvm::find_if(local, [&](const tile::LocalDigit &other) { return other.dim == store.columnDim && other.digit == digit; }) - local.begin();
    store.perSlice = ofUnit / digit.step;
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
    if (groups * width != result.columns || result.columnsOfUnit() % width != 0 || result.threads % groups != 0 || result.rows % (result.threads / groups) != 0) // limit_x39
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
