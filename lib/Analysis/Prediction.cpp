//===- Prediction.cpp - Blocks that run together, bytes they move *- C++ -*-===//
//
// Times follow from these in Timing.cpp.
//
//===----------------------------------------------------------------------===//

#include "tilec/Analysis/Prediction.h"

#include "tilec/Analysis/CacheReuse.h"

#include <cmath>
#include <map>
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
      : model(model), traffic(traffic), whole(whole), machine(machine) {
    for (const LoopModel &loop : model.loops)
      clusterBlocks *= loop.clusterBlocks;
    leastInputs = countLeastInputs();
    for (const Transfer &transfer : traffic.transfers)
      if (passesDram(transfer) && transfer.role != Role::Input) {
        stored += transfer.access == AccessKind::Read ? 0 : countResults(transfer);
        combined += transfer.access == AccessKind::Write ? 0 : countResults(transfer);
      }
  }

  void run(const Resources &resources, std::optional<int64_t> registers) {
    result.registers = estimateRegisters(model, resources.threadsPerBlock, machine);
    int64_t taken = registers ? *registers : wantedRegisters(model, resources.threadsPerBlock, machine);
    result.occupancy =
        findOccupancy(machine, resources.smemBytes, resources.threadsPerBlock, taken);
    result.tail = findTail(model.blocks(), machine.sms.value, result.occupancy.blocksPerSM);
    result.cutTail = findCutTail(model, machine.sms.value * result.occupancy.blocksPerSM);
    if (result.cutTail)
      result.tail.efficiency = result.cutTail->efficiency(machine.sms.value);
    shareTiles();
    countBytes();
  }

  Prediction result;

