//===- Advise.cpp - Changes of a nest that pay -------------------*- C++ -*-===//
//
// Every change is tried alone, the most promising with each other; what is
// returned has gone the whole way to kernel IR.
//
//===----------------------------------------------------------------------===//

#include "Advise.h"

#include "Parse.h"
#include "Trial.h"
#include "mlir/IR/Verifier.h"
#include "tilec/Analysis/Changes.h"
#include "tilec/Tile/Program.h"
#include "tilec/Transforms/ApplyChange.h"
#include "tilec/Transforms/ModuleTarget.h"

using namespace tilec;
using namespace tilec::analysis;
using report::Advice;

namespace {

/// What does not shorten the predicted time by so much is not worth writing.
constexpr double kWorthwhile = 0.98;
/// So much more must a change bring that is made on top of others.
constexpr double kWorthAnother = 0.97;
constexpr size_t kMostAdvice = 3;
/// Of the changes tried alone, so many are tried with the others.
constexpr size_t kMostPromising = 6;
/// Of the changes that look best, so many are planned and lowered in full.
constexpr size_t kMostCompleted = 8;
/// What all trials together may cost, a trial of a nest as many as it has ops, times its induction variables: about half a second. So the same nest gets the same
/// advice on any machine.
constexpr size_t kMostWork = 36000;

/// A nest with changes.
struct Trial {
  mlir::OwningOpRef<mlir::ModuleOp> nest;
  Advice advice;
};

class Adviser {
public:
  Adviser(tile::KernelOp kernel, const report::Analyses &analyses, const MachineSpec &named, const MachineSpec &machine)
      : kernel(kernel), base(analyses.model), named(named), machine(machine), own(*analyses.prediction.seconds),
        arguments(getArguments(kernel)), changes(listChanges(analyses.model, analyses.prediction, analyses.layouts, machine)) {
    size_t ops = 0;
    kernel->walk([&](mlir::Operation *) { ++ops; });
    trialsLeft = kMostWork / (ops * std::max<size_t>(analyses.model.loops.size(), 1));
  }

  std::vector<Advice> run() {
    mlir::ScopedDiagnosticHandler quiet(kernel.getContext(), [](mlir::Diagnostic &) { return mlir::success(); });
    for (const Change &change : changes)
      tryChanges({change});
    tryPairs();
    return chooseAdvice();
  }

private:
  void tryChanges(std::vector<Change> tried) {
    if (trialsLeft == 0)
      return;
    --trialsLeft;
    Trial trial;
    trial.nest = mlir::ModuleOp::create(kernel.getLoc());
    mlir::OpBuilder builder(kernel.getContext());
    builder.setInsertionPointToStart(trial.nest->getBody());
    auto changed = llvm::cast<tile::KernelOp>(builder.clone(*kernel));
    tile::cloneProgramOf(kernel, builder);
    for (const Change &change : tried)
      if (failed(applyChange(changed, arguments, change)))
        return;
    if (failed(mlir::verify(*trial.nest)))
      return;
    // Layouts take longer to plan than all else together: those of the nest serve to find out what is promising.
    mlir::OwningOpRef<mlir::ModuleOp> planned = trial.nest->clone();
    auto plannedKernel = *planned->getOps<tile::KernelOp>().begin();
    carryLayouts(plannedKernel, base);
    if (!judge(*planned, trial.advice))
      return;
    trial.advice.changes = std::move(tried);
    trials.push_back(std::move(trial));
  }

  /// Plans and analyses `nest` for the machine and the sizes of the nest's own module; fills in what the analysis says.
  std::optional<report::Analyses> judge(mlir::ModuleOp nest, Advice &advice) const {
    nest->setAttrs(kernel->getParentOfType<mlir::ModuleOp>()->getAttrDictionary());
    std::optional<report::Analyses> analyses = planAndAnalyze(nest, named, machine);
    if (!analyses || !analyses->prediction.seconds)
      return std::nullopt;
    advice.seconds = *analyses->prediction.seconds;
    advice.share = advice.seconds / own;
    advice.match = analyses->match;
    return analyses;
  }

