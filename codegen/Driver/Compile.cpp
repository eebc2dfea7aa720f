//===- Compile.cpp - From text to cubin -------------------------*- C++ -*-===//
//
// The way through the house: parse, analyse, check, lower, print, assemble.
//
//===----------------------------------------------------------------------===//

#include "tilec/Driver/Compiler.h"

#include "DeepThread.h"
#include "Diagnostics.h"
#include "MapFamily.h"
#include "MapKernels.h"
#include "Parse.h"
#include "ProgramReport.h"
#include "RemarkText.h"
#include "Report.h"
#include "Target.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "tilec/Analysis/LaunchPlan.h"
#include "tilec/CUDA/PrintCUDA.h"
#include "tilec/Conversion/Launch.h"
#include "tilec/Conversion/Passes.h"
#include "tilec/Mapping/Import.h"
#include "tilec/Mapping/Launches.h"
#include "tilec/Mapping/Mapping.h"
#include "tilec/NVRTC/Compiler.h"
#include "tilec/Tile/Program.h"
#include "tilec/Tile/Tile.h"
#include "tilec/Transforms/ModuleTarget.h"
#include "tilec/Transforms/PlanNest.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace tilec;

namespace {

class Compilation {
public:
  Compilation(const CompileOptions &options) : options(options), context(nestDialects(), mlir::MLIRContext::Threading::DISABLED), diagnostics(context, options) {
    context.printOpOnDiagnostic(false);
    context.loadAllAvailableDialects();
  }

  CompileResult run(const std::string &text, const std::string &fileName);

private:
  mlir::OwningOpRef<mlir::ModuleOp> parse(const std::string &text, const std::string &fileName);
  mlir::OwningOpRef<mlir::ModuleOp> map(mlir::OwningOpRef<mlir::ModuleOp> module);
  bool describe(mlir::ModuleOp module);
  bool describeLaunches(mlir::ModuleOp module);
  bool analyze(mlir::ModuleOp module, mlir::ModuleOp unplanned);
  bool describePrograms(mlir::ModuleOp module);
  bool print(mlir::ModuleOp module);
  bool assemble(const std::string &fileName);
  bool analyzeAgain(mlir::ModuleOp nests);

  const CompileOptions &options;
  mlir::MLIRContext context;
  DiagnosticForwarder diagnostics;
  MachineSpec target;
  /// The text that was parsed last holds functions.
  bool hasFunctions = false;
  CompileResult result;
  /// One for each of result.kernels.
  std::vector<report::KernelRecord> records;
  std::vector<std::vector<report::Advice>> advice;
};

} // namespace

/// An operand or a tile that nobody uses is hardly meant: as a rule a store was forgotten.
static void warnOfUnused(tile::KernelOp kernel, const runtime::KernelDescription &launch) {
  const runtime::TensorArgument *tensor = launch.tensors.data();
  for (mlir::BlockArgument argument : kernel.getBody().getArguments()) {
    if (!mlir::isa<mlir::MemRefType>(argument.getType()))
      continue;
    if (!tensor->read && !tensor->written)
      mlir::emitWarning(argument.getLoc()) << "operand '" << tensor->name << "' is neither read nor written";
    ++tensor;
  }
  if (llvm::none_of(launch.tensors, [](const runtime::TensorArgument &operand) { return operand.written; }))
    kernel.emitWarning("writes no operand, so that nothing comes of it; a result needs a tile.store, or an operand as outs");
  kernel.walk([](tile::StageOp stage) {
    if (stage.getTile().use_empty())
      stage.emitWarning("copies a tile that nobody uses");
  });
}

bool Compilation::describe(mlir::ModuleOp module) {
  for (auto kernel : module.getOps<tile::KernelOp>()) {
    mlir::FailureOr<runtime::KernelDescription> launch = describeArguments(kernel);
    if (failed(launch))
      return false;
    warnOfUnused(kernel, *launch);
    CompiledKernel &compiled = result.kernels.emplace_back();
    compiled.name = kernel.getSymName().str();
    compiled.launch = std::move(*launch);
  }
  if (result.kernels.empty())
    mlir::emitError(module.getLoc()) << "the input has no tile.kernel";
  return !result.kernels.empty();
}

