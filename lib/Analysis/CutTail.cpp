//===- CutTail.cpp - The last wave, shared by all blocks --------*- C++ -*-===//
//
// Assigns the steps of the cut tiles block by block, as the lowering's closed form
// does for one block.
//
//===----------------------------------------------------------------------===//

#include "tilec/Analysis/CutTail.h"

#include "tilec/Analysis/ClusterReduce.h"
#include "tilec/Tile/CutLoop.h"
#include "tilec/Tile/Distribution.h"
#include "llvm/Support/MathExtras.h"

#include <array>

using namespace mlir;
using namespace tilec::analysis;
using namespace tilec::tile;

/// Blocks beyond this many are no machine's.
constexpr int64_t kMostBlocks = 65536;
constexpr int64_t kSectorBytes = 32;

CutWorth tilec::analysis::getCutWorth(ForOp cut) {
  if (std::optional<ArrayRef<int64_t>> stated = cut.getCutWorth())
    return {(*stated)[0], (*stated)[1], (*stated)[2]};
  auto countBytes = [](Value tile) {
    auto type = cast<MemRefType>(tile.getType());
    return type.getNumElements() * type.getElementTypeBitWidth() / 8;
  };
  int64_t written = 0, staged = 0;
  for (Value held : getSums(cut))
    written += countBytes(held);
  for (auto stage : cut.getBody().getOps<StageOp>())
    staged += countBytes(stage.getResult());
  return {tile::kCutIdle, 16, staged == 0 ? 1 : std::clamp<int64_t>(written / staged, 1, kMostCutWorth)};
}

double CutTail::efficiency(int64_t sms) const {
  double most = static_cast<double>(llvm::divideCeil(blocks, sms) * mostSteps);
  return static_cast<double>(tiles) * static_cast<double>(steps) / (static_cast<double>(sms) * most);
}

static int64_t countShares(const CutTail &tail) {
  if (tail.cutTiles == 0)
    return 0;
  int64_t spare = tail.blocks % tail.cutTiles;
  return std::min(spare * tail.worth.spare <= tail.blocks ? tail.blocks - spare : tail.blocks, tail.cutTiles * tail.steps);
}

namespace {
/// Who has the steps of the cut tiles.
struct Deal {
  /// How many blocks have a part of each tile.
  std::vector<int64_t> owners;
  /// The steps of the longest share.
  int64_t longest = 0;
  /// Parts of tiles that several blocks have, by the number of their slot in the workspaces modulo kSectorBytes: beyond that
  /// places within a sector come again.
  std::array<int64_t, kSectorBytes> parts = {};
};
} // namespace

static Deal dealOut(const CutTail &tail, int64_t cluster) {
  Deal deal;
  deal.owners.assign(tail.cutTiles, 0);
  int64_t units = tail.cutTiles * tail.steps, shares = countShares(tail);
  auto forEachPart = [&](auto see) {
    for (int64_t share = 0; share < shares; ++share) {
      int64_t begin = units * share / shares, end = units * (share + 1) / shares;
      deal.longest = std::max(deal.longest, end - begin);
      for (int64_t tile = begin / tail.steps; tile * tail.steps < end; ++tile)
        see(tile, share);
    }
  };
  forEachPart([&](int64_t tile, int64_t) { ++deal.owners[tile]; });
  forEachPart([&](int64_t tile, int64_t share) {
    for (int64_t rank = 0; deal.owners[tile] > 1 && rank < cluster; ++rank)
      ++deal.parts[((tile + share) * cluster + rank) % kSectorBytes];
  });
  return deal;
}

int64_t tilec::analysis::countHolders(const Distribution &distribution, int64_t threads) { return std::min(distribution.getHolders(), threads); }

int64_t tilec::analysis::getPartsAtOnce(int64_t elements, int64_t elementBytes) {
  constexpr int64_t kMostBytes = 64; // 16 registers.
  return getExchangeWidth(elements, elementBytes) == elements ? kMostBytes / (elements * elementBytes) : 1;
}

namespace {
/// Whose element each thread moves: the number of its holder in a slot; those that move none are not there. In warps.
using Movers = std::vector<std::vector<int64_t>>;
} // namespace

/// Of several threads that hold the same all read it, and the first of them writes.
static Movers listMovers(const Distribution &distribution, int64_t threads, bool onlyFirst) {
  Movers warps(llvm::divideCeil(threads, kWarpThreads));
  int64_t holders = countHolders(distribution, threads);
  std::vector<bool> seen(holders, false);
  for (int64_t thread = 0; thread < threads; ++thread) {
    int64_t holder = holders < threads ? distribution.getHolder(thread) : thread;
    if (!onlyFirst || !seen[holder])
      warps[thread / kWarpThreads].push_back(holder);
    seen[holder] = true;
  }
  return warps;
}

