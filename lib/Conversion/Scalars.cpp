//===- Scalars.cpp - Numbers -------------------------------------*- C++ -*-===//
//
// Scalar ops of the nest (rule C1 of tile.kernel), in bodies of computations and
// between loops. Values of type index are 64 bits wide in a nest; here those are
// of type index, which the text keeps in an int, that are known to fit one, and
// all others are of i64. Integers wrap; what may have no meaning (a division by
// zero, a shift by the width, a conversion of what does not fit) is a function of
// the vocabulary, so that the emulator finds it.
//
//===----------------------------------------------------------------------===//

#include "Scalars.h"

#include "Names.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "tilec/Kernel/Kernel.h"
#include "tilec/Tile/ScalarOps.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilec;

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

/// The constant that `value` is, sign-extended.
static std::optional<int64_t> getConstant(Value value) {
  APInt constant;
  return matchPattern(value, m_ConstantInt(&constant)) ? std::optional(constant.getSExtValue()) : std::nullopt;
}

static void setOverflow(Operation *op, arith::IntegerOverflowFlags flags) {
  op->setAttr(cast<arith::ArithIntegerOverflowFlagsInterface>(op).getIntegerOverflowAttrName(),
              arith::IntegerOverflowFlagsAttr::get(op->getContext(), flags));
}

void ComputedExactly::notifyOperationInserted(Operation *op, OpBuilder::InsertPoint) {
  if (isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::ShLIOp>(op) && !op->getResult(0).getType().isIndex())
    setOverflow(op, arith::IntegerOverflowFlags::nsw);
}

Value tilec::wrapping(Value value) {
  setOverflow(value.getDefiningOp(), arith::IntegerOverflowFlags::none);
  return value;
}

/// x / y or x % y of integers; the result's type is that of x.
static Value divide(OpBuilder &b, Location loc, Value x, Value y, bool isSigned, bool remainder) {
  std::optional<int64_t> by = getConstant(y);
  if (isSigned && by && *by != 0 && *by != -1)
    return remainder ? arith::RemSIOp::create(b, loc, x, y).getResult() : arith::DivSIOp::create(b, loc, x, y).getResult();
  Type wide = b.getI64Type();
  Value result = remainder ? kernel::IntRemOp::create(b, loc, wide, x, y, !isSigned).getResult()
                           : kernel::IntDivOp::create(b, loc, wide, x, y, !isSigned).getResult();
  return x.getType() == wide ? result : arith::TruncIOp::create(b, loc, x.getType(), result).getResult();
}

/// x shifted by y bits.
static Value shift(OpBuilder &b, Location loc, Operation *op, Value x, Value y) {
  std::optional<int64_t> by = getConstant(y);
  bool known = by && *by >= 0 && *by < x.getType().getIntOrFloatBitWidth();
  if (known && isa<arith::ShLIOp>(op))
    return wrapping(arith::ShLIOp::create(b, loc, x, y));
  if (known && isa<arith::ShRSIOp>(op))
    return arith::ShRSIOp::create(b, loc, x, y);
  Type wide = b.getI64Type();
  Value result = isa<arith::ShLIOp>(op) ? kernel::ShiftLeftOp::create(b, loc, wide, x, y).getResult()
                                        : kernel::ShiftRightOp::create(b, loc, wide, x, y, isa<arith::ShRUIOp>(op)).getResult();
  return x.getType() == wide ? result : arith::TruncIOp::create(b, loc, x.getType(), result).getResult();
}

