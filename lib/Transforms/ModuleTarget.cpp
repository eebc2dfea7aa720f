//===- ModuleTarget.cpp - What a module is compiled for ---------*- C++ -*-===//

#include "tilec/Transforms/ModuleTarget.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "tilec/Analysis/NestModel.h"
#include "tilec/Runtime/KernelDescription.h"
#include "tilec/Tile/Program.h"
#include "tilec/Transforms/Passes.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

namespace tilec {
#define GEN_PASS_DEF_SETTARGETPASS
#include "tilec/Transforms/Passes.h.inc"
} // namespace tilec

using namespace mlir;
using namespace tilec;

static constexpr StringLiteral kTarget = "tile.target", kSizes = "tile.sizes";
/// The machine that others of the entries change numbers of.
static constexpr StringLiteral kChanged = "machine";

/// What of a device is a number, as `tile.target` spells it.
static constexpr std::pair<StringLiteral, int64_t DeviceProperties::*> kDeviceNumbers[] = {
    {"cc_major", &DeviceProperties::ccMajor},
    {"cc_minor", &DeviceProperties::ccMinor},
    {"sms", &DeviceProperties::smCount},
    {"clock_khz", &DeviceProperties::clockKHz},
    {"memory_clock_khz", &DeviceProperties::memoryClockKHz},
    {"memory_bus_bits", &DeviceProperties::memoryBusBits},
    {"l2_bytes", &DeviceProperties::l2Bytes},
    {"smem_per_block_optin_bytes", &DeviceProperties::smemPerBlockOptinBytes},
    {"smem_per_sm_bytes", &DeviceProperties::smemPerSMBytes},
    {"smem_reserved_per_block_bytes", &DeviceProperties::smemReservedPerBlockBytes},
    {"registers_per_sm", &DeviceProperties::registersPerSM},
    {"threads_per_block", &DeviceProperties::threadsPerBlock},
    {"threads_per_sm", &DeviceProperties::threadsPerSM},
    {"blocks_per_sm", &DeviceProperties::blocksPerSM},
    {"max_grid_x", &DeviceProperties::maxGridX}};

void tilec::setTarget(ModuleOp module, StringRef nameOrPath) {
  module->setAttr(kTarget, StringAttr::get(module.getContext(), nameOrPath));
}

void tilec::setTarget(ModuleOp module, const DeviceProperties &device) {
  Builder builder(module.getContext());
  SmallVector<NamedAttribute> entries = {builder.getNamedAttr("name", builder.getStringAttr(device.name))};
  for (auto [name, member] : kDeviceNumbers)
    entries.push_back(builder.getNamedAttr(name, builder.getI64IntegerAttr(device.*member)));
  module->setAttr(kTarget, builder.getDictionaryAttr(entries));
}

void tilec::changeTarget(ModuleOp module, StringRef path, double value) {
  Builder builder(module.getContext());
  Attribute target = module->getAttr(kTarget);
  auto entries = dyn_cast_if_present<DictionaryAttr>(target);
  NamedAttrList changed(entries && entries.contains(kChanged) ? entries : DictionaryAttr());
  if (!changed.get(kChanged))
    changed.set(kChanged, target ? target : builder.getStringAttr(kDefaultTarget));
  changed.set(path, builder.getF64FloatAttr(value));
  module->setAttr(kTarget, changed.getDictionary(module.getContext()));
}

static TargetResult readTarget(Attribute target) {
  if (auto name = dyn_cast<StringAttr>(target))
    return resolveTarget(name.str());
  auto entries = dyn_cast<DictionaryAttr>(target);
  if (!entries)
    return {std::nullopt, "tile.target is neither the name of a machine nor what a driver says of one"};
  if (Attribute base = entries.get(kChanged)) {
    TargetResult machine = readTarget(base);
    for (NamedAttribute entry : entries)
      if (auto number = dyn_cast<FloatAttr>(entry.getValue()); number && machine)
        changeNumber(*machine.spec, entry.getName().str(), number.getValueAsDouble());
    return machine;
  }
  DeviceProperties device;
  if (auto name = entries.getAs<StringAttr>("name"))
    device.name = name.str();
  for (auto [name, member] : kDeviceNumbers)
    if (auto number = entries.getAs<IntegerAttr>(name); number && number.getType().isInteger(64))
      device.*member = number.getInt();
  return fromDeviceProperties(device);
}

TargetResult tilec::getTarget(ModuleOp module) {
  Attribute target = module->getAttr(kTarget);
  return target ? readTarget(target) : resolveTarget(kDefaultTarget.str());
}

void tilec::setSizes(ModuleOp module, const std::map<std::string, int64_t> &sizes) {
  if (sizes.empty())
    return;
  Builder builder(module.getContext());
  NamedAttrList entries(module->getAttrOfType<DictionaryAttr>(kSizes));
  for (const auto &[name, extent] : sizes)
    entries.set(name, builder.getI64IntegerAttr(extent));
  module->setAttr(kSizes, entries.getDictionary(module.getContext()));
}

