//===- Fields.cpp - The numbers of a machine, by path -----------*- C++ -*-===//

#include "Fields.h"

#include <cmath>
#include <cstdio>
#include <type_traits>

namespace tilec::machine {

namespace {

constexpr double kMaxBytes = 1099511627776.0; // 2^40
constexpr double kMaxCount = 1048576.0;       // 2^20: products of two counts stay exact
constexpr double kMinReal = 1e-6;
constexpr double kMaxReal = kMaxBytes;
constexpr double kMaxClock = 100.0;
/// Of a root: the greater, the nearer to a maximum.
constexpr double kMaxExponent = 100.0;

/// Collects fields; one method for each kind of range.
class Collector {
public:
  std::vector<NumberField> fields;

  template <typename Slot>
  void count(std::string path, Slot &slot, const char *unit, double min = 1) {
    add(std::move(path), slot, unit, min, kMaxCount);
  }
  template <typename Slot>
  void bytes(std::string path, Slot &slot, bool required = true) {
    add(std::move(path), slot, "B", 1, kMaxBytes, required);
  }
  template <typename Slot>
  void real(std::string path, Slot &slot, const char *unit, bool required = false) {
    add(std::move(path), slot, unit, kMinReal, kMaxReal, required);
  }
  template <typename Slot>
  void clock(std::string path, Slot &slot) {
    add(std::move(path), slot, "GHz", kMinReal, kMaxClock);
  }
  template <typename Slot>
  void add(std::string path, Slot &slot, const char *unit, double min, double max,
           bool required = true) {
    constexpr bool optional = std::is_same_v<Slot, std::optional<SourcedInt>> ||
                              std::is_same_v<Slot, std::optional<SourcedReal>>;
    fields.push_back({std::move(path), unit, min, max, required && !optional, &slot});
  }
};

const char *bandwidthUnit(MemoryLevel level) {
  if (level == MemoryLevel::Dram)
    return "GB/s";
  return level == MemoryLevel::L2 ? "B/cycle" : "B/cycle/SM";
}

void collectLevels(Collector &collector, MachineSpec &spec) {
  for (unsigned i = 0; i < kNumMemoryLevels; ++i) {
    auto level = static_cast<MemoryLevel>(i);
    std::string path = std::string("levels.") + toString(level) + ".";
    LevelSpec &slots = spec.levels[i];
    // Slots are optional for every level; analysis cannot do without those that are required here.
    bool onChip = level == MemoryLevel::Smem || level == MemoryLevel::Rf;
    if (onChip || level == MemoryLevel::L2) {
      collector.bytes(path + "capacity", slots.capacity);
      collector.fields.back().required = onChip;
    }
    if (level == MemoryLevel::Rf)
      continue;
    collector.real(path + "bandwidth", slots.bandwidth, bandwidthUnit(level));
    collector.fields.back().required = level == MemoryLevel::Dram || level == MemoryLevel::Smem;
    if (level == MemoryLevel::Dram)
      collector.add(path + "sustained", slots.sustained, "of bandwidth", kMinReal, 1);
    if (level == MemoryLevel::L1)
      continue;
    collector.real(path + "latency", slots.latency, "cycles");
    collector.real(path + "loaded_latency", slots.loadedLatency, "cycles");
  }
}

void collectUnits(Collector &collector, MachineSpec &spec) {
  for (unsigned i = 0; i < kNumMathUnits; ++i) {
    auto unit = static_cast<MathUnit>(i);
    std::string unitPath = std::string("units.") + toString(unit) + ".";
    for (auto &[key, slots] : spec.rates) {
      if (key.first != unit)
        continue;
      std::string path = unitPath + toString(key.second) + ".";
      collector.real(path + "rate", slots.rate, "FMA/cycle/SM", /*required=*/true);
      collector.clock(path + "clock", slots.clock);
      collector.count(path + "per_instruction", slots.perInstruction, "FMA/warp-instruction");
    }
  }
}

void collectLimits(Collector &collector, LimitsSpec &limits) {
  collector.bytes("limits.smem_per_block", limits.smemPerBlock);
  collector.add("limits.smem_reserved_per_block", limits.smemReservedPerBlock, "B", 0, kMaxBytes);
  collector.bytes("limits.smem_allocation_unit", limits.smemAllocationUnit);
  collector.bytes("limits.constant_bytes", limits.constantBytes, /*required=*/false);
  collector.count("limits.registers_per_thread", limits.registersPerThread, "registers");
  collector.count("limits.register_allocation_unit", limits.registerAllocationUnit,
                  "registers/warp");
  collector.count("limits.warp_size", limits.warpSize, "threads");
  collector.count("limits.threads_per_block", limits.threadsPerBlock, "threads");
  collector.count("limits.threads_per_sm", limits.threadsPerSM, "threads");
  collector.count("limits.blocks_per_sm", limits.blocksPerSM, "blocks");
  collector.count("limits.cluster_size", limits.clusterSize, "blocks");
  collector.add("limits.grid_x", limits.gridX, "blocks", 1, kMaxBytes);
  collector.count("limits.smem_banks", limits.smemBanks, "banks");
  collector.count("limits.smem_bank_width", limits.smemBankWidth, "B");
  collector.count("limits.sector_bytes", limits.sectorBytes, "B");
  collector.count("limits.line_bytes", limits.lineBytes, "B");
  collector.count("limits.issue_slots", limits.issueSlots, "warp-instructions/cycle/SM");
}

void collectCompiler(Collector &collector, CompilerSpec &compiler) {
  auto add = [&](const char *group, const char *key, auto &slot, const char *unit, double min = 0) {
    collector.add(std::string("compiler.") + group + "." + key, slot, unit, min, kMaxCount);
  };
  CompilerInstructions &instructions = compiler.instructions;
  const char *each = "warp-instructions";
  add("instructions", "copy", instructions.copy, each);
  add("instructions", "async_copy", instructions.asyncCopy, each);
  add("instructions", "copy_step", instructions.copyStep, each);
  add("instructions", "async_step", instructions.asyncStep, each);
  add("instructions", "access", instructions.access, each);
  add("instructions", "access_row", instructions.accessRow, each);
  add("instructions", "access_window", instructions.accessWindow, each);
  add("instructions", "swizzled", instructions.swizzled, each);
  add("instructions", "guarded", instructions.guarded, each);
  add("instructions", "start", instructions.start, each);
  add("instructions", "guarded_start", instructions.guardedStart, each);
  add("instructions", "loop", instructions.loop, each);
  add("instructions", "fetch", instructions.fetch, each);
  add("functions", "divide", compiler.functions.divide, each);
  add("functions", "remainder", compiler.functions.remainder, each);
  add("functions", "sqrt", compiler.functions.sqrt, each);
  add("functions", "rsqrt", compiler.functions.rsqrt, each);
  add("functions", "exp", compiler.functions.exp, each);
  add("functions", "exp2", compiler.functions.exp2, each);
  add("functions", "expm1", compiler.functions.expm1, each);
  add("functions", "log", compiler.functions.log, each);
  add("functions", "pow", compiler.functions.pow, each);
  add("functions", "sin", compiler.functions.sin, each);
  add("functions", "tanh", compiler.functions.tanh, each);
  add("functions", "erf", compiler.functions.erf, each);
  add("functions", "integer_divide", compiler.functions.integerDivide, each);
  add("functions", "convert", compiler.functions.convert, each);
  add("functions", "exp_narrow", compiler.functions.expNarrow, each);
  add("functions", "divide_kept", compiler.functions.divideKept, each);
  add("schedule", "unroll_whole", compiler.schedule.unrollWhole, "FMA");
  add("schedule", "unroll_part", compiler.schedule.unrollPart, "FMA", 1);
  add("schedule", "join_most", compiler.schedule.joinMost, "FMA", 0);
  add("schedule", "loads_ahead", compiler.schedule.loadsAhead, "loads", 1);
  add("schedule", "guarded_ahead", compiler.schedule.guardedAhead, "loads", 1);
  CompilerRegisters &registers = compiler.registers;
  auto addRegisters = [&](const char *key, SourcedInt &slot) { add("registers", key, slot, "registers"); };
  addRegisters("loops", registers.loops);
  addRegisters("ahead", registers.ahead);
  addRegisters("ahead_persistent", registers.aheadPersistent);
  addRegisters("ahead_buffers", registers.aheadBuffers);
  addRegisters("cut", registers.cut);
  addRegisters("cluster_sum", registers.clusterSum);
  addRegisters("under_way", registers.underWay);
  addRegisters("from_shared", registers.fromShared);
  add("registers", "waiting_share", registers.waitingShare, "of values");
  add("registers", "address_share", registers.addressShare, "of copies");
  add("registers", "needed_share", registers.neededShare, "of registers");
  addRegisters("warp", registers.warp);
  add("registers", "warp_share", registers.warpShare, "of sums");
  addRegisters("warp_piece", registers.warpPiece);
  addRegisters("warp_step", registers.warpStep);
  add("registers", "squeeze", registers.squeeze, "%");
  add("registers", "room", registers.room, "%");
  addRegisters("unrolled", registers.unrolled);
  addRegisters("straight", registers.straight);
  addRegisters("copied", registers.copied);
  addRegisters("stream", registers.stream);
  addRegisters("guarded_dimension", registers.guardedDimension);
  addRegisters("special", registers.special);
  addRegisters("streamed", registers.streamed);
  addRegisters("at_launch", registers.atLaunch);
  addRegisters("moved", registers.moved);
  addRegisters("moved_element", registers.movedElement);
  addRegisters("element", registers.element);
  addRegisters("element_dimension", registers.elementDimension);
  addRegisters("element_input", registers.elementInput);
  add("registers", "following_share", registers.followingShare, "of elements");
  addRegisters("element_shared", registers.elementShared);
  addRegisters("together", registers.together);
  addRegisters("together_input", registers.togetherInput);
  addRegisters("together_element", registers.togetherElement);
  addRegisters("together_line", registers.togetherLine);
  add("registers", "predicated", registers.predicated, "inputs");
}

void collectTiming(Collector &collector, TimingSpec &timing) {
  collector.add("timing.overlap", timing.overlap, "power", 1, kMaxExponent);
  collector.add("timing.overlap_array", timing.overlapArray, "power", 1, kMaxExponent);
  collector.add("timing.overlap_memory", timing.overlapMemory, "power", 1, kMaxExponent);
  collector.add("timing.overlap_roles", timing.overlapRoles, "power", 1, kMaxExponent);
  collector.add("timing.overlap_units", timing.overlapUnits, "power", 1, kMaxExponent);
  collector.add("timing.stall_warps", timing.stallWarps, "warps of a scheduler", 0, kMaxCount);
  collector.add("timing.few_warps", timing.fewWarps, "times", 1, kMaxCount);
  collector.add("timing.producer_copy", timing.producerCopy, "cycles", 0, kMaxCount);
  collector.add("timing.producer_slots", timing.producerSlots, "issue slots", 0, kMaxCount);
  collector.add("timing.tight_registers", timing.tightRegisters, "times", 0, kMaxCount);
  collector.add("timing.code_held", timing.codeHeld, "bytes", 0, kMaxCount);
  collector.add("timing.code_rate", timing.codeRate, "bytes a cycle", kMinReal, kMaxCount);
  collector.add("timing.copy_slots", timing.copySlots, "issue slots", 1, kMaxCount);
  collector.add("timing.end_waits", timing.endWaits, "waits", 0, kMaxCount);
  collector.add("timing.start_waits", timing.startWaits, "waits", 0, kMaxCount);
  collector.add("timing.block_start", timing.blockStart, "cycles", 0, kMaxCount);
  collector.add("timing.l2_port", timing.l2Port, "B/cycle/SM", kMinReal, kMaxCount);
  collector.add("timing.wait_margin", timing.waitMargin, "times", 1, kMaxCount);
  collector.add("timing.idle_share", timing.idleShare, "of time", 0, 1);
  collector.add("timing.step_blocks", timing.stepBlocks, "blocks", 1, kMaxCount);
  collector.add("timing.step_warps", timing.stepWarps, "warps of a scheduler", 0, kMaxCount);
  collector.add("timing.step_far", timing.stepFar, "blocks", 1, kMaxCount);
  collector.add("timing.step_rounds", timing.stepRounds, "rounds", kMinReal, kMaxCount);
  collector.add("timing.l2_share", timing.l2Share, "of capacity", kMinReal, 1);
  collector.add("timing.l2_others", timing.l2Others, "bytes/byte", 0, kMaxCount);
  collector.add("timing.l2_parted", timing.l2Parted, "of sectors", 0, 1);
  collector.add("timing.split_sector", timing.splitSector, "bytes", 0, kMaxCount);
  collector.add("timing.box_sector", timing.boxSector, "bytes", 0, kMaxCount);
  collector.add("timing.box_line", timing.boxLine, "bytes", 0, kMaxCount);
  collector.add("timing.l2_power", timing.l2Power, "power", 1, kMaxExponent);
  collector.add("timing.box_share", timing.boxShare, "of bytes", kMinReal, 1);
  collector.add("timing.partial_line", timing.partialLine, "cycles", 0, kMaxCount);
  collector.add("timing.special_lanes", timing.specialLanes, "lanes/cycle/SM", kMinReal, kMaxReal);
  collector.add("timing.dram_read", timing.dramRead, "of time", kMinReal, 1);
  collector.add("timing.l2_found", timing.l2Found, "of capacity", 0, 1);
}

} // namespace

bool NumberField::isInteger() const { return slot.index() == 0 || slot.index() == 2; }

namespace {

/// Calls `act` on the number that `slot` holds, if it holds one.
template <typename Slot, typename Act>
void visitNumber(const Slot &slot, Act act) {
  std::visit(
      [&](auto *place) {
        using Held = std::remove_pointer_t<decltype(place)>;
        if constexpr (std::is_same_v<Held, SourcedInt> || std::is_same_v<Held, SourcedReal>) {
          if (!place->source.empty())
            act(*place);
        } else if (*place) {
          act(**place);
        }
      },
      slot);
}

} // namespace

bool NumberField::isKnown() const {
  bool known = false;
  visitNumber(slot, [&](auto &) { known = true; });
  return known;
}

double NumberField::value() const {
  double value = 0;
  visitNumber(slot, [&](auto &number) { value = static_cast<double>(number.value); });
  return value;
}

std::string NumberField::source() const {
  std::string source;
  visitNumber(slot, [&](auto &number) { source = number.source; });
  return source;
}

bool NumberField::isStandIn() const {
  bool standIn = false;
  visitNumber(slot, [&](auto &number) { standIn = number.standIn; });
  return standIn;
}

void NumberField::set(double value, std::string source, bool standIn) const {
  std::visit(
      [&](auto *place) {
        using Held = std::remove_pointer_t<decltype(place)>;
        if constexpr (std::is_same_v<Held, SourcedInt> || std::is_same_v<Held, std::optional<SourcedInt>>)
          *place = SourcedInt{static_cast<int64_t>(value), std::move(source), standIn};
        else
          *place = SourcedReal{value, std::move(source), standIn};
      },
      slot);
}

void NumberField::clear() const {
  std::visit([](auto *place) { *place = {}; }, slot);
}

std::vector<NumberField> numberFields(MachineSpec &spec) {
  Collector collector;
  collector.count("sms", spec.sms, "SMs");
  collector.clock("clocks.boost", spec.boostClock);
  collector.clock("clocks.load", spec.loadClock);
  collectLevels(collector, spec);
  collectUnits(collector, spec);
  collectLimits(collector, spec.limits);
  collector.real("costs.launch", spec.costs.launch, "us");
  collector.real("costs.dependent_launch", spec.costs.dependentLaunch, "us");
  collector.real("costs.cluster_barrier", spec.costs.clusterBarrier, "cycles");
  collector.real("costs.dsmem_latency", spec.costs.dsmemLatency, "cycles");
  collector.real("costs.dsmem_bandwidth", spec.costs.dsmemBandwidth, "B/cycle/SM");
  collector.real("costs.store_line", spec.costs.storeLine, "cycles");
  collector.real("costs.atomics", spec.costs.atomics, "additions/cycle");
  collectCompiler(collector, spec.compiler);
  collectTiming(collector, spec.timing);
  return std::move(collector.fields);
}

std::vector<FeatureField> featureFields(MachineSpec &spec) {
  Features &features = spec.features;
  return {{"cp_async", &features.cpAsync}, {"mbarrier", &features.mbarrier}, {"clusters", &features.clusters},
          {"dsmem", &features.dsmem},      {"tma", &features.tma},           {"multicast", &features.multicast},
          {"wgmma", &features.wgmma},      {"setmaxnreg", &features.setmaxnreg},
          {"dependent_launch", &features.dependentLaunch}};
}

void addAllRates(MachineSpec &spec) {
  for (unsigned unit = 0; unit < kNumMathUnits; ++unit)
    for (unsigned type = 0; type < kNumMathTypes; ++type)
      spec.rates[{static_cast<MathUnit>(unit), static_cast<MathType>(type)}];
}

void dropEmptyRates(MachineSpec &spec) {
  for (auto it = spec.rates.begin(); it != spec.rates.end();) {
    const MathRate &rate = it->second;
    bool empty = rate.rate.source.empty() && !rate.clock && !rate.perInstruction;
    it = empty ? spec.rates.erase(it) : std::next(it);
  }
}

std::string formatNumber(double value) {
  char text[64];
  bool integer = std::floor(value) == value && std::fabs(value) < 1e15;
  std::snprintf(text, sizeof(text), integer ? "%.0f" : "%.10g", value);
  return text;
}

} // namespace tilec::machine