/// An integer op on operands that are integers or of type index.
static Value computeInteger(OpBuilder &b, Location loc, Operation *op, ArrayRef<Value> x) {
  auto choose = [&](arith::CmpIPredicate predicate) -> Value {
    Value first = arith::CmpIOp::create(b, loc, predicate, x[0], x[1]);
    return arith::SelectOp::create(b, loc, first, x[0], x[1]);
  };
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case<arith::AddIOp>([&](auto) { return wrapping(arith::AddIOp::create(b, loc, x[0], x[1])); })
      .Case<arith::SubIOp>([&](auto) { return wrapping(arith::SubIOp::create(b, loc, x[0], x[1])); })
      .Case<arith::MulIOp>([&](auto) { return wrapping(arith::MulIOp::create(b, loc, x[0], x[1])); })
      .Case<arith::DivSIOp>([&](auto) { return divide(b, loc, x[0], x[1], /*isSigned=*/true, /*remainder=*/false); })
      .Case<arith::DivUIOp>([&](auto) { return divide(b, loc, x[0], x[1], /*isSigned=*/false, /*remainder=*/false); })
      .Case<arith::RemSIOp>([&](auto) { return divide(b, loc, x[0], x[1], /*isSigned=*/true, /*remainder=*/true); })
      .Case<arith::RemUIOp>([&](auto) { return divide(b, loc, x[0], x[1], /*isSigned=*/false, /*remainder=*/true); })
      .Case<arith::MaxSIOp>([&](auto) { return arith::MaxSIOp::create(b, loc, x[0], x[1]); })
      .Case<arith::MinSIOp>([&](auto) { return arith::MinSIOp::create(b, loc, x[0], x[1]); })
      .Case<arith::MaxUIOp>([&](auto) { return choose(arith::CmpIPredicate::ugt); })
      .Case<arith::MinUIOp>([&](auto) { return choose(arith::CmpIPredicate::ult); })
      .Case<arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp>([&](auto) { return shift(b, loc, op, x[0], x[1]); })
      .Case<arith::AndIOp>([&](auto) { return arith::AndIOp::create(b, loc, x[0], x[1]); })
      .Case<arith::OrIOp>([&](auto) { return arith::OrIOp::create(b, loc, x[0], x[1]); })
      .Case<arith::XOrIOp>([&](auto) { return arith::XOrIOp::create(b, loc, x[0], x[1]); })
      .Case<math::AbsIOp>([&](auto) -> Value {
        Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(x[0].getType()));
        Value negated = wrapping(arith::SubIOp::create(b, loc, zero, x[0]));
        return arith::MaxSIOp::create(b, loc, x[0], negated);
      })
      .Case<arith::CmpIOp>([&](arith::CmpIOp compare) {
        return arith::CmpIOp::create(b, loc, compare.getPredicate(), x[0], x[1]);
      })
      .Case<arith::SelectOp>([&](auto) { return arith::SelectOp::create(b, loc, x[0], x[1], x[2]); })
      .Default(Value());
}

