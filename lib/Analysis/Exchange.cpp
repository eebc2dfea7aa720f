//===- Exchange.cpp - What threads hand on through DRAM ---------*- C++ -*-===//
//
// See Exchange.h. An access is a box of elements and the number of the thread that
// touches each of them; two accesses in one block need a barrier between them if
// different threads may touch one element.
//
//===----------------------------------------------------------------------===//

#include "tilec/Analysis/Exchange.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "tilec/Tile/Distribution.h"
#include "tilec/Tile/Touches.h"

#include <map>

using namespace mlir;
using namespace tilec;
using namespace tilec::analysis;
using tile::ForOp;
using tile::TouchSystem;

namespace {
class ExchangeFinder {
public:
  explicit ExchangeFinder(tile::KernelOp kernel) : kernel(kernel) {}
  FailureOr<DenseSet<Operation *>> find();

private:
  LogicalResult compare(const tile::Touch &first, const tile::Touch &second);
  bool mayMeet(const tile::Touch &first, const tile::Touch &second, ForOp scope);
  bool canMeet(const tile::Touch &first, const tile::Touch &second, ForOp scope);
  bool hasThreadLoops(ForOp loop);
  TouchSystem::Sum getThread(TouchSystem &system, const tile::Touch &touch, unsigned side);
  TouchSystem::Sum addDigits(TouchSystem &system, const tile::Touch &touch, Value tile, unsigned side);

  tile::KernelOp kernel;
  DenseSet<Operation *> places;
  int64_t comparisons = 0;
  /// What is known of two sides and a scope, by what distinguishes a side: root, kind, register tile, and whether its op
  /// writes memory.
  using Side = std::tuple<void *, unsigned, void *, bool>;
  std::map<std::tuple<Side, Side, Operation *>, bool> meetings;
  DenseMap<Operation *, bool> threadLoops;
};
} // namespace

/// The op around `op`, or itself, that all threads of a block come to together.
static Operation *getMeetingPlace(Operation *op) {
  Operation *place = op;
  for (auto loop = op->getParentOfType<ForOp>(); loop; loop = loop->getParentOfType<ForOp>())
    if (tile::isThreadUnit(loop))
      place = loop;
  return place;
}

/// The innermost loop on block or cluster around `op`; null where the kernel has one block.
static ForOp getBlockLoop(Operation *op) {
  auto loop = op->getParentOfType<ForOp>();
  while (loop && loop.getUnit() != tile::Unit::Block && loop.getUnit() != tile::Unit::Cluster)
    loop = loop->getParentOfType<ForOp>();
  return loop;
}

/// The register tile whose elements `touch` moves, one to one; null for none.
static Value getRegisterTile(const tile::Touch &touch) {
  Value tile;
  if (auto stage = dyn_cast<tile::StageOp>(touch.op))
    tile = stage.getTile();
  else if (auto store = dyn_cast<tile::StoreOp>(touch.op))
    tile = store.getTile();
  if (llvm::any_of(touch.shape, ShapedType::isDynamic)) // Padding and indices read elements again.
    return {};
  return tile && tile::getLevel(tile.getType()) == tile::Level::RF ? tile : Value();
}

/// Ties the elements that `touch` moves to the digits of `tile`, which say who holds them. Returns the thread's number as
/// far as they tell it.
TouchSystem::Sum ExchangeFinder::addDigits(TouchSystem &system, const tile::Touch &touch, Value tile, unsigned side) {
  TouchSystem::Sum thread;
  FailureOr<tile::Distribution> distribution = tile::getDistribution(tile);
  if (failed(distribution))
    return thread;
  for (auto [dim, digits] : llvm::enumerate(distribution->dims)) {
    TouchSystem::Sum offset = system.getElement(dim) - system.getSum(touch.at.subscripts[dim], side);
    for (const tile::Digit &digit : digits) {
      TouchSystem::Sum number = system.addVariable(), last;
      last.constant = digit.count - 1;
      system.requireNotNegative(last - number);
      offset = offset - number * digit.step;
      thread = thread + number * digit.threadStride;
    }
    system.requireZero(offset);
  }
  return thread;
}

static bool writesMemory(Operation *op) {
  if (auto compute = dyn_cast<linalg::LinalgOp>(op))
    return llvm::any_of(compute.getDpsInits(), [](Value init) { return tile::getLevel(init.getType()) != tile::Level::RF; });
  return isa<tile::StoreOp>(op);
}

TouchSystem::Sum ExchangeFinder::getThread(TouchSystem &system, const tile::Touch &touch, unsigned side) {
  TouchSystem::Sum thread;
  int64_t known = 1, all = 1;
  Operation *place = getMeetingPlace(touch.op);
  for (auto loop = touch.op->getParentOfType<ForOp>(); loop; loop = loop->getParentOfType<ForOp>()) {
    if (!tile::isThreadUnit(loop))
      continue;
    for (unsigned i = 0; i < loop.getNumLoops(); ++i) {
      thread = thread + system.getIteration(loop.getInductionVar(i), side) * tile::getThreadStride(loop, i);
      known *= *loop.getStaticCount(i);
    }
  }
  if (auto loop = dyn_cast<ForOp>(place))
    all = tile::getThreads(loop);
  else
    kernel.walk([&](ForOp inner) {
      if (tile::isThreadUnit(inner))
        all = std::max(all, tile::getThreads(inner));
    });
  if (Value tile = getRegisterTile(touch)) {
    thread = thread + addDigits(system, touch, tile, side);
    FailureOr<tile::Distribution> distribution = tile::getDistribution(tile);
    if (succeeded(distribution))
      for (ArrayRef<tile::Digit> digits : distribution->dims)
        for (const tile::Digit &digit : digits)
          known *= digit.threadStride != 0 ? digit.count : 1;
  }
  // Of threads that hold the same the first writes, and computes what it writes to memory; all of them read.
  if (known != all && !writesMemory(touch.op))
    thread = thread + system.addVariable();
  return thread;
}

