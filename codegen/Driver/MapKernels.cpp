//===- MapKernels.cpp - From plain kernels to the fastest nests -*- C++ -*-===//
//
// Bounds sort thousands of candidates; the most promising are written, planned and analysed as any nest is, and the one
// with the shortest predicted time that can be lowered is taken.
//
//===----------------------------------------------------------------------===//

#include "MapKernels.h"

#include "Parse.h"
#include "Trial.h"
#include "mlir/IR/Verifier.h"
#include "tilec/Mapping/Chain.h"
#include "tilec/Mapping/CopiesAhead.h"
#include "tilec/Mapping/Launches.h"
#include "tilec/Mapping/Mapping.h"
#include "tilec/Mapping/Merge.h"
#include "tilec/Mapping/RowGroup.h"
#include "tilec/Tile/Open.h"
#include "tilec/Tile/Program.h"
#include "tilec/Transforms/ModuleTarget.h"

#include <limits>

using namespace tilec;
using mapping::Mapping;
using mapping::Problem;

namespace {

/// So many candidates are planned and analysed in full.
constexpr size_t kMostJudged = 100;

/// Of so many nests that stay as they are written layouts are planned.
constexpr size_t kMostPlanned = 8;

/// Predicted times that are longer by less than this say nothing.
constexpr double kSame = 1.03;

/// What is predicted less surely is taken where it is predicted to be faster by far: blocks that have several rows of one reduction, few of which have been measured.
constexpr double kMuch = 1.1;

struct Trial {
  Mapping mapping;
  Candidate judged;
};

/// What a search finds: candidates that are told of, the chosen one first, of so many; none where none fits.
struct Found {
  size_t considered = 0, judged = 0;
  std::vector<Trial> told;
};

/// What candidates are judged for: the machine that the module names plans them, and the one that is mapped for, which may have less, runs them.
struct Machines {
  const MachineSpec &named;
  const MachineSpec &mapped;
};

class Search {
public:
  Search(const Problem &problem, const mapping::OpenNest *open, const Machines &machines) : problem(problem), open(open), machines(machines) {}

  Found find();
  /// The nest that was chosen, in a module of its own; `found` may be of another kernel that computes the same.
  mlir::OwningOpRef<mlir::ModuleOp> write(const Found &found, MappingSearch &search) const;

private:
  /// Null where it is not what the nest says.
  mlir::OwningOpRef<mlir::ModuleOp> write(const Mapping &mapping) const;
  void judge(const Mapping &mapping);
  bool canLower(const Mapping &mapping) const;
  /// Judges the best nests that stay as they are written with planned layouts, too.
  void planLayouts();

  const Problem &problem;
  const mapping::OpenNest *open;
  Machines machines;
  std::vector<Trial> trials;
};

} // namespace

mlir::OwningOpRef<mlir::ModuleOp> Search::write(const Mapping &mapping) const {
  tile::KernelOp kernel = problem.kernel;
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(kernel->getLoc());
  (*module)->setAttrs(kernel->getParentOfType<mlir::ModuleOp>()->getAttrDictionary());
  mlir::OpBuilder builder(kernel.getContext());
  builder.setInsertionPointToStart(module->getBody());
  if (!writeNest(problem, open, mapping, builder))
    return nullptr;
  builder.setInsertionPointToEnd(module->getBody());
  tile::cloneProgramOf(kernel, builder);
  return module;
}

void Search::judge(const Mapping &mapping) {
  mlir::OwningOpRef<mlir::ModuleOp> module = write(mapping);
  if (!module || failed(mlir::verify(*module)))
    return;
  std::optional<report::Analyses> analyses = planAndAnalyze(*module, machines.named, machines.mapped);
  if (!analyses)
    return;
  const analysis::Prediction &prediction = analyses->prediction;
  double seconds = prediction.seconds.value_or(std::numeric_limits<double>::infinity());
  trials.push_back({mapping, {mapping.toString(), seconds, prediction.limiter, prediction.limiterReason, ""}});
}

void Search::planLayouts() {
  std::vector<const Trial *> written;
  for (const Trial &trial : trials)
    if (trial.mapping.scheme == mapping::Scheme::Written)
      written.push_back(&trial);
  llvm::stable_sort(written, [](const Trial *a, const Trial *b) { return a->judged.seconds < b->judged.seconds; });
  std::vector<Mapping> planned;
  for (const Trial *trial : llvm::ArrayRef(written).take_front(kMostPlanned)) {
    planned.push_back(trial->mapping);
    planned.back().layoutsOpen = true;
  }
  for (const Mapping &mapping : planned)
    judge(mapping);
}

