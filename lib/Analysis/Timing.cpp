//===- Timing.cpp - How long a kernel takes ---------------------*- C++ -*-===//
//
// Blocks of an SM share its units and hide each other's waits.
//
//===----------------------------------------------------------------------===//

#include "tilec/Analysis/Prediction.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace mlir;
using namespace tilec;
using namespace tilec::analysis;

static std::string getRatePath(const ComputeUnit &unit) { return std::string("units.") + toString(unit.unit) + "." + toString(unit.type) + ".rate"; }

/// Rounds in which blocks are at the same places; after them others go on while some wait for instructions.
constexpr double kAlikeRounds = 2;

/// What a block that runs long code once waits for instructions.
static double fetchOfBlock(const BlockWork &work, const TimingSpec &timing) {
  if (llvm::any_of(work.phases, [](const PhaseWork &phase) { return phase.steps > 1; }))
    return 0;
  constexpr double kInstructionBytes = 16;
  double bytes = kInstructionBytes * (work.inSteps().instructions + work.rest.instructions) / static_cast<double>(work.warps);
  return std::max(0.0, bytes - timing.codeHeld.value) / timing.codeRate.value;
}

static bool isRing(const PhaseWork &phase) { return phase.staged && phase.depth > 1; }

/// Times that overlap in part.
static double join(std::initializer_list<double> times, double power) {
  double longest = std::max(times), sum = 0;
  if (longest <= 0)
    return 0;
  for (double time : times)
    sum += std::pow(time / longest, power);
  return longest * std::pow(sum, 1 / power);
}

static double stepsOfRings(const BlockWork &work) {
  double steps = 0;
  for (const PhaseWork &phase : work.phases)
    steps += isRing(phase) ? phase.steps : 0;
  return steps;
}

/// Of what the warps of a block issue as much keeps them waiting for one another where no others copy for them: all of it, or half of what warps issue beyond those that do
/// not hide one another's stalls.
static double shareOfChain(const BlockWork &work, const TimingSpec &timing, double slots) {
  double few = std::min(1.0, timing.stallWarps.value * slots / static_cast<double>(work.warps));
  return work.producers > 0 ? 1 : (1 + few) / 2;
}

namespace {

class TimePredictor {
public:
  TimePredictor(Prediction &prediction, const BlockWork &work, const ThroughputMatch &match,
        const MachineSpec &machine)
      : prediction(prediction), work(work), match(match), machine(machine),
        rate(*machine.rate(match.unit->unit, match.unit->type)),
        clock(machine.clockGHz(match.unit->unit, match.unit->type)),
        sms(static_cast<double>(machine.sms.value)),
        slots(static_cast<double>(machine.limits.issueSlots.value)),
        array(static_cast<double>(machine.limits.smemBanks.value * machine.limits.smemBankWidth.value) /
              machine.level(MemoryLevel::Smem).bandwidth->value) {
    // The SM with most blocks, and how many of them run at once.
    blocks = static_cast<double>(work.blocks) / (sms * prediction.tail.efficiency);
    resident = std::clamp<double>(std::ceil(blocks - 1e-9), 1,
                                  std::max<double>(prediction.occupancy.blocksPerSM, 1));
    // Those that share a tile run at once, too. Where they stage tiles they were measured to be slower than that says (docs/mapping.md).
    if (prediction.cutTail && llvm::none_of(work.phases, [](const PhaseWork &phase) { return phase.staged; }))
      resident = std::max(resident, std::min<double>(prediction.occupancy.blocksPerSM, std::ceil(static_cast<double>(prediction.cutTail->blocks) / sms - 1e-9)));
    rounds = blocks / resident;
    countParted();
    load = findWait();
    smemWait = takeWait(MemoryLevel::Smem).value_or(0);
    if (rate.rate.standIn)
      prediction.standIns.push_back(getRatePath(*match.unit));
  }

