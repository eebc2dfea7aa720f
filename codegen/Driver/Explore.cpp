//===- Explore.cpp - One nest on other machines ------------------*- C++ -*-===//
//
// A machine is a copy of a known one with figures changed; each is analysed as
// any other.
//
//===----------------------------------------------------------------------===//

#include "tilec/Driver/Explore.h"

#include "DeepThread.h"
#include "Diagnostics.h"
#include "ExploreText.h"
#include "Parse.h"
#include "Report.h"
#include "Target.h"
#include "Timeloop.h"
#include "tilec/Analysis/Dataflows.h"
#include "tilec/Machine/Targets.h"
#include "tilec/Report/Findings.h"
#include "tilec/Transforms/ModuleTarget.h"
#include "tilec/Transforms/PlanNest.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace tilec;
using namespace tilec::analysis;

namespace {

/// A figure of machines that can be varied.
struct Key {
  const char *name;
  double (*get)(const MachineSpec &);
  void (*set)(MachineSpec &, double);
};

/// A slot of `level`, or of machines that do not know it 0.
double known(const std::optional<SourcedReal> &slot) { return slot ? slot->value : 0; }

template <MemoryLevel level>
double getBandwidth(const MachineSpec &machine) {
  return known(machine.level(level).bandwidth);
}
template <MemoryLevel level>
void setBandwidth(MachineSpec &machine, double value) {
  machine.level(level).bandwidth = SourcedReal{value, "varied"};
}

const Key kKeys[] = {
    {"sms", [](const MachineSpec &machine) { return double(machine.sms.value); },
     [](MachineSpec &machine, double value) { machine.sms.value = int64_t(value); }},
    {"clock", [](const MachineSpec &machine) { return machine.boostClock.value; },
     [](MachineSpec &machine, double value) {
       machine.boostClock.value = value;
       // Clocks of units are at most boost; the load clock belongs to the machine as it is.
       machine.loadClock.reset();
     }},
    {"dram_bandwidth", getBandwidth<MemoryLevel::Dram>, setBandwidth<MemoryLevel::Dram>},
    {"l2_bandwidth", getBandwidth<MemoryLevel::L2>, setBandwidth<MemoryLevel::L2>},
    {"smem_bandwidth", getBandwidth<MemoryLevel::Smem>, setBandwidth<MemoryLevel::Smem>},
    {"l2_bytes",
     [](const MachineSpec &machine) {
       const auto &capacity = machine.level(MemoryLevel::L2).capacity;
       return capacity ? double(capacity->value) : 0;
     },
     [](MachineSpec &machine, double value) { machine.level(MemoryLevel::L2).capacity = SourcedInt{int64_t(value), "varied"}; }},
    // A block may have as much less than an SM has as before.
    {"smem_bytes", [](const MachineSpec &machine) { return double(machine.smemPerSM()); },
     [](MachineSpec &machine, double value) {
       LimitsSpec &limits = machine.limits;
       limits.smemPerBlock = {limits.smemPerBlock.value + int64_t(value) - machine.smemPerSM(), "varied"};
       machine.level(MemoryLevel::Smem).capacity = SourcedInt{int64_t(value), "varied"};
     }},
};

const Key *findKey(llvm::StringRef name) {
  const Key *found = llvm::find_if(kKeys, [&](const Key &key) { return name == key.name; });
  return found == std::end(kKeys) ? nullptr : found;
}

class Explorer {
public:
  explicit Explorer(const ExploreOptions &options)
      : options(options), context(nestDialects(), mlir::MLIRContext::Threading::DISABLED), diagnostics(context, options.compile) {
    context.printOpOnDiagnostic(false);
    context.loadAllAvailableDialects();
  }

  ExploreResult run(const std::string &text, const std::string &fileName) {
    ExploreResult result;
    mlir::OwningOpRef<mlir::ModuleOp> module = open(text, fileName, result.status);
    if (!module || !makeMachines())
      return result;
    std::vector<Exploration> explorations;
    for (auto kernel : module->getOps<tile::KernelOp>())
      if (failed(exploreKernel(kernel, explorations.emplace_back())))
        return result;
    result.text = printExplorations(explorations);
    result.json = printExplorationsAsJson(explorations);
    result.status = Status::Done;
    return result;
  }

