//===- NestAnalysis.cpp - Traffic and reuse of a nest -----------*- C++ -*-===//
//
// A tile is fetched each time its stage op runs: the loops around the op say how
// often, the extents of the operand say how much of it there is. No op is asked
// for its name; indexing maps answer.
//
//===----------------------------------------------------------------------===//

#include "tilec/Analysis/NestAnalysis.h"

#include "CountingBox.h"
#include "Guards.h"
#include "ThreadShare.h"
#include "tilec/Analysis/ClusterReduce.h"
#include "tilec/Analysis/HeldTiles.h"
#include "tilec/Analysis/PipelineDecisions.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilec::analysis;
using namespace tilec::tile;

llvm::StringRef tilec::analysis::toString(AccessKind access) {
  switch (access) {
  case AccessKind::Read:
    return "read";
  case AccessKind::Write:
    return "write";
  case AccessKind::Combine:
    return "combine";
  }
  llvm_unreachable("covered switch");
}

llvm::StringRef tilec::analysis::toString(Role role) {
  return role == Role::Input ? "input" : "output";
}

static std::optional<double> ratio(int64_t uses, int64_t elements) {
  if (elements == 0)
    return std::nullopt;
  return static_cast<double>(uses) / static_cast<double>(elements);
}
llvm::StringRef Transfer::getSource() const { return remote ? "dsmem" : stringifyLevel(from); }
std::optional<double> Transfer::localReuse() const { return ratio(takenBelow, elements); }
std::optional<double> Transfer::globalReuse() const { return ratio(uses, elements); }

namespace {

using Terms = SmallVector<SmallVector<CountTerm, 2>>;

class Counter {
public:
  Counter(const NestModel &model, Edges edges)
      : model(model), edges(edges), stageTransfers(model.tiles.size(), -1) {}

  FailureOr<NestTraffic> run() {
    for (auto [number, tile] : llvm::enumerate(model.tiles)) {
      if (tile.isCopied() && failed(countStage(number, tile)))
        return failure();
      if (!tile.source && tile.level == Level::SMEM)
        countFill(number, tile);
    }
    for (const ComputeModel &compute : model.computes)
      if (failed(countCompute(compute)))
        return failure();
    sumComputes();
    for (const StoreModel &store : model.stores)
      if (failed(countStore(store)))
        return failure();
    llvm::append_range(traffic.transfers, countExchange(model));
    countCompulsory();
    markPartialResults();
    return std::move(traffic);
  }

private:
  LogicalResult tooIrregular(Operation *op) { // limit_x35
    return op->emitOpError(
        "moves more than the analysis can count: over 2^63 elements, or bounds too irregular");
  }

  static Terms addElements(CountingBox &box, ArrayRef<int64_t> shape) {
    Terms dims;
    for (int64_t extent : shape)
      dims.push_back({{box.addDimension(extent), 1}});
    return dims;
  }

  void require(CountingBox &box, ArrayRef<Presence> presence) const {
    if (edges == Edges::Exact)
      for (const Presence &each : presence)
        box.require(each);
  }

  /// The points of a box of `loops` and of what `fill` adds to it, each as often as it is run by
  /// threads that run what is inside of `around`.
  std::optional<int64_t> countByThreads(ArrayRef<unsigned> around, ArrayRef<unsigned> loops,
                                        llvm::function_ref<void(CountingBox &)> fill) const {
    int64_t sum = 0;
    for (const ThreadShare &share : shareThreads(model, around, loops)) {
      CountingBox box(model);
      for (unsigned loop : loops) {
        auto *fixed = llvm::find_if(share.fixed, [&](auto &entry) { return entry.first == loop; });
        box.addLoop(loop, fixed == share.fixed.end() ? std::nullopt
                                                     : std::optional<int64_t>(fixed->second));
      }
      fill(box);
      std::optional<int64_t> points = box.count();
      int64_t executed = 0;
      if (!points || llvm::MulOverflow(*points, share.threads, executed) ||
          llvm::AddOverflow(sum, executed, sum))
        return std::nullopt;
    }
    return sum;
  }

