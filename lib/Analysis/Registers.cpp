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
/// An operand's address in a loop that reads it where it lies: 64 bits.
constexpr int64_t kAddress = 2;
/// Of values on their way through registers into shared memory about so many wait at once: 2 of 5,
/// the others are loaded while the first are stored.
constexpr int64_t kWaitingOf5 = 2;
/// With fewer a thread gains nothing: 2048 of them fit an SM.
constexpr int64_t kFree = 32;

namespace {

class Estimator {
public:
  explicit Estimator(const NestModel &model) : model(model) {}

  int64_t run() {
    llvm::DenseMap<Operation *, int64_t> registers;
    for (auto [number, tile] : llvm::enumerate(model.tiles))
      if (tile.level == Level::RF)
        registers[tile.op] = registersOf(number, tile);
    tile::KernelOp kernel = model.kernel;
    int64_t taken = kBase + liveRegisters(kernel.getBody().front(), registers);
    return std::max(taken + registersOfCopies() + registersOfAddresses(), kFree);
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
};

} // namespace

int64_t tilec::analysis::estimateRegisters(const NestModel &model, int64_t threadsPerBlock,
                                           const MachineSpec &machine) {
  // One block must fit an SM with all its threads.
  constexpr int64_t kGrain = 8;
  int64_t most = machine.registersPerSM() / std::max<int64_t>(threadsPerBlock, 1) / kGrain * kGrain;
  return std::min({Estimator(model).run(), most, machine.limits.registersPerThread.value});
}
