//===- PartLoops.cpp - tile-part-loops --------------------------*- C++ -*-===//
//
// Quotients and remainders in subscripts become sums: (32 a + b) / 4 is 8 a + b / 4,
// and where the loop over b is parted into one over c, multiples of 4, and one over
// d, what is between them, it is 8 a + c, and d remains.
//
//===----------------------------------------------------------------------===//

#include "PlanPass.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Iterators.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tilec/Tile/Access.h"
#include "tilec/Tile/Distribution.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

namespace tilec {
#define GEN_PASS_DEF_PARTLOOPSPASS
#include "tilec/Transforms/Passes.h.inc"
} // namespace tilec

using namespace mlir;
using namespace tilec;
using tile::ForOp;
using tile::InductionVar;
using tile::LinearExpr;
using tile::Quotient;
using tile::ScaledVar;

//===----------------------------------------------------------------------===//
// What is divided
//===----------------------------------------------------------------------===//

static bool isSize(Value value) { return isa<BlockArgument>(value) && !tile::getInductionVar(value); }

/// A quotient that stays as it is.
static bool isSettled(Value value, const Quotient &quotient) {
  if (llvm::all_of(quotient.sum.terms, [](const auto &term) { return isSize(term.first); }))
    return true;
  std::optional<ScaledVar> scaled = tile::getScaledVar(value);
  return scaled && !ForOp(scaled->iv.loop).getStaticCount(scaled->iv.number);
}

/// The first division that `sum` holds and that can be made a sum, the innermost of those in one another; null for none.
static Value findDivided(const LinearExpr &sum) {
  for (auto [value, factor] : sum.terms)
    if (std::optional<Quotient> quotient = tile::getQuotient(value); quotient && !isSettled(value, *quotient)) {
      Value inner = findDivided(quotient->sum);
      return inner ? inner : value;
    }
  return {};
}

/// The same in the subscripts and extents of `op`.
static Value findDivided(Operation *op) {
  SmallVector<Value> places;
  if (auto loop = dyn_cast<ForOp>(op))
    llvm::append_range(places, loop.getExtents());
  else if (isa<tile::StageOp, tile::PartOp, tile::StoreOp>(op))
    llvm::copy_if(op->getOperands(), std::back_inserter(places), [](Value operand) { return operand.getType().isIndex(); });
  for (Value place : places)
    if (Value divided = findDivided(tile::getIndexSum(place)))
      return divided;
  return {};
}

/// `value` in a sum that is divided by `divisor`, times `factor`, as a multiple of `divisor`: a value, how often, and what that one is divided by.
namespace {
struct Multiple {
  Value value;
  int64_t factor, divisor;
};
} // namespace

static std::optional<Multiple> getMultiple(Value value, int64_t factor, int64_t divisor) {
  if (factor % divisor == 0)
    return Multiple{value, factor / divisor, 1};
  std::optional<ScaledVar> scaled = tile::getScaledVar(value);
  int64_t common = std::gcd(factor, divisor), by;
  if (!scaled || scaled->getStep() % (divisor / common) != 0 || llvm::MulOverflow(scaled->divisor, divisor / common, by))
    return std::nullopt;
  return Multiple{ForOp(scaled->iv.loop).getInductionVar(scaled->iv.number), factor / common, by};
}

//===----------------------------------------------------------------------===//
// What more iterations would do
//===----------------------------------------------------------------------===//

/// Does what `memref` names begin beyond its operand wherever induction variable `number` of `loop` is the loop's extent or more?
static bool isBeyond(const tile::Access &access, ForOp loop, unsigned number, tile::KernelOp kernel) {
  auto operand = dyn_cast<BlockArgument>(access.root);
  if (!operand)
    return false;
  for (auto [dim, sum] : llvm::enumerate(access.subscripts)) {
    auto isNotNegative = [](const auto &term) { return term.second > 0 && (isa<BlockArgument>(term.first) || tile::getQuotient(term.first)); };
    if (!access.isGathered(dim) && sum.constant >= 0 && sum.factorOf(loop.getInductionVar(number)) >= 1 && llvm::all_of(sum.terms, isNotNegative) &&
        kernel.getOperandExtent(operand.getArgNumber(), dim) == loop.getExtent(number))
      return true;
  }
  return false;
}

