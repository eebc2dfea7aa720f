//===- BuildRecord.cpp - From a nest to its record --------------*- C++ -*-===//
//
// Copies figures; decides nothing.
//
//===----------------------------------------------------------------------===//

#include "tilec/Report/BuildRecord.h"

#include "tilec/Analysis/SplitSectors.h"
#include "tilec/Machine/Targets.h"
#include "tilec/Report/Findings.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>

using namespace mlir;
using namespace tilec;
using namespace tilec::analysis;
using namespace tilec::report;

/// Indices are read as often as requests ask for them; where those are not counted, at most so often.
static void countIndices(Transfer &transfer, ArrayRef<GlobalAccess> accesses) {
  int64_t elements = 0;
  for (const GlobalAccess &access : accesses)
    if (access.site.op == transfer.op && access.site.root == transfer.operand && !access.site.writes) {
      transfer.conditional |= !access.total;
      elements += access.total ? access.total->elements : 0;
    }
  if (!transfer.conditional)
    transfer.elements = elements;
}

FailureOr<Analyses> tilec::report::analyzeKernel(tile::KernelOp kernel, ArrayRef<int64_t> arguments,
                                                 const MachineSpec &machine,
                                                 std::optional<int64_t> registers,
                                                 const LaunchLayouts *layouts) {
  FailureOr<NestModel> model = NestModel::get(kernel, arguments);
  if (failed(model))
    return failure();
  FailureOr<NestTraffic> traffic = analyzeTraffic(*model);
  if (failed(traffic))
    return failure();
  FailureOr<ThroughputMatch> match = matchThroughput(*model, *traffic, machine);
  if (failed(match))
    return failure();
  Analyses analyses;
  analyses.match = std::move(*match);
  analyses.resources = countResources(*model);
  analyses.violations = checkMachine(*model, machine);
  // Whole tiles promise what edges cannot change.
  FailureOr<NestTraffic> whole = analyzeTraffic(*model, Edges::Whole);
  if (failed(whole))
    return failure();
  analyses.prediction =
      predictTraffic(*model, *traffic, *whole, analyses.resources, machine, registers);
  analyses.latency = matchLatency(*model, *traffic, analyses.match,
                                  analyses.prediction.occupancy.blocksPerSM, machine);
  analyses.lowerBound = findLowerBound(*model, *traffic, analyses.resources);
  // Requests are counted by looking at threads and elements, of which a nest that the machine refuses may have any number.
  if (analyses.violations.empty()) {
    LaunchLayouts dense = layouts ? *layouts : getDenseLayouts(*model);
    std::vector<AccessSite> sites = findAccessSites(*model, dense);
    analyses.banks = analyzeBankAccesses(*model, sites, machine);
    analyses.coalescing = analyzeCoalescing(*model, sites, dense, machine);
    analyses.constants = analyzeConstantReads(*model, sites, dense, machine);
    analyses.prediction.splitCycles = findSplitCycles(*model, dense, machine);
  }
  analyses.work = countBlockWork(*model, *whole, analyses.banks, analyses.coalescing, analyses.constants, machine);
  predictTime(analyses.prediction, analyses.work, *traffic, analyses.match, machine);
  for (Transfer &transfer : traffic->transfers)
    if (transfer.byRequest)
      countIndices(transfer, analyses.coalescing);
  for (Transfer &transfer : traffic->transfers)
    if (!transfer.portBytes)
      transfer.portBytes = getPortBytes(*model, transfer, analyses.banks, analyses.coalescing, analyses.constants, machine);
  analyses.model = std::move(*model);
  analyses.traffic = std::move(*traffic);
  return analyses;
}

void tilec::report::findLayouts(Analyses &analyses, const MachineSpec &machine) {
  LaunchLayouts dense = getDenseLayouts(analyses.model);
  for (const BankAccess &access : analyses.banks) {
    unsigned tile = access.site.root;
    if (access.wavefronts == access.idealWavefronts || analyses.layouts.count(tile))
      continue;
    if (std::optional<LayoutPlan> plan = planLayout(analyses.model, tile, dense, machine))
      analyses.layouts.emplace(tile, *plan);
  }
}

