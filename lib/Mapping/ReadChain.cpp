//===- ReadChain.cpp - Two products with softmax between --------*- C++ -*-===//
//
// What stands between the first op that reduces and the last is read as a group of rows, of which the first one's result is an operand. Whether its weights are
// softmax is seen by following values through bodies, from the weights down; conversions on the way do not count: what stays on chip is not rounded.
//
//===----------------------------------------------------------------------===//

#include "tilec/Mapping/Chain.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "tilec/Mapping/RowGroup.h"
#include "tilec/Tile/InstructionUse.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::mapping;
using linalg::LinalgOp;

namespace {

/// Where a number comes from: an op in the body of a value, or, where `inside` is null, a value that is not computed element by element. Scalars and constants
/// belong to no value.
struct Node {
  std::optional<unsigned> value;
  Value inside;

  bool operator==(const Node &other) const { return value == other.value && inside == other.inside; }
};

class ChainReader {
public:
  ChainReader(tile::KernelOp kernel, ArrayRef<int64_t> arguments) : kernel(kernel), arguments(arguments) {}
  FailureOr<Problem> run();

private:
  bool findProducts();
  bool readRows();
  bool matchWeights();
  bool matchExponent();
  bool takeExponent();
  bool addOperands(unsigned number);
  bool readDims();
  bool readProduct(LinalgOp op, ArrayRef<unsigned> dims, Use &a, Use &b, unsigned row, unsigned column, unsigned depth);
  Node resolve(unsigned value, Value inside) const;
  Node resolve(unsigned value) const;
  /// The other operand of the operation by which value `number` puts together its rows.
  std::optional<Node> getAdded(unsigned number) const;
  std::optional<double> getConstant(const Node &node) const;
  /// Is it less than any number?
  bool isLeast(const Node &node) const { return getConstant(node) == -std::numeric_limits<double>::infinity(); }
  std::optional<unsigned> getTriangle(unsigned value, Value condition, bool isTrue) const;
  Use inSpace(Value memref, AffineMap map, ArrayRef<unsigned> dims) const;

  tile::KernelOp kernel;
  ArrayRef<int64_t> arguments;
  /// What stands between the products, and after the second.
  SmallVector<LinalgOp> between, after;
  TypedAttr firstInit, secondInit;
  Problem rows, problem;
  Chain chain;
  /// What weights are powers of, and the dimension whose number leaves keys out of it.
  Node exponent;
  std::optional<unsigned> triangle;
};

} // namespace

/// Is `attr` a zero that sums may begin with?
static bool isZero(TypedAttr attr) { return attr && matchPattern(attr, m_AnyZeroFloat()); }

/// Products are the first and the last op that reduces; what fills their results stands anywhere before them.
bool ChainReader::findProducts() {
  auto ops = llvm::to_vector(kernel.getBody().getOps<LinalgOp>());
  auto isProduct = [](LinalgOp op) { return op.getNumReductionLoops() > 0 && op.getNumDpsInputs() == 2 && op.getNumDpsInits() == 1; };
  for (LinalgOp op : ops)
    if (op.getNumReductionLoops() > 0) {
      chain.first = chain.first ? chain.first : op;
      chain.second = op;
    }
  if (!chain.first || chain.first == chain.second || !isProduct(chain.first) || !isProduct(chain.second))
    return false;
  for (LinalgOp op : ops) {
    TypedAttr fill = getFill(op);
    if (fill && op.getDpsInits()[0] == chain.first.getDpsInits()[0] && op->isBeforeInBlock(chain.first))
      firstInit = fill;
    else if (fill && op.getDpsInits()[0] == chain.second.getDpsInits()[0] && op->isBeforeInBlock(chain.second))
      secondInit = fill;
    else if (chain.second->isBeforeInBlock(op))
      after.push_back(op);
    else if (op != chain.first && op != chain.second)
      between.push_back(op);
  }
  return isZero(firstInit) && isZero(secondInit) && llvm::all_of(between, [&](LinalgOp op) { return getFill(op) || chain.first->isBeforeInBlock(op); });
}

