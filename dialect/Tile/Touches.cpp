//===- Touches.cpp - What ops read and write in memory ----------*- C++ -*-===//
//
// See Touches.h. Whether two boxes can meet is a question about integers, which
// MLIR's Presburger library answers exactly.
//
//===----------------------------------------------------------------------===//

#include "tilec/Tile/Touches.h"

#include "Bounds.h"

#include "mlir/Analysis/Presburger/IntegerRelation.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace tilec::tile;

//===----------------------------------------------------------------------===//
// Boxes
//===----------------------------------------------------------------------===//

/// The whole of what `memref` names.
static Touch touchAll(Operation *op, Value memref) {
  Touch touch{op, traceParts(memref), {}};
  llvm::append_range(touch.shape, cast<MemRefType>(memref.getType()).getShape());
  return touch;
}

/// The dimension that data numbers may take any number, but for the same at two places where that says so; the indices are read where nobody looks more closely.
static Touch touchGathered(Touch &touch) {
  if (!touch.byPlace) {
    touch.at.subscripts[touch.at.gather->dim] = LinearExpr();
    touch.shape[touch.at.gather->dim] = ShapedType::kDynamic;
  }
  Touch indices{touch.op, {touch.at.gather->indices, {LinearExpr()}}, {ShapedType::kDynamic}};
  return indices;
}

static bool areAlike(const Touch &first, const Touch &second) {
  return first.op->getBlock() == second.op->getBlock() && first.shape == second.shape &&
         first.writes == second.writes && first.combine == second.combine && first.at.subscripts == second.at.subscripts;
}

static void numberKinds(MutableArrayRef<Touch> touches) {
  unsigned kinds = 0;
  DenseMap<std::pair<Block *, int64_t>, SmallVector<const Touch *, 1>> seen;
  for (Touch &touch : touches) {
    uint64_t key = 0; // Wraps.
    for (const LinearExpr &sum : touch.at.subscripts)
      key = key * 31 + sum.constant;
    auto &similar = seen[{touch.op->getBlock(), static_cast<int64_t>(key)}];
    const auto *found = llvm::find_if(similar, [&](const Touch *other) { return areAlike(*other, touch); });
    touch.kind = found == similar.end() ? kinds++ : (*found)->kind;
    if (found == similar.end())
      similar.push_back(&touch);
  }
}

llvm::MapVector<Value, SmallVector<Touch>> tilec::tile::getTouches(KernelOp kernel) {
  llvm::MapVector<Value, SmallVector<Touch>> touches;
  auto add = [&](Touch touch, bool writes) {
    (writes ? touch.writes : touch.reads) = true;
    if (getLevel(touch.at.root.getType()) != Level::RF)
      touches[touch.at.root].push_back(std::move(touch));
  };
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto stage = dyn_cast<StageOp>(op)) {
      Touch touch = touchAll(op, stage.getSource());
      touch.at = getSourceAccess(stage);
      touch.shape = llvm::to_vector(cast<MemRefType>(stage.getTile().getType()).getShape());
      if (stage.getPad() && *stage.getPad() != Pad::Zero) // Reads elements that are not in the box.
        for (auto [sum, extent] : llvm::zip_equal(touch.at.subscripts, touch.shape))
          sum = LinearExpr(), extent = ShapedType::kDynamic;
      if (touch.at.gather)
        add(touchGathered(touch), /*writes=*/false);
      add(std::move(touch), /*writes=*/false);
    } else if (auto store = dyn_cast<StoreOp>(op)) {
      add(touchAll(op, store.getTile()), /*writes=*/false);
      Touch touch = touchAll(op, store.getDest());
      touch.at = getDestAccess(store);
      touch.shape = llvm::to_vector(cast<MemRefType>(store.getTile().getType()).getShape());
      touch.combine = store.getCombine();
      touch.byPlace = store.getUnique();
      if (touch.at.gather)
        add(touchGathered(touch), /*writes=*/false);
      add(std::move(touch), /*writes=*/true);
    } else if (auto compute = dyn_cast<linalg::LinalgOp>(op)) {
      for (OpOperand &operand : op->getOpOperands())
        if (isa<MemRefType>(operand.get().getType()))
          add(touchAll(op, operand.get()), compute.isDpsInit(&operand));
    }
  });
  for (auto &[root, all] : touches)
    numberKinds(all);
  return touches;
}

//===----------------------------------------------------------------------===//
// Constraints
//===----------------------------------------------------------------------===//

TouchSystem::Sum TouchSystem::Sum::operator+(const Sum &other) const {
  Sum sum = *this;
  sum.terms.append(other.terms);
  sum.constant += other.constant;
  return sum;
}

TouchSystem::Sum TouchSystem::Sum::operator-(const Sum &other) const {
  Sum sum = *this;
  for (auto [variable, factor] : other.terms)
    sum.terms.emplace_back(variable, -factor);
  sum.constant -= other.constant;
  return sum;
}

TouchSystem::Sum TouchSystem::Sum::operator*(int64_t factor) const {
  Sum sum = *this;
  for (auto &term : sum.terms)
    term.second *= factor;
  sum.constant *= factor;
  return sum;
}

TouchSystem::Sum TouchSystem::addVariable() {
  Sum sum;
  sum.terms.emplace_back(variables++, 1);
  notNegative.push_back(sum);
  return sum;
}

