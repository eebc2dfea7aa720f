//===- Extracts.cpp - What bodies take from arrays --------------*- C++ -*-===//
//
// Exporters write lookups, gathers, mirrors and enlargements as bodies that extract an element. Where its place follows from the op's dimensions an operand with a
// map says the same; where data says it, an op of its own gathers all elements, which becomes a nest (Gathers.cpp).
//
//===----------------------------------------------------------------------===//

#include "Forms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilec;
using linalg::GenericOp;

/// Is `expr`, of dimensions that begin at 0, negative nowhere?
static bool isNotNegative(AffineExpr expr) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue() >= 0;
  auto both = dyn_cast<AffineBinaryOpExpr>(expr);
  return isa<AffineDimExpr>(expr) || (both && isNotNegative(both.getLHS()) && isNotNegative(both.getRHS()));
}

/// `value` of the body of a generic op as an expression in its dimensions; null where it is none.
static AffineExpr getExpr(Value value) {
  MLIRContext *context = value.getContext();
  if (IntegerAttr number; matchPattern(value, m_Constant(&number)))
    return getAffineConstantExpr(number.getValue().getSExtValue(), context);
  Operation *op = value.getDefiningOp();
  if (!op)
    return AffineExpr();
  if (auto index = dyn_cast<linalg::IndexOp>(op))
    return getAffineDimExpr(index.getDim(), context);
  if (isa<arith::IndexCastOp, arith::ExtSIOp, arith::TruncIOp>(op))
    return getExpr(op->getOperand(0));
  if (op->getNumOperands() != 2)
    return AffineExpr();
  AffineExpr left = getExpr(op->getOperand(0)), right = getExpr(op->getOperand(1));
  auto number = dyn_cast_if_present<AffineConstantExpr>(right);
  if (!left || !right)
    return AffineExpr();
  if (isa<arith::AddIOp>(op))
    return left + right;
  if (isa<arith::SubIOp>(op))
    return left - right;
  if (isa<arith::MulIOp>(op) && (number || isa<AffineConstantExpr>(left)))
    return left * right;
  bool divides = number && number.getValue() > 0;
  if (divides && (isa<arith::FloorDivSIOp>(op) || (isa<arith::DivSIOp, arith::DivUIOp>(op) && isNotNegative(left))))
    return left.floorDiv(number.getValue());
  if (divides && isa<arith::RemSIOp, arith::RemUIOp>(op) && isNotNegative(left))
    return left % number.getValue();
  return AffineExpr();
}

/// The element of an input that `index` is the number of, whatever type it has on the way; null where it is computed.
static BlockArgument getElement(Value index) {
  while (Operation *cast = index.getDefiningOp()) {
    if (!isa<arith::IndexCastOp, arith::ExtSIOp>(cast))
      return BlockArgument();
    index = cast->getOperand(0);
  }
  return dyn_cast<BlockArgument>(index);
}

static bool isIndex(Type type) { return type.isInteger(32) || type.isInteger(64); }

/// Dimensions of `op` that `value` of its body depends on; none where it is made from results.
static std::optional<llvm::SmallBitVector> getDims(GenericOp op, Value value) {
  llvm::SmallBitVector dims(op.getNumLoops());
  auto add = [&](Value part) {
    auto element = dyn_cast<BlockArgument>(part);
    if (!element || element.getOwner() != op.getBody())
      return true;
    if (element.getArgNumber() >= op.getNumDpsInputs())
      return false;
    AffineMap map = op.getIndexingMapsArray()[element.getArgNumber()];
    for (unsigned dim = 0; dim < dims.size(); ++dim)
      if (map.isFunctionOfDim(dim))
        dims.set(dim);
    return true;
  };
  bool known = add(value);
  for (Operation *maker : mapping::getMakers(value, op.getBody())) {
    if (auto index = dyn_cast<linalg::IndexOp>(maker))
      dims.set(index.getDim());
    known &= llvm::all_of(maker->getOperands(), add);
  }
  return known ? std::optional(dims) : std::nullopt;
}

/// Of `map` the part that `dims` walk, numbered from 0.
static AffineMap compress(AffineMap map, const llvm::SmallBitVector &dims) {
  SmallVector<AffineExpr> numbers(map.getNumDims(), getAffineConstantExpr(0, map.getContext()));
  for (auto [number, dim] : llvm::enumerate(dims.set_bits()))
    numbers[dim] = getAffineDimExpr(number, map.getContext());
  return map.replaceDimsAndSymbols(numbers, {}, dims.count(), 0);
}

