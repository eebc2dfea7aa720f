//===- Report.cpp - The report of a kernel on its way -----------*- C++ -*-===//

#include "Report.h"

#include "Advise.h"

#include "tilec/Report/Findings.h"
#include "tilec/Report/Remarks.h"
#include "tilec/Transforms/ModuleTarget.h"
#include "llvm/Support/FormatVariadic.h"

using namespace tilec;

static report::KernelRecord recordOf(tile::KernelOp kernel, const report::Analyses &analyses, const CompileOptions &options,
                                     const MachineSpec &machine) {
  report::KernelRecord record = report::buildRecord(analyses, machine);
  for (mlir::BlockArgument size : getOpenSizes(kernel))
    record.shapeByDefault.push_back(analysis::nameOf(size));
  if (!options.arch.empty())
    record.arch = options.arch;
  return record;
}

mlir::FailureOr<report::KernelRecord> tilec::analyzeForReport(tile::KernelOp kernel, tile::KernelOp written, const CompileOptions &options,
                                                              const MachineSpec &machine, std::vector<report::Advice> &advice) {
  mlir::FailureOr<report::Analyses> analyses = report::analyzeKernel(kernel, getArguments(kernel), machine);
  if (failed(analyses))
    return mlir::failure();
  const bool called = isCalledFor(kernel);
  if (options.advise && called) {
    report::findLayouts(*analyses, machine);
    analyses->advice = advice = adviseOn(written, *analyses, machine);
  }
  // What is slow at sizes that the kernel is not called for is nobody's problem.
  for (const report::Finding &finding : report::findProblems(*analyses))
    if (called || finding.severity == mlir::DiagnosticSeverity::Error)
      report::emit(finding);
  report::emitRemarks(*analyses);
  if (!analyses->violations.empty())
    return mlir::failure();
  return recordOf(kernel, *analyses, options, machine);
}

mlir::FailureOr<report::KernelRecord> tilec::analyzeAgain(tile::KernelOp kernel, const CompileOptions &options, const MachineSpec &machine,
                                                          int64_t registers, const std::vector<report::Advice> &advice) {
  mlir::FailureOr<report::Analyses> analyses = report::analyzeKernel(kernel, getArguments(kernel), machine, registers);
  if (failed(analyses) || !analyses->violations.empty())
    return mlir::failure();
  if (options.advise)
    report::findLayouts(*analyses, machine);
  analyses->advice = advice;
  return recordOf(kernel, *analyses, options, machine);
}

std::vector<std::string> tilec::summarizeRecord(const report::KernelRecord &record) {
  std::vector<std::string> lines;
  std::string shape;
  for (const auto &[name, extent] : record.shape)
    shape += llvm::formatv("{0}{1} = {2}", shape.empty() ? "" : ", ", name, extent).str();
  if (!record.limiter.empty())
    lines.push_back("limited by " + record.limiter + (shape.empty() ? "" : " at " + shape));
  for (const report::StageRecord &stage : record.stages) {
    std::string tiles;
    for (const report::OperandRecord &operand : stage.operands) {
      if (operand.role != "input")
        continue;
      tiles += (tiles.empty() ? "" : ", ") + operand.name + " ";
      for (auto [i, extent] : llvm::enumerate(operand.tile))
        tiles += (i ? "x" : "") + std::to_string(extent);
    }
    std::string line = stage.from + " -> " + stage.to + (tiles.empty() ? "" : ": tiles " + tiles);
    if (stage.requiredReuse && stage.guaranteedReuse)
      line += llvm::formatv("; reuse {0:f2}, needed {1:f2}", *stage.guaranteedReuse, *stage.requiredReuse).str();
    lines.push_back(line);
  }
  return lines;
}

/// The record as an element of the report's "kernels", from the document of this kernel alone.
static std::string printElement(const report::KernelRecord &record) {
  report::Record document;
  document.kernels = {record};
  std::string text = report::printJson(document);
  constexpr llvm::StringLiteral start = "\"kernels\": [";
  llvm::StringRef rest = text;
  rest = rest.drop_front(rest.find(start) + start.size());
  return rest.take_front(rest.rfind(']')).trim().str();
}

void tilec::finishReport(report::KernelRecord record, CompiledKernel &kernel) {
  if (!kernel.cuda.empty()) {
    record.arch = kernel.arch;
    record.symbol = kernel.launch.symbol;
  }
  if (kernel.resources) {
    record.resources.registers = kernel.resources->registers;
    record.resources.spillBytes = kernel.resources->spillBytes;
  }
  report::Record document;
  document.kernels = {record};
  kernel.reportText = report::printText(document);
  kernel.reportJson = printElement(record);
}
