//===- Suggest.cpp - Changes that make a stage keep up ----------*- C++ -*-===//
//
// Tiles and clusters are tried, smallest first, until one does.
//
//===----------------------------------------------------------------------===//

#include "Suggest.h"

#include "GrowStep.h"

#include "mlir/IR/Diagnostics.h"
#include "tilec/Analysis/BulkPlan.h"
#include "tilec/Analysis/Capacity.h"
#include "tilec/Tile/Access.h"
#include "tilec/Tile/Distribution.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::analysis;
using tilec::tile::Level;
using tilec::tile::Unit;

namespace {

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

  /// Makes TMA copy all tiles in shared memory, and says what the nest must say for that: " with copy(tma), ...", or
  /// nothing where it says all of it. Absent where the lowering would refuse to.
  std::optional<std::string> boxTiles(NestModel &changed) const {
    ScopedDiagnosticHandler quiet(model.kernel->getContext(), [](Diagnostic &) { return success(); });
    tile::ForOp filled;
    SmallVector<std::string, 2> strided;
    bool hasBoxes = true, isCompact = true;
    for (TileModel &tile : changed.tiles) {
      if (tile.level != Level::SMEM || !tile.source)
        continue;
      auto stage = cast<tile::StageOp>(tile.op);
      auto type = cast<MemRefType>(stage.getTile().getType());
      FailureOr<BulkBox> box = getBulkBox(stage, type);
      if (failed(box)) {
        isCompact = false;
        box = getBulkBox(stage, MemRefType::get(type.getShape(), type.getElementType(), MemRefLayoutAttrInterface(),
                                                type.getMemorySpace()));
        tile.cosize = tile.elements();
      }
      auto loop = dyn_cast<tile::ForOp>(stage->getParentOp());
      if (failed(box) || !loop || (filled && filled != loop))
        return std::nullopt;
      if (box->stride != 1) {
        // It may be said to be 1 where it is not known, unless another one is.
        auto operand = cast<MemRefType>(box->operand.getType());
        if (!ShapedType::isDynamic(box->stride) || llvm::is_contained(*tile::getStaticStrides(operand), 1))
          return std::nullopt;
        if (std::string name = nameOf(box->operand); !llvm::is_contained(strided, name))
          strided.push_back(name);
      }
      filled = loop;
      hasBoxes &= tile.boxed;
      tile.boxed = true;
      tile.depth = std::max<int64_t>(tile.depth, 2);
    }
    if (!filled || (!filled.getProducers() && !mayHaveProducers(filled)))
      return std::nullopt;
    std::string text = hasBoxes ? "" : " with copy(tma)";
    if (!isCompact)
      text += ", tiles without gaps";
    if (!filled.getPipeline())
      text += ", pipeline(2)";
    if (!filled.getProducers())
      text += ", producers(1)";
    if (!strided.empty())
      text += ", stride 1 in " + llvm::join(strided, " and ");
    return text;
  }

  /// May a warp that only copies fill the slots of this loop (rule F12 of tile.for, and what the lowering does)?
  bool mayHaveProducers(tile::ForOp loop) const {
    bool others = false;
    model.kernel->walk([&](tile::ForOp other) { others |= other.getProducers().has_value(); });
    for (auto outer = loop->getParentOfType<tile::ForOp>(); outer; outer = outer->getParentOfType<tile::ForOp>())
      others |= tile::isThreadUnit(outer);
    int64_t threads = model.threadsPerBlock();
    return !others && loop.getUnit() == Unit::Time && loop.getNumLoops() == 1 && threads % tile::kWarpThreads == 0 &&
           threads + tile::kWarpThreads <= machine.limits.threadsPerBlock.value;
  }

  /// Adds the smallest cluster that does, with all tiles in shared memory by multicast; of equally small ones the one
  /// with most reuse.
  void tryClusters(ArrayRef<unsigned> loops) {
    for (const LoopModel &loop : model.loops)
      if (loop.clusterBlocks > 1 || loop.unit == Unit::Cluster)
        return;
    NestModel boxed = model;
    std::optional<std::string> needed = boxTiles(boxed);
    if (!needed)
      return;
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
      best = {sizes("cluster", factors) + *needed, *reuse, Suggestion::Kind::Cluster, {factors.begin(), factors.end()}};
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

std::vector<Suggestion> tilec::analysis::suggestChanges(const NestModel &model, Level from,
                                                        double requiredReuse,
                                                        const MachineSpec &machine) {
  return Search(model, from, requiredReuse, machine).run();
}
