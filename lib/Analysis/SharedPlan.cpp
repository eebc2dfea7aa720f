//===- SharedPlan.cpp - The map of a block's shared memory ------*- C++ -*-===//
//
// Arrays lie in the order in which the nest comes to them: the ring of producers first,
// then tiles as they are staged, and scratch memory of a loop after what is in the loop.
//
//===----------------------------------------------------------------------===//

#include "tilec/Analysis/SharedPlan.h"

#include "tilec/Analysis/BulkPlan.h"
#include "tilec/Analysis/BulkStore.h"
#include "tilec/Analysis/ClusterPlan.h"
#include "tilec/Analysis/CopyDecisions.h"
#include "tilec/Analysis/SlicedStore.h"
#include "tilec/Tile/Distribution.h"
#include "tilec/Tile/Reduction.h"
#include "tilec/Tile/Teams.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::analysis;
using tile::ForOp;
using tile::HoldOp;
using tile::StageOp;

const SharedArray *SharedPlan::find(SharedUse use, Operation *op, Value held) const {
  const auto *found =
      llvm::find_if(arrays, [&](const SharedArray &array) { return array.use == use && array.op == op && array.held == held; });
  return found == arrays.end() ? nullptr : found;
}

namespace {

/// Does `op` make a tile in shared memory?
bool makesTile(Operation *op) { return isa<StageOp, HoldOp>(op) && tile::getLevel(op->getResult(0).getType()) == tile::Level::SMEM; }

/// Of all slots of a tile.
struct TileSize {
  int64_t elements = 0;
  int64_t alignment = tile::kSharedAlignment;
};

/// A box with a swizzle starts where the swizzle repeats.
int64_t getAlignment(Operation *op, const layout::ComposedLayout &layout, ArrayRef<int64_t> shape, int64_t elementBytes) {
  if (auto stage = dyn_cast<StageOp>(op); !stage || stage.getCopy() != tile::Copy::Tma)
    return tile::kSharedAlignment;
  layout::Result<BoxShape> box = getBoxShape(layout, shape, elementBytes);
  return box ? box->alignment() : tile::kSharedAlignment; // What is no box the lowering refuses.
}

class Planner {
public:
  Planner(tile::KernelOp kernel, int64_t threads, llvm::function_ref<TileSize(Operation *)> getSize)
      : kernel(kernel), threads(threads), teams(tile::getTeams(kernel)), getSize(getSize) {}

  SharedPlan run() {
    visit(kernel.getBody().front());
    for (SharedArray &array : plan.arrays) {
      array.offset = llvm::alignTo(plan.bytes, array.alignment);
      plan.bytes = array.offset + llvm::alignTo(array.bytes(), tile::kSharedAlignment);
    }
    return std::move(plan);
  }

private:
  void add(SharedUse use, Operation *op, int64_t elements, int64_t elementBytes, Value held = {}) {
    plan.arrays.push_back({use, op, held, elements, elementBytes, tile::kSharedAlignment});
  }

  void addTile(Operation *op) {
    if (!makesTile(op) || plan.find(SharedUse::Tile, op))
      return;
    TileSize size = getSize(op);
    add(SharedUse::Tile, op, size.elements, getElementBytes(op->getResult(0)));
    plan.arrays.back().alignment = size.alignment;
  }

  /// The tiles that a pipelined loop copies, all together.
  void addTiles(ForOp loop) {
    for (auto stage : loop.getBody().front().getOps<StageOp>())
      addTile(stage);
  }

  void addRing(ForOp outermost) {
    outermost.walk([&](ForOp loop) {
      if (!loop.getProducers())
        return;
      constexpr int64_t kBarrierBytes = 8; // PTX ISA, mbarrier: an opaque object of 64 bits.
      addTiles(loop);
      add(SharedUse::Full, loop, loop.getPipeline().value_or(1), kBarrierBytes);
      add(SharedUse::Empty, loop, loop.getPipeline().value_or(1), kBarrierBytes);
      if (teams > 1)
        add(SharedUse::Order, loop, teams, kBarrierBytes);
    });
  }

