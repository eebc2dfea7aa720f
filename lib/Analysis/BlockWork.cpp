//===- BlockWork.cpp - What the units of an SM do for one block -*- C++ -*-===//
//
// Requests are counted; what the compiler adds to them (addresses, predicates, loop
// counters) stands in the machine's description.
//
//===----------------------------------------------------------------------===//

#include "tilec/Analysis/BlockWork.h"

#include "RequestClasses.h"
#include "tilec/Analysis/ClusterPlan.h"
#include "tilec/Analysis/ClusterReduce.h"
#include "tilec/Analysis/CopyPlan.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::analysis;
using tilec::tile::Level;
using tilec::tile::Unit;

static UnitWork sum(const UnitWork &a, const UnitWork &b, double factor = 1) {
  return {a.instructions + factor * b.instructions, a.fma + factor * b.fma,
          a.smemWavefronts + factor * b.smemWavefronts, a.l1Wavefronts + factor * b.l1Wavefronts};
}

UnitWork BlockWork::step() const { return sum(copy, compute); }

UnitWork BlockWork::total() const {
  return sum(UnitWork(), sum(rest, step(), steps), static_cast<double>(blocks));
}

namespace {

/// Requests of one access, of the whole grid, and what they cost.
struct SiteCost {
  double requests = 0, wavefronts = 0;
};

class Counter {
public:
  Counter(const NestModel &model, const MachineSpec &machine)
      : model(model), machine(machine), added(machine.compiler.instructions), schedule(machine.compiler.schedule) {}

  BlockWork run(const NestTraffic &whole, double fmaPerInstruction,
                ArrayRef<BankAccess> banks, ArrayRef<GlobalAccess> coalescing) {
    work.blocks = std::max<int64_t>(model.blocks(), 1);
    work.warps = llvm::divideCeil(std::max<int64_t>(model.threadsPerBlock(), 1), tile::kWarpThreads);
    findSteps(coalescing);
    double fma = static_cast<double>(whole.iterations) / fmaPerInstruction;
    work.compute.fma += fma;
    work.compute.instructions += fma;
    findWaits(fma);
    for (const BankAccess &access : banks)
      countShared(access);
    double copies = 0;
    for (const GlobalAccess &access : coalescing)
      copies += countGlobal(access);
    countParts(whole);
    divide();
    addOverheads(copies / perStep());
    return work;
  }

private:
  double perStep() const { return static_cast<double>(work.blocks) * work.steps; }

  int64_t iterationsInTime(ArrayRef<unsigned> loops) const {
    int64_t count = 1;
    for (unsigned loop : loops)
      if (model.loops[loop].unit == Unit::Time)
        count *= std::max<int64_t>(model.loops[loop].count(), 1);
    return count;
  }

  /// The loops that copy tiles most often; without tiles, those around most loads.
  void findSteps(ArrayRef<GlobalAccess> coalescing) {
    const TileModel *most = nullptr;
    for (const TileModel &tile : model.tiles)
      if (tile.level == Level::SMEM && tile.source && tile.source->isOperand && !tile.conditional &&
          (!most || iterationsInTime(tile.loops) > iterationsInTime(most->loops)))
        most = &tile;
    if (most) {
      work.staged = true;
      work.steps = static_cast<double>(iterationsInTime(most->loops));
      for (unsigned loop : most->loops)
        if (model.loops[loop].unit == Unit::Time)
          stepLoops.push_back(loop);
      for (const TileModel &tile : model.tiles)
        if (tile.level == Level::SMEM && tile.source && tile.source->isOperand && isInSteps(tile.loops)) {
          ++work.tiles;
          work.depth = std::max(work.depth, tile.depth);
        }
      return;
    }
    const GlobalAccess *loads = nullptr;
    for (const GlobalAccess &access : coalescing)
      if (!access.site.writes && !access.site.conditional &&
          (!loads || costOf(access).requests > costOf(*loads).requests))
        loads = &access;
    if (!loads)
      return;
    for (auto [loop, count] : loads->site.loops)
      if (model.loops[loop].unit == Unit::Time) {
        stepLoops.push_back(loop);
        work.steps *= static_cast<double>(count);
      }
  }

  bool isInSteps(ArrayRef<unsigned> loops) const {
    return llvm::all_of(stepLoops, [&](unsigned loop) { return llvm::is_contained(loops, loop); });
  }
  bool isInSteps(const AccessSite &site) const {
    return llvm::all_of(stepLoops, [&](unsigned loop) {
      return llvm::any_of(site.loops, [&](const auto &entry) { return entry.first == loop; });
    });
  }