bool ExchangeFinder::hasThreadLoops(ForOp loop) {
  auto [known, isNew] = threadLoops.try_emplace(loop);
  if (isNew)
    known->second = loop.getBody().walk([](ForOp inner) {
      return tile::isThreadUnit(inner) ? WalkResult::interrupt() : WalkResult::advance();
    }).wasInterrupted();
  return known->second;
}

/// May different threads touch one element, one in `first` and one in `second`, within one iteration of `scope` (within the
/// kernel where it is null)?
bool ExchangeFinder::mayMeet(const tile::Touch &first, const tile::Touch &second, ForOp scope) {
  auto describe = [](const tile::Touch &touch) {
    return Side(touch.at.root.getAsOpaquePointer(), touch.kind, getRegisterTile(touch).getAsOpaquePointer(), writesMemory(touch.op));
  };
  auto [known, isNew] = meetings.try_emplace({describe(first), describe(second), scope ? scope.getOperation() : nullptr});
  // Barriers are cheaper than many more comparisons.
  constexpr int64_t kMostComparisons = 4096;
  if (isNew)
    known->second = ++comparisons > kMostComparisons || canMeet(first, second, scope);
  return known->second;
}

bool ExchangeFinder::canMeet(const tile::Touch &first, const tile::Touch &second, ForOp scope) {
  TouchSystem both(kernel, scope ? scope : kernel.getOperation());
  both.requireSameElement(first, second);
  if (scope)
    for (Value iv : scope.getBody().getArguments())
      both.requireZero(both.getIteration(iv, 1) - both.getIteration(iv, 0));
  TouchSystem::Sum distance = getThread(both, second, 1) - getThread(both, first, 0);
  for (int64_t sign : {1, -1}) {
    TouchSystem apart = both;
    TouchSystem::Sum beyond = distance * sign;
    beyond.constant -= 1;
    apart.requireNotNegative(beyond);
    if (!apart.isEmpty())
      return true;
  }
  return false;
}

/// The innermost loop on time around both that is executed by all threads together; null for none.
static ForOp getCommonTimeLoop(Operation *first, Operation *second, ForOp blocks) {
  for (auto loop = first->getParentOfType<ForOp>(); loop && loop != blocks; loop = loop->getParentOfType<ForOp>())
    if (loop->isProperAncestor(second))
      return loop;
  return {};
}

LogicalResult ExchangeFinder::compare(const tile::Touch &first, const tile::Touch &second) {
  Operation *before = getMeetingPlace(first.op), *after = getMeetingPlace(second.op);
  ForOp blocks = getBlockLoop(first.op);
  if (blocks != getBlockLoop(second.op)) // Rule I2: they have nothing in common.
    return success();
  bool repeats = static_cast<bool>(getCommonTimeLoop(before, after, blocks));
  if (before == after) {
    // Within one execution of a loop on threads its iterations are independent (rule I1), but those of loops in it may not be.
    auto threads = dyn_cast<ForOp>(before);
    if (threads && hasThreadLoops(threads) && mayMeet(first, second, threads)) { // limit_x14
      InFlightDiagnostic diag = second.op->emitOpError("touches elements of an operand that other threads touch in an iteration of the "
                                                       "same loop on ")
                                << stringifyUnit(threads.getUnit()) << ", one of them writing; threads wait for each other only outside of such loops";
      diag.attachNote(first.op->getLoc()) << "the other access";
      diag.attachNote(threads.getLoc()) << "the loop";
      return diag;
    }
    if (!repeats)
      return success();
  }
  if (places.contains(after) && (places.contains(before) || !repeats))
    return success();
  if (!mayMeet(first, second, blocks))
    return success();
  places.insert(after);
  if (repeats)
    places.insert(before);
  return success();
}

FailureOr<DenseSet<Operation *>> ExchangeFinder::find() {
  for (const auto &[root, touches] : tile::getTouches(kernel)) {
    if (tile::getLevel(root.getType()) != tile::Level::DRAM)
      continue;
    for (auto [number, second] : llvm::enumerate(touches))
      for (const tile::Touch &first : ArrayRef(touches).take_front(number + 1)) {
        bool adds = first.combine && first.combine == second.combine;
        if ((first.writes || second.writes) && !adds && failed(compare(first, second)))
          return failure();
      }
  }
  return std::move(places);
}

FailureOr<DenseSet<Operation *>> tilec::analysis::getExchanges(tile::KernelOp kernel) { return ExchangeFinder(kernel).find(); }
