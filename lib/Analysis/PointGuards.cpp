//===- PointGuards.cpp - Points that a computation leaves out ---*- C++ -*-===//
//
// Which coordinates must be asked for: those whose absence another one does not imply, and that may change what is stored.
//
//===----------------------------------------------------------------------===//

#include "tilec/Analysis/PointGuards.h"

#include "tilec/Analysis/AbsentElements.h"
#include "tilec/Tile/Access.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::analysis;

namespace {

/// A coordinate that exists in 0 .. extent-1: a sum of induction variables and of the numbers of a point.
struct Coordinate {
  tile::LinearExpr loops;
  /// A factor for each dimension of the op.
  SmallVector<int64_t> point;
  OpFoldResult extent;
  StagedCoordinate of;
};

class GuardFinder {
public:
  explicit GuardFinder(linalg::LinalgOp op) : op(op), ranges(op.getStaticLoopRanges()), kernel(op->getParentOfType<tile::KernelOp>()) {}

  PointGuards find();

private:
  void addPoint(Coordinate &to, AffineExpr expr, int64_t factor) const;
  SmallVector<Coordinate> getCoordinates(const tile::Access &access, OpOperand &operand);
  SmallVector<SmallVector<Coordinate>> findStored(OpOperand &init);
  std::optional<int64_t> getLeast(const Coordinate &coordinate) const;
  bool implies(const Coordinate &known, const Coordinate &wanted) const;

  linalg::LinalgOp op;
  SmallVector<int64_t> ranges;
  tile::KernelOp kernel;
};

/// The values that an induction variable, or its quotient by a divisor of its step, takes, if they are known: `count` of them, `step` apart.
struct Walk {
  std::optional<int64_t> count;
  int64_t step = 1;
};

Walk getWalk(Value variable) {
  std::optional<tile::ScaledVar> scaled = tile::getScaledVar(variable);
  if (!scaled) // A size.
    return {std::nullopt, 1};
  tile::ForOp loop = scaled->iv.loop;
  return {loop.getStaticCount(scaled->iv.number), scaled->getStep()};
}

/// Is a tile that is staged from DRAM, through `stage` last, given values where it has no elements?
bool isPadded(tile::StageOp stage) {
  while (auto outer = tile::traceParts(stage.getSource()).root.getDefiningOp<tile::StageOp>())
    stage = outer;
  return stage.getPad().has_value();
}

/// Does a store go to a place that does not vary between `op` and it?
bool isSteady(tile::StoreOp store, Operation *op) {
  auto isAround = [&](const auto &term) {
    auto argument = dyn_cast<BlockArgument>(term.first);
    return argument && argument.getOwner()->getParentOp()->isAncestor(op);
  };
  return llvm::all_of(tile::getDestAccess(store).subscripts, [&](const tile::LinearExpr &sum) { return llvm::all_of(sum.terms, isAround); });
}

} // namespace

/// Adds `factor` times a sum of multiples of the op's dimensions.
void GuardFinder::addPoint(Coordinate &to, AffineExpr expr, int64_t factor) const {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    to.loops.constant += factor * constant.getValue();
  } else if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    if (ranges[dim.getPosition()] != 1)
      to.point[dim.getPosition()] += factor;
  } else if (auto binary = cast<AffineBinaryOpExpr>(expr); expr.getKind() == AffineExprKind::Add) {
    addPoint(to, binary.getLHS(), factor);
    addPoint(to, binary.getRHS(), factor);
  } else {
    addPoint(to, binary.getLHS(), factor * cast<AffineConstantExpr>(binary.getRHS()).getValue());
  }
}

/// The coordinates of the element of `operand` that a point uses, which lies at `access` in an operand of the kernel.
SmallVector<Coordinate> GuardFinder::getCoordinates(const tile::Access &access, OpOperand &operand) {
  SmallVector<Coordinate> coordinates;
  for (auto [dim, expr] : llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults())) {
    Coordinate &coordinate = coordinates.emplace_back();
    coordinate.loops.constant = access.subscripts[dim].constant;
    for (auto [variable, factor] : access.subscripts[dim].terms)
      if (getWalk(variable).count != 1)
        coordinate.loops.add(variable, factor);
    coordinate.point.resize(ranges.size());
    addPoint(coordinate, expr, 1);
    auto [root, bounds] = access.getBounds(dim);
    coordinate.extent = kernel.getOperandExtent(cast<BlockArgument>(root).getArgNumber(), bounds);
    coordinate.of = {&operand, static_cast<unsigned>(dim)};
  }
  return coordinates;
}

