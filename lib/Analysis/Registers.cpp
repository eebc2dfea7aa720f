//===- Registers.cpp - Registers that a thread will take --------*- C++ -*-===//
//
// What lives while a thread computes is read off the nest. What the compiler adds
// differs between architectures and was counted in what ptxas 13.0 made of the
// kernels that docs/results/prediction.md names.
//
//===----------------------------------------------------------------------===//

#include "tilec/Analysis/Capacity.h"
#include "tilec/Analysis/ClusterReduce.h"

#include "tilec/Tile/Distribution.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::analysis;
using tilec::tile::Level;
using tilec::tile::Unit;

/// An operand's address, or a stride that is known only at launch: 64 bits.
constexpr int64_t kWide = 2;
/// What copies that run ahead keep where blocks walk tiles: the rest is made again for each tile.
constexpr int64_t kAheadPersistent = 10;
/// A block's rank in its cluster and the address of another's shared memory, where blocks add up their tiles.
constexpr int64_t kClusterSum = 4;
/// Of values on their way through registers into shared memory in a loop so many of 5 wait at once;
/// the others are loaded while the first are stored.
constexpr int64_t kWaitingOf5 = 4;
/// Values under way to a computation that reads shared memory by itself.
constexpr int64_t kFromShared = 3;

// A thread that does one element at a time, each after a branch since it may lie beyond an edge: the
// compiler keeps the branches, so the values of one element live together, whatever is unrolled.
/// Where a thread and its block are, the element's number, and 2 that every kernel has.
constexpr int64_t kElement = 7;
/// Each dimension but one: a number and its share of a sum.
constexpr int64_t kDimension = 3;
/// Each input: a product of 64 bits for its address, in one half of which the value comes, and the rest.
constexpr int64_t kInput = 3;
/// Numbers of the elements that follow: 3 of 4 are kept, the others are made when they are needed.
constexpr int64_t kFollowingOf4 = 3;
/// What elements under way together need less where they have one dimension.
constexpr int64_t kOneDimension = 8;
/// Each element that a thread copies in no loop: where it goes and its value.
constexpr int64_t kCopied = 2;

namespace {

/// What the compiler adds on an architecture.
struct Compiler {
  std::pair<int, int> since;

  /// Of kernels with loops: where a thread and its block are, extents, strides, counters.
  int64_t base;
  /// Addresses of copies that run ahead and their places in the ring, strides aside.
  int64_t ahead;
  /// What they keep besides where the nest stages registers ahead too.
  int64_t buffers;
  /// Shares, owners and partial results of a last wave that is cut.
  int64_t cut;
  /// Loads under way of an operand that a loop reads where it lies.
  int64_t underWay;
  /// By how many percent the compiler goes below what it would like so that one block more fits an SM.
  int64_t squeeze;

  /// Of kernels without loops: as `base`. From sm_90 on strides and addresses of operands are in registers,
  /// before that instructions take them from constant memory.
  int64_t straight;
  /// Elements moved from operand to operand: what all share, and each.
  int64_t moved, perMoved;
  /// Unrolled elements under way together: of the first input, of each other, and of each element.
  int64_t together, perInput, perElement;
  /// Up to so many inputs of one dimension are loaded for all elements at once, without branches.
  int64_t predicated;
};

constexpr Compiler kCompilers[] = {
    {{8, 0}, 29, 14, 13, 17, 0, 4, 20, 12, 2, 13, 6, 4, 2},
    {{8, 6}, 35, 16, 6, 4, 0, 15, 20, 12, 2, 13, 6, 4, 2},
    {{9, 0}, 30, 6, 16, 18, 2, 20, 24, 10, 5, 16, 8, 1, 0},
    {{10, 0}, 31, 0, 0, 15, 14, 19, 24, 10, 5, 16, 8, 1, 0},
};

/// The newest that is not newer than the machine; the oldest for machines that ptxas 13.0 knows no more.
const Compiler &getCompiler(const MachineSpec &machine) {
  const Compiler *found = &kCompilers[0];
  for (const Compiler &compiler : kCompilers)
    if (compiler.since <= machine.computeCapability())
      found = &compiler;
  return *found;
}

class Estimator {
public:
  Estimator(const NestModel &model, int64_t threadsPerBlock, const MachineSpec &machine)
      : model(model), threadsPerBlock(threadsPerBlock), machine(machine), compiler(getCompiler(machine)),
        free(share(machine.limits.threadsPerSM.value)) {}