static SmallVector<BlockArgument> getSizes(FunctionOpInterface function) {
  return llvm::filter_to_vector(function.getArguments(), [](BlockArgument argument) { return argument.getType().isIndex(); });
}

/// What a user gives sizes of: programs, and kernels that no program runs.
static SmallVector<FunctionOpInterface> getEntries(ModuleOp module) {
  return llvm::filter_to_vector(module.getOps<FunctionOpInterface>(), [](FunctionOpInterface function) {
    auto kernel = dyn_cast<tile::KernelOp>(*function);
    return isa<tile::ProgramOp>(*function) || (kernel && !tile::findRun(kernel));
  });
}

/// The entry of `tile.sizes` for `size`: of its name, or else of its name in other case.
static std::optional<NamedAttribute> findEntry(ModuleOp module, BlockArgument size) {
  auto entries = module->getAttrOfType<DictionaryAttr>(kSizes);
  if (!entries)
    return std::nullopt;
  std::string name = analysis::nameOf(size);
  if (std::optional<NamedAttribute> exact = entries.getNamed(name))
    return exact;
  const auto *entry = llvm::find_if(entries, [&](NamedAttribute one) { return one.getName().strref().equals_insensitive(name); });
  return entry == entries.end() ? std::nullopt : std::optional(*entry);
}

LogicalResult tilec::checkSizes(ModuleOp module) {
  Attribute sizes = module->getAttr(kSizes);
  if (!sizes)
    return success();
  // The sizes of the command line stand on no line of the nest.
  auto nowhere = UnknownLoc::get(module.getContext());
  auto entries = dyn_cast<DictionaryAttr>(sizes);
  if (!entries)
    return emitError(nowhere) << "tile.sizes is " << sizes << ", expected numbers by the names of sizes";
  std::vector<std::string> known;
  SmallVector<StringAttr> used;
  for (FunctionOpInterface entry : getEntries(module))
    for (BlockArgument size : getSizes(entry)) {
      std::string name = analysis::nameOf(size);
      if (!llvm::is_contained(known, name))
        known.push_back(name);
      if (std::optional<NamedAttribute> entry = findEntry(module, size))
        used.push_back(entry->getName());
    }
  for (NamedAttribute entry : entries) {
    if (!llvm::is_contained(used, entry.getName()))
      return emitError(nowhere) << "the shape gives '" << entry.getName().strref() << "', but the sizes are "
                                << (known.empty() ? "all written in the nest" : llvm::join(known, ", "));
    auto extent = dyn_cast<IntegerAttr>(entry.getValue());
    if (!extent || !extent.getType().isInteger(64))
      return emitError(nowhere) << "tile.sizes gives '" << entry.getName().strref() << "' as " << entry.getValue() << ", expected a number of 64 bits";
    if (extent.getInt() < 0 || extent.getInt() > runtime::maxExtent)
      return emitError(nowhere) << "the shape gives '" << entry.getName().strref() << "' as " << extent.getInt() << ", but sizes go from 0 to "
                                << runtime::maxExtent;
  }
  return success();
}

/// The sizes of `function` that `tile.sizes` does not give.
static SmallVector<BlockArgument> listOpen(FunctionOpInterface function) {
  auto module = function->getParentOfType<ModuleOp>();
  return llvm::filter_to_vector(getSizes(function), [&](BlockArgument size) { return !findEntry(module, size); });
}

/// The value of each size of `function`.
static DenseMap<Value, Attribute> listValues(FunctionOpInterface function) {
  auto module = function->getParentOfType<ModuleOp>();
  Builder builder(module.getContext());
  int64_t byDefault = getDefaultExtent(listOpen(function).size(), 4096);
  DenseMap<Value, Attribute> values;
  for (BlockArgument size : getSizes(function)) {
    std::optional<NamedAttribute> entry = findEntry(module, size);
    values[size] = builder.getIndexAttr(entry ? cast<IntegerAttr>(entry->getValue()).getInt() : byDefault);
  }
  return values;
}

std::vector<int64_t> tilec::getSizeValues(FunctionOpInterface function) {
  DenseMap<Value, Attribute> values = listValues(function);
  std::vector<int64_t> numbers;
  for (BlockArgument size : getSizes(function))
    numbers.push_back(cast<IntegerAttr>(values.lookup(size)).getInt());
  return numbers;
}

/// `values` with what `program` computes from them.
static void computeSizes(tile::ProgramOp program, DenseMap<Value, Attribute> &values) {
  program.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op->getNumResults() != 1 || !op->getResult(0).getType().isIntOrIndex())
      return;
    SmallVector<Attribute> operands = llvm::map_to_vector(op->getOperands(), [&](Value operand) { return values.lookup(operand); });
    SmallVector<OpFoldResult> folded;
    if (succeeded(op->fold(operands, folded)) && folded.size() == 1)
      values[op->getResult(0)] = isa<Value>(folded[0]) ? values.lookup(cast<Value>(folded[0])) : cast<Attribute>(folded[0]);
  });
}

