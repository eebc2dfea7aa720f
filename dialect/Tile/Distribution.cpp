//===- Distribution.cpp - How units share work and registers ----*- C++ -*-===//
//
// Thread numbers of unit loops, and the digits of register tiles.
//
//===----------------------------------------------------------------------===//

#include "tilec/Tile/Distribution.h"
#include "tilec/Tile/LayoutDistribution.h"

#include "Bounds.h"
#include "Companions.h"
#include "tilec/Tile/InstructionUse.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace tilec::tile;

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

bool tilec::tile::isThreadUnit(ForOp loop) { return isThreadUnit(loop.getUnit()); }

bool tilec::tile::isThreadUnit(Unit unit) {
  switch (unit) {
  case Unit::Warpgroup:
  case Unit::Warp:
  case Unit::Thread:
    return true;
  case Unit::Time:
  case Unit::Unroll:
  case Unit::Cluster:
  case Unit::Block:
    return false;
  }
  return false;
}

ForOp tilec::tile::getThreadLoop(Operation *op) {
  auto loop = op->getParentOfType<ForOp>();
  while (loop && !isThreadUnit(loop))
    loop = loop->getParentOfType<ForOp>();
  return loop;
}

std::optional<Unit> tilec::tile::getInnermostUnit(Operation *op) {
  ForOp loop = getThreadLoop(op);
  return loop ? std::optional(loop.getUnit()) : std::nullopt;
}

int64_t tilec::tile::getUnitThreads(Unit unit) { return unit == Unit::Warpgroup ? kWarpgroupThreads : unit == Unit::Warp ? kWarpThreads : 1; }

int64_t tilec::tile::getNestCount(ForOp loop, unsigned i) { return loop.getStaticCount(i).value_or(1); }

/// The most threads that a loop on them in `region` runs on.
static int64_t getMostThreads(Region &region, LoopCount getCount) {
  int64_t most = 1;
  region.walk<WalkOrder::PreOrder>([&](ForOp loop) {
    if (!isThreadUnit(loop))
      return WalkResult::advance();
    most = std::max(most, getThreads(loop, getCount));
    return WalkResult::skip();
  });
  return most;
}

/// The threads that one iteration of the body of `loop` runs on.
static int64_t getThreadsInside(ForOp loop, LoopCount getCount) {
  int64_t whole = getUnitThreads(loop.getUnit());
  return saturatingMul(llvm::divideCeil(getMostThreads(loop.getBody(), getCount), whole), whole);
}

int64_t tilec::tile::getThreads(ForOp loop, LoopCount getCount) {
  return saturatingMul(getThreadStride(loop, 0, getCount), getCount(loop, 0));
}

int64_t tilec::tile::getComputeThreads(KernelOp kernel, LoopCount getCount) { return getMostThreads(kernel.getBody(), getCount); }

int64_t tilec::tile::getThreadStride(ForOp loop, unsigned i, LoopCount getCount) {
  int64_t stride = getThreadsInside(loop, getCount);
  for (unsigned inner = i + 1; inner < loop.getNumLoops(); ++inner)
    stride = saturatingMul(stride, getCount(loop, inner));
  return stride;
}

//===----------------------------------------------------------------------===//
// Digits
//===----------------------------------------------------------------------===//

SmallVector<LocalDigit> Distribution::getLocalDigits() const {
  SmallVector<LocalDigit> local;
  for (auto [dim, digits] : llvm::enumerate(dims))
    for (const Digit &digit : digits)
      if (digit.threadStride == 0)
        local.push_back({static_cast<unsigned>(dim), digit});
  if (order.empty())
    return local;
  return llvm::map_to_vector(order, [&](unsigned number) { return local[number]; });
}

SmallVector<int64_t> Distribution::getLocalShape() const {
  return llvm::map_to_vector(getLocalDigits(), [](const LocalDigit &local) { return local.digit.count; });
}

int64_t Distribution::getLocalElements() const { return llvm::product_of(getLocalShape()); }

