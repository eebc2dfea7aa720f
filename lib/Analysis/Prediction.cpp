//===- Prediction.cpp - The least time a kernel can take --------*- C++ -*-===//
//
// Resources of one SM wait for the SM with most blocks; DRAM and L2 serve all.
//
//===----------------------------------------------------------------------===//

#include "tilec/Analysis/Prediction.h"

#include <cmath>

using namespace mlir;
using namespace tilec;
using namespace tilec::analysis;
using tilec::tile::Level;

/// Grids beyond this many blocks are not compared in other orders, to stay quick.
constexpr int64_t kMostBlocksToCompare = 8192;
/// The widest load from shared memory, in bytes of one thread.
constexpr int64_t kWidestLoad = 16;

/// The orders of nests, with common groups and the one that makes a wave as square as it can be;
/// and for comparison boxes of that side, and the diagonal, which shares least.
static std::vector<RasterOrder> ordersToCompare(int64_t concurrent) {
  auto side = std::max<int64_t>(std::llround(std::sqrt(static_cast<double>(concurrent))), 1);
  std::vector<RasterOrder> orders = {{RasterOrder::Row}, {RasterOrder::Column}};
  for (int64_t group : {int64_t(4), int64_t(8), int64_t(16)})
    if (group != side)
      orders.push_back({RasterOrder::Grouped, group});
  orders.push_back({RasterOrder::Grouped, side});
  orders.push_back({RasterOrder::Boxes, side, (concurrent + side - 1) / side});
  orders.push_back({RasterOrder::Diagonal});
  return orders;
}

namespace {

class Predictor {
public:
  Predictor(const NestModel &model, const NestTraffic &traffic, const ThroughputMatch &match,
            const MachineSpec &machine)
      : model(model), traffic(traffic), match(match), machine(machine) {}

  LogicalResult run(const Resources &resources, std::optional<int64_t> registers,
                    std::optional<RasterOrder> order) {
    int64_t taken = registers.value_or(std::min(resources.tileRegisters + kOtherRegisters,
                                                machine.limits.registersPerThread.value));
    // Beside producers one block has an SM to itself: its launch bounds leave each thread no more.
    if (resources.threadsPerBlock > model.threadsPerBlock())
      taken = std::min(taken, machine.registersPerSM() / resources.threadsPerBlock / 8 * 8);
    result.occupancy =
        findOccupancy(machine, resources.smemBytes, resources.threadsPerBlock, taken);
    result.tail = findTail(model.blocks(), machine.sms.value, result.occupancy.blocksPerSM);
    result.cutTail = findCutTail(model, machine.sms.value * result.occupancy.blocksPerSM);
    if (result.cutTail)
      result.tail.efficiency = result.cutTail->efficiency(machine.sms.value);
    if (failed(shareTiles(order)))
      return failure();
    countBytes();
    timeResources();
    return success();
  }

  Prediction result;

private:
  LogicalResult shareTiles(std::optional<RasterOrder> order) {
    FailureOr<NestTraffic> whole = analyzeTraffic(model, Edges::Whole);
    if (failed(whole))
      return failure();
    int64_t cluster = 1;
    for (const LoopModel &loop : model.loops)
      cluster *= loop.clusterBlocks;
    int64_t concurrent = machine.sms.value * result.occupancy.blocksPerSM / cluster;
    result.raster = analyzeRaster(model, *whole, order.value_or(rasterOf(model)), concurrent);
    if (!result.raster)
      return success();
    const LevelSpec &l2 = machine.level(MemoryLevel::L2);
    if (l2.capacity && result.raster->workingSetBytes <= l2.capacity->value)
      result.sharing = result.raster->all.factor();
    if (!order && result.raster->all.blocks <= kMostBlocksToCompare)
      for (const RasterOrder &other : ordersToCompare(concurrent))
        if (std::optional<RasterAnalysis> raster = analyzeRaster(model, *whole, other, concurrent))
          result.otherOrders.emplace_back(other, raster->all.factor());
    double fromL2 = 0;
    for (const Transfer &transfer : whole->transfers)
      if (transfer.role == Role::Input && transfer.from == Level::DRAM)
        fromL2 += static_cast<double>(transfer.sentBytes()) / transfer.readsInBlock;
    if (fromL2 > 0 && whole->operandBytes > 0)
      result.opportunisticReuse =
          static_cast<double>(whole->operandBytes) / fromL2 * result.sharing;
    return success();
  }