/// Is `run` executed where values of its program are these?
static bool isExecuted(tile::RunOp run, const DenseMap<Value, Attribute> &values) {
  Operation *inner = run;
  for (auto choice = inner->getParentOfType<scf::IfOp>(); choice; inner = choice, choice = inner->getParentOfType<scf::IfOp>()) {
    auto truth = dyn_cast_if_present<IntegerAttr>(values.lookup(choice.getCondition()));
    if (truth && truth.getValue().isZero() == choice.getThenRegion().isAncestor(inner->getParentRegion()))
      return false;
  }
  return true;
}

/// The run that `kernel` is planned and analysed for, and the values of the sizes that are given to it. No run is that of a kernel which is none of a program.
static std::pair<tile::RunOp, DenseMap<Value, Attribute>> findRunAtSizes(tile::KernelOp kernel) {
  SmallVector<tile::RunOp> runs = tile::listRuns(kernel);
  if (runs.empty())
    return {nullptr, listValues(kernel)};
  DenseMap<Value, Attribute> values;
  for (tile::RunOp run : runs) {
    auto program = run->getParentOfType<tile::ProgramOp>();
    values.insert_range(listValues(program));
    computeSizes(program, values);
  }
  auto *executed = llvm::find_if(runs, [&](tile::RunOp run) { return isExecuted(run, values); });
  return {executed == runs.end() ? runs.front() : *executed, std::move(values)};
}

bool tilec::isCalledFor(tile::KernelOp kernel) {
  auto [run, values] = findRunAtSizes(kernel);
  return !run || isExecuted(run, values);
}

SmallVector<BlockArgument> tilec::getOpenSizes(tile::KernelOp kernel) {
  tile::RunOp run = findRunAtSizes(kernel).first;
  if (!run)
    return listOpen(kernel);
  // What is computed from an open size is open.
  llvm::SetVector<Value> open;
  for (BlockArgument size : listOpen(run->getParentOfType<tile::ProgramOp>()))
    open.insert(size);
  run->getParentOfType<tile::ProgramOp>().getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op->getNumResults() == 1 && llvm::any_of(op->getOperands(), [&](Value operand) { return open.contains(operand); }))
      open.insert(op->getResult(0));
  });
  return llvm::filter_to_vector(getSizes(kernel), [&](BlockArgument size) { return open.contains(run.getOperands()[size.getArgNumber()]); });
}

SmallVector<int64_t> tilec::getArguments(tile::KernelOp kernel) {
  SmallVector<int64_t> arguments(kernel.getNumArguments(), 0);
  auto [run, values] = findRunAtSizes(kernel);
  for (BlockArgument size : getSizes(kernel)) {
    // What is no size is refused by the launcher.
    auto value = dyn_cast_if_present<IntegerAttr>(values.lookup(run ? run.getOperands()[size.getArgNumber()] : Value(size)));
    arguments[size.getArgNumber()] = value ? std::clamp<int64_t>(value.getInt(), 0, runtime::maxExtent) : 0;
  }
  return arguments;
}

int64_t tilec::getDefaultExtent(size_t sizes, int64_t three) {
  if (sizes <= 3)
    return three;
  return int64_t(1) << std::max<int64_t>(1, 3 * llvm::Log2_64(three) / int64_t(sizes));
}

/// The sizes that `shape` gives: "name=value", or values in the order of a kernel's size arguments.
static FailureOr<std::map<std::string, int64_t>> readShape(ModuleOp module, ArrayRef<std::string> shape) {
  std::map<std::string, int64_t> sizes;
  SmallVector<int64_t> inOrder;
  for (StringRef entry : shape) {
    auto [name, text] = entry.split('=');
    bool named = entry.contains('=');
    int64_t value = 0;
    if ((named ? text : entry).getAsInteger(10, value))
      return module.emitError("shape '") << entry << "' is not a number";
    if (named)
      sizes[name.str()] = value;
    else
      inOrder.push_back(value);
  }
  for (FunctionOpInterface entry : getEntries(module)) {
    SmallVector<BlockArgument> arguments = getSizes(entry);
    if (inOrder.size() > arguments.size())
      return entry.emitError("shape has ") << inOrder.size() << " numbers, the " << (isa<tile::ProgramOp>(*entry) ? "program" : "kernel") << " has "
                                           << arguments.size() << " sizes";
    for (auto [argument, value] : llvm::zip(arguments, inOrder))
      sizes[analysis::nameOf(argument)] = value;
  }
  return sizes;
}

namespace {
struct SetTarget : tilec::impl::SetTargetPassBase<SetTarget> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (!target.empty())
      setTarget(module, target);
    FailureOr<std::map<std::string, int64_t>> sizes = readShape(module, shape);
    if (failed(sizes))
      return signalPassFailure();
    setSizes(module, *sizes);
    TargetResult machine = getTarget(module);
    if (!machine)
      module.emitError(machine.error);
    if (!machine || failed(checkSizes(module)))
      signalPassFailure();
  }
};
} // namespace