bool Search::canLower(const Mapping &mapping) const {
  mlir::OwningOpRef<mlir::ModuleOp> planned = write(mapping);
  std::optional<report::Analyses> analyses = planAndAnalyze(*planned, machines.named, machines.mapped);
  return analyses && lowers(*planned, *analyses);
}

Found Search::find() {
  // What does not work out is no message to the user.
  mlir::ScopedDiagnosticHandler quiet(problem.kernel->getContext(), [](mlir::Diagnostic &) { return mlir::success(); });
  Found found;
  for (const Mapping &mapping : listMappings(problem, open, machines.mapped, kMostJudged, found.considered))
    judge(mapping);
  planLayouts();
  found.judged = trials.size();
  // Of those that the analysis cannot tell from the fastest the one comes first that bounds put first.
  auto secondsOf = [&](const Trial &trial) { return trial.judged.seconds * mapping::getDoubt(problem, trial.mapping); };
  double fastest = std::numeric_limits<double>::infinity();
  for (const Trial &trial : trials)
    fastest = std::min(fastest, secondsOf(trial));
  auto timeOf = [&](const Trial &trial) { return std::max(secondsOf(trial), fastest * kSame); };
  llvm::stable_sort(trials, [&](const Trial &a, const Trial &b) { return timeOf(a) < timeOf(b); });
  for (Trial &trial : trials)
    if (found.told.size() < kMostTold && (!found.told.empty() || canLower(trial.mapping)))
      found.told.push_back(std::move(trial));
  return found;
}

mlir::OwningOpRef<mlir::ModuleOp> Search::write(const Found &found, MappingSearch &search) const {
  search.considered = found.considered;
  search.judged = found.judged;
  mlir::OwningOpRef<mlir::ModuleOp> chosen;
  for (const Trial &trial : found.told) {
    mlir::OwningOpRef<mlir::ModuleOp> nest = write(trial.mapping);
    (*nest)->setAttrs(mlir::DictionaryAttr::get((*nest).getContext()));
    search.best.push_back(trial.judged);
    search.best.back().nest = printIR(*nest);
    if (!chosen)
      chosen = std::move(nest);
  }
  return chosen;
}

bool tilec::hasOpenKernels(mlir::ModuleOp module) {
  return llvm::any_of(module.getOps<tile::KernelOp>(), [](tile::KernelOp kernel) { return mapping::isOpen(kernel) || tile::findOpenLoop(kernel); });
}

mlir::FailureOr<OpenNests> tilec::takeOpenNests(mlir::ModuleOp module) {
  OpenNests nests;
  for (auto kernel : llvm::make_early_inc_range(module.getOps<tile::KernelOp>())) {
    if (!tile::findOpenLoop(kernel))
      continue;
    mlir::FailureOr<mapping::OpenNest> nest = mapping::OpenNest::get(kernel);
    if (failed(nest))
      return mlir::failure();
    mlir::OpBuilder builder(kernel);
    tile::KernelOp plain = nest->writePlain(builder);
    nests.emplace(kernel.getSymName().str(), std::move(*nest));
    kernel.erase();
    if (failed(mlir::verify(plain)))
      return mlir::failure();
  }
  return mlir::FailureOr<OpenNests>(std::move(nests));
}

namespace {

/// What became of open kernels: nests in their places, how they were found, and the predicted time of all.
struct Mapped {
  std::vector<MappingSearch> searches;
  double seconds = 0;
};

class Mapper {
public:
  Mapper(const OpenNests &nests, const Machines &machines) : nests(nests), machines(machines) {}

  /// Puts a nest in the place of `kernel`, or a program with nests.
  mlir::FailureOr<Mapped> map(tile::KernelOp kernel);

private:
  mlir::FailureOr<Mapped> mapApart(tile::KernelOp kernel);
  mlir::FailureOr<Mapped> mapMerged(tile::KernelOp kernel);
  mlir::FailureOr<Mapped> mapAlone(tile::KernelOp kernel, const Problem &problem);
  mlir::FailureOr<Mapped> mapCopied(tile::KernelOp kernel, llvm::ArrayRef<mapping::CopyAhead> copies);
  mlir::FailureOr<Mapped> mapSplit(tile::KernelOp kernel);
  mlir::FailureOr<Mapped> mapTogether(tile::KernelOp kernel, const Problem &problem);
  mlir::FailureOr<Mapped> mapReduction(tile::KernelOp kernel, const Problem &problem);

