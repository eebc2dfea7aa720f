//===- BlockWork.cpp - What the units of an SM do for one block -*- C++ -*-===//
//
// Requests are counted; what the compiler adds to them (addresses, predicates, loop
// counters) stands in the machine's description.
//
//===----------------------------------------------------------------------===//

#include "tilec/Analysis/BlockWork.h"

#include "AccessCost.h"
#include "JoinedLoads.h"
#include "RequestClasses.h"
#include "tilec/Analysis/BodyWork.h"
#include "tilec/Analysis/Capacity.h"
#include "tilec/Analysis/ClusterPlan.h"
#include "tilec/Analysis/ClusterReduce.h"
#include "tilec/Analysis/CopyDecisions.h"
#include "tilec/Analysis/CopyPlan.h"
#include "tilec/Analysis/LaunchPlan.h"
#include "tilec/Analysis/Occupancy.h"
#include "tilec/Analysis/Phases.h"
#include "tilec/Analysis/PipelineDecisions.h"
#include "tilec/Analysis/SharedPlan.h"
#include "tilec/Tile/InstructionUse.h"
#include "tilec/Tile/Projection.h"
#include "tilec/Tile/Reduction.h"
#include "tilec/Tile/Teams.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::analysis;
using tilec::tile::Level;
using tilec::tile::Unit;

static UnitWork sum(const UnitWork &a, const UnitWork &b, double factor = 1) {
  return {a.instructions + factor * b.instructions, a.math + factor * b.math,
          a.smemWavefronts + factor * b.smemWavefronts, a.l1Wavefronts + factor * b.l1Wavefronts, a.matrixWavefronts + factor * b.matrixWavefronts,
          a.special + factor * b.special};
}

UnitWork PhaseWork::step() const { return sum(copy, compute); }

UnitWork BlockWork::inSteps() const {
  UnitWork all;
  for (const PhaseWork &phase : phases)
    all = sum(all, phase.step(), phase.steps);
  return all;
}

UnitWork BlockWork::total() const { return sum(UnitWork(), sum(rest, inSteps()), static_cast<double>(blocks)); }

/// Instructions of a warp whose lanes put together what they hold of rows in `compute`: a shuffle and an operation for each step.
static double countShuffles(const ComputeModel &compute) {
  double instructions = 0;
  if (!compute.spread || !compute.reduces())
    return instructions;
  auto op = cast<linalg::LinalgOp>(compute.op);
  for (OpOperand &init : op.getDpsInitsMutable()) {
    AffineMap map = op.getMatchingIndexingMap(&init);
    auto held = static_cast<double>(tile::project(*compute.spread, map).getLocalElements());
    for (const tile::Digit &digit : tile::getReducedDigits(*compute.spread, map))
      instructions += 2 * held * static_cast<double>(llvm::Log2_64(digit.count));
  }
  return instructions;
}

/// Of the unit that executes an instruction together.
static double warpsOf(const ComputeModel &compute) {
  return static_cast<double>(tile::getUnitThreads(tile::getInstructionUse(compute.op)->unit)) / tile::kWarpThreads;
}

/// Does the block ask ahead of its loops whether all is there?
static bool isAskedByBlock(const AccessSite &site) {
  auto stage = dyn_cast_if_present<tile::StageOp>(site.op);
  return stage && stage.getEdges() == tile::EdgeCheck::Block;
}

static bool lanesMove(const AccessSite &site, size_t dim) {
  std::optional<int64_t> first;
  for (const WarpLanes &warp : site.warps)
    for (const LaneCoordinates &lane : warp.lanes) {
      if (lane && first && (*lane)[dim] != *first)
        return true;
      if (lane)
        first = (*lane)[dim];
    }
  return false;
}

/// What L2 could deliver in the time of the sectors and lines that rows of `boxes` touch beyond those which their bytes fill.
static double getSplitBytes(const RequestTotals &boxes, const MachineSpec &machine) {
  double lines = static_cast<double>(boxes.ideal * machine.limits.sectorBytes.value) / static_cast<double>(machine.limits.lineBytes.value);
  return static_cast<double>(boxes.cost - boxes.ideal) * machine.timing.boxSector.value + std::max(0.0, static_cast<double>(boxes.lines) - lines) * machine.timing.boxLine.value;
}

