//===- Latency.cpp - Bytes under way while a load is waited for -*- C++ -*-===//
//
// Looks at the loop that stages most often: what is staged outside of it is waited
// for once.
//
//===----------------------------------------------------------------------===//

#include "tilec/Analysis/Latency.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::analysis;
using tilec::tile::Level;

/// Inputs from DRAM to shared memory that are staged most often.
static SmallVector<const Transfer *> stagedMostOften(const NestTraffic &traffic) {
  SmallVector<const Transfer *> staged;
  int64_t most = 0;
  for (const Transfer &transfer : traffic.transfers) {
    if (transfer.role != Role::Input || transfer.from != Level::DRAM || transfer.to != Level::SMEM)
      continue;
    if (transfer.copies > most)
      staged.clear();
    most = std::max(most, transfer.copies);
    if (transfer.copies == most)
      staged.push_back(&transfer);
  }
  return staged;
}

std::optional<LatencyMatch> tilec::analysis::matchLatency(const NestModel &model,
                                                          const NestTraffic &traffic,
                                                          const ThroughputMatch &match,
                                                          int64_t blocksPerSM,
                                                          const MachineSpec &machine) {
  const std::optional<SourcedReal> &latency = machine.level(MemoryLevel::Dram).latency;
  auto dram = llvm::find_if(match.stages, [](const StageMatch &stage) {
    return stage.from == Level::DRAM && stage.to == Level::SMEM;
  });
  SmallVector<const Transfer *> staged = stagedMostOften(traffic);
  if (!latency || staged.empty() || dram == match.stages.end() || !dram->available ||
      !dram->required || !dram->guaranteedReuse || blocksPerSM <= 0)
    return std::nullopt;

  LatencyMatch result;
  result.op = staged.front()->op;
  result.latencyCycles = latency->value;
  for (const Transfer *transfer : staged) {
    int64_t bytes = transfer->elementBytes;
    for (int64_t extent : transfer->tile)
      bytes *= extent;
    result.tileBytes += bytes;
    for (const TileModel &tile : model.tiles)
      if (tile.op == transfer->op)
        result.depth = std::max(result.depth, tile.depth);
  }
  double tileBytes = static_cast<double>(result.tileBytes);
  result.tileCycles = result.latencyCycles + tileBytes / *dram->available;
  double rate = std::min(*dram->available, *dram->required / *dram->guaranteedReuse);
  result.neededBytes = rate * result.latencyCycles;
  // While one block computes, it has depth - 1 stages under way; without, others have theirs.
  double blocks = static_cast<double>(blocksPerSM);
  result.inFlightBytes = tileBytes * (result.depth > 1
                                          ? blocks * static_cast<double>(result.depth - 1)
                                          : blocks - 1);
  result.hidden = result.inFlightBytes >= result.neededBytes;
  return result;
}
