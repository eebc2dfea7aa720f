//===- Prediction.cpp - Blocks that run together, bytes they move *- C++ -*-===//
//
// Times follow from these in Timing.cpp.
//
//===----------------------------------------------------------------------===//

#include "tilec/Analysis/Prediction.h"

#include <cmath>
#include <set>

using namespace mlir;
using namespace tilec;
using namespace tilec::analysis;
using tilec::tile::Level;

/// Orders with common groups, with the group and boxes that make a wave as square as it can be, and the diagonal, which
/// shares least.
static std::vector<RasterOrder> ordersToCompare(int64_t concurrent) {
  int64_t side = std::llround(std::sqrt(static_cast<double>(concurrent)));
  std::vector<RasterOrder> orders = {{RasterOrder::Row}, {RasterOrder::Column}};
  for (int64_t group : std::set<int64_t>{4, 8, 16, side})
    if (group > 1)
      orders.push_back({RasterOrder::Grouped, group});
  if (side > 1)
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
    int64_t taken = registers ? *registers : wantedRegisters(model, resources.threadsPerBlock, machine);
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
  /// What blocks that run together share, if L2 holds their tiles; where it does not, what as many share as it holds.
  double findSharing(const RasterAnalysis &raster) const {
    const LevelSpec &l2 = machine.level(MemoryLevel::L2);
    std::optional<RasterAnalysis> held = raster;
    while (l2.capacity && held && held->workingSetBytes > l2.capacity->value) {
      double share = static_cast<double>(l2.capacity->value) / static_cast<double>(held->workingSetBytes);
      held = analyzeRaster(model, whole, held->order, std::min(held->concurrent - 1, static_cast<int64_t>(share * static_cast<double>(held->concurrent))));
    }
    return l2.capacity && held ? held->all.factor() : 1;
  }

  void shareTiles(std::optional<RasterOrder> order) {
    int64_t cluster = 1;
    for (const LoopModel &loop : model.loops)
      cluster *= loop.clusterBlocks;
    int64_t concurrent = machine.sms.value * result.occupancy.blocksPerSM / cluster;
    result.raster = analyzeRaster(model, whole, order.value_or(rasterOf(model)), concurrent);
    if (!result.raster)
      return;
    result.sharing = findSharing(*result.raster);
    if (!order)
      for (const RasterOrder &other : ordersToCompare(concurrent))
        if (std::optional<RasterAnalysis> raster = analyzeRaster(model, whole, other, concurrent))
          result.otherOrders.push_back({*raster, findSharing(*raster)});
    double fromL2 = 0;
    for (const Transfer &transfer : whole.transfers)
      if (transfer.role == Role::Input && transfer.from == Level::DRAM)
        fromL2 += static_cast<double>(transfer.sentBytes()) / transfer.readsInBlock;
    if (fromL2 > 0 && whole.operandBytes > 0)
      result.opportunisticReuse =
          static_cast<double>(whole.operandBytes) / fromL2 * result.sharing;
  }

  void countBytes() {
    double inputs = 0, outputs = 0, delivered = 0;
    for (const Transfer &transfer : traffic.transfers) {
      if (std::min(transfer.from, transfer.to) != Level::DRAM || transfer.conditional)
        continue;
      if (transfer.role == Role::Input) {
        inputs += static_cast<double>(transfer.sentBytes()) / transfer.readsInBlock;
        delivered += static_cast<double>(transfer.bytes()) / transfer.readsInBlock;
      } else // What is combined is read as well.
        outputs += static_cast<double>(transfer.bytes()) *
                   (transfer.access == AccessKind::Combine ? 2 : 1);
    }
    double parts = 0;
    if (result.cutTail)
      for (const Transfer &transfer : result.cutTail->transfers)
        parts += static_cast<double>(transfer.bytes()) * (transfer.access == AccessKind::Combine ? 2 : 1);
    result.l2Bytes = inputs + outputs + parts;
    result.deliveredBytes = delivered + outputs + parts;
    const LevelSpec &l2 = machine.level(MemoryLevel::L2);
    // Parts of sums are read soon after they are written: from L2, where it holds them.
    bool partsStay = l2.capacity && result.cutTail && result.cutTail->workspaceBytes <= l2.capacity->value;
    auto countDram = [&](double sharing) {
      double bytes = inputs / sharing + outputs;
      // What fits L2 as a whole comes once.
      if (l2.capacity && traffic.compulsoryBytes <= l2.capacity->value)
        bytes = std::min<double>(bytes, traffic.compulsoryBytes);
      return bytes + (partsStay ? 0 : parts);
    };
    result.dramBytes = countDram(result.sharing);
    for (OrderPrediction &other : result.otherOrders)
      other.dramBytes = countDram(other.sharing);
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