/// What holds wherever the op's result is stored in the end, for each store; nothing where that is not known.
SmallVector<SmallVector<Coordinate>> GuardFinder::findStored(OpOperand &init) {
  tile::Access access = tile::traceParts(init.get());
  if (isa<BlockArgument>(access.root))
    return {getCoordinates(access, init)};
  SmallVector<SmallVector<Coordinate>> stored;
  for (tile::StoreOp store : getStores(access.root)) {
    if (!isSteady(store, op))
      return {};
    tile::Access dest = tile::getDestAccess(store);
    for (auto [sum, inner] : llvm::zip_equal(dest.subscripts, access.subscripts))
      sum.add(inner);
    stored.push_back(getCoordinates(dest, init));
  }
  return stored;
}

std::optional<int64_t> GuardFinder::getLeast(const Coordinate &coordinate) const {
  int64_t least = coordinate.loops.constant;
  for (auto [variable, factor] : coordinate.loops.terms) {
    Walk walk = getWalk(variable);
    if (factor < 0 && !walk.count)
      return std::nullopt;
    least += factor < 0 ? factor * walk.step * (*walk.count - 1) : 0;
  }
  for (auto [factor, range] : llvm::zip_equal(coordinate.point, ranges))
    least += factor < 0 ? factor * (range - 1) : 0;
  return least;
}

/// Does `known` exist only where `wanted` does?
bool GuardFinder::implies(const Coordinate &known, const Coordinate &wanted) const {
  if (known.extent != wanted.extent)
    return false;
  // What `known` is more by: induction variables, sizes and numbers of points are not negative.
  tile::LinearExpr more = known.loops;
  for (auto [variable, factor] : wanted.loops.terms)
    more.add(variable, -factor);
  more.constant -= wanted.loops.constant;
  llvm::erase_if(more.terms, [](const auto &term) { return term.second == 0; });
  if (more.terms.empty() && more.constant == 0 && known.point == wanted.point)
    return true;
  bool isMore = more.constant >= 0 && llvm::all_of(more.terms, [](const auto &term) { return term.second > 0; }) &&
                llvm::all_of(llvm::zip_equal(known.point, wanted.point), [](auto factors) { return std::get<1>(factors) <= std::get<0>(factors); });
  return isMore && getLeast(wanted).value_or(-1) >= 0;
}

PointGuards GuardFinder::find() {
  PointGuards guards;
  OpOperand *result = nullptr;
  SmallVector<Coordinate> inputs;
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    Value root = tile::traceParts(operand.get()).root;
    if (isa<BlockArgument>(root))
      guards.inPlace.push_back(&operand);
    if (op.isDpsInit(&operand) && op.getNumDpsInits() == 1) {
      result = &operand;
      continue;
    }
    auto stage = root.getDefiningOp<tile::StageOp>();
    tile::Access source = tile::traceToOperand(operand.get());
    if (stage && isa<BlockArgument>(source.root) && !isPadded(stage))
      inputs.append(getCoordinates(source, operand));
  }
  bool strict = mayHaveNoMeaning(op);
  // What a single result is at a point where it is absent itself, nobody reads.
  SmallVector<SmallVector<Coordinate>> stored;
  if (result && !strict && !inputs.empty())
    stored = findStored(*result);
  for (const Coordinate &input : inputs) {
    auto impliesInput = [&](const Coordinate &known) { return implies(known, input); };
    auto isOutside = [&](ArrayRef<Coordinate> store) { return llvm::any_of(store, impliesInput); };
    if (!strict && !stored.empty() && llvm::all_of(stored, isOutside))
      continue;
    // Where `input` is absent, so are these.
    SmallVector<OpOperand *> zero;
    for (const Coordinate &other : inputs)
      if (implies(other, input) && !isWrittenInPlace(other.of.operand->get()))
        zero.push_back(other.of.operand);
    if (strict || !isZeroNeutral(op, zero))
      guards.staged.push_back(input.of);
  }
  return guards;
}

PointGuards tilec::analysis::findGuards(linalg::LinalgOp op) { return GuardFinder(op).find(); }