  static bool isFaster(const Trial &a, const Trial &b) { return a.advice.seconds < b.advice.seconds; }

  /// The most promising changes, at most two of a kind, with all of other kinds.
  void tryPairs() {
    llvm::stable_sort(trials, isFaster);
    std::vector<Change> promising;
    for (const Trial &trial : trials) {
      const Change &change = trial.advice.changes.front();
      auto same = [&](const Change &other) { return other.kind == change.kind; };
      if (promising.size() < kMostPromising && llvm::count_if(promising, same) < 2)
        promising.push_back(change);
    }
    for (auto [i, first] : llvm::enumerate(promising))
      for (const Change &second : changes) {
        auto before = llvm::find_if(promising, [&](const Change &other) { return other.text == second.text; });
        bool done = before != promising.end() && static_cast<size_t>(before - promising.begin()) < i;
        if (first.kind != second.kind && !done)
          tryChanges(first.kind < second.kind ? std::vector<Change>{first, second} : std::vector<Change>{second, first});
      }
  }

  /// Plans and lowers `trial` as it would be compiled; false where that fails.
  bool complete(Trial &trial) const {
    mlir::OwningOpRef<mlir::ModuleOp> module = trial.nest->clone();
    std::optional<report::Analyses> analyses = judge(*module, trial.advice);
    return analyses && trial.advice.share <= kWorthwhile && lowers(*module, *analyses);
  }

  /// The fastest; of others those that take less of the nest to be written anew, or other changes.
  std::vector<Advice> chooseAdvice() {
    llvm::stable_sort(trials, isFaster);
    std::vector<Advice> chosen;
    size_t completed = 0;
    for (Trial &trial : trials) {
      if (trial.advice.share > kWorthwhile || chosen.size() == kMostAdvice || completed == kMostCompleted)
        break;
      auto isLikeTrial = [&](const Advice &other) { return isLike(trial.advice, other); };
      if (llvm::any_of(chosen, isLikeTrial) || !paysTogether(trial))
        continue;
      ++completed;
      if (!complete(trial))
        continue;
      trial.advice.nest = printIR(*trial.nest);
      chosen.push_back(std::move(trial.advice));
    }
    llvm::stable_sort(chosen, [](const Advice &a, const Advice &b) { return a.seconds < b.seconds; });
    return chosen;
  }

  /// Does `advice` change what a faster `other` does, and no less?
  static bool isLike(const Advice &advice, const Advice &other) {
    return advice.changes.size() >= other.changes.size() &&
           llvm::all_of(other.changes, [&](const Change &change) { return advice.has(change.kind); });
  }

  /// Are all changes needed: none of them alone is nearly as fast?
  bool paysTogether(const Trial &trial) const {
    return llvm::none_of(trials, [&](const Trial &single) {
      return trial.advice.changes.size() > 1 && single.advice.changes.size() == 1 &&
             single.advice.seconds * kWorthAnother < trial.advice.seconds &&
             llvm::any_of(trial.advice.changes, [&](const Change &change) { return change.text == single.advice.changes.front().text; });
    });
  }

  tile::KernelOp kernel;
  const NestModel &base;
  const MachineSpec &named;
  const MachineSpec &machine;
  double own;
  llvm::SmallVector<int64_t> arguments;
  std::vector<Change> changes;
  std::vector<Trial> trials;
  size_t trialsLeft;
};

} // namespace

std::vector<Advice> tilec::adviseOn(tile::KernelOp kernel, const report::Analyses &analyses, const MachineSpec &machine) {
  if (!analyses.violations.empty() || !analyses.prediction.seconds)
    return {};
  TargetResult named = getTarget(kernel->getParentOfType<mlir::ModuleOp>());
  return named ? Adviser(kernel, analyses, *named.spec, machine).run() : std::vector<Advice>();
}
