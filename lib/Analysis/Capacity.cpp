//===- Capacity.cpp - What a nest needs of a machine ------------*- C++ -*-===//
//
// Limits are those of the machine's file; the 48 KiB that a block may declare
// statically are none, since launches opt in to more.
//
//===----------------------------------------------------------------------===//

#include "tilec/Analysis/Capacity.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include "tilec/Analysis/ClusterReduce.h"
#include "tilec/Analysis/LaunchPlan.h"
#include "tilec/Analysis/PipelineDecisions.h"
#include "tilec/Analysis/SharedPlan.h"
#include "tilec/Analysis/ThroughputMatching.h"
#include "tilec/Tile/InstructionUse.h"
#include "tilec/Tile/Teams.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::analysis;
using tilec::tile::Level;
using tilec::tile::Unit;

int64_t tilec::analysis::elementsPerThread(const NestModel &model, unsigned number) {
  const TileModel &tile = model.tiles[number];
  int64_t spread = 1;
  for (const ComputeModel &compute : model.computes)
    for (const auto *operands : {&compute.inputs, &compute.outputs})
      for (const ComputeOperand &operand : *operands)
        if (compute.spread && !operand.place.isOperand && operand.place.root == number && ArrayRef(operand.shape) == ArrayRef(compute.extents))
          spread = compute.spread->getHolders();
  model.forEachUse(number, [&](const Place &place, ArrayRef<unsigned> loops) {
    int64_t threads = tile.lanes;
    for (auto [depth, loop] : llvm::enumerate(loops)) {
      const LoopModel &entry = model.loops[loop];
      if (!entry.onThreads())
        continue;
      if (depth >= tile.loops.size() && place.movedBy(loop))
        threads *= std::max<int64_t>(entry.count(), 1);
    }
    spread = std::max(spread, threads);
  });
  return llvm::divideCeil(tile.elements(), spread);
}

static int64_t registersOf(const NestModel &model, unsigned number) {
  const TileModel &tile = model.tiles[number];
  return tile.passes ? 0 : llvm::divideCeil(elementsPerThread(model, number) * tile.elementBytes, 4) * tile.depth;
}

/// The numbers of the first and the last op of `block` for which the tile of `op` lives: a held one has no value of its own before it is used.
static std::pair<int64_t, int64_t> getLife(Operation &op, Block &block, const llvm::DenseMap<Operation *, int64_t> &numbers) {
  int64_t own = numbers.lookup(&op), first = INT64_MAX, last = own;
  for (const tile::TileUse &use : tile::getTileUses(op.getResult(0))) {
    Operation *user = block.findAncestorOpInBlock(*use.operand->getOwner());
    first = std::min(first, numbers.lookup(user));
    last = std::max(last, numbers.lookup(user));
  }
  return {isa<tile::HoldOp>(op) ? std::min(first, last) : own, last};
}

int64_t tilec::analysis::liveRegisters(Block &block,
                                       const llvm::DenseMap<Operation *, int64_t> &registers) {
  llvm::DenseMap<Operation *, int64_t> numbers;
  for (Operation &op : block)
    numbers[&op] = static_cast<int64_t>(numbers.size());
  // Changes at each op of what lives before it, after it, and in it.
  SmallVector<std::array<int64_t, 3>> changes(numbers.size() + 2, {0, 0, 0});
  auto add = [&](unsigned kind, int64_t from, int64_t to, int64_t count) {
    changes[from][kind] += count;
    changes[to][kind] -= count;
  };
  for (Operation &op : block)
    if (int64_t count = registers.lookup(&op)) {
      auto [first, last] = getLife(op, block, numbers);
      add(0, std::min(first + 1, last), last + 1, count);
      add(1, first, std::max(last, first + 1), count);
      add(2, first, last + 1, count);
    }
  int64_t most = 0, before = 0, after = 0, within = 0;
  for (auto [op, change] : llvm::zip(block, changes)) {
    before += change[0];
    after += change[1];
    within += change[2];
    int64_t inside = 0;
    for (Region &region : op.getRegions())
      for (Block &nested : region)
        inside = std::max(inside, liveRegisters(nested, registers));
    // What an op computes goes where that was which nobody uses after it, but for sums, which read each element for several.
    auto compute = dyn_cast<linalg::LinalgOp>(op);
    bool together = inside > 0 || (compute && compute.getNumReductionLoops() > 0);
    most = std::max({most, before, after, together ? within + inside : 0});
  }
  return most;
}