std::optional<unsigned> Distribution::getRunDim() const {
  SmallVector<LocalDigit> local = getLocalDigits();
  return !local.empty() && local.back().digit.step == 1 ? std::optional(local.back().dim) : std::nullopt;
}

bool Distribution::hasRuns(int64_t width) const {
  std::optional<unsigned> dim = getRunDim();
  return dim && llvm::all_of(dims[*dim], [&](const Digit &digit) {
           return (digit.step == 1 && digit.threadStride == 0 ? digit.count : digit.step) % width == 0;
         });
}

std::optional<SmallVector<int64_t>> Distribution::getBox() const {
  SmallVector<int64_t> box;
  for (ArrayRef<Digit> digits : dims) {
    int64_t &extent = box.emplace_back(1);
    for (const Digit &digit : llvm::reverse(digits)) {
      if (digit.threadStride != 0)
        continue;
      if (digit.step != extent)
        return std::nullopt;
      extent *= digit.count;
    }
  }
  return box;
}

void Distribution::setOrder(ArrayRef<LocalDigit> values) {
  order.clear();
  SmallVector<LocalDigit> natural = getLocalDigits();
  for (const LocalDigit &value : values)
    order.push_back(llvm::find_if(natural, [&](const LocalDigit &other) { return other.dim == value.dim && other.digit == value.digit; }) - natural.begin());
  if (llvm::is_sorted(order))
    order.clear();
}

bool Distribution::isLocal() const {
  return llvm::all_of(dims, [](ArrayRef<Digit> digits) {
    return llvm::all_of(digits, [](const Digit &digit) { return digit.threadStride == 0; });
  });
}

int64_t Distribution::getHolders() const {
  int64_t threads = 1;
  for (ArrayRef<Digit> digits : dims)
    for (const Digit &digit : digits)
      if (digit.threadStride != 0)
        threads = saturatingMul(threads, digit.count);
  return threads;
}

SmallVector<Digit> Distribution::getThreadDigits() const {
  SmallVector<Digit> digits;
  for (ArrayRef<Digit> dim : dims)
    llvm::copy_if(dim, std::back_inserter(digits), [](const Digit &digit) { return digit.threadStride != 0; });
  // Neighbouring threads have neighbouring numbers.
  llvm::stable_sort(digits, [](const Digit &a, const Digit &b) { return a.threadStride > b.threadStride; });
  return digits;
}

int64_t Distribution::getHolder(int64_t thread) const {
  int64_t number = 0;
  for (const Digit &digit : getThreadDigits())
    number = number * digit.count + thread / digit.threadStride % digit.count;
  return number;
}

SmallVector<int64_t, 4> Distribution::getThreadCoordinates(int64_t thread) const {
  SmallVector<int64_t, 4> coordinates(dims.size(), 0);
  for (auto [coordinate, digits] : llvm::zip_equal(coordinates, dims))
    for (const Digit &digit : digits)
      if (digit.threadStride != 0)
        coordinate += thread / digit.threadStride % digit.count * digit.step;
  return coordinates;
}

bool Distribution::isPartedBy(int64_t threadStride) const {
  return llvm::any_of(dims, [&](ArrayRef<Digit> digits) {
    return llvm::any_of(digits, [&](const Digit &digit) { return digit.threadStride == threadStride; });
  });
}

