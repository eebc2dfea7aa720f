//===- Phases.cpp - Parts of a kernel that run one after another *- C++ -*-===//

#include "tilec/Analysis/Phases.h"

using namespace mlir;
using namespace tilec::analysis;
using tilec::tile::Level;
using tilec::tile::Unit;

bool Phase::contains(ArrayRef<unsigned> around) const {
  return llvm::all_of(loops, [&](unsigned loop) { return llvm::is_contained(around, loop); });
}

double Phase::steps(const NestModel &model) const {
  double count = 1;
  for (unsigned loop : loops)
    count *= std::max(model.meanCount(loop), 1.0);
  return count;
}

namespace {

/// A phase that may be, and how much it fetches.
struct Candidate {
  Phase phase;
  double weight = 0;
};

} // namespace

static SmallVector<unsigned> loopsOverTime(const NestModel &model, ArrayRef<unsigned> loops) {
  SmallVector<unsigned> result;
  llvm::copy_if(loops, std::back_inserter(result),
                [&](unsigned loop) { return model.loops[loop].unit == Unit::Time; });
  return result;
}

/// Takes of `candidates`, those with most weight first, all that run beside those taken before. One without iterations of its
/// own is no phase beside others.
static void take(std::vector<Candidate> candidates, const NestModel &model, std::vector<Phase> &phases) {
  llvm::stable_sort(candidates, [](const Candidate &a, const Candidate &b) { return a.weight > b.weight; });
  for (Candidate &candidate : candidates) {
    const Phase &phase = candidate.phase;
    bool beside = llvm::none_of(phases, [&](const Phase &other) {
      return other.contains(phase.loops) || phase.contains(other.loops);
    });
    if (beside && (phases.empty() || phase.steps(model) > 1))
      phases.push_back(std::move(candidate.phase));
  }
}

std::vector<Phase> tilec::analysis::findPhases(const NestModel &model, ArrayRef<PhaseLoads> loads) {
  std::vector<Candidate> staged, loaded;
  for (const TileModel &tile : model.tiles)
    if (tile.level == Level::SMEM && tile.source && tile.source->isOperand && !tile.conditional) {
      Candidate &candidate = staged.emplace_back();
      candidate.phase = {loopsOverTime(model, tile.loops), /*staged=*/true};
      candidate.weight = candidate.phase.steps(model);
    }
  for (const PhaseLoads &load : loads)
    loaded.push_back({{loopsOverTime(model, load.loops), /*staged=*/false}, load.requests});
  std::vector<Phase> phases;
  take(std::move(staged), model, phases);
  take(std::move(loaded), model, phases);
  if (phases.empty())
    phases.emplace_back();
  // Loops are numbered in program order.
  llvm::stable_sort(phases, [](const Phase &a, const Phase &b) { return a.loops < b.loops; });
  return phases;
}

std::optional<unsigned> tilec::analysis::findPhase(ArrayRef<Phase> phases, ArrayRef<unsigned> around) {
  for (auto [number, phase] : llvm::enumerate(phases))
    if (phase.contains(around))
      return number;
  return std::nullopt;
}