/// Takes over what the plan says of launches.
bool Compilation::describeLaunches(mlir::ModuleOp module) {
  for (auto [kernel, compiled] : llvm::zip_equal(module.getOps<tile::KernelOp>(), result.kernels)) {
    mlir::FailureOr<runtime::KernelDescription> launch = describeLaunch(kernel);
    if (failed(launch))
      return false;
    compiled.launch = std::move(*launch);
  }
  return true;
}

/// `unplanned` has the same kernels as they were written.
bool Compilation::analyze(mlir::ModuleOp module, mlir::ModuleOp unplanned) {
  for (auto [kernel, written] : llvm::zip_equal(module.getOps<tile::KernelOp>(), unplanned.getOps<tile::KernelOp>())) {
    mlir::FailureOr<report::KernelRecord> record = analyzeForReport(kernel, written, options, target, advice.emplace_back());
    if (failed(record))
      return false;
    CompiledKernel &compiled = result.kernels[records.size()];
    compiled.isCalledFor = isCalledFor(kernel);
    compiled.residentBlocks = target.sms.value * std::max<int64_t>(record->resources.blocksPerSM.value_or(1), 1);
    records.push_back(std::move(*record));
  }
  return true;
}

bool Compilation::describePrograms(mlir::ModuleOp module) {
  mlir::FailureOr<std::vector<CompiledProgram>> programs = tilec::describePrograms(module, target);
  if (succeeded(programs))
    result.programs = std::move(*programs);
  return succeeded(programs);
}

/// Replaces the estimate of registers by what the compiler took, and what follows from it.
bool Compilation::analyzeAgain(mlir::ModuleOp nests) {
  for (auto [kernel, compiled, record, found] : llvm::zip(nests.getOps<tile::KernelOp>(), result.kernels, records, advice)) {
    if (!compiled.resources)
      continue;
    mlir::FailureOr<report::KernelRecord> again = tilec::analyzeAgain(kernel, options, target, compiled.resources->registers, found);
    if (failed(again))
      return false;
    record = std::move(*again);
  }
  return true;
}

/// What the launcher encodes in the maps of tensor `number`.
static std::string describeMaps(const runtime::KernelDescription &launch, unsigned number) {
  std::string text;
  for (const runtime::TensorMapArgument &map : launch.tensorMaps) {
    if (map.tensor != number)
      continue;
    std::vector<std::string> box(map.dims.size());
    for (auto [dim, extent] : llvm::zip(map.dims, map.box))
      box[dim] = std::to_string(extent);
    unsigned swizzle = runtime::swizzleBytes(map.swizzle);
    text += "; its map: boxes of [" + llvm::join(box, ", ") + "], " +
            (swizzle ? "swizzled in " + std::to_string(swizzle) + " bytes" : "not swizzled") +
            (map.optional ? ", empty where TMA does not take the tensor" : "");
  }
  return text;
}