  ExploreResult exportKernel(const std::string &text, const std::string &fileName, ExportFormat format) {
    const char *to = format == ExportFormat::AccelForge ? "AccelForge" : "Timeloop";
    ExploreResult result;
    mlir::OwningOpRef<mlir::ModuleOp> module = open(text, fileName, result.status);
    if (!module)
      return result;
    auto kernels = llvm::to_vector(module->getOps<tile::KernelOp>());
    if (kernels.size() > 1) {
      kernels[1].emitError() << "is a second kernel, but " << to << " takes one problem at a time";
      return result;
    }
    mlir::FailureOr<report::Analyses> analyses = report::analyzeKernel(kernels[0], getArguments(kernels[0]), base);
    if (failed(analyses))
      return result;
    std::string why;
    std::optional<std::string> yaml = printExport(*analyses, base, format, why);
    if (!yaml) {
      kernels[0].emitError() << "cannot be said to " << to << ": " << why;
      return result;
    }
    result.text = *yaml;
    result.status = Status::Done;
    return result;
  }

private:
  /// The nests of `text`, with the machine in `base`; null after a diagnostic.
  mlir::OwningOpRef<mlir::ModuleOp> open(const std::string &text, const std::string &fileName, Status &status) {
    mlir::OwningOpRef<mlir::ModuleOp> module = parseNests(text, fileName, context);
    if (!module)
      return nullptr;
    TargetResult resolved = targetModule(*module, options.compile, status);
    if (!resolved) {
      diagnostics.report(Severity::Error, resolved.error);
      return nullptr;
    }
    base = *resolved.spec;
    if (failed(checkSizes(*module)) || failed(partLoops(*module)))
      return nullptr;
    if (module->getOps<tile::KernelOp>().empty()) {
      diagnostics.report(Severity::Error, "the input has no tile.kernel", fileName);
      return nullptr;
    }
    return module;
  }

  struct Machine {
    MachineSpec spec;
    std::vector<double> values;
  };

  bool reject(const std::string &message) {
    diagnostics.report(Severity::Error, message);
    return false;
  }

  bool makeMachines() {
    constexpr size_t kMost = 4096;
    machines = {{base, {}}};
    for (const Variation &variation : options.variations) {
      const Key *key = findKey(variation.key);
      if (!key)
        return reject("'" + variation.key + "' cannot be varied; known are " + llvm::join(variationKeys(), ", "));
      double own = key->get(base);
      if (own <= 0 && variation.values.empty())
        return reject(base.name + " does not know its " + variation.key + "; name the values, as in --vary=" + variation.key + "=1000:2000");
      std::vector<double> values = variation.values;
      if (values.empty())
        values = {own / 2, own, own * 2};
      if (machines.size() * values.size() > kMost)
        return reject("there are more than " + std::to_string(kMost) + " machines to try");
      std::vector<Machine> more;
      for (const Machine &machine : machines)
        for (double value : values) {
          if (!(value >= 1e-3 && value <= 1e12))
            return reject("--vary: " + variation.key + " is " + llvm::formatv("{0}", value).str() + ", expected 0.001 to 1e12");
          more.push_back(machine);
          key->set(more.back().spec, value);
          more.back().values.push_back(key->get(more.back().spec));
          if (more.back().values.back() <= 0)
            return reject("--vary: " + variation.key + " is " + llvm::formatv("{0}", value).str() + ", expected at least 1");
        }
      machines = std::move(more);
    }
    return true;
  }

  /// `module` with what compiling it for `machine` decides. Of what can be varied, planning looks at shared memory alone.
  mlir::FailureOr<mlir::ModuleOp> planFor(mlir::ModuleOp module, const MachineSpec &machine) {
    mlir::OwningOpRef<mlir::ModuleOp> &planned = plans[{machine.smemPerSM(), machine.limits.smemPerBlock.value}];
    if (!planned) {
      planned = module.clone();
      changeTarget(*planned, "levels.smem.capacity", machine.smemPerSM());
      changeTarget(*planned, "limits.smem_per_block", machine.limits.smemPerBlock.value);
      if (failed(planModule(*planned)))
        return mlir::failure();
    }
    return *planned;
  }

