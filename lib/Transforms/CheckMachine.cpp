//===- CheckMachine.cpp - tile-check-machine --------------------*- C++ -*-===//
//
// Diagnostics for what the analyses find.
//
//===----------------------------------------------------------------------===//

#include "AnalyzeModule.h"

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
        analyzeModule(getOperation(), target, shape, [&](const report::Analyses &analyses) {
          for (const Violation &violation : analyses.violations) {
            InFlightDiagnostic error = violation.op->emitError(violation.message);
            for (const auto &[op, message] : violation.notes)
              error.attachNote(op->getLoc()) << message;
            rejected = true;
          }
          for (const BankAccess &access : analyses.banks)
            if (access.wavefronts > access.idealWavefronts)
              access.site.op->emitWarning(describe(access));
          for (const GlobalAccess &access : analyses.coalescing)
            if (access.sectors > access.idealSectors)
              access.site.op->emitRemark(describe(access));
          if (!analyses.match.roofline.computeBound)
            return;
          for (const StageMatch &stage : analyses.match.stages)
            if (!stage.satisfied)
              report(analyses, stage, rejected);
        });
    if (failed(result) || rejected)
      signalPassFailure();
    markAllAnalysesPreserved();
  }

private:
  /// At the first op that carries the stage.
  void report(const report::Analyses &analyses, const StageMatch &stage, bool &rejected) {
    Operation *op = analyses.model.kernel;
    for (const Transfer &transfer : llvm::reverse(analyses.traffic.transfers))
      if (transfer.role == Role::Input && transfer.from == stage.from && transfer.to == stage.to)
        op = transfer.op;
    std::string message = report::describeStarvation(stage);
    if (!werror) {
      op->emitWarning(message);
      return;
    }
    op->emitError(message);
    rejected = true;
  }
};
} // namespace