/// The comment at the top of a kernel's text.
static std::vector<std::string> makeHeader(const CompiledKernel &kernel, const MachineSpec &target) {
  const runtime::KernelDescription &launch = kernel.launch;
  std::string grid, parameters;
  auto extent = [&](const runtime::Extent &e) {
    return e.size ? launch.sizes[*e.size].name : std::to_string(e.value);
  };
  auto steps = [&](const runtime::GridTerm &term) {
    if (!term.extent.size)
      return std::to_string(llvm::divideCeil(term.extent.value, term.step));
    return "ceil(" + extent(term.extent) + " / " + std::to_string(term.step) + ")";
  };
  for (const runtime::GridTerm &term : launch.grid)
    grid += (grid.empty() ? "" : " * ") + steps(term);
  if (grid.empty())
    grid = "1";
  if (launch.cutLoop)
    grid += " * max(1, " + steps(*launch.cutLoop) + ")";
  if (launch.persistent)
    grid = "min(blocks that the device runs at once, " + grid + ")";
  std::vector<std::string> header = {
      kernel.name + " for " + target.name + ", generated by tilec",
      "grid (" + grid + ", 1, 1), block (" + std::to_string(launch.blockThreads) + ", 1, 1), shared memory " +
          std::to_string(launch.staticSharedBytes) + " bytes static, " + std::to_string(launch.dynamicSharedBytes) + " dynamic"};
  if (launch.clusterBlocks > 1)
    header.back() += ", clusters of " + std::to_string(launch.clusterBlocks) + " blocks" +
                     (runtime::balancesClusters(launch) ? ", load balancing policy" : "");
  if (launch.dependent)
    header.back() += ", may begin while the kernel ahead ends (programmatic stream serialization)";
  if (launch.cutLoop)
    header.push_back("where whole waves leave less than a " + std::to_string(launch.cutWorthIdle) + "th of those blocks idle, or less than " +
                     std::to_string(launch.cutWorthSteps) + (launch.cutWorthSteps == 1 ? " step" : " steps") + " of each: a block a tile");
  for (auto [number, tensor] : llvm::enumerate(launch.tensors)) {
    std::string shape;
    for (const runtime::Extent &e : tensor.shape)
      shape += (shape.empty() ? "" : ", ") + extent(e);
    header.push_back(tensor.name + ": [" + shape + "] of " + std::string(runtime::elementTypeName(tensor.type)) +
                     (tensor.written ? tensor.read ? ", read and written" : ", written" : ", read") + (tensor.constant ? ", in constant memory" : "") +
                     describeMaps(launch, number));
  }
  for (const runtime::Workspace &workspace : launch.workspaces)
    header.push_back(workspace.name + ": workspace of " + std::to_string(workspace.elements) + " " +
                     std::string(runtime::elementTypeName(workspace.type)) +
                     (workspace.each == runtime::Workspace::Each::Part ? " for each part of a cut tile"
                                                                       : " for each cut tile, zero before and after"));
  return header;
}

bool Compilation::print(mlir::ModuleOp module) {
  llvm::StringSet<> symbols;
  for (auto function : module.getOps<kernel::FuncOp>()) {
    auto kernel = llvm::find_if(result.kernels, [&](auto &k) { return k.name == function.getName(); });
    const report::KernelRecord &record = records[kernel - result.kernels.begin()];
    if (int64_t placed = function.getStaticShared() + function.getDynamicShared(); record.resources.smemBytes != placed) {
      function.emitError("is placed in ") << placed << " bytes of shared memory, but " << record.resources.smemBytes.value_or(0) << " are predicted";
      result.status = Status::Internal;
      return false;
    }
    PrintOptions printing;
    printing.header = makeHeader(*kernel, target);
    llvm::append_range(printing.header, summarizeRecord(record));
    printing.symbol = kernel->launch.symbol = toSymbol(kernel->name, symbols);
    printing.lineDirectives = options.lineDirectives;
    mlir::FailureOr<PrintedKernel> printed = printCUDA(function, printing);
    if (failed(printed))
      return false;
    kernel->cuda = std::move(printed->text);
    kernel->places = std::move(printed->places);
    kernel->sharedArrays = std::move(printed->sharedArrays);
    for (const ConstantArray &array : printed->constants)
      kernel->launch.tensors[array.tensor].symbol = array.name;
    std::string arch = options.arch.empty() ? target.arch : options.arch;
    if (options.arch.empty() && printed->archSpecific && !target.featureArch.empty())
      arch = target.featureArch;
    int number = std::atoi(arch.c_str() + std::min<size_t>(3, arch.size()));
    if (number < int(printed->lowestArch)) {
      function.emitError() << "'" << kernel->name << "' uses functions of sm_" << printed->lowestArch << " and later, but is compiled for "
                           << arch << "; --emit=report analyses it all the same";
      return false;
    }
    if (printed->archSpecific && llvm::isDigit(arch.back())) {
      function.emitError() << "'" << kernel->name << "' uses functions that only variants like sm_" << printed->lowestArch
                           << "a have, but is compiled for " << arch;
      return false;
    }
    kernel->arch = arch;
  }
  return true;
}