  int64_t iterationsOf(ArrayRef<unsigned> loops) const { return model.iterationsOf(loops); }

  Transfer &addTransfer(Operation *op, const Place &place, Level from, Level to) {
    Transfer &transfer = traffic.transfers.emplace_back();
    transfer.op = op;
    transfer.operand = model.operandOf(place);
    if (transfer.operand) {
      KernelOp kernel = model.kernel;
      transfer.name = nameOf(kernel.getBody().getArgument(*transfer.operand));
      transfer.role = model.isStoredTo(*transfer.operand) ? Role::Output : Role::Input;
    } else {
      transfer.name = model.heldNameOf(place);
      transfer.role = from == Level::RF ? Role::Output : Role::Input;
    }
    transfer.from = from;
    transfer.to = to;
    transfer.scattered = place.gather.has_value();
    if (!place.isOperand && model.levelOf(place) == Level::SMEM)
      transfer.sharedTile = model.tiles[place.root].op;
    for (const Subscript &subscript : model.tracedSubscripts(place))
      for (const Term &term : subscript.terms)
        if (!llvm::is_contained(transfer.movedBy, term.loop))
          transfer.movedBy.push_back(term.loop);
    return transfer;
  }

  /// Elements of `tile` that are loaded once more than the ring has iterations, where its loop begins ahead.
  std::optional<int64_t> countAhead(const TileModel &tile, ArrayRef<unsigned> loops, llvm::function_ref<void(CountingBox &)> fill) {
    ForOp ring = tile.level == Level::RF ? getRingAhead(cast<StageOp>(tile.op)) : ForOp();
    if (!ring)
      return 0;
    auto loop = cast<ForOp>(tile.op->getParentOp());
    auto isOnce = [&](unsigned number) { return model.loops[number].op != ring && model.loops[number].op != loop; };
    auto once = [&](ArrayRef<unsigned> all) { return llvm::filter_to_vector(all, isOnce); };
    std::optional<int64_t> elements = countByThreads(once(tile.loops), once(loops), fill);
    return elements ? std::optional(*elements * getStepsAhead(loop)) : std::nullopt;
  }

  LogicalResult countStage(unsigned number, const TileModel &tile) {
    TileParts parts{{}, SmallVector<Subscript, 2>(tile.shape.size()), tile.shape};
    if (tile.level == Level::RF)
      parts = getTileParts(model, number);
    SmallVector<unsigned> loops = tile.loops;
    loops.append(parts.loops);
    bool nearest = tile.pad && *tile.pad != Pad::Zero;
    auto fill = [&](CountingBox &box) {
      Terms dims = addElements(box, parts.shape);
      // A tile in shared memory is there as a whole. Padding by the nearest or mirrored element
      // reads one for each element of the tile.
      if (tile.source->isOperand && !nearest)
        require(box, getPresence(model, *tile.source, dims, parts.at));
    };
    std::optional<int64_t> elements;
    if (tile.level != Level::RF) { // A cooperative copy: each element once.
      CountingBox box(model);
      for (unsigned loop : loops)
        box.addLoop(loop);
      fill(box);
      elements = box.count();
    } else {
      elements = countByThreads(tile.loops, loops, fill);
    }
    // There is nothing to repeat in an operand without elements.
    if (nearest && edges == Edges::Exact && tile.source->isOperand &&
        llvm::is_contained(model.operandShape(tile.source->root), 0))
      elements = 0;
    std::optional<int64_t> ahead = countAhead(tile, loops, fill);
    if (!elements || !ahead)
      return tooIrregular(tile.op);
    int64_t used = *elements / tile.lanes; // Each lane copies its own.
    *elements = used + *ahead / tile.lanes;
    stageTransfers[number] = traffic.transfers.size();
    Transfer &transfer =
        addTransfer(tile.op, *tile.source, model.levelOf(*tile.source), tile.level);
    transfer.tile = tile.shape;
    transfer.elementBytes = tile.elementBytes;
    transfer.copies = iterationsOf(tile.loops);
    transfer.elements = *elements;
    transfer.readsInBlock = threadsBeside(*tile.source, tile.loops);
    if (tile.level == Level::RF)
      transfer.readsInBlock *= shareThreads(model, tile.loops, loops).front().threads / tile.lanes;
    if (tile.source->isOperand) {
      transfer.overlap = overlapOf(*tile.source, tile.shape, [](const LoopModel &) { return true; });
      transfer.overlapInBlock = overlapOf(*tile.source, tile.shape, [](const LoopModel &loop) { return !loop.onBlocks(); });
    }
    transfer.conditional = tile.conditional;
    if (tile.boxed)
      transfer.multicast = multicastOf(*tile.source, tile.loops);
    use(*tile.source, used, /*uses=*/0);
    addIndices(tile.op, *tile.source, tile.level);
    return success();
  }

