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

SuggestionRecord tilec::report::recordSuggestion(const Suggestion &suggestion) {
  return {suggestion.change, suggestion.reuse, toString(suggestion.kind).str(),
          {suggestion.values.begin(), suggestion.values.end()}};
}

static std::string fixed(double value, const char *format = "%.2fx") {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format(format, value);
  return text;
}

std::string tilec::report::describeStarvation(const StageMatch &stage) {
  std::string text = (stringifyLevel(stage.from) + " -> " + stringifyLevel(stage.to)).str() +
                     " needs " + fixed(stage.requiredReuse.value_or(0)) + " reuse, has " +
                     fixed(stage.guaranteedReuse.value_or(0)) + " guaranteed";
  for (auto [i, suggestion] : llvm::enumerate(stage.suggestions))
    text += (i ? " or " : "; ") + suggestion.change + " (" + fixed(suggestion.reuse) + ")";
  return stage.suggestions.empty() ? text : text + " would do";
}

namespace {

class Finder {
public:
  explicit Finder(const Analyses &analyses) : analyses(analyses) {}

  std::vector<Finding> run() {
    for (const Violation &violation : analyses.violations)
      found.push_back(
          {DiagnosticSeverity::Error, violation.op, violation.message, violation.notes, {}});
    if (analyses.match.roofline.computeBound)
      for (const StageMatch &stage : analyses.match.stages)
        if (!stage.satisfied)
          addStarvation(stage);
    if (analyses.latency && analyses.latency->suggestedDepth)
      addLatency(*analyses.latency);
    for (const BankAccess &access : analyses.banks)
      addConflict(access);
    int64_t sectors = 0;
    for (const GlobalAccess &access : analyses.coalescing)
      sectors += access.total ? access.total->cost : 0;
    for (const GlobalAccess &access : analyses.coalescing)
      addScattered(access, sectors);
    return std::move(found);
  }

private:
  /// At the op that moves the input with the least reuse.
  void addStarvation(const StageMatch &stage) {
    Finding &finding = found.emplace_back();
    finding.op = analyses.model.kernel;
    for (const Transfer &transfer : llvm::reverse(analyses.traffic.transfers))
      if (transfer.role == Role::Input && transfer.from == stage.from &&
          transfer.to == stage.to && transfer.name == stage.limitingOperand)
        finding.op = transfer.op;
    finding.message = describeStarvation(stage);
    for (const Suggestion &suggestion : stage.suggestions)
      finding.fixes.push_back(recordSuggestion(suggestion));
    if (stage.from != tile::Level::DRAM)
      return;
    const Prediction &prediction = analyses.prediction;
    if (prediction.opportunisticReuse) {
      bool enough = *prediction.opportunisticReuse >= stage.requiredReuse.value_or(0);
      finding.notes.emplace_back(finding.op, "what threads and blocks share in L1 and L2 makes it " +
                                                 fixed(*prediction.opportunisticReuse) +
                                                 " (opportunistic), which is " +
                                                 (enough ? "enough" : "not enough"));
    }
    if (const std::optional<Suggestion> &raster = analyses.raster) {
      finding.notes.emplace_back(analyses.model.loops.front().op,
                                 raster->change + " would raise what blocks share to " +
                                     fixed(raster->reuse));
      finding.fixes.push_back(recordSuggestion(*raster));
    }
  }

  void addLatency(const LatencyMatch &latency) {
    Finding &finding = found.emplace_back();
    finding.op = latency.op;
    finding.message = "dram -> smem: " + fixed(latency.latencyCycles, "%.0f") +
                      " cycles of latency take " + fixed(latency.neededBytes, "%.0f") +
                      " bytes under way on an SM, " + fixed(latency.inFlightBytes, "%.0f") +
                      " are; pipeline(" + std::to_string(*latency.suggestedDepth) + ") (" +
                      fixed(*latency.suggestedBytes, "%.0f") + " bytes) would do";
    finding.fixes.push_back({"pipeline(" + std::to_string(*latency.suggestedDepth) + ")",
                             *latency.suggestedBytes, "pipeline", {*latency.suggestedDepth}});
  }

  /// Where another layout of the tile would do better.
  void addConflict(const BankAccess &access) {
    auto better = analyses.layouts.find(access.site.root);
    if (access.wavefronts == access.idealWavefronts || better == analyses.layouts.end())
      return;
    const LayoutPlan &plan = better->second;
    std::string change = "layout \"" + plan.layout.str() + "\"";
    Finding &finding = found.emplace_back();
    finding.op = access.site.op;
    finding.message = describe(access) + "; " + change + " of the tile would " +
                      (plan.after.isConflictFree() ? "do" : "be better");
    finding.notes.emplace_back(analyses.model.tiles[access.site.root].op,
                               "all accesses to this tile take " +
                                   std::to_string(plan.before.wavefronts) + " wavefronts, " +
                                   std::to_string(plan.after.wavefronts) + " with that layout");
    finding.fixes.push_back({change, 0, "layout", {}});
  }

  /// Where at least half of each sector is left by one execution, and that is a twentieth or more of
  /// the kernel's `sectors`.
  void addScattered(const GlobalAccess &access, int64_t sectors) {
    if (!access.executionSectors || *access.executionSectors < 2 * access.idealExecutionSectors ||
        (access.total->cost - access.total->ideal) * 20 < sectors)
      return;
    Finding &finding = found.emplace_back();
    finding.op = access.site.op;
    finding.message = describe(access);
    if (access.inOrder && access.inOrder->second * 2 <= access.sectors) {
      auto [dim, best] = *access.inOrder;
      finding.message += "; if consecutive threads took elements along dimension " +
                         std::to_string(dim) + " it would be " + std::to_string(best);
      finding.fixes.push_back({"consecutive threads along dimension " + std::to_string(dim) +
                                   " of " + access.site.name,
                               0, "thread_order", {dim}});
      return;
    }
    // A copy to shared memory is that already.
    auto stage = dyn_cast<tile::StageOp>(access.site.op);
    if (stage && tile::getLevel(stage.getTile().getType()) == tile::Level::SMEM)
      return;
    finding.message += "; staged in shared memory it would be copied by whole sectors";
    finding.fixes.push_back({"stage " + access.site.name + " in smem", 0, "stage", {}});
  }

  const Analyses &analyses;
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
