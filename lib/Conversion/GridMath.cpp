//===- GridMath.cpp - Orders of tiles over values of the kernel --*- C++ -*-===//

#include "GridMath.h"

#include "IndexExpr.h"
#include "Names.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tilec;

Location GridMath::at(StringRef name) const { return name.empty() ? loc : named(loc, name); }

Value GridMath::constant(int64_t n) const { return index.constant(loc, n); }

Value GridMath::add(StringRef name, Value x, Value y) const { return arith::AddIOp::create(b, at(name), x, y); }

Value GridMath::sub(StringRef name, Value x, Value y) const { return arith::SubIOp::create(b, at(name), x, y); }

Value GridMath::mul(StringRef name, Value x, Value y) const { return arith::MulIOp::create(b, at(name), x, y); }

Value GridMath::div(StringRef name, Value x, Value y) const { return arith::DivSIOp::create(b, at(name), x, y); }

Value GridMath::rem(StringRef name, Value x, Value y) const { return arith::RemSIOp::create(b, at(name), x, y); }

Value GridMath::min(StringRef name, Value x, Value y) const { return arith::MinSIOp::create(b, at(name), x, y); }

bool GridMath::isMultiple(Value x, int64_t n) const {
  std::optional<int64_t> fixed = getStatic(x);
  return fixed && *fixed % n == 0;
}

bool GridMath::fits(Value x, int64_t n) const {
  std::optional<int64_t> most = getStatic(x);
  if (!most)
    most = index.factsOf(x).most;
  return most && *most <= std::numeric_limits<int32_t>::max() / n;
}
