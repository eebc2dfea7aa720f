//===- Findings.cpp - What analyses have to say about a nest ----*- C++ -*-===//
//
// In the order of the checks: what cannot run, what starves, what waits.
//
//===----------------------------------------------------------------------===//

#include "tilec/Report/Findings.h"

#include "mlir/IR/Builders.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::analysis;
using namespace tilec::report;

std::string tilec::report::locationText(Operation *op) {
  std::string text;
  llvm::raw_string_ostream os(text);
  Location location = op->getLoc();
  if (auto file = location->findInstanceOf<FileLineColLoc>())
    os << file.getFilename().strref() << ':' << file.getLine() << ':' << file.getColumn();
  else
    os << location;
  return text;
}

static std::string fixed(double value, const char *format = "%.2fx") {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format(format, value);
  return text;
}

SuggestionRecord tilec::report::recordSuggestion(const Advice &advice) {
  SuggestionRecord record;
  record.change = advice.text();
  record.kind = "combination";
  if (const Change &change = advice.changes.front(); advice.changes.size() == 1) {
    record.kind = toString(change.kind).str();
    record.values.assign(change.values.begin(), change.values.end());
  }
  record.timeShare = advice.share;
  return record;
}

std::string tilec::report::describeGain(const Advice &advice) {
  return advice.text() + " would take " + fixed(advice.share, "%.2f") + " of the time";
}

namespace {

class Finder {
public:
  explicit Finder(const Analyses &analyses) : analyses(analyses) {}

  std::vector<Finding> run() {
    for (const Violation &violation : analyses.violations)
      found.push_back(
          {DiagnosticSeverity::Error, violation.op, violation.message, violation.notes, {}});
    limiter = analyses.prediction.cycles ? analyses.prediction.limiter : analyses.match.limiter;
    if (analyses.match.roofline.computeBound)
      for (const StageMatch &stage : analyses.match.stages)
        addStarvation(stage);
    if (analyses.latency && !analyses.latency->hidden && limiter == "latency")
      addLatency(*analyses.latency);
    for (const ResourceTime &time : analyses.prediction.times)
      smemCycles = time.resource == "smem" ? time.cycles : smemCycles;
    for (const BankAccess &access : analyses.banks)
      wavefronts += access.total ? static_cast<double>(access.total->cost) : 0;
    for (const BankAccess &access : analyses.banks)
      addConflict(access);
    int64_t sectors = 0;
    for (const GlobalAccess &access : analyses.coalescing)
      sectors += access.total ? access.total->cost : 0;
    for (const GlobalAccess &access : analyses.coalescing)
      addScattered(access, sectors);
    for (const GlobalAccess &access : analyses.constants)
      addSerialised(access);
    return std::move(found);
  }

private:
  /// Adds the advice that has changes of `kinds`.
  void addFixes(Finding &finding, ArrayRef<Change::Kind> kinds) {
    for (const Advice &advice : analyses.advice) {
      if (llvm::none_of(kinds, [&](Change::Kind kind) { return advice.has(kind); }))
        continue;
      finding.message += (finding.fixes.empty() ? "; " : " or ") + describeGain(advice);
      finding.fixes.push_back(recordSuggestion(advice));
    }
  }

  static std::string describeReuse(std::optional<double> required, std::optional<double> guaranteed) {
    return " needs " + fixed(required.value_or(0)) + " reuse, has " + fixed(guaranteed.value_or(0)) + " guaranteed";
  }

  /// Where a stage, or L2 on its way, starves the units and limits the kernel: at the op that moves the input with the least reuse.
  void addStarvation(const StageMatch &stage) {
    bool dram = stage.from == tile::Level::DRAM;
    std::string message = (stringifyLevel(stage.from) + " -> " + stringifyLevel(stage.to)).str();
    if (!stage.satisfied && (dram ? limiter == "dram" : limiter == "smem" || limiter == "l1"))
      message += describeReuse(stage.requiredReuse, stage.guaranteedReuse);
    else if (limiter == "l2" && !stage.caches.empty() && !stage.caches.front().satisfied)
      message += " via l2" + describeReuse(stage.caches.front().requiredReuse, stage.caches.front().guaranteedReuse);
    else
      return;
    Finding &finding = found.emplace_back();
    finding.op = analyses.model.kernel;
    for (const Transfer &transfer : llvm::reverse(analyses.traffic.transfers))
      if (transfer.role == Role::Input && transfer.from == stage.from &&
          transfer.to == stage.to && transfer.name == stage.limitingOperand)
        finding.op = transfer.op;
    finding.message = message;
    if (!dram)
      return addFixes(finding, {Change::Kind::ThreadTile});
    addFixes(finding, {Change::Kind::BlockTile, Change::Kind::Raster});
    if (const std::optional<double> &reuse = analyses.prediction.opportunisticReuse) {
      bool enough = *reuse >= stage.requiredReuse.value_or(0);
      finding.notes.emplace_back(finding.op, "what threads and blocks share in L1 and L2 makes it " + fixed(*reuse) +
                                                 " (opportunistic), which is " + (enough ? "enough" : "not enough"));
    }
  }