  void addPartials(ForOp loop) {
    SumExchange exchange = getSumExchange(loop, threads);
    for (Value held : tile::getReducedTiles(loop)) {
      FailureOr<tile::Distribution> distribution = tile::getDistribution(held);
      auto passesMemory = [&](const tile::Digit &digit) { return exchange.passesMemory(digit.count, digit.threadStride); };
      if (succeeded(distribution) && llvm::any_of(getSummedDigits(loop, *distribution), passesMemory))
        add(SharedUse::Partials, loop, threads * (loop.getPrefix() ? 1 : getExchangedAtOnce(distribution->getLocalElements(), getElementBytes(held))), getElementBytes(held), held);
    }
  }

  void addParts(ForOp blocks) {
    for (Value held : tile::getReducedTiles(blocks)) {
      FailureOr<tile::Distribution> distribution = tile::getDistribution(held);
      int64_t own = succeeded(distribution) ? distribution->getLocalElements() : 1;
      add(SharedUse::Parts, blocks, own * threads, getElementBytes(held), held);
    }
  }

  void addSlice(tile::StoreOp store) {
    if (!store.getSliceColumns())
      return;
    std::optional<tile::Distribution> spread = getSpread(store.getTile());
    if (!spread)
      return;
    ScopedDiagnosticHandler quiet(store.getContext(), [](Diagnostic &) { return success(); });
    // Others the lowering refuses.
    if (store.getCopy()) {
      if (FailureOr<BulkStore> bulk = getBulkStore(store, *spread); succeeded(bulk)) {
        add(SharedUse::Slice, store, teams * bulk->warps * bulk->elementsOfWarp(), getElementBytes(store.getTile()));
        plan.arrays.back().alignment = kSwizzleRows * bulk->swizzleBytes;
      }
    } else if (FailureOr<SlicedStore> sliced = getSlicedStore(store, *spread); succeeded(sliced)) {
      add(SharedUse::Slice, store, teams * sliced->elements(), getElementBytes(store.getTile()));
    }
  }

  static int64_t getElementBytes(Value held) { return cast<MemRefType>(held.getType()).getElementTypeBitWidth() / 8; }

  void visit(Block &block) {
    auto around = dyn_cast<ForOp>(block.getParentOp());
    for (Operation &op : block) {
      addTile(&op);
      if (auto store = dyn_cast<tile::StoreOp>(op))
        addSlice(store);
      if (auto loop = dyn_cast<ForOp>(op))
        visitLoop(loop);
      else
        for (Region &region : op.getRegions())
          llvm::for_each(region, [&](Block &inner) { visit(inner); });
      if (around && around.getUnit() == tile::Unit::Block && around.getCutLoop().getOperation() == &op)
        add(SharedUse::Done, &op, 1, sizeof(int32_t));
    }
  }

  void visitLoop(ForOp loop) {
    if (isa<tile::KernelOp>(loop->getParentOp()))
      addRing(loop);
    if (loop.getPipeline())
      addTiles(loop);
    visit(loop.getBody().front());
    if (!loop.reduces())
      return;
    if (tile::isThreadUnit(loop))
      addPartials(loop);
    else if (loop.getUnit() == tile::Unit::Block && getClusterSize(loop) > 1)
      addParts(loop);
  }

  tile::KernelOp kernel;
  int64_t threads, teams;
  llvm::function_ref<TileSize(Operation *)> getSize;
  SharedPlan plan;
};

} // namespace

int64_t SumExchange::getShuffled(int64_t count, int64_t stride) const {
  if (!shuffles || !llvm::isPowerOf2_64(count) || !llvm::isPowerOf2_64(stride))
    return 1;
  return std::max<int64_t>(1, std::min(count, tile::kWarpThreads / stride));
}

bool SumExchange::passesMemory(int64_t count, int64_t stride) const { return isPart || getShuffled(count, stride) != count; }

int64_t tilec::analysis::getExchangedAtOnce(int64_t elements, int64_t elementBytes) {
  int64_t most = std::max<int64_t>(tile::kExchangedBytes / elementBytes, 1);
  while (elements % most != 0)
    --most;
  return most;
}

SmallVector<tile::Digit> tilec::analysis::getSummedDigits(ForOp loop, const tile::Distribution &held) {
  SmallVector<tile::Digit> digits;
  for (unsigned i = loop.getNumLoops(); i-- > 0;) {
    int64_t count = loop.getStaticCount(i).value_or(1), stride = tile::getThreadStride(loop, i);
    if (count > 1 && !held.isPartedBy(stride))
      digits.push_back({count, 1, stride});
  }
  return digits;
}

