//===- RunReport.cpp - The report of a kernel that has run -------*- C++ -*-===//
//
// Analyses the nest again, at the sizes of the run, and holds what the analysis
// predicts against what the emulator counted.
//
//===----------------------------------------------------------------------===//

#include "tilec/Driver/Run.h"

#include "DeepThread.h"
#include "Diagnostics.h"
#include "Parse.h"
#include "Report.h"
#include "Target.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tilec/Report/Findings.h"
#include "tilec/Report/RequestCounts.h"
#include "tilec/Transforms/ModuleTarget.h"
#include "tilec/Transforms/PlanNest.h"

using namespace tilec;

/// The counts of the kernel's lines as those of the nest's ops.
static std::vector<report::CountedAccess> attribute(const CompiledKernel &kernel, const RunResult &ran) {
  std::vector<report::CountedAccess> accesses;
  for (const CountedTraffic &site : ran.counted) {
    report::CountedAccess &access = accesses.emplace_back();
    if (site.line - 1 < kernel.places.size())
      access.op = {kernel.places[site.line - 1].line, kernel.places[site.line - 1].column};
    if (site.global)
      access.operand = site.object;
    else
      for (const SharedArrayOrigin &array : kernel.sharedArrays)
        if (array.name == site.object)
          access.array = {array.place.line, array.place.column};
    access.writes = site.access == CountedTraffic::Access::Write || site.access == CountedTraffic::Access::Atomic;
    access.bytes = int64_t(site.bytes);
    // Tensor cores read each element of a matrix once.
    access.portBytes = int64_t(site.access == CountedTraffic::Access::Matrix ? site.bytes : site.portBytes());
    access.requests = int64_t(site.requests);
    access.portUnits = int64_t(site.constant ? site.constantAccesses : site.global ? site.sectors : site.wavefronts);
  }
  return accesses;
}

/// Where the operands lay in the run.
static analysis::LaunchLayouts getLayouts(tile::KernelOp kernel, const RunResult &ran) {
  analysis::LaunchLayouts layouts;
  for (auto [number, type] : llvm::enumerate(kernel.getArgumentTypes()))
    if (mlir::isa<mlir::MemRefType>(type)) {
      const RunTensor &tensor = ran.tensors[layouts.size()];
      layouts[number] = {{tensor.strides.begin(), tensor.strides.end()}, tensor.offset};
    }
  return layouts;
}

static report::CountedDramRecord countDram(const CompiledKernel &kernel, const RunResult &ran) {
  report::CountedDramRecord dram;
  dram.blocksPerWave = kernel.blocksPerWave;
  for (const CountedOperand &operand : ran.countedOperands) {
    dram.bytesRead += int64_t(operand.uniqueBytesRead);
    dram.bytesWritten += int64_t(operand.uniqueBytesWritten);
  }
  return dram;
}

static bool reportAgain(CompileResult &compiled, size_t number, const RunResult &ran, const CompileOptions &options) {
  CompiledKernel &kernel = compiled.kernels[number];
  Status status = Status::Done;
  TargetResult target;
  mlir::DialectRegistry registry;
  registry.insert<mlir::arith::ArithDialect, mlir::linalg::LinalgDialect, mlir::math::MathDialect, mlir::memref::MemRefDialect,
                  mlir::scf::SCFDialect, tile::TileDialect>();
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  context.loadAllAvailableDialects();
  DiagnosticForwarder diagnostics(context, options);
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::FailureOr<report::Analyses> analyses = mlir::failure();
  {
    // The compilation has said what there is to say.
    mlir::ScopedDiagnosticHandler quiet(&context, [](mlir::Diagnostic &) { return mlir::success(); });
    module = parseNests(compiled.source, compiled.fileName, context);
    if (module && (target = targetModule(*module, options, status)) && succeeded(planModule(*module))) {
      setSizes(*module, ran.shape);
      for (auto op : module->getOps<tile::KernelOp>())
        if (op.getSymName() == kernel.name) {
          analysis::LaunchLayouts layouts = getLayouts(op, ran);
          analyses = report::analyzeKernel(op, getArguments(op), *target.spec, std::nullopt, &layouts);
        }
    }
  }
  if (failed(analyses)) {
    diagnostics.report(Severity::Error, "'" + kernel.name + "' cannot be analysed at the sizes of its run");
    return false;
  }
  std::vector<report::CountMismatch> mismatches;
  if (!ran.countedOperands.empty()) {
    std::vector<report::CountedAccess> counted = attribute(kernel, ran);
    std::vector<analysis::Transfer> &transfers = analyses->traffic.transfers;
    std::vector<analysis::Transfer> all(transfers.begin(), transfers.end());
    // Which parts of the tail a cut kernel sends through memory depends on the blocks that ran at one time.
    analyses->prediction.cutTail = analysis::findCutTail(analyses->model, ran.residentBlocks);
    if (analyses->prediction.cutTail)
      llvm::append_range(all, analyses->prediction.cutTail->transfers);
    analyses->counts = report::countTransfers(all, counted);
    analyses->tailCounts.assign(analyses->counts.begin() + transfers.size(), analyses->counts.end());
    analyses->counts.resize(transfers.size());
    analyses->wavefronts = report::countRequests(analyses->model, analyses->banks, counted);
    analyses->sectors = report::countRequests(analyses->coalescing, counted);
    analyses->constantAccesses = report::countRequests(analyses->constants, counted);
    mismatches = report::findMismatches(analyses->model, all, counted);
    llvm::append_range(mismatches, report::findMismatches(analyses->model, analyses->banks, counted));
    llvm::append_range(mismatches, report::findMismatches(analyses->coalescing, counted));
    llvm::append_range(mismatches, report::findMismatches(analyses->constants, counted));
  }
  report::KernelRecord record = report::buildRecord(*analyses, *target.spec);
  if (!ran.countedOperands.empty())
    record.countedDram = countDram(kernel, ran);
  for (const report::CountMismatch &mismatch : mismatches) {
    // What a user has changed may move other bytes; what was printed may not.
    (kernel.editedFile.empty() ? mismatch.op->emitError() : mismatch.op->emitWarning()) << mismatch.message;
    record.diagnostics.push_back({kernel.editedFile.empty() ? "error" : "warning", report::locationText(mismatch.op), mismatch.message, {}, {}});
  }
  finishReport(std::move(record), kernel);
  return mismatches.empty() || !kernel.editedFile.empty();
}

bool tilec::reportRun(CompileResult &compiled, size_t number, const RunResult &ran, const CompileOptions &options) {
  bool agrees = false;
  if (!runDeep([&] { agrees = reportAgain(compiled, number, ran, options); }))
    refuseThread(options);
  return agrees;
}
