//===- Registers.cpp - Registers that a thread will take --------*- C++ -*-===//
//
// What lives while a thread computes is read off the nest. What the compiler adds
// differs between architectures and stands in the machine's description.
//
//===----------------------------------------------------------------------===//

#include "tilec/Analysis/Capacity.h"
#include "tilec/Analysis/ClusterReduce.h"
#include "tilec/Analysis/LaunchPlan.h"
#include "tilec/Analysis/StreamRegisters.h"

#include "tilec/Tile/Access.h"
#include "tilec/Tile/Distribution.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;
using namespace tilec;
using namespace tilec::analysis;
using tilec::tile::Level;
using tilec::tile::Unit;

/// Of a thread that does nothing but compute with what it holds.
constexpr int64_t kFewest = 5;

namespace {

/// Of each thread.
struct Estimate {
  int64_t registers = 0;
  /// The blocks an SM for which the compiler is to do with less than it likes; 1 where it need not.
  int64_t squeezedFor = 1;
  /// What it likes beside what it is asked to do with.
  double tightness = 1;
  /// Those that do not fit, of what the compiler cannot do without.
  int64_t spilled = 0;
};

class Estimator {
public:
  Estimator(const NestModel &model, int64_t threadsPerBlock, const MachineSpec &machine)
      : model(model), threadsPerBlock(threadsPerBlock), machine(machine), compiler(machine.compiler.registers),
        free(share(std::min(machine.limits.threadsPerSM.value, machine.limits.blocksPerSM.value * threadsPerBlock))) {}

  Estimate run() {
    bool loops = llvm::any_of(
        model.loops, [](const LoopModel &loop) { return loop.unit == Unit::Time && loop.count() > 1; });
    std::optional<RegisterRange> streamed = getStreamedLoopRegisters(model, machine.compiler);
    Estimate estimate;
    if (std::optional<int64_t> registers = registersOfElement())
      estimate.registers = *registers;
    else if (!loops)
      estimate.registers = registersOfStraight();
    else if (streamed)
      estimate.registers = upToFree(streamed->needed, streamed->liked);
    else
      estimate = squeeze(upToFree(registersOfLoops(), registersOfLoops() + registersOfWrittenOut()));
    estimate.registers = std::min(estimate.registers, share(threadsPerBlock));
    // Addresses make no thread take more than there are.
    if (isByWarps())
      estimate.registers = std::min(estimate.registers, std::max(estimate.registers - addressesOfWarps(), machine.limits.registersPerThread.value));
    if (loops && !streamed)
      estimate.spilled = std::max<int64_t>(0, shareOf(compiler.neededShare, neededByLoops()) - std::min(estimate.registers, machine.limits.registersPerThread.value));
    return estimate;
  }

private:
  /// What each of `threads` threads can have where so many are to fit an SM: each scheduler has its part of the
  /// registers, and whole warps.
  int64_t share(int64_t threads) const {
    const LimitsSpec &limits = machine.limits;
    int64_t grain = std::max<int64_t>(limits.registerAllocationUnit.value / limits.warpSize.value, 1);
    int64_t warps = llvm::divideCeil(std::max<int64_t>(threads, 1), limits.warpSize.value);
    int64_t perWarp = machine.registersPerSM() / limits.issueSlots.value / static_cast<int64_t>(llvm::divideCeil(warps, limits.issueSlots.value));
    return std::max(perWarp / limits.warpSize.value / grain * grain, grain);
  }

  /// What lets one block more fit an SM, if `liked` is not far above it, or what the launch asks the compiler for.
  Estimate squeeze(int64_t liked) const {
    // An instruction of a warp needs all of its operands at once: there is nothing to spare.
    if (isByWarps())
      return {liked};
    constexpr int64_t kTwo = 2;
    Estimate withRoom = squeezeBy(liked, compiler.room.value);
    tile::LaunchOp launch = getLaunch(model.kernel);
    int64_t asked = launch ? launch.getMinBlocks().value_or(1) : std::min(withRoom.squeezedFor, kTwo);
    bool mayTakeAll = launch && launch.getMinBlocks() == 1;
    int64_t registers = mayTakeAll ? liked : squeezeBy(liked, compiler.squeeze.value).registers;
    if (asked > 1 && share(asked * threadsPerBlock) < liked) {
      int64_t given = std::min(registers, share(asked * threadsPerBlock));
      return {given, withRoom.squeezedFor, static_cast<double>(liked) / static_cast<double>(given)};
    }
    return {registers, withRoom.squeezedFor};
  }