namespace {

/// Requests of one access, of the whole grid, and what they cost.
struct SiteCost {
  double requests = 0, wavefronts = 0;
};

/// What is only known of a phase while it is counted, of the whole grid.
struct PhaseCount {
  /// Warp instructions that multiply and add, pieces that are copied to shared memory, and those of them that loops copy which stay loops.
  double fma = 0, pieces = 0, inLoops = 0;
  /// Loads of the guarded access with most of them, one after the other.
  double guarded = 0;
};

class Counter {
public:
  Counter(const NestModel &model, const MachineSpec &machine)
      : model(model), machine(machine), added(machine.compiler.instructions), schedule(machine.compiler.schedule) {}

  BlockWork run(const NestTraffic &whole, ArrayRef<BankAccess> banks, ArrayRef<GlobalAccess> coalescing, ArrayRef<GlobalAccess> constants) {
    work.blocks = std::max<int64_t>(model.blocks(), 1);
    if (tile::LaunchOp launch = getLaunch(model.kernel))
      work.dependent = launch.getDependent();
    work.warps = llvm::divideCeil(std::max<int64_t>(model.threadsPerBlock(), 1), tile::kWarpThreads);
    readPhases(coalescing);
    for (const GlobalAccess &access : coalescing)
      if (tile::StageOp stage = dyn_cast_if_present<tile::StageOp>(access.site.op); stage && access.site.copy && access.site.widestBytes)
        if (tile::ForOp loop = getPipeline(stage); loop && loop.getChoose() == tile::Choose::Loop)
          narrowed.insert(loop);
    onlyGuarded = llvm::all_of(coalescing, [&](const GlobalAccess &access) { return isGuarded(access.site) && !isInLoop(access.site); });
    countComputes(whole);
    for (const BankAccess &access : banks)
      countShared(access);
    for (const GlobalAccess &access : coalescing)
      countGlobal(access);
    for (const GlobalAccess &access : constants)
      countConstant(access);
    countParts(whole);
    for (const LoopModel &loop : model.loops)
      if (tile::ForOp reduction = loop.op; tile::isThreadUnit(loop.unit) && reduction.getReduce())
        countReduction(reduction);
    for (auto [number, phase] : llvm::enumerate(work.phases))
      finish(number, phase);
    countSpills();
    work.rest = sum(UnitWork(), work.rest, 1 / static_cast<double>(work.blocks));
    work.rest.instructions += static_cast<double>(work.warps) * (onlyGuarded ? added.guardedStart : added.start).value;
    work.restSectorBytes /= static_cast<double>(work.blocks);
    work.storeLines /= static_cast<double>(work.blocks);
    work.partialLines /= static_cast<double>(work.blocks);
    return work;
  }

private:
  static SmallVector<unsigned> loopsOf(const AccessSite &site) {
    SmallVector<unsigned> loops;
    for (const auto &[loop, count] : site.loops)
      loops.push_back(loop);
    return loops;
  }

  void readPhases(ArrayRef<GlobalAccess> coalescing) {
    std::vector<PhaseLoads> loads;
    for (const GlobalAccess &access : coalescing)
      if (!access.site.writes && !access.site.conditional && !access.site.copy)
        loads.push_back({loopsOf(access.site), costOf(access).requests});
    phases = findPhases(model, loads);
    counts.resize(phases.size());
    work.phases.clear();
    for (const Phase &phase : phases) {
      PhaseWork &own = work.phases.emplace_back();
      own.steps = phase.steps(model);
      own.staged = phase.staged;
      own.ahead = beginsAhead(phase);
      for (const TileModel &tile : model.tiles)
        if (phase.staged && tile.level == Level::SMEM && tile.source && tile.source->isOperand &&
            phase.contains(tile.loops)) {
          ++own.tiles;
          own.depth = std::max(own.depth, tile.depth);
        }
    }
  }

