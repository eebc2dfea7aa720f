//===- IndexExpr.h - Sums of index values with known facts -------*- C++ -*-===//
//
// What lowering knows about an address or coordinate: a sum of multiples of
// values, whose ranges and divisors are known, plus a constant. Alignment of
// wide accesses and the need for edge predicates are decided on it.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_CONVERSION_INDEXEXPR_H
#define TILEC_CONVERSION_INDEXEXPR_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "tilec/Tile/Access.h"
#include <optional>

namespace tilec {

/// What is known of an index value.
struct IndexFacts {
  int64_t divisor = 1;
  std::optional<int64_t> least, most;
  /// The value is below this extent, where that is a value too.
  mlir::Value below;
};

/// A sum of multiples of index values and a constant.
using IndexExpr = tile::LinearExpr;

IndexExpr constantIndex(int64_t value);
IndexExpr valueIndex(mlir::Value value, int64_t factor = 1);
IndexExpr operator+(IndexExpr lhs, const IndexExpr &rhs);
IndexExpr operator*(IndexExpr lhs, int64_t factor);

/// Emits index arithmetic, folding what is constant, and keeps the facts. A value is of type index, which kernels keep in
/// an int, where facts say that it and all that it is computed from fit one, else of i64.
class IndexBuilder {
public:
  explicit IndexBuilder(mlir::OpBuilder &builder) : builder(builder) {}

  void know(mlir::Value value, IndexFacts facts) { known[value] = facts; }
  IndexFacts factsOf(mlir::Value value) const { return known.lookup(value); }

  /// A number that divides the sum, as large as the facts allow; 0 for the sum 0.
  int64_t getDivisor(const IndexExpr &expr) const;
  std::optional<int64_t> getMost(const IndexExpr &expr) const;
  std::optional<int64_t> getLeast(const IndexExpr &expr) const;

  /// Is the sum, with all that it takes to add it up, known to fit an int?
  bool fitsInt(const IndexExpr &expr) const;
  /// The same value of type i64.
  mlir::Value widen(mlir::Location loc, mlir::Value value);
  /// Both of one type: i64 where either is.
  std::pair<mlir::Value, mlir::Value> unify(mlir::Location loc, mlir::Value lhs, mlir::Value rhs);
  /// A value that is known to fit an int, as one.
  mlir::Value narrow(mlir::Location loc, mlir::Value value);
  mlir::Value compare(mlir::Location loc, mlir::arith::CmpIPredicate predicate, mlir::Value lhs, mlir::Value rhs);
  mlir::Value constant(mlir::Location loc, int64_t value);
  mlir::Value materialize(mlir::Location loc, const IndexExpr &expr);
  /// value / divisor, value % divisor; the facts of the result are kept.
  mlir::Value div(mlir::Location loc, mlir::Value value, int64_t divisor);
  mlir::Value rem(mlir::Location loc, mlir::Value value, int64_t divisor);
  mlir::Value mul(mlir::Location loc, mlir::Value value, int64_t factor);

  /// Is x < 0, x >= extent possible?
  bool mayBeNegative(const IndexExpr &x) const { return getLeast(x).value_or(-1) < 0; }
  bool mayReach(const IndexExpr &x, mlir::OpFoldResult extent) const;
  /// `expr` is inside of 0 <= x < extent, as a condition; null where it always is.
  mlir::Value isInside(mlir::Location loc, const IndexExpr &expr, mlir::OpFoldResult extent);
  /// lhs && rhs, either of which may be null.
  mlir::Value both(mlir::Location loc, mlir::Value lhs, mlir::Value rhs);

private:
  mlir::OpBuilder &builder;
  llvm::DenseMap<mlir::Value, IndexFacts> known;
  /// Values that are a multiple of another.
  llvm::DenseMap<mlir::Value, std::pair<mlir::Value, int64_t>> products;
};

/// The constant that an extent is, if it is one.
std::optional<int64_t> getStatic(mlir::OpFoldResult extent);

} // namespace tilec

#endif // TILEC_CONVERSION_INDEXEXPR_H
