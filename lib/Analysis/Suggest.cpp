//===- Suggest.cpp - Changes that make a stage keep up ----------*- C++ -*-===//
//
// A step grows together with everything that spans it: tiles staged inside of
// the loop, the loops that walk them, the iteration space of the computation.
//
//===----------------------------------------------------------------------===//

#include "Suggest.h"

#include "mlir/IR/Diagnostics.h"
#include "tilec/Analysis/Capacity.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::analysis;
using tilec::tile::Level;
using tilec::tile::Unit;

namespace {

/// Grows one step. All questions are asked of the model as it was.
class Grower {
public:
  Grower(const NestModel &before, unsigned loop, int64_t factor)
      : before(before), after(before), loop(loop), step(before.loops[loop].step),
        grow((factor - 1) * step) {}

  NestModel run() {
    findSpanning();
    LoopModel &grown = after.loops[loop];
    bool clustered = grown.clusterBlocks > 1;
    grown.step += grow;
    if (clustered)
      grown.clusterBlocks = std::max<int64_t>(grown.count(), 1);
    for (unsigned other : inner)
      growExtent(after.loops[other].extent);
    for (unsigned number = 0; number < after.tiles.size(); ++number)
      growTile(number);
    for (ComputeModel &compute : after.computes)
      growCompute(compute);
    for (StoreModel &store : after.stores)
      for (auto [extent, subscript] :
           llvm::zip_equal(store.shape, before.tracedSubscripts(store.to)))
        if (subscript.movedBy(loop))
          growExtent(extent);
    return std::move(after);
  }

private:
  void growExtent(int64_t &extent) {
    if (extent >= step)
      extent += grow;
  }

  /// Loops inside of the grown one that walk the same dimension of an operand.
  void findSpanning() {
    tile::ForOp outer = before.loops[loop].op;
    auto see = [&](const Place &place) {
      for (const Subscript &subscript : before.tracedSubscripts(place)) {
        if (!subscript.movedBy(loop))
          continue;
        for (const Term &term : subscript.terms) {
          tile::ForOp other = before.loops[term.loop].op;
          if (outer->isProperAncestor(other))
            inner.insert(term.loop);
        }
      }
    };
    for (const TileModel &tile : before.tiles)
      if (tile.source)
        see(*tile.source);
    for (const ComputeModel &compute : before.computes) {
      for (const ComputeOperand &input : compute.inputs)
        see(input.place);
      for (const ComputeOperand &output : compute.outputs)
        see(output.place);
    }
    for (const StoreModel &store : before.stores)
      see(store.to);
    // All loops part a held tile alike, those too that touch no operand.
    for (auto [number, tile] : llvm::enumerate(before.tiles)) {
      if (tile.source || !llvm::is_contained(tile.loops, loop))
        continue;
      SmallVector<bool> spanned(tile.shape.size(), false);
      before.forEachUse(number, [&](const Place &place, ArrayRef<unsigned>) {
        for (auto [dim, subscript] : llvm::enumerate(place.at))
          spanned[dim] = spanned[dim] || spans(subscript);
      });
      before.forEachUse(number, [&](const Place &place, ArrayRef<unsigned>) {
        for (auto [dim, subscript] : llvm::enumerate(place.at))
          for (const Term &term : subscript.terms)
            if (tile::ForOp other = before.loops[term.loop].op;
                spanned[dim] && outer->isProperAncestor(other))
              inner.insert(term.loop);
      });
    }
  }

  bool spans(const Subscript &subscript) const {
    return llvm::any_of(subscript.terms,
                        [&](const Term &term) { return inner.contains(term.loop); });
  }

