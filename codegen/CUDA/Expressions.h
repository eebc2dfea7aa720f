//===- Expressions.h - Values as C++ expressions ----------------*- C++ -*-===//
//
// Operators, casts, calls and constants, with as few parentheses as C++ allows.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_CODEGEN_CUDA_EXPRESSIONS_H
#define TILEC_CODEGEN_CUDA_EXPRESSIONS_H

#include "Inlining.h"
#include "Names.h"

#include <optional>
#include <set>
#include <string>
#include <utility>

namespace tilec {

/// How tightly an expression binds, loosest first (C++ operator precedence).
enum class Binding { Ternary, Or, And, BitOr, BitXor, BitAnd, Equality, Relation, Shift, Sum, Product, Unary, Primary };

struct Expression {
  std::string text;
  Binding binding = Binding::Primary;
};

/// What the expressions of a kernel need of the text around it.
struct TextNeeds {
  /// Functions, types and macros of the vocabulary.
  std::set<std::string> functions;
  bool infinity = false;
};

class ExpressionPrinter {
public:
  ExpressionPrinter(kernel::FuncOp function, const NameScopes &names, Inlining &inlining)
      : function(function), names(names), inlining(inlining) {}

  Expression print(mlir::Value value);
  Expression printDefinition(mlir::Operation *op);
  Expression printCall(kernel::VocabularyCall call);
  Expression printConstant(mlir::Attribute value);
  /// With parentheses, where it binds less than `least`.
  std::string operand(mlir::Value value, Binding least);
  std::string element(mlir::Value array, mlir::ValueRange indices);
  mlir::FailureOr<std::string> typeName(mlir::Type type, mlir::Location loc);

  /// Has something had no spelling?
  bool isBroken() const { return broken; }
  TextNeeds &getNeeds() { return needs; }
  /// The op that made the latest access to memory since the last call: in an expression it may stand beside what the
  /// access is used for.
  std::optional<NestPlace> takeAccessPlace() { return std::exchange(accessPlace, std::nullopt); }

private:
  Expression printArith(mlir::Operation *op);
  Expression printCast(mlir::Operation *op);
  Expression printCompare(mlir::Operation *op);
  Expression printTernary(mlir::scf::IfOp op);
  /// A value whose C++ type is exactly its own: a plain number is an int.
  Expression printExact(mlir::Value value);
  /// An integer op that wraps where its result does not fit.
  Expression wrapped(mlir::Operation *op, llvm::StringRef symbol, Binding binding);
  Expression shiftedUnsigned(mlir::Operation *op);
  Expression printExtremum(mlir::Operation *op, llvm::StringRef name);
  /// `expression`, which C++ computes in an int, as `type`.
  Expression asNarrow(mlir::Type type, Expression expression);
  Expression binary(mlir::Value lhs, llvm::StringRef symbol, mlir::Value rhs, Binding binding);
  Expression function2(llvm::StringRef name, mlir::ValueRange arguments);
  Expression unknown(mlir::Operation *op);

  kernel::FuncOp function;
  const NameScopes &names;
  Inlining &inlining;
  TextNeeds needs;
  bool broken = false;
  std::optional<NestPlace> accessPlace;
};

} // namespace tilec

#endif // TILEC_CODEGEN_CUDA_EXPRESSIONS_H
