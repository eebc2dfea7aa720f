//===- Registers.cpp - Registers that a thread will take --------*- C++ -*-===//
//
// What lives while a thread computes is read off the nest. What the compiler adds
// was counted in what ptxas 13.0 made of the kernels that docs/prediction.md names.
//
//===----------------------------------------------------------------------===//

#include "tilec/Analysis/Capacity.h"

#include "tilec/Tile/Distribution.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::analysis;
using tilec::tile::Level;
using tilec::tile::Unit;

/// Where a thread and its block are, extents, strides, counters.
constexpr int64_t kBase = 28;
/// Addresses of copies that run ahead, and their places in the ring.
constexpr int64_t kAhead = 26;
/// Shares, owners and partial results of a last wave that is cut.
constexpr int64_t kCut = 16;
/// An operand's address in a loop that reads it where it lies: 64 bits.
constexpr int64_t kAddress = 2;
/// Of values on their way through registers into shared memory about so many wait at once: 2 of 5,
/// the others are loaded while the first are stored.
constexpr int64_t kWaitingOf5 = 2;

// A thread that does one element at a time, each behind a branch since it may lie beyond an edge: the
// compiler keeps the branches, so the values of one element live together, whatever is unrolled.
/// Where a thread and its block are, the element's number, and 2 that every kernel has.
constexpr int64_t kElement = 7;
/// Each dimension but one: a number and its share of a sum.
constexpr int64_t kDimension = 3;
/// Each input: a product of 64 bits for its address, in one half of which the value comes, and the rest.
constexpr int64_t kInput = 3;
/// Numbers of the elements that follow: 3 of 4 are kept, the others are made when they are needed.
constexpr int64_t kFollowingOf4 = 3;

namespace {

class Estimator {
public:
  /// `free`: with fewer registers no more threads fit an SM, so the compiler gains nothing.
  Estimator(const NestModel &model, int64_t free) : model(model), free(free) {}

  int64_t run() {
    if (std::optional<int64_t> registers = registersOfElement())
      return *registers;
    llvm::DenseMap<Operation *, int64_t> registers;
    for (auto [number, tile] : llvm::enumerate(model.tiles))
      if (tile.level == Level::RF)
        registers[tile.op] = registersOf(number, tile);
    tile::KernelOp kernel = model.kernel;
    int64_t taken = kBase + liveRegisters(kernel.getBody().front(), registers);
    if (!model.loops.empty() && tile::ForOp(model.loops.front().op).getCutLoop())
      taken += kCut;
    return std::max(taken + registersOfCopies() + registersOfAddresses(), free);
  }

private:
  bool repeats(ArrayRef<unsigned> loops) const {
    return llvm::any_of(loops, [&](unsigned loop) {
      Unit unit = model.loops[loop].unit;
      return (unit == Unit::Time || unit == Unit::Unroll) && model.loops[loop].count() > 1;
    });
  }

  int64_t registersOf(unsigned number, const TileModel &tile) const {
    int64_t registers = llvm::divideCeil(elementsPerThread(model, number) * tile.elementBytes, 4);
    if (!tile.source)
      return registers;
    // What is loaded and used once flows through few registers.
    if (!repeats(tile.loops))
      return 0;
    // The compiler loads the next values of a loop over shared memory before it has used these,
    // unless the nest says how far ahead.
    bool fromShared = model.levelOf(*tile.source) == Level::SMEM;
    return registers * (tile.depth == 1 && fromShared ? 2 : tile.depth);
  }

  /// Of a thread that takes one element of each input, guarded, and computes; nothing where it does more.
  std::optional<int64_t> registersOfElement() const {
    int64_t inputs = 0, dimensions = 1, unrolled = 1;
    for (const TileModel &tile : model.tiles) {
      if (tile.level != Level::RF || !tile.source || !tile.source->isOperand || tile.elements() != 1)
        return std::nullopt;
      ++inputs;
      dimensions = std::max<int64_t>(dimensions, tile.source->at.size());
    }
    for (const LoopModel &loop : model.loops) {
      if (loop.unit == Unit::Time && loop.count() > 1)
        return std::nullopt;
      if (loop.unit == Unit::Unroll)
        unrolled *= loop.count();
    }
    tile::KernelOp kernel = model.kernel;
    bool guarded = llvm::any_of(kernel.getBody().getArgumentTypes(), [](Type type) {
      auto operand = dyn_cast<MemRefType>(type);
      return operand && !operand.hasStaticShape();
    });
    if (inputs == 0 || !guarded)
      return std::nullopt;
    return kElement + kInput * inputs + kDimension * (dimensions - 1) + kFollowingOf4 * (unrolled - 1) / 4;
  }

  int64_t registersOfCopies() const {
    int64_t threads = std::max<int64_t>(model.threadsPerBlock(), 1), waiting = 0;
    bool ahead = false;
    for (const TileModel &tile : model.tiles) {
      if (tile.level != Level::SMEM || !tile.source)
        continue;
      ahead |= tile.depth > 1;
      if (tile.depth == 1 && repeats(tile.loops))
        waiting = std::max<int64_t>(waiting, llvm::divideCeil(tile.elements(), threads));
    }
    return (ahead ? kAhead : 0) + waiting * kWaitingOf5 / 5;
  }

  int64_t registersOfAddresses() const {
    int64_t operands = 0;
    for (const TileModel &tile : model.tiles)
      operands += tile.level == Level::RF && tile.source && tile.source->isOperand &&
                  !tile.conditional && repeats(tile.loops);
    for (const ComputeModel &compute : model.computes)
      if (!compute.conditional && repeats(compute.loops))
        for (const ComputeOperand &input : compute.inputs)
          operands += input.place.isOperand;
    return operands * kAddress;
  }

  const NestModel &model;
  int64_t free;
};

} // namespace

int64_t tilec::analysis::estimateRegisters(const NestModel &model, int64_t threadsPerBlock,
                                           const MachineSpec &machine) {
  // One block must fit an SM with all its threads.
  constexpr int64_t kGrain = 8;
  auto share = [&](int64_t threads) { return machine.registersPerSM() / std::max<int64_t>(threads, 1) / kGrain * kGrain; };
  int64_t registers = Estimator(model, share(machine.limits.threadsPerSM.value)).run();
  return std::min({registers, share(threadsPerBlock), machine.limits.registersPerThread.value});
}