  void run(const NestTraffic &traffic) {
    timeUnits();
    double waits = rounds * (waitsOfBlock() + waitsOfCluster());
    double longestUnit = 0;
    for (const ResourceTime &time : prediction.times)
      longestUnit = std::max(longestUnit, time.cycles);
    prediction.leastCycles = longestUnit;
    // What queues in front of L2 keeps the rest waiting no longer than roles keep one another.
    // Nothing is loaded any more while the last block ends; those beside it are not at the same step.
    double lastStores = std::max(arrayOf(work.rest), l2Bandwidth > 0 ? work.restSectorBytes / machine.timing.l2Port.value : 0);
    double last = blocks - resident * (std::ceil(rounds - 1e-9) - 1);
    double end = std::min(rounds, 1.0) * (waitsOfCluster() + lastStores + last * work.computedOnce / slots + work.waitsOnce * load);
    // A kernel finds its code and its parameters in no cache.
    double start = machine.timing.startWaits.value * takeWait(MemoryLevel::Dram).value_or(0);
    // A block alone with few steps ends for longer than it computes.
    double rest = besideMemory(end) + end + waitsOfCut();
    prediction.cycles = launch + start + fillOfRings() + std::min(std::ceil(rounds - 1e-9), kAlikeRounds) * fetchOfBlock(work, machine.timing) + join({rest, l2, starts}, machine.timing.overlapRoles.value);
    chooseLimiter(waits);
    add("latency", waits);
    llvm::stable_sort(prediction.times, [](const ResourceTime &a, const ResourceTime &b) {
      return a.cycles > b.cycles * (1 + 1e-9);
    });
    conclude(traffic);
  }

private:
  /// A number of the machine, kept in mind where it is a stand-in.
  std::optional<double> take(const std::string &path, const std::optional<SourcedReal> &number) {
    if (!number)
      return std::nullopt;
    if (number->standIn && !llvm::is_contained(prediction.standIns, path))
      prediction.standIns.push_back(path);
    return number->value;
  }

  std::optional<double> takeWait(MemoryLevel which) {
    const LevelSpec &level = machine.level(which);
    return take(std::string("levels.") + toString(which) + (level.loadedLatency ? ".loaded_latency" : ".latency"), level.waitNumber());
  }

  /// Sectors that L2 loses before all of their parts are there go to DRAM and come back.
  void countParted() {
    double bytes = 2 * machine.timing.l2Parted.value * work.partedBytes;
    prediction.dramBytes += bytes;
    for (OrderPrediction &order : prediction.otherOrders)
      order.dramBytes += bytes;
  }

  /// What a load of an operand is waited for: L2, and by the share of its bytes that come from DRAM, where that takes longer, DRAM.
  double findWait() {
    std::optional<double> l2 = takeWait(MemoryLevel::L2), dram = takeWait(MemoryLevel::Dram);
    if (!l2 || !dram)
      return l2.value_or(dram.value_or(0));
    double misses = prediction.l2Bytes > 0 ? std::min(1.0, prediction.dramBytes / prediction.l2Bytes) : 0;
    return *l2 + misses * std::max(0.0, *dram - *l2);
  }

  /// All rounds but the last block's `end`, with DRAM, stores by lines and other SMs' shared memory beside them. What keeps units busy overlaps with that better than what blocks
  /// wait for does (33).
  double besideMemory(double end) const {
    const TimingSpec &timing = machine.timing;
    double whole = timeOfRounds(/*waiting=*/true), left = std::max(0.0, whole - end);
    if (work.producers > 0)
      return join({left, dram, stores, dsmem}, timing.overlapRoles.value);
    double share = whole > 0 ? timeOfRounds(/*waiting=*/false) / whole : 0, power = timing.overlap.value;
    double busy = left * share, waits = left * std::pow(std::max(0.0, 1 - std::pow(share, power)), 1 / power);
    return join({join({busy, dram, stores, dsmem}, timing.overlapMemory.value), waits}, power);
  }

  void add(const char *resource, double cycles) {
    if (cycles > 0)
      prediction.times.push_back({resource, cycles});
  }

  /// Cycles that a block's work takes of the issue slots, or of a pipe that computes.
  double issueOf(const UnitWork &part) const {
    return std::max({part.instructions / slots, part.math, part.special});
  }
  double arrayOf(const UnitWork &part) const { return part.wavefronts() * array; }

  bool onTensorCores() const { return match.unit->unit != MathUnit::Fma; }

