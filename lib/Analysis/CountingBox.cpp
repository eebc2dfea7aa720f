//===- CountingBox.cpp - Iterations and elements that count -----*- C++ -*-===//

#include "CountingBox.h"

using namespace mlir;
using namespace tilec::analysis;

void CountingBox::addLoop(unsigned loop, std::optional<int64_t> at) {
  if (at)
    fixed[loop] = *at;
  else
    variables[loop] = problem.addVariable(model.loops[loop].count());
  if (std::optional<Subscript> rest = model.getRest(loop))
    require({std::move(*rest), {}, model.loops[loop].extent});
}

void CountingBox::require(const Presence &presence) {
  CountBound bound;
  bound.terms.append(presence.dims.begin(), presence.dims.end());
  bound.lower = -presence.subscript.constant;
  for (const Term &term : presence.subscript.terms) {
    int64_t factor = term.factor * model.loops[term.loop].step;
    if (auto known = fixed.find(term.loop); known != fixed.end())
      bound.lower -= factor * known->second;
    else
      bound.terms.push_back({variables.at(term.loop), factor});
  }
  bound.upper = bound.lower + presence.extent;
  problem.addBound(std::move(bound));
}

SmallVector<Presence> tilec::analysis::getPresence(const NestModel &model, const Place &place,
                                                   ArrayRef<SmallVector<CountTerm, 2>> dims,
                                                   ArrayRef<Subscript> inner) {
  SmallVector<Presence> result(place.at.size());
  for (auto [dim, presence] : llvm::enumerate(result)) {
    presence.dims = dims[dim];
    if (!inner.empty())
      presence.subscript = inner[dim];
  }
  for (const Place *at = &place;;) {
    for (auto [presence, subscript] : llvm::zip_equal(result, at->at))
      presence.subscript.add(subscript);
    if (at->isOperand || at->gather) {
      for (auto [presence, extent] : llvm::zip_equal(result, model.boundsOf(*at)))
        presence.extent = extent;
      return result;
    }
    // A held tile is there as a whole, and so is a padded one.
    const TileModel &tile = model.tiles[at->root];
    if (!tile.source || tile.pad)
      return {};
    at = &*tile.source;
  }
}