  /// The indices that say where the elements of the last transfer lie: at most one is read for each element, and L1 has those of a row.
  void addIndices(Operation *op, const Place &place, Level to) {
    std::optional<Place> indices = place.getIndices();
    if (!indices)
      return;
    Transfer data = traffic.transfers.back(), &transfer = addTransfer(op, *indices, Level::DRAM, to);
    int64_t numbered = data.tile[place.gather->dim], row = elementsOf(data.tile) / numbered;
    transfer.tile = {numbered};
    transfer.elementBytes = model.operandElementBytes(indices->root);
    transfer.copies = data.copies;
    transfer.elements = transfer.takenBelow = llvm::SaturatingMultiply<uint64_t>(data.copies, elementsOf(data.tile));
    transfer.uses = llvm::SaturatingMultiply<uint64_t>(transfer.elements, row);
    transfer.readsInBlock = row;
    transfer.conditional = data.conditional;
    transfer.byRequest = true;
  }

  /// A held tile in shared memory gets its initial value where something may read that.
  void countFill(unsigned number, const TileModel &tile) {
    if (!isInitRead(cast<HoldOp>(tile.op)))
      return;
    Place place;
    place.root = number;
    place.at.resize(tile.shape.size());
    Transfer &transfer = addTransfer(tile.op, place, Level::RF, Level::SMEM);
    transfer.access = AccessKind::Write;
    transfer.tile = tile.shape;
    transfer.elementBytes = tile.elementBytes;
    transfer.copies = iterationsOf(tile.loops);
    transfer.elements = transfer.takenBelow = transfer.uses = transfer.copies * tile.elements();
    transfer.conditional = tile.conditional;
  }

  /// Elements of all tiles of `shape` at `place` / elements between the first and the last one, dimension by dimension, as those loops
  /// move them that `counts` takes. Tiles that a loop moves apart along one dimension overlap along no other.
  double overlapOf(const Place &place, ArrayRef<int64_t> shape, llvm::function_ref<bool(const LoopModel &)> counts) {
    auto moveOf = [&](const Term &term) { return std::abs(term.factor) * model.loops[term.loop].step; };
    auto movesApart = [&](unsigned loop, size_t except) {
      for (auto [dim, at] : llvm::enumerate(place.at))
        for (const Term &term : at.terms)
          if (dim != except && term.loop == loop && moveOf(term) >= shape[dim])
            return true;
      return false;
    };
    double overlap = 1;
    for (auto [dim, at] : llvm::enumerate(place.at)) {
      int64_t extent = shape[dim];
      double tiles = 1, span = static_cast<double>(extent);
      for (const Term &term : at.terms) {
        const LoopModel &loop = model.loops[term.loop];
        if (!counts(loop) || loop.count() <= 1 || movesApart(term.loop, dim))
          continue;
        tiles *= static_cast<double>(loop.count());
        span += static_cast<double>(moveOf(term) * (loop.count() - 1));
      }
      overlap *= std::max(1.0, tiles * static_cast<double>(extent) / span);
    }
    return overlap;
  }

