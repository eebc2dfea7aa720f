//===- Turned.cpp - Tiles that threads turn in registers ---------*- C++ -*-===//
//
// An input whose neighbours lie across the result's on its way to shared memory: a thread loads vectors of several of its lines, turns them in registers,
// and stores what has become neighbours at once. So bytes and 16-bit elements, too, go to shared memory by whole words of banks, and out of it by vectors.
//
//===----------------------------------------------------------------------===//

#include "Schemes.h"
#include "tilec/Tile/Access.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::mapping;
using tile::Level;

/// Vectors of a line that threads beside each other load: a line of 128 bytes.
static constexpr int64_t kVectors = 8;
/// Threads that take lines beside each other.
static constexpr int64_t kLines = 32;

/// Elements that a thread turns at once: with 8 lines of 16 bytes a transpose of 8192x8192 bytes took 62 us on an H100, with 4 lines 51.6.
static constexpr int64_t kMostTurned = 64;

static int64_t getElementBytes(const Use &use) { return cast<MemRefType>(use.memref.getType()).getElementTypeBitWidth() / 8; }

std::vector<Mapping> mapping::listTurned(const Problem &problem, const Mapping &streams) {
  std::vector<Mapping> mappings;
  int64_t bytes = getElementBytes(problem.output), vector = tile::kWidestBytes / bytes;
  if (!llvm::is_contained(streams.staged, true) || !getReduced(problem).empty())
    return mappings;
  for (auto [number, input] : llvm::enumerate(problem.inputs)) {
    bool crossed = Problem::getFastDim(input) == streams.row && Problem::uses(input.map, streams.column) && input.map.isProjectedPermutation();
    if (streams.staged[number] && (!crossed || getElementBytes(input) != bytes))
      return mappings;
  }
  // Rows of what is turned, and of the result, that are whole vectors.
  if (problem.dims[streams.row].size % vector != 0 || problem.dims[streams.column].size % vector != 0)
    return mappings;
  for (int64_t lines = std::max<int64_t>(kBankBytes / bytes, 1); lines <= vector && lines * vector <= kMostTurned; lines *= 2) {
    Mapping mapping = streams;
    mapping.turned = lines;
    mapping.vector = vector;
    mapping.rows = 1;
    mapping.skewed = false;
    mapping.tile[mapping.row] = kVectors * vector;
    mapping.tile[mapping.column] = kLines * lines;
    mapping.repeat = mapping.tile[mapping.row] * mapping.tile[mapping.column] / vector / (kVectors * kLines);
    mappings.push_back(mapping);
  }
  return mappings;
}

/// `use` with its dimensions in another order, that of `column` the last.
static Use turn(const Use &use, unsigned column) {
  SmallVector<AffineExpr> exprs(use.map.getResults());
  std::stable_partition(exprs.begin(), exprs.end(), [&](AffineExpr expr) { return !expr.isFunctionOfDim(column); });
  return {use.memref, AffineMap::get(use.map.getNumDims(), 0, exprs, use.map.getContext())};
}

/// `from` in the order of `to`, in registers.
static Placed copyTurned(const Placed &from, const Use &to, StringRef prefix, NestWriter &w) {
  Type element = cast<MemRefType>(to.memref.getType()).getElementType();
  Placed turned = w.hold(to, w.builder().getZeroAttr(element), prefix);
  w.computeGeneric(from, turned, [](OpBuilder &, ArrayRef<Value> elements, llvm::function_ref<Value(unsigned)>, const IRMapping &) { return elements.front(); });
  return turned;
}

/// A tile whose rows are those of the result. Threads that store words of one column of vectors, and those that load vectors of a row, find them in different
/// banks: groups of 16 bytes of a row change places with the number of its column of vectors.
static Placed makeTile(const Problem &problem, const Mapping &mapping, const Use &turned, NestWriter &w) {
  Placed tile = w.hold(turned, w.builder().getZeroAttr(cast<MemRefType>(turned.memref.getType()).getElementType()), "t", Level::SMEM);
  auto type = cast<MemRefType>(tile.memref.getType());
  auto plain = layout::Layout::rowMajor(layout::IntTuple::tuple(std::vector<layout::IntTuple>(type.getShape().begin(), type.getShape().end())));
  auto swizzle = layout::Swizzle::get(llvm::Log2_64(kVectors), llvm::Log2_64(mapping.vector), llvm::Log2_64(mapping.tile[mapping.column]));
  if (plain && swizzle)
    if (auto layout = layout::ComposedLayout::get(*swizzle, 0, *plain))
      tile.memref.setType(MemRefType::get(type.getShape(), type.getElementType(), tile::LayoutAttr::get(type.getContext(), *layout), type.getMemorySpace()));
  return tile;
}

SmallVector<Placed> mapping::writeTurned(const Problem &problem, const Mapping &mapping, ArrayRef<Placed> operands, NestWriter &w) {
  unsigned row = mapping.row, column = mapping.column;
  SmallVector<Placed> tiles(operands);
  for (auto [number, input] : llvm::enumerate(problem.inputs))
    if (mapping.staged[number])
      tiles[number] = makeTile(problem, mapping, turn(input, column), w);
  tile::ForOp threads = w.open({{column, w.number(mapping.tile[column]), mapping.turned}, {row, w.number(mapping.tile[row]), mapping.vector}}, Level::DRAM, tile::Unit::Thread, "t");
  int64_t rows = w.getTile(row), columns = w.getTile(column);
  w.setTile(row, mapping.vector);
  w.setTile(column, mapping.turned);
  for (auto [number, input] : llvm::enumerate(problem.inputs)) {
    if (!mapping.staged[number])
      continue;
    Placed lines;
    w.stage(operands[number], Level::RF, lines, "r");
    w.store(copyTurned(lines, turn(input, column), "r", w), tiles[number]);
  }
  w.close(threads);
  w.setTile(row, rows);
  w.setTile(column, columns);
  return tiles;
}

Placed mapping::loadTurned(const Use &input, const Placed &tile, NestWriter &w) {
  Placed turned;
  w.stage(tile, Level::RF, turned, "r");
  return copyTurned(turned, input, "r", w);
}