private:
  std::optional<CacheReuse> findReuse(const RasterOrder &order) const {
    auto perSM = static_cast<double>(std::max<int64_t>(result.occupancy.blocksPerSM, 1));
    int64_t together = machine.sms.value * result.occupancy.blocksPerSM / clusterBlocks;
    auto findAt = [&](double inStep) { return findCacheReuse(model, whole, order, together, inStep / perSM * static_cast<double>(together), stored, machine); };
    double drifted = std::min(perSM, countInStep());
    std::optional<CacheReuse> reuse = findAt(drifted);
    if (!reuse || drifted == perSM)
      return reuse;
    // All blocks begin together, and drift apart from one round of them to the next.
    double rounds = static_cast<double>(model.blocks()) / (static_cast<double>(machine.sms.value) * perSM);
    double share = std::exp(-std::max(0.0, rounds - 1) / machine.timing.stepRounds.value);
    reuse->deliveredBytes += share * (findAt(perSM)->deliveredBytes - reuse->deliveredBytes);
    return reuse;
  }

  /// Of the blocks of an SM those that are at the same step as those of other SMs once they have drifted apart. Warps that are few on a scheduler do not get ahead of
  /// one another; a block that waits for tiles that others have brought falls back to them, unless it asks for them far ahead.
  double countInStep() const {
    int64_t warps = llvm::divideCeil(std::max<int64_t>(model.threadsPerBlock(), 1), machine.limits.warpSize.value) * result.occupancy.blocksPerSM;
    if (static_cast<double>(warps) <= machine.timing.stepWarps.value * static_cast<double>(machine.limits.issueSlots.value))
      return static_cast<double>(result.occupancy.blocksPerSM);
    constexpr int64_t kFar = 3;
    bool far = llvm::any_of(model.tiles, [&](const TileModel &tile) { return tile.level == Level::SMEM && tile.depth >= kFar; });
    return far ? machine.timing.stepFar.value : machine.timing.stepBlocks.value;
  }

  /// Bytes of inputs that blocks request / those that DRAM delivers.
  static double findSharing(const RasterAnalysis &raster, const std::optional<CacheReuse> &reuse) {
    return reuse ? static_cast<double>(raster.all.requestedBytes) / std::max(reuse->deliveredBytes, 1.0) : 1;
  }

  void shareTiles() {
    int64_t concurrent = machine.sms.value * result.occupancy.blocksPerSM / clusterBlocks;
    result.raster = analyzeRaster(model, whole, rasterOf(model), concurrent);
    if (!result.raster)
      return;
    reuse = findReuse(result.raster->order);
    result.sharing = findSharing(*result.raster, reuse);
    for (const RasterOrder &other : ordersToCompare(concurrent))
      if (std::optional<RasterAnalysis> raster = analyzeRaster(model, whole, other, concurrent)) {
        std::optional<CacheReuse> own = findReuse(other);
        double sharing = findSharing(*raster, own);
        result.otherOrders.push_back({*raster, sharing, own ? own->keptBytes : 0});
      }
    double fromL2 = 0;
    for (const Transfer &transfer : whole.transfers)
      if (transfer.role == Role::Input && transfer.from == Level::DRAM)
        fromL2 += static_cast<double>(transfer.sentBytes()) / transfer.readsInBlock;
    if (fromL2 > 0 && whole.operandBytes > 0)
      result.opportunisticReuse =
          static_cast<double>(whole.operandBytes) / fromL2 * result.sharing;
  }

  /// Bytes of inputs that blocks ask for, no more of each operand than there are.
  double countLeastInputs() const {
    std::map<unsigned, double> once;
    for (const Transfer &transfer : traffic.transfers)
      if (passesDram(transfer) && transfer.role == Role::Input && transfer.operand) {
        double bytes = static_cast<double>(transfer.sentBytes()) / transfer.readsInBlock / transfer.overlap;
        once[*transfer.operand] = std::min(once[*transfer.operand] + bytes, sizeOf(transfer));
      }
    double all = 0;
    for (auto [operand, bytes] : once)
      all += bytes;
    return all;
  }

  /// Bytes of the operand.
  double sizeOf(const Transfer &transfer) const {
    return static_cast<double>(llvm::product_of(model.operandShape(*transfer.operand)) * transfer.elementBytes);
  }

  /// Bytes of results: those of an operand that is combined with again and again once, as far as L2 holds it, and what comes between, till then.
  double countResults(const Transfer &transfer) const {
    auto bytes = static_cast<double>(transfer.bytes());
    const std::optional<SourcedInt> &capacity = machine.level(MemoryLevel::L2).capacity;
    double operand = transfer.operand ? sizeOf(transfer) : 0;
    if (operand <= 0 || !capacity || bytes <= operand)
      return bytes;
    double times = bytes / operand;
    double odds = findHitOdds(operand + machine.timing.l2Others.value * leastInputs / times, machine);
    return operand * (1 + (times - 1) * (1 - odds));
  }

  /// Copied by TMA.
  bool isBoxed(const Transfer &transfer) const {
    return llvm::any_of(model.tiles, [&](const TileModel &tile) { return tile.op == transfer.op && tile.boxed; });
  }

  bool passesDram(const Transfer &transfer) const { return std::min(transfer.from, transfer.to) == Level::DRAM; }

  void countBytes() {
    double inputs = 0, apart = 0, results = 0, delivered = 0;
    for (const Transfer &transfer : traffic.transfers) {
      if (!passesDram(transfer))
        continue;
      if (transfer.role == Role::Input) {
        double requested = static_cast<double>(transfer.sentBytes()) / transfer.readsInBlock;
        inputs += requested / transfer.overlapInBlock * (isBoxed(transfer) ? machine.timing.boxShare.value : 1);
        apart += requested / transfer.overlap;
        delivered += static_cast<double>(transfer.bytes()) / transfer.readsInBlock / transfer.overlapInBlock * (isBoxed(transfer) ? machine.timing.boxShare.value : 1);
      } else { // What is combined is read as well.
        results += static_cast<double>(transfer.bytes()) * (transfer.access == AccessKind::Combine ? 2 : 1);
      }
    }
    double parts = 0;
    if (result.cutTail)
      for (const Transfer &transfer : result.cutTail->transfers)
        parts += static_cast<double>(transfer.bytes()) * (transfer.access == AccessKind::Combine ? 2 : 1);
    result.l2Bytes = inputs + results + parts;
    result.deliveredBytes = delivered + results + parts;
    const LevelSpec &l2 = machine.level(MemoryLevel::L2);
    double capacity = l2.capacity ? static_cast<double>(l2.capacity->value) : 0;
    // Parts of sums are read soon after they are written: from L2, where it holds them.
    bool partsStay = result.cutTail && static_cast<double>(result.cutTail->workspaceBytes) <= capacity;
    // Sharing is that of whole tiles: what edges leave out is shared less.
    auto countDram = [&](double sharing, double kept) {
      return std::max(apart / sharing, leastInputs) + combined + stored - kept + (partsStay ? 0 : parts);
    };
    // Where there is no grid what fits L2 stays there.
    double kept = reuse ? reuse->keptBytes : std::min(stored, machine.timing.l2Share.value * capacity);
    result.dramBytes = countDram(result.sharing, kept);
    result.writtenBytes = stored - kept;
    // Only what the kernel brings drives others' results out.
    result.foundBytes = std::min(machine.timing.l2Found.value * capacity, result.dramBytes + kept);
    for (OrderPrediction &other : result.otherOrders)
      other.dramBytes = countDram(other.sharing, other.keptBytes);
  }

  const NestModel &model;
  const NestTraffic &traffic;
  const NestTraffic &whole;
  const MachineSpec &machine;
  /// Blocks of a cluster; bytes of results, and those of them that are read first.
  int64_t clusterBlocks = 1;
  double stored = 0, combined = 0;
  double leastInputs = 0;
  /// Of the nest's own order.
  std::optional<CacheReuse> reuse;
};

} // namespace

Prediction tilec::analysis::predictTraffic(const NestModel &model, const NestTraffic &traffic,
                                           const NestTraffic &whole, const Resources &resources,
                                           const MachineSpec &machine,
                                           std::optional<int64_t> registers) {
  Predictor predictor(model, traffic, whole, machine);
  predictor.run(resources, registers);
  return std::move(predictor.result);
}