/// An op in `loop` that iterations past the extent of induction variable `number` would change something by; null for none.
static Operation *findEffect(ForOp loop, unsigned number) {
  auto kernel = loop->getParentOfType<tile::KernelOp>();
  Operation *found = nullptr;
  auto look = [&](Operation *op, const tile::Access &access) {
    Operation *made = access.root.getDefiningOp();
    if (!(made && loop->isAncestor(made)) && !isBeyond(access, loop, number, kernel))
      found = op;
  };
  loop.getBody().walk([&](Operation *op) {
    if (auto store = dyn_cast<tile::StoreOp>(op))
      look(op, tile::getDestAccess(store));
    else if (auto compute = dyn_cast<linalg::LinalgOp>(op))
      for (Value output : compute.getDpsInits())
        look(op, tile::traceParts(output));
  });
  return found;
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
class LoopParter {
public:
  LoopParter(tile::KernelOp kernel, bool remarks) : kernel(kernel), builder(kernel.getContext()), remarks(remarks) {}

  LogicalResult run() {
    Value divided = find();
    if (!divided)
      return success();
    for (; divided; divided = find())
      if (failed(resolve(divided)))
        return failure();
    // What quotients were made of may be nobody's now.
    kernel.walk<WalkOrder::PostOrder, ReverseIterator>([](Operation *op) {
      if (isa<arith::ArithDialect>(op->getDialect()) && isOpTriviallyDead(op))
        op->erase();
    });
    return success();
  }

private:
  Value find() {
    Value divided;
    kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
      divided = findDivided(op);
      return divided ? WalkResult::interrupt() : WalkResult::advance();
    });
    return divided;
  }

  LogicalResult resolve(Value divided);
  LogicalResult part(InductionVar iv, int64_t width, Value divided);
  /// Has the loop of `iv` count its iterations.
  void count(InductionVar iv);
  Value makeSum(Location loc, const LinearExpr &sum);
  /// Has `loop` one induction variable more, after `number`, that goes to `extent` by `step`.
  Value addVariable(ForOp loop, unsigned number, int64_t extent, int64_t step);
  void replaceVariable(ForOp loop, unsigned number, const LinearExpr &sum);

  tile::KernelOp kernel;
  OpBuilder builder;
  bool remarks;
};
} // namespace

/// `loc` without the name of a value.
static Location withoutName(Location loc) {
  while (auto name = dyn_cast<NameLoc>(loc))
    loc = name.getChildLoc();
  return loc;
}

/// `loc` for a value that is called as the one there is, and `ending`: the text of what is planned is read again, and each name stands for one value.
static Location rename(Location loc, StringRef ending) {
  auto name = dyn_cast<NameLoc>(loc);
  return name ? NameLoc::get(StringAttr::get(loc.getContext(), name.getName().getValue() + ending), withoutName(loc)) : loc;
}

Value LoopParter::makeSum(Location loc, const LinearExpr &sum) {
  Value made;
  Location inner = withoutName(loc);
  auto number = [&](int64_t value) -> Value { return arith::ConstantIndexOp::create(builder, inner, value); };
  auto add = [&](Value term) { made = made ? arith::AddIOp::create(builder, inner, made, term).getResult() : term; };
  for (auto [value, factor] : sum.terms)
    add(factor == 1 ? value : arith::MulIOp::create(builder, inner, value, number(factor)).getResult());
  if (sum.constant != 0 || !made)
    add(number(sum.constant));
  if (bool isOneTerm = sum.constant == 0 && sum.terms.size() == 1 && sum.terms.front().second == 1; !isOneTerm)
    made.getDefiningOp()->setLoc(loc);
  return made;
}

/// All that used induction variable `number` of `loop` uses `sum`, which has it among its terms.
void LoopParter::replaceVariable(ForOp loop, unsigned number, const LinearExpr &sum) {
  Value variable = loop.getInductionVar(number);
  builder.setInsertionPointToStart(&loop.getBody().front());
  auto before = llvm::to_vector(llvm::make_pointer_range(variable.getUses()));
  Value made = makeSum(variable.getLoc(), sum);
  variable.setLoc(rename(variable.getLoc(), "_of"));
  for (OpOperand *use : before)
    use->set(made);
}

Value LoopParter::addVariable(ForOp loop, unsigned number, int64_t extent, int64_t step) {
  auto extents = llvm::to_vector(loop.getStaticExtents()), steps = llvm::to_vector(loop.getSteps());
  extents.insert(extents.begin() + number + 1, extent);
  steps.insert(steps.begin() + number + 1, step);
  loop.setStaticExtents(extents);
  loop.setSteps(steps);
  return loop.getBody().front().insertArgument(number + 1, builder.getIndexType(), rename(loop.getInductionVar(number).getLoc(), "_in"));
}

void LoopParter::count(InductionVar iv) {
  ForOp loop = iv.loop;
  auto extents = llvm::to_vector(loop.getStaticExtents()), steps = llvm::to_vector(loop.getSteps());
  LinearExpr sum;
  sum.add(loop.getInductionVar(iv.number), steps[iv.number]);
  extents[iv.number] = *loop.getStaticCount(iv.number);
  steps[iv.number] = 1;
  loop.setStaticExtents(extents);
  loop.setSteps(steps);
  replaceVariable(loop, iv.number, sum);
}

