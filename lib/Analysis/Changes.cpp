//===- Changes.cpp - What might make a nest faster --------------*- C++ -*-===//

#include "tilec/Analysis/Changes.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::analysis;
using tilec::tile::Level;
using tilec::tile::Unit;

StringRef tilec::analysis::toString(Change::Kind kind) {
  switch (kind) {
  case Change::Kind::BlockTile:
    return "block_tile";
  case Change::Kind::ThreadTile:
    return "thread_tile";
  case Change::Kind::Pipeline:
    return "pipeline";
  case Change::Kind::Raster:
    return "raster";
  case Change::Kind::Layout:
    return "layout";
  case Change::Kind::ThreadOrder:
    return "thread_order";
  }
  llvm_unreachable("covered switch");
}

static std::string join(ArrayRef<int64_t> values) {
  return llvm::join(llvm::map_range(values, [](int64_t value) { return std::to_string(value); }), "x");
}

namespace {

class Lister {
public:
  Lister(const NestModel &model, const MachineSpec &machine) : model(model), machine(machine) {}

  void addTiles(Change::Kind kind) {
    // What a block makes in shared memory has the shape that all its users agree on.
    if (llvm::any_of(model.tiles, [](const TileModel &tile) { return tile.level == Level::SMEM && !tile.source; }))
      return;
    bool ofBlocks = kind == Change::Kind::BlockTile;
    SmallVector<unsigned, 3> loops = findLoops(ofBlocks);
    if (loops.empty() || loops.size() > 3)
      return;
    SmallVector<int64_t, 3> own = llvm::map_to_vector<3>(loops, [&](unsigned loop) { return model.loops[loop].step; });
    for (const SmallVector<int64_t, 3> &steps : listSteps(own)) {
      Change &change = changes.emplace_back();
      change.kind = kind;
      change.text = (ofBlocks ? "block tile " : "thread tile ") + join(steps);
      change.values = steps;
      change.loops = loops;
    }
  }

  /// Of loops that stage operands in shared memory.
  void addPipelines() {
    SmallVector<unsigned> loops;
    for (const TileModel &tile : model.tiles)
      if (tile.level == Level::SMEM && tile.source && tile.source->isOperand && !tile.loops.empty())
        if (unsigned loop = tile.loops.back(); model.loops[loop].unit == Unit::Time && !llvm::is_contained(loops, loop))
          loops.push_back(loop);
    constexpr int64_t kDeepest = 4;
    for (unsigned loop : loops)
      for (int64_t depth = 2; depth <= kDeepest && machine.features.cpAsync; ++depth)
        if (tile::ForOp(model.loops[loop].op).getPipeline() != depth)
          changes.push_back({Change::Kind::Pipeline, "pipeline(" + std::to_string(depth) + ")", {depth}, {loop}});
  }

  void addRasters(const Prediction &prediction) {
    if (model.loops.empty() || !model.loops.front().onBlocks())
      return;
    std::vector<const OrderPrediction *> orders;
    for (const OrderPrediction &order : prediction.otherOrders)
      if (order.dramBytes < prediction.dramBytes)
        orders.push_back(&order);
    llvm::stable_sort(orders, [](const auto *a, const auto *b) { return a->dramBytes < b->dramBytes; });
    constexpr size_t kMost = 2;
    for (const OrderPrediction *order : ArrayRef(orders).take_front(kMost)) {
      const RasterOrder &raster = order->raster.order;
      Change &change = changes.emplace_back();
      change.kind = Change::Kind::Raster;
      change.text = "raster(" + raster.str() + ")";
      change.raster = raster;
      if (raster.kind == RasterOrder::Grouped || raster.kind == RasterOrder::Boxes)
        change.values.push_back(raster.rows);
      if (raster.kind == RasterOrder::Boxes)
        change.values.push_back(raster.columns);
    }
  }

  void addLayouts(const std::map<unsigned, LayoutPlan> &layouts) {
    for (const auto &[tile, plan] : layouts) {
      Change &change = changes.emplace_back();
      change.kind = Change::Kind::Layout;
      change.text = "layout \"" + plan.layout.str() + "\"";
      change.tile = tile;
      change.layout = plan.layout;
    }
  }

