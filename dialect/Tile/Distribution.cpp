//===- Distribution.cpp - How units share work and registers ----*- C++ -*-===//
//
// Thread numbers of unit loops, and the digits of register tiles.
//
//===----------------------------------------------------------------------===//

#include "tilec/Tile/Distribution.h"
#include "tilec/Tile/LayoutDistribution.h"

#include "Bounds.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace tilec::tile;

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

bool tilec::tile::isThreadUnit(ForOp loop) {
  return loop.getUnit() == Unit::Thread || loop.getUnit() == Unit::Warp;
}

static int64_t getCount(ForOp loop) {
  int64_t count = 1;
  for (unsigned i = 0; i < loop.getNumLoops(); ++i)
    count = saturatingMul(count, loop.getStaticCount(i).value_or(1));
  return count;
}

int64_t tilec::tile::getThreadsInside(ForOp loop) {
  int64_t most = 1;
  loop.getBody().walk<WalkOrder::PreOrder>([&](ForOp inner) {
    if (!isThreadUnit(inner))
      return WalkResult::advance();
    most = std::max(most, getThreads(inner));
    return WalkResult::skip();
  });
  if (loop.getUnit() != Unit::Warp)
    return most;
  return saturatingMul(llvm::divideCeil(most, kWarpThreads), kWarpThreads);
}

int64_t tilec::tile::getThreads(ForOp loop) { return saturatingMul(getCount(loop), getThreadsInside(loop)); }

int64_t tilec::tile::getComputeThreads(KernelOp kernel) {
  int64_t most = 1;
  kernel.walk<WalkOrder::PreOrder>([&](ForOp loop) {
    if (!isThreadUnit(loop))
      return WalkResult::advance();
    most = std::max(most, getThreads(loop));
    return WalkResult::skip();
  });
  return most;
}

int64_t tilec::tile::getThreadStride(ForOp loop, unsigned i) {
  int64_t stride = getThreadsInside(loop);
  for (unsigned inner = i + 1; inner < loop.getNumLoops(); ++inner)
    stride = saturatingMul(stride, loop.getStaticCount(inner).value_or(1));
  return stride;
}

//===----------------------------------------------------------------------===//
// Digits
//===----------------------------------------------------------------------===//

SmallVector<int64_t> Distribution::getLocalShape() const {
  SmallVector<int64_t> shape;
  for (ArrayRef<Digit> digits : dims)
    for (const Digit &digit : digits)
      if (digit.threadStride == 0)
        shape.push_back(digit.count);
  return shape;
}

int64_t Distribution::getLocalElements() const { return llvm::product_of(getLocalShape()); }

std::optional<unsigned> Distribution::getRunDim() const {
  // The last local digit is the array's last dimension.
  std::optional<unsigned> last;
  int64_t step = 0;
  for (auto [dim, dimDigits] : llvm::enumerate(dims))
    for (const Digit &digit : dimDigits)
      if (digit.threadStride == 0) {
        last = dim;
        step = digit.step;
      }
  return step == 1 ? last : std::nullopt;
}

bool Distribution::hasRuns(int64_t width) const {
  std::optional<unsigned> dim = getRunDim();
  return dim && llvm::all_of(dims[*dim], [&](const Digit &digit) {
           return (digit.step == 1 && digit.threadStride == 0 ? digit.count : digit.step) % width == 0;
         });
}

bool Distribution::isLocal() const {
  return llvm::all_of(dims, [](ArrayRef<Digit> digits) {
    return llvm::all_of(digits, [](const Digit &digit) { return digit.threadStride == 0; });
  });
}

bool Distribution::isPartedBy(int64_t threadStride) const {
  return llvm::any_of(dims, [&](ArrayRef<Digit> digits) {
    return llvm::any_of(digits, [&](const Digit &digit) { return digit.threadStride == threadStride; });
  });
}

SmallVector<TileUse> tilec::tile::getTileUses(Value tile) {
  SmallVector<TileUse> uses;
  SmallVector<Value> views = {tile};
  while (!views.empty()) {
    for (OpOperand &use : views.pop_back_val().getUses()) {
      if (auto part = dyn_cast<PartOp>(use.getOwner())) {
        views.push_back(part.getPart());
        continue;
      }
      auto linalgOp = dyn_cast<linalg::LinalgOp>(use.getOwner());
      auto store = dyn_cast<StoreOp>(use.getOwner());
      bool writes = (linalgOp && linalgOp.isDpsInit(&use)) || (store && use.getOperandNumber() == 1);
      uses.push_back({&use, writes});
    }
  }
  return uses;
}

/// Adds the digit of `iv`, which moves dimension `dim` of the tile by `factor` an element.
static LogicalResult addDigit(SmallVectorImpl<Digit> &digits, Operation *user, Value iv, int64_t factor) {
  std::optional<InductionVar> known = getInductionVar(iv);
  if (!known) // limit_x27
    return user->emitOpError("a register tile's subscripts must be induction variables");
  auto [loop, i] = *known;
  std::optional<int64_t> count = loop.getStaticCount(i);
  if (!count || factor <= 0) // limit_x27
    return user->emitOpError("walks a register tile with a loop whose extent is dynamic or whose factor is ")
           << factor << "; registers are indexed by constants";
  if (*count > 1)
    digits.push_back(
        {*count, saturatingMul(factor, loop.getSteps()[i]), isThreadUnit(loop) ? getThreadStride(loop, i) : 0});
  return success();
}