  void growTile(unsigned number) {
    TileModel &tile = after.tiles[number];
    if (!llvm::is_contained(tile.loops, loop))
      return;
    SmallVector<bool> dims(tile.shape.size(), false);
    if (tile.source) {
      for (auto [dim, subscript] : llvm::enumerate(before.tracedSubscripts(*tile.source)))
        dims[dim] = subscript.movedBy(loop);
    } else {
      before.forEachUse(number, [&](const Place &place, ArrayRef<unsigned>) {
        for (auto [dim, subscript] : llvm::enumerate(place.at))
          dims[dim] = dims[dim] || spans(subscript);
      });
      for (const StoreModel &store : before.stores)
        if (!store.from.isOperand && store.from.root == number)
          for (auto [dim, subscript] : llvm::enumerate(before.tracedSubscripts(store.to)))
            dims[dim] = dims[dim] || subscript.movedBy(loop);
    }
    int64_t elements = tile.elements();
    for (auto [dim, grows] : llvm::enumerate(dims))
      if (grows)
        growExtent(tile.shape[dim]);
    // Padding grows with the rows.
    if (elements > 0)
      tile.cosize = (tile.cosize * tile.elements() + elements - 1) / elements;
  }

  void growCompute(ComputeModel &compute) {
    if (!llvm::is_contained(compute.loops, loop))
      return;
    llvm::SmallDenseSet<unsigned> dims;
    auto see = [&](ComputeOperand &operand) {
      for (auto [dim, subscript] : llvm::enumerate(before.tracedSubscripts(operand.place))) {
        if (!subscript.movedBy(loop))
          continue;
        growExtent(operand.shape[dim]);
        for (auto [iteration, factor] : operand.dims[dim])
          if (factor == 1)
            dims.insert(iteration);
      }
    };
    llvm::for_each(compute.inputs, see);
    llvm::for_each(compute.outputs, see);
    for (unsigned dim : dims)
      growExtent(compute.extents[dim]);
  }

  const NestModel &before;
  NestModel after;
  unsigned loop;
  int64_t step;
  int64_t grow;
  llvm::SmallDenseSet<unsigned> inner;
};

/// Loops beside `loop` that part the same register tile in the same dimension, and so must
/// keep its step.
llvm::SmallSetVector<unsigned, 2> findPartners(const NestModel &model, unsigned loop) {
  llvm::SmallSetVector<unsigned, 2> partners;
  const LoopModel &own = model.loops[loop];
  for (unsigned number = 0; number < model.tiles.size(); ++number) {
    SmallVector<bool> dims(model.tiles[number].shape.size(), false);
    model.forEachUse(number, [&](const Place &place, ArrayRef<unsigned>) {
      for (auto [dim, subscript] : llvm::enumerate(place.at))
        dims[dim] = dims[dim] || subscript.movedBy(loop);
    });
    model.forEachUse(number, [&](const Place &place, ArrayRef<unsigned>) {
      for (auto [dim, subscript] : llvm::enumerate(place.at))
        for (const Term &term : subscript.terms) {
          const LoopModel &other = model.loops[term.loop];
          if (dims[dim] && other.op != own.op && other.unit == own.unit && other.step == own.step &&
              other.extent == own.extent)
            partners.insert(term.loop);
        }
    });
  }
  return partners;
}

/// Tries changes of a model for one stage.
class Search {
public:
  Search(const NestModel &model, Level from, double requiredReuse, const MachineSpec &machine)
      : model(model), from(from), requiredReuse(requiredReuse), machine(machine) {}

  std::vector<Suggestion> run() {
    SmallVector<unsigned> candidates = findLoops();
    if (!candidates.empty() && candidates.size() <= 3) {
      tryTiles(candidates);
      if (from == Level::DRAM && machine.features.clusters && machine.features.multicast)
        tryClusters(candidates);
    }
    return std::move(found);
  }

private:
  /// Places that inputs are read from: (place, level that its tile was filled from).
  template <typename Fn>
  void forEachRead(Fn see) const {
    for (const TileModel &tile : model.tiles)
      if (tile.source && !isOutput(*tile.source))
        see(*tile.source, model.levelOf(*tile.source));
    for (const ComputeModel &compute : model.computes)
      for (const ComputeOperand &input : compute.inputs) {
        if (input.place.isOperand || isOutput(input.place))
          continue;
        const TileModel &tile = model.tiles[input.place.root];
        if (tile.source && tile.level == Level::RF)
          see(input.place, model.levelOf(*tile.source));
      }
  }

  bool mayChange(const LoopModel &loop) const {
    return from == Level::DRAM ? loop.onBlocks() : loop.onThreads();
  }