  /// Going at most `percent` percent below what the compiler would like.
  Estimate squeezeBy(int64_t liked, int64_t percent) const {
    for (int64_t count = 1; count * threadsPerBlock <= machine.limits.threadsPerSM.value; ++count) {
      int64_t most = share(count * threadsPerBlock);
      if (most >= liked)
        continue;
      if (liked * 100 > most * (100 + percent))
        break;
      return {most, count};
    }
    return {liked};
  }

  /// What `share` is of `count`, rounded down; a share in decimal may lie below what it stands for.
  static int64_t shareOf(const SourcedReal &share, int64_t count) {
    constexpr double kRounding = 1e-9;
    return static_cast<int64_t>(std::floor(share.value * static_cast<double>(count) + kRounding));
  }

  /// At least `needed`, and of what more the compiler would like as much as costs no occupancy, or one above.
  int64_t upToFree(int64_t needed, int64_t liked) const { return std::max(needed, std::min(liked, free + 1)); }

  bool repeats(ArrayRef<unsigned> loops) const { return analysis::repeats(model, loops); }

  /// Does `tile` come again while `source` stays?
  bool repeatsWithin(const TileModel &tile, const TileModel &source) const {
    SmallVector<unsigned> own;
    llvm::copy_if(tile.loops, std::back_inserter(own), [&](unsigned loop) { return !llvm::is_contained(source.loops, loop); });
    return repeats(own);
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
    if (!tile.isCopied() || tile.passes)
      return 0;
    // All that a thread loads of an operand at once is under way before any of it is used.
    if (!repeats(tile.loops) && tile.source->isOperand && elementsPerThread(model, number) > 1 && !tile.conditional)
      return registers;
    // What is loaded and used once flows through few registers, as does what a loop reads of an operand.
    if (!repeats(tile.loops) || (tile.depth == 1 && tile.source->isOperand))
      return 0;
    // A barrier stands between what one step loads of shared memory and what the next one does.
    if (tile.depth == 1 && !tile.source->isOperand && !repeatsWithin(tile, model.tiles[tile.source->root]))
      return 0;
    // An instruction of a warp is done with what it takes, and the next one is loaded where that was, however far ahead.
    if (tile.lanes > 1)
      return registers;
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
    bool cuts = !model.loops.empty() && tile::ForOp(model.loops.front().op).getCutLoop();
    // Loops that read an operand an element at a time are so small that what they keep of extents and strides is seen.
    int64_t known = registersOfWrittenOut() > 0 && !cuts ? compiler.atLaunch.value - getLaunchRegisters(model, compiler) : 0;
    int64_t taken = compiler.loops.value - known + liveTiles() + registersOfCopies() + registersOfReads() + registersOfWarps();
    if (cuts)
      taken += compiler.cut.value;
    return taken + (getReducingLoop(model) ? compiler.clusterSum.value : 0);
  }

  /// What would have to be spilled of what loops do not have. Of addresses that do not fit the compiler spills more, since each is made of several values.
  int64_t neededByLoops() const {
    int64_t liked = registersOfLoops();
    constexpr int64_t kOfAddress = 3;
    return liked <= machine.limits.registersPerThread.value ? liked : liked + kOfAddress * addressesOfWarps();
  }

  bool isByWarps() const {
    return llvm::any_of(model.tiles, [](const TileModel &tile) { return tile.source && tile.lanes > 1; });
  }

  /// Of instructions of warps, which take their operands from a lane's registers: by the sums of a lane.
  int64_t registersOfWarps() const {
    int64_t sums = 0;
    for (auto [number, tile] : llvm::enumerate(model.tiles))
      if (tile.level == Level::RF && !tile.source)
        sums = std::max(sums, elementsPerThread(model, number));
    return isByWarps() ? compiler.warp.value + shareOf(compiler.warpShare, sums) + addressesOfWarps() : 0;
  }