static OperandRecord recordOperand(const Transfer &transfer, const TransferCount &count) {
  OperandRecord record;
  record.name = transfer.name;
  record.from = transfer.getSource().str();
  record.to = stringifyLevel(transfer.to).str();
  record.role = toString(transfer.role).str();
  record.access = toString(transfer.access).str();
  record.tile.assign(transfer.tile.begin(), transfer.tile.end());
  record.copies = transfer.copies;
  record.localReuse = transfer.localReuse();
  record.globalReuse = transfer.globalReuse();
  record.multicast = static_cast<double>(transfer.multicast);
  record.bytes = transfer.bytes();
  record.portBytes = transfer.portBytes;
  record.countedBytes = count.bytes;
  record.countedPortBytes = count.portBytes;
  record.conditional = transfer.conditional;
  return record;
}

/// Transfers that no input's stage carries (outputs) stand with the first stage from their
/// far level, whose bandwidth they share.
static bool belongsTo(const Transfer &transfer, const StageMatch &stage,
                      ArrayRef<StageMatch> stages) {
  auto matches = [&](const StageMatch &candidate) {
    return candidate.from == transfer.from && candidate.to == transfer.to;
  };
  if (const StageMatch *exact = llvm::find_if(stages, matches); exact != stages.end())
    return exact == &stage;
  tile::Level far = std::min(transfer.from, transfer.to);
  const StageMatch *first =
      llvm::find_if(stages, [&](const StageMatch &candidate) { return candidate.from == far; });
  return first == &stage;
}

static StageRecord recordStage(const StageMatch &stage) {
  StageRecord record;
  static_cast<StageFigures &>(record) = stage;
  record.from = stringifyLevel(stage.from).str();
  record.to = stringifyLevel(stage.to).str();
  return record;
}

/// The advice that raises the reuse of a stage that starves, by changes of `kinds`.
static std::vector<SuggestionRecord> suggestFor(const StageMatch &stage, ArrayRef<Advice> advice, ArrayRef<Change::Kind> kinds) {
  std::vector<SuggestionRecord> suggestions;
  for (const Advice &each : advice) {
    if (llvm::none_of(kinds, [&](Change::Kind kind) { return each.has(kind); }))
      continue;
    SuggestionRecord &record = suggestions.emplace_back(recordSuggestion(each));
    for (const StageMatch &changed : each.match.stages)
      if (changed.from == stage.from && changed.to == stage.to)
        record.reuse = changed.guaranteedReuse;
  }
  return suggestions;
}

std::string Advice::text() const {
  return llvm::join(llvm::map_range(changes, [](const Change &change) { return change.text; }), " and ");
}

bool Advice::has(Change::Kind kind) const {
  return llvm::any_of(changes, [&](const Change &change) { return change.kind == kind; });
}

static WarpRequestRecord recordSite(const AccessSite &site, ArrayRef<int64_t> threads,
                                    ArrayRef<int64_t> addresses) {
  WarpRequestRecord record;
  record.operand = site.name;
  record.location = locationText(site.op);
  record.access = site.writes ? "write" : "read";
  record.bytesPerLane = site.bytesPerLane();
  record.threads.assign(threads.begin(), threads.end());
  record.addresses.assign(addresses.begin(), addresses.end());
  return record;
}

static void setTotals(WarpRequestRecord &record, const AccessSite &site,
                      const std::optional<RequestTotals> &total) {
  record.conditional = site.conditional;
  if (!total)
    return;
  record.requests = total->requests;
  record.total = total->cost;
  record.idealTotal = total->ideal;
}

static void setCounts(WarpRequestRecord &record, const RequestCount &count) {
  record.countedRequests = count.requests;
  record.countedTotal = count.cost;
}

static std::pair<int64_t, int64_t> getCost(const BankAccess &access) { return {access.wavefronts, access.idealWavefronts}; }
static std::pair<int64_t, int64_t> getCost(const GlobalAccess &access) { return {access.sectors, access.idealSectors}; }

