//===- NestAnalysis.cpp - Traffic and reuse of a nest -----------*- C++ -*-===//
//
// A tile is fetched each time its stage op runs: the loops around the op say how
// often, the extents of the operand say how much of it there is. No op is asked
// for its name; indexing maps answer.
//
//===----------------------------------------------------------------------===//

#include "tilec/Analysis/NestAnalysis.h"

#include "tilec/Analysis/Counting.h"
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
  case AccessKind::ReadWrite:
    return "read_write";
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
std::optional<double> Transfer::localReuse() const { return ratio(takenBelow, elements); }
std::optional<double> Transfer::globalReuse() const { return ratio(uses, elements); }

namespace {

/// The iterations of some loops and of the elements of a box, of which those count whose
/// places exist.
class Box {
public:
  Box(const NestModel &model, ArrayRef<unsigned> loops, Edges edges) : model(model), edges(edges) {
    for (unsigned loop : loops)
      variables[loop] = problem.addVariable(model.loops[loop].count());
  }

  unsigned addDimension(int64_t extent) { return problem.addVariable(extent); }

  /// The elements (sum of dims * factor in each dimension) at `place` must be present.
  void addPresence(const Place &place, ArrayRef<SmallVector<CountTerm>> dims) {
    if (edges == Edges::Whole)
      return;
    std::vector<CountBound> coordinates(place.at.size());
    for (auto [dim, terms] : llvm::enumerate(dims))
      coordinates[dim].terms.append(terms.begin(), terms.end());
    for (const Place *at = &place;;) {
      for (auto [coordinate, subscript] : llvm::zip_equal(coordinates, at->at)) {
        coordinate.lower -= subscript.constant;
        coordinate.upper -= subscript.constant;
        for (const Term &term : subscript.terms)
          coordinate.terms.push_back(
              {variables.at(term.loop), term.factor * model.loops[term.loop].step});
      }
      if (at->isOperand) {
        bound(coordinates, model.operandShape(at->root));
        return;
      }
      const TileModel &tile = model.tiles[at->root];
      // A held tile is there as a whole, and so is a padded one.
      if (!tile.source || tile.pad)
        return;
      at = &*tile.source;
    }
  }

  std::optional<int64_t> count() const { return problem.count(); }

private:
  void bound(std::vector<CountBound> &coordinates, ArrayRef<int64_t> shape) {
    for (auto [coordinate, extent] : llvm::zip_equal(coordinates, shape)) {
      coordinate.upper += extent;
      problem.addBound(std::move(coordinate));
    }
  }

  const NestModel &model;
  Edges edges;
  CountingProblem problem;
  DenseMap<unsigned, unsigned> variables;
};

class Counter {
public:
  Counter(const NestModel &model, Edges edges)
      : model(model), edges(edges), stageTransfers(model.tiles.size(), -1) {}

  FailureOr<NestTraffic> run() {
    for (auto [number, tile] : llvm::enumerate(model.tiles))
      if (tile.source && failed(countStage(number, tile)))
        return failure();
    bool anyReduces =
        llvm::any_of(model.computes, [](const ComputeModel &compute) { return compute.reduces(); });
    for (const ComputeModel &compute : model.computes)
      if (failed(countCompute(compute, compute.reduces() || !anyReduces)))
        return failure();
    for (const StoreModel &store : model.stores)
      if (failed(countStore(store)))
        return failure();
    countCompulsory();
    return std::move(traffic);
  }

private:
  LogicalResult tooIrregular(Operation *op) {
    return op->emitOpError(
        "moves more than the analysis can count: over 2^63 elements, or bounds too irregular");
  }

  static SmallVector<SmallVector<CountTerm>> addElements(Box &box, ArrayRef<int64_t> shape) {
    SmallVector<SmallVector<CountTerm>> dims;
    for (int64_t extent : shape)
      dims.push_back({{box.addDimension(extent), 1}});
    return dims;
  }

  int64_t iterationsOf(ArrayRef<unsigned> loops) {
    int64_t count = 1;
    for (unsigned loop : loops)
      count = llvm::SaturatingMultiply<uint64_t>(count, model.loops[loop].count());
    return count;
  }

  Transfer &addTransfer(Operation *op, const Place &place, Level from, Level to) {
    Transfer &transfer = traffic.transfers.emplace_back();
    transfer.op = op;
    transfer.operand = model.operandOf(place);
    if (transfer.operand) {
      KernelOp kernel = model.kernel;
      transfer.name = nameOf(kernel.getBody().getArgument(*transfer.operand));
      transfer.role = model.isStoredTo(*transfer.operand) ? Role::Output : Role::Input;
    }
    transfer.from = from;
    transfer.to = to;
    for (const Subscript &subscript : model.tracedSubscripts(place))
      for (const Term &term : subscript.terms)
        if (!llvm::is_contained(transfer.movedBy, term.loop))
          transfer.movedBy.push_back(term.loop);
    return transfer;
  }