  void countBytes() {
    double inputs = 0, outputs = 0;
    for (const Transfer &transfer : traffic.transfers) {
      if (std::min(transfer.from, transfer.to) != Level::DRAM || transfer.conditional)
        continue;
      if (transfer.role == Role::Input)
        inputs += static_cast<double>(transfer.sentBytes()) / transfer.readsInBlock;
      else // What is combined is read as well.
        outputs += static_cast<double>(transfer.bytes()) *
                   (transfer.access == AccessKind::Combine ? 2 : 1);
    }
    result.l2Bytes = inputs + outputs;
    result.dramBytes = inputs / result.sharing + outputs;
    // What fits L2 as a whole comes once.
    const LevelSpec &l2 = machine.level(MemoryLevel::L2);
    if (l2.capacity && traffic.compulsoryBytes <= l2.capacity->value)
      result.dramBytes = std::min<double>(result.dramBytes, traffic.compulsoryBytes);
    if (!result.cutTail)
      return;
    // Parts of sums are read soon after they are written: from L2, where it holds them.
    bool staysInL2 = l2.capacity && result.cutTail->workspaceBytes <= l2.capacity->value;
    for (const Transfer &transfer : result.cutTail->transfers) {
      double bytes = static_cast<double>(transfer.bytes()) * (transfer.access == AccessKind::Combine ? 2 : 1);
      result.l2Bytes += bytes;
      result.dramBytes += staysInL2 ? 0 : bytes;
    }
  }

  void timeResources() {
    if (!match.unit || !match.computeCycles)
      return;
    double clock = machine.clockGHz(match.unit->unit, match.unit->type);
    double sms = static_cast<double>(machine.sms.value);
    auto add = [&](const char *resource, double cycles) {
      if (cycles > 0)
        result.times.push_back({resource, cycles});
    };
    double smemBytes = 0, l1Bytes = 0;
    for (const Transfer &transfer : traffic.transfers) {
      if (transfer.from == Level::SMEM)
        smemBytes += static_cast<double>(transfer.bytes());
      if (transfer.from == Level::DRAM && transfer.to == Level::RF && !transfer.conditional)
        l1Bytes += static_cast<double>(transfer.bytes());
    }
    add("compute", *match.computeCycles / result.tail.efficiency);
    const MathRate *rate = machine.rate(match.unit->unit, match.unit->type);
    if (rate->perInstruction && match.unit->unit == MathUnit::Fma) {
      double lanes = static_cast<double>(machine.limits.warpSize.value);
      double instructions = static_cast<double>(traffic.iterations) / rate->perInstruction->value +
                            (smemBytes + l1Bytes) / (lanes * kWidestLoad);
      add("issue", instructions / (sms * machine.limits.issueSlots.value) / result.tail.efficiency);
    }
    if (std::optional<double> available = machine.bytesPerCyclePerSM(MemoryLevel::Smem, clock))
      add("smem", smemBytes / (*available * sms) / result.tail.efficiency);
    // L1 and shared memory are one array: where nobody measured L1, it delivers no more.
    std::optional<double> l1 = machine.bytesPerCyclePerSM(MemoryLevel::L1, clock);
    if (!l1)
      l1 = machine.bytesPerCyclePerSM(MemoryLevel::Smem, clock);
    if (l1)
      add("l1", l1Bytes / (*l1 * sms) / result.tail.efficiency);
    if (std::optional<double> available = machine.bytesPerCyclePerSM(MemoryLevel::L2, clock))
      add("l2", result.l2Bytes / (*available * sms));
    if (std::optional<double> available = machine.bytesPerCyclePerSM(MemoryLevel::Dram, clock))
      add("dram", result.dramBytes / (*available * sms));
    if (machine.costs.launch)
      add("launch", machine.costs.launch->value * clock * 1e3);
    // Of equals the first named: computing is what the kernel is for.
    llvm::stable_sort(result.times, [](const ResourceTime &a, const ResourceTime &b) {
      return a.cycles > b.cycles * (1 + 1e-9);
    });
    if (result.times.empty())
      return;
    result.cycles = result.times.front().cycles;
    // Tensor cores draw so much power that the clock falls.
    if (match.unit->unit != MathUnit::Fma && machine.loadClock)
      clock = std::min(clock, machine.loadClock->value);
    result.seconds = *result.cycles / (clock * 1e9);
    result.tflops = 2 * static_cast<double>(traffic.iterations) / *result.seconds / 1e12;
    result.fractionOfPeak = *match.computeCycles / *result.cycles;
  }

  const NestModel &model;
  const NestTraffic &traffic;
  const ThroughputMatch &match;
  const MachineSpec &machine;
};

} // namespace

FailureOr<Prediction> tilec::analysis::predict(const NestModel &model, const NestTraffic &traffic,
                                               const ThroughputMatch &match,
                                               const Resources &resources,
                                               const MachineSpec &machine,
                                               std::optional<int64_t> registers,
                                               std::optional<RasterOrder> order) {
  Predictor predictor(model, traffic, match, machine);
  if (failed(predictor.run(resources, registers, order)))
    return failure();
  return std::move(predictor.result);
}