/// An entry for each access, its parts added up; `record` is given it and the access. `counts` are those of a run, or none.
template <typename Access, typename Record>
static void recordAccesses(std::vector<WarpRequestRecord> &records, const std::vector<Access> &all, ArrayRef<RequestCount> counts, Record record) {
  for (auto [number, access] : llvm::enumerate(all)) {
    auto isPart = [&access = access](const Access &other) { return arePartsOfOne(access.site, other.site); };
    if (llvm::any_of(ArrayRef(all).take_front(number), isPart)) // It has been added to the first.
      continue;
    WarpRequestRecord &entry = records.emplace_back(recordSite(access.site, access.threads, access.addresses));
    std::tie(entry.count, entry.ideal) = getCost(access);
    std::optional<RequestTotals> total = access.total;
    for (const Access &other : ArrayRef(all).drop_front(number + 1))
      if (total && isPart(other))
        total = other.total ? std::optional(*total + *other.total) : std::nullopt;
    setTotals(entry, access.site, total);
    if (!counts.empty())
      setCounts(entry, counts[number]);
    record(entry, access);
  }
}

static void recordRequests(KernelRecord &record, const Analyses &analyses) {
  recordAccesses(record.banks, analyses.banks, analyses.wavefronts, [&](WarpRequestRecord &entry, const BankAccess &access) {
    if (auto better = analyses.layouts.find(access.site.root); better != analyses.layouts.end()) {
      entry.layout = better->second.layout.str();
      entry.layoutTotal = better->second.after.wavefronts;
    }
  });
  auto nothing = [](WarpRequestRecord &, const GlobalAccess &) {};
  recordAccesses(record.coalescing, analyses.coalescing, analyses.sectors, nothing);
  recordAccesses(record.constants, analyses.constants, analyses.constantAccesses, nothing);
}

static WaveRecord recordWave(const Wave &wave, std::string name) {
  return {std::move(name), wave.blocks, wave.requestedBytes, wave.uniqueBytes, wave.factor()};
}

static OrderRecord recordOrder(const RasterAnalysis &raster, double dramBytes) {
  OrderRecord record;
  record.order = raster.order.str();
  record.requestedBytes = raster.all.requestedBytes;
  record.uniqueBytes = raster.all.uniqueBytes;
  record.factor = raster.all.factor();
  record.workingSetBytes = raster.workingSetBytes;
  record.dramBytes = std::llround(dramBytes);
  for (auto [i, wave] : llvm::enumerate(raster.waves)) {
    bool last = i > 0 && i + 1 == raster.waves.size();
    record.waves.push_back(recordWave(wave, i == 0 ? "first" : last ? "last" : "steady"));
  }
  return record;
}

static RasterRecord recordRaster(const Prediction &prediction) {
  RasterRecord record;
  record.own = recordOrder(*prediction.raster, prediction.dramBytes);
  record.best = record.own.order;
  record.bestDramBytes = record.own.dramBytes;
  // By what blocks that run together share, whatever L2 keeps of it.
  double own = prediction.raster->all.factor(), best = own;
  for (const OrderPrediction &other : prediction.otherOrders) {
    record.others.push_back(recordOrder(other.raster, other.dramBytes));
    if (other.raster.all.factor() <= best)
      continue;
    best = other.raster.all.factor();
    record.best = record.others.back().order;
    record.bestDramBytes = record.others.back().dramBytes;
  }
  record.gain = best / own;
  return record;
}

/// The caches between DRAM and the stage's consumer: L2, and L1 on the way to registers.
static void recordCaches(StageRecord &record, const StageMatch &stage, const Analyses &analyses,
                         const MachineSpec &machine) {
  double l1Bytes = 0, l2Bytes = 0;
  for (const Transfer &transfer : analyses.traffic.transfers)
    if (transfer.role == Role::Input && transfer.from == stage.from && transfer.to == stage.to) {
      l1Bytes += static_cast<double>(transfer.sentBytes());
      l2Bytes += static_cast<double>(transfer.sentBytes()) / transfer.readsInBlock;
    }
  std::optional<double> l1, l2;
  if (const std::optional<ComputeUnit> &unit = analyses.match.unit) {
    double clock = machine.clockGHz(unit->unit, unit->type);
    l1 = machine.bytesPerCyclePerSM(MemoryLevel::L1, clock);
    l2 = machine.bytesPerCyclePerSM(MemoryLevel::L2, clock);
  }
  ViaRecord &viaL2 = record.via.emplace_back();
  viaL2.level = "l2";
  viaL2.bytes = static_cast<int64_t>(l2Bytes);
  viaL2.bytesPerCycle = l2;
  viaL2.hitRate = 1 - 1 / analyses.prediction.sharing;
  for (const CacheMatch &cache : stage.caches) {
    viaL2.requiredReuse = cache.requiredReuse;
    viaL2.guaranteedReuse = cache.guaranteedReuse;
    if (cache.requiredReuse)
      viaL2.satisfied = cache.satisfied;
    if (!cache.satisfied)
      viaL2.suggestions = suggestFor(stage, analyses.advice, {Change::Kind::BlockTile});
  }
  if (stage.to != tile::Level::RF || l1Bytes == 0)
    return;
  ViaRecord &viaL1 = record.via.emplace_back();
  viaL1.level = "l1";
  viaL1.bytes = static_cast<int64_t>(l1Bytes);
  viaL1.bytesPerCycle = l1;
  viaL1.hitRate = 1 - l2Bytes / l1Bytes;
}

