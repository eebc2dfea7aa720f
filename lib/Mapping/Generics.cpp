//===- Generics.cpp - Generic ops with other operands and dimensions -*- C++ -*-===//

#include "Generics.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace tilec;
using linalg::GenericOp;

bool mapping::areKnown(ArrayRef<AffineMap> maps, unsigned dims) {
  llvm::SmallBitVector known(dims);
  for (AffineMap map : maps)
    for (AffineExpr expr : map.getResults())
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        known.set(dim.getPosition());
  return known.all();
}

GenericOp mapping::generalize(linalg::LinalgOp op) {
  if (auto generic = dyn_cast<GenericOp>(op.getOperation()))
    return generic;
  IRRewriter rewriter(op);
  FailureOr<GenericOp> generic = linalg::generalizeNamedOp(rewriter, op);
  return succeeded(generic) ? *generic : GenericOp();
}

GenericOp mapping::replaceInputs(GenericOp op, ValueRange inputs, ArrayRef<AffineMap> maps) {
  SmallVector<AffineMap> all(maps);
  for (OpOperand &init : op.getDpsInitsMutable())
    all.push_back(op.getMatchingIndexingMap(&init));
  OpBuilder b(op);
  auto made = GenericOp::create(b, op.getLoc(), op.getResultTypes(), inputs, op.getOutputs(), all, op.getIteratorTypesArray());
  made.getRegion().takeBody(op.getRegion());
  op.replaceAllUsesWith(made.getResults());
  op.erase();
  return made;
}

GenericOp mapping::dropUnread(GenericOp op) {
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps, kept = op.getIndexingMapsArray();
  llvm::BitVector dropped(op.getBody()->getNumArguments());
  for (OpOperand *input : op.getDpsInputOperands()) {
    unsigned number = input->getOperandNumber();
    AffineMap map = kept[number];
    kept[number] = AffineMap::get(op.getNumLoops(), 0, {}, op.getContext());
    if (op.getBody()->getArgument(number).use_empty() && areKnown(kept, op.getNumLoops())) {
      dropped.set(number);
      continue;
    }
    kept[number] = map;
    inputs.push_back(input->get());
    maps.push_back(map);
  }
  if (dropped.none())
    return op;
  op.getBody()->eraseArguments(dropped);
  return replaceInputs(op, inputs, maps);
}

llvm::SetVector<Operation *> mapping::getMakers(Value value, Block *body) {
  llvm::SetVector<Operation *> makers;
  SmallVector<Value> waiting = {value};
  while (!waiting.empty()) {
    Operation *maker = waiting.pop_back_val().getDefiningOp();
    if (maker && maker->getBlock() == body && makers.insert(maker))
      llvm::append_range(waiting, maker->getOperands());
  }
  return makers;
}

Value mapping::copyMade(OpBuilder &b, Value value, Block *body, IRMapping &copied) {
  llvm::SetVector<Operation *> makers = getMakers(value, body);
  for (Operation &op : *body)
    if (makers.contains(&op) && !copied.contains(op.getResult(0)))
      b.clone(op, copied);
  return copied.lookupOrDefault(value);
}

/// `expr` of dimensions that have `values`.
static Value compute(OpBuilder &b, Location loc, AffineExpr expr, ValueRange values) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return values[dim.getPosition()];
  if (auto number = dyn_cast<AffineConstantExpr>(expr))
    return arith::ConstantIndexOp::create(b, loc, number.getValue());
  auto both = cast<AffineBinaryOpExpr>(expr);
  Value left = compute(b, loc, both.getLHS(), values), right = compute(b, loc, both.getRHS(), values);
  if (both.getKind() == AffineExprKind::Add)
    return arith::AddIOp::create(b, loc, left, right);
  if (both.getKind() == AffineExprKind::Mul)
    return arith::MulIOp::create(b, loc, left, right);
  // Places are not negative.
  return both.getKind() == AffineExprKind::Mod ? Value(arith::RemSIOp::create(b, loc, left, right)) : Value(arith::DivSIOp::create(b, loc, left, right));
}

void mapping::computePlaces(GenericOp op) {
  for (auto apply : llvm::make_early_inc_range(op.getBody()->getOps<affine::AffineApplyOp>())) {
    OpBuilder b(apply);
    apply.replaceAllUsesWith(compute(b, apply.getLoc(), apply.getAffineMap().getResult(0), apply.getMapOperands()));
    apply.erase();
  }
}

/// Does `op` make one element at each of its points, in the array's own order?
static bool isElementwise(GenericOp op) { return op.getNumReductionLoops() == 0 && op.getNumDpsInits() == 1 && op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity(); }

GenericOp mapping::joinElementwise(GenericOp first, GenericOp second) {
  if (!isElementwise(first) || !isElementwise(second) || first.getNumLoops() != second.getNumLoops())
    return {};
  Value made = first.getDpsInits()[0];
  for (OpOperand &operand : second->getOpOperands())
    if (operand.get() == made && !second.getMatchingIndexingMap(&operand).isIdentity())
      return {};
  bool inPlace = second.getDpsInits()[0] == made, readsOld = first.payloadUsesValueFromOperand(first.getDpsInitOperand(0));
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  auto add = [&](GenericOp from, OpOperand *operand) {
    inputs.push_back(operand->get());
    maps.push_back(from.getMatchingIndexingMap(operand));
  };
  for (OpOperand *input : first.getDpsInputOperands())
    add(first, input);
  if (readsOld && !inPlace)
    add(first, first.getDpsInitOperand(0));
  size_t ofFirst = inputs.size();
  for (OpOperand *input : second.getDpsInputOperands())
    if (input->get() != made)
      add(second, input);
  maps.push_back(second.getMatchingIndexingMap(second.getDpsInitOperand(0)));
  auto makeBody = [&](OpBuilder &b, Location loc, ValueRange elements) {
    IRMapping copied;
    auto copyBody = [&](GenericOp op) {
      for (Operation &inner : op.getBody()->without_terminator())
        b.clone(inner, copied);
      return copied.lookupOrDefault(op.getBody()->getTerminator()->getOperand(0));
    };
    for (auto [number, argument] : llvm::enumerate(first.getRegionInputArgs()))
      copied.map(argument, elements[number]);
    copied.map(first.getRegionOutputArgs()[0], inPlace || !readsOld ? elements.back() : elements[ofFirst - 1]);
    Value element = copyBody(first);
    size_t next = ofFirst;
    for (auto [input, argument] : llvm::zip_equal(second.getDpsInputOperands(), second.getRegionInputArgs()))
      copied.map(argument, input->get() == made ? element : elements[next++]);
    copied.map(second.getRegionOutputArgs()[0], inPlace ? element : elements.back());
    linalg::YieldOp::create(b, loc, copyBody(second));
  };
  OpBuilder b(second);
  auto joined = GenericOp::create(b, second.getLoc(), TypeRange(), inputs, second.getDpsInits(), maps, second.getIteratorTypesArray(), makeBody);
  second->erase();
  first->erase();
  return joined;
}