  /// The loops whose steps decide how much is fetched: on block for DRAM, on thread for
  /// shared memory; of several that walk one dimension, the innermost.
  SmallVector<unsigned> findLoops() const {
    SmallVector<unsigned> result;
    for (auto [number, loop] : llvm::enumerate(model.loops)) {
      if (!mayChange(loop))
        continue;
      bool movesInput = false, hasInner = false;
      forEachRead([&, number = number](const Place &place, Level level) {
        if (level != from)
          return;
        for (const Subscript &subscript : place.at) {
          if (!subscript.movedBy(number))
            continue;
          movesInput = true;
          hasInner |= llvm::any_of(subscript.terms, [&](const Term &term) {
            return term.loop > number && mayChange(model.loops[term.loop]);
          });
        }
      });
      if (movesInput && !hasInner)
        result.push_back(number);
    }
    return result;
  }

  bool isOutput(const Place &place) const {
    std::optional<unsigned> operand = model.operandOf(place);
    return operand && model.isStoredTo(*operand);
  }

  std::optional<double> reuseOf(const NestModel &changed) {
    if (!loopsDivide(changed) || !checkMachine(changed, machine).empty())
      return std::nullopt;
    // What cannot be counted is not suggested; its diagnostic is of no interest.
    ScopedDiagnosticHandler quiet(changed.kernel->getContext(),
                                  [](Diagnostic &) { return success(); });
    FailureOr<NestTraffic> traffic = analyzeTraffic(changed, Edges::Whole);
    if (failed(traffic))
      return std::nullopt;
    std::optional<double> reuse = guaranteedReuse(*traffic, from);
    if (!reuse || *reuse < requiredReuse)
      return std::nullopt;
    return reuse;
  }

  /// Loops inside of tiles take whole steps.
  static bool loopsDivide(const NestModel &changed) {
    return llvm::all_of(changed.loops, [](const LoopModel &loop) {
      return loop.onBlocks() || loop.unit == Unit::Time ||
             (loop.step > 0 && loop.extent % loop.step == 0);
    });
  }

  /// Grows each of `loops` by its factor; with `work`, also what a thread does of it.
  NestModel grow(ArrayRef<unsigned> loops, ArrayRef<int64_t> factors, bool work) {
    NestModel changed = model;
    for (auto [loop, factor] : llvm::zip_equal(loops, factors)) {
      if (factor == 1)
        continue;
      SmallVector<unsigned> threads = work ? threadLoopsAlong(loop) : SmallVector<unsigned>();
      changed = growStep(changed, loop, factor);
      llvm::SmallDenseSet<unsigned> done;
      for (unsigned thread : threads) {
        if (!done.insert(thread).second)
          continue;
        done.insert_range(findPartners(changed, thread));
        changed = growStep(changed, thread, factor);
      }
    }
    return changed;
  }

  /// Loops on thread that walk the same dimension of an operand as `loop`.
  SmallVector<unsigned> threadLoopsAlong(unsigned loop) const {
    SmallVector<unsigned> result;
    auto see = [&](const Place &place) {
      for (const Subscript &subscript : model.tracedSubscripts(place))
        if (subscript.movedBy(loop))
          for (const Term &term : subscript.terms)
            if (model.loops[term.loop].unit == Unit::Thread &&
                !llvm::is_contained(result, term.loop))
              result.push_back(term.loop);
    };
    for (const TileModel &tile : model.tiles)
      if (tile.source)
        see(*tile.source);
    for (const ComputeModel &compute : model.computes)
      for (const ComputeOperand &input : compute.inputs)
        see(input.place);
    return result;
  }

  /// All tuples of powers of two up to 16, smallest product first, then most even.
  static std::vector<SmallVector<int64_t>> factorTuples(unsigned size) {
    std::vector<SmallVector<int64_t>> tuples = {{}};
    for (unsigned i = 0; i < size; ++i) {
      std::vector<SmallVector<int64_t>> longer;
      for (const SmallVector<int64_t> &tuple : tuples)
        for (int64_t factor = 1; factor <= 16; factor *= 2) {
          longer.push_back(tuple);
          longer.back().push_back(factor);
        }
      tuples = std::move(longer);
    }
    auto product = [](ArrayRef<int64_t> tuple) {
      int64_t result = 1;
      for (int64_t factor : tuple)
        result *= factor;
      return result;
    };
    llvm::stable_sort(tuples, [&](ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
      return std::make_pair(product(a), *llvm::max_element(a)) <
             std::make_pair(product(b), *llvm::max_element(b));
    });
    return tuples;
  }