  int64_t run() {
    if (std::optional<int64_t> registers = registersOfElement())
      return *registers;
    bool loops = llvm::any_of(
        model.loops, [](const LoopModel &loop) { return loop.unit == Unit::Time && loop.count() > 1; });
    return std::min({loops ? squeezed(registersOfLoops()) : registersOfStraight(), share(threadsPerBlock),
                     machine.limits.registersPerThread.value});
  }

private:
  /// What each of `threads` threads can have where so many are to fit an SM.
  int64_t share(int64_t threads) const {
    constexpr int64_t kGrain = 8;
    return machine.registersPerSM() / std::max<int64_t>(threads, 1) / kGrain * kGrain;
  }

  /// What lets one block more fit an SM, if `liked` is not far above it.
  int64_t squeezed(int64_t liked) const {
    for (int64_t blocks = 1; blocks * threadsPerBlock <= machine.limits.threadsPerSM.value; ++blocks) {
      int64_t most = share(blocks * threadsPerBlock);
      if (most < liked)
        return liked * 100 <= most * (100 + compiler.squeeze) ? most : liked;
    }
    return liked;
  }

  /// At least `needed`, and of what more the compiler would like as much as costs no occupancy, or one above.
  int64_t upToFree(int64_t needed, int64_t liked) const { return std::max(needed, std::min(liked, free + 1)); }

  bool repeats(ArrayRef<unsigned> loops) const {
    return llvm::any_of(loops, [&](unsigned loop) {
      Unit unit = model.loops[loop].unit;
      return (unit == Unit::Time || unit == Unit::Unroll) && model.loops[loop].count() > 1;
    });
  }

  int64_t unrolled() const {
    int64_t copies = 1;
    for (const LoopModel &loop : model.loops)
      if (loop.unit == Unit::Unroll)
        copies *= loop.count();
    return copies;
  }

  int64_t registersOf(unsigned number, const TileModel &tile) const {
    int64_t registers = llvm::divideCeil(elementsPerThread(model, number) * tile.elementBytes, 4);
    if (!tile.source)
      return registers;
    // What is loaded and used once flows through few registers, as does what a loop reads of an operand.
    if (!repeats(tile.loops) || (tile.depth == 1 && tile.source->isOperand))
      return 0;
    // The compiler loads the next values of a loop over shared memory before it has used these,
    // unless the nest says how far ahead.
    return registers * (tile.depth == 1 ? 2 : tile.depth);
  }

  int64_t liveTiles() const {
    llvm::DenseMap<Operation *, int64_t> registers;
    for (auto [number, tile] : llvm::enumerate(model.tiles))
      if (tile.level == Level::RF)
        registers[tile.op] = registersOf(number, tile);
    tile::KernelOp kernel = model.kernel;
    return liveRegisters(kernel.getBody().front(), registers);
  }

  int64_t registersOfLoops() const {
    int64_t taken = compiler.base + liveTiles() + registersOfCopies() + registersOfReads();
    if (!model.loops.empty() && tile::ForOp(model.loops.front().op).getCutLoop())
      taken += compiler.cut;
    return taken + (getReducingLoop(model) ? kClusterSum : 0);
  }

  int64_t registersOfStraight() const {
    int64_t copied = 0, inputs = 0;
    for (const TileModel &tile : model.tiles)
      if (tile.level == Level::SMEM && tile.source)
        copied = std::max(copied, copiedByThread(tile));
    for (const ComputeModel &compute : model.computes)
      for (const ComputeOperand &input : compute.inputs)
        inputs += input.place.isOperand;
    int64_t needed = compiler.straight + liveTiles();
    if (copied == 0 && inputs > 0)
      return upToFree(0, compiler.moved + compiler.perMoved * inputs * unrolled());
    return upToFree(needed, needed + kCopied * copied);
  }