  /// One step of a phase of a block on its own (formula 31).
  double chainOfStep(const PhaseWork &phase) const {
    auto warps = static_cast<double>(work.warps);
    auto ofWarp = [&](const UnitWork &part) { return part.instructions / warps + phase.waits * smemWait; };
    if (!phase.staged) {
      // All loads of a kernel without a loop are under way at once, but for guarded ones.
      double loads = phase.guardedWaits + (phase.steps > 1 ? phase.steps * phase.tiles / machine.compiler.schedule.loadsAhead.value : 0);
      return load * std::max(1.0, loads) / phase.steps + phase.exchanges * smemWait + std::max(issueOf(phase.exchange), arrayOf(phase.exchange));
    }
    UnitWork step = phase.step();
    if (phase.depth > 1) {
      double producing = producingOf(phase), used = std::max({issueOf(step) * shareOfChain(work, machine.timing, slots), arrayOf(step), ofWarp(step)});
      // A slot is filled, waited for, and used, before it is filled again.
      double ofSlot = work.producers > 0 ? (producing + load + used) / static_cast<double>(phase.depth)
                                         : (load + fillOfStep() + (phase.ahead ? used : 0)) / static_cast<double>(phase.depth - 1);
      return std::max(join({used, producing}, machine.timing.overlapRoles.value), ofSlot);
    }
    return phase.tiles * load +
           std::max(machine.timing.copySlots.value * phase.copy.instructions / slots, arrayOf(phase.copy)) +
           std::max({issueOf(phase.compute), arrayOf(phase.compute), ofWarp(phase.compute)});
  }

  /// Warps that only copy take their copies one after the other, and wait for those that go through registers.
  double producingOf(const PhaseWork &phase) const {
    if (work.producers == 0)
      return 0;
    double piece = machine.timing.producerCopy.value, instructions = phase.compute.instructions;
    // Products that nothing interrupts leave them few issue slots.
    double left = onTensorCores() || instructions <= 0 ? 0 : 1 - phase.compute.math * slots / instructions;
    if (left > 0)
      piece = std::min(piece, machine.timing.producerSlots.value / left);
    return (phase.pieces * piece + phase.pieceLoads * load) / static_cast<double>(work.producers);
  }

  /// A block on its own, until its results leave.
  double waitsOfBlock() const {
    double steps = 0;
    for (const PhaseWork &phase : work.phases)
      steps += phase.steps * chainOfStep(phase);
    // Steps that load for themselves wait in each, the first as well; what is loaded once is computed with after it.
    bool ahead = llvm::any_of(work.phases, [](const PhaseWork &phase) { return phase.depth > 1; });
    double once = 0;
    for (const PhaseWork &phase : work.phases)
      once += !phase.staged && phase.steps <= 1 ? issueOf(phase.step()) : 0;
    return steps + (machine.timing.endWaits.value - (ahead ? 0 : 1)) * load + (once > 0 ? once + issueOf(work.rest) : 0);
  }

  /// Of the blocks that run at once those whose warps, together, are too few to hide one another's stalls: they take as long as a
  /// block of all these warps would wait.
  double stallingBlocks(double together) const {
    double few = machine.timing.stallWarps.value * slots / static_cast<double>(work.warps);
    bool waits = together * static_cast<double>(work.teams) < few && work.producers > 0;
    return waits ? together * machine.timing.fewWarps.value : std::min(together, few);
  }

  /// What L2 takes to deliver a block's step at an SM's share of it.
  double fillOfStep() const { return l2 / (blocks * std::max(1.0, stepsOfRings(work))); }

  /// All SMs ask for their first tiles at once, and none computes until they have come.
  double fillOfRings() const {
    auto ring = llvm::find_if(work.phases, isRing);
    if (ring == work.phases.end())
      return 0;
    double steps = stepsOfRings(work);
    double asking = prediction.cutTail ? static_cast<double>(prediction.cutTail->blocks) : std::min(static_cast<double>(work.blocks), resident * sms);
    double first = std::min(1.0, asking / (static_cast<double>(work.blocks) * std::max(steps, 1.0)));
    return std::max(producingOf(*ring), first * std::max(dram, l2));
  }

