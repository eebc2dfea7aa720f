//===- Results.cpp - Ops with several results -------------------*- C++ -*-===//
//
// A kernel's op has one result. Results that know nothing of each other are made by an op each; who asks where the greatest element of a row is asks for the
// greatest, and for the first place, or the last, of those that have it. Both walk the same rows, so that they become one launch where that pays.
//
//===----------------------------------------------------------------------===//

#include "Forms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

#include <limits>

using namespace mlir;
using namespace tilec;
using linalg::GenericOp;

namespace {

/// What a result's element is chosen by: the element `taken` of the inputs beside what another result, `kept`, has so far.
struct Choice {
  unsigned kept;
  Value taken;
  /// Is the greater kept? And of equal ones the last?
  bool greater, last;
  /// The one reduced dimension, whose place the result becomes.
  unsigned dim;
};

class ResultParter {
public:
  explicit ResultParter(GenericOp op) : op(op), body(op.getBody()), b(op) {}
  void nameExtremes();
  void run();

private:
  Value getYielded(unsigned result) const { return body->getTerminator()->getOperand(result); }
  BlockArgument getBefore(unsigned result) { return body->getArgument(op.getNumDpsInputs() + result); }
  AffineMap getWritten(unsigned result) { return op.getMatchingIndexingMap(op.getDpsInitOperand(result)); }
  /// The results whose elements so far `value` is made from.
  llvm::SmallSetVector<unsigned, 2> getSources(Value value);
  bool isOwn(unsigned result) {
    auto sources = getSources(getYielded(result));
    return sources.empty() || (sources.size() == 1 && sources.front() == result);
  }
  std::optional<std::pair<Value, bool>> getKept(unsigned result);
  std::optional<Choice> getChoice(unsigned result);
  bool beginsWithNumber(unsigned result);
  Value write(unsigned result);
  Value createNowhere(unsigned result, bool last);
  Value findPlace(const Choice &choice, unsigned result, Value best);
  Value choose(const Choice &choice, unsigned result, Value best, Value place);

  GenericOp op;
  Block *body;
  OpBuilder b;
};

} // namespace

llvm::SmallSetVector<unsigned, 2> ResultParter::getSources(Value value) {
  llvm::SmallSetVector<unsigned, 2> sources;
  auto add = [&](Value part) {
    auto argument = dyn_cast<BlockArgument>(part);
    if (argument && argument.getOwner() == body && argument.getArgNumber() >= op.getNumDpsInputs())
      sources.insert(argument.getArgNumber() - op.getNumDpsInputs());
  };
  add(value);
  for (Operation *maker : mapping::getMakers(value, body))
    llvm::for_each(maker->getOperands(), add);
  return sources;
}

/// The comparison that `condition` is, as of `first` with another value, which is returned; null where it is none.
static Value getCompared(Value condition, Value first, bool &greater, bool &orEqual) {
  auto floats = condition.getDefiningOp<arith::CmpFOp>();
  auto integers = condition.getDefiningOp<arith::CmpIOp>();
  if (!floats && !integers)
    return Value();
  Value left = condition.getDefiningOp()->getOperand(0), right = condition.getDefiningOp()->getOperand(1);
  if (left != first && right != first)
    return Value();
  using F = arith::CmpFPredicate;
  using I = arith::CmpIPredicate;
  auto is = [&](F ordered, I whole) { return floats ? floats.getPredicate() == ordered : integers.getPredicate() == whole; };
  bool more = is(F::OGT, I::sgt), moreEqual = is(F::OGE, I::sge), less = is(F::OLT, I::slt), lessEqual = is(F::OLE, I::sle);
  if (!more && !moreEqual && !less && !lessEqual)
    return Value();
  orEqual = moreEqual || lessEqual;
  greater = (more || moreEqual) == (left == first);
  return left == first ? right : left;
}