  /// Adds what the analysis of the report says of `kernel` on `machine`.
  mlir::LogicalResult exploreMachine(tile::KernelOp kernel, llvm::ArrayRef<int64_t> arguments, const Machine &machine, ExploredMachine &row) {
    row.values = machine.values;
    if (std::optional<std::string> none = findDisagreement(machine.spec)) {
      row.refused = "there is no such machine: " + *none;
      return mlir::success();
    }
    mlir::FailureOr<mlir::ModuleOp> planned = planFor(kernel->getParentOfType<mlir::ModuleOp>(), machine.spec);
    if (failed(planned))
      return mlir::failure();
    auto own = llvm::cast<tile::KernelOp>(mlir::SymbolTable::lookupSymbolIn(*planned, kernel.getSymNameAttr()));
    mlir::FailureOr<report::Analyses> analyses = report::analyzeKernel(own, arguments, machine.spec);
    if (failed(analyses))
      return mlir::failure();
    if (!analyses->violations.empty())
      row.refused = analyses->violations.front().message;
    row.satisfied = llvm::all_of(analyses->match.stages, [](const StageMatch &stage) { return stage.satisfied; });
    row.record = report::buildRecord(*analyses, machine.spec);
    return mlir::success(!options.compareDataflows || compareDataflows(*analyses, machine.spec, row));
  }

  mlir::LogicalResult exploreKernel(tile::KernelOp kernel, Exploration &exploration) {
    llvm::SmallVector<int64_t> arguments = getArguments(kernel);
    exploration.kernel = kernel.getSymName().str();
    exploration.machine = base.name;
    for (const Variation &variation : options.variations)
      exploration.keys.push_back(variation.key);
    for (mlir::BlockArgument argument : kernel.getBody().getArguments())
      if (argument.getType().isIndex())
        exploration.shape.emplace_back(nameOf(argument), arguments[argument.getArgNumber()]);
    for (auto [number, machine] : llvm::enumerate(machines)) {
      if (options.onProgress)
        options.onProgress(number, machines.size());
      if (failed(exploreMachine(kernel, arguments, machine, exploration.machines.emplace_back())))
        return mlir::failure();
    }
    return mlir::success();
  }

  bool compareDataflows(const report::Analyses &analyses, const MachineSpec &machine, ExploredMachine &row) {
    std::string why;
    std::vector<DataflowVariant> variants = makeDataflows(analyses.model, machine.sms.value, why);
    if (variants.empty()) {
      tile::KernelOp kernel = analyses.model.kernel;
      kernel.emitError() << "has no other dataflows to compare with: " << why;
      return false;
    }
    for (const DataflowVariant &variant : variants) {
      mlir::FailureOr<NestTraffic> traffic = analyzeTraffic(variant.model);
      if (failed(traffic))
        return false;
      mlir::FailureOr<ThroughputMatch> match = matchThroughput(variant.model, *traffic, machine);
      if (failed(match))
        return false;
      ExploredDataflow &entry = row.dataflows.emplace_back();
      entry.name = tile::stringifyDataflow(variant.dataflow).str();
      entry.blocks = variant.model.blocks();
      double bytes = 0;
      for (const Transfer &transfer : traffic->transfers) {
        if (std::min(transfer.from, transfer.to) != tile::Level::DRAM || transfer.conditional)
          continue;
        entry.operands.emplace_back(transfer.name, transfer.bytes());
        // What is combined is read as well (formula 20).
        bytes += double(transfer.sentBytes()) * (transfer.access == AccessKind::Combine ? 2 : 1);
      }
      for (const StageMatch &stage : match->stages)
        if (stage.from == tile::Level::DRAM) {
          entry.guaranteedReuse = stage.guaranteedReuse;
          entry.requiredReuse = stage.requiredReuse;
          if (stage.available)
            entry.dramCycles = bytes / (*stage.available * double(machine.sms.value));
        }
      entry.computeCycles = match->computeCycles;
    }
    return true;
  }

  const ExploreOptions &options;
  mlir::MLIRContext context;
  DiagnosticForwarder diagnostics;
  MachineSpec base;
  std::vector<Machine> machines;
  /// By the shared memory of an SM and of a block.
  std::map<std::pair<int64_t, int64_t>, mlir::OwningOpRef<mlir::ModuleOp>> plans;
};

} // namespace

std::vector<std::string> tilec::variationKeys() {
  std::vector<std::string> names;
  for (const Key &key : kKeys)
    names.push_back(key.name);
  return names;
}

ExploreResult tilec::exportNest(const std::string &text, const std::string &fileName, ExportFormat format, const CompileOptions &options) {
  ExploreOptions exporting;
  exporting.compile = options;
  ExploreResult result;
  if (!runDeep([&] { result = Explorer(exporting).exportKernel(text, fileName, format); }))
    result.status = refuseThread(options);
  return result;
}

ExploreResult tilec::explore(const std::string &text, const std::string &fileName, const ExploreOptions &options) {
  ExploreResult result;
  if (!runDeep([&] { result = Explorer(options).run(text, fileName); }))
    result.status = refuseThread(options.compile);
  return result;
}
