//===- GrowStep.cpp - Nests with another step --------------------*- C++ -*-===//

#include "tilec/Analysis/GrowStep.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::analysis;

namespace {

/// Grows one step, or shrinks it. All questions are asked of the model as it was.
class Grower {
public:
  Grower(const NestModel &before, unsigned loop, int64_t newStep)
      : before(before), after(before), loop(loop), step(before.loops[loop].step),
        grow(newStep - step) {}

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
    for (PartModel &part : after.parts)
      for (auto [extent, subscript] : llvm::zip_equal(part.shape, before.tracedSubscripts(part.place)))
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

} // namespace

llvm::SmallSetVector<unsigned, 2> tilec::analysis::findPartners(const NestModel &model, unsigned loop) {
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

NestModel tilec::analysis::changeStep(const NestModel &model, unsigned loop, int64_t step) {
  NestModel changed = Grower(model, loop, step).run();
  if (model.loops[loop].onThreads())
    for (unsigned partner : findPartners(model, loop))
      changed = Grower(changed, partner, step).run();
  return changed;
}
