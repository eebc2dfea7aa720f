//===- IntMath.h - Arithmetic on int, and on 64 bits ---------------*- C++ -*-===//

#ifndef TILEC_CONVERSION_INTMATH_H
#define TILEC_CONVERSION_INTMATH_H

#include "Names.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace tilec {

/// Emits arithmetic at one location; results have a name or none. Values are ints and, where a product may not fit, of 64 bits.
struct IntMath {
  using Value = mlir::Value;
  using StringRef = llvm::StringRef;

  mlir::OpBuilder &b;
  mlir::Location loc;

  mlir::Location at(StringRef name) const { return name.empty() ? loc : named(loc, name); }
  Value add(Value x, Value y, StringRef name = {}) { return mlir::arith::AddIOp::create(b, at(name), x, y); }
  Value sub(Value x, Value y, StringRef name = {}) { return mlir::arith::SubIOp::create(b, at(name), x, y); }
  Value mul(Value x, Value y, StringRef name = {}) { return mlir::arith::MulIOp::create(b, at(name), x, y); }
  Value div(Value x, Value y, StringRef name = {}) { return mlir::arith::DivSIOp::create(b, at(name), x, y); }
  Value rem(Value x, Value y, StringRef name = {}) { return mlir::arith::RemSIOp::create(b, at(name), x, y); }
  Value min(Value x, Value y, StringRef name = {}) { return mlir::arith::MinSIOp::create(b, at(name), x, y); }
  Value max(Value x, Value y, StringRef name = {}) { return mlir::arith::MaxSIOp::create(b, at(name), x, y); }
  Value compare(mlir::arith::CmpIPredicate predicate, Value x, Value y, StringRef name = {}) {
    return mlir::arith::CmpIOp::create(b, at(name), predicate, x, y);
  }
  Value less(Value x, Value y, StringRef name = {}) { return compare(mlir::arith::CmpIPredicate::slt, x, y, name); }
  Value equal(Value x, Value y, StringRef name = {}) { return compare(mlir::arith::CmpIPredicate::eq, x, y, name); }
  Value select(Value condition, Value x, Value y, StringRef name = {}) {
    return mlir::arith::SelectOp::create(b, at(name), condition, x, y);
  }
  Value wide(Value x) { return mlir::arith::IndexCastOp::create(b, loc, b.getI64Type(), x); }
  Value narrow(Value x, StringRef name = {}) { return mlir::arith::IndexCastOp::create(b, at(name), b.getIndexType(), x); }
  Value trunc(Value x) { return mlir::arith::TruncIOp::create(b, loc, b.getI32Type(), x); }
  Value number(int64_t x) { return mlir::arith::ConstantIndexOp::create(b, loc, x); }
  Value wideNumber(int64_t x) { return mlir::arith::ConstantIntOp::create(b, loc, x, 64); }
};

} // namespace tilec

#endif // TILEC_CONVERSION_INTMATH_H
