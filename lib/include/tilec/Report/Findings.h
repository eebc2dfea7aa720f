//===- Findings.h - What analyses have to say about a nest -------*- C++ -*-===//
//
// One list for the command, the pass and the report: what is wrong, at the op
// that causes it, with the changes that would do.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_REPORT_FINDINGS_H
#define TILEC_REPORT_FINDINGS_H

#include "tilec/Report/BuildRecord.h"

namespace tilec::report {

/// One thing to tell the author of a nest.
struct Finding {
  mlir::DiagnosticSeverity severity = mlir::DiagnosticSeverity::Warning;
  mlir::Operation *op = nullptr;
  std::string message;
  std::vector<std::pair<mlir::Operation *, std::string>> notes;
  /// Changes that were tried and pay.
  std::vector<SuggestionRecord> fixes;
};

/// Errors: what the machine does not allow. Warnings: levels that starve the units where they limit the kernel, latency that is
/// not hidden where that does, bank conflicts and requests for scattered sectors that cost a twentieth of the kernel's time
/// or sectors. In this order. They do not depend on analyses.advice, which adds fixes.
std::vector<Finding> findProblems(const Analyses &analyses);

/// Emits `finding`. Its fixes are the diagnostic's metadata: one dictionary each, with "kind",
/// "change" and "values"; a unit attribute there says that it is one of performance.
void emit(const Finding &finding);

/// The position of `op` as file:line:column.
std::string locationText(mlir::Operation *op);

/// `advice` as the report has it, without a stage's reuse.
SuggestionRecord recordSuggestion(const Advice &advice);

/// "block tile 64x64 would take 0.76 of the time"
std::string describeGain(const Advice &advice);

} // namespace tilec::report

#endif // TILEC_REPORT_FINDINGS_H
