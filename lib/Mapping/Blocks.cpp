//===- Blocks.cpp - What schemes have in common -----------------*- C++ -*-===//
//
// The loops around a block's tile, and bytes that its operands take.
//
//===----------------------------------------------------------------------===//

#include "Schemes.h"
#include "tilec/Tile/Reduction.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::mapping;
using tile::ForOp;
using tile::Level;
using tile::Unit;

static SmallVector<unsigned> getDims(const Problem &problem, bool parallel) {
  SmallVector<unsigned> dims;
  for (auto [number, dim] : llvm::enumerate(problem.dims))
    if (dim.parallel == parallel)
      dims.push_back(number);
  return dims;
}

SmallVector<unsigned> mapping::getParallel(const Problem &problem) { return getDims(problem, true); }
SmallVector<unsigned> mapping::getReduced(const Problem &problem) { return getDims(problem, false); }

SmallVector<unsigned> mapping::getReduced(const Problem &problem, const Mapping &mapping) {
  SmallVector<unsigned> reduced = getReduced(problem);
  std::stable_partition(reduced.begin(), reduced.end(), [&](unsigned dim) { return dim != mapping.depth; });
  return reduced;
}

SmallVector<unsigned> mapping::getGrid(const Problem &problem, const Mapping &mapping) { return mapping.grid.empty() ? getParallel(problem) : mapping.grid; }

SmallVector<std::pair<unsigned, unsigned>> mapping::getSides(const Problem &problem) {
  SmallVector<std::pair<unsigned, unsigned>> sides;
  SmallVector<unsigned> parallel = getParallel(problem);
  std::optional<unsigned> fast = Problem::getFastDim(problem.output);
  for (unsigned row : parallel)
    for (unsigned column : parallel) {
      if (row == column || (fast && column != *fast))
        continue;
      bool products = problem.inputs.size() >= 2;
      for (const Use &input : problem.inputs)
        products &= Problem::uses(input.map, row) != Problem::uses(input.map, column);
      for (unsigned side : {row, column})
        products &= llvm::any_of(problem.inputs, [&](const Use &input) { return Problem::uses(input.map, side); });
      if (products)
        sides.push_back({row, column});
    }
  return sides;
}

bool mapping::isReadOnce(const Problem &problem, const Use &input) {
  return llvm::all_of(llvm::enumerate(problem.dims), [&](auto dim) { return dim.value().size == 1 || Problem::uses(input.map, dim.index()); });
}

std::optional<tile::Combine> mapping::getCombine(const Problem &problem) {
  linalg::LinalgOp root = problem.root;
  return tile::getUpdateKind(root, *root.getDpsInitOperand(0));
}

bool mapping::isWalked(const Problem &problem, const Mapping &mapping, unsigned dim) {
  return isa<Value>(problem.dims[dim].extent) || mapping.tile[dim] < problem.dims[dim].size;
}

int64_t mapping::getTileBytes(const Use &use, ArrayRef<int64_t> tile) {
  auto type = cast<MemRefType>(use.memref.getType());
  SmallVector<int64_t> first(tile.size(), 0), last = llvm::map_to_vector(tile, [](int64_t extent) { return extent - 1; });
  int64_t elements = 1;
  for (auto [begin, end] : llvm::zip_equal(use.map.compose(first), use.map.compose(last)))
    elements *= end - begin + 1;
  return elements * llvm::divideCeil(type.getElementTypeBitWidth(), 8);
}

double mapping::countTiles(const Problem &problem, ArrayRef<int64_t> tile) {
  double tiles = 1;
  for (auto [dim, extent] : llvm::zip_equal(problem.dims, tile))
    if (dim.parallel)
      tiles *= double(llvm::divideCeil(dim.size, extent));
  return tiles;
}

double mapping::getRequestedBytes(const Problem &problem, const Mapping &mapping) {
  double steps = 1, bytes = 0;
  for (unsigned dim : getReduced(problem))
    steps *= double(llvm::divideCeil(problem.dims[dim].size, mapping.tile[dim]));
  for (const Use &input : problem.inputs)
    bytes += double(getTileBytes(input, mapping.tile)) * steps;
  return countTiles(problem, mapping.tile) * (bytes + double(getTileBytes(problem.output, mapping.tile)));
}

double mapping::getOperandBytes(const Problem &problem) {
  SmallVector<int64_t> whole = llvm::map_to_vector(problem.dims, [](const Dim &dim) { return std::max<int64_t>(dim.size, 1); });
  double bytes = double(getTileBytes(problem.output, whole));
  for (const Use &input : problem.inputs)
    bytes += double(getTileBytes(input, whole));
  return bytes;
}