/// The dimensions `dims` of `count`, one subscript each.
static AffineMap select(MLIRContext *context, const llvm::SmallBitVector &dims, unsigned count) {
  SmallVector<AffineExpr> exprs;
  for (unsigned dim : dims.set_bits())
    exprs.push_back(getAffineDimExpr(dim, context));
  return AffineMap::get(count, 0, exprs, context);
}

/// An op along `dims` of `op` that yields `value` of its body, as elements of `type`.
static Value makeAlone(GenericOp op, Value value, Type type, const llvm::SmallBitVector &dims) {
  OpBuilder b(op);
  SmallVector<int64_t> ranges = op.getStaticLoopRanges(), shape;
  for (unsigned dim : dims.set_bits())
    shape.push_back(ranges[dim]);
  SmallVector<AffineMap> maps;
  for (OpOperand *input : op.getDpsInputOperands())
    maps.push_back(compress(op.getMatchingIndexingMap(input), dims));
  maps.push_back(b.getMultiDimIdentityMap(dims.count()));
  SmallVector<utils::IteratorType> iterators(dims.count(), utils::IteratorType::parallel);
  Value empty = tensor::EmptyOp::create(b, op.getLoc(), shape, type);
  Block *body = op.getBody();
  auto made = GenericOp::create(b, op.getLoc(), TypeRange(empty.getType()), op.getInputs(), ValueRange(empty), maps, iterators, [&](OpBuilder &inside, Location loc, ValueRange arguments) {
    IRMapping copied;
    copied.map(body->getArguments().take_front(op.getNumDpsInputs()), arguments.drop_back());
    llvm::SmallVector<unsigned> numbers(op.getNumLoops());
    for (auto [number, dim] : llvm::enumerate(dims.set_bits()))
      numbers[dim] = number;
    for (Operation *maker : mapping::getMakers(value, body))
      if (auto index = dyn_cast<linalg::IndexOp>(maker))
        copied.map(index.getResult(), linalg::IndexOp::create(inside, loc, numbers[index.getDim()]).getResult());
    Value yielded = mapping::copyMade(inside, value, body, copied);
    if (yielded.getType().isIndex())
      yielded = arith::IndexCastOp::create(inside, loc, type, yielded);
    linalg::YieldOp::create(inside, loc, yielded);
  });
  return mapping::dropUnread(made)->getResult(0);
}

/// Adds `array` to the inputs of `op`, read by `map`, for `value` of its body.
static GenericOp readAs(GenericOp op, Value value, Value array, AffineMap map) {
  SmallVector<Value> inputs(op.getInputs());
  SmallVector<AffineMap> maps;
  for (OpOperand *input : op.getDpsInputOperands())
    maps.push_back(op.getMatchingIndexingMap(input));
  inputs.push_back(array);
  maps.push_back(map);
  value.replaceAllUsesWith(op.getBody()->insertArgument(inputs.size() - 1, value.getType(), value.getLoc()));
  return mapping::replaceInputs(op, inputs, maps);
}

/// Ops of `body` that nobody reads.
static void eraseUnread(Block *body) {
  SmallVector<Operation *> ops = llvm::map_to_vector(body->without_terminator(), [](Operation &op) { return &op; });
  for (Operation *op : llvm::reverse(ops))
    if (op->use_empty())
      op->erase();
}

namespace {

/// An element that a body takes, by its subscripts: expressions in dimensions, but for one that data says.
struct Taken {
  SmallVector<AffineExpr> subscripts;
  std::optional<unsigned> along;
};

} // namespace

/// `index` of a nest as a sum of multiples of dimensions; null where it is none.
static AffineExpr getSum(Value index) {
  AffineExpr expr = getExpr(index);
  bool divides = false;
  if (expr)
    expr.walk([&](AffineExpr part) { divides |= part.getKind() == AffineExprKind::FloorDiv || part.getKind() == AffineExprKind::Mod; });
  return divides ? AffineExpr() : expr;
}

/// What a nest takes by `indices`: what is no sum of dimensions is data to it.
static std::optional<Taken> getTaken(OperandRange indices) {
  Taken taken;
  for (auto [dim, index] : llvm::enumerate(indices)) {
    taken.subscripts.push_back(getSum(index));
    if (taken.subscripts.back())
      continue;
    if (taken.along)
      return std::nullopt;
    taken.along = dim;
  }
  return taken;
}