Resources tilec::analysis::countResources(const NestModel &model) {
  Resources resources;
  llvm::DenseMap<Operation *, int64_t> registers;
  for (auto [number, tile] : llvm::enumerate(model.tiles)) {
    if (tile.level == Level::RF)
      registers[tile.op] = registersOf(model, number);
  }
  resources.smemBytes = planShared(model).bytes;
  tile::KernelOp kernel = model.kernel;
  resources.threadsPerBlock = model.threadsPerBlock() * tile::getTeams(kernel);
  kernel.walk([&](tile::ForOp loop) {
    resources.threadsPerBlock += loop.getProducers().value_or(0) * tile::kWarpThreads;
  });
  resources.tileRegisters = liveRegisters(kernel.getBody().front(), registers);
  return resources;
}

namespace {

std::string shapeText(ArrayRef<int64_t> shape) {
  std::string text = "[";
  for (auto [i, extent] : llvm::enumerate(shape))
    text += (i ? ", " : "") + std::to_string(extent);
  return text + "]";
}

std::string typeText(const TileModel &tile) {
  std::string text;
  llvm::raw_string_ostream(text) << getElementTypeOrSelf(tile.op->getResult(0).getType());
  return text;
}

/// The dimensions of tiles that one iteration dimension of the computation walks.
struct Extent {
  bool reduction = false;
  int64_t largest = 0;
  /// (tile, dimension), tiles in shared memory only.
  SmallVector<std::pair<unsigned, unsigned>> dims;
  /// (operand, dimension).
  SmallVector<std::pair<unsigned, unsigned>> operandDims;
};

class Checker {
public:
  Checker(const NestModel &model, const MachineSpec &machine) : model(model), machine(machine) {}

  std::vector<Violation> run() {
    resources = countResources(model);
    checkSmem();
    checkConstants();
    checkThreads();
    checkRegisters();
    checkRoles();
    checkInstructions();
    checkFeatures();
    return std::move(violations);
  }

private:
  Violation &add(Operation *op, std::string message) {
    violations.push_back({op, std::move(message), {}});
    return violations.back();
  }

  std::string nameOfOperand(const Place &place) const {
    std::optional<unsigned> operand = model.operandOf(place);
    tile::KernelOp kernel = model.kernel;
    return operand ? nameOf(kernel.getBody().getArgument(*operand)) : std::string("a held tile");
  }

  static StringRef describe(SharedUse use) {
    switch (use) {
    case SharedUse::Full:
    case SharedUse::Empty:
    case SharedUse::Order:
      return "barriers of the ring";
    case SharedUse::Partials:
      return "partial results of threads";
    case SharedUse::Parts:
      return "partial tiles that the first block of the cluster reads";
    case SharedUse::Done:
      return "the number of parts that are done";
    case SharedUse::Slice:
      return "a slice of a tile that is stored";
    case SharedUse::Tile:
      return "a tile";
    }
    llvm_unreachable("unknown use");
  }

  void checkSmem() {
    int64_t limit = machine.limits.smemPerBlock.value;
    if (resources.smemBytes <= limit)
      return;
    SmallVector<const TileModel *> staged;
    for (const TileModel &tile : model.tiles)
      if (tile.level == Level::SMEM)
        staged.push_back(&tile);
    // What is no tile, by what it is for.
    SharedPlan plan = planShared(model);
    llvm::MapVector<std::pair<Operation *, StringRef>, int64_t> scratch;
    for (const SharedArray &array : plan.arrays)
      if (array.use != SharedUse::Tile)
        scratch[{array.op, describe(array.use)}] += array.bytes();
    StringRef others = getReducingLoop(model) ? "partial tiles" : "scratch memory";
    bool holds = llvm::any_of(staged, [](const TileModel *tile) { return !tile->source; });
    std::string message = staged.empty() ? others.str() : (holds ? "tile" : "stage") + std::string(staged.size() == 1 ? " of " : "s of ");
    for (auto [i, tile] : llvm::enumerate(staged)) {
      if (i)
        message += i + 1 == staged.size() ? " and " : ", ";
      message += shapeText(tile->shape);
      if (i + 1 == staged.size() || typeText(*tile) != typeText(*staged[i + 1]))
        message += " " + typeText(*tile);
    }
    if (!staged.empty() && !scratch.empty())
      message += " and " + others.str();
    message += (staged.size() == 1 && scratch.empty() ? " takes " : " take ") + std::to_string(resources.smemBytes) +
               " bytes of shared memory, " + machine.name + " allows " + std::to_string(limit) +
               " per block (" + machine.limits.smemPerBlock.source + ")";
    Operation *last = staged.empty() ? scratch.front().first.first : staged.back()->op;
    Violation &violation = add(last, std::move(message));
    for (const auto &[place, bytes] : scratch)
      violation.notes.emplace_back(place.first, place.second.str() + " = " + std::to_string(bytes) + " bytes");
    for (const TileModel *tile : staged) {
      std::string note =
          (tile->source ? nameOfOperand(*tile->source) : "held tile") + ": " + shapeText(tile->shape) + " " + typeText(*tile);
      if (tile->depth > 1)
        note += ", " + std::to_string(tile->depth) + " copies";
      violation.notes.emplace_back(tile->op,
                                   note + " = " + std::to_string(getSmemBytes(*tile)) + " bytes");
    }
    if (std::string advice = adviseTiling(limit); !advice.empty())
      violation.notes.emplace_back(last, std::move(advice));
  }

