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
  /// Changes that were analysed and would do.
  std::vector<SuggestionRecord> fixes;
};

/// Errors: what the machine does not allow. Warnings: levels that starve a compute-bound kernel,
/// latency that deeper pipelines would hide, bank conflicts that another layout would (where
/// findLayouts has looked), and requests for scattered sectors. In this order.
std::vector<Finding> findProblems(const Analyses &analyses);

/// Emits `finding`. Its fixes are the diagnostic's metadata: one dictionary each, with "kind",
/// "change" and "values"; a unit attribute there says that it is one of performance.
void emit(const Finding &finding);

/// The position of `op` as file:line:column.
std::string locationText(mlir::Operation *op);

/// `suggestion` as the report has it.
SuggestionRecord recordSuggestion(const analysis::Suggestion &suggestion);

} // namespace tilec::report

#endif // TILEC_REPORT_FINDINGS_H
