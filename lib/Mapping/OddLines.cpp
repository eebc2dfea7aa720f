//===- OddLines.cpp - Lines that begin where no vector does ------*- C++ -*-===//
//
// An input whose neighbours lie across the result's, and whose lines begin elsewhere each: threads load vectors from where these are aligned, up to a vector earlier,
// and store them to a tile in shared memory whose lines are as much longer, so that vectors are aligned there, too. Elements that are read are read from it one by one.
//
//===----------------------------------------------------------------------===//

#include "OddLines.h"

#include "tilec/Tile/Access.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::mapping;
using tile::Level;
using tile::Unit;

/// Threads of a block that load so, and rounds in which a block walks its rows.
static constexpr int64_t kLeastThreads = 128, kMostThreads = 512, kMostRounds = 4;

/// Vectors that a thread loads: with three transposes of 8191x8193 bytes took 61 us on an H100, with four to six 65 to 79.
static constexpr int64_t kMostLoads = 3;

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

OddLines::OddLines(const Problem &problem, const Mapping &mapping, const Skew &rows) {
  Skew lines = *getLineSkew(problem, mapping);
  factor = lines.factor;
  period = lines.period;
  back = lines.back;
  ahead = llvm::alignTo(std::abs(factor) * (period - 1), mapping.vector);
  loaded = mapping.tile[mapping.row] + ahead;
  int64_t threads = rows.period * mapping.tile[mapping.column] / mapping.vector;
  pass = threads / (loaded / mapping.vector);
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
  for (mapping.repeat = 1; mapping.repeat <= kMostRounds; ++mapping.repeat) {
    mapping.tile[mapping.row] = rows->period * mapping.repeat;
    // As many threads as take whole rounds of lines, each of a period of them or more, and of vectors of the result's rows.
    int64_t vectors = (mapping.tile[mapping.row] + llvm::alignTo(std::abs(lines->factor) * (lines->period - 1), mapping.vector)) / mapping.vector;
    for (int64_t threads = vectors * lines->period; threads <= kMostThreads; threads += vectors * lines->period) {
      int64_t columns = threads * mapping.vector / rows->period;
      if (threads < kLeastThreads || threads * mapping.vector % rows->period != 0 || columns % mapping.vector != 0 || columns % lines->period != 0 || threads % 32 != 0)
        continue;
      mapping.tile[mapping.column] = columns;
      OddLines walk(problem, mapping, *rows);
      if (walk.count <= kMostLoads * walk.pass)
        mappings.push_back(mapping);
    }
  }
  return mappings;
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
      layOutAlong(row, input.map, tiles[number].memref, llvm::mod(-lines.factor, mapping.vector));
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