/// The element that `result` keeps the greatest, or the least, of, and whether it is the greatest.
std::optional<std::pair<Value, bool>> ResultParter::getKept(unsigned result) {
  Value yielded = getYielded(result), before = getBefore(result);
  Operation *maker = yielded.getDefiningOp();
  if (!maker || !isOwn(result))
    return std::nullopt;
  auto getOther = [&](Value left, Value right) { return left == before ? right : right == before ? left : Value(); };
  Value taken;
  bool greater = false, orEqual = false;
  if (auto select = dyn_cast<arith::SelectOp>(maker)) {
    taken = getCompared(select.getCondition(), select.getTrueValue(), greater, orEqual) == before && select.getFalseValue() == before ? select.getTrueValue() : Value();
  } else if (isa<arith::MaximumFOp, arith::MaxNumFOp, arith::MaxSIOp, arith::MinimumFOp, arith::MinNumFOp, arith::MinSIOp>(maker)) {
    taken = getOther(maker->getOperand(0), maker->getOperand(1));
    greater = isa<arith::MaximumFOp, arith::MaxNumFOp, arith::MaxSIOp>(maker);
  }
  if (!taken || !getSources(taken).empty())
    return std::nullopt;
  return std::pair(taken, greater);
}

/// Is `value` the place along dimension `dim`, in whatever type?
static bool isPlace(Value value, unsigned dim) {
  while (auto cast = value.getDefiningOp()) {
    if (auto index = dyn_cast<linalg::IndexOp>(cast))
      return index.getDim() == dim;
    if (!isa<arith::IndexCastOp, arith::ExtSIOp, arith::TruncIOp>(cast))
      return false;
    value = cast->getOperand(0);
  }
  return false;
}

std::optional<Choice> ResultParter::getChoice(unsigned result) {
  auto select = getYielded(result).getDefiningOp<arith::SelectOp>();
  SmallVector<unsigned> reduced;
  op.getReductionDims(reduced);
  auto type = dyn_cast<IntegerType>(getYielded(result).getType());
  if (!select || select.getFalseValue() != getBefore(result) || reduced.size() != 1 || !isPlace(select.getTrueValue(), reduced.front()) || !type || type.getWidth() < 32)
    return std::nullopt;
  for (unsigned kept = 0; kept < op.getNumResults(); ++kept) {
    std::optional<std::pair<Value, bool>> best = getKept(kept);
    bool greater = false, orEqual = false;
    if (best && kept != result && getCompared(select.getCondition(), best->first, greater, orEqual) == getBefore(kept) && greater == best->second)
      return Choice{kept, best->first, greater, orEqual, reduced.front()};
  }
  return std::nullopt;
}

/// The greater or less of both, where they are no NaN.
static Value createExtreme(OpBuilder &b, Location loc, bool greater, Value left, Value right) {
  if (isa<FloatType>(left.getType()))
    return greater ? Value(arith::MaxNumFOp::create(b, loc, left, right)) : Value(arith::MinNumFOp::create(b, loc, left, right));
  return greater ? Value(arith::MaxSIOp::create(b, loc, left, right)) : Value(arith::MinSIOp::create(b, loc, left, right));
}

/// Is what `result` begins with a number, and no NaN?
bool ResultParter::beginsWithNumber(unsigned result) {
  auto fill = op.getOutputs()[result].getDefiningOp<linalg::FillOp>();
  TypedAttr number;
  if (!fill || !matchPattern(fill.getInputs()[0], m_Constant(&number)))
    return false;
  auto real = dyn_cast<FloatAttr>(number);
  return !real || !real.getValue().isNaN();
}

/// What is chosen by a comparison with what there was before is the greatest, or the least, by a kind that has a name: no element that is a NaN is ever taken.
void ResultParter::nameExtremes() {
  for (unsigned result = 0; result < op.getNumResults(); ++result) {
    std::optional<std::pair<Value, bool>> best = op.getNumReductionLoops() > 0 && beginsWithNumber(result) ? getKept(result) : std::nullopt;
    auto select = getYielded(result).getDefiningOp<arith::SelectOp>();
    if (!best || !select)
      continue;
    OpBuilder inside(select);
    body->getTerminator()->setOperand(result, createExtreme(inside, select.getLoc(), best->second, best->first, getBefore(result)));
    if (select->use_empty())
      select.erase();
  }
}