/// Reads what stands between: the first product's result is what it begins with, and one input of the second all that it leaves.
bool ChainReader::readRows() {
  Value scores = chain.first.getDpsInits()[0];
  for (Value weights : chain.second.getDpsInputs()) {
    if (!weights.getDefiningOp<memref::AllocOp>() || !scores.getDefiningOp<memref::AllocOp>() || weights == scores)
      continue;
    FailureOr<Problem> read = getRowProblem(kernel, between, {scores, weights}, arguments);
    if (failed(read) || read->rows->outputs.size() != 1 || read->rows->values[read->rows->outputs.front()].place.memref != weights)
      continue;
    const auto *found = llvm::find_if(read->inputs, [&](const Use &input) { return input.memref == scores; });
    if (found == read->inputs.end() || !found->map.isPermutation() || llvm::count_if(read->dims, [](const Dim &dim) { return !dim.parallel; }) != 1)
      return false;
    rows = *read;
    chain.weights = rows.rows->outputs.front();
    for (auto [number, value] : llvm::enumerate(rows.rows->values))
      if (!value.op && value.place.memref == scores)
        chain.scores = number;
    return rows.rows->values[chain.weights].place.map.isPermutation();
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Softmax
//===----------------------------------------------------------------------===//

Node ChainReader::resolve(unsigned number, Value inside) const {
  while (true) {
    const RowValue &value = rows.rows->values[number];
    LinalgOp op = value.op;
    auto argument = dyn_cast<BlockArgument>(inside);
    if (argument && argument.getOwner() == op.getBlock()) {
      OpOperand &operand = op->getOpOperand(argument.getArgNumber());
      std::optional<unsigned> source = value.operands[operand.getOperandNumber()];
      if (!source)
        return {std::nullopt, value.kind && op.isDpsInit(&operand) ? inside : operand.get()};
      const RowValue &from = rows.rows->values[*source];
      if (!from.op || from.kind)
        return {source, Value()};
      number = *source;
      inside = LinalgOp(from.op).getBlock()->getTerminator()->getOperand(0);
      continue;
    }
    Operation *maker = inside.getDefiningOp();
    if (maker && isa<arith::ExtFOp, arith::TruncFOp>(maker)) {
      inside = maker->getOperand(0);
      continue;
    }
    bool isOwn = maker && maker->getBlock() == op.getBlock() && !matchPattern(inside, m_Constant());
    return {isOwn ? std::optional(number) : std::nullopt, inside};
  }
}

Node ChainReader::resolve(unsigned number) const {
  LinalgOp op = rows.rows->values[number].op;
  return resolve(number, op.getBlock()->getTerminator()->getOperand(0));
}

std::optional<Node> ChainReader::getAdded(unsigned number) const {
  LinalgOp op = rows.rows->values[number].op;
  Operation *combine = op.getBlock()->getTerminator()->getOperand(0).getDefiningOp();
  Value old = op.getMatchingBlockArgument(op.getDpsInitOperand(0));
  if (!isa_and_nonnull<arith::AddFOp, arith::MaximumFOp, arith::MaxNumFOp>(combine) || !llvm::is_contained(combine->getOperands(), old))
    return std::nullopt;
  return resolve(number, combine->getOperand(combine->getOperand(0) == old ? 1 : 0));
}

std::optional<double> ChainReader::getConstant(const Node &node) const {
  FloatAttr number;
  if (node.value || !node.inside || !matchPattern(node.inside, m_Constant(&number)))
    return std::nullopt;
  return number.getValueAsDouble();
}

/// The dimension of the number in the body of a value whose loops are `dims` that `number` is; nothing for other numbers.
static std::optional<unsigned> getIndexed(Value number, ArrayRef<unsigned> dims) {
  if (auto cast = number.getDefiningOp<arith::IndexCastOp>())
    return getIndexed(cast.getIn(), dims);
  auto index = number.getDefiningOp<linalg::IndexOp>();
  return index ? std::optional(dims[index.getDim()]) : std::nullopt;
}

/// The dimension of which `condition` says, where it is `isTrue`, that the key's number is not greater, if that is what it says.
std::optional<unsigned> ChainReader::getTriangle(unsigned value, Value condition, bool isTrue) const {
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  if (!compare)
    return std::nullopt;
  ArrayRef<unsigned> dims = rows.rows->values[value].dims;
  std::optional<unsigned> less = getIndexed(compare.getLhs(), dims), more = getIndexed(compare.getRhs(), dims);
  arith::CmpIPredicate predicate = isTrue ? compare.getPredicate() : arith::invertPredicate(compare.getPredicate());
  if (predicate == arith::CmpIPredicate::sge || predicate == arith::CmpIPredicate::uge)
    std::swap(less, more);
  else if (predicate != arith::CmpIPredicate::sle && predicate != arith::CmpIPredicate::ule)
    return std::nullopt;
  return less == chain.key && more != chain.key ? more : std::nullopt;
}

/// Reads what weights are powers of: a multiple of scores, but for keys that are left out, if it is that.
bool ChainReader::matchExponent() {
  Node scores = {chain.scores, Value()};
  double factor = 1;
  for (Node node = exponent;;) {
    if (node == scores) {
      chain.factor = factor;
      return std::isnormal(float(factor));
    }
    Operation *op = node.value && node.inside ? node.inside.getDefiningOp() : nullptr;
    if (auto select = dyn_cast_or_null<arith::SelectOp>(op)) {
      bool isTrue = isLeast(resolve(*node.value, select.getFalseValue()));
      triangle = isTrue || isLeast(resolve(*node.value, select.getTrueValue())) ? getTriangle(*node.value, select.getCondition(), isTrue) : std::nullopt;
      if (!triangle || chain.isTriangular)
        break;
      chain.isTriangular = true;
      node = resolve(*node.value, isTrue ? select.getTrueValue() : select.getFalseValue());
      continue;
    }
    if (!isa_and_nonnull<arith::MulFOp, arith::DivFOp>(op))
      break;
    Node a = resolve(*node.value, op->getOperand(0)), b = resolve(*node.value, op->getOperand(1));
    if (isa<arith::MulFOp>(op) && getConstant(a))
      std::swap(a, b);
    std::optional<double> number = getConstant(b);
    if (!number || *number <= 0)
      break;
    factor *= isa<arith::MulFOp>(op) ? *number : 1 / *number;
    node = a;
  }
  return takeExponent();
}

/// Takes what weights are powers of for what it is, whatever that may be.
bool ChainReader::takeExponent() {
  if (!exponent.value || !exponent.inside)
    return false;
  chain.exponent = *exponent.value;
  return resolve(*exponent.value) == exponent && rows.rows->values[*exponent.value].place.map.isPermutation() && addOperands(*exponent.value);
}

/// Adds what value `number` is computed from, element by element.
bool ChainReader::addOperands(unsigned number) {
  for (std::optional<unsigned> source : rows.rows->values[number].operands) {
    if (!source || *source == chain.scores || llvm::is_contained(chain.operands, *source))
      continue;
    const RowValue &from = rows.rows->values[*source];
    if (!from.op)
      chain.operands.push_back(*source);
    else if (from.kind || !addOperands(*source))
      return false;
  }
  return true;
}

/// Is a row's weight its power over the sum of all?
bool ChainReader::matchWeights() {
  std::optional<unsigned> maximum, sum;
  for (auto [number, value] : llvm::enumerate(rows.rows->values)) {
    if (!value.kind)
      continue;
    bool isMost = *value.kind == tile::Combine::Max || *value.kind == tile::Combine::MaxNum;
    if ((isMost ? maximum : sum) || (!isMost && *value.kind != tile::Combine::Add))
      return false;
    (isMost ? maximum : sum) = number;
  }
  if (!maximum || !sum)
    return false;
  chain.maximum = *maximum;
  // The greatest begins with what is not greater than any.
  auto least = dyn_cast_or_null<FloatAttr>(rows.rows->values[*maximum].init);
  bool beginsLeast = least && ((least.getValue().isNegative() && (least.getValue().isInfinity() || least.getValue().isLargest())) ||
                              (least.getValue().isNaN() && rows.rows->values[*maximum].kind == tile::Combine::MaxNum));
  std::optional<Node> added = getAdded(*maximum), power = getAdded(*sum);
  if (!beginsLeast || !isZero(rows.rows->values[*sum].init) || !added || !power || !power->value)
    return false;
  exponent = *added;
  Operation *exp = power->inside ? power->inside.getDefiningOp() : nullptr;
  if (!isa_and_nonnull<math::ExpOp, math::Exp2Op>(exp))
    return false;
  chain.isBinary = isa<math::Exp2Op>(exp);
  Node difference = resolve(*power->value, exp->getOperand(0));
  auto subtract = difference.value && difference.inside ? difference.inside.getDefiningOp<arith::SubFOp>() : arith::SubFOp();
  if (!subtract || !(resolve(*difference.value, subtract.getLhs()) == exponent) || !(resolve(*difference.value, subtract.getRhs()) == Node{*maximum, Value()}))
    return false;
  Node weight = resolve(chain.weights), whole = {*sum, Value()};
  Operation *share = weight.value && weight.inside ? weight.inside.getDefiningOp() : nullptr;
  if (!isa_and_nonnull<arith::DivFOp, arith::MulFOp>(share))
    return false;
  Node a = resolve(*weight.value, share->getOperand(0)), b = resolve(*weight.value, share->getOperand(1));
  if (isa<arith::MulFOp>(share)) {
    if (b == *power)
      std::swap(a, b);
    auto inverse = b.value && b.inside ? b.inside.getDefiningOp<arith::DivFOp>() : arith::DivFOp();
    if (!inverse || getConstant(resolve(*b.value, inverse.getLhs())) != 1.0)
      return false;
    b = resolve(*b.value, inverse.getRhs());
  }
  return a == *power && b == whole && matchExponent();
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// `map` of an op whose loops are `dims`, in the iteration space.
Use ChainReader::inSpace(Value memref, AffineMap map, ArrayRef<unsigned> dims) const {
  SmallVector<AffineExpr> exprs = llvm::map_to_vector(dims, [&](unsigned dim) { return getAffineDimExpr(dim, map.getContext()); });
  return {memref, map.replaceDimsAndSymbols(exprs, {}, problem.dims.size(), 0)};
}

/// Of `op` the dimension of each loop: those of `place`, where `array` lies among the rows, and `other`, the only one beside them. Nothing where it has others.
static std::optional<SmallVector<unsigned>> getDims(LinalgOp op, OpOperand *array, AffineMap place, unsigned other) {
  AffineMap map = op.getMatchingIndexingMap(array);
  if (!map.isProjectedPermutation() || map.getNumResults() + 1 != op.getNumLoops())
    return std::nullopt;
  SmallVector<unsigned> dims(op.getNumLoops(), other);
  for (auto [position, expr] : llvm::enumerate(map.getResults()))
    dims[cast<AffineDimExpr>(expr).getPosition()] = place.getDimPosition(position);
  return dims;
}

/// Is `op`, whose loops are `dims`, a product of floats of 16 or 32 bits with sums in f32 whose first operand is by `row`? Sets what its operands are.
bool ChainReader::readProduct(LinalgOp op, ArrayRef<unsigned> dims, Use &a, Use &b, unsigned row, unsigned column, unsigned depth) {
  SmallVector<int64_t> ranges = llvm::map_to_vector(dims, [&](unsigned dim) { return llvm::is_contained({row, column, depth}, dim) ? ShapedType::kDynamic : int64_t(1); });
  std::optional<tile::InstructionUse> use = tile::findProduct(op, ranges);
  if (!use || dims[use->m] != row || dims[use->n] != column || dims[use->k] != depth || use->aType != use->bType || !(use->aType.isBF16() || use->aType.isF16() || use->aType.isF32()))
    return false;
  for (OpOperand *operand : {use->a, use->b})
    if (getElementTypeOrSelf(operand->get().getType()) != use->aType)
      return false;
  a = inSpace(use->a->get(), op.getMatchingIndexingMap(use->a), dims);
  b = inSpace(use->b->get(), op.getMatchingIndexingMap(use->b), dims);
  for (auto [dim, iterator] : llvm::zip_equal(dims, op.getIteratorTypesArray()))
    if (linalg::isParallelIterator(iterator) != (dim != depth))
      return false;
  return getElementTypeOrSelf(op.getDpsInits()[0].getType()).isF32() && succeeded(checkMaps(op));
}

/// The dimensions are those of the rows, the second product's columns and the depth of the first.
bool ChainReader::readDims() {
  const RowGroup &group = *rows.rows;
  problem.dims = rows.dims;
  chain.column = problem.dims.size();
  chain.depth = chain.column + 1;
  problem.dims.resize(chain.depth + 1);
  problem.dims[chain.depth].parallel = false;
  OpOperand *weights = nullptr;
  for (OpOperand *input : chain.second.getDpsInputOperands())
    if (input->get() == group.values[chain.weights].place.memref)
      weights = input;
  auto firstDims = getDims(chain.first, chain.first.getDpsInitOperand(0), group.values[chain.scores].place.map, chain.depth);
  auto secondDims = getDims(chain.second, weights, group.values[chain.weights].place.map, chain.column);
  if (!firstDims || !secondDims)
    return false;
  chain.firstDims = *firstDims;
  chain.secondDims = *secondDims;
  // The rows of the second product's result are those of the first one's.
  auto walks = [&](unsigned number) {
    Use ofWeights;
    return rows.dims[number].parallel && readProduct(chain.first, chain.firstDims, chain.queries, chain.keys, number, chain.key, chain.depth) &&
           readProduct(chain.second, chain.secondDims, ofWeights, chain.values, number, chain.column, chain.key) && ofWeights.memref == weights->get();
  };
  // Of several, as heads that share keys are, that which a triangle goes by, or the longest.
  chain.row = chain.key;
  for (unsigned number = 0; number < rows.dims.size(); ++number) {
    bool isBetter = chain.row == chain.key || (chain.isTriangular ? number == triangle : rows.dims[number].size > rows.dims[chain.row].size);
    if (isBetter && walks(number))
      chain.row = number;
  }
  if (chain.row != chain.key)
    walks(chain.row);
  auto isSingle = [](const Use &use) { return getElementTypeOrSelf(use.memref.getType()).isF32(); };
  if (chain.row == chain.key || isSingle(chain.keys) != isSingle(chain.values))
    return false;
  for (const Use *use : {&chain.queries, &chain.keys, &chain.values}) {
    if (!isa<BlockArgument>(use->memref))
      return false;
    for (auto [position, expr] : llvm::enumerate(use->map.getResults()))
      if (auto number = dyn_cast<AffineDimExpr>(expr)) {
        Dim &dim = problem.dims[number.getPosition()];
        OpFoldResult extent = getOperandExtent(use->memref, position);
        if (dim.extent && dim.extent != extent)
          return false;
        dim.extent = extent;
        dim.size = getValue(extent, arguments);
      }
  }
  bool areKnown = llvm::all_of(problem.dims, [](const Dim &dim) { return dim.extent && dim.size > 0; });
  // Blocks may go as far as their last row's number where there is a key of it.
  const Dim &row = problem.dims[chain.row], &key = problem.dims[chain.key];
  bool isInside = row.extent == key.extent || (isa_and_nonnull<Attribute>(row.extent) && isa_and_nonnull<Attribute>(key.extent) && row.size <= key.size);
  if (chain.isTriangular && (!isInside || triangle != chain.row)) {
    chain.isTriangular = false;
    return areKnown && (chain.exponent || takeExponent());
  }
  return areKnown;
}

FailureOr<Problem> ChainReader::run() {
  ScopedDiagnosticHandler quiet(kernel.getContext(), [](Diagnostic &) { return success(); });
  problem.kernel = kernel;
  if (!findProducts() || !readRows())
    return failure();
  for (auto [number, dim] : llvm::enumerate(rows.dims))
    if (!dim.parallel)
      chain.key = number;
  if (!matchWeights() || !readDims())
    return failure();
  auto group = std::make_shared<RowGroup>(*rows.rows);
  for (RowValue &value : group->values) {
    AffineMap map = value.place.map;
    value.place.map = AffineMap::get(problem.dims.size(), 0, map.getResults(), map.getContext());
  }
  chain.rows = group;
  problem.root = chain.second;
  problem.init = secondInit;
  problem.accumulates = true;
  problem.inputs = {chain.queries, chain.keys, chain.values};
  for (auto [number, value] : llvm::enumerate(group->values))
    if (!value.op && number != chain.scores)
      problem.inputs.push_back(value.place);
  OpOperand *init = chain.second.getDpsInitOperand(0);
  problem.output = inSpace(init->get(), chain.second.getMatchingIndexingMap(init), chain.secondDims);
  if (failed(problem.addEpilogue(after)))
    return failure();
  problem.chain = std::make_shared<const Chain>(std::move(chain));
  return problem;
}

FailureOr<Problem> mapping::getChainProblem(tile::KernelOp kernel, ArrayRef<int64_t> arguments) { return ChainReader(kernel, arguments).run(); }
