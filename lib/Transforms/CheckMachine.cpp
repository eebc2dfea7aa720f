//===- CheckMachine.cpp - tile-check-machine --------------------*- C++ -*-===//
//
// Diagnostics for what the analyses find.
//
//===----------------------------------------------------------------------===//

#include "AnalyzeModule.h"

#include "tilec/Report/Findings.h"
#include "tilec/Transforms/Passes.h"

namespace tilec {
#define GEN_PASS_DEF_CHECKMACHINEPASS
#include "tilec/Transforms/Passes.h.inc"
} // namespace tilec

using namespace mlir;
using namespace tilec;
using namespace tilec::analysis;

namespace {
struct CheckMachine : tilec::impl::CheckMachinePassBase<CheckMachine> {
  using Base::Base;

  void runOnOperation() override {
    bool rejected = false;
    LogicalResult result =
        analyzeModule(getOperation(), [&](const report::Analyses &analyses) {
          for (report::Finding &finding : report::findProblems(analyses)) {
            if (werror)
              finding.severity = DiagnosticSeverity::Error;
            report::emit(finding);
            rejected |= finding.severity == DiagnosticSeverity::Error;
          }
        });
    if (failed(result) || rejected)
      signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace
