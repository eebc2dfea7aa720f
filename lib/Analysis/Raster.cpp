//===- Raster.cpp - What blocks that run together share ---------*- C++ -*-===//
//
// Counts, wave by wave, how many different tiles of each input its blocks read.
// Tiles that overlap in part count as different.
//
//===----------------------------------------------------------------------===//

#include "tilec/Analysis/Raster.h"

using namespace mlir;
using namespace tilec::analysis;
using tilec::tile::Level;

std::string RasterOrder::str() const {
  switch (kind) {
  case Row:
    return "row";
  case Column:
    return "column";
  case Grouped:
    return "grouped = " + std::to_string(a);
  case Diagonal:
    return "diagonal";
  case Boxes:
    return "boxes = " + std::to_string(a) + "x" + std::to_string(b);
  }
  llvm_unreachable("covered switch");
}

/// Bands of `height` rows of `columns` tiles: (first row, rows, number in the band).
static std::tuple<int64_t, int64_t, int64_t> bandOf(int64_t block, int64_t height, int64_t rows,
                                                    int64_t columns) {
  int64_t first = block / (height * columns) * height;
  return {first, std::min(height, rows - first), block % (height * columns)};
}

SmallVector<int64_t, 3> tilec::analysis::tileOfBlock(const RasterOrder &order, int64_t block,
                                                     ArrayRef<int64_t> counts) {
  SmallVector<int64_t, 3> tile(counts.size());
  if (order.kind == RasterOrder::Row || order.kind == RasterOrder::Column) {
    for (unsigned k = 0; k < counts.size(); ++k) {
      unsigned dim = order.kind == RasterOrder::Row ? counts.size() - 1 - k : k;
      tile[dim] = block % counts[dim];
      block /= counts[dim];
    }
    return tile;
  }
  int64_t rows = counts[0], columns = counts[1];
  if (order.kind == RasterOrder::Diagonal)
    return {block % rows, (block % rows + block / rows) % columns};
  auto [first, height, inBand] = bandOf(block, order.a, rows, columns);
  if (order.kind == RasterOrder::Grouped)
    return {first + inBand % height, inBand / height};
  auto [left, width, inBox] = bandOf(inBand, order.b, columns, height);
  return {first + inBox / width, left + inBox % width};
}

double Wave::factor() const {
  return uniqueBytes == 0 ? 1
                          : static_cast<double>(requestedBytes) / static_cast<double>(uniqueBytes);
}

RasterOrder tilec::analysis::rasterOf(const NestModel &model) {
  for (const LoopModel &loop : model.loops) {
    tile::ForOp op = loop.op;
    tile::RasterAttr raster = loop.onBlocks() ? op.getRasterAttr() : tile::RasterAttr();
    if (!raster)
      continue;
    switch (raster.getOrder()) {
    case tile::RasterOrder::Row:
      return {RasterOrder::Row};
    case tile::RasterOrder::Column:
      return {RasterOrder::Column};
    case tile::RasterOrder::Grouped:
      return {RasterOrder::Grouped, raster.getGroup()};
    }
  }
  return {};
}

namespace {

/// One input's tiles over the grid.
struct GridInput {
  /// Bytes that one block's tiles take in all, and at one time.
  int64_t bytes = 0;
  int64_t tileBytes = 0;
  /// Dimensions of the grid that move it.
  SmallVector<unsigned, 3> dims;
  /// Last wave that read each of its tiles.
  std::vector<int64_t> seen;

  size_t tileNumber(ArrayRef<int64_t> tile, ArrayRef<int64_t> counts) const {
    size_t number = 0;
    for (unsigned dim : dims)
      number = number * counts[dim] + tile[dim];
    return number;
  }
};

} // namespace

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

  std::vector<GridInput> inputs;
  for (const Transfer &transfer : whole.transfers) {
    if (transfer.role != Role::Input || transfer.from != Level::DRAM)
      continue;
    GridInput &input = inputs.emplace_back();
    input.bytes = transfer.sentBytes() / blocks / transfer.readsInBlock;
    input.tileBytes = transfer.elementBytes;
    for (int64_t extent : transfer.tile)
      input.tileBytes *= extent;
    for (unsigned loop : transfer.movedBy)
      if (model.loops[loop].onThreads())
        input.tileBytes *= model.loops[loop].count();
    size_t tiles = 1;
    for (unsigned dim = 0; dim < counts.size(); ++dim)
      if (llvm::is_contained(transfer.movedBy, dim)) {
        input.dims.push_back(dim);
        tiles *= counts[dim];
      }
    input.seen.assign(tiles, -1);
  }

  RasterAnalysis result;
  result.order = order;
  // A cut wave comes first.
  tile::ForOp grid = model.loops.front().op;
  int64_t cutTiles = grid.getCutLoop() ? blocks % concurrent : 0;
  int64_t waves = (cutTiles > 0) + (blocks - cutTiles + concurrent - 1) / concurrent;
  for (int64_t number = 0, next = 0; number < waves; ++number) {
    Wave wave;
    wave.number = number;
    wave.blocks = number == 0 && cutTiles > 0 ? cutTiles : std::min(concurrent, blocks - next);
    int64_t workingSet = 0;
    for (int64_t i = 0; i < wave.blocks; ++i) {
      SmallVector<int64_t, 3> tile = tileOfBlock(order, next++, counts);
      for (GridInput &input : inputs) {
        wave.requestedBytes += input.bytes;
        int64_t &seen = input.seen[input.tileNumber(tile, counts)];
        if (seen == number)
          continue;
        seen = number;
        wave.uniqueBytes += input.bytes;
        workingSet += input.tileBytes;
      }
    }
    result.workingSetBytes = std::max(result.workingSetBytes, workingSet);
    result.all.blocks += wave.blocks;
    result.all.requestedBytes += wave.requestedBytes;
    result.all.uniqueBytes += wave.uniqueBytes;
    if (number == 0 || number == waves / 2 || number == waves - 1)
      result.waves.push_back(wave);
  }
  return result;
}
