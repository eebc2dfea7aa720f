//===- OddLines.cpp - Lines that begin where no vector does ------*- C++ -*-===//
//
// An input whose neighbours lie across the result's, and whose lines begin elsewhere each: threads load vectors from where these are aligned, up to a vector earlier,
// and store them to a tile in shared memory whose lines are as much longer, so that vectors are aligned there, too. Elements that are read are read from it one by one.
//
//===----------------------------------------------------------------------===//

#include "OddLines.h"

#include "tilec/Tile/Access.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::mapping;
using tile::Level;
using tile::Unit;

/// Threads of a block that load so, rounds in which it walks its rows, and vectors that a thread loads: with five transposes of 8191x8193 bytes in tiles of 160x128 took 45.7 us
/// on an H200, with ten 63.3.
static constexpr int64_t kLeastThreads = 128, kMostThreads = 512, kMostRounds = 8, kMostLoads = 5;

/// Vectors of one row of the result that neighbours read: as many as there are groups of banks, so that what they read lies in a bank each.
static constexpr int64_t kTogether = 8;

/// Do rows, or lines, begin one element earlier or later each? Where they begin further apart much is loaded that nobody needs: transposes of bytes with lines that begin 3
/// elements apart took 71 to 146 us on an H100, 78 and 86 with elements that are copied one by one.
static bool moveByOne(const Skew &skew) { return std::abs(skew.factor) == 1; }

/// How the lines of what is staged begin.
static std::optional<Skew> getLineSkew(const Problem &problem, const Mapping &mapping) {
  SmallVector<Use> staged;
  for (auto [input, isStaged] : llvm::zip_equal(problem.inputs, mapping.staged))
    if (isStaged)
      staged.push_back(input);
  return findSkew(problem, staged, mapping.column, mapping.row, mapping.vector);
}

OddLines::OddLines(const Problem &problem, const Mapping &mapping, const Skew &rows) : pass(mapping.turned) {
  Skew lines = *getLineSkew(problem, mapping);
  factor = lines.factor;
  period = lines.period;
  back = lines.back;
  ahead = llvm::alignTo(std::abs(factor) * (period - 1), mapping.vector);
  loaded = mapping.tile[mapping.row] + ahead;
  // Rows of the result beside each other read what lies so many bytes apart.
  int64_t step = llvm::mod(1 + rows.factor * getStride(mapping), mapping.vector) * (tile::kWidestBytes / mapping.vector);
  apart = step > 0 && kBankBytes % step == 0 ? kBankBytes / step : 1;
  // The first line is one that begins where a vector does.
  int64_t reach = rows.factor * (rows.period - 1);
  first = std::min<int64_t>(reach, 0) - rows.back;
  before = llvm::mod(first, period);
  first -= before;
  count = llvm::alignTo(mapping.tile[mapping.column] + std::abs(reach) + before, pass);
}

std::vector<Mapping> mapping::listOddLines(const Problem &problem, const Mapping &streams, llvm::function_ref<std::optional<Skew>(const Mapping &)> getSkew) {
  std::vector<Mapping> mappings;
  int64_t bytes = cast<MemRefType>(problem.output.memref.getType()).getElementTypeBitWidth() / 8;
  Mapping mapping = streams;
  mapping.turned = 1;
  mapping.skewed = true;
  mapping.rows = 1;
  mapping.vector = tile::kWidestBytes / bytes;
  for (auto [number, input] : llvm::enumerate(problem.inputs))
    if (mapping.staged[number] && (!input.map.isProjectedPermutation() || cast<MemRefType>(input.memref.getType()).getElementTypeBitWidth() != 8 * bytes))
      return mappings;
  std::optional<Skew> lines = getLineSkew(problem, mapping), rows = getSkew(mapping);
  if (!lines || !rows || !moveByOne(*lines) || !moveByOne(*rows))
    return mappings;
  for (int64_t groups : {1, 2})
    for (mapping.repeat = 1; mapping.repeat <= kMostRounds; ++mapping.repeat) {
      mapping.tile[mapping.row] = rows->period * mapping.repeat;
      mapping.tile[mapping.column] = groups * kTogether * mapping.vector;
      mapping.turned = lines->period;
      OddLines walk(problem, mapping, *rows);
      for (; mapping.turned <= walk.count; mapping.turned += lines->period) {
        int64_t threads = mapping.turned * (walk.loaded / mapping.vector);
        if (walk.count % mapping.turned == 0 && walk.count <= kMostLoads * mapping.turned && threads >= kLeastThreads && threads <= kMostThreads)
          mappings.push_back(mapping);
      }
    }
  return mappings;
}

SmallVector<LoopOver> OddLines::getLoops(const Mapping &mapping, NestWriter &w) const {
  unsigned row = mapping.row, column = mapping.column;
  int64_t together = kTogether * mapping.vector, rows = mapping.tile[row] / mapping.repeat;
  SmallVector<LoopOver> loops;
  if (mapping.tile[column] > together)
    loops.push_back({column, w.number(mapping.tile[column]), together});
  if (apart > 1)
    loops.push_back({row, w.number(apart), 1});
  loops.push_back({row, w.number(rows), apart});
  loops.push_back({column, w.number(together), mapping.vector});
  return loops;
}

SmallVector<Placed> mapping::writeOddLines(const Problem &problem, const Mapping &mapping, const OddLines &lines, ArrayRef<Placed> operands, NestWriter &w) {
  unsigned row = mapping.row, column = mapping.column;
  int64_t rows = w.getTile(row), columns = w.getTile(column);
  w.setTile(row, lines.loaded + lines.ahead);
  w.setTile(column, lines.count);
  w.move(row, Value(), -lines.ahead);
  SmallVector<Placed> tiles(operands);
  for (auto [number, input] : llvm::enumerate(problem.inputs))
    if (mapping.staged[number]) {
      tiles[number] = w.hold(input, w.builder().getZeroAttr(cast<MemRefType>(input.memref.getType()).getElementType()), "t", Level::SMEM);
      // What makes up for where the next line begins lies between the two.
      layOutAlong(row, input.map, tiles[number].memref, lines.getStride(mapping));
    }
  w.move(row, Value(), lines.ahead - lines.back);
  tile::ForOp rounds = w.open({{column, w.number(lines.count), lines.pass}}, Level::DRAM, Unit::Unroll, "t");
  tile::ForOp threads = w.open({{column, w.number(lines.pass), lines.period}, {column, w.number(lines.period), 1}, {row, w.number(lines.loaded), mapping.vector}}, Level::DRAM, Unit::Thread, "v");
  w.move(row, threads.getInductionVar(1), lines.factor);
  w.setTile(row, mapping.vector);
  w.setTile(column, 1);
  for (auto [number, isStaged] : llvm::enumerate(mapping.staged)) {
    if (!isStaged)
      continue;
    Placed vector;
    tile::StageOp stage = w.stage(operands[number], Level::RF, vector, "r");
    stage.setPad(tile::Pad::Zero);
    stage.setEdges(tile::EdgeCheck::Block);
    w.store(vector, tiles[number]);
  }
  w.close(threads);
  w.close(rounds);
  w.move(row, Value(), lines.back);
  w.setTile(row, rows);
  w.setTile(column, columns);
  return tiles;
}