  static int64_t elementsOf(ArrayRef<int64_t> shape) { return llvm::product_of(shape); }

  /// Threads around an op that read the same elements at `place`.
  int64_t threadsBeside(const Place &place, ArrayRef<unsigned> loops) {
    int64_t threads = 1;
    SmallVector<Subscript, 2> traced = model.tracedSubscripts(place);
    for (unsigned loop : loops)
      if (model.loops[loop].onThreads() && llvm::none_of(traced, [&](const Subscript &subscript) {
            return subscript.movedBy(loop);
          }))
        threads *= std::max<int64_t>(model.loops[loop].count(), 1);
    return threads;
  }

  /// Blocks of a cluster that read the same elements.
  int64_t multicastOf(const Place &place, ArrayRef<unsigned> loops) {
    int64_t blocks = 1;
    for (unsigned loop : loops)
      if (!place.movedBy(loop))
        blocks *= model.loops[loop].clusterBlocks;
    return blocks;
  }

  /// Of what the tiles under `place` hold, `taken` elements go one level on, and `uses` are made.
  void use(const Place &place, int64_t taken, int64_t uses) {
    if (place.isOperand)
      return;
    if (int transfer = stageTransfers[place.root]; transfer >= 0)
      traffic.transfers[transfer].takenBelow += taken;
    for (const Place *at = &place; !at->isOperand;) {
      if (int transfer = stageTransfers[at->root]; transfer >= 0)
        traffic.transfers[transfer].uses += uses;
      if (!model.tiles[at->root].source)
        return;
      at = &*model.tiles[at->root].source;
    }
  }

  /// Do several points along what `compute` reduces add to one element of `output`?
  static bool isSum(const ComputeModel &compute, const ComputeOperand &output) {
    for (auto [dim, reduces] : llvm::enumerate(compute.reduction)) {
      bool moves = llvm::any_of(output.dims, [dim = dim](const auto &factors) { return llvm::any_of(factors, [&](auto factor) { return factor.first == dim; }); });
      if (reduces && !moves)
        return true;
    }
    return false;
  }

  LogicalResult countCompute(const ComputeModel &compute) {
    unsigned first = 0;
    auto addPoint = [&](CountingBox &box) {
      for (auto [number, extent] : llvm::enumerate(compute.extents)) {
        unsigned dimension = box.addDimension(extent);
        first = number == 0 ? dimension : first;
      }
    };
    CountingBox box(model);
    for (unsigned loop : compute.loops)
      box.addLoop(loop);
    addPoint(box);
    auto requireElement = [&](const ComputeOperand &operand) {
      Terms dims;
      for (const auto &factors : operand.dims) {
        auto &terms = dims.emplace_back();
        for (auto [dim, factor] : factors)
          terms.push_back({first + dim, factor});
      }
      require(box, getPresence(model, operand.place, dims));
    };
    llvm::for_each(compute.inputs, requireElement);
    llvm::for_each(compute.outputs, requireElement);
    std::optional<int64_t> points = box.count();
    std::optional<int64_t> executed = countExecuted(compute, addPoint, first);
    if (!points || !executed)
      return tooIrregular(compute.op);
    ComputeTraffic &own = traffic.computes.emplace_back();
    own.iterations = *points;
    // What goes to the units: an operand of each point, or, once, all of what an instruction works on.
    auto getRead = [&](const ComputeOperand &operand) { return compute.byUnit ? *executed * elementsOf(operand.shape) : *points; };
    for (const ComputeOperand &input : compute.inputs) {
      if (input.isRead)
        moveInPlace(compute, input, compute.byUnit ? getRead(input) : *executed, AccessKind::Read);
      use(input.place, getRead(input), *points);
      own.operandBytes += *points * input.elementBytes;
    }
    for (const ComputeOperand &output : compute.outputs) {
      // What is computed with where it was copied to is an operand as well; what sums are added to is not.
      if (output.isRead && !isSum(compute, output) && model.operandOf(output.place))
        own.operandBytes += *points * output.elementBytes;
      if (output.isRead)
        moveInPlace(compute, output, *executed, AccessKind::Read);
      moveInPlace(compute, output, *executed, AccessKind::Write);
    }
    return success();
  }