bool Compilation::assemble(const std::string &fileName) {
  runtime::Result<nvrtc::Compiler> compiler = nvrtc::Compiler::open(runtime::cudaSearchOfProcess(options.cudaPath));
  if (!compiler) {
    diagnostics.report(Severity::Error, compiler.message());
    result.status = Status::Missing;
    return false;
  }
  for (CompiledKernel &kernel : result.kernels) {
    if (runtime::MaybeError error = compiler->checkArch(kernel.arch)) {
      diagnostics.report(Severity::Error, error->message);
      return false;
    }
    nvrtc::CompileOptions nvrtcOptions;
    nvrtcOptions.ptx = options.ptx;
    nvrtc::CompileOutput output = compiler->compile(kernel.cuda, kernel.launch.symbol + ".cu", kernel.arch, nvrtcOptions);
    for (const nvrtc::Diagnostic &diagnostic : output.diagnostics)
      diagnostics.report(diagnostic.severity == nvrtc::Severity::Error     ? Severity::Error
                         : diagnostic.severity == nvrtc::Severity::Warning ? Severity::Warning
                                                                           : Severity::Remark,
                         diagnostic.message, diagnostic.file, diagnostic.line);
    if (!output.ok) {
      result.status = Status::Internal;
      return false;
    }
    kernel.cubin = std::move(output.cubin);
    kernel.ptx = std::move(output.ptx);
    for (const nvrtc::KernelResources &used : output.kernels)
      if (used.kernel == kernel.launch.symbol)
        kernel.resources = Resources{used.registers, used.spillLoadBytes + used.spillStoreBytes, used.stackBytes};
  }
  return true;
}

/// The nests of `text`, for the machine and sizes of the options; null with a diagnostic.
mlir::OwningOpRef<mlir::ModuleOp> Compilation::parse(const std::string &text, const std::string &fileName) {
  mlir::OwningOpRef<mlir::ModuleOp> module = parseNests(text, fileName, context);
  if (!module)
    return nullptr;
  hasFunctions = !module->getOps<mlir::func::FuncOp>().empty();
  if (hasFunctions) {
    // What a run is verified by is the functions as they stand.
    mlir::OwningOpRef<mlir::ModuleOp> meaning = module->clone();
    if (failed(mapping::importFunctions(*meaning)))
      return nullptr;
    result.nest = printIR(*meaning);
  }
  if (failed(mapping::importFunctions(*module, /*isSimplified=*/hasFunctions)))
    return nullptr;
  result.source = text;
  result.fileName = fileName;
  if (!hasFunctions)
    result.nest = printIR(*module);
  TargetResult resolved = targetModule(*module, options, result.status);
  if (!resolved) {
    diagnostics.report(Severity::Error, resolved.error);
    return nullptr;
  }
  target = *resolved.spec;
  return module;
}

/// `machine` without what the instruction set `arch` lacks; as it is where `arch` is empty.
static MachineSpec restrictTo(MachineSpec machine, const std::string &arch) {
  if (arch.empty())
    return machine;
  auto [major, minor] = computeCapability(arch);
  Features &features = machine.features;
  features.cpAsync &= major >= 8;
  for (bool *feature : {&features.clusters, &features.dsmem, &features.tma, &features.multicast, &features.mbarrier, &features.dependentLaunch})
    *feature &= major >= 9;
  for (bool *feature : {&features.wgmma, &features.setmaxnreg})
    *feature &= major >= 9 && arch.back() == 'a';
  return machine;
}

/// Maps what is open in `module`. The nests, and those that functions have become, are read again from their text, so that what follows is told of
/// places in it, as it would be of nests that a person wrote.
mlir::OwningOpRef<mlir::ModuleOp> Compilation::map(mlir::OwningOpRef<mlir::ModuleOp> module) {
  // Each shape of a family takes the nests out of a copy of its own.
  mlir::OwningOpRef<mlir::ModuleOp> open = options.family.empty() ? nullptr : module->clone();
  mlir::FailureOr<OpenNests> nests = takeOpenNests(*module);
  if (failed(nests))
    return nullptr;
  mlir::DictionaryAttr attributes = (*module)->getAttrDictionary();
  (*module)->setAttrs(mlir::DictionaryAttr::get(&context));
  result.problem = nests->empty() ? result.source : printIR(*module);
  (*module)->setAttrs(attributes);
  const MachineSpec machine = restrictTo(target, options.arch);
  for (auto kernel : module->getOps<tile::KernelOp>())
    if (mapping::isOpen(kernel))
      mapping::warnOfRoundedSums(kernel, machine);
  if (options.family.empty()) {
    mlir::FailureOr<std::vector<MappingSearch>> searches = mapKernels(*module, *nests, machine);
    if (failed(searches))
      return nullptr;
    result.searches = std::move(*searches);
    // What is written is kept; functions say nothing of arrays between launches.
    if (hasFunctions)
      for (auto program : module->getOps<tile::ProgramOp>())
        mapping::shareWorkspaces(program);
  } else {
    mlir::FailureOr<std::vector<FamilyShape>> family = mapFamily(*open, options.family, machine);
    if (failed(family))
      return nullptr;
    result.family = std::move(*family);
    module = std::move(open);
  }
  (*module)->setAttrs(mlir::DictionaryAttr::get(&context));
  return parse(printIR(*module), result.fileName + " (mapped)");
}