/// Parts the loop of `iv` at multiples of `width`.
LogicalResult LoopParter::part(InductionVar iv, int64_t width, Value divided) {
  ForOp loop = iv.loop;
  auto refuse = [&](const Twine &why) {
    InFlightDiagnostic diag = divided.getDefiningOp()->emitOpError("is a subscript for which a loop is parted at multiples of ") << width << ", but " << why; // limit_x54
    diag.attachNote(loop.getLoc()) << "the loop; write one over the quotient and one over what remains";
    return diag;
  };
  std::optional<tile::RasterAttr> raster = loop.getRaster();
  bool ofLines = !raster || raster->getOrder() == tile::RasterOrder::Row || raster->getOrder() == tile::RasterOrder::Column;
  if (!ofLines || loop.getCutTail() || loop.getPipeline() || loop.getPrefix() || !loop.getTied().empty())
    return refuse("this loop says raster by groups, boxes or diagonals, tail(cut), pipeline, prefix or a combine of its own, which go by its induction variables");
  int64_t step = loop.getSteps()[iv.number], extent = loop.getStaticExtents()[iv.number];
  bool isWhole = loop.getStaticCount(iv.number) && extent % width == 0;
  LinearExpr sum;
  if (isWhole) {
    auto extents = llvm::to_vector(loop.getStaticExtents()), steps = llvm::to_vector(loop.getSteps());
    extents[iv.number] = extent / width;
    steps[iv.number] = 1;
    loop.setStaticExtents(extents);
    loop.setSteps(steps);
    sum.add(loop.getInductionVar(iv.number), width);
  } else {
    constexpr int64_t kMostStep = 65536; // Rule F2.
    if (tile::isThreadUnit(loop.getUnit()) || loop.getUnit() == tile::Unit::Unroll)
      return refuse("its extent " + Twine(extent) + " is no multiple of that");
    if (width > kMostStep)
      return refuse("that is more than " + Twine(kMostStep));
    if (Operation *effect = findEffect(loop, iv.number)) {
      InFlightDiagnostic diag = refuse("its extent may be no multiple of that, and iterations past it would change what they write");
      diag.attachNote(effect->getLoc()) << "this is not absent there: no subscript of an operand whose extent is the loop's begins at the induction variable";
      return diag;
    }
    auto steps = llvm::to_vector(loop.getSteps());
    steps[iv.number] = width;
    loop.setSteps(steps);
    sum.add(loop.getInductionVar(iv.number), 1);
  }
  sum.add(addVariable(loop, iv.number, width, step), 1);
  replaceVariable(loop, iv.number, sum);
  if (remarks)
    loop.emitRemark("is parted at multiples of ") << width << ", by which a subscript divides";
  return success();
}

/// The quotient, rounded down, of a number of either sign by a positive one.
static int64_t divideDown(int64_t number, int64_t divisor) { return (number - ((number % divisor) + divisor) % divisor) / divisor; }

LogicalResult LoopParter::resolve(Value divided) {
  Quotient quotient = *tile::getQuotient(divided);
  int64_t divisor = quotient.divisor;
  SmallVector<Multiple> multiples;
  LinearExpr rest;
  rest.constant = quotient.sum.constant;
  for (auto [value, factor] : quotient.sum.terms) {
    std::optional<Multiple> multiple = getMultiple(value, factor, divisor);
    if (!multiple) {
      rest.add(value, factor);
      continue;
    }
    // Where the extent is a number the loop can count by itself what would else have to be divided.
    if (std::optional<InductionVar> iv = tile::getInductionVar(multiple->value); iv && multiple->divisor > 1 && iv->loop.getStaticCount(iv->number)) {
      count(*iv);
      return success();
    }
    multiples.push_back(*multiple);
  }
  std::optional<tile::SumBounds> bounds = tile::getSumBounds(rest);
  if (!bounds || divideDown(bounds->least, divisor) != divideDown(bounds->most, divisor)) {
    for (auto [value, factor] : rest.terms) {
      std::optional<InductionVar> iv = tile::getInductionVar(value);
      if (!iv || factor < 0 || divisor % factor != 0)
        continue;
      int64_t width = divisor / factor, step = iv->loop.getSteps()[iv->number];
      std::optional<int64_t> count = iv->loop.getStaticCount(iv->number);
      if (width > step && width % step == 0 && (!count || *count > width / step))
        return part(*iv, width, divided);
    }
    return divided.getDefiningOp()->emitOpError("is a subscript, and no loop can be parted so that it becomes a sum: but for multiples of ") // limit_x54
           << divisor << " it divides more than one induction variable that begins at a multiple of what is divided by and moves by a divisor of it";
  }
  builder.setInsertionPoint(divided.getDefiningOp());
  Location inner = withoutName(divided.getLoc());
  int64_t whole = divideDown(bounds->least, divisor);
  LinearExpr sum;
  if (quotient.isRemainder) {
    sum = rest;
    sum.constant -= whole * divisor;
  } else {
    for (const Multiple &multiple : multiples) {
      Value value = multiple.value;
      if (multiple.divisor > 1)
        value = arith::DivSIOp::create(builder, inner, value, arith::ConstantIndexOp::create(builder, inner, multiple.divisor));
      sum.add(value, multiple.factor);
    }
    sum.constant = whole;
  }
  divided.replaceAllUsesWith(makeSum(divided.getLoc(), sum));
  divided.getDefiningOp()->erase();
  return success();
}

LogicalResult tilec::partLoops(tile::KernelOp kernel, bool remarks) { return LoopParter(kernel, remarks).run(); }

template struct tilec::PlanPass<tilec::impl::PartLoopsPassBase, static_cast<LogicalResult (*)(tile::KernelOp, bool)>(partLoops)>;