  /// Points that run, on absent elements too; where the result lies in memory one of the threads that would compute the
  /// same does. Of an instruction of a unit: how often it runs.
  std::optional<int64_t> countExecuted(const ComputeModel &compute, llvm::function_ref<void(CountingBox &)> addPoint, const unsigned &first) {
    if (compute.byUnit)
      return iterationsOf(compute.loops);
    auto addGuards = [&](CountingBox &box) {
      addPoint(box);
      require(box, getGuards(model, compute, first));
    };
    bool inRegisters = llvm::all_of(compute.outputs, [&](const ComputeOperand &output) {
      return model.levelOf(output.place) == Level::RF;
    });
    if (inRegisters && !compute.spread)
      return countByThreads(compute.loops, compute.loops, addGuards);
    CountingBox each(model);
    for (unsigned loop : compute.loops)
      each.addLoop(loop);
    addGuards(each);
    std::optional<int64_t> points = each.count();
    // Threads that hold the same elements compute the same: those of the block, or of an iteration that has the tiles to itself.
    if (ForOp units = getThreadLoop(compute.op); points && compute.spread)
      return *points * ((units ? getThreadStride(units, units.getNumLoops() - 1) : model.threadsPerBlock()) / compute.spread->getHolders());
    return points;
  }

  SmallVector<unsigned> getLoopsOverTime(const ComputeModel &compute) const {
    SmallVector<unsigned> loops;
    llvm::copy_if(compute.loops, std::back_inserter(loops), [&](unsigned loop) {
      return model.loops[loop].unit == Unit::Time && model.loops[loop].count() > 1;
    });
    return loops;
  }

  /// Does some computation reduce in loops over time that `compute` stands outside of? Then it is done once for many iterations
  /// there.
  bool standsBesideLoop(const ComputeModel &compute) const {
    SmallVector<unsigned> own = getLoopsOverTime(compute);
    return llvm::any_of(model.computes, [&](const ComputeModel &other) {
      SmallVector<unsigned> loops = getLoopsOverTime(other);
      return other.reduces() && !other.conditional && loops.size() > own.size() &&
             llvm::all_of(own, [&](unsigned loop) { return llvm::is_contained(loops, loop); });
    });
  }

  /// What is done in each run goes before what an `scf.if` may leave out, arithmetic before moving elements.
  static constexpr unsigned kMoves = 1;
  unsigned getRank(const ComputeModel &compute) const {
    // A body that only yields moves elements or sets them.
    bool computes = !llvm::hasSingleElement(*cast<linalg::LinalgOp>(compute.op).getBlock());
    if (compute.conditional)
      return 0;
    return !computes ? kMoves : compute.reduces() || !standsBesideLoop(compute) ? 3 : 2;
  }

  /// Does what `compute` makes go to an operand, by itself or from its tile?
  bool isStored(const ComputeModel &compute) const {
    return llvm::any_of(compute.outputs, [&](const ComputeOperand &output) {
      return output.place.isOperand || llvm::any_of(model.stores, [&](const StoreModel &store) {
               return !store.from.isOperand && store.from.root == output.place.root && store.to.isOperand;
             });
    });
  }

  void sumComputes() {
    unsigned most = 0;
    for (const ComputeModel &compute : model.computes)
      most = std::max(most, getRank(compute));
    // Of what only moves elements the last move counts, which brings them to DRAM: some turn tiles on the way.
    bool last = most == kMoves && llvm::any_of(model.computes, [&](const ComputeModel &compute) { return getRank(compute) == most && isStored(compute); });
    for (auto [compute, own] : llvm::zip_equal(model.computes, traffic.computes)) {
      own.counts = getRank(compute) == most && (!last || isStored(compute));
      if (!own.counts)
        continue;
      traffic.iterations += own.iterations;
      traffic.operandBytes += own.operandBytes;
    }
  }