static void recordPrediction(KernelRecord &record, const Analyses &analyses,
                             const MachineSpec &machine) {
  const Prediction &prediction = analyses.prediction;
  record.resources.blocksPerSM = prediction.occupancy.blocksPerSM;
  record.resources.occupancyLimit = prediction.occupancy.limitedBy;
  if (prediction.cutTail)
    record.resources.workspaceBytes = prediction.cutTail->workspaceBytes;
  if (prediction.tail.waves > 0)
    record.resources.waves = prediction.tail.waves;
  if (prediction.raster)
    record.raster = recordRaster(prediction);
  if (prediction.raster)
    for (auto [stage, match] : llvm::zip_equal(record.stages, analyses.match.stages))
      if (match.from == tile::Level::DRAM && match.guaranteedReuse) {
        stage.opportunisticReuse = prediction.opportunisticReuse;
        recordCaches(stage, match, analyses, machine);
      }
  // Nothing runs where the machine is too small.
  if (!analyses.violations.empty() || !prediction.cycles)
    return;
  record.predicted = {prediction.cycles, prediction.seconds, prediction.tflops,
                      prediction.fractionOfPeak, std::nullopt, std::nullopt};
  for (const ResourceTime &time : prediction.times)
    if (time.resource == "dram" && prediction.seconds && *prediction.cycles > 0) {
      record.predicted.dramBytesPerSecond = prediction.dramBytes / *prediction.seconds;
      record.predicted.fractionOfBandwidth = time.cycles / *prediction.cycles;
    }
  record.leastCycles = prediction.leastCycles;
  for (const ResourceTime &time : prediction.times)
    record.resourceTimes.push_back({time.resource, time.cycles});
  record.dramBytes = prediction.dramBytes;
  record.l2Bytes = prediction.l2Bytes;
  record.limiter = prediction.limiter;
  record.limiterReason = prediction.limiterReason;
  for (const std::string &path : prediction.standIns)
    if (std::optional<StatedNumber> number = findNumber(machine, path))
      record.standIns.push_back({path, number->value, number->unit, StringRef(number->source).split(": ").second.str()});
}

static void recordAdvice(KernelRecord &record, const Analyses &analyses) {
  for (const Advice &advice : analyses.advice) {
    AdviceRecord &entry = record.advice.emplace_back();
    entry.suggestion = recordSuggestion(advice);
    entry.seconds = advice.seconds;
    entry.nest = advice.nest;
    for (const Change &change : advice.changes)
      entry.changes.push_back({change.text, toString(change.kind).str(), {change.values.begin(), change.values.end()}});
    if (record.latency && !record.latency->suggestedDepth && advice.changes.size() == 1 && advice.has(Change::Kind::Pipeline))
      record.latency->suggestedDepth = advice.changes.front().values.front();
  }
  for (auto [stage, match] : llvm::zip_equal(record.stages, analyses.match.stages))
    if (!match.satisfied)
      stage.suggestions = match.from == tile::Level::DRAM
                              ? suggestFor(match, analyses.advice, {Change::Kind::BlockTile, Change::Kind::Raster})
                              : suggestFor(match, analyses.advice, {Change::Kind::ThreadTile});
}

