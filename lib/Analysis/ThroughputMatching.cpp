//===- ThroughputMatching.cpp - Does the memory feed the units? -*- C++ -*-===//
//
// Levels are judged by everything that leaves them: a level feeds the units if
// its bytes arrive while the units compute.
//
//===----------------------------------------------------------------------===//

#include "tilec/Analysis/ThroughputMatching.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "tilec/Layout/Instructions.h"
#include "tilec/Tile/ComputeClauses.h"
#include "tilec/Tile/InstructionUse.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::analysis;
using tilec::tile::Level;

static std::optional<MathType> findMathType(Type type) {
  if (!type)
    return std::nullopt;
  if (type.isF64())
    return MathType::F64;
  if (type.isF32())
    return MathType::F32;
  if (type.isTF32())
    return MathType::TF32;
  if (type.isF16())
    return MathType::F16;
  if (type.isBF16())
    return MathType::BF16;
  if (isa<Float8E4M3FNType>(type))
    return MathType::E4M3;
  if (isa<Float8E5M2Type>(type))
    return MathType::E5M2;
  if (type.isInteger(8))
    return MathType::S8;
  return std::nullopt;
}

/// Is `type` that of the result?
static bool addsUpIn(const ComputeModel &compute, layout::ElementType type) {
  Type result = getElementTypeOrSelf(compute.op->getOperand(compute.op->getNumOperands() - 1).getType());
  if (type == layout::ElementType::S32)
    return result.isInteger(32);
  std::optional<MathType> known = findMathType(result);
  return known && StringRef(toString(*known)) == layout::toString(type);
}

/// The unit that a key of a rate, as "mma.f16", names, if the machine states its rate.
static std::optional<ComputeUnit> findRate(const MachineSpec &machine, StringRef key) {
  for (const auto &[known, rate] : machine.rates)
    if (key == (Twine(toString(known.first)) + "." + toString(known.second)).str())
      return ComputeUnit{known.first, known.second, rate.rate.value};
  return std::nullopt;
}

/// Does `machine` execute an instruction on these types?
static bool has(const MachineSpec &machine, const layout::InstructionTypes &types) {
  auto [major, minor] = machine.computeCapability();
  int arch = 10 * major + minor;
  return types.archSpecific ? arch == types.lowestArch && machine.featureArch != machine.arch : arch >= types.lowestArch;
}

/// By what the points are computed, whether or not a nest says it.
static std::string getInstructionName(const ComputeModel &compute) {
  std::optional<tile::InstructionUse> use = tile::getInstructionUse(compute.op);
  return use ? use->name : tile::getInstruction(compute.op).value_or(tile::kByElement).str();
}

/// The types of the instruction of `compute` that are those of its elements, if `machine` executes it on them.
static std::optional<layout::InstructionTypes> findTypes(const MachineSpec &machine, const ComputeModel &compute) {
  std::optional<MathType> type = findMathType(compute.elementType);
  layout::Result<layout::InstructionLayout> instruction = layout::instructionLayout(getInstructionName(compute));
  bool byElement = instruction && instruction->threads == 1; // It computes whatever the body says.
  // Integers of all widths are computed in registers of 32 bits, which is the rate that is stated of the narrowest.
  if (byElement && compute.elementType && compute.elementType.isInteger())
    type = MathType::S8;
  if (!type || !instruction)
    return std::nullopt;
  // Bodies make 8-bit floats wider before they compute with them (language.md, 8.3).
  if (byElement && (type == MathType::E4M3 || type == MathType::E5M2))
    type = MathType::F32;
  for (const layout::InstructionTypes &types : instruction->types)
    if (StringRef(toString(*type)) == layout::toString(types.element) && has(machine, types) && (byElement || addsUpIn(compute, types.accumulator)))
      return types;
  return std::nullopt;
}

bool tilec::analysis::canExecute(const MachineSpec &machine, const ComputeModel &compute) { return findTypes(machine, compute).has_value(); }

std::optional<ComputeUnit> tilec::analysis::findComputeUnit(const MachineSpec &machine, const ComputeModel &compute) {
  std::optional<layout::InstructionTypes> types = findTypes(machine, compute);
  return types ? findRate(machine, types->rate) : std::nullopt;
}