  const OpenNests &nests;
  Machines machines;
  /// What was found for kernels of which nothing is written, by what they compute.
  std::map<std::string, Found> known;
};

} // namespace

/// What mapping `kernel` depends on, whatever it and its operands are called: its ops, and what launches give to it.
static std::string getKey(tile::KernelOp kernel) {
  mlir::OwningOpRef<tile::KernelOp> plain = kernel.clone();
  plain->setSymName("");
  auto nowhere = mlir::UnknownLoc::get(kernel.getContext());
  plain->walk([&](mlir::Operation *op) {
    op->setLoc(nowhere);
    for (mlir::Region &region : op->getRegions())
      for (mlir::BlockArgument argument : region.getArguments())
        argument.setLoc(nowhere);
  });
  std::string key;
  llvm::raw_string_ostream out(key);
  plain->getOperation()->print(out, mlir::OpPrintingFlags().useLocalScope().printGenericOpForm());
  for (auto [number, value] : llvm::enumerate(getArguments(kernel)))
    out << " " << value << ":" << tile::getRowBytes(kernel, number);
  return key;
}

/// What `kernel` computes: by one op with what follows element by element, as a group of rows, or as two products with softmax between. The diagnostic says why it is not the former.
static mlir::FailureOr<Problem> getProblem(tile::KernelOp kernel) {
  llvm::SmallVector<mlir::Diagnostic> said;
  mlir::FailureOr<Problem> problem;
  {
    mlir::ScopedDiagnosticHandler later(kernel->getContext(), [&](mlir::Diagnostic &diagnostic) { said.push_back(std::move(diagnostic)); });
    problem = Problem::get(kernel, getArguments(kernel));
  }
  if (succeeded(problem))
    return problem;
  mlir::FailureOr<Problem> together = mapping::getRowProblem(kernel, getArguments(kernel));
  if (failed(together))
    together = mapping::getChainProblem(kernel, getArguments(kernel));
  if (failed(together))
    for (mlir::Diagnostic &diagnostic : said)
      kernel->getContext()->getDiagEngine().emit(std::move(diagnostic));
  return together;
}

mlir::FailureOr<Mapped> Mapper::mapAlone(tile::KernelOp kernel, const Problem &problem) {
  Mapped mapped;
  MappingSearch &search = mapped.searches.emplace_back();
  search.kernel = kernel.getSymName().str();
  auto written = nests.find(search.kernel);
  bool partly = written != nests.end();
  Search candidates(problem, partly ? &written->second : nullptr, machines);
  Found found;
  if (partly) {
    found = candidates.find();
  } else {
    auto [same, isNew] = known.try_emplace(getKey(kernel) + (problem.rows ? " as rows" : ""));
    if (isNew)
      same->second = candidates.find();
    found = same->second;
  }
  mlir::OwningOpRef<mlir::ModuleOp> chosen = candidates.write(found, search);
  if (!chosen) {
    kernel.emitError("has no mapping that fits '") << machines.mapped.name << "'" << (partly ? " and keeps what its nest says" : "") << ": " << search.considered
                                                   << " were considered; write its loops" << (partly ? " with numbers, or less of them" : "");
    return mlir::failure();
  }
  mapped.seconds = search.best.front().seconds;
  auto nest = *chosen->getOps<tile::KernelOp>().begin();
  nest->moveBefore(kernel);
  kernel->erase();
  return mapped;
}

/// Puts these copies of operands ahead of `kernel`. Fails silently where one of them has no mapping.
mlir::FailureOr<Mapped> Mapper::mapCopied(tile::KernelOp kernel, llvm::ArrayRef<mapping::CopyAhead> copies) {
  mlir::ScopedDiagnosticHandler quiet(kernel->getContext(), [](mlir::Diagnostic &) { return mlir::success(); });
  Mapped all;
  for (tile::KernelOp part : mapping::writeCopies(kernel, copies)) {
    mlir::FailureOr<Problem> problem = Problem::get(part, getArguments(part));
    if (failed(problem))
      return mlir::failure();
    mlir::FailureOr<Mapped> mapped = mapAlone(part, *problem);
    if (failed(mapped))
      return mlir::failure();
    all.seconds += mapped->seconds;
    llvm::append_range(all.searches, mapped->searches);
  }
  return all;
}