/// Sectors of the requests that write these parts, or read them: a slot holds runs of all holders, side by side, of so many
/// bytes each.
static int64_t countSectors(const Deal &deal, int64_t runs, int64_t holders, const Movers &warps, int64_t bytes) {
  // Runs that begin at the same byte of a sector touch as many.
  std::array<std::optional<int64_t>, kSectorBytes> known;
  auto countRun = [&](int64_t begin) {
    int64_t sectors = 0;
    SmallVector<int64_t> touched;
    for (const std::vector<int64_t> &warp : warps) {
      touched.clear();
      for (int64_t holder : warp)
        for (int64_t byte = begin + holder * bytes; byte < begin + (holder + 1) * bytes; byte += std::min(bytes, kSectorBytes))
          touched.push_back(byte / kSectorBytes);
      llvm::sort(touched);
      sectors += llvm::unique(touched) - touched.begin();
    }
    return sectors;
  };
  int64_t sectors = 0;
  for (auto [slot, parts] : llvm::enumerate(deal.parts))
    for (int64_t run = 0; parts > 0 && run < runs; ++run) {
      int64_t begin = (static_cast<int64_t>(slot) * runs + run) * holders * bytes % kSectorBytes;
      if (!known[begin])
        known[begin] = countRun(begin);
      sectors += parts * *known[begin];
    }
  return sectors;
}

static Transfer makeTransfer(const CutTail &tail, ForOp loop, const Twine &name, AccessKind access, int64_t elements,
                             int64_t elementBytes) {
  Transfer transfer;
  transfer.op = loop;
  transfer.name = name.str();
  transfer.role = Role::Output;
  transfer.access = access;
  transfer.from = access == AccessKind::Read ? Level::DRAM : Level::RF;
  transfer.to = access == AccessKind::Read ? Level::RF : Level::DRAM;
  transfer.elementBytes = elementBytes;
  transfer.copies = tail.parts;
  transfer.elements = transfer.takenBelow = transfer.uses = elements;
  return transfer;
}

std::optional<CutTail> tilec::analysis::findCutTail(const NestModel &model, int64_t resident) {
  if (model.loops.empty() || resident <= 0)
    return std::nullopt;
  ForOp grid = model.loops.front().op;
  ForOp cut = grid.getCutLoop();
  if (!cut)
    return std::nullopt;
  // Shared out are tiles of clusters among clusters.
  int64_t cluster = 1;
  for (const LoopModel &loop : model.loops)
    cluster *= loop.clusterBlocks;
  CutTail tail;
  tail.worth = getCutWorth(cut);
  tail.tiles = model.blocks() / cluster;
  for (const LoopModel &loop : model.loops)
    if (loop.op == cut)
      tail.steps = std::max<int64_t>(loop.count(), 1);
  if (tail.tiles == 0)
    return std::nullopt;
  tail.blocks = std::max<int64_t>(std::min(resident, kMostBlocks) / cluster, 1);
  if (int64_t all; !llvm::MulOverflow(tail.tiles, tail.steps, all))
    tail.blocks = std::min(tail.blocks, all);
  int64_t slots = llvm::divideCeil(tail.tiles, tail.blocks) * tail.blocks;
  if ((slots - tail.tiles) * tail.worth.idle < slots || (slots - tail.tiles) * tail.steps < tail.worth.steps * tail.blocks)
    tail.blocks = tail.tiles;
  tail.cutTiles = tail.tiles % tail.blocks;
  Deal deal = dealOut(tail, cluster);
  for (int64_t owners : deal.owners)
    if (owners > 1) {
      tail.parts += owners;
      ++tail.partedTiles;
    }
  tail.mostSteps = tail.tiles / tail.blocks * tail.steps + deal.longest;
  int64_t workspaceSlots = tail.cutTiles == 0 ? 0 : (tail.cutTiles + countShares(tail) - 1) * cluster;
  for (int64_t *count : {&tail.blocks, &tail.tiles, &tail.cutTiles, &tail.parts, &tail.partedTiles})
    *count *= cluster;

  for (auto [number, held] : llvm::enumerate(getSums(cut))) {
    auto type = cast<MemRefType>(held.getType());
    FailureOr<Distribution> distribution = getDistribution(held);
    if (failed(distribution))
      continue;
    int64_t threads = model.threadsPerBlock(), bytes = type.getElementTypeBitWidth() / 8, own = distribution->getLocalElements();
    int64_t holders = countHolders(*distribution, threads), width = getExchangeWidth(own, bytes);
    std::string workspace = getPartsName(held, number);
    for (AccessKind access : {AccessKind::Write, AccessKind::Read}) {
      bool writes = access == AccessKind::Write;
      Transfer &transfer =
          tail.transfers.emplace_back(makeTransfer(tail, cut, workspace, access, (writes ? holders : threads) * own * tail.parts, bytes));
      transfer.tile.assign(type.getShape().begin(), type.getShape().end());
      transfer.portBytes = countSectors(deal, own / width, holders, listMovers(*distribution, threads, writes), width * bytes) * kSectorBytes;
    }
    int64_t atOnce = getPartsAtOnce(own, bytes);
    tail.partsAtOnce = number == 0 ? atOnce : std::min(tail.partsAtOnce, atOnce);
    tail.workspaceBytes += workspaceSlots * holders * own * bytes;
  }
  // Each part counts itself, and the last one counts back.
  constexpr int64_t kCounterBytes = 4;
  Transfer &counts = tail.transfers.emplace_back(
      makeTransfer(tail, cut, "parts_done", AccessKind::Combine, tail.parts + tail.partedTiles, kCounterBytes));
  counts.tile = {1};
  counts.portBytes = counts.elements * kSectorBytes;
  tail.workspaceBytes += tail.cutTiles * kCounterBytes;
  return tail;
}
