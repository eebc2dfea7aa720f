//===- Dataflows.cpp - One nest with other operands kept --------*- C++ -*-===//
//
// Works on the model: a tile is fetched once for each iteration of the loops around
// it, so an operand is kept by moving the loops that do not move it inside.
//
//===----------------------------------------------------------------------===//

#include "tilec/Analysis/Dataflows.h"

#include "tilec/Tile/Stationary.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::analysis;
using tilec::tile::Dataflow;
using tilec::tile::Level;
using tilec::tile::Unit;

namespace {

class Maker {
public:
  Maker(const NestModel &model, std::string &why) : base(model), why(why) {}

  std::vector<DataflowVariant> run(int64_t sms) {
    if (!findParts())
      return {};
    // What reduces alone: what comes after it does not follow the dataflow.
    llvm::erase_if(base.computes, [](const ComputeModel &compute) { return !compute.reduces(); });
    std::vector<DataflowVariant> variants = {{Dataflow::OutputStationary, base}};
    for (Dataflow dataflow : {Dataflow::WeightStationary, Dataflow::InputStationary})
      if (SmallVector<unsigned> kept = tile::getStationaryInputs(reducing, dataflow); kept.size() == 1)
        variants.push_back({dataflow, keep(inputs[kept.front()])});
    if (std::optional<NestModel> split = splitReduction(sms))
      variants.push_back({Dataflow::SplitReduction, std::move(*split)});
    return variants;
  }

private:
  bool refuse(const char *reason) {
    why = reason;
    return false;
  }

  bool findParts() {
    const ComputeModel *compute = nullptr;
    for (const ComputeModel &candidate : base.computes)
      if (candidate.reduces()) {
        if (compute)
          return refuse("it has several computations that reduce");
        compute = &candidate;
      }
    if (llvm::any_of(base.loops, [](const LoopModel &loop) { return loop.bound.has_value(); }))
      return refuse("a loop has another extent in each iteration of one around it");
    if (!compute || compute->outputs.size() != 1 || compute->outputs.front().place.isOperand)
      return refuse("it has no reduction into a held tile");
    reducing = cast<linalg::LinalgOp>(compute->op);
    held = compute->outputs.front().place.root;
    for (const ComputeOperand &input : compute->inputs) {
      std::optional<unsigned> stage = stageOf(input.place);
      if (!stage)
        return refuse("an input is not staged in shared memory");
      if (base.tiles[*stage].loops != base.tiles[stageOf(compute->inputs.front().place).value()].loops)
        return refuse("its inputs are not staged in one loop");
      inputs.push_back(*stage);
    }
    if (inputs.empty() || inputs.size() > 2)
      return refuse("it has not one or two inputs");
    outer = base.tiles[inputs.front()].loops;
    const TileModel &result = base.tiles[held];
    if (result.source || base.stores.size() != 1 || base.stores.front().from.isOperand ||
        base.stores.front().from.root != held || base.stores.front().combines || !base.stores.front().to.isOperand)
      return refuse("its result is not held and stored once");
    for (unsigned loop : outer) {
      bool onBlocks = base.loops[loop].unit == Unit::Block;
      bool reduces = !base.stores.front().to.movedBy(loop);
      if (onBlocks == reduces || (reduces && base.loops[loop].unit != Unit::Time))
        return refuse("its loops on block are not those that move its result");
      if (reduces)
        reductions.push_back(loop);
    }
    if (reductions.size() != 1)
      return refuse("its reduction is not one loop over time");
    return true;
  }

  /// The tile in shared memory that `place` comes from.
  std::optional<unsigned> stageOf(const Place &place) const {
    for (const Place *at = &place; !at->isOperand; at = &*base.tiles[at->root].source) {
      const TileModel &tile = base.tiles[at->root];
      if (!tile.source)
        return std::nullopt;
      if (tile.level == Level::SMEM && tile.source && tile.source->isOperand)
        return at->root;
    }
    return std::nullopt;
  }

  /// Fetches tile `kept` once: the loops that move it are the grid, the others pass over time and
  /// send partial results away.
  NestModel keep(unsigned kept) const {
    NestModel model = base;
    const Place &source = *base.tiles[kept].source;
    SmallVector<unsigned> moving;
    for (unsigned loop : outer) {
      bool moves = source.movedBy(loop);
      model.loops[loop].unit = moves ? Unit::Block : Unit::Time;
      if (moves)
        moving.push_back(loop);
    }
    model.tiles[kept].loops = moving;
    partialResults(model, outer);
    return model;
  }

  void partialResults(NestModel &model, ArrayRef<unsigned> loops) const {
    model.tiles[held].loops.assign(loops.begin(), loops.end());
    model.stores.front().loops.assign(loops.begin(), loops.end());
    model.stores.front().combines = true;
  }

  /// Cuts the loop that reduces into parts on blocks of their own.
  std::optional<NestModel> splitReduction(int64_t sms) const {
    unsigned reduction = reductions.front();
    int64_t blocks = 1, parts = 2;
    for (unsigned loop : outer)
      if (loop != reduction)
        blocks *= base.loops[loop].count();
    while (blocks * parts < sms)
      parts *= 2;
    const LoopModel &whole = base.loops[reduction];
    int64_t steps = (whole.count() + parts - 1) / parts;
    if (whole.count() < 2 || blocks == 0)
      return std::nullopt;
    NestModel model = base;
    unsigned part = model.loops.size();
    LoopModel outerPart = whole;
    outerPart.step = steps * whole.step;
    outerPart.unit = Unit::Block;
    model.loops.push_back(outerPart);
    model.loops[reduction].extent = outerPart.step;
    auto shift = [&](Place &place) {
      for (Subscript &subscript : place.at)
        if (std::optional<int64_t> factor = factorOf(subscript, reduction))
          subscript.terms.push_back({part, *factor});
    };
    auto around = [&](SmallVectorImpl<unsigned> &loops) {
      if (llvm::is_contained(loops, reduction))
        loops.push_back(part);
    };
    for (TileModel &tile : model.tiles) {
      around(tile.loops);
      if (tile.source)
        shift(*tile.source);
    }
    for (ComputeModel &compute : model.computes) {
      around(compute.loops);
      for (ComputeOperand &input : compute.inputs)
        shift(input.place);
    }
    SmallVector<unsigned> grid;
    for (unsigned loop : outer)
      if (loop != reduction)
        grid.push_back(loop);
    grid.push_back(part);
    partialResults(model, grid);
    return model;
  }

  static std::optional<int64_t> factorOf(const Subscript &subscript, unsigned loop) {
    for (const Term &term : subscript.terms)
      if (term.loop == loop)
        return term.factor;
    return std::nullopt;
  }

  NestModel base;
  std::string &why;
  linalg::LinalgOp reducing;
  /// Tiles of the inputs in shared memory, the tile of the result, loops around the stages, and
  /// those of them that reduce.
  SmallVector<unsigned> inputs;
  unsigned held = 0;
  SmallVector<unsigned> outer;
  SmallVector<unsigned> reductions;
};

} // namespace

std::vector<DataflowVariant> tilec::analysis::makeDataflows(const NestModel &model, int64_t sms,
                                                            std::string &why) {
  return Maker(model, why).run(sms);
}