SumExchange tilec::analysis::getSumExchange(ForOp loop, int64_t blockThreads) {
  bool outermost = !tile::getInnermostUnit(loop);
  int64_t threads = tile::getThreads(loop);
  return {threads, outermost && threads < blockThreads, blockThreads % tile::kWarpThreads == 0};
}

/// How many of the loop's arrays come before `array`.
static size_t countBefore(const SharedPlan &plan, const SharedArray &array) {
  return llvm::count_if(ArrayRef(plan.arrays.begin(), &array), [&](const SharedArray &other) { return other.op == array.op; });
}

/// Where clauses put an array; none where they do not.
static std::optional<int64_t> getPlace(const SharedPlan &plan, const SharedArray &array) {
  if (auto stage = dyn_cast<StageOp>(array.op))
    return stage.getSmemAt();
  if (auto hold = dyn_cast<HoldOp>(array.op))
    return hold.getSmemAt();
  if (auto store = dyn_cast<tile::StoreOp>(array.op))
    return store.getSmemAt();
  std::optional<ArrayRef<int64_t>> places = cast<ForOp>(array.op).getSmemAt();
  size_t number = countBefore(plan, array);
  return places && number < places->size() ? std::optional<int64_t>((*places)[number]) : std::nullopt;
}

/// Takes the places of clauses, if there are any, and what a launch asks for beyond the arrays.
static void readClauses(tile::KernelOp kernel, SharedPlan &plan) {
  for (SharedArray &array : plan.arrays)
    if (std::optional<int64_t> place = getPlace(plan, array)) {
      array.offset = *place;
      array.placed = plan.placed = true;
    }
  if (plan.placed)
    plan.bytes = 0;
  for (const SharedArray &array : plan.arrays)
    plan.bytes = std::max(plan.bytes, array.offset + static_cast<int64_t>(llvm::alignTo(array.bytes(), tile::kSharedAlignment)));
  if (!plan.isDynamic())
    return;
  for (auto launch : kernel.getBody().getOps<tile::LaunchOp>())
    plan.bytes = std::max<int64_t>(plan.bytes, launch.getDynamicSmem().value_or(0));
}

static SharedPlan packShared(tile::KernelOp kernel) {
  return Planner(kernel, tile::getComputeThreads(kernel), [](Operation *op) -> TileSize {
           auto type = cast<MemRefType>(op->getResult(0).getType());
           auto loop = isa<StageOp>(op) ? dyn_cast<ForOp>(op->getParentOp()) : ForOp();
           FailureOr<int64_t> cosize = getCosize(type);
           if (failed(cosize)) // Strides that are not known; the lowering refuses them.
             return {};
           int64_t bytes = type.getElementTypeBitWidth() / 8;
           return {getSlotElements(*cosize, bytes) * static_cast<int64_t>(loop ? loop.getPipeline().value_or(1) : 1),
                   getAlignment(op, *tile::getStaticLayout(type), type.getShape(), bytes)};
         }).run();
}

SharedPlan tilec::analysis::planShared(tile::KernelOp kernel) {
  SharedPlan plan = packShared(kernel);
  readClauses(kernel, plan);
  return plan;
}

SharedPlan tilec::analysis::planShared(const NestModel &model) {
  llvm::DenseMap<Operation *, const TileModel *> tiles;
  for (const TileModel &tile : model.tiles)
    tiles[tile.op] = &tile;
  SharedPlan plan = Planner(model.kernel, model.threadsPerBlock(), [&](Operation *op) -> TileSize {
                      const TileModel &tile = *tiles.lookup(op);
                      int64_t alignment = tile.layout ? getAlignment(op, *tile.layout, tile.shape, tile.elementBytes) : tile::kSharedAlignment;
                      return {getSlotElements(tile.cosize, tile.elementBytes) * tile.depth, alignment};
                    }).run();
  if (!plan.isDynamic() && llvm::none_of(plan.arrays, [&](const SharedArray &array) { return getPlace(plan, array).has_value(); }))
    return plan;
  SharedPlan written = packShared(model.kernel);
  if (llvm::equal(plan.arrays, written.arrays, [](const SharedArray &a, const SharedArray &b) { return a.bytes() == b.bytes(); }))
    readClauses(model.kernel, plan);
  return plan;
}

int64_t tilec::analysis::getSmemBytes(const TileModel &tile) {
  return llvm::alignTo(getSlotElements(tile.cosize, tile.elementBytes) * tile.elementBytes * tile.depth, tile::kSharedAlignment);
}
