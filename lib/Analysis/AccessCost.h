//===- AccessCost.h - What a request takes beside its bytes -----*- C++ -*-===//
//
// Rules by which times are predicted and layouts are planned alike.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_ANALYSIS_ACCESSCOST_H
#define TILEC_LIB_ANALYSIS_ACCESSCOST_H

#include "tilec/Analysis/AccessSites.h"

namespace tilec::analysis {

/// The tile that the stage at `site` fills; what it accesses where that is none.
inline unsigned getFilledTile(const NestModel &model, const AccessSite &site) {
  for (auto [number, tile] : llvm::enumerate(model.tiles))
    if (tile.op == site.op)
      return number;
  return site.root;
}

/// Does one more iteration of a loop around `site` add the same to every address, whatever the swizzle does to what lies in front? So it is where the
/// iteration moves by whole periods of the swizzle: addresses are computed once then, ahead of the loops, and the rest are numbers in the code.
inline bool movesByPeriods(const NestModel &model, const AccessSite &site, const layout::ComposedLayout &layout) {
  const layout::Swizzle swizzle = layout.swizzle();
  int64_t period = int64_t(1) << (swizzle.base() + swizzle.bits() + std::abs(swizzle.shift()));
  return llvm::all_of(site.loops, [&](const auto &loop) {
    llvm::SmallVector<int64_t, 4> moved(site.rank(), 0);
    for (auto [dim, by] : llvm::enumerate(moved))
      for (const Term &term : site.at[dim].terms)
        if (term.loop == loop.first)
          by += std::abs(term.factor) * model.loops[term.loop].step;
    return layout.layout().at(moved.data(), moved.size()) % period == 0;
  });
}

/// Instructions that each request at `site` takes beside itself. Copies have a price of their own, and the lanes of an instruction of a warp
/// name rows of 16 bytes, whose addresses were counted with no swizzle apart.
inline int64_t getAddressInstructions(const NestModel &model, const AccessSite &site, const MachineSpec &machine) {
  if (!site.shared || site.copy || site.isBulk() || model.tiles[getFilledTile(model, site)].lanes > 1)
    return 0;
  const std::optional<layout::ComposedLayout> &layout = model.tiles[site.root].layout;
  return layout && !layout->swizzle().isIdentity() && !movesByPeriods(model, site, *layout) ? machine.compiler.instructions.swizzled.value : 0;
}

/// Passes of the array that is shared memory and L1 for `requests` at `site`, which alone would take so many `wavefronts`, or lines. Boxes reach
/// shared memory without a pass of the pipe that loads and stores take; a request that runs ahead with 16 bytes a lane takes one, whatever its bytes.
template <typename Number>
Number getPasses(const NestModel &model, const AccessSite &site, Number requests, Number wavefronts) {
  constexpr int64_t kWhole = 16;
  if (site.copy && site.isBulk())
    return 0;
  bool whole = site.copy && site.bytesPerLane() == kWhole && model.tiles[getFilledTile(model, site)].depth > 1;
  return whole ? (site.shared ? requests : 0) : wavefronts;
}

} // namespace tilec::analysis

#endif // TILEC_LIB_ANALYSIS_ACCESSCOST_H