  void checkConstants() {
    tile::KernelOp kernel = model.kernel;
    SourcedInt limit = machine.maxConstantBytes();
    int64_t bytes = 0;
    SmallVector<BlockArgument> operands;
    for (BlockArgument argument : kernel.getBody().getArguments())
      if (tile::isInConstantMemory(argument.getType()))
        operands.push_back(argument);
    auto getOperandBytes = [&](BlockArgument operand) {
      return cast<MemRefType>(operand.getType()).getNumElements() * model.operandElementBytes(operand.getArgNumber());
    };
    for (BlockArgument operand : operands)
      bytes += getOperandBytes(operand);
    if (bytes <= limit.value)
      return;
    Violation &violation = add(kernel, "has " + std::to_string(bytes) + " bytes in constant memory, " + machine.name + " allows " + std::to_string(limit.value) +
                                           " per kernel (" + limit.source + ")");
    for (BlockArgument operand : operands)
      violation.notes.emplace_back(kernel, nameOf(operand) + ": " + std::to_string(getOperandBytes(operand)) + " bytes");
  }

  /// Follows a computation's operands to the shared tiles that they come from.
  std::vector<Extent> findExtents() {
    std::vector<Extent> extents;
    for (const ComputeModel &compute : model.computes) {
      unsigned first = extents.size();
      for (bool reduction : compute.reduction)
        extents.emplace_back().reduction = reduction;
      for (const ComputeOperand &input : compute.inputs)
        for (auto [dim, factors] : llvm::enumerate(input.dims))
          for (auto [iteration, factor] : factors)
            follow(extents[first + iteration], input.place, dim);
    }
    llvm::erase_if(extents, [](const Extent &extent) { return extent.dims.empty(); });
    // Reductions first: a shorter reduction tile costs no reuse.
    llvm::stable_sort(extents, [](const Extent &a, const Extent &b) {
      return std::make_pair(!a.reduction, -a.largest) < std::make_pair(!b.reduction, -b.largest);
    });
    return extents;
  }

  void follow(Extent &extent, const Place &place, unsigned dim) {
    const Place *at = &place;
    for (; !at->isOperand; at = &*model.tiles[at->root].source) {
      const TileModel &tile = model.tiles[at->root];
      if (tile.level == Level::SMEM) {
        extent.dims.emplace_back(at->root, dim);
        extent.largest = std::max(extent.largest, tile.shape[dim]);
      }
      if (!tile.source)
        return;
    }
    extent.operandDims.emplace_back(at->root, dim);
  }

  /// Bytes of shared memory if `extent` had tiles of `size`.
  int64_t bytesWith(const Extent &extent, int64_t size) {
    int64_t bytes = resources.smemBytes;
    for (auto [number, tile] : llvm::enumerate(model.tiles)) {
      if (tile.level != Level::SMEM)
        continue;
      bytes -= getSmemBytes(tile);
      TileModel changed = tile;
      for (auto [other, dim] : extent.dims)
        if (other == number)
          changed.shape[dim] = std::min(changed.shape[dim], size);
      changed.cosize =
          llvm::divideCeil(tile.cosize * changed.elements(), std::max<int64_t>(tile.elements(), 1));
      bytes += getSmemBytes(changed);
    }
    return bytes;
  }