  /// Beside instructions of warps: of what a thread copies in a step beyond a few pieces, and, of elements that lanes load one by one, as those of 4 bytes, of each
  /// step of instructions but the first ones.
  int64_t addressesOfWarps() const {
    if (!isByWarps())
      return 0;
    constexpr int64_t kFewPieces = 8, kFewSteps = 2, kOneByOne = 4;
    int64_t pieces = 0, steps = 0;
    for (const TileModel &tile : model.tiles) {
      if (tile.level == Level::SMEM && tile.source && tile.depth > 1 && !tile.boxed)
        pieces += llvm::divideCeil(copiedByThread(tile) * tile.elementBytes, tile::kWidestBytes);
      if (tile.lanes == 1 || !tile.source || tile.source->isOperand || tile.elementBytes != kOneByOne)
        continue;
      int64_t own = 1;
      for (unsigned loop : tile.loops)
        if (!llvm::is_contained(model.tiles[tile.source->root].loops, loop) && model.loops[loop].unit == Unit::Time)
          own *= model.loops[loop].count();
      steps = std::max(steps, own);
    }
    return compiler.warpPiece.value * std::max<int64_t>(pieces - kFewPieces, 0) + compiler.warpStep.value * std::max<int64_t>(steps - kFewSteps, 0);
  }

  /// Of what a thread loads of operands before it computes. The last of it takes the registers of its own addresses, unless the threads
  /// exchange something while they hold it.
  int64_t loadedAtOnce() const {
    int64_t loaded = 0, last = 0;
    for (auto [number, tile] : llvm::enumerate(model.tiles)) {
      if (tile.level != Level::RF || !tile.source || !tile.source->isOperand)
        continue;
      int64_t elements = elementsPerThread(model, number);
      int64_t registers = elements > 1 && !tile.conditional ? llvm::divideCeil(elements * tile.elementBytes, 4) : 0;
      registers = isSpreadOut(tile) ? elements : registers;
      bool own = llvm::any_of(tile.loops, [&](unsigned loop) { return model.loops[loop].onThreads(); });
      loaded += registers;
      last = own ? registers : 0;
    }
    return loaded - last;
  }

  /// The most of a tile each element of which has a register.
  int64_t spreadOut() const {
    int64_t most = 0;
    for (auto [number, tile] : llvm::enumerate(model.tiles))
      most = std::max(most, isSpreadOut(tile) ? elementsPerThread(model, number) : 0);
    return most;
  }

  int64_t registersOfStraight() const {
    int64_t copied = 0, inputs = 0;
    for (const TileModel &tile : model.tiles)
      if (tile.level == Level::SMEM && tile.source)
        copied = std::max(copied, copiedByThread(tile));
    for (const ComputeModel &compute : model.computes)
      for (const ComputeOperand &input : compute.inputs)
        inputs += input.place.isOperand;
    if (inputs == 0)
      if (std::optional<RegisterRange> stream = getStreamRegisters(model, compiler))
        return std::max(upToFree(stream->needed, stream->liked), kFewest + liveTiles());
    int64_t needed = std::max(compiler.straight.value + liveTiles(), compiler.stream.value + spreadOut());
    if (int64_t loaded = loadedAtOnce(); loaded > 0 && copied == 0 && inputs == 0)
      needed = std::max(compiler.straight.value + loaded, kFewest + liveTiles());
    if (copied == 0 && inputs > 0)
      return upToFree(0, compiler.moved.value + compiler.movedElement.value * inputs * unrolled());
    return upToFree(needed, needed + compiler.copied.value * copied);
  }

