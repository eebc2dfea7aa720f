//===- ClusterReduce.cpp - Reductions over blocks of a cluster ---*- C++ -*-===//
//
// See ClusterReduce.h.
//
//===----------------------------------------------------------------------===//

#include "tilec/Analysis/ClusterReduce.h"

#include "tilec/Analysis/ClusterPlan.h"
#include "tilec/Tile/CutLoop.h"
#include "tilec/Tile/Distribution.h"
#include "tilec/Tile/Reduction.h"

#include <numeric>

using namespace mlir;
using namespace tilec::analysis;
using namespace tilec::tile;

namespace {
/// Bytes of a wavefront, and of its share for each lane of a warp.
constexpr int64_t kWavefrontBytes = 128;
constexpr int64_t kLaneBytes = kWavefrontBytes / kWarpThreads;

/// Of one held tile: the elements that all threads of a block have of it, and how many an access moves.
struct Share {
  int64_t elements = 0, width = 1, elementBytes = 0;
};
} // namespace

int64_t tilec::analysis::getExchangeWidth(int64_t elements, int64_t elementBytes) {
  return std::gcd(elements, kExchangeBytes / elementBytes);
}

ForOp tilec::analysis::getReducingLoop(const NestModel &model) {
  ForOp blocks = getClusteredLoop(model.kernel);
  return blocks && blocks.reduces() && getClusterSize(blocks) > 1 ? blocks : ForOp();
}

/// Wavefronts of all threads of a block that move so many bytes each, side by side: as many as lanes fill, whatever bank the first
/// one starts in.
static int64_t countWavefronts(int64_t threads, int64_t bytes) {
  int64_t lanes = kWarpThreads * kLaneBytes / std::max(bytes, kLaneBytes);
  return threads / kWarpThreads * (kWarpThreads / lanes) + llvm::divideCeil(threads % kWarpThreads, lanes);
}

static Share getShare(const NestModel &model, Value held) {
  Share share;
  int64_t own = 1;
  if (FailureOr<Distribution> distribution = getDistribution(held); succeeded(distribution))
    own = distribution->getLocalElements();
  share.elementBytes = cast<MemRefType>(held.getType()).getElementTypeBitWidth() / 8;
  share.elements = own * model.threadsPerBlock();
  share.width = getExchangeWidth(own, share.elementBytes);
  return share;
}

std::vector<Transfer> tilec::analysis::countExchange(const NestModel &model) {
  std::vector<Transfer> transfers;
  ForOp blocks = getReducingLoop(model);
  if (!blocks)
    return transfers;
  int64_t cluster = getClusterSize(blocks), clusters = model.blocks() / cluster;
  for (auto [number, held] : llvm::enumerate(getReducedTiles(blocks))) {
    Share share = getShare(model, held);
    auto type = cast<MemRefType>(held.getType());
    for (AccessKind access : {AccessKind::Write, AccessKind::Read}) {
      Transfer &transfer = transfers.emplace_back();
      transfer.op = blocks;
      transfer.sharedTile = held.getDefiningOp();
      transfer.name = getPartsName(held, number);
      transfer.role = Role::Output;
      transfer.access = access;
      transfer.from = access == AccessKind::Read ? Level::SMEM : Level::RF;
      transfer.to = access == AccessKind::Read ? Level::RF : Level::SMEM;
      transfer.remote = access == AccessKind::Read;
      transfer.tile.assign(type.getShape().begin(), type.getShape().end());
      transfer.elementBytes = share.elementBytes;
      transfer.copies = clusters * (cluster - 1);
      transfer.elements = transfer.takenBelow = transfer.uses = transfer.copies * share.elements;
      int64_t threads = model.threadsPerBlock(), runs = share.elements / (threads * share.width);
      transfer.portBytes =
          transfer.copies * runs * countWavefronts(threads, share.width * share.elementBytes) * kWavefrontBytes;
    }
  }
  return transfers;
}