Placed mapping::makeResult(const Problem &problem, NestWriter &w, bool addedLast) {
  Placed result;
  Type element = cast<MemRefType>(problem.output.memref.getType()).getElementType();
  if (addedLast)
    return w.hold(problem.output, tile::getIdentity(tile::Combine::Add, element), "t");
  if (!problem.init && problem.accumulates) {
    w.stage(w.operand(problem.output), Level::RF, result, "t");
    return result;
  }
  return w.hold(problem.output, problem.init ? problem.init : w.builder().getZeroAttr(element), "t");
}

void mapping::layOutAlong(unsigned side, AffineMap map, Value tile, int64_t gap) {
  auto type = cast<MemRefType>(tile.getType());
  std::vector<layout::IntTuple> shape, strides;
  unsigned along = type.getRank();
  for (auto [position, expr] : llvm::enumerate(map.getResults()))
    if (expr.isFunctionOfDim(side))
      along = position;
  if (along == type.getRank())
    return;
  SmallVector<int64_t> stride(type.getRank());
  stride[along] = 1;
  int64_t next = type.getDimSize(along) + gap;
  for (unsigned position = type.getRank(); position-- > 0;)
    if (position != along) {
      stride[position] = next;
      next *= type.getDimSize(position);
    }
  for (unsigned position = 0; position < type.getRank(); ++position) {
    shape.push_back(type.getDimSize(position));
    strides.push_back(stride[position]);
  }
  auto layout = layout::Layout::get(layout::IntTuple::tuple(shape), layout::IntTuple::tuple(strides));
  if (layout)
    tile.setType(MemRefType::get(type.getShape(), type.getElementType(), tile::LayoutAttr::get(type.getContext(), *layout), type.getMemorySpace()));
}

/// The order in which blocks take tiles; it is known for two dimensions.
static void setGrid(ForOp grid, const Mapping &mapping) {
  grid.setPersistent(mapping.persistent);
  if (mapping.teams > 1)
    grid.setTeams(mapping.teams);
  if (mapping.grouped > 0 && grid.getNumLoops() == 2)
    grid.setRasterAttr(tile::RasterAttr::get(grid.getContext(), tile::RasterOrder::Grouped, mapping.grouped, 1));
}

BlockLoops mapping::openBlock(const Problem &problem, const Mapping &mapping, NestWriter &w) {
  BlockLoops loops;
  SmallVector<unsigned> reduced = getReduced(problem, mapping);
  unsigned last = reduced.empty() ? 0 : reduced.back();
  SmallVector<LoopOver> grid;
  for (unsigned dim : getGrid(problem, mapping)) {
    int64_t step = mapping.tile[dim] * (dim == mapping.row ? mapping.clusterRows : 1);
    grid.push_back({dim, problem.dims[dim].extent, step});
    w.setTile(dim, mapping.tile[dim]);
  }
  bool clusters = mapping.clusterRows > 1 || mapping.split > 1;
  loops.block = w.open(grid, Level::DRAM, clusters ? Unit::Cluster : Unit::Block, "0");
  setGrid(loops.block, mapping);
  if (mapping.clusterRows > 1) {
    int64_t rows = mapping.tile[mapping.row];
    loops.block = w.open({{mapping.row, w.number(rows * mapping.clusterRows), rows}}, Level::DRAM, Unit::Block, "b");
  }
  loops.result = makeResult(problem, w, mapping.addedLast);
  if (mapping.split > 1) {
    int64_t step = mapping.tile[last];
    loops.block = w.open({{last, w.number(step * mapping.split), step}}, Level::DRAM, Unit::Block, "b");
    loops.block.setReduce(getCombine(problem));
  }
  for (unsigned dim : reduced) {
    w.setTile(dim, mapping.tile[dim]);
    if (!isWalked(problem, mapping, dim))
      continue;
    int64_t step = mapping.tile[dim] * (dim == last ? mapping.split : 1);
    ForOp steps = w.open({{dim, problem.dims[dim].extent, step}}, Level::DRAM, Unit::Time, "0");
    if (!loops.steps)
      loops.steps = steps;
    if (dim != last)
      continue;
    if (mapping.stages > 1)
      steps.setPipeline(mapping.stages);
    if (mapping.stages > 1 && mapping.producers > 0)
      steps.setProducers(mapping.producers);
    steps.setCutTail(mapping.cutTail);
  }
  return loops;
}

void mapping::finishBlock(const Problem &problem, const Mapping &mapping, NestWriter &w, const BlockLoops &loops, llvm::function_ref<void(const Placed &)> addLast) {
  if (mapping.split > 1)
    w.close(loops.block);
  else if (loops.steps)
    w.close(loops.steps);
  for (unsigned dim : getParallel(problem))
    w.setTile(dim, mapping.tile[dim]);
  if (addLast)
    addLast(loops.result);
  Placed result = w.epilogue(loops.result, /*together=*/true);
  w.store(result, w.operand({problem.getResult(), problem.output.map}));
}