  /// Of what stands in the loops `around`, in steps or not.
  UnitWork &workIn(std::optional<unsigned> phase) { return phase ? work.phases[*phase].compute : work.rest; }

  void countComputes(const NestTraffic &whole) {
    for (auto [compute, own] : llvm::zip_equal(model.computes, whole.computes)) {
      if (!own.counts)
        continue;
      std::optional<unsigned> phase = findPhase(phases, compute.loops);
      UnitWork &unitWork = workIn(phase);
      std::optional<ComputeUnit> unit = findComputeUnit(machine, compute);
      double iterations = static_cast<double>(own.iterations), instructions, reads = 0;
      if (compute.byUnit) { // Of all its points, absent ones as well, and one for each warp.
        auto runs = static_cast<double>(model.iterationsOf(compute.loops));
        iterations = runs * static_cast<double>(llvm::product_of(compute.extents));
        instructions = runs * warpsOf(compute);
        for (const ComputeOperand &input : compute.inputs)
          if (model.levelOf(input.place) == Level::SMEM)
            reads += runs * static_cast<double>(llvm::product_of(input.shape) * input.elementBytes) /
                   static_cast<double>(machine.limits.smemBanks.value * machine.limits.smemBankWidth.value);
      } else {
        // What reads the results of iterations before is gone over twice.
        iterations *= tile::getCarried(cast<linalg::LinalgOp>(compute.op)) ? 2 : 1;
        // One a lane where nobody says what an instruction does.
        const MathRate *rate = unit ? machine.rate(unit->unit, unit->type) : nullptr;
        instructions = iterations / static_cast<double>(rate && rate->perInstruction ? rate->perInstruction->value : machine.limits.warpSize.value);
      }
      // What a body does beyond a multiply-add goes with it, a lane a point.
      double beyond = compute.byUnit ? 0 : countInstructionsOfPoint(cast<linalg::LinalgOp>(compute.op), machine.compiler.functions) - 1;
      double all = instructions + beyond * iterations / static_cast<double>(machine.limits.warpSize.value) +
                   countShuffles(compute) * static_cast<double>(model.iterationsOf(compute.loops) * work.warps);
      unitWork.instructions += all;
      if (!compute.byUnit)
        unitWork.special += countSpecials(cast<linalg::LinalgOp>(compute.op)) * iterations / machine.timing.specialLanes.value;
      if (phase && work.phases[*phase].steps <= 1)
        work.computedOnce += all / static_cast<double>(work.blocks);
      unitWork.matrixWavefronts += reads;
      unitWork.math += unit ? std::max(iterations / unit->rate, reads) : 0;
      if (phase)
        counts[*phase].fma += instructions;
    }
  }

  /// Is what the first products of a step multiply loaded in the step before?
  bool beginsAhead(const Phase &phase) const {
    return llvm::any_of(phase.loops, [&](unsigned number) {
      tile::ForOp loop = model.loops[number].op;
      return loop.getPipeline() && getLoopAhead(loop);
    });
  }

  /// What the compiler makes of the loops of time in a step that no pipeline writes out: how often what it has written out runs, and of how many
  /// iterations it joins the loads.
  struct WrittenOut {
    double times = 1;
    int64_t joined = 1;
  };

  WrittenOut findWrittenOut(unsigned number) const {
    int64_t iterations = 1;
    for (const ComputeModel &compute : model.computes)
      if (phases[number].contains(compute.loops))
        iterations = std::max(iterations, iterationsWithin(phases[number], compute.loops));
    double perThread = counts[number].fma / perStep(number) / static_cast<double>(work.warps);
    double perIteration = perThread / static_cast<double>(iterations);
    if (!phases[number].staged || iterations <= 1)
      return {};
    bool whole = perThread <= schedule.unrollWhole.value, joins = perIteration <= schedule.joinMost.value;
    if (whole)
      return {1, joins ? iterations : 1};
    constexpr int64_t kOfPart = 2;
    return {perThread / std::max(schedule.unrollPart.value, perIteration), joins ? kOfPart : 1};
  }

