//===- Skew.cpp - Rows that begin where no vector does ----------*- C++ -*-===//

#include "Skew.h"

#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace tilec;
using namespace tilec::mapping;
using tile::ForOp;

/// By how many elements each dimension of the iteration space moves what `use` names; absent where that is not known.
static std::optional<SmallVector<int64_t>> getMoves(const Problem &problem, const Use &use) {
  auto type = cast<MemRefType>(use.memref.getType());
  FailureOr<SmallVector<int64_t>> strides = tile::getStaticStrides(type);
  if (failed(strides) || llvm::is_contained(*strides, ShapedType::kDynamic))
    return std::nullopt;
  auto countBefore = [&](ArrayRef<int64_t> point) {
    int64_t before = 0;
    for (auto [place, stride] : llvm::zip_equal(use.map.compose(point), *strides))
      before += place * stride;
    return before;
  };
  SmallVector<int64_t> point(problem.dims.size(), 0), moves;
  int64_t first = countBefore(point);
  for (int64_t &place : point) {
    place = 1;
    moves.push_back(countBefore(point) - first);
    place = 0;
  }
  return moves;
}

std::optional<Skew> mapping::findSkew(const Problem &problem, ArrayRef<Use> uses, unsigned row, unsigned column, int64_t vector, int64_t rows, int64_t bytes) {
  // What is walked more is a number, too.
  if (row == column || isa<Value>(problem.dims[column].extent))
    return std::nullopt;
  std::optional<int64_t> late;
  int64_t widest = 8;
  for (const Use &use : uses)
    widest = std::max<int64_t>(widest, cast<MemRefType>(use.memref.getType()).getElementTypeBitWidth());
  // Narrower vectors gain less, and each candidate takes a proof that its iterations are independent.
  if (vector < tile::kWidestBytes * 8 / widest)
    return std::nullopt;
  int64_t aligned = bytes * 8 / widest;
  for (const Use &use : uses) {
    std::optional<SmallVector<int64_t>> moves = getMoves(problem, use);
    if (!moves)
      return std::nullopt;
    if ((*moves)[row] == 0 || (*moves)[column] != 1)
      continue;
    for (auto [dim, move] : llvm::enumerate(*moves))
      if (dim != row && dim != column && move % aligned != 0)
        return std::nullopt;
    int64_t own = llvm::mod((*moves)[row], aligned);
    if (late && *late != own)
      return std::nullopt;
    late = own;
  }
  if (late.value_or(0) == 0)
    return std::nullopt;
  int64_t period = std::max(aligned / std::gcd(*late, aligned), rows);
  Skew skew = {row, column, period, -*late, 0, *late * (period - 1)};
  if (2 * *late > aligned) { // Forward by what is missing is the shorter way.
    skew.factor = aligned - *late;
    skew.back = skew.slack = int64_t(llvm::alignTo(skew.factor * (period - 1), aligned));
  }
  return skew;
}

ForOp mapping::openSkewed(const Skew &skew, ArrayRef<LoopOver> blocks, NestWriter &w) {
  SmallVector<LoopOver> loops;
  std::optional<unsigned> within;
  for (const LoopOver &block : blocks) {
    loops.push_back(block);
    if (block.dim != skew.row || block.step == skew.period)
      continue;
    loops.back().step = skew.period;
    within = loops.size();
    loops.push_back({skew.row, w.number(skew.period), block.step});
  }
  ForOp loop = w.open(loops, tile::Level::DRAM, tile::Unit::Block, "0");
  w.moveAlong(skew.row, skew.column, skew.factor, -skew.back);
  if (within)
    w.move(skew.column, loop.getInductionVar(*within), skew.factor);
  return loop;
}