  void addLatency(const LatencyMatch &latency) {
    Finding &finding = found.emplace_back();
    finding.op = latency.op;
    finding.message = "dram -> smem: " + fixed(latency.latencyCycles, "%.0f") +
                      " cycles of latency take " + fixed(latency.neededBytes, "%.0f") +
                      " bytes under way on an SM, " + fixed(latency.inFlightBytes, "%.0f") + " are";
    addFixes(finding, {Change::Kind::Pipeline});
  }

  /// Where the wavefronts that are lost would take a twentieth of the kernel's time.
  void addConflict(const BankAccess &access) {
    if (!access.total || !analyses.prediction.cycles)
      return;
    double lost = static_cast<double>(access.total->cost - access.total->ideal) / std::max(wavefronts, 1.0);
    if (lost * smemCycles * 20 < *analyses.prediction.cycles || lost <= 0)
      return;
    Finding &finding = found.emplace_back();
    finding.op = access.site.op;
    finding.message = describe(access);
    addFixes(finding, {Change::Kind::Layout});
    if (auto better = analyses.layouts.find(access.site.root); better != analyses.layouts.end())
      finding.notes.emplace_back(analyses.model.tiles[access.site.root].op,
                                 "all accesses to this tile take " + std::to_string(better->second.before.wavefronts) + " wavefronts, " +
                                     std::to_string(better->second.after.wavefronts) + " with layout \"" + better->second.layout.str() + "\"");
  }

  /// Where at least half of each sector is left by one execution, and that is a twentieth or more of
  /// the kernel's `sectors`.
  void addScattered(const GlobalAccess &access, int64_t sectors) {
    if (!access.leavesHalf() || (access.total->cost - access.total->ideal) * 20 < sectors)
      return;
    Finding &finding = found.emplace_back();
    finding.op = access.site.op;
    finding.message = describe(access);
    if (access.inOrder && access.inOrder->second * 2 <= access.sectors)
      finding.message += " (" + std::to_string(access.inOrder->second) + " if consecutive threads took elements along dimension " +
                         std::to_string(access.inOrder->first) + ")";
    addFixes(finding, {Change::Kind::ThreadOrder});
  }

  /// Where lanes of a warp ask constant memory for different elements on the whole.
  void addSerialised(const GlobalAccess &access) {
    if (!access.total || access.total->cost < 2 * access.total->ideal || access.total->cost == 0)
      return;
    Finding &finding = found.emplace_back();
    finding.op = access.site.op;
    finding.message = describe(access) + "; in dram they would come together";
  }

  const Analyses &analyses;
  std::string limiter;
  /// Of all accesses to shared memory, and the cycles that an SM's is busy with them.
  double wavefronts = 0, smemCycles = 0;
  std::vector<Finding> found;
};

} // namespace

std::vector<Finding> tilec::report::findProblems(const Analyses &analyses) {
  return Finder(analyses).run();
}

void tilec::report::emit(const Finding &finding) {
  Location location = finding.op->getLoc();
  InFlightDiagnostic diagnostic = finding.severity == DiagnosticSeverity::Error
                                      ? emitError(location, finding.message)
                                      : emitWarning(location, finding.message);
  for (const auto &[op, note] : finding.notes)
    diagnostic.attachNote(op->getLoc()) << note;
  Builder builder(finding.op->getContext());
  if (finding.severity != DiagnosticSeverity::Error)
    diagnostic.getUnderlyingDiagnostic()->getMetadata().emplace_back(builder.getUnitAttr());
  for (const SuggestionRecord &fix : finding.fixes)
    diagnostic.getUnderlyingDiagnostic()->getMetadata().emplace_back(builder.getDictionaryAttr(
        {builder.getNamedAttr("kind", builder.getStringAttr(fix.kind)),
         builder.getNamedAttr("change", builder.getStringAttr(fix.change)),
         builder.getNamedAttr("values", builder.getI64ArrayAttr(fix.values))}));
}