/// An integer op with an index among its operands and results.
static Value lowerIndexOp(IndexBuilder &index, OpBuilder &b, Operation *op, ArrayRef<Value> operands) {
  Location loc = unnamed(op->getLoc());
  // Small numbers are added up and compared in an int; everything else needs no int, and is rare.
  if (isa<arith::AddIOp, arith::SubIOp>(op))
    return index.materialize(loc, valueIndex(operands[0]) + valueIndex(operands[1], isa<arith::SubIOp>(op) ? -1 : 1));
  if (isa<arith::MulIOp>(op))
    for (unsigned side : {0u, 1u})
      if (std::optional<int64_t> factor = getConstant(operands[side]))
        return index.materialize(loc, valueIndex(operands[1 - side], *factor));
  if (isa<arith::DivSIOp, arith::RemSIOp>(op))
    if (std::optional<int64_t> by = getConstant(operands[1]); by && *by > 0 && index.getLeast(valueIndex(operands[0])).value_or(-1) >= 0)
      return isa<arith::DivSIOp>(op) ? index.div(loc, operands[0], *by) : index.rem(loc, operands[0], *by);
  bool narrow = isa<arith::CmpIOp, arith::SelectOp, arith::MaxSIOp, arith::MinSIOp>(op) &&
                llvm::none_of(operands, [](Value x) { return x.getType().isInteger(64); });
  SmallVector<Value> wide;
  for (Value operand : operands)
    wide.push_back(narrow || operand.getType().isInteger(1) ? operand : index.widen(loc, operand));
  return computeInteger(b, loc, op, wide);
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

/// `x` of type index or i64, which stands for an index, as an integer of `type`.
static Value fromIndex(OpBuilder &b, Location loc, Value x, Type type) {
  if (x.getType() == type)
    return x;
  if (x.getType().isIndex())
    return arith::IndexCastOp::create(b, loc, type, x);
  return arith::TruncIOp::create(b, loc, type, x);
}

/// An integer that counts as an index.
static Value toIndex(IndexBuilder &index, OpBuilder &b, Location loc, Value x, bool isSigned) {
  unsigned width = x.getType().getIntOrFloatBitWidth();
  if (width == 64)
    return x;
  if (isSigned || width < 32) {
    if (!isSigned)
      x = arith::ExtUIOp::create(b, loc, b.getI32Type(), x);
    Value result = arith::IndexCastOp::create(b, loc, b.getIndexType(), x);
    index.know(result, {1, isSigned ? llvm::minIntN(width) : 0,
                        isSigned ? llvm::maxIntN(width) : static_cast<int64_t>(llvm::maxUIntN(width)), {}});
    return result;
  }
  Value result = arith::ExtUIOp::create(b, loc, b.getI64Type(), x);
  index.know(result, {1, 0, static_cast<int64_t>(llvm::maxUIntN(width)), {}});
  return result;
}

/// A conversion of `x`, which is no index, to `type`.
static Value convert(OpBuilder &b, Location loc, Operation *op, Value x, Type type) {
  auto number = [&](int64_t value) -> Value {
    TypedAttr attr = isa<FloatType>(type) ? TypedAttr(b.getFloatAttr(type, static_cast<double>(value)))
                                          : TypedAttr(b.getIntegerAttr(type, value));
    return arith::ConstantOp::create(b, loc, attr);
  };
  if (x.getType().isInteger(1) && isa<arith::ExtSIOp, arith::SIToFPOp>(op)) // The sign of an i1 is its only bit.
    return arith::SelectOp::create(b, loc, x, number(-1), number(0));
  if (type.isInteger(1)) { // Of an integer, its last bit.
    Value one = arith::ConstantOp::create(b, loc, b.getIntegerAttr(x.getType(), 1));
    Value zero = arith::ConstantOp::create(b, loc, b.getIntegerAttr(x.getType(), 0));
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, arith::AndIOp::create(b, loc, x, one), zero);
  }
  if (isa<arith::FPToSIOp, arith::FPToUIOp>(op)) {
    if (x.getType().isF16() || x.getType().isBF16())
      x = arith::ExtFOp::create(b, loc, b.getF32Type(), x);
    Value wide = kernel::ToIntOp::create(b, loc, b.getI64Type(), x, type.getIntOrFloatBitWidth(), isa<arith::FPToUIOp>(op));
    return type.isInteger(64) ? wide : arith::TruncIOp::create(b, loc, type, wide).getResult();
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Floating-point numbers
//===----------------------------------------------------------------------===//

/// A comparison that C++ has no operator for, by others.
static Value compareFloats(OpBuilder &b, Location loc, arith::CmpFPredicate predicate, Value x, Value y) {
  using P = arith::CmpFPredicate;
  auto compare = [&](P by, Value lhs, Value rhs) -> Value { return arith::CmpFOp::create(b, loc, by, lhs, rhs); };
  auto truth = [&](bool value) -> Value { return arith::ConstantOp::create(b, loc, b.getBoolAttr(value)); };
  switch (predicate) {
  case P::AlwaysFalse:
    return truth(false);
  case P::AlwaysTrue:
    return truth(true);
  case P::ORD:
    return arith::AndIOp::create(b, loc, compare(P::OEQ, x, x), compare(P::OEQ, y, y));
  case P::UNO:
    return arith::OrIOp::create(b, loc, compare(P::UNE, x, x), compare(P::UNE, y, y));
  case P::ONE:
    return arith::OrIOp::create(b, loc, compare(P::OLT, x, y), compare(P::OGT, x, y));
  case P::UEQ: {
    Value differ = arith::OrIOp::create(b, loc, compare(P::OLT, x, y), compare(P::OGT, x, y));
    return arith::XOrIOp::create(b, loc, differ, truth(true));
  }
  default:
    return compare(predicate, x, y);
  }
}

//===----------------------------------------------------------------------===//
// One op
//===----------------------------------------------------------------------===//

Value tilec::lowerScalar(IndexBuilder &index, OpBuilder &b, Operation &op, IRMapping &map) {
  Location loc = unnamed(op.getLoc());
  SmallVector<Value> operands;
  for (Value operand : op.getOperands())
    operands.push_back(map.lookup(operand));
  Type type = op.getResult(0).getType();
  bool onIndex = type.isIndex() || llvm::any_of(op.getOperandTypes(), [](Type x) { return x.isIndex(); });
  Value result;
  if (auto number = dyn_cast<arith::ConstantOp>(op); number && onIndex)
    result = index.materialize(loc, constantIndex(cast<IntegerAttr>(number.getValue()).getInt()));
  else if (isa<arith::IndexCastOp, arith::IndexCastUIOp>(op))
    result = type.isIndex() ? toIndex(index, b, loc, operands[0], isa<arith::IndexCastOp>(op)) : fromIndex(b, loc, operands[0], type);
  else if (onIndex)
    result = lowerIndexOp(index, b, &op, operands);
  else if (auto compare = dyn_cast<arith::CmpFOp>(op))
    result = compareFloats(b, loc, compare.getPredicate(), operands[0], operands[1]);
  else if (tile::isFlushed(&op))
    result = kernel::Exp2FlushedOp::create(b, loc, type, operands[0]);
  else if (type.isTF32()) // Of an f32; it is one whose last bits are zero.
    result = kernel::ToTF32Op::create(b, loc, b.getF32Type(), operands[0]);
  else if (isa<arith::ExtFOp>(op) && operands[0].getType() == type)
    result = operands[0];
  else if (isa<arith::ExtSIOp, arith::SIToFPOp, arith::TruncIOp, arith::FPToSIOp, arith::FPToUIOp>(op))
    result = convert(b, loc, &op, operands[0], type);
  else if (!isa<FloatType>(type))
    result = computeInteger(b, loc, &op, operands);
  if (!result) {
    Operation *clone = b.clone(op, map);
    clone->setLoc(loc);
    return clone->getResult(0);
  }
  map.map(op.getResult(0), result);
  return result;
}