/// Neighbours that one thread holds are one digit: how loops walk it is theirs to say.
static void mergeLocalDigits(SmallVectorImpl<Digit> &digits) {
  SmallVector<Digit> merged;
  for (const Digit &digit : digits) {
    if (!merged.empty() && merged.back().threadStride == 0 && digit.threadStride == 0)
      merged.back() = {saturatingMul(merged.back().count, digit.count), digit.step, 0};
    else
      merged.push_back(digit);
  }
  digits.assign(merged.begin(), merged.end());
}

/// Adds `mode` of a thread/value layout, which moves the element down a column of `rows` or from column to column.
static LogicalResult addMode(Distribution &result, tilec::layout::Mode mode, int64_t rows, int64_t threadStride) {
  if (mode.extent == 1)
    return success();
  bool down = mode.stride < rows;
  // Threads may hold an element together; a thread holds it once.
  if (mode.stride == 0)
    return success(threadStride != 0);
  if (down ? mode.stride * mode.extent > rows : mode.stride % rows != 0)
    return failure();
  result.dims[down ? 0 : 1].push_back({mode.extent, down ? mode.stride : mode.stride / rows, threadStride});
  return success();
}

FailureOr<Distribution> tilec::tile::getDistribution(const tilec::layout::Layout &threadValue, int64_t rows, int64_t columns) {
  if (!threadValue.isStatic() || threadValue.rank() != 2)
    return failure();
  Distribution result;
  result.dims.resize(2);
  const tilec::layout::Layout ofThreads = threadValue.mode(0), ofValues = threadValue.mode(1);
  int64_t threads = 1;
  for (const tilec::layout::Mode &mode : ofThreads.modes()) {
    if (failed(addMode(result, mode, rows, threads)))
      return failure();
    threads *= mode.extent;
  }
  for (const tilec::layout::Mode &mode : ofValues.modes())
    if (failed(addMode(result, mode, rows, /*threadStride=*/0)))
      return failure();
  const int64_t extents[] = {rows, columns};
  for (auto [digits, extent] : llvm::zip_equal(result.dims, extents)) {
    llvm::sort(digits, [](const Digit &a, const Digit &b) { return a.step > b.step; });
    int64_t span = 1;
    for (const Digit &digit : llvm::reverse(digits)) {
      if (digit.step != span)
        return failure();
      span *= digit.count;
    }
    if (span != extent)
      return failure();
    mergeLocalDigits(digits);
  }
  return result;
}

FailureOr<Distribution> tilec::tile::getAccessDistribution(Value tile, Operation *user, const Access &access,
                                                           ArrayRef<int64_t> shape) {
  auto type = cast<MemRefType>(tile.getType());
  Distribution result;
  for (auto [dim, subscript] : llvm::enumerate(access.subscripts)) {
    SmallVector<Digit> &digits = result.dims.emplace_back();
    for (auto [iv, factor] : subscript.terms)
      if (failed(addDigit(digits, user, iv, factor)))
        return failure();
    if (subscript.constant != 0) // limit_x27
      return user->emitOpError("reads a register tile at constant ")
             << subscript.constant << " of dimension " << dim << "; its parts are the iterations of loops";
    llvm::sort(digits, [](const Digit &a, const Digit &b) { return a.step > b.step; });
    // Extents multiply up: each digit's step is what all digits below it span.
    int64_t span = shape[dim];
    for (const Digit &digit : llvm::reverse(digits)) {
      if (digit.step != span) // limit_x27
        return user->emitOpError("dimension ")
               << dim << ": a loop of step " << digit.step << " walks parts that span " << span;
      span = saturatingMul(span, digit.count);
    }
    if (span != type.getDimSize(dim)) // limit_x27
      return user->emitOpError("dimension ")
             << dim << ": loops and part cover " << span << " of " << type.getDimSize(dim) << " elements";
    if (shape[dim] > 1)
      digits.push_back({shape[dim], 1, 0});
    mergeLocalDigits(digits);
  }
  return result;
}

FailureOr<Distribution> tilec::tile::getDistribution(Value tile) {
  auto type = cast<MemRefType>(tile.getType());
  std::optional<Distribution> known;
  Operation *knownUser = nullptr;
  Value last;
  for (const TileUse &use : getTileUses(tile)) {
    Value view = use.operand->get();
    if (view == tile || view == last) // The whole tile: spread as its parts are. Uses of one part follow one another.
      continue;
    last = view;
    Operation *user = use.operand->getOwner();
    FailureOr<Distribution> distribution =
        getAccessDistribution(tile, view.getDefiningOp(), traceParts(view), cast<MemRefType>(view.getType()).getShape());
    if (failed(distribution))
      return failure();
    if (known && !(*known == *distribution)) { // hold_h4
      InFlightDiagnostic diag = user->emitOpError("parts a register tile otherwise than another loop does");
      diag.attachNote(knownUser->getLoc()) << "the other loop parts it here";
      diag.attachNote(tile.getLoc()) << "the tile";
      return diag;
    }
    known = distribution;
    knownUser = user;
  }
  if (known)
    return *known;
  Distribution whole;
  for (int64_t extent : type.getShape()) {
    SmallVector<Digit> &digits = whole.dims.emplace_back();
    if (extent > 1)
      digits.push_back({extent, 1, 0});
  }
  return whole;
}