/// An op that makes `result` alone.
Value ResultParter::write(unsigned result) {
  SmallVector<AffineMap> maps = llvm::map_to_vector(op.getDpsInputOperands(), [&](OpOperand *input) { return op.getMatchingIndexingMap(input); });
  maps.push_back(getWritten(result));
  auto made = GenericOp::create(b, op.getLoc(), TypeRange(op->getResult(result).getType()), op.getInputs(), ValueRange(op.getOutputs()[result]), maps, op.getIteratorTypesArray(),
                                [&](OpBuilder &inside, Location loc, ValueRange arguments) {
                                  IRMapping copied;
                                  copied.map(body->getArguments().take_front(op.getNumDpsInputs()), arguments.drop_back());
                                  copied.map(getBefore(result), arguments.back());
                                  linalg::YieldOp::create(inside, loc, mapping::copyMade(inside, getYielded(result), body, copied));
                                });
  return mapping::dropUnread(made)->getResult(0);
}

static int32_t getNowhere(bool last) { return last ? std::numeric_limits<int32_t>::min() : std::numeric_limits<int32_t>::max(); }

/// As many places as `result` has elements, none of which has been found.
Value ResultParter::createNowhere(unsigned result, bool last) {
  Location loc = op.getLoc();
  Value empty = tensor::EmptyOp::create(b, loc, tensor::getMixedSizes(b, loc, op.getOutputs()[result]), b.getI32Type());
  Value none = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(getNowhere(last)));
  return linalg::FillOp::create(b, loc, none, empty).getResult(0);
}

/// The first, or last, of the places that have what is in `best`, as i32, which holds all places (F2); further away than any where there is none.
Value ResultParter::findPlace(const Choice &choice, unsigned result, Value best) {
  SmallVector<Value> inputs(op.getInputs());
  SmallVector<AffineMap> maps = llvm::map_to_vector(op.getDpsInputOperands(), [&](OpOperand *input) { return op.getMatchingIndexingMap(input); });
  inputs.push_back(best);
  maps.push_back(getWritten(choice.kept));
  maps.push_back(getWritten(result));
  Value init = createNowhere(result, choice.last);
  auto made = GenericOp::create(b, op.getLoc(), TypeRange(init.getType()), inputs, ValueRange(init), maps, op.getIteratorTypesArray(), [&](OpBuilder &inside, Location loc, ValueRange arguments) {
    IRMapping copied;
    copied.map(body->getArguments().take_front(op.getNumDpsInputs()), arguments.take_front(op.getNumDpsInputs()));
    Value taken = mapping::copyMade(inside, choice.taken, body, copied), chosen = arguments.drop_back().back();
    Value index = linalg::IndexOp::create(inside, loc, choice.dim), place = arith::IndexCastOp::create(inside, loc, inside.getI32Type(), index);
    Value none = arith::ConstantOp::create(inside, loc, inside.getI32IntegerAttr(getNowhere(choice.last)));
    Value isThere = isa<FloatType>(taken.getType()) ? Value(arith::CmpFOp::create(inside, loc, arith::CmpFPredicate::OEQ, taken, chosen))
                                                    : Value(arith::CmpIOp::create(inside, loc, arith::CmpIPredicate::eq, taken, chosen));
    Value here = arith::SelectOp::create(inside, loc, isThere, place, none);
    linalg::YieldOp::create(inside, loc, createExtreme(inside, loc, choice.last, here, arguments.back()));
  });
  return mapping::dropUnread(made)->getResult(0);
}