  /// Of a thread that takes one element of each input, guarded, and computes; nothing where it does more.
  std::optional<int64_t> registersOfElement() const {
    int64_t inputs = 0, dimensions = 1;
    for (const TileModel &tile : model.tiles) {
      if (tile.level != Level::RF || !tile.source || !tile.source->isOperand || tile.elements() != 1)
        return std::nullopt;
      ++inputs;
      dimensions = std::max<int64_t>(dimensions, tile.source->at.size());
    }
    if (llvm::any_of(model.loops, [](const LoopModel &loop) { return loop.unit == Unit::Time && loop.count() > 1; }))
      return std::nullopt;
    tile::KernelOp kernel = model.kernel;
    bool guarded = llvm::any_of(kernel.getBody().getArgumentTypes(), [](Type type) {
      auto operand = dyn_cast<MemRefType>(type);
      return operand && !operand.hasStaticShape();
    });
    if (inputs == 0 || !guarded)
      return std::nullopt;
    int64_t copies = unrolled();
    if (copies == 1 || (dimensions == 1 && inputs > compiler.predicated))
      return kElement + kInput * inputs + kDimension * (dimensions - 1) + kFollowingOf4 * (copies - 1) / 4;
    return upToFree(0, compiler.together + compiler.perInput * (inputs - 1) + compiler.perElement * copies -
                           (dimensions == 1 ? kOneDimension : 0));
  }

  int64_t copiedByThread(const TileModel &tile) const {
    return llvm::divideCeil(tile.elements(), std::max<int64_t>(model.threadsPerBlock(), 1));
  }

  /// Strides of the operand that `tile` is copied from which are known only at launch.
  int64_t stridesAtLaunch(const TileModel &tile) const {
    tile::KernelOp kernel = model.kernel;
    auto type = dyn_cast<MemRefType>(kernel.getBody().getArgument(tile.source->root).getType());
    SmallVector<int64_t> strides;
    int64_t offset;
    if (!type || failed(type.getStridesAndOffset(strides, offset)))
      return 0;
    return llvm::count(strides, ShapedType::kDynamic);
  }

  int64_t registersOfCopies() const {
    int64_t waiting = 0, strides = 0;
    bool ahead = false;
    for (const TileModel &tile : model.tiles) {
      if (tile.level != Level::SMEM || !tile.source)
        continue;
      if (tile.depth > 1) {
        ahead = true;
        strides += tile.source->isOperand ? stridesAtLaunch(tile) : 0;
      } else if (repeats(tile.loops)) {
        waiting = std::max(waiting, copiedByThread(tile));
      }
    }
    int64_t registers = waiting * kWaitingOf5 / 5;
    if (!ahead)
      return registers;
    if (llvm::any_of(model.loops, [](const LoopModel &loop) { return tile::ForOp(loop.op).getPersistent(); }))
      return registers + kAheadPersistent;
    bool buffers = llvm::any_of(model.tiles, [](const TileModel &tile) {
      return tile.level == Level::RF && tile.source && tile.depth > 1;
    });
    return registers + compiler.ahead + kWide * strides + (buffers ? compiler.buffers : 0);
  }

  /// Of operands that a loop reads where they lie, and of tiles in shared memory that a computation reads itself.
  int64_t registersOfReads() const {
    int64_t operands = 0;
    bool shared = false;
    for (const TileModel &tile : model.tiles)
      operands += tile.level == Level::RF && tile.source && tile.source->isOperand &&
                  !tile.conditional && repeats(tile.loops);
    for (const ComputeModel &compute : model.computes) {
      if (compute.conditional || !repeats(compute.loops))
        continue;
      for (const ComputeOperand &input : compute.inputs) {
        operands += input.place.isOperand;
        shared |= !input.place.isOperand && model.levelOf(input.place) == Level::SMEM;
      }
    }
    return operands * (kWide + compiler.underWay) + (shared ? kFromShared : 0);
  }

  const NestModel &model;
  int64_t threadsPerBlock;
  const MachineSpec &machine;
  const Compiler &compiler;
  /// With fewer registers no more threads fit an SM, so the compiler gains nothing.
  int64_t free;
};

} // namespace

int64_t tilec::analysis::estimateRegisters(const NestModel &model, int64_t threadsPerBlock,
                                           const MachineSpec &machine) {
  return Estimator(model, std::max<int64_t>(threadsPerBlock, 1), machine).run();
}