  static std::string sizes(StringRef what, ArrayRef<int64_t> extents) {
    std::string text = what.str() + " ";
    for (auto [i, extent] : llvm::enumerate(extents))
      text += (i ? "x" : "") + std::to_string(extent);
    return text;
  }

  /// Adds the smallest tile that does, and the smallest even one where that is another.
  void tryTiles(ArrayRef<unsigned> loops) {
    bool ofBlocks = from == Level::DRAM;
    auto kind = ofBlocks ? Suggestion::Kind::BlockTile : Suggestion::Kind::ThreadTile;
    bool haveFirst = false;
    for (const SmallVector<int64_t> &factors : factorTuples(loops.size())) {
      SmallVector<int64_t> extents;
      for (auto [loop, factor] : llvm::zip_equal(loops, factors))
        extents.push_back(model.loops[loop].step * factor);
      bool even = llvm::all_equal(extents);
      if (haveFirst && !even)
        continue;
      std::optional<double> reuse = reuseOf(grow(loops, factors, /*work=*/false));
      if (!reuse && ofBlocks)
        reuse = reuseOf(grow(loops, factors, /*work=*/true));
      if (!reuse)
        continue;
      StringRef what = ofBlocks ? "block tile" : "thread tile";
      found.push_back({sizes(what, extents), *reuse, kind, {extents.begin(), extents.end()}});
      if (even)
        return;
      haveFirst = true;
    }
  }

  /// Adds the smallest cluster that does, with all tiles in shared memory by multicast; of equally small ones the one with
  /// most reuse.
  void tryClusters(ArrayRef<unsigned> loops) {
    for (const LoopModel &loop : model.loops)
      if (loop.clusterBlocks > 1 || loop.unit == Unit::Cluster)
        return;
    NestModel boxed = model;
    bool hasBoxes = true;
    for (TileModel &tile : boxed.tiles)
      if (tile.level == Level::SMEM && tile.source && tile.source->isOperand) {
        hasBoxes &= tile.boxed;
        tile.boxed = true;
      }
    std::optional<Suggestion> best;
    int64_t bestSize = machine.maxClusterSize();
    for (const SmallVector<int64_t> &factors : factorTuples(loops.size())) {
      int64_t size = 1;
      for (int64_t factor : factors)
        size *= factor;
      if (size == 1 || size > bestSize)
        continue;
      NestModel changed = boxed;
      bool enough = true;
      for (auto [loop, factor] : llvm::zip_equal(loops, factors)) {
        changed.loops[loop].clusterBlocks = factor;
        enough &= changed.loops[loop].count() >= factor;
      }
      if (!enough)
        continue;
      std::optional<double> reuse = reuseOf(changed);
      if (!reuse || (best && best->reuse >= *reuse))
        continue;
      best = {sizes("cluster", factors) + (hasBoxes ? "" : " with copy(tma)"), *reuse, Suggestion::Kind::Cluster,
              {factors.begin(), factors.end()}};
      bestSize = size;
    }
    if (best)
      found.push_back(std::move(*best));
  }

  const NestModel &model;
  Level from;
  double requiredReuse;
  const MachineSpec &machine;
  std::vector<Suggestion> found;
};

} // namespace

NestModel tilec::analysis::growStep(const NestModel &model, unsigned loop, int64_t factor) {
  NestModel grown = Grower(model, loop, factor).run();
  if (model.loops[loop].onThreads())
    for (unsigned partner : findPartners(model, loop))
      grown = Grower(grown, partner, factor).run();
  return grown;
}

std::vector<Suggestion> tilec::analysis::suggestChanges(const NestModel &model, Level from,
                                                        double requiredReuse,
                                                        const MachineSpec &machine) {
  return Search(model, from, requiredReuse, machine).run();
}