/// Makes several launches of what several ops do together. Fails silently where one of them has no mapping.
mlir::FailureOr<Mapped> Mapper::mapSplit(tile::KernelOp kernel) {
  mlir::ScopedDiagnosticHandler quiet(kernel->getContext(), [](mlir::Diagnostic &) { return mlir::success(); });
  auto module = kernel->getParentOfType<mlir::ModuleOp>();
  Mapped all;
  // A kernel that is mapped may have put another body in the place of the module's.
  auto names = llvm::map_to_vector(mapping::splitLaunch(kernel, getArguments(kernel)), [](tile::KernelOp part) { return part.getSymNameAttr(); });
  for (mlir::StringAttr name : names) {
    mlir::FailureOr<Mapped> mapped = map(module.lookupSymbol<tile::KernelOp>(name));
    if (failed(mapped))
      return mlir::failure();
    all.seconds += mapped->seconds;
    llvm::append_range(all.searches, mapped->searches);
  }
  return all;
}

static std::string describeLaunches(size_t count) { return "the same ops in " + std::to_string(count) + (count > 1 ? " launches" : " launch"); }

/// Makes one launch of what several ops do together, or several where these are predicted to be faster.
mlir::FailureOr<Mapped> Mapper::mapTogether(tile::KernelOp kernel, const Problem &problem) {
  auto module = kernel->getParentOfType<mlir::ModuleOp>();
  mlir::OwningOpRef<mlir::ModuleOp> copy = module.clone();
  mlir::FailureOr<Mapped> split = mapSplit(copy->lookupSymbol<tile::KernelOp>(kernel.getSymName()));
  std::optional<mlir::ScopedDiagnosticHandler> quiet;
  if (succeeded(split))
    quiet.emplace(kernel->getContext(), [](mlir::Diagnostic &) { return mlir::success(); });
  mlir::FailureOr<Mapped> alone = mapAlone(kernel, problem);
  if (failed(split) || (succeeded(alone) && alone->seconds <= split->seconds)) {
    if (succeeded(alone) && succeeded(split))
      alone->searches.front().others.push_back({describeLaunches(split->searches.size()), split->seconds});
    return alone;
  }
  module.getBodyRegion().takeBody(copy->getBodyRegion());
  if (succeeded(alone))
    split->searches.front().others.push_back({describeLaunches(1), alone->seconds});
  return split;
}

/// Of one op that reduces along rows: by blocks of a row, or as a group of rows, of which a block may have several.
mlir::FailureOr<Mapped> Mapper::mapReduction(tile::KernelOp kernel, const Problem &problem) {
  auto module = kernel->getParentOfType<mlir::ModuleOp>();
  mlir::OwningOpRef<mlir::ModuleOp> copy = module.clone();
  mlir::StringAttr name = kernel.getSymNameAttr();
  auto copied = copy->lookupSymbol<tile::KernelOp>(name);
  mlir::FailureOr<Problem> group = mapping::getRowProblem(copied, getArguments(copied));
  mlir::FailureOr<Mapped> rows;
  if (succeeded(group)) {
    mlir::ScopedDiagnosticHandler quiet(kernel->getContext(), [](mlir::Diagnostic &) { return mlir::success(); });
    rows = mapAlone(copied, *group);
  }
  mlir::FailureOr<Mapped> alone = mapAlone(kernel, problem);
  if (failed(alone) || failed(rows) || rows->seconds * kMuch >= alone->seconds)
    return alone;
  auto nest = module.lookupSymbol<tile::KernelOp>(name);
  copy->lookupSymbol<tile::KernelOp>(name)->moveBefore(nest);
  nest->erase();
  return rows;
}

/// Merges dimensions of the arrays of `kernel` that all of its ops walk as one. Fails silently where what this makes has no mapping.
mlir::FailureOr<Mapped> Mapper::mapMerged(tile::KernelOp kernel) {
  mlir::ScopedDiagnosticHandler quiet(kernel->getContext(), [](mlir::Diagnostic &) { return mlir::success(); });
  auto module = kernel->getParentOfType<mlir::ModuleOp>();
  mapping::MergedKernel kernels = mapping::writeMerged(kernel, getArguments(kernel));
  mlir::StringAttr apartName = kernels.apart ? kernels.apart.getSymNameAttr() : nullptr;
  mlir::FailureOr<Mapped> merged = mapApart(kernels.merged);
  if (failed(merged) || !apartName)
    return merged;
  mlir::FailureOr<Mapped> apart = mapApart(module.lookupSymbol<tile::KernelOp>(apartName));
  if (failed(apart))
    return mlir::failure();
  llvm::append_range(merged->searches, apart->searches);
  return merged;
}