void TouchSystem::requireNotNegative(const Sum &sum) { notNegative.push_back(sum); }
void TouchSystem::requireZero(const Sum &sum) { zero.push_back(sum); }

TouchSystem::Sum TouchSystem::getIteration(Value inductionVar, unsigned side) {
  getValue(inductionVar, side);
  auto found = iterations[side].find(inductionVar);
  return found == iterations[side].end() ? iterations[0].lookup(inductionVar) : found->second;
}

TouchSystem::Sum TouchSystem::getValue(Value value, unsigned side) {
  Operation *owner = value.getParentBlock()->getParentOp();
  if (!scope || owner == kernel || !scope->isAncestor(owner))
    side = 0;
  if (auto found = known[side].find(value); found != known[side].end())
    return found->second;
  std::optional<InductionVar> iv = getInductionVar(value);
  if (!iv) {
    if (isa<BlockArgument>(value) && value.getType().isIndex()) // A size is not negative.
      return known[side][value] = addVariable();
    if (LinearExpr made = getIndexSum(value); made.factorOf(value) == 0)
      return known[side][value] = getSum(made, side);
    if (std::optional<Quotient> quotient = getQuotient(value))
      return known[side][value] = divide(*quotient, side);
    Sum sum;
    sum.terms.emplace_back(variables++, 1);
    return known[side][value] = sum;
  }
  Sum iteration = addVariable(), sum = iteration;
  int64_t step = iv->loop.getSteps()[iv->number];
  sum.terms.front().second = step;
  known[side][value] = sum;
  iterations[side][value] = iteration;
  OpFoldResult extent = iv->loop.getExtent(iv->number);
  Sum end;
  if (auto dynamic = dyn_cast<Value>(extent))
    end = getValue(dynamic, side);
  else
    end.constant = cast<IntegerAttr>(cast<Attribute>(extent)).getInt();
  end.constant -= 1;
  requireNotNegative(end - sum);
  return sum;
}

/// The sum is the divisor times one number, and another one from 0 to the divisor - 1.
TouchSystem::Sum TouchSystem::divide(const Quotient &quotient, unsigned side) {
  Sum whole = addVariable(), rest = getSum(quotient.sum, side) - whole * quotient.divisor, last;
  requireNotNegative(rest);
  last.constant = quotient.divisor - 1;
  requireNotNegative(last - rest);
  return quotient.isRemainder ? rest : whole;
}

TouchSystem::Sum TouchSystem::getSum(const LinearExpr &expr, unsigned side) {
  Sum sum;
  sum.constant = expr.constant;
  for (auto [value, factor] : expr.terms)
    for (auto [variable, step] : getValue(value, side).terms) {
      int64_t product;
      // A multiple that does not fit is any number.
      if (llvm::MulOverflow(step, factor, product))
        sum.terms.emplace_back(variables++, 1);
      else
        sum.terms.emplace_back(variable, product);
    }
  return sum;
}

TouchSystem::Sum TouchSystem::getExtent(Value root, unsigned dim) {
  Sum sum;
  int64_t extent = cast<MemRefType>(root.getType()).getDimSize(dim);
  if (!ShapedType::isDynamic(extent)) {
    sum.constant = extent;
    return sum;
  }
  if (auto argument = dyn_cast<BlockArgument>(root))
    return getValue(cast<Value>(kernel.getOperandExtent(argument.getArgNumber(), dim)), 0);
  return addVariable();
}

void TouchSystem::requireInside(const Sum &sum, Value root, unsigned dim) {
  requireNotNegative(sum);
  Sum last = getExtent(root, dim);
  last.constant -= 1;
  requireNotNegative(last - sum);
}

void TouchSystem::requireSameElement(const Touch &first, const Touch &second) {
  const Touch *touches[] = {&first, &second};
  for (unsigned dim = 0; dim < first.at.subscripts.size(); ++dim) {
    Sum element = elements.emplace_back(addVariable());
    // Of what is known by places nothing else touches the operand (rule W8).
    auto [bound, along] = first.byPlace ? first.at.getBounds(dim) : std::pair(first.at.root, dim);
    requireInside(element, bound, along);
    for (unsigned side = 0; side < 2; ++side) {
      Sum offset = element - getSum(touches[side]->at.subscripts[dim], side);
      requireNotNegative(offset);
      int64_t extent = touches[side]->shape[dim];
      if (ShapedType::isDynamic(extent))
        continue;
      Sum last;
      last.constant = extent - 1;
      requireNotNegative(last - offset);
    }
  }
}

bool TouchSystem::isEmpty() const {
  // Whole nests have a few dozen; the time of the exact answer grows fast beyond that.
  constexpr unsigned kMostVariables = 64;
  if (variables > kMostVariables)
    return false;
  presburger::IntegerPolyhedron set(presburger::PresburgerSpace::getSetSpace(variables));
  auto getRow = [&](const Sum &sum) {
    SmallVector<llvm::DynamicAPInt> row(variables + 1);
    for (auto [variable, factor] : sum.terms)
      row[variable] += factor;
    row[variables] = llvm::DynamicAPInt(sum.constant);
    return row;
  };
  for (const Sum &sum : zero)
    set.addEquality(getRow(sum));
  for (const Sum &sum : notNegative)
    set.addInequality(getRow(sum));
  return set.isIntegerEmpty();
}