  /// Threads that hold the same elements of register tile `number`, which is declared outside
  /// of their loops.
  int64_t replicasOf(unsigned number) {
    const TileModel &tile = model.tiles[number];
    if (tile.level != Level::RF)
      return 1;
    int64_t most = 1;
    model.forEachUse(number, [&](const Place &place, ArrayRef<unsigned> loops) {
      int64_t replicas = 1;
      for (unsigned loop : loops.drop_front(tile.loops.size()))
        if (model.loops[loop].onThreads() && !place.movedBy(loop))
          replicas *= model.loops[loop].count();
      most = std::max(most, replicas);
    });
    return most;
  }

  LogicalResult countStage(unsigned number, const TileModel &tile) {
    Box box(model, tile.loops, edges);
    SmallVector<SmallVector<CountTerm>> dims = addElements(box, tile.shape);
    // Padding by the nearest or mirrored element reads one for each element of the tile.
    if (!tile.pad || *tile.pad == Pad::Zero)
      box.addPresence(*tile.source, dims);
    std::optional<int64_t> elements = box.count();
    int64_t delivered = 0, replicas = replicasOf(number);
    if (!elements || llvm::MulOverflow(*elements, replicas, delivered))
      return tooIrregular(tile.op);
    stageTransfers[number] = traffic.transfers.size();
    Transfer &transfer =
        addTransfer(tile.op, *tile.source, model.levelOf(*tile.source), tile.level);
    transfer.tile = tile.shape;
    transfer.elementBytes = tile.elementBytes;
    transfer.copies = iterationsOf(tile.loops);
    transfer.elements = delivered;
    transfer.readsInBlock = replicas * threadsBeside(*tile.source, tile.loops);
    transfer.conditional = tile.conditional;
    if (transfer.from == Level::DRAM)
      transfer.multicast = multicastOf(*tile.source, tile.loops);
    use(*tile.source, delivered, /*uses=*/0);
    return success();
  }

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

  LogicalResult countCompute(const ComputeModel &compute, bool counts) {
    Box box(model, compute.loops, edges);
    for (int64_t extent : compute.extents)
      box.addDimension(extent);
    unsigned first = compute.loops.size();
    auto require = [&](const ComputeOperand &operand) {
      SmallVector<SmallVector<CountTerm>> dims;
      for (const auto &factors : operand.dims) {
        auto &terms = dims.emplace_back();
        for (auto [dim, factor] : factors)
          terms.push_back({first + dim, factor});
      }
      box.addPresence(operand.place, dims);
    };
    llvm::for_each(compute.inputs, require);
    llvm::for_each(compute.outputs, require);
    std::optional<int64_t> points = box.count();
    if (!points)
      return tooIrregular(compute.op);
    for (const ComputeOperand &input : compute.inputs) {
      readInPlace(compute, input, *points, AccessKind::Read);
      use(input.place, *points, *points);
      if (counts)
        traffic.operandBytes += *points * input.elementBytes;
    }
    for (const ComputeOperand &output : compute.outputs)
      readInPlace(compute, output, *points, AccessKind::ReadWrite);
    if (counts) {
      traffic.iterations += *points;
      if (*points >= mostPoints) {
        mostPoints = *points;
        traffic.elementType = compute.elementType;
      }
    }
    return success();
  }

  /// What a computation reads from a level other than registers comes element by element.
  void readInPlace(const ComputeModel &compute, const ComputeOperand &operand, int64_t points,
                   AccessKind access) {
    Level level = model.levelOf(operand.place);
    if (level == Level::RF)
      return;
    Transfer &transfer = addTransfer(compute.op, operand.place, level, Level::RF);
    transfer.access = access;
    transfer.tile = operand.shape;
    transfer.elementBytes = operand.elementBytes;
    transfer.copies = iterationsOf(compute.loops);
    transfer.elements = transfer.takenBelow = transfer.uses = points;
    transfer.readsInBlock = threadsBeside(operand.place, compute.loops);
    for (auto [iteration, extent] : llvm::enumerate(compute.extents))
      if (llvm::none_of(operand.dims, [&, iteration = iteration](const auto &factors) {
            return llvm::any_of(factors,
                                [&](const auto &factor) { return factor.first == iteration; });
          }))
        transfer.readsInBlock *= std::max<int64_t>(extent, 1);
    transfer.conditional = compute.conditional;
  }

  LogicalResult countStore(const StoreModel &store) {
    Box box(model, store.loops, edges);
    SmallVector<SmallVector<CountTerm>> dims = addElements(box, store.shape);
    box.addPresence(store.to, dims);
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
      traffic.compulsoryBytes += bytes;
    }
  }

  const NestModel &model;
  Edges edges;
  NestTraffic traffic;
  SmallVector<int> stageTransfers;
  int64_t mostPoints = -1;
};

} // namespace

FailureOr<NestTraffic> tilec::analysis::analyzeTraffic(const NestModel &model, Edges edges) {
  return Counter(model, edges).run();
}