/// What binds, and what would help most.
static std::string makeHeadline(const KernelRecord &record, const Analyses &analyses) {
  if (!analyses.violations.empty())
    return "The machine cannot run this kernel: " + analyses.violations.front().message + ".";
  if (!record.predicted.cycles)
    return analyses.prediction.occupancy.blocksPerSM == 0 && analyses.match.unit
               ? "The machine cannot run this kernel: an SM holds no block of it, for want of " + analyses.prediction.occupancy.limitedBy + "."
               : "Nothing is computed, or its rate on this machine is not known: bytes decide.";
  std::string text = "Limited by " + record.limiter + ": " + record.limiterReason;
  if (!analyses.advice.empty())
    text += "; " + describeGain(analyses.advice.front());
  return text + ".";
}

static void recordDiagnostics(KernelRecord &record, const Analyses &analyses) {
  for (const Finding &finding : findProblems(analyses)) {
    DiagnosticRecord &diagnostic = record.diagnostics.emplace_back();
    diagnostic.severity = finding.severity == DiagnosticSeverity::Error ? "error" : "warning";
    diagnostic.location = locationText(finding.op);
    diagnostic.message = finding.message;
    for (const auto &[op, message] : finding.notes)
      diagnostic.notes.push_back({locationText(op), message});
    diagnostic.fixes = finding.fixes;
  }
}

KernelRecord tilec::report::buildRecord(const Analyses &analyses, const MachineSpec &machine) {
  tile::KernelOp kernel = analyses.model.kernel;
  const ThroughputMatch &match = analyses.match;
  KernelRecord record;
  record.kernel = kernel.getSymName().str();
  record.machine = machine.name;
  record.arch = machine.arch;
  for (BlockArgument argument : kernel.getBody().getArguments())
    if (argument.getType().isIndex())
      record.shape.emplace_back(nameOf(argument),
                                analyses.model.arguments[argument.getArgNumber()]);
  if (kernel.getDataflow())
    record.dataflow = stringifyDataflow(*kernel.getDataflow()).str();
  if (match.unit) {
    record.unit = toString(match.unit->unit);
    record.elementType = toString(match.unit->type);
  }
  static_cast<RooflineFigures &>(record.roofline) = match.roofline;
  if (match.roofline.fmaPerByte && match.roofline.machineFmaPerByte)
    record.roofline.verdict = match.roofline.computeBound ? "compute" : "memory";
  record.limiter = match.limiter;
  record.computeCycles = match.computeCycles;
  for (const StageMatch &stage : match.stages) {
    StageRecord &entry = record.stages.emplace_back(recordStage(stage));
    for (auto [number, transfer] : llvm::enumerate(analyses.traffic.transfers))
      if (belongsTo(transfer, stage, match.stages))
        entry.operands.push_back(recordOperand(
            transfer, analyses.counts.empty() ? TransferCount() : analyses.counts[number]));
    if (analyses.prediction.cutTail)
      for (auto [number, transfer] : llvm::enumerate(analyses.prediction.cutTail->transfers))
        if (belongsTo(transfer, stage, match.stages))
          entry.operands.push_back(recordOperand(
              transfer, analyses.tailCounts.empty() ? TransferCount() : analyses.tailCounts[number]));
  }
  record.resources.smemBytes = analyses.resources.smemBytes;
  record.resources.smemLimit = machine.limits.smemPerBlock.value;
  record.resources.threadsPerBlock = analyses.resources.threadsPerBlock;
  record.resources.registersEstimated = analyses.prediction.registers;
  recordPrediction(record, analyses, machine);
  if (const std::optional<LatencyMatch> &latency = analyses.latency)
    record.latency = {latency->latencyCycles, latency->tileBytes,     latency->depth,
                      latency->tileCycles,    latency->neededBytes,   latency->inFlightBytes,
                      latency->hidden,        std::nullopt};
  if (const std::optional<LowerBound> &bound = analyses.lowerBound)
    record.lowerBound = {bound->capacityBytes, bound->exponent, bound->bytes,
                         bound->movedBytes,    bound->distance, bound->formula};
  recordRequests(record, analyses);
  recordDiagnostics(record, analyses);
  recordAdvice(record, analyses);
  record.headline = makeHeadline(record, analyses);
  return record;
}