  void addThreadOrders() {
    for (auto [number, loop] : llvm::enumerate(model.loops)) {
      tile::ForOp op = loop.op;
      if (loop.unit != Unit::Thread || loop.number != 0 || op.getNumLoops() < 2)
        continue;
      SmallVector<int64_t, 3> order = llvm::to_vector<3>(llvm::reverse(llvm::seq<int64_t>(op.getNumLoops())));
      std::string names;
      for (int64_t i : order)
        names += (names.empty() ? "" : ", ") + nameOf(op.getBody().getArgument(i));
      changes.push_back({Change::Kind::ThreadOrder, "threads in the order (" + names + ")", order, {static_cast<unsigned>(number)}});
    }
  }

  std::vector<Change> changes;

private:
  /// The loops whose steps decide how much is fetched; of several that walk one dimension, the innermost.
  SmallVector<unsigned, 3> findLoops(bool ofBlocks) const {
    auto mayChange = [&](unsigned loop) { return ofBlocks ? model.loops[loop].onBlocks() : model.loops[loop].unit == Unit::Thread; };
    SmallVector<unsigned, 3> result;
    for (unsigned loop = 0; loop < model.loops.size(); ++loop) {
      if (!mayChange(loop))
        continue;
      bool moves = false, hasInner = false;
      forEachRead([&](const Place &place) {
        for (const Subscript &subscript : model.tracedSubscripts(place)) {
          if (!subscript.movedBy(loop))
            continue;
          moves = true;
          hasInner |= llvm::any_of(subscript.terms, [&](const Term &term) { return term.loop > loop && mayChange(term.loop); });
        }
      });
      if (moves && !hasInner && !isPartner(result, loop))
        result.push_back(loop);
    }
    return result;
  }

  /// Is `loop` another one over what one of `loops` walks, which changes with it?
  bool isPartner(ArrayRef<unsigned> loops, unsigned loop) const {
    const LoopModel &own = model.loops[loop];
    return own.onThreads() && llvm::any_of(loops, [&](unsigned other) { return model.loops[other].op != own.op; });
  }

  template <typename Fn>
  void forEachRead(Fn see) const {
    for (const TileModel &tile : model.tiles)
      if (tile.source)
        see(*tile.source);
    for (const ComputeModel &compute : model.computes)
      for (const ComputeOperand &input : compute.inputs)
        see(input.place);
  }

  /// All but `own`, each step halved, kept, doubled or four times as large, and all of them together at most so many times.
  static std::vector<SmallVector<int64_t, 3>> listSteps(ArrayRef<int64_t> own) {
    constexpr double kSmallest = 0.25, kLargest = 8;
    std::vector<std::pair<SmallVector<int64_t, 3>, double>> lists = {{{}, 1.0}};
    for (int64_t step : own) {
      std::vector<std::pair<SmallVector<int64_t, 3>, double>> longer;
      for (const auto &[list, factor] : lists)
        for (auto [numerator, denominator] : {std::pair(1, 2), std::pair(1, 1), std::pair(2, 1), std::pair(4, 1)}) {
          if (step % denominator != 0)
            continue;
          longer.emplace_back(list, factor * numerator / denominator);
          longer.back().first.push_back(step * numerator / denominator);
        }
      lists = std::move(longer);
    }
    std::vector<SmallVector<int64_t, 3>> result;
    for (const auto &[list, factor] : lists)
      if (ArrayRef<int64_t>(list) != own && factor >= kSmallest && factor <= kLargest)
        result.push_back(list);
    return result;
  }

  const NestModel &model;
  const MachineSpec &machine;
};

} // namespace

std::vector<Change> tilec::analysis::listChanges(const NestModel &model, const Prediction &prediction,
                                                 const std::map<unsigned, LayoutPlan> &layouts, const MachineSpec &machine) {
  Lister lister(model, machine);
  lister.addTiles(Change::Kind::BlockTile);
  lister.addTiles(Change::Kind::ThreadTile);
  lister.addPipelines();
  lister.addRasters(prediction);
  lister.addLayouts(layouts);
  lister.addThreadOrders();
  return std::move(lister.changes);
}
