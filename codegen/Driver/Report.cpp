//===- Report.cpp - The report of a kernel on its way -----------*- C++ -*-===//

#include "Report.h"

#include "RunPlan.h"

#include "tilec/Report/Findings.h"
#include "tilec/Report/Remarks.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace tilec;

static std::vector<mlir::BlockArgument> sizesOf(tile::KernelOp kernel) {
  std::vector<mlir::BlockArgument> sizes;
  for (mlir::BlockArgument argument : kernel.getBody().getArguments())
    if (argument.getType().isIndex())
      sizes.push_back(argument);
  return sizes;
}

/// The entry of `shape` for a size: of its name, or else of its name in other case.
static std::map<std::string, int64_t>::const_iterator findSize(const std::map<std::string, int64_t> &shape, const std::string &name) {
  if (auto exact = shape.find(name); exact != shape.end())
    return exact;
  return llvm::find_if(shape, [&](const auto &entry) { return llvm::StringRef(entry.first).equals_insensitive(name); });
}

mlir::LogicalResult tilec::checkShape(mlir::ModuleOp module, const CompileOptions &options) {
  std::vector<std::string> used, known;
  for (auto kernel : module.getOps<tile::KernelOp>())
    for (mlir::BlockArgument size : sizesOf(kernel)) {
      std::string name = analysis::nameOf(size);
      if (!llvm::is_contained(known, name))
        known.push_back(name);
      if (auto entry = findSize(options.shape, name); entry != options.shape.end())
        used.push_back(entry->first);
    }
  // The shape stands on no line of the nest.
  auto nowhere = mlir::UnknownLoc::get(module.getContext());
  for (const auto &[name, extent] : options.shape) {
    if (!llvm::is_contained(used, name))
      return mlir::emitError(nowhere) << "the shape gives '" << name << "', but the sizes are "
                                              << (known.empty() ? "all written in the nest" : llvm::join(known, ", "));
    if (extent < 0 || extent > runtime::maxExtent)
      return mlir::emitError(nowhere) << "the shape gives '" << name << "' as " << extent << ", but sizes go from 0 to "
                                              << runtime::maxExtent;
  }
  return mlir::success();
}

/// Sizes that the shape does not give.
static std::vector<mlir::BlockArgument> openSizesOf(tile::KernelOp kernel, const CompileOptions &options) {
  std::vector<mlir::BlockArgument> open = sizesOf(kernel);
  llvm::erase_if(open, [&](mlir::BlockArgument size) {
    return findSize(options.shape, analysis::nameOf(size)) != options.shape.end();
  });
  return open;
}

llvm::SmallVector<int64_t> tilec::argumentsOf(tile::KernelOp kernel, const CompileOptions &options) {
  llvm::SmallVector<int64_t> arguments(kernel.getBody().getNumArguments(), 0);
  int64_t byDefault = getDefaultExtent(openSizesOf(kernel, options).size(), 4096);
  for (mlir::BlockArgument size : sizesOf(kernel)) {
    auto entry = findSize(options.shape, analysis::nameOf(size));
    arguments[size.getArgNumber()] = entry == options.shape.end() ? byDefault : entry->second;
  }
  return arguments;
}

mlir::FailureOr<report::KernelRecord> tilec::analyzeForReport(tile::KernelOp kernel, const CompileOptions &options,
                                                              const MachineSpec &machine, std::optional<int64_t> registers) {
  llvm::SmallVector<int64_t> arguments = argumentsOf(kernel, options);
  mlir::FailureOr<report::Analyses> analyses = report::analyzeKernel(kernel, arguments, machine, registers);
  if (failed(analyses))
    return mlir::failure();
  report::findLayouts(*analyses, machine);
  if (!registers) {
    for (const report::Finding &finding : report::findProblems(*analyses))
      report::emit(finding);
    report::emitRemarks(*analyses);
  }
  if (!analyses->violations.empty())
    return mlir::failure();
  report::KernelRecord record = report::buildRecord(*analyses, machine);
  for (mlir::BlockArgument size : openSizesOf(kernel, options))
    record.shapeByDefault.push_back(analysis::nameOf(size));
  if (!options.arch.empty())
    record.arch = options.arch;
  return record;
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