  /// How often a step waits for shared memory: once, or in each iteration of loops that stay loops.
  void findWaits(double fma) {
    int64_t iterations = 1;
    for (const ComputeModel &compute : model.computes)
      if (isInSteps(compute.loops))
        iterations = std::max(iterations, iterationsWithin(compute.loops));
    double perThread = fma / perStep() / static_cast<double>(work.warps);
    double perIteration = perThread / static_cast<double>(iterations);
    if (work.staged && iterations > 1 && perThread > schedule.unrollWhole.value)
      work.waits = perThread / std::max(schedule.unrollPart.value, perIteration);
  }

  /// Iterations of a step's loops of time that no pipeline writes out.
  int64_t iterationsWithin(ArrayRef<unsigned> loops) const {
    int64_t count = 1;
    for (unsigned loop : loops)
      if (model.loops[loop].unit == Unit::Time && !llvm::is_contained(stepLoops, loop) &&
          !tile::ForOp(model.loops[loop].op).getPipeline())
        count *= std::max<int64_t>(model.loops[loop].count(), 1);
    return count;
  }

  /// Where requests are not counted, all executions cost as the worst.
  template <typename Access>
  SiteCost estimate(const Access &access, double worst) const {
    double requests = static_cast<double>(access.site.warps.size());
    for (auto [loop, count] : access.site.loops)
      requests *= static_cast<double>(count);
    double steps = 0;
    for (const AccessStep &step : access.site.steps)
      steps += static_cast<double>(step.times);
    return {requests * steps, requests * steps * worst};
  }

  SiteCost costOf(const GlobalAccess &access) const {
    if (access.total)
      return {static_cast<double>(access.total->requests), static_cast<double>(access.total->lines)};
    double lineSectors = static_cast<double>(machine.limits.lineBytes.value) /
                         static_cast<double>(machine.limits.sectorBytes.value);
    return estimate(access, std::max(1.0, static_cast<double>(access.sectors) / lineSectors));
  }

  /// Elements that one load takes where the compiler joins those of consecutive steps, and what it
  /// costs against as many loads.
  std::pair<int64_t, double> joinLoads(const AccessSite &site) const {
    const TileModel &tile = model.tiles[site.root];
    std::optional<SmallVector<int64_t>> strides = tile.layout ? getStrides(*tile.layout) : std::nullopt;
    if (site.copy || site.writes || site.width != 1 || !strides || site.warps.empty())
      return {1, 1};
    for (auto [dim, stride] : llvm::enumerate(*strides))
      for (int64_t width = 16 / site.elementBytes; stride == 1 && width > 1; width /= 2)
        if (hasRuns(site, dim, width) && tile::hasAlignedRuns(*tile.layout, dim, width))
          return {width, costOfJoined(site, width)};
    return {1, 1};
  }

  /// Do steps walk dimension `dim` in aligned runs of `width`?
  static bool hasRuns(const AccessSite &site, unsigned dim, int64_t width) {
    const Subscript &start = site.at[dim];
    if (!start.terms.empty() || start.constant % width != 0 || site.steps.size() % width != 0)
      return false;
    for (auto [i, step] : llvm::enumerate(site.steps)) {
      const AccessStep &first = site.steps[i - i % width];
      for (size_t other = 0; other < site.rank(); ++other)
        if (step.by[other] != first.by[other] + (other == dim ? static_cast<int64_t>(i % width) : 0))
          return false;
      if (first.by[dim] % width != 0)
        return false;
    }
    return llvm::all_of(site.warps.front().lanes, [&](const LaneCoordinates &lane) {
      return !lane || (*lane)[dim] % width == 0;
    });
  }

  double costOfJoined(const AccessSite &site, int64_t width) const {
    const layout::ComposedLayout &layout = *model.tiles[site.root].layout;
    SmallVector<int64_t, 4> origin(site.at.size(), 0);
    auto addresses = getAddresses(site, site.warps.front(), origin, site.steps.front().by,
                                  [&](MutableArrayRef<int64_t> at) {
                                    return std::optional<int64_t>(layout.at(at.data(), site.rank()));
                                  });
    layout::BankModel banks = getBankModel(machine);
    auto one = layout::countWavefronts(addresses, site.elementBytes, banks);
    auto joined = layout::countWavefronts(addresses, site.elementBytes * width, banks);
    if (!one || !joined || one->wavefronts == 0)
      return 1;
    return static_cast<double>(joined->wavefronts) / static_cast<double>(one->wavefronts * width);
  }