/// Takes back dependent launches that were planned, and are not in `written`, for an instruction set that has none.
static void dropDependentLaunches(mlir::ModuleOp module, mlir::ModuleOp written) {
  for (auto kernel : module.getOps<tile::KernelOp>())
    if (!analysis::getLaunch(written.lookupSymbol<tile::KernelOp>(kernel.getSymName())))
      analysis::getLaunch(kernel).setDependent(false);
}

CompileResult Compilation::run(const std::string &text, const std::string &fileName) {
  mlir::OwningOpRef<mlir::ModuleOp> module = parse(text, fileName);
  if (module && !options.family.empty() && !hasOpenKernels(*module)) {
    diagnostics.report(Severity::Error, "a family is asked for, but no kernel leaves its mapping open");
    return std::move(result);
  }
  if (module && (hasFunctions || hasOpenKernels(*module)))
    module = map(std::move(module));
  if (!module || failed(partLoops(*module)))
    return std::move(result);
  mlir::OwningOpRef<mlir::ModuleOp> written = module->clone();
  if (!describe(*module) || failed(checkSizes(*module)) || failed(planModule(*module)))
    return std::move(result);
  if (!restrictTo(target, options.arch).features.dependentLaunch)
    dropDependentLaunches(*module, *written);
  if (!describeLaunches(*module))
    return std::move(result);
  result.plan = printIR(*module);
  if (options.remarks && failed(collectRemarks(context, result.remarks))) {
    diagnostics.report(Severity::Error, "this build of LLVM writes no remarks");
    return std::move(result);
  }
  bool analyzed = analyze(*module, *written) && describePrograms(*module);
  if (options.remarks)
    takeRemarks(context);
  if (!analyzed)
    return std::move(result);
  // Lowering consumes the nests, which are analysed again when their registers are known.
  mlir::OwningOpRef<mlir::ModuleOp> nests = options.cuda && options.cubin ? module->clone() : nullptr;
  if (options.cuda) {
    mlir::PassManager passes(&context);
    buildKernelPipeline(passes);
    if (failed(passes.run(*module)))
      return std::move(result);
    result.kernelIR = printIR(*module);
    if (!print(*module) || (options.cubin && !assemble(fileName)))
      return std::move(result);
  }
  if (nests && !analyzeAgain(*nests))
    return std::move(result);
  for (auto [record, kernel] : llvm::zip(records, result.kernels)) {
    kernel.blocksPerWave = unsigned(target.sms.value * record.resources.blocksPerSM.value_or(0));
    if (kernel.isCalledFor)
      finishReport(std::move(record), kernel);
  }
  result.status = options.warningsAreErrors && diagnostics.getWarnings() > 0 ? Status::GateFailed : Status::Done;
  return std::move(result);
}

bool tilec::isPartOfProgram(const CompileResult &result, size_t kernel) {
  return llvm::any_of(result.programs, [&](const CompiledProgram &program) {
    return llvm::any_of(program.launch.steps, [&](const runtime::ProgramStep &step) { return step.kernel == kernel; });
  });
}

CompileResult tilec::compile(const std::string &text, const std::string &fileName, const CompileOptions &options) {
  CompileResult result;
  if (!runDeep([&] { result = Compilation(options).run(text, fileName); }))
    result.status = refuseThread(options);
  return result;
}
