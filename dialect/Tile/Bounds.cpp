//===- Bounds.cpp - How far subscripts reach --------------------*- C++ -*-===//
//
// Rules S5, P5 and W5 (inside of a tile), W4 and K7 (written by one unit).
//
//===----------------------------------------------------------------------===//

#include "Bounds.h"

#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace mlir;
using namespace tilec::tile;

static constexpr int64_t kUnbounded = std::numeric_limits<int64_t>::max();

int64_t tilec::tile::saturatingMul(int64_t lhs, int64_t rhs) {
  int64_t product;
  return llvm::MulOverflow(lhs, rhs, product) ? kUnbounded : product;
}

int64_t tilec::tile::saturatingAdd(int64_t lhs, int64_t rhs) {
  int64_t sum;
  return llvm::AddOverflow(lhs, rhs, sum) ? kUnbounded : sum;
}

std::optional<InductionVar> tilec::tile::getInductionVar(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  auto loop = argument ? dyn_cast_or_null<ForOp>(argument.getOwner()->getParentOp()) : nullptr;
  if (!loop)
    return std::nullopt;
  return InductionVar{loop, argument.getArgNumber()};
}

//===----------------------------------------------------------------------===//
// Inside of a tile
//===----------------------------------------------------------------------===//

namespace {
struct Range {
  int64_t least, most;
};
} // namespace

/// The values of `sum` over all iterations; none where a loop's extent is dynamic, a value is no induction variable,
/// or a number does not fit.
static std::optional<Range> getRange(const LinearExpr &sum) {
  Range range{sum.constant, sum.constant};
  for (auto [value, factor] : sum.terms) {
    std::optional<InductionVar> iv = getInductionVar(value);
    std::optional<int64_t> count = iv ? iv->loop.getStaticCount(iv->number) : std::nullopt;
    if (!count)
      return std::nullopt;
    int64_t last, reach;
    if (llvm::MulOverflow(std::max<int64_t>(*count - 1, 0), iv->loop.getSteps()[iv->number], last) ||
        llvm::MulOverflow(last, factor, reach))
      return std::nullopt;
    int64_t &end = reach < 0 ? range.least : range.most;
    if (llvm::AddOverflow(end, reach, end))
      return std::nullopt;
  }
  return range;
}

LogicalResult tilec::tile::verifyInside(Operation *op, Value tile, AffineMap map, ValueRange operands,
                                        ArrayRef<int64_t> shape) {
  if (isa<BlockArgument>(tile))
    return success();
  auto type = cast<MemRefType>(tile.getType());
  for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
    std::optional<Range> range = getRange(*getLinearExpr(expr, operands));
    if (!range)
      return op->emitOpError("subscript ") << dim << " has no static bounds, but must stay inside of a tile of "
                                           << type.getDimSize(dim) << " elements";
    int64_t end;
    if (range->least < 0 || llvm::AddOverflow(range->most, shape[dim], end) || end > type.getDimSize(dim))
      return op->emitOpError("subscript ")
             << dim << " goes from " << range->least << " to " << range->most << " and takes " << shape[dim]
             << " elements from there, but the tile has " << type.getDimSize(dim);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Written by one unit
//===----------------------------------------------------------------------===//

namespace {
/// One induction variable in the subscript of a dimension.
struct Term {
  Value iv;
  /// Distance of consecutive iterations in elements.
  int64_t step;
  /// Number of iterations, kUnbounded where it is dynamic.
  int64_t count;
  bool isUnit;
};
} // namespace

static bool isUnitLoop(ForOp loop) { return loop.getUnit() != Unit::Time && loop.getUnit() != Unit::Unroll; }

/// True for values that are the same for all units: those defined outside of all loops.
static bool isUniform(Value value) {
  Operation *scope = value.getParentBlock()->getParentOp();
  return scope && !isa<ForOp>(scope) && !scope->getParentOfType<ForOp>();
}

/// Adds to `told` the induction variables that an element's coordinate in this dimension tells: those of a
/// mixed-radix number. Iterations in time may overlap as long as no unit is a lower digit than they are.
static void addToldApart(const LinearExpr &subscript, int64_t extent, llvm::SmallDenseSet<Value> &told) {
  SmallVector<Term> terms;
  for (auto [value, factor] : subscript.terms) {
    if (std::optional<InductionVar> iv = getInductionVar(value)) {
      terms.push_back({value, saturatingMul(std::abs(factor), iv->loop.getSteps()[iv->number]),
                       iv->loop.getStaticCount(iv->number).value_or(kUnbounded), isUnitLoop(iv->loop)});
    } else if (!isUniform(value)) {
      return;
    }
  }
  llvm::erase_if(terms, [](const Term &term) { return term.count <= 1; });
  llvm::sort(terms, [](const Term &a, const Term &b) { return a.step < b.step; });
  int64_t span = ShapedType::isDynamic(extent) ? kUnbounded : extent;
  bool aboveUnit = false;
  for (const Term &term : terms) {
    aboveUnit |= term.isUnit;
    if (aboveUnit && (term.step < span || span == kUnbounded))
      return;
    span = saturatingAdd(saturatingMul(term.step, term.count - 1), span);
  }
  for (const Term &term : terms)
    told.insert(term.iv);
}

LogicalResult tilec::tile::verifyWrittenOnce(Operation *op, const Access &dest, ArrayRef<int64_t> shape) {
  Operation *owner = nullptr; // A tile in shared memory belongs to the block, so other blocks have others.
  if (getLevel(dest.root.getType()) != Level::DRAM && dest.root.getDefiningOp())
    owner = dest.root.getDefiningOp()->getParentOp();
  llvm::SmallDenseSet<Value> told;
  for (auto [subscript, extent] : llvm::zip_equal(dest.subscripts, shape))
    addToldApart(subscript, extent, told);
  for (auto loop = op->getParentOfType<ForOp>(); loop && loop != owner; loop = loop->getParentOfType<ForOp>()) {
    if (!isUnitLoop(loop))
      continue;
    for (unsigned i = 0; i < loop.getNumLoops(); ++i) {
      std::optional<int64_t> count = loop.getStaticCount(i);
      if ((count && *count <= 1) || told.contains(loop.getInductionVar(i)))
        continue;
      InFlightDiagnostic diag = op->emitOpError("may write one element from several iterations of a loop on ")
                                << stringifyUnit(loop.getUnit());
      diag.attachNote(loop.getLoc()) << "induction variable " << i
                                     << " of this loop must move the destination past what others write; a store with "
                                        "combine(add) adds up instead";
      return diag;
    }
  }
  return success();
}