  std::string adviseTiling(int64_t limit) {
    for (const Extent &extent : findExtents())
      for (int64_t size =
               llvm::bit_floor(static_cast<uint64_t>(std::max<int64_t>(extent.largest - 1, 1)));
           size >= 1; size /= 2) {
        int64_t bytes = bytesWith(extent, size);
        if (bytes <= limit)
          return "tile " + describe(extent) + ": the largest power of two that fits is " +
                 std::to_string(size) + ", which takes " + std::to_string(bytes) + " bytes";
      }
    return {};
  }

  /// The size argument's name; a reduction of static extent is called k.
  std::string describe(const Extent &extent) {
    std::string name = extent.reduction ? "k" : "the extent", where;
    tile::KernelOp kernel = model.kernel;
    for (auto [operand, dim] : extent.operandDims) {
      if (auto size = dyn_cast<Value>(kernel.getOperandExtent(operand, dim)))
        name = nameOf(cast<BlockArgument>(size));
      where += (where.empty() ? " (dimension " : ", dimension ") + std::to_string(dim) + " of " +
               nameOf(kernel.getBody().getArgument(operand));
    }
    return name + (where.empty() ? "" : where + ")");
  }

  void checkThreads() {
    int64_t limit = machine.limits.threadsPerBlock.value;
    if (resources.threadsPerBlock <= limit)
      return;
    Operation *op = model.kernel;
    for (const LoopModel &loop : model.loops)
      if (loop.onThreads()) {
        op = loop.op;
        break;
      }
    add(op, "runs on " + std::to_string(resources.threadsPerBlock) + " threads per block, " +
                machine.name + " allows " + std::to_string(limit) + " (" +
                machine.limits.threadsPerBlock.source + ")");
  }

  void checkRegisters() {
    int64_t limit = machine.limits.registersPerThread.value;
    // Producers hold no tiles.
    int64_t threads = model.threadsPerBlock() * tile::getTeams(model.kernel), together = resources.tileRegisters * threads;
    std::string message;
    if (resources.tileRegisters > limit)
      message = "tiles take " + std::to_string(resources.tileRegisters) +
                " registers of a thread, " + machine.name + " allows " + std::to_string(limit) +
                " (" + machine.limits.registersPerThread.source + ")";
    else if (together > machine.registersPerSM())
      message = "tiles take " + std::to_string(resources.tileRegisters) + " registers in each of " +
                std::to_string(threads) + " threads, " +
                std::to_string(together) + " together; an SM of " + machine.name + " has " +
                std::to_string(machine.registersPerSM());
    if (message.empty())
      return;
    int64_t most = 0;
    Operation *op = model.kernel;
    std::vector<std::pair<Operation *, std::string>> notes;
    for (auto [number, tile] : llvm::enumerate(model.tiles)) {
      if (tile.level != Level::RF)
        continue;
      int64_t registers = registersOf(model, number);
      notes.emplace_back(tile.op, shapeText(tile.shape) + " " + typeText(tile) + ": " +
                                      std::to_string(registers) + " registers of a thread");
      if (registers > most) {
        most = registers;
        op = tile.op;
      }
    }
    add(op, std::move(message)).notes = std::move(notes);
  }

  /// Registers that are divided by role.
  void checkRoles() {
    tile::KernelOp kernel = model.kernel;
    if (tile::LaunchOp launch = getLaunch(kernel); launch && launch.getDependent())
      need(launch, "is launched while the kernel ahead ends", "dependent_launch", machine.features.dependentLaunch);
    kernel.walk([&](tile::ForOp loop) {
      if (!loop.getRegisters())
        return;
      int64_t producers = *loop.getProducers() * tile::kWarpThreads, others = model.threadsPerBlock() * tile::getTeams(kernel);
      int64_t first = loop.getRegisters()->front(), second = loop.getRegisters()->back();
      int64_t together = producers * first + others * second;
      if (int64_t pool = getRegisterPool(machine, producers + others); together > pool)
        add(loop, "gives " + std::to_string(first) + " registers to each of " + std::to_string(producers) + " threads and " +
                      std::to_string(second) + " to each of " + std::to_string(others) + ", " + std::to_string(together) +
                      " together; a block of so many threads has " + std::to_string(pool) + " of the " + std::to_string(machine.registersPerSM()) +
                      " registers of an SM of " + machine.name + ", and would wait for more for ever");
    });
  }

