//===- Remarks.cpp - Analyses as optimization remarks -----------*- C++ -*-===//
//
// Numbers are arguments of their own, so that tools need not read sentences.
//
//===----------------------------------------------------------------------===//

#include "tilec/Report/Remarks.h"

#include "mlir/IR/Remarks.h"
#include "tilec/Report/Findings.h"
#include "llvm/Support/Format.h"

#include <cmath>

using namespace mlir;
using namespace tilec;
using namespace tilec::analysis;
using namespace tilec::report;

namespace {

class Emitter {
public:
  explicit Emitter(const Analyses &analyses)
      : analyses(analyses), kernel(analyses.model.kernel), function(kernel.getSymName()) {}

  void run() {
    for (const Transfer &transfer : analyses.traffic.transfers)
      emitTraffic(transfer);
    for (const StageMatch &stage : analyses.match.stages)
      if (stage.satisfied && stage.requiredReuse && stage.guaranteedReuse)
        emitFed(stage);
    for (const GlobalAccess &access : analyses.coalescing)
      if (access.site.widestBytes)
        emitNarrowCopy(access.site);
    for (const Finding &finding : findProblems(analyses))
      emitProblem(finding);
    emitOccupancy();
    if (analyses.prediction.cycles && analyses.violations.empty())
      emitPrediction();
  }

private:
  /// Remarks have room for a file's position only.
  static Location positionOf(Operation *op) {
    if (auto file = op->getLoc()->findInstanceOf<FileLineColLoc>())
      return file;
    return op->getLoc();
  }

  remark::RemarkOpts named(StringRef name) const {
    return remark::RemarkOpts::name(name).category("tilec").function(function);
  }

  static std::string levels(StringRef from, tile::Level to) {
    return (from + " -> " + stringifyLevel(to)).str();
  }

  /// Four digits, whole numbers in full: the engine's own form is 8.000000e+00.
  static std::string figure(double value) {
    std::string text;
    llvm::raw_string_ostream(text) << llvm::format(std::fabs(value) < 10000 ? "%.4g" : "%.0f", value);
    return text;
  }

  void emitTraffic(const Transfer &transfer) {
    remark::detail::InFlightRemark out =
        remark::analysis(positionOf(transfer.op), named("Traffic"));
    out << remark::metric("Operand", StringRef(transfer.name))
        << remark::metric("Stage", levels(transfer.getSource(), transfer.to))
        << remark::metric("Bytes", transfer.bytes());
    if (transfer.portBytes)
      out << remark::metric("PortBytes", *transfer.portBytes);
    if (std::optional<double> reuse = transfer.localReuse())
      out << remark::metric("LocalReuse", figure(*reuse));
    if (std::optional<double> reuse = transfer.globalReuse())
      out << remark::metric("GlobalReuse", figure(*reuse));
  }

  void emitFed(const StageMatch &stage) {
    remark::passed(positionOf(kernel), named("StageFed"))
        << remark::add("{0} feeds the units", levels(stringifyLevel(stage.from), stage.to))
        << remark::metric("RequiredReuse", figure(*stage.requiredReuse))
        << remark::metric("GuaranteedReuse", figure(*stage.guaranteedReuse));
  }

  void emitNarrowCopy(const AccessSite &site) {
    std::string widest = *site.widestBytes == 0 ? "boxes by tma" : std::to_string(*site.widestBytes) + " bytes";
    remark::missed(positionOf(site.op), named("NarrowCopy"))
        << remark::metric("Operand", StringRef(site.name)) << remark::metric("Bytes", site.bytesPerLane())
        << remark::reason("copies {0} bytes at a time instead of {1}: strides, extents or addresses of this launch are not multiples of {2} bytes",
                          site.bytesPerLane(), widest, *site.widestBytes == 0 ? 16 : *site.widestBytes);
  }

  void emitProblem(const Finding &finding) {
    Location location = positionOf(finding.op);
    bool impossible = finding.severity == DiagnosticSeverity::Error;
    remark::detail::InFlightRemark out = impossible ? remark::failed(location, named("MachineLimit"))
                                                    : remark::missed(location, named("Problem"));
    out << remark::reason("{0}", finding.message);
    for (const SuggestionRecord &fix : finding.fixes)
      out << remark::suggest("{0}", fix.change);
  }

  void emitOccupancy() {
    const Prediction &prediction = analyses.prediction;
    remark::analysis(positionOf(kernel), named("Occupancy"))
        << remark::metric("BlocksPerSM", prediction.occupancy.blocksPerSM)
        << remark::metric("LimitedBy", prediction.occupancy.limitedBy)
        << remark::metric("Waves", figure(prediction.tail.waves))
        << remark::metric("TailEfficiency", figure(prediction.tail.efficiency));
  }

  void emitPrediction() {
    remark::detail::InFlightRemark out = remark::analysis(positionOf(kernel), named("PredictedTime"));
    out << remark::metric("Cycles", figure(*analyses.prediction.cycles));
    for (const ResourceTime &time : analyses.prediction.times)
      out << remark::metric(time.resource, figure(time.cycles));
  }

  const Analyses &analyses;
  tile::KernelOp kernel;
  std::string function;
};

} // namespace

void tilec::report::emitRemarks(const Analyses &analyses) {
  tile::KernelOp kernel = analyses.model.kernel;
  if (kernel->getContext()->getRemarkEngine())
    Emitter(analyses).run();
}