  /// How often a step waits for shared memory: once, or in each iteration of loops that stay loops; not at all where it begins ahead.
  double findWaits(unsigned number) const { return beginsAhead(phases[number]) ? 0 : findWrittenOut(number).times; }

  double perStep(unsigned number) const { return static_cast<double>(work.blocks) * work.phases[number].steps; }

  /// Iterations of a step's loops of time that no pipeline writes out.
  int64_t iterationsWithin(const Phase &phase, ArrayRef<unsigned> loops) const {
    int64_t count = 1;
    for (unsigned loop : loops)
      if (model.loops[loop].unit == Unit::Time && !llvm::is_contained(phase.loops, loop) &&
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

  /// The phase whose steps a copy into shared memory belongs to: that around it, or the first one that uses what it copies.
  unsigned phaseOfCopy(const AccessSite &site, unsigned tile) const {
    if (std::optional<unsigned> phase = findPhase(phases, loopsOf(site)))
      return *phase;
    unsigned first = phases.size();
    auto see = [&](ArrayRef<unsigned> loops) { first = std::min(first, findPhase(phases, loops).value_or(first)); };
    model.forEachUse(tile, [&](const Place &, ArrayRef<unsigned> loops) { see(loops); });
    for (const TileModel &user : model.tiles)
      if (user.source && !user.source->isOperand && user.source->root == tile)
        see(user.loops);
    return first < phases.size() ? first : 0;
  }

  void countShared(const BankAccess &access) {
    const AccessSite &site = access.site;
    SiteCost cost = access.total ? SiteCost{static_cast<double>(access.total->requests),
                                            static_cast<double>(access.total->cost)}
                                 : estimate(access, static_cast<double>(access.wavefronts));
    std::optional<unsigned> phase = findPhase(phases, loopsOf(site));
    auto [joined, factor] = joinLoads(model, site, phase ? findWrittenOut(*phase).joined : 1, machine);
    UnitWork &unit = site.copy ? work.phases[phaseOfCopy(site, getFilledTile(model, site))].copy : workIn(phase);
    unit.smemWavefronts += getPasses(model, site, cost.requests, cost.wavefronts) * factor;
    if (!site.copy)
      unit.instructions += cost.requests * static_cast<double>(1 + getAddressInstructions(model, site, machine)) / static_cast<double>(joined);
  }

  bool isInLoop(const AccessSite &site) const {
    return llvm::any_of(site.loops, [&](const auto &loop) { return model.loops[loop.first].unit == Unit::Time; });
  }

  /// How often a thread waits for loads of several elements at once in loops that are written out: each is in a branch, which keeps the compiler from asking ahead, but where
  /// the block asks.
  double waitsWrittenOut(const AccessSite &site) const {
    if (site.width == 1 || isInLoop(site) || isAskedByBlock(site))
      return 0;
    double waits = 1;
    for (auto [loop, iterations] : site.loops)
      if (model.loops[loop].unit == Unit::Unroll)
        waits *= static_cast<double>(iterations);
    return waits > 1 ? waits : 0;
  }

  /// No loop over time, and no tile in shared memory.
  bool isStraight() const {
    return llvm::all_of(phases, [&](const Phase &phase) { return !phase.staged && phase.steps(model) <= 1; });
  }

  /// Do steps of a loop within a block ask whether the operand has the element? They do where they and others move along one dimension.
  /// Copies to shared memory have a price of their own.
  bool isGuarded(const AccessSite &site) const {
    if (llvm::any_of(phases, [](const Phase &phase) { return phase.staged; }) || site.warps.empty() || isAskedByBlock(site))
      return false;
    if (site.rank() == 1 && site.guards.empty() && isStraight())
      return true;
    for (size_t dim = 0; dim < site.rank(); ++dim) {
      bool within = llvm::any_of(site.at[dim].terms, [&](const Term &term) { return !model.loops[term.loop].onBlocks(); });
      if (within && (site.at[dim].terms.size() > 1 || lanesMove(site, dim)))
        return true;
    }
    return false;
  }

  /// Guarded loads of a site that are under way together: several elements at once, and copies that are written out, stay in branches of their own; of one tile's
  /// elements as many go together as of others that nobody guards.
  double loadsAhead(const AccessSite &site) const {
    bool unrolled = llvm::any_of(site.loops, [&](const auto &loop) { return model.loops[loop.first].unit == Unit::Unroll; });
    if (site.width > 1 || unrolled)
      return 1;
    auto together = isInLoop(site) ? static_cast<double>(site.steps.size()) : 1;
    return std::max(schedule.guardedAhead.value, std::min(together, schedule.loadsAhead.value));
  }

  /// Requests of a copy to shared memory. Those that run ahead fill with zeros where the operand has no element.
  double getPieces(unsigned phase, const AccessSite &site, double requests) const {
    const TileModel &tile = model.tiles[getFilledTile(model, site)];
    if (site.isBulk() || tile.depth == 1 || site.scattered || site.conditional)
      return requests;
    return std::max(requests, perStep(phase) * static_cast<double>(tile.elements()) / static_cast<double>(site.width * tile::kWarpThreads));
  }

  /// Does the loop over a thread's copies stay a loop? It does where a launch that aligns more has a text of its own, as the stage says (`unroll`).
  bool staysLoop(unsigned phase, const AccessSite &site, double pieces) const {
    auto stage = dyn_cast_if_present<tile::StageOp>(site.op);
    if (!stage || !stage.getUnroll() || site.isBulk())
      return false;
    // What warps that only copy take of issue slots is known from measured ones alone (few, in loops or not).
    tile::ForOp loop = getPipeline(stage);
    if (loop && loop.getProducers())
      return false;
    double rounds = pieces / (perStep(phase) * static_cast<double>(work.warps));
    return rounds > static_cast<double>(narrowed.contains(loop) ? stage.getUnroll()->back() : stage.getUnroll()->front());
  }

  void countGlobal(const GlobalAccess &access) {
    const AccessSite &site = access.site;
    SiteCost cost = costOf(access);
    if (site.copy) {
      unsigned phase = phaseOfCopy(site, getFilledTile(model, site));
      // Boxes pass by the lines that loads and stores go through.
      if (!site.isBulk()) {
        work.phases[phase].copy.l1Wavefronts += getPasses(model, site, cost.requests, cost.wavefronts);
        work.phases[phase].pieces += cost.requests;
        work.phases[phase].pieceLoads += site.bytesPerLane() < kLeastAsyncBytes ? cost.requests : 0;
      }
      double pieces = getPieces(phase, site, cost.requests);
      counts[phase].pieces += pieces;
      counts[phase].inLoops += staysLoop(phase, site, pieces) ? pieces : 0;
      if (site.isBulk() && access.total)
        work.splitBoxBytes += getSplitBytes(*access.total, machine);
      if (!site.isBulk() && access.total && model.tiles[getFilledTile(model, site)].depth == 1)
        work.partialLines += std::max(0.0, cost.wavefronts - static_cast<double>(access.total->cost * machine.limits.sectorBytes.value) / static_cast<double>(machine.limits.lineBytes.value));
      return;
    }
    std::optional<unsigned> phase = findPhase(phases, loopsOf(site));
    // A store after the only step ends it.
    if (phase && site.writes && work.phases[*phase].steps <= 1)
      phase.reset();
    UnitWork &unit = workIn(phase);
    if (!site.isBulk())
      unit.l1Wavefronts += cost.wavefronts;
    bool guarded = isGuarded(site);
    bool row = phase && !phases[*phase].staged && !site.writes && site.width == 1 && site.steps.size() > 1;
    unit.instructions += cost.requests * (guarded ? added.guarded : !row ? added.access : isInLoop(site) ? added.accessRow : added.accessWindow).value;
    if (phase && !phases[*phase].staged && !site.writes) {
      // Several elements at once are asked for in a branch, which keeps the compiler from loading those of the next steps ahead.
      if (guarded || (site.width > 1 && isInLoop(site)))
        counts[*phase].guarded = std::max(counts[*phase].guarded, cost.requests / loadsAhead(site));
      else
        work.phases[*phase].tiles += cost.requests;
    }
    if (!site.writes) {
      work.waitsOnce = std::max(work.waitsOnce, waitsWrittenOut(site));
      return;
    }
    work.storeLines += cost.wavefronts;
    if (!access.total)
      return;
    auto sector = static_cast<double>(machine.limits.sectorBytes.value);
    work.scatteredBytes += static_cast<double>(access.total->cost - access.total->ideal) * sector;
    constexpr int64_t kParts = 4;
    // A thread that goes on beside what it has stored fills the sector soon.
    if (site.steps.size() == 1 && access.total->cost > kParts * access.total->ideal)
      work.partedBytes += static_cast<double>(access.total->ideal) * sector;
    if (!phase)
      work.restSectorBytes += static_cast<double>(access.total->cost) * sector;
  }

  /// A request goes once for each different address (formula 37).
  void countConstant(const GlobalAccess &access) {
    workIn(findPhase(phases, loopsOf(access.site))).instructions += access.total ? static_cast<double>(access.total->cost) : estimate(access, 1).requests;
  }

  /// What blocks of a cluster exchange when their steps are done.
  void countParts(const NestTraffic &whole) {
    for (const Transfer &transfer : whole.transfers)
      if (transfer.access == AccessKind::Combine && transfer.partial && std::min(transfer.from, transfer.to) == Level::DRAM)
        work.additions += static_cast<double>(transfer.bytes()) / static_cast<double>(transfer.elementBytes);
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

  /// What threads do to put together what they have: shuffles, and through shared memory each reads what its partners leave.
  void countReduction(tile::ForOp reduction) {
    SmallVector<unsigned> around;
    tile::ForOp combining = tile::getCombiningLoop(reduction);
    for (auto [number, loop] : llvm::enumerate(model.loops))
      if (!tile::isThreadUnit(loop.unit) && loop.op->isProperAncestor(combining))
        around.push_back(number);
    std::optional<unsigned> number = findPhase(phases, around);
    if (number && work.phases[*number].steps <= 1)
      return;
    double instructions = 0, wavefronts = 0, exchanges = 0;
    SumExchange exchange = getSumExchange(reduction, model.threadsPerBlock());
    for (Value held : tile::getReducedTiles(reduction)) {
      FailureOr<tile::Distribution> distribution = tile::getDistribution(held);
      if (failed(distribution))
        return;
      int64_t own = distribution->getLocalElements(), bytes = cast<MemRefType>(held.getType()).getElementTypeBitWidth() / 8;
      int64_t atOnce = reduction.getPrefix() ? 1 : getExchangedAtOnce(own, bytes);
      auto elements = static_cast<double>(own), runs = elements / static_cast<double>(getExchangeWidth(atOnce, bytes));
      for (const tile::Digit &digit : getSummedDigits(reduction, *distribution)) {
        int64_t shuffled = exchange.getShuffled(digit.count, digit.threadStride);
        instructions += 2 * elements * static_cast<double>(llvm::Log2_64(shuffled));
        if (!exchange.passesMemory(digit.count, digit.threadStride))
          continue;
        auto read = static_cast<double>(exchange.countRead(digit.count / shuffled, !reduction.getReduce()));
        instructions += runs * (1 + read) + elements * read;
        wavefronts += elements * (1 + read);
        exchanges += static_cast<double>(own / atOnce);
      }
    }
    double runs = static_cast<double>(model.iterationsOf(around)), warps = runs * static_cast<double>(work.warps);
    UnitWork &unit = workIn(number);
    unit.instructions += warps * instructions;
    unit.smemWavefronts += warps * wavefronts;
    if (!number || wavefronts == 0)
      return;
    PhaseWork &phase = work.phases[*number];
    // One barrier ahead of what they leave, and one after it.
    double often = runs / perStep(*number);
    phase.exchanges += 2 * exchanges * often;
    phase.exchange.instructions += often * static_cast<double>(work.warps) * instructions;
    phase.exchange.smemWavefronts += often * static_cast<double>(work.warps) * wavefronts;
  }

  /// Of `bytes` that a block spills, the share that L1 does not hold: shared memory leaves it the rest of the array that they are in, half of which it keeps of what
  /// comes again in turn.
  double findUnheldShare(double bytes, int64_t threads) const {
    if (bytes == 0)
      return 0;
    int64_t smemBytes = countResources(model).smemBytes;
    auto blocks = static_cast<double>(findOccupancy(machine, smemBytes, threads, wantedRegisters(model, threads, machine)).blocksPerSM);
    double room = (static_cast<double>(machine.smemPerSM()) - blocks * static_cast<double>(smemBytes)) / 2;
    return blocks > 0 ? std::clamp(1 - room / (bytes * blocks), 0.0, 1.0) : 0;
  }

  /// What does not fit registers is stored and loaded in each step, each a line of a warp's.
  void countSpills() {
    int64_t threads = std::max<int64_t>(model.threadsPerBlock(), 1);
    auto moved = 2 * static_cast<double>(getSpilledRegisters(model, threads, machine));
    constexpr double kRegisterBytes = 4;
    double bytes = moved * kRegisterBytes * static_cast<double>(threads);
    double unheld = findUnheldShare(bytes / 2, threads);
    // Of few registers more share a bank, and an instruction that reads two of one waits.
    double waits = 1 + machine.timing.tightRegisters.value * (getTightness(model, threads, machine) - 1);
    for (PhaseWork &phase : work.phases) {
      phase.compute.instructions = phase.compute.instructions * waits + moved * static_cast<double>(work.warps);
      phase.compute.l1Wavefronts += moved * static_cast<double>(work.warps);
      work.scatteredBytes += unheld * bytes * phase.steps * static_cast<double>(work.blocks);
    }
  }

  /// From the grid to one block and one step, with what the compiler adds.
  void finish(unsigned number, PhaseWork &phase) {
    auto warps = static_cast<double>(work.warps);
    phase.waits = findWaits(number);
    phase.copy = sum(UnitWork(), phase.copy, 1 / perStep(number));
    phase.compute = sum(UnitWork(), phase.compute, 1 / perStep(number));
    phase.pieces /= perStep(number);
    phase.pieceLoads /= perStep(number);
    if (!phase.staged)
      phase.tiles /= perStep(number) * warps;
    phase.guardedWaits = counts[number].guarded / static_cast<double>(work.blocks) / warps;
    bool ahead = phase.depth > 1;
    if (phase.staged)
      phase.copy.instructions += (counts[number].pieces * (ahead ? added.asyncCopy : added.copy).value +
                                  (ahead ? counts[number].inLoops * std::max(0.0, added.copy.value - added.asyncCopy.value) : 0)) / perStep(number) +
                                 warps * (ahead ? added.asyncStep : added.copyStep).value;
    if (phase.waits > 1)
      phase.compute.instructions += phase.waits * warps * added.loop.value;
  }

  const NestModel &model;
  const MachineSpec &machine;
  const CompilerInstructions &added;
  const CompilerSchedule &schedule;
  BlockWork work;
  bool onlyGuarded = false;
  /// Pipelines of which some copy moves less at once than where the launch aligns its operand: their texts for that are others.
  llvm::SmallPtrSet<mlir::Operation *, 2> narrowed;
  /// By the numbers of the phases, as those of `work`.
  std::vector<Phase> phases;
  SmallVector<PhaseCount> counts;
};

} // namespace

BlockWork tilec::analysis::countBlockWork(const NestModel &model, const NestTraffic &whole, ArrayRef<BankAccess> banks,
                                          ArrayRef<GlobalAccess> coalescing, ArrayRef<GlobalAccess> constants, const MachineSpec &machine) {
  BlockWork work = Counter(model, machine).run(whole, banks, coalescing, constants);
  for (const LoopModel &loop : model.loops) {
    work.producers = std::max<int64_t>(work.producers, tile::ForOp(loop.op).getProducers().value_or(0));
    work.persistent |= tile::ForOp(loop.op).getPersistent();
  }
  work.teams = tile::getTeams(model.kernel);
  return work;
}