  /// Registers that each thread of a warpgroup has when the kernel starts; those that roles are given later do not count.
  void checkInstructions() {
    constexpr int64_t kGroupThreads = 4 * tile::kWarpThreads;
    int64_t threads = resources.threadsPerBlock;
    for (const ComputeModel &compute : model.computes) {
      std::optional<tile::InstructionUse> use = tile::getInstructionUse(compute.op);
      if (!use || !use->isAsynchronous() || threads > machine.limits.threadsPerBlock.value)
        continue;
      auto type = cast<MemRefType>(use->c->get().getType());
      int64_t sums = type.getNumElements() / kGroupThreads, own = getRegisterPool(machine, threads) / threads;
      int64_t needed = sums + tile::kRegistersBesideSums;
      if (needed > own)
        add(compute.op, "needs " + std::to_string(needed) + " registers of a thread, " + std::to_string(sums) + " of them for its sums; each of " +
                            std::to_string(threads) + " threads has " + std::to_string(own) + " on " + machine.name);
    }
  }

  void need(Operation *op, const std::string &does, const char *feature, bool present) {
    if (!present)
      add(op, does + ", which needs " + feature + ", which " + machine.name + " (" + machine.arch + ") lacks");
  }

  void checkFeatures() {
    int64_t cluster = 1;
    Operation *clusterLoop = nullptr;
    for (const LoopModel &loop : model.loops) {
      if (loop.unit == Unit::Cluster && !clusterLoop)
        clusterLoop = loop.op;
      if (loop.clusterBlocks > 1 && !clusterLoop)
        clusterLoop = loop.op;
      cluster *= loop.clusterBlocks;
    }
    if (clusterLoop && !machine.features.clusters)
      add(clusterLoop, "needs clusters of blocks, which " + machine.name + " (" + machine.arch + ") lacks");
    else if (cluster > machine.maxClusterSize())
      add(clusterLoop, "makes clusters of " + std::to_string(cluster) + " blocks, " + machine.name +
                           " allows " + std::to_string(machine.maxClusterSize()));
    if (tile::ForOp reducing = getReducingLoop(model); reducing && machine.features.clusters)
      need(reducing, "reduces over the blocks of a cluster", "dsmem", machine.features.dsmem);
    tile::KernelOp kernel = model.kernel;
    kernel.walk([&](tile::ForOp loop) {
      if (loop.getPipeline() && !getSharedStages(loop).empty())
        need(loop, "pipelines its copies to shared memory", "cp_async", machine.features.cpAsync);
      if (loop.getProducers())
        need(loop, "leaves its copies to producers", "mbarrier", machine.features.mbarrier);
      if (loop.getRegisters())
        need(loop, "gives registers to producers and others", "setmaxnreg", machine.features.setmaxnreg);
    });
    for (const ComputeModel &compute : model.computes)
      if (std::optional<tile::InstructionUse> use = tile::getInstructionUse(compute.op); use && use->isAsynchronous())
        need(compute.op, "is an instruction of a warpgroup", "wgmma", machine.features.wgmma);
      else if (use)
        need(compute.op, "is an instruction of a warp", use->name.c_str(), canExecute(machine, compute));
    kernel.walk([&](tile::StageOp stage) {
      if (stage.getCopy() == tile::Copy::Tma)
        need(stage, "copies by TMA", "tma", machine.features.tma);
    });
    kernel.walk([&](tile::StoreOp store) {
      if (store.getCopy())
        need(store, "stores by TMA", "tma", machine.features.tma);
    });
    if (int64_t blocks = model.blocks(); blocks > machine.limits.gridX.value)
      add(model.kernel, "launches " + std::to_string(blocks) + " blocks, " + machine.name +
                            " allows " + std::to_string(machine.limits.gridX.value) + " (" +
                            machine.limits.gridX.source + ")");
  }

  const NestModel &model;
  const MachineSpec &machine;
  Resources resources;
  std::vector<Violation> violations;
};

} // namespace

int64_t tilec::analysis::getRegisterPool(const MachineSpec &machine, int64_t threads) {
  constexpr int64_t kGrain = 8; // Registers of a thread are allocated in units of 256 a warp (CUDA C++ Programming Guide, compute capabilities).
  return machine.registersPerSM() / threads / kGrain * kGrain * threads;
}

std::vector<Violation> tilec::analysis::checkMachine(const NestModel &model,
                                                     const MachineSpec &machine) {
  return Checker(model, machine).run();
}