  /// What a computation reads from or writes to a level other than registers moves element by
  /// element.
  void moveInPlace(const ComputeModel &compute, const ComputeOperand &operand, int64_t points,
                   AccessKind access) {
    Level level = model.levelOf(operand.place);
    if (level == Level::RF)
      return;
    bool writes = access == AccessKind::Write;
    Transfer &transfer = addTransfer(compute.op, operand.place, writes ? Level::RF : level,
                                     writes ? level : Level::RF);
    transfer.access = access;
    transfer.tile = operand.shape;
    transfer.elementBytes = operand.elementBytes;
    transfer.copies = iterationsOf(compute.loops);
    transfer.elements = transfer.takenBelow = transfer.uses = points;
    transfer.readsInBlock = threadsBeside(operand.place, compute.loops);
    transfer.conditional = compute.conditional;
    if (compute.byUnit) {
      transfer.uses = iterationsOf(compute.loops) * elementsOf(compute.extents);
      return;
    }
    for (auto [iteration, extent] : llvm::enumerate(compute.extents))
      if (llvm::none_of(operand.dims, [&, iteration = iteration](const auto &factors) {
            return llvm::any_of(factors,
                                [&](const auto &factor) { return factor.first == iteration; });
          }))
        transfer.readsInBlock *= std::max<int64_t>(extent, 1);
  }

  LogicalResult countStore(const StoreModel &store) {
    CountingBox box(model);
    for (unsigned loop : store.loops)
      box.addLoop(loop);
    Terms dims = addElements(box, store.shape);
    require(box, getPresence(model, store.to, dims));
    std::optional<int64_t> elements = box.count();
    if (!elements)
      return tooIrregular(store.op);
    Transfer &transfer =
        addTransfer(store.op, store.to, model.levelOf(store.from), model.levelOf(store.to));
    transfer.role = Role::Output;
    transfer.access = store.combines ? AccessKind::Combine : AccessKind::Write;
    transfer.tile = store.shape;
    transfer.elementBytes = store.elementBytes;
    transfer.copies = iterationsOf(store.loops);
    transfer.elements = transfer.takenBelow = transfer.uses = *elements;
    transfer.conditional = store.conditional;
    use(store.from, *elements, *elements);
    addIndices(store.op, store.to, Level::RF);
    return success();
  }

  void countCompulsory() {
    llvm::SmallDenseSet<unsigned> seen;
    for (const Transfer &transfer : traffic.transfers) {
      if (!transfer.operand || transfer.conditional || !seen.insert(*transfer.operand).second)
        continue;
      int64_t bytes = model.operandElementBytes(*transfer.operand);
      for (int64_t extent : model.operandShape(*transfer.operand))
        bytes *= extent;
      traffic.compulsoryBytes += transfer.scattered ? std::min(bytes, transfer.bytes()) : bytes;
    }
  }

  void markPartialResults() {
    // A variant of a nest combines where the nest, which is declared output-stationary, stores.
    KernelOp kernel = model.kernel;
    bool combines = llvm::any_of(model.stores, [](const StoreModel &store) { return store.combines; });
    if (kernel.getDataflow() == Dataflow::OutputStationary && !combines)
      return;
    llvm::SmallDenseSet<unsigned> partial;
    for (const Transfer &transfer : traffic.transfers)
      if (transfer.operand && transfer.role == Role::Output && transfer.access != AccessKind::Write && !transfer.conditional)
        partial.insert(*transfer.operand);
    for (Transfer &transfer : traffic.transfers)
      transfer.partial = transfer.operand && partial.contains(*transfer.operand) && !transfer.conditional;
  }

  const NestModel &model;
  Edges edges;
  NestTraffic traffic;
  SmallVector<int> stageTransfers;
};

} // namespace

FailureOr<NestTraffic> tilec::analysis::analyzeTraffic(const NestModel &model, Edges edges) {
  return Counter(model, edges).run();
}