/// Absent of constant memory, of which no rate is stated.
static std::optional<MemoryLevel> machineLevel(Level level) {
  switch (level) {
  case Level::Constant:
    return std::nullopt;
  case Level::DRAM:
    return MemoryLevel::Dram;
  case Level::SMEM:
    return MemoryLevel::Smem;
  case Level::RF:
    return MemoryLevel::Rf;
  }
  llvm_unreachable("covered switch");
}

/// Bytes of inputs that leave `level`, and of partial results that leave and enter it; what is combined does both.
static double portBytes(const NestTraffic &traffic, Level level) {
  double bytes = 0;
  for (const Transfer &transfer : traffic.transfers) {
    if (transfer.role == Role::Input && transfer.from == level)
      bytes += static_cast<double>(transfer.bytes()) / transfer.multicast;
    else if (transfer.partial && std::min(transfer.from, transfer.to) == level)
      bytes += static_cast<double>(transfer.bytes()) * (transfer.access == AccessKind::Combine ? 2 : 1);
  }
  return bytes;
}

/// Of whole tiles (formula 10).
static std::optional<double> guaranteedReuse(const NestTraffic &traffic, Level level) {
  double bytes = portBytes(traffic, level);
  if (bytes == 0 || traffic.operandBytes == 0)
    return std::nullopt;
  return static_cast<double>(traffic.operandBytes) / bytes;
}

/// The stages that inputs take, farthest level first. Outputs share the stages of their far
/// level; where no input leaves it they have one of their own.
static std::vector<StageMatch> listStages(const NestTraffic &traffic) {
  std::vector<StageMatch> stages;
  auto add = [&](Level from, Level to) {
    StageMatch &stage = stages.emplace_back();
    stage.from = from;
    stage.to = to;
  };
  for (const Transfer &transfer : traffic.transfers) {
    auto same = [&](const StageMatch &stage) {
      return stage.from == transfer.from && stage.to == transfer.to;
    };
    if (transfer.role == Role::Input && llvm::none_of(stages, same))
      add(transfer.from, transfer.to);
  }
  for (const Transfer &transfer : traffic.transfers) {
    Level far = std::min(transfer.from, transfer.to);
    if (transfer.role == Role::Output &&
        llvm::none_of(stages, [&](const StageMatch &s) { return s.from == far; }))
      add(far, std::max(transfer.from, transfer.to));
  }
  llvm::stable_sort(stages, [](const StageMatch &a, const StageMatch &b) {
    return std::make_pair(a.from, a.to) < std::make_pair(b.from, b.to);
  });
  return stages;
}

static void findLocalReuse(StageMatch &stage, const NestTraffic &traffic) {
  double taken = 0, delivered = 0;
  std::optional<double> least;
  for (const Transfer &transfer : traffic.transfers) {
    if (transfer.role != Role::Input || transfer.from != stage.from || transfer.to != stage.to)
      continue;
    taken += static_cast<double>(transfer.takenBelow) * transfer.elementBytes;
    delivered += static_cast<double>(transfer.bytes());
    std::optional<double> reuse = transfer.globalReuse();
    if (reuse && (!least || *reuse * transfer.multicast < *least)) {
      least = *reuse * transfer.multicast;
      stage.limitingOperand = transfer.name;
    }
  }
  if (delivered > 0)
    stage.localReuse = taken / delivered;
}

/// All that leaves DRAM passes L2, once for each cluster that asks for it.
static void matchL2(StageMatch &stage, const MachineSpec &machine, double clock) {
  CacheMatch &l2 = stage.caches.emplace_back();
  l2.available = machine.bytesPerCyclePerSM(MemoryLevel::L2, clock);
  l2.guaranteedReuse = stage.guaranteedReuse;
  if (!l2.available)
    return;
  l2.requiredReuse = *stage.required / *l2.available;
  l2.satisfied = *l2.guaranteedReuse >= *l2.requiredReuse;
}