/// `place` where an element was chosen, and elsewhere what the result begins with.
Value ResultParter::choose(const Choice &choice, unsigned result, Value best, Value place) {
  // Of equal ones the first is not chosen where all are what the greatest begins with.
  SmallVector<Value> inputs = {place};
  TypedAttr began, first;
  auto getNumber = [](Value array, TypedAttr &number) {
    auto fill = array.getDefiningOp<linalg::FillOp>();
    return fill && matchPattern(fill.getInputs()[0], m_Constant(&number));
  };
  Value bestBefore = op.getOutputs()[choice.kept], before = op.getOutputs()[result];
  if (!choice.last) {
    inputs.push_back(best);
    if (!getNumber(bestBefore, began))
      inputs.push_back(bestBefore);
  }
  if (!getNumber(before, first))
    inputs.push_back(before);
  auto type = cast<RankedTensorType>(before.getType());
  Value empty = tensor::EmptyOp::create(b, op.getLoc(), tensor::getMixedSizes(b, op.getLoc(), before), type.getElementType());
  SmallVector<AffineMap> maps(inputs.size() + 1, b.getMultiDimIdentityMap(type.getRank()));
  SmallVector<utils::IteratorType> iterators(type.getRank(), utils::IteratorType::parallel);
  auto made = GenericOp::create(b, op.getLoc(), TypeRange(type), inputs, ValueRange(empty), maps, iterators, [&](OpBuilder &inside, Location loc, ValueRange arguments) {
    unsigned next = 1;
    auto get = [&](TypedAttr number) { return number ? Value(arith::ConstantOp::create(inside, loc, number)) : arguments[next++]; };
    Value chosen;
    if (choice.last) {
      Value none = arith::ConstantOp::create(inside, loc, inside.getI32IntegerAttr(getNowhere(/*last=*/true)));
      chosen = arith::CmpIOp::create(inside, loc, arith::CmpIPredicate::ne, arguments[0], none);
    } else {
      Value now = arguments[next++], then = get(began);
      if (isa<FloatType>(now.getType()))
        chosen = arith::CmpFOp::create(inside, loc, choice.greater ? arith::CmpFPredicate::OGT : arith::CmpFPredicate::OLT, now, then);
      else
        chosen = arith::CmpIOp::create(inside, loc, choice.greater ? arith::CmpIPredicate::sgt : arith::CmpIPredicate::slt, now, then);
    }
    Value other = get(first), found = arguments[0];
    if (type.getElementType() != found.getType())
      found = arith::ExtSIOp::create(inside, loc, type.getElementType(), found);
    linalg::YieldOp::create(inside, loc, Value(arith::SelectOp::create(inside, loc, chosen, found, other)));
  });
  return made->getResult(0);
}

void ResultParter::run() {
  SmallVector<std::optional<Choice>> choices;
  for (unsigned result = 0; result < op.getNumResults(); ++result) {
    choices.push_back(isOwn(result) ? std::nullopt : getChoice(result));
    if (!isOwn(result) && (!choices.back() || getWritten(result) != getWritten(choices.back()->kept)))
      return;
  }
  // Results that nobody reads are made for choices alone.
  llvm::SmallBitVector needed(op.getNumResults());
  for (auto [result, choice] : llvm::enumerate(choices))
    if (!op->getResult(result).use_empty()) {
      needed.set(result);
      if (choice)
        needed.set(choice->kept);
    }
  SmallVector<Value> made(op->getResults());
  for (auto [result, choice] : llvm::enumerate(choices))
    if (!choice && needed[result])
      made[result] = write(result);
  for (auto [result, choice] : llvm::enumerate(choices))
    if (choice && needed[result])
      made[result] = choose(*choice, result, made[choice->kept], findPlace(*choice, result, made[choice->kept]));
  op->replaceAllUsesWith(made);
  op.erase();
}

void mapping::partResults(ModuleOp module) {
  SmallVector<linalg::LinalgOp> ops;
  module.walk([&](linalg::LinalgOp op) {
    if (op.hasPureTensorSemantics() && (op->getNumResults() > 1 || isa<GenericOp>(op.getOperation())))
      ops.push_back(op);
  });
  for (linalg::LinalgOp op : ops) {
    GenericOp generic = mapping::generalize(op);
    if (!generic)
      continue;
    ResultParter parter(generic);
    parter.nameExtremes();
    if (generic->getNumResults() > 1)
      parter.run();
  }
}