/// Where data says several subscripts of `extract` it takes an element of a view in which these dimensions, and those between, are one; false where extents are not known.
static bool mergeSubscripts(GenericOp op, tensor::ExtractOp extract) {
  auto type = cast<RankedTensorType>(extract.getTensor().getType());
  auto isData = [](Value index) { return !getSum(index); };
  SmallVector<Value> indices(extract.getIndices());
  size_t first = llvm::find_if(indices, isData) - indices.begin(), end = indices.size();
  while (!isData(indices[end - 1]))
    --end;
  if (!type.hasStaticShape())
    return false;
  SmallVector<ReassociationIndices> groups;
  for (size_t dim = 0; dim < indices.size(); ++dim)
    if (dim > first && dim < end)
      groups.back().push_back(dim);
    else
      groups.push_back({int64_t(dim)});
  OpBuilder b(extract), ahead(op);
  Value merged = indices[first];
  for (size_t dim = first + 1; dim < end; ++dim) {
    Value extent = arith::ConstantIndexOp::create(b, extract.getLoc(), type.getDimSize(dim));
    Value before = arith::MulIOp::create(b, extract.getLoc(), merged, extent);
    merged = arith::AddIOp::create(b, extract.getLoc(), before, indices[dim]);
  }
  indices[first] = merged;
  indices.erase(indices.begin() + first + 1, indices.begin() + end);
  Value view = tensor::CollapseShapeOp::create(ahead, extract.getLoc(), extract.getTensor(), groups);
  extract.replaceAllUsesWith(tensor::ExtractOp::create(b, extract.getLoc(), view, indices).getResult());
  eraseUnread(op.getBody());
  return true;
}

/// The least and the greatest value of `expr`, of dimensions that go as far as `ranges` say.
static std::pair<int64_t, int64_t> getRange(AffineExpr expr, ArrayRef<int64_t> ranges) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return {0, ranges[dim.getPosition()] - 1};
  if (auto number = dyn_cast<AffineConstantExpr>(expr))
    return {number.getValue(), number.getValue()};
  auto both = cast<AffineBinaryOpExpr>(expr);
  auto [low, high] = getRange(both.getLHS(), ranges);
  auto [from, to] = getRange(both.getRHS(), ranges);
  if (both.getKind() == AffineExprKind::Add)
    return {low + from, high + to};
  if (both.getKind() == AffineExprKind::Mul)
    return std::minmax({low * from, high * from, low * to, high * to});
  return both.getKind() == AffineExprKind::Mod ? std::pair<int64_t, int64_t>(0, from - 1) : std::pair(llvm::divideFloorSigned(low, from), llvm::divideFloorSigned(high, from));
}

/// May an operand of `op` be read by `subscripts`? They stay in it, and where one is a dimension alone, that goes as far as the operand.
static bool isWhole(GenericOp op, Value array, ArrayRef<AffineExpr> subscripts) {
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  auto type = cast<RankedTensorType>(array.getType());
  if (!type.hasStaticShape() || llvm::any_of(ranges, ShapedType::isDynamic))
    return false;
  return llvm::all_of(llvm::zip_equal(subscripts, type.getShape()), [&](auto pair) {
    auto [expr, extent] = pair;
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      return ranges[dim.getPosition()] == extent;
    auto [low, high] = getRange(expr, ranges);
    return low >= 0 && high < extent;
  });
}

/// The element of an input of `op` that `index` is; null where it is none.
static BlockArgument getInputElement(GenericOp op, Value index) {
  BlockArgument element = getElement(index);
  bool isInput = element && element.getOwner() == op.getBody() && element.getArgNumber() < op.getNumDpsInputs() && isIndex(element.getType());
  return isInput ? element : BlockArgument();
}

/// The same along dimensions of its own, or at 0; null where it is the only one of the input.
static BlockArgument getIndexElement(GenericOp op, Value index) {
  BlockArgument element = getInputElement(op, index);
  AffineMap map = element ? op.getIndexingMapsArray()[element.getArgNumber()] : AffineMap();
  return map && map.getNumResults() > 0 && map.isProjectedPermutation(/*allowZeroInResults=*/true) ? element : BlockArgument();
}

/// Has `op` read the only number of an input, which `index` is, as the first of an array of one dimension, as nests read their indices; false where it is none.
static bool readAsLine(GenericOp op, Value index) {
  BlockArgument element = getInputElement(op, index);
  Value number = element ? op.getInputs()[element.getArgNumber()] : Value();
  if (!number || cast<RankedTensorType>(number.getType()).getRank() > 0)
    return false;
  OpBuilder b(op);
  Value line = tensor::ExpandShapeOp::create(b, op.getLoc(), RankedTensorType::get({1}, element.getType()), number, ArrayRef<ReassociationIndices>());
  AffineMap first = AffineMap::get(op.getNumLoops(), 0, b.getAffineConstantExpr(0));
  mapping::dropUnread(readAs(op, element, line, first));
  return true;
}