/// Finds the unit of each computation that counts, and what all of them make together.
static void findUnits(ThroughputMatch &match, const NestModel &model, const NestTraffic &traffic,
                      const MachineSpec &machine) {
  SmallVector<std::pair<ComputeUnit, int64_t>, 2> work;
  for (auto [compute, own] : llvm::zip_equal(model.computes, traffic.computes)) {
    if (!own.counts)
      continue;
    std::optional<ComputeUnit> unit = findComputeUnit(machine, compute);
    if (!unit)
      return;
    auto same = llvm::find_if(work, [&](const auto &entry) {
      return entry.first.unit == unit->unit && entry.first.type == unit->type;
    });
    if (same == work.end())
      same = &work.emplace_back(*unit, 0);
    same->second += own.iterations;
  }
  // What only moves data has the clock of f32.
  const MathRate *idle = machine.rate(MathUnit::Fma, MathType::F32);
  if (work.empty() && idle)
    match.unit = ComputeUnit{MathUnit::Fma, MathType::F32, idle->rate.value};
  double cycles = 0, longest = -1;
  for (auto [unit, iterations] : work) {
    double own = static_cast<double>(iterations) / unit.rate;
    cycles += own;
    if (own <= longest)
      continue;
    longest = own;
    match.unit = unit;
  }
  if (!match.unit)
    return;
  bool mixed = work.size() > 1 && cycles > 0;
  match.meanRate = mixed ? static_cast<double>(traffic.iterations) / cycles : match.unit->rate;
}

FailureOr<ThroughputMatch> tilec::analysis::matchThroughput(const NestModel &model,
                                                            const NestTraffic &traffic,
                                                            const MachineSpec &machine) {
  FailureOr<NestTraffic> whole = analyzeTraffic(model, Edges::Whole);
  if (failed(whole))
    return failure();
  ThroughputMatch match;
  findUnits(match, model, traffic, machine);
  match.stages = listStages(traffic);
  match.limiter = "compute";

  double sms = static_cast<double>(machine.sms.value);
  double clock =
      match.unit ? machine.clockGHz(match.unit->unit, match.unit->type) : machine.boostClock.value;
  std::optional<double> required;
  if (traffic.compulsoryBytes > 0)
    match.roofline.fmaPerByte = static_cast<double>(traffic.iterations) / traffic.compulsoryBytes;
  if (match.unit) {
    match.roofline.machineFmaPerByte = match.meanRate / machine.dramBytesPerCyclePerSM(clock);
    match.computeCycles = 0;
    if (traffic.iterations > 0) {
      required = match.meanRate * static_cast<double>(traffic.operandBytes) / traffic.iterations;
      match.computeCycles = static_cast<double>(traffic.iterations) / (match.meanRate * sms);
    }
  }
  match.roofline.computeBound = match.roofline.fmaPerByte && match.roofline.machineFmaPerByte &&
                                *match.roofline.fmaPerByte >= *match.roofline.machineFmaPerByte;

  double longest = match.computeCycles.value_or(0);
  for (StageMatch &stage : match.stages) {
    findLocalReuse(stage, *whole);
    if (std::optional<MemoryLevel> level = machineLevel(stage.from))
      stage.available = machine.bytesPerCyclePerSM(*level, clock);
    stage.required = required;
    stage.guaranteedReuse = guaranteedReuse(*whole, stage.from);
    if (!stage.available)
      continue;
    stage.cycles = portBytes(traffic, stage.from) / (*stage.available * sms);
    if (*stage.cycles > longest) {
      longest = *stage.cycles;
      match.limiter = stringifyLevel(stage.from).str();
    }
    if (stage.guaranteedReuse)
      stage.amplified = *stage.available * *stage.guaranteedReuse;
    if (!stage.required)
      continue;
    stage.requiredReuse = *stage.required / *stage.available;
    if (!stage.guaranteedReuse)
      continue;
    stage.slack = *stage.guaranteedReuse / *stage.requiredReuse;
    stage.satisfied = *stage.slack >= 1;
    if (stage.from == Level::DRAM)
      matchL2(stage, machine, clock);
  }
  for (auto [i, stage] : llvm::enumerate(match.stages)) {
    if (!stage.available || !stage.required || !stage.localReuse)
      continue;
    double taken = *stage.required;
    for (const StageMatch &next : ArrayRef(match.stages).drop_front(i + 1))
      if (next.from == stage.to && next.available)
        taken = std::min(taken, *next.available);
    stage.requiredLocalReuse = taken / *stage.available;
  }
  return match;
}