  /// The last block at a tile of a cut wave adds up its parts, once all others have written theirs, counted them and left their SMs, and stores
  /// what is a whole tile; of its stores `rounds` counts those of its share of the steps.
  double waitsOfCut() const {
    const std::optional<CutTail> &cut = prediction.cutTail;
    if (!cut || cut->partedTiles == 0 || l2Bandwidth <= 0)
      return 0;
    double bytes = 0;
    for (const Transfer &transfer : cut->transfers)
      if (transfer.access == AccessKind::Read)
        bytes += static_cast<double>(transfer.elements * transfer.elementBytes);
    auto tiles = static_cast<double>(cut->partedTiles), parts = static_cast<double>(cut->parts);
    constexpr double kWrittenCountedRead = 3;
    // Bytes of L2 in a cycle for each of so many SMs that ask at one time.
    auto shareOfL2 = [&](double asking) { return std::min(machine.timing.l2Port.value, l2Bandwidth / std::max(1.0, std::min(sms, asking))); };
    double moved = std::max(bytes / parts / shareOfL2(static_cast<double>(cut->blocks)), cyclesToWrite(bytes)) + bytes / tiles / shareOfL2(tiles);
    double again = std::ceil(parts / tiles / static_cast<double>(cut->partsAtOnce) - 1e-9) - 1;
    return moved + (kWrittenCountedRead + (cut->partsAtOnce > 1 ? again : 0)) * load + std::max(0.0, 1 - rounds) * storesOfRound();
  }

  /// The steps of the blocks that run at once, and then their stores, which come together; where teams take turns, one team's stores beside
  /// the steps of others (formula 32).
  double timeOfRounds(bool waiting) const {
    double steps = stepsOfRound(resident, waiting), stores = waitsOfCluster() + storesOfRound();
    if (work.teams > 1)
      return std::max(rounds * steps + stores, std::ceil(rounds / static_cast<double>(work.teams) - 1e-9) * (steps + stores));
    // All blocks share a wave that is cut. Of another one that is not full the blocks may run by themselves, or, as blocks end at different
    // times, beside others: half and half.
    double whole = prediction.cutTail ? rounds : std::floor(rounds + 1e-9), last = std::max(0.0, blocks - whole * resident);
    double alone = last > 0 ? std::min(1.0, last) * stepsOfRound(std::max(1.0, last), waiting) : 0;
    return whole * steps + (alone + last / resident * steps) / 2 + rounds * stores;
  }

  /// Bytes that all SMs write at one time take the place of others that were written, which go to DRAM first.
  double cyclesToWrite(double bytes) const {
    double moved = prediction.dramBytes + prediction.foundBytes;
    return moved > 0 ? bytes * dram / moved : 0;
  }

  /// An SM with more blocks than others has what they leave of L2.
  double storesOfRound() const {
    double all = std::min(static_cast<double>(work.blocks), resident * sms) * work.restSectorBytes;
    double bytes = l2Bandwidth > 0 ? std::max(resident * work.restSectorBytes / machine.timing.l2Port.value, all / l2Bandwidth) : 0;
    // Where warps have roles all SMs end their tiles, and store them, at one time; where one block has a ring of all of an SM they do half the time, as SMs drift apart;
    // tensor cores' results leave beside the next tile's steps.
    bool alone = prediction.occupancy.blocksPerSM <= 1 && llvm::any_of(work.phases, isRing);
    if (!onTensorCores() && (work.producers > 0 || alone))
      bytes = std::max(bytes, cyclesToWrite(all) / (work.producers > 0 ? 1 : 2));
    return std::max(resident * arrayOf(work.rest), bytes);
  }

  /// With what blocks wait for if `waiting`, else by the busiest units alone.
  double stepsOfRound(double together, bool waiting) const {
    double issue = issueOf(work.rest), wavefronts = 0;
    for (const PhaseWork &phase : work.phases) {
      issue += phase.steps * issueOf(phase.step());
      wavefronts += phase.steps * arrayOf(phase.step());
    }
    // The few warps that compute beside others that copy for them need both units themselves.
    bool roles = work.producers > 0;
    double units = join({together * issue, together * wavefronts}, (roles ? machine.timing.overlapUnits : machine.timing.overlapArray).value);
    double waits = waiting ? std::max(waitsOfBlock(), stallingBlocks(together) * issue) : 0;
    return join({units, waits}, (roles ? machine.timing.overlapRoles : machine.timing.overlap).value);
  }

