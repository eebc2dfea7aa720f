//===- Peel.cpp - Iterations at the edges of what is written out -*- C++ -*-===//

#include "Peel.h"

#include "Loops.h"
#include "tilec/Analysis/PointGuards.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilec;

namespace {

class Finder {
public:
  Finder(Context &context, tile::ForOp loop, unsigned i) : context(context), loop(loop), i(i), count(*loop.getStaticCount(i)) {}

  std::pair<int64_t, int64_t> find();

private:
  void visit(const tile::LinearExpr &place, int64_t width, std::optional<int64_t> extent);
  void visit(const tile::Access &access, ArrayRef<int64_t> shape);
  void visit(linalg::LinalgOp op);
  std::optional<std::pair<int64_t, int64_t>> getRange(Value value) const;
  std::optional<int64_t> getExtent(Value operand, unsigned dim) const;

  Context &context;
  tile::ForOp loop;
  unsigned i;
  int64_t count;
  int64_t first = 0, last = 0;
};

} // namespace

/// The least and the most that a value of the nest is.
std::optional<std::pair<int64_t, int64_t>> Finder::getRange(Value value) const {
  if (context.values.contains(value)) {
    IndexExpr mapped = valueIndex(context.values.lookup(value));
    std::optional<int64_t> least = context.index.getLeast(mapped), most = context.index.getMost(mapped);
    return least && most ? std::optional(std::pair(*least, *most)) : std::nullopt;
  }
  auto argument = dyn_cast<BlockArgument>(value);
  auto inner = argument ? dyn_cast<tile::ForOp>(argument.getOwner()->getParentOp()) : tile::ForOp();
  return inner ? std::optional(std::pair(int64_t(0), getLast(inner, argument.getArgNumber()))) : std::nullopt;
}

std::optional<int64_t> Finder::getExtent(Value operand, unsigned dim) const {
  return isa<BlockArgument>(operand) ? getStatic(context.getOperandExtent(operand, dim)) : std::nullopt;
}

/// Counts the iterations in which `width` elements from `place` on are not all among `extent`.
void Finder::visit(const tile::LinearExpr &place, int64_t width, std::optional<int64_t> extent) {
  Value variable = loop.getInductionVar(i);
  int64_t least = place.constant, most = place.constant + width - 1, step = place.factorOf(variable) * loop.getSteps()[i];
  if (step <= 0 || !extent)
    return;
  for (auto [value, factor] : place.terms) {
    if (value == variable)
      continue;
    std::optional<std::pair<int64_t, int64_t>> range = getRange(value);
    if (!range)
      return;
    auto add = [factor = factor](int64_t &sum, int64_t number) { return !llvm::MulOverflow(factor, number, number) && !llvm::AddOverflow(sum, number, sum); };
    if (!add(least, factor > 0 ? range->first : range->second) || !add(most, factor > 0 ? range->second : range->first))
      return;
  }
  first = std::max(first, least < 0 ? int64_t(llvm::divideCeil(-least, step)) : 0);
  int64_t inside = most >= *extent ? 0 : (*extent - 1 - most) / step + 1;
  last = std::max(last, count - std::min(count, inside));
}

void Finder::visit(const tile::Access &access, ArrayRef<int64_t> shape) {
  if (!access.gather)
    for (auto [dim, place] : llvm::enumerate(access.subscripts))
      visit(place, shape[dim], getExtent(access.root, dim));
}

void Finder::visit(linalg::LinalgOp op) {
  for (auto [operand, dim] : analysis::findGuards(op).staged) {
    tile::Access source = tile::traceToOperand(operand->get());
    if (!source.gather)
      visit(source.subscripts[dim], cast<MemRefType>(operand->get().getType()).getDimSize(dim), getExtent(source.root, dim));
  }
}

std::pair<int64_t, int64_t> Finder::find() {
  // One at the beginning, and two that make a loop.
  if (count < 3)
    return {0, 0};
  loop.walk([&](Operation *op) {
    if (auto compute = dyn_cast<linalg::LinalgOp>(op))
      visit(compute);
    else if (auto store = dyn_cast<tile::StoreOp>(op))
      visit(tile::getDestAccess(store), cast<MemRefType>(store.getTile().getType()).getShape());
    else if (auto stage = dyn_cast<tile::StageOp>(op))
      visit(tile::getSourceAccess(stage), cast<MemRefType>(stage.getTile().getType()).getShape());
  });
  return first > 0 && first + last + 2 <= count ? std::pair(first, last) : std::pair<int64_t, int64_t>(0, 0);
}

std::pair<int64_t, int64_t> tilec::getPeeled(Context &context, tile::ForOp loop, unsigned i) { return Finder(context, loop, i).find(); }