  /// Of a thread that takes one element of each input, guarded, and computes; nothing where it does more.
  std::optional<int64_t> registersOfElement() const {
    int64_t inputs = 0, dimensions = 1;
    bool shared = false;
    for (const TileModel &tile : model.tiles) {
      shared |= tile.level == Level::SMEM;
      if ((tile.level == Level::SMEM ? copiedByThread(tile) : tile.elements()) != 1)
        return std::nullopt;
      if (!tile.source || !tile.source->isOperand)
        continue;
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
    int64_t copies = unrolled();
    if (model.tiles.empty() || (copies > 1 && (inputs == 0 || !guarded || shared)))
      return std::nullopt;
    // What is scattered has an index for an input.
    inputs = std::max<int64_t>(inputs, 1);
    if (shared)
      return compiler.element.value + compiler.elementInput.value * inputs + compiler.elementDimension.value * (dimensions - 1) + compiler.elementShared.value;
    if (copies == 1 || (dimensions == 1 && inputs > compiler.predicated.value))
      return compiler.element.value + compiler.elementInput.value * inputs +
             compiler.elementDimension.value * (dimensions - 1) + shareOf(compiler.followingShare, copies - 1);
    return upToFree(0, compiler.together.value + compiler.togetherInput.value * (inputs - 1) +
                           compiler.togetherElement.value * copies -
                           (dimensions == 1 ? compiler.togetherLine.value : 0));
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
    int64_t waiting = 0, strides = 0, asked = 0;
    bool ahead = false;
    for (const TileModel &tile : model.tiles) {
      if (tile.level != Level::SMEM || !tile.source)
        continue;
      // Boxes have one thread's addresses.
      if (tile.depth > 1 && tile.boxed)
        continue;
      if (tile.depth > 1) {
        ahead = true;
        asked += copiedByThread(tile);
        strides += tile.source->isOperand ? stridesAtLaunch(tile) : 0;
      } else if (repeats(tile.loops)) {
        waiting = std::max(waiting, copiedByThread(tile));
      }
    }
    int64_t registers = shareOf(compiler.waitingShare, waiting);
    if (!ahead)
      return registers;
    if (llvm::any_of(model.loops, [](const LoopModel &loop) { return tile::ForOp(loop.op).getPersistent(); }))
      return registers + compiler.aheadPersistent.value;
    bool buffers = llvm::any_of(model.tiles, [](const TileModel &tile) {
      return tile.level == Level::RF && tile.source && tile.depth > 1;
    });
    constexpr int64_t kFew = 8;
    // Of few copies the addresses take the place of each other's; and beside register double buffers the compiler makes them anew.
    int64_t addresses = buffers ? 0 : shareOf(compiler.addressShare, std::max<int64_t>(asked - kFew, 0));
    return registers + compiler.ahead.value + addresses + kWideRegisters * strides + (buffers ? compiler.aheadBuffers.value : 0);
  }

  /// Of a loop that reads an operand's elements one at a time, with nothing but them to wait for.
  int64_t registersOfWrittenOut() const {
    bool reads = false;
    for (const TileModel &tile : model.tiles) {
      if (tile.level == Level::SMEM)
        return 0;
      reads |= tile.source && tile.source->isOperand && tile.elements() == 1 && !tile.conditional && repeats(tile.loops);
    }
    return reads ? compiler.unrolled.value : 0;
  }

  /// Of operands that a loop reads where they lie, and of tiles in shared memory that a computation reads itself.
  int64_t registersOfReads() const {
    int64_t operands = 0;
    bool shared = false;
    for (const TileModel &tile : model.tiles)
      operands += tile.level == Level::RF && tile.source && tile.source->isOperand &&
                  !tile.conditional && repeats(tile.loops);
    for (const ComputeModel &compute : model.computes) {
      if (compute.conditional || compute.byUnit || !repeats(compute.loops))
        continue;
      for (const ComputeOperand &input : compute.inputs) {
        operands += input.place.isOperand;
        shared |= !input.place.isOperand && model.levelOf(input.place) == Level::SMEM;
      }
    }
    return operands * (kWideRegisters + compiler.underWay.value) + (shared ? compiler.fromShared.value : 0);
  }

  const NestModel &model;
  int64_t threadsPerBlock;
  const MachineSpec &machine;
  const CompilerRegisters &compiler;
  /// With fewer registers no more threads fit an SM, so the compiler gains nothing.
  int64_t free;
};

} // namespace

int64_t tilec::analysis::wantedRegisters(const NestModel &model, int64_t threadsPerBlock, const MachineSpec &machine) {
  return Estimator(model, std::max<int64_t>(threadsPerBlock, 1), machine).run().registers;
}

int64_t tilec::analysis::getSpilledRegisters(const NestModel &model, int64_t threadsPerBlock, const MachineSpec &machine) {
  return Estimator(model, std::max<int64_t>(threadsPerBlock, 1), machine).run().spilled;
}

int64_t tilec::analysis::getSqueezedBlocks(const NestModel &model, int64_t threadsPerBlock, const MachineSpec &machine) {
  return Estimator(model, std::max<int64_t>(threadsPerBlock, 1), machine).run().squeezedFor;
}

double tilec::analysis::getTightness(const NestModel &model, int64_t threadsPerBlock, const MachineSpec &machine) {
  return Estimator(model, std::max<int64_t>(threadsPerBlock, 1), machine).run().tightness;
}

int64_t tilec::analysis::estimateRegisters(const NestModel &model, int64_t threadsPerBlock,
                                           const MachineSpec &machine) {
  return std::min(wantedRegisters(model, threadsPerBlock, machine), machine.limits.registersPerThread.value);
}