  void countShared(const BankAccess &access) {
    const AccessSite &site = access.site;
    if (site.conditional)
      return;
    SiteCost cost = access.total ? SiteCost{static_cast<double>(access.total->requests),
                                            static_cast<double>(access.total->cost)}
                                 : estimate(access, static_cast<double>(access.wavefronts));
    auto [joined, factor] = joinLoads(site);
    UnitWork &unit = site.copy ? work.copy : isInSteps(site) ? work.compute : work.rest;
    unit.smemWavefronts += cost.wavefronts * factor;
    if (!site.copy)
      unit.instructions += cost.requests / static_cast<double>(joined);
  }

  /// Pieces that are copied to shared memory, of the whole grid.
  double countGlobal(const GlobalAccess &access) {
    const AccessSite &site = access.site;
    if (site.conditional)
      return 0;
    SiteCost cost = costOf(access);
    bool inSteps = isInSteps(site) && (!site.writes || work.steps > 1);
    UnitWork &unit = site.copy ? work.copy : inSteps ? work.compute : work.rest;
    unit.l1Wavefronts += cost.wavefronts;
    if (site.copy)
      return cost.requests;
    unit.instructions += cost.requests * added.access.value;
    if (inSteps && !work.staged && !site.writes)
      work.tiles += cost.requests;
    if (site.writes)
      work.storeLines += cost.wavefronts;
    if (!site.writes || !access.total)
      return 0;
    auto sector = static_cast<double>(machine.limits.sectorBytes.value);
    work.scatteredBytes += static_cast<double>(access.total->cost - access.total->ideal) * sector;
    if (!inSteps)
      work.restSectorBytes += static_cast<double>(access.total->cost) * sector;
    return 0;
  }

  /// What blocks of a cluster exchange when their steps are done.
  void countParts(const NestTraffic &whole) {
    tile::ForOp blocks = getReducingLoop(model);
    if (!blocks)
      return;
    work.reducingBlocks = getClusterSize(blocks);
    for (const Transfer &transfer : whole.transfers) {
      if (transfer.op != blocks.getOperation())
        continue;
      double wavefronts = static_cast<double>(*transfer.portBytes) /
                          static_cast<double>(machine.limits.smemBanks.value * machine.limits.smemBankWidth.value);
      double requests = static_cast<double>(transfer.bytes()) / (kExchangeBytes * tile::kWarpThreads);
      work.rest.smemWavefronts += wavefronts;
      work.rest.instructions += requests * (transfer.remote ? added.fetch.value : 1);
      if (transfer.remote)
        work.partBytes += static_cast<double>(transfer.bytes()) / static_cast<double>(std::max<int64_t>(transfer.copies, 1));
    }
  }

  /// From the grid to one block, and one step.
  void divide() {
    work.copy = sum(UnitWork(), work.copy, 1 / perStep());
    work.compute = sum(UnitWork(), work.compute, 1 / perStep());
    work.rest = sum(UnitWork(), work.rest, 1 / static_cast<double>(work.blocks));
    work.restSectorBytes /= static_cast<double>(work.blocks);
    work.storeLines /= static_cast<double>(work.blocks);
    if (!work.staged)
      work.tiles /= perStep() * static_cast<double>(work.warps);
  }

  void addOverheads(double copies) {
    auto warps = static_cast<double>(work.warps);
    bool ahead = work.depth > 1;
    if (work.staged)
      work.copy.instructions += copies * (ahead ? added.asyncCopy : added.copy).value +
                                warps * (ahead ? added.asyncStep : added.copyStep).value;
    if (work.waits > 1)
      work.compute.instructions += work.waits * warps * added.loop.value;
    work.rest.instructions += warps * added.start.value;
  }

  const NestModel &model;
  const MachineSpec &machine;
  const CompilerInstructions &added;
  const CompilerSchedule &schedule;
  BlockWork work;
  SmallVector<unsigned> stepLoops;
};

} // namespace

BlockWork tilec::analysis::countBlockWork(const NestModel &model, const NestTraffic &whole,
                                          const ThroughputMatch &match,
                                          ArrayRef<BankAccess> banks,
                                          ArrayRef<GlobalAccess> coalescing,
                                          const MachineSpec &machine) {
  // One a lane where nobody says what an instruction does.
  double perInstruction = static_cast<double>(machine.limits.warpSize.value);
  const MathRate *rate = match.unit ? machine.rate(match.unit->unit, match.unit->type) : nullptr;
  if (rate && rate->perInstruction)
    perInstruction = static_cast<double>(rate->perInstruction->value);
  return Counter(model, machine).run(whole, perInstruction, banks, coalescing);
}
