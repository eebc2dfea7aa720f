//===- Prediction.cpp - Blocks that run together, bytes they move *- C++ -*-===//
//
// Times follow from these in Timing.cpp.
//
//===----------------------------------------------------------------------===//

#include "tilec/Analysis/Prediction.h"

#include <cmath>

using namespace mlir;
using namespace tilec;
using namespace tilec::analysis;
using tilec::tile::Level;

/// Boxes and diagonals, which no nest can ask for, are counted block by block: not in grids beyond.
constexpr int64_t kMostBlocksToEnumerate = 4096;

/// The orders of nests, with common groups and the one that makes a wave as square as it can be;
/// and for comparison boxes of that side, and the diagonal, which shares least.
static std::vector<RasterOrder> ordersToCompare(int64_t concurrent, int64_t blocks) {
  auto side = std::max<int64_t>(std::llround(std::sqrt(static_cast<double>(concurrent))), 1);
  std::vector<RasterOrder> orders = {{RasterOrder::Row}, {RasterOrder::Column}};
  for (int64_t group : {int64_t(4), int64_t(8), int64_t(16)})
    if (group != side)
      orders.push_back({RasterOrder::Grouped, group});
  orders.push_back({RasterOrder::Grouped, side});
  if (blocks > kMostBlocksToEnumerate)
    return orders;
  orders.push_back({RasterOrder::Boxes, side, (concurrent + side - 1) / side});
  orders.push_back({RasterOrder::Diagonal});
  return orders;
}

namespace {

class Predictor {
public:
  Predictor(const NestModel &model, const NestTraffic &traffic, const NestTraffic &whole,
            const MachineSpec &machine)
      : model(model), traffic(traffic), whole(whole), machine(machine) {}

  void run(const Resources &resources, std::optional<int64_t> registers,
           std::optional<RasterOrder> order) {
    result.registers = estimateRegisters(model, resources.threadsPerBlock, machine);
    int64_t taken = registers.value_or(result.registers);
    result.occupancy =
        findOccupancy(machine, resources.smemBytes, resources.threadsPerBlock, taken);
    result.tail = findTail(model.blocks(), machine.sms.value, result.occupancy.blocksPerSM);
    result.cutTail = findCutTail(model, machine.sms.value * result.occupancy.blocksPerSM);
    if (result.cutTail)
      result.tail.efficiency = result.cutTail->efficiency(machine.sms.value);
    shareTiles(order);
    countBytes();
  }

  Prediction result;

private:
  void shareTiles(std::optional<RasterOrder> order) {
    int64_t cluster = 1;
    for (const LoopModel &loop : model.loops)
      cluster *= loop.clusterBlocks;
    int64_t concurrent = machine.sms.value * result.occupancy.blocksPerSM / cluster;
    result.raster = analyzeRaster(model, whole, order.value_or(rasterOf(model)), concurrent);
    if (!result.raster)
      return;
    const LevelSpec &l2 = machine.level(MemoryLevel::L2);
    if (l2.capacity && result.raster->workingSetBytes <= l2.capacity->value)
      result.sharing = result.raster->all.factor();
    if (!order)
      for (const RasterOrder &other : ordersToCompare(concurrent, result.raster->all.blocks))
        if (std::optional<RasterAnalysis> raster = analyzeRaster(model, whole, other, concurrent))
          result.otherOrders.emplace_back(other, raster->all.factor());
    double fromL2 = 0;
    for (const Transfer &transfer : whole.transfers)
      if (transfer.role == Role::Input && transfer.from == Level::DRAM)
        fromL2 += static_cast<double>(transfer.sentBytes()) / transfer.readsInBlock;
    if (fromL2 > 0 && whole.operandBytes > 0)
      result.opportunisticReuse =
          static_cast<double>(whole.operandBytes) / fromL2 * result.sharing;
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

  const NestModel &model;
  const NestTraffic &traffic;
  const NestTraffic &whole;
  const MachineSpec &machine;
};

} // namespace

Prediction tilec::analysis::predictTraffic(const NestModel &model, const NestTraffic &traffic,
                                           const NestTraffic &whole, const Resources &resources,
                                           const MachineSpec &machine,
                                           std::optional<int64_t> registers,
                                           std::optional<RasterOrder> order) {
  Predictor predictor(model, traffic, whole, machine);
  predictor.run(resources, registers, order);
  return std::move(predictor.result);
}