/// Has `op` read what `extract` takes: where all subscripts follow from its dimensions by a map; false where that is not known.
static bool takeExtract(GenericOp op, tensor::ExtractOp extract) {
  SmallVector<AffineExpr> exprs = llvm::map_to_vector(extract.getIndices(), getExpr);
  bool isRead = llvm::all_of(exprs, [](AffineExpr expr) { return bool(expr); }) && isWhole(op, extract.getTensor(), exprs);
  std::optional<Taken> taken = getTaken(extract.getIndices());
  if (!isRead && !taken)
    return mergeSubscripts(op, extract);
  if (op.getBody()->getParentOp()->isAncestor(extract.getTensor().getParentBlock()->getParentOp()))
    return false;
  MLIRContext *context = op.getContext();
  if (isRead) {
    Block *body = readAs(op, extract.getResult(), extract.getTensor(), AffineMap::get(op.getNumLoops(), 0, exprs, context)).getBody();
    eraseUnread(body);
    return true;
  }
  if (llvm::any_of(op.getStaticLoopRanges(), ShapedType::isDynamic))
    return false;
  Value index = taken->along ? extract.getIndices()[*taken->along] : Value();
  if (index && readAsLine(op, index))
    return true;
  if (index && !getIndexElement(op, index)) {
    std::optional<llvm::SmallBitVector> dims = getDims(op, index);
    if (!dims || dims->empty())
      return false;
    // One number for all is one for each place along the first dimension: nests read their indices along dimensions.
    if (dims->none())
      dims->set(0);
    Value numbers = makeAlone(op, index, IntegerType::get(context, 64), *dims);
    // What takes its place is read by name, as an index that is cast from an element.
    OpBuilder b(extract);
    Value cast = arith::IndexCastOp::create(b, extract.getLoc(), b.getIndexType(), index);
    extract->setOperand(1 + *taken->along, cast);
    Block *body = op.getBody();
    b.setInsertionPoint(cast.getDefiningOp());
    Value number = arith::IndexCastOp::create(b, extract.getLoc(), IntegerType::get(context, 64), index);
    cast.getDefiningOp()->setOperand(0, number);
    op = readAs(op, number, numbers, select(context, *dims, op.getNumLoops()));
    eraseUnread(body);
    return true;
  }
  std::optional<llvm::SmallBitVector> dims = getDims(op, extract.getResult());
  if (!dims || dims->none())
    return false;
  Value gathered = makeAlone(op, extract.getResult(), extract.getType(), *dims);
  Block *body = readAs(op, extract.getResult(), gathered, select(context, *dims, op.getNumLoops())).getBody();
  eraseUnread(body);
  return true;
}

/// Does `op` nothing but gather elements, one for each of its points?
static bool isGather(GenericOp op) {
  Block *body = op.getBody();
  Value yielded = body->getTerminator()->getOperand(0);
  Operation *extract = yielded.getDefiningOp();
  return op.getNumReductionLoops() == 0 && op->getNumResults() <= 1 && op.getNumDpsInits() == 1 && op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity() &&
         isa_and_present<tensor::ExtractOp, memref::LoadOp>(extract);
}

std::optional<mapping::Gathered> mapping::getGathered(linalg::LinalgOp gather) {
  auto op = dyn_cast<GenericOp>(gather.getOperation());
  if (!op || !isGather(op))
    return std::nullopt;
  Operation *extract = op.getBody()->getTerminator()->getOperand(0).getDefiningOp();
  std::optional<Taken> taken = getTaken(extract->getOperands().drop_front());
  if (!taken)
    return std::nullopt;
  Gathered gathered{extract->getOperand(0), taken->subscripts, taken->along, Value(), AffineMap()};
  if (!taken->along)
    return gathered;
  BlockArgument element = getIndexElement(op, extract->getOperand(1 + *taken->along));
  if (!element)
    return std::nullopt;
  gathered.indices = op.getInputs()[element.getArgNumber()];
  gathered.read = op.getIndexingMapsArray()[element.getArgNumber()];
  return gathered;
}

void mapping::takeExtracts(ModuleOp module) {
  for (bool found = true; found;) {
    found = false;
    SmallVector<tensor::ExtractOp> extracts;
    module.walk([&](tensor::ExtractOp extract) { extracts.push_back(extract); });
    for (tensor::ExtractOp extract : extracts) {
      auto op = dyn_cast<GenericOp>(extract->getParentOp());
      std::optional<Gathered> alone = op && op.hasPureTensorSemantics() ? getGathered(op) : std::nullopt;
      if (!op || !op.hasPureTensorSemantics() || (alone && (alone->along || !isWhole(op, alone->table, alone->subscripts))))
        continue;
      found = takeExtract(op, extract);
      if (found)
        break;
    }
  }
}