  void timeUnits() {
    UnitWork steps = work.inSteps();
    auto all = [&](double ofSteps, double ofRest) { return blocks * (ofSteps + ofRest); };
    add("compute", all(steps.math, work.rest.math));
    if (rate.perInstruction && match.unit->unit == MathUnit::Fma)
      add("issue", all(steps.instructions, work.rest.instructions) / slots);
    add("sfu", all(steps.special, work.rest.special));
    add("smem", all(steps.smemWavefronts + steps.matrixWavefronts, work.rest.smemWavefronts + work.rest.matrixWavefronts) * array);
    add("l1", all(steps.l1Wavefronts, work.rest.l1Wavefronts) * array);
    if (std::optional<double> available = machine.bytesPerCyclePerSM(MemoryLevel::L2, clock)) {
      take("levels.l2.bandwidth", machine.level(MemoryLevel::L2).bandwidth);
      l2Bandwidth = *available * sms;
      // An SM takes what is sent to several no faster than what is sent to it alone; CUDA cores do not ask for that much.
      l2 = ((onTensorCores() ? prediction.deliveredBytes : prediction.l2Bytes) + work.scatteredBytes + work.splitBoxBytes) / (*available * sms);
      if (std::optional<double> rate = work.additions > 0 ? take("costs.atomics", machine.costs.atomics) : std::nullopt)
        l2 = std::max(l2, work.additions / *rate);
      add("l2", l2);
    }
    const LevelSpec &memory = machine.level(MemoryLevel::Dram);
    double share = take("levels.dram.sustained", memory.sustained).value_or(1);
    double read = machine.timing.dramRead.value, written = prediction.writtenBytes + prediction.foundBytes;
    dram = (read * (prediction.dramBytes - prediction.writtenBytes) + (2 - read) * written) / (memory.bandwidth->value * share / clock) + prediction.splitCycles;
    add("dram", dram);
    if (work.storeLines > 0)
      stores = blocks * work.storeLines * take("costs.store_line", machine.costs.storeLine).value_or(0);
    // Loads wait in the same queue.
    stores += blocks * work.partialLines * machine.timing.partialLine.value;
    add("stores", stores);
    starts = (work.persistent ? resident : blocks) * machine.timing.blockStart.value;
    add("starts", starts);
    bool isShort = work.dependent && machine.costs.dependentLaunch;
    launch = (isShort ? machine.costs.dependentLaunch->value : take("costs.launch", machine.costs.launch).value_or(0)) * clock * 1e3;
    add("launch", launch);
    if (work.partBytes <= 0)
      return;
    clusterBarrier = take("costs.cluster_barrier", machine.costs.clusterBarrier).value_or(0);
    dsmemLatency = take("costs.dsmem_latency", machine.costs.dsmemLatency).value_or(0);
    if (std::optional<double> bandwidth = take("costs.dsmem_bandwidth", machine.costs.dsmemBandwidth)) {
      partCycles = work.partBytes / *bandwidth;
      dsmem = blocks / static_cast<double>(work.reducingBlocks) * static_cast<double>(work.reducingBlocks - 1) * partCycles;
      add("dsmem", dsmem);
    }
  }

  /// Two barriers of the cluster, and between them one block after the other is read.
  double waitsOfCluster() const {
    if (work.partBytes <= 0)
      return 0;
    return 2 * clusterBarrier + static_cast<double>(work.reducingBlocks - 1) * (dsmemLatency + partCycles);
  }

  /// The unit that is busy longest, shared memory and L1 being one array; waits, if they take
  /// longer; the grid, where it leaves SMs or their room for blocks idle meanwhile.
  void chooseLimiter(double waits) {
    double sharedArray = 0, longest = 0, ofArray = 0;
    for (const ResourceTime &time : prediction.times)
      if (time.resource == "smem" || time.resource == "l1")
        sharedArray += time.cycles;
    for (const ResourceTime &time : prediction.times) {
      bool inArray = time.resource == "smem" || time.resource == "l1";
      double cycles = inArray ? sharedArray : time.cycles;
      if (cycles <= longest * (1 + 1e-9) && !(inArray && cycles == longest && time.cycles > ofArray))
        continue;
      longest = cycles;
      ofArray = inArray ? time.cycles : ofArray;
      prediction.limiter = time.resource;
    }
    std::string unit = prediction.limiter;
    bool wholeArray = sharedArray > 0 && ofArray > 0 && ofArray < sharedArray;
    prediction.limiterReason = (wholeArray ? "shared memory and L1, which are one array, are busy for " : "busy for ") + percent(longest) + " of the time";
    if (unit == "starts")
      prediction.limiterReason += ", for its blocks start one after the other";
    bool idle = prediction.tail.efficiency < idleShare ||
                std::ceil(blocks - 1e-9) < static_cast<double>(prediction.occupancy.blocksPerSM);
    bool waiting = waits > machine.timing.waitMargin.value * longest;
    std::string waitsAndUnit =
        "blocks wait for their own loads for " + percent(waits) + " of the time (" + unit + ": " + prediction.limiterReason + ")";
    if (prediction.limiter != "launch" && idle && (prediction.tail.efficiency < idleShare || waiting)) {
      prediction.limiter = "occupancy";
      prediction.limiterReason = describeIdle() + "; " + waitsAndUnit;
    } else if (waiting) {
      prediction.limiter = "latency";
      prediction.limiterReason = waitsAndUnit;
    } else if (waits > longest) {
      prediction.limiterReason += "; waits of blocks take hardly longer, " + percent(waits);
    }
    if (restsOnStandIn(unit))
      prediction.limiterReason += "; that rests on a stand-in";
    // More of the unit would draw more power, and the clock would fall as far again.
    if (prediction.limiter == "compute" && getRunningClock() < clock) {
      prediction.limiter = "power";
      prediction.limiterReason = "compute: " + prediction.limiterReason + ", and the clock falls under its load";
    }
  }

