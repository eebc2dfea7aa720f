//===- Raster.cpp - What blocks that run together share ---------*- C++ -*-===//
//
// Counts, wave by wave, how many different tiles of each input its blocks read.
// Tiles that overlap in part count as different.
//
//===----------------------------------------------------------------------===//

#include "tilec/Analysis/Raster.h"

#include "tilec/Analysis/GridLines.h"

#include <cmath>

using namespace mlir;
using namespace tilec::analysis;
using tilec::tile::Level;

double Wave::factor() const {
  return uniqueBytes == 0 ? 1
                          : static_cast<double>(requestedBytes) / static_cast<double>(uniqueBytes);
}

RasterOrder tilec::analysis::rasterOf(const NestModel &model) {
  for (const LoopModel &loop : model.loops)
    if (tile::ForOp op = loop.op; loop.onBlocks() && op.getRasterAttr())
      return rasterOf(op);
  return {};
}

namespace {

/// Tiles over the grid of the inputs that the same dimensions of it move.
struct GridInput {
  /// Bytes that one block's tiles take in all, and at one time.
  int64_t bytes = 0;
  int64_t tileBytes = 0;
  SmallVector<unsigned, 3> dims;
};

/// Waves that are looked at one by one; of more, so many evenly spread over all stand for the rest.
constexpr int64_t kMostWaves = 512;

} // namespace

/// The tiles of each input that the grid's blocks read from DRAM.
static std::vector<GridInput> listInputs(const NestModel &model, const NestTraffic &whole, unsigned gridDims,
                                         int64_t blocks) {
  std::vector<GridInput> inputs;
  for (const Transfer &transfer : whole.transfers) {
    if (transfer.role != Role::Input || transfer.from != Level::DRAM)
      continue;
    int64_t tileBytes = transfer.elementBytes;
    for (int64_t extent : transfer.tile)
      tileBytes *= extent;
    for (unsigned loop : transfer.movedBy)
      if (model.loops[loop].onThreads())
        tileBytes *= model.loops[loop].count();
    SmallVector<unsigned, 3> dims;
    for (unsigned dim = 0; dim < gridDims; ++dim)
      if (llvm::is_contained(transfer.movedBy, dim))
        dims.push_back(dim);
    auto like = llvm::find_if(inputs, [&](const GridInput &input) { return input.dims == dims; });
    GridInput &input = like != inputs.end() ? *like : inputs.emplace_back(GridInput{0, 0, dims});
    input.bytes += std::llround(static_cast<double>(transfer.sentBytes() / blocks / transfer.readsInBlock) / transfer.overlap);
    input.tileBytes += tileBytes;
  }
  return inputs;
}

/// Adds up the waves: the first and the last, which may be short, and of those between them, which have as many blocks
/// each, `kMostWaves`.
static void countWaves(RasterAnalysis &result, ArrayRef<GridInput> inputs, ArrayRef<int64_t> counts, int64_t blocks, int64_t cutTiles) {
  const int64_t concurrent = result.concurrent;
  int64_t waves = (cutTiles > 0) + (blocks - cutTiles + concurrent - 1) / concurrent;
  auto countWave = [&](int64_t number) {
    Wave wave;
    wave.number = number;
    bool cut = number == 0 && cutTiles > 0;
    int64_t first = cut ? 0 : cutTiles + (number - (cutTiles > 0)) * concurrent;
    wave.blocks = cut ? cutTiles : std::min(concurrent, blocks - first);
    int64_t workingSet = 0;
    for (const GridInput &input : inputs) {
      int64_t tiles = countLines(result.order, counts, input.dims, first, wave.blocks);
      wave.requestedBytes += input.bytes * wave.blocks;
      wave.uniqueBytes += input.bytes * tiles;
      workingSet += input.tileBytes * tiles;
    }
    result.workingSetBytes = std::max(result.workingSetBytes, workingSet);
    return wave;
  };
  int64_t between = std::max<int64_t>(waves - 2, 0), looked = std::min(between, kMostWaves);
  double unique = 0;
  auto add = [&](const Wave &wave, double times) {
    unique += times * static_cast<double>(wave.uniqueBytes);
    if (wave.number == 0 || wave.number == waves / 2 || wave.number == waves - 1)
      result.waves.push_back(wave);
  };
  add(countWave(0), 1);
  for (int64_t i = 0; i < looked; ++i)
    add(countWave(1 + (looked == between ? i : i * between / looked)),
        static_cast<double>(between) / static_cast<double>(looked));
  if (waves > 1) {
    if (result.waves.size() == 1 && waves > 2)
      result.waves.push_back(countWave(waves / 2));
    add(countWave(waves - 1), 1);
  }
  result.all.uniqueBytes = std::llround(unique);
}

std::optional<RasterAnalysis> tilec::analysis::analyzeRaster(const NestModel &model,
                                                             const NestTraffic &whole,
                                                             const RasterOrder &order,
                                                             int64_t concurrent) {
  if (model.loops.empty() || !model.loops.front().onBlocks() || concurrent <= 0)
    return std::nullopt;
  SmallVector<int64_t, 3> counts;
  for (const LoopModel &loop : model.loops)
    if (loop.op == model.loops.front().op)
      counts.push_back(loop.count());
  if (counts.size() != 2 && order.kind != RasterOrder::Row && order.kind != RasterOrder::Column)
    return std::nullopt;
  int64_t blocks = 1;
  for (int64_t count : counts)
    blocks *= count;
  if (blocks == 0)
    return std::nullopt;

  std::vector<GridInput> inputs = listInputs(model, whole, counts.size(), blocks);
  RasterAnalysis result;
  result.order = order;
  result.concurrent = concurrent;
  // A cut wave comes first.
  tile::ForOp grid = model.loops.front().op;
  int64_t cutTiles = grid.getCutLoop() ? blocks % concurrent : 0;
  countWaves(result, inputs, counts, blocks, cutTiles);
  result.all.blocks = blocks;
  for (const GridInput &input : inputs)
    result.all.requestedBytes += input.bytes * blocks;
  return result;
}