std::optional<std::pair<unsigned, unsigned>> tilec::tile::getMatrixDims(ArrayRef<int64_t> shape) {
  if (shape.size() < 2)
    return std::nullopt;
  unsigned columns = shape.size() - 1, rows = columns - 1;
  while (rows > 0 && shape[rows] == 1)
    --rows;
  return llvm::product_of(shape.take_front(rows)) == 1 ? std::optional(std::pair(rows, columns)) : std::nullopt;
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
      if (isa<ForOp>(use.getOwner())) // It is tied to others there.
        continue;
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

/// What `matrix` spreads, its rows and columns, as those dimensions of a tile of `rank`.
static Distribution place(const Distribution &matrix, std::pair<unsigned, unsigned> dims, size_t rank) {
  Distribution result;
  result.dims.resize(rank);
  result.dims[dims.first] = matrix.dims[0];
  result.dims[dims.second] = matrix.dims[1];
  result.setOrder(llvm::map_to_vector(matrix.getLocalDigits(), [&](LocalDigit local) { return LocalDigit{local.dim == 0 ? dims.first : dims.second, local.digit}; }));
  return result;
}

/// How an operand of an instruction, whose elements are `shape`, is spread over the threads that execute it.
static FailureOr<Distribution> getFragment(const InstructionUse &use, OpOperand &operand, ArrayRef<int64_t> shape) {
  FailureOr<Distribution> spread = failure();
  auto [rows, columns] = use.getMatrixDims(operand);
  if (use.unit == Unit::Warp) {
    // Of inputs the record's columns run along k.
    auto record = tilec::layout::instructionLayout(use.name);
    const tilec::layout::OperandLayout &layout = record->operands[&operand == use.a ? 0 : &operand == use.b ? 1 : 2];
    spread = getDistribution(layout.threadValue, layout.rows, layout.columns);
  } else if (&operand == use.a) { // Those of a that lie in shared memory are no register tiles.
    if (auto record = tilec::layout::instructionLayout(use.name))
      spread = getDistribution(record->operands.front().threadValue, shape[rows], shape[columns]);
  } else if (auto layout = tilec::layout::wgmmaAccumulator(shape[columns]); &operand == use.c && layout) {
    spread = getDistribution(*layout, shape[rows], shape[columns]);
  }
  if (failed(spread))
    return failure();
  return place(*spread, {rows, columns}, shape.size());
}

FailureOr<Distribution> tilec::tile::getAccessDistribution(Value tile, OpOperand &use, const Access &access, ArrayRef<int64_t> shape) {
  auto type = cast<MemRefType>(tile.getType());
  Operation *user = use.get().getDefiningOp();
  std::optional<Distribution> fragment;
  bool isHeldFactor = false;
  if (std::optional<InstructionUse> instruction = getInstructionUse(use.getOwner())) {
    FailureOr<Distribution> ofLayout = getFragment(*instruction, use, shape);
    if (failed(ofLayout)) // kernel_c7
      return use.getOwner()->emitOpError("operand #") << use.getOperandNumber() << " of '" << instruction->getName() << "' is no register tile";
    fragment = *ofLayout;
    // What sums become is the next product's a, as it is.
    isHeldFactor = &use == instruction->a && (instruction->isAsynchronous() || tile.getDefiningOp<HoldOp>());
  }
  Distribution result;
  SmallVector<LocalDigit> values;
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
    if (!fragment && shape[dim] > 1)
      digits.push_back({shape[dim], 1, 0});
    mergeLocalDigits(digits);
    if (!fragment)
      continue;
    for (const Digit &digit : digits)
      if (digit.threadStride == 0)
        values.push_back({static_cast<unsigned>(dim), digit});
    llvm::append_range(digits, fragment->dims[dim]);
  }
  if (fragment) { // Instructions one after the other, each with its values side by side.
    llvm::append_range(values, fragment->getLocalDigits());
    if (isHeldFactor)
      mergeValues(result, values);
    result.setOrder(values);
  }
  return result;
}

FailureOr<std::optional<Distribution>> tilec::tile::getPartedDistribution(Value tile) {
  std::optional<Distribution> known;
  Operation *knownUser = nullptr;
  Value last;
  for (const TileUse &use : getTileUses(tile)) {
    Value view = use.operand->get();
    Operation *user = use.operand->getOwner();
    // Uses of one part follow one another.
    if (view == last || (view == tile && !getInstructionUse(user)))
      continue;
    last = view;
    FailureOr<Distribution> distribution =
        getAccessDistribution(tile, *use.operand, traceParts(view), cast<MemRefType>(view.getType()).getShape());
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
  return known;
}