  /// Is what `resource` does in a cycle another machine's number?
  bool restsOnStandIn(llvm::StringRef resource) const {
    static constexpr std::pair<llvm::StringLiteral, llvm::StringLiteral> kNumbers[] = {
        {"l2", "levels.l2.bandwidth"}, {"dram", "levels.dram.sustained"}, {"stores", "costs.store_line"},
        {"launch", "costs.launch"},    {"dsmem", "costs.dsmem_bandwidth"}};
    for (auto [name, path] : kNumbers)
      if (resource == name)
        return llvm::is_contained(prediction.standIns, path);
    return resource == "compute" && rate.rate.standIn;
  }

  std::string percent(double cycles) const {
    return llvm::formatv("{0:f0} %", *prediction.cycles > 0 ? cycles / *prediction.cycles * 100 : 0).str();
  }

  std::string describeIdle() const {
    if (prediction.tail.efficiency < idleShare)
      return llvm::formatv("SMs have blocks for {0:f0} % of the time", prediction.tail.efficiency * 100).str();
    return llvm::formatv("an SM has {0:f0} of the {1} blocks that it could hold", std::ceil(blocks - 1e-9), prediction.occupancy.blocksPerSM).str();
  }

  /// Tensor cores draw so much power that the clock falls, where the machine says how far: all the way where they are busy at the
  /// rate of the fastest unit that takes these operands, and less where they do less.
  double getRunningClock() const {
    if (match.unit->unit == MathUnit::Fma || !machine.loadClock || machine.loadClock->value >= clock)
      return clock;
    double fastest = rate.rate.value;
    for (MathUnit unit : {MathUnit::Mma, MathUnit::Wgmma})
      if (const MathRate *other = machine.rate(unit, match.unit->type))
        fastest = std::max(fastest, other->rate.value);
    double busy = *prediction.cycles > 0 ? std::min(1.0, *match.computeCycles * rate.rate.value / fastest / *prediction.cycles) : 0;
    return clock - (clock - machine.loadClock->value) * busy;
  }

  void conclude(const NestTraffic &traffic) {
    prediction.seconds = *prediction.cycles / (getRunningClock() * 1e9);
    prediction.tflops = 2 * static_cast<double>(traffic.iterations) / *prediction.seconds / 1e12;
    prediction.fractionOfPeak = *match.computeCycles / *prediction.cycles;
  }

  Prediction &prediction;
  const BlockWork &work;
  const ThroughputMatch &match;
  const MachineSpec &machine;
  const MathRate &rate;
  double clock, sms, slots;
  /// A grid that gives SMs blocks for less of the time limits the kernel.
  double idleShare = machine.timing.idleShare.value;
  /// Cycles that a wavefront takes; that a warp waits for global and for shared memory.
  double array, load = 0, smemWait = 0;
  /// Blocks of the SM with most; of them at once; how often that.
  double blocks = 0, resident = 1, rounds = 1;
  double l2Bandwidth = 0, l2 = 0, dram = 0, launch = 0, starts = 0, stores = 0, dsmem = 0;
  /// Where blocks of a cluster add up their tiles; the last is what a partial tile takes to be read.
  double clusterBarrier = 0, dsmemLatency = 0, partCycles = 0;
};

} // namespace

void tilec::analysis::predictTime(Prediction &prediction, const BlockWork &work,
                                  const NestTraffic &traffic, const ThroughputMatch &match,
                                  const MachineSpec &machine) {
  if (match.unit && match.computeCycles)
    TimePredictor(prediction, work, match, machine).run(traffic);
}