mlir::FailureOr<Mapped> Mapper::map(tile::KernelOp kernel) {
  // What is read of a nest that is written in part are its dimensions.
  if (nests.count(kernel.getSymName().str()) || !mapping::canMerge(kernel, getArguments(kernel)))
    return mapApart(kernel);
  auto module = kernel->getParentOfType<mlir::ModuleOp>();
  mlir::OwningOpRef<mlir::ModuleOp> copy = module.clone();
  mlir::FailureOr<Mapped> merged = mapMerged(copy->lookupSymbol<tile::KernelOp>(kernel.getSymName()));
  mlir::FailureOr<Mapped> apart = mapApart(kernel);
  if (failed(merged) || (succeeded(apart) && merged->seconds * kSame >= apart->seconds)) {
    if (succeeded(apart) && succeeded(merged))
      apart->searches.front().others.push_back({"neighbouring dimensions merged", merged->seconds});
    return apart;
  }
  module.getBodyRegion().takeBody(copy->getBodyRegion());
  if (succeeded(apart))
    merged->searches.front().others.push_back({"dimensions as they are", apart->seconds});
  return merged;
}

/// Maps `kernel` with the dimensions that its arrays have.
mlir::FailureOr<Mapped> Mapper::mapApart(tile::KernelOp kernel) {
  bool isNest = nests.count(kernel.getSymName().str());
  mlir::FailureOr<Problem> problem = isNest ? Problem::get(kernel, getArguments(kernel)) : getProblem(kernel);
  if (failed(problem))
    return mlir::failure();
  if (problem->rows || problem->chain)
    return mapTogether(kernel, *problem);
  auto isReduced = [&](const mapping::Use &input) {
    std::optional<unsigned> fast = Problem::getFastDim(input);
    return fast && !problem->dims[*fast].parallel;
  };
  if (!isNest && problem->inputs.size() == 1 && isReduced(problem->inputs.front()))
    return mapReduction(kernel, *problem);
  // What a nest says is kept. Copies pay where their elements are read many times.
  bool fixed = isNest || problem->root.getNumReductionLoops() == 0 || problem->inputs.size() < 2;
  llvm::SmallVector<mapping::CopyAhead> copies = fixed ? llvm::SmallVector<mapping::CopyAhead>() : mapping::findCopies(*problem, machines.mapped);
  if (copies.empty())
    return mapAlone(kernel, *problem);
  auto module = kernel->getParentOfType<mlir::ModuleOp>();
  mlir::OwningOpRef<mlir::ModuleOp> copy = module.clone();
  mlir::FailureOr<Mapped> copied = mapCopied(copy->lookupSymbol<tile::KernelOp>(kernel.getSymName()), copies);
  mlir::FailureOr<Mapped> alone = mapAlone(kernel, *problem);
  if (failed(alone) || failed(copied))
    return alone;
  if (copied->seconds * kSame >= alone->seconds) {
    alone->searches.front().others.push_back({"operands copied ahead", copied->seconds});
    return alone;
  }
  copied->searches.back().others.push_back({"operands as they are", alone->seconds});
  module.getBodyRegion().takeBody(copy->getBodyRegion());
  return copied;
}

mlir::FailureOr<std::vector<MappingSearch>> tilec::mapKernels(mlir::ModuleOp module, const OpenNests &nests, const MachineSpec &machine) {
  for (auto kernel : llvm::make_early_inc_range(module.getOps<tile::KernelOp>()))
    if (mapping::isOpen(kernel) && !nests.count(kernel.getSymName().str())) {
      mapping::addDimensions(kernel);
      mapping::partLaunches(kernel, getArguments(kernel));
    }
  TargetResult named = getTarget(module);
  if (!named)
    return module.emitError(named.error);
  std::vector<MappingSearch> searches;
  Mapper mapper(nests, {*named.spec, machine});
  auto findOpen = [&] {
    auto kernels = module.getOps<tile::KernelOp>();
    auto open = llvm::find_if(kernels, mapping::isOpen);
    return open == kernels.end() ? tile::KernelOp() : *open;
  };
  while (tile::KernelOp kernel = findOpen()) {
    mlir::FailureOr<Mapped> mapped = mapper.map(kernel);
    if (failed(mapped))
      return mlir::failure();
    llvm::append_range(searches, mapped->searches);
  }
  return searches;
}
