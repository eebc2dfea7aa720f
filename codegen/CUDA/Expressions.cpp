//===- Expressions.cpp - Values as C++ expressions --------------*- C++ -*-===//
//
// See Expressions.h.
//
//===----------------------------------------------------------------------===//

#include "Expressions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilec;

FailureOr<std::string> ExpressionPrinter::typeName(Type type, Location loc) {
  if (type.isIndex() || type.isInteger(32))
    return std::string("int");
  if (type.isInteger(64))
    return std::string("long long");
  if (type.isInteger(1))
    return std::string("bool");
  if (type.isInteger(16))
    return std::string("short");
  if (type.isInteger(8))
    return std::string("signed char");
  if (type.isF32())
    return std::string("float");
  if (type.isF64())
    return std::string("double");
  if (isa<Float16Type, BFloat16Type, Float8E4M3FNType, Float8E5M2Type>(type)) {
    StringRef name = type.isF16() ? "Half" : type.isBF16() ? "BFloat" : isa<Float8E4M3FNType>(type) ? "E4M3" : "E5M2";
    needs.functions.insert(name.str());
    return name.str();
  }
  broken = true;
  emitError(loc) << "type " << type << " has no spelling in CUDA C++";
  return failure();
}

Expression ExpressionPrinter::unknown(Operation *op) {
  broken = true;
  op->emitError() << "'" << op->getName() << "' has no spelling in CUDA C++";
  return {"/* no spelling */", Binding::Primary};
}

std::string ExpressionPrinter::operand(Value value, Binding least) {
  Expression expression = print(value);
  return expression.binding < least ? "(" + expression.text + ")" : expression.text;
}

Expression ExpressionPrinter::print(Value value) {
  if (names.isNamed(value))
    return {names.lookup(value).str(), Binding::Primary};
  Operation *op = value.getDefiningOp();
  Attribute constant;
  if (matchPattern(value, m_Constant(&constant)))
    return printConstant(constant);
  return printDefinition(op);
}

std::string ExpressionPrinter::element(Value array, ValueRange indices) {
  std::string text = operand(array, Binding::Primary);
  for (Value i : indices)
    text += "[" + print(i).text + "]";
  return text;
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

Expression ExpressionPrinter::printConstant(Attribute constant) {
  if (auto integer = dyn_cast<IntegerAttr>(constant)) {
    if (integer.getType().isInteger(1))
      return {integer.getValue().isZero() ? "false" : "true", Binding::Primary};
    int64_t value = integer.getValue().getSExtValue();
    bool wide = !llvm::isInt<32>(value);
    const char *suffix = wide ? "LL" : "";
    // A literal has no sign, and that of the least number would be of a wider type.
    if (value == (wide ? std::numeric_limits<int64_t>::min() : std::numeric_limits<int32_t>::min()))
      return {"(" + std::to_string(value + 1) + suffix + " - 1)", Binding::Primary};
    return {std::to_string(value) + suffix, value < 0 ? Binding::Unary : Binding::Primary};
  }
  auto floating = cast<FloatAttr>(constant);
  APFloat value = floating.getValue();
  if (floating.getType().getIntOrFloatBitWidth() <= 16)
    return {*typeName(floating.getType(), function.getLoc()) + "{0x" + llvm::utohexstr(value.bitcastToAPInt().getZExtValue(), /*LowerCase=*/true) + "}",
            Binding::Primary};
  bool single = floating.getType().isF32();
  Binding binding = value.isNegative() ? Binding::Unary : Binding::Primary;
  if (value.isInfinity()) {
    needs.infinity = true;
    std::string text = single ? "INFINITY" : "(double)INFINITY";
    return {(value.isNegative() ? "-" : "") + text, Binding::Unary};
  }
  if (value.isNaN()) {
    needs.infinity = true;
    return {single ? "(INFINITY - INFINITY)" : "(double)(INFINITY - INFINITY)", Binding::Unary};
  }
  // Digits that read back as the same number.
  SmallString<32> digits;
  value.toString(digits, single ? 9 : 17, /*FormatMaxPadding=*/6);
  std::string text = digits.str().str();
  if (text.find_first_of(".eE") == std::string::npos)
    text += ".0";
  return {single ? text + "f" : text, binding};
}

Expression ExpressionPrinter::printExact(Value value) {
  Expression plain = print(value);
  bool isInt = value.getType().isInteger(32) || value.getType().isInteger(1) || !value.getType().isInteger();
  if (isInt || !matchPattern(value, m_Constant()))
    return plain;
  if (value.getType().isInteger(64) && StringRef(plain.text).ends_with("L"))
    return plain;
  return {"(" + *typeName(value.getType(), value.getLoc()) + ")" + (plain.binding < Binding::Unary ? "(" + plain.text + ")" : plain.text),
          Binding::Unary};
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

/// Does C++ compute with `type` in an int?
static bool isNarrow(Type type) { return type.isInteger(8) || type.isInteger(16); }

/// The unsigned type that C++ computes with where signed integers of `type` may not fit.
static StringRef getUnsigned(Type type) { return type.isInteger(64) ? "unsigned long long" : "unsigned"; }

/// -x, and not --x where x is negative itself.
static Expression negated(const std::string &text) {
  return {StringRef(text).starts_with("-") ? "-(" + text + ")" : "-" + text, Binding::Unary};
}

Expression ExpressionPrinter::asNarrow(Type type, Expression expression) {
  if (!isNarrow(type))
    return expression;
  std::string text = expression.binding < Binding::Unary ? "(" + expression.text + ")" : expression.text;
  return {"(" + *typeName(type, function.getLoc()) + ")" + text, Binding::Unary};
}

Expression ExpressionPrinter::wrapped(Operation *op, StringRef symbol, Binding binding) {
  Type type = op->getResult(0).getType();
  Value lhs = op->getOperand(0), rhs = op->getOperand(1);
  if (isNarrow(type)) // Of 16 bits everything fits an int.
    return asNarrow(type, symbol == "<<" ? Expression{"(unsigned)" + operand(lhs, Binding::Unary) + " << " + operand(rhs, Binding::Sum), Binding::Shift}
                                         : binary(lhs, symbol, rhs, binding));
  Binding tighter = static_cast<Binding>(static_cast<int>(binding) + 1);
  return {"(" + *typeName(type, op->getLoc()) + ")((" + getUnsigned(type).str() + ")" + operand(lhs, Binding::Unary) + " " + symbol.str() + " " +
              operand(rhs, tighter) + ")",
          Binding::Unary};
}

/// Zeros come from above. Canonicalization makes such shifts of signed ones whose upper bits are cut off.
Expression ExpressionPrinter::shiftedUnsigned(Operation *op) {
  Type type = op->getResult(0).getType();
  std::string from = type.isInteger(8) ? "unsigned char" : type.isInteger(16) ? "unsigned short" : getUnsigned(type).str();
  return {"(" + *typeName(type, op->getLoc()) + ")((" + from + ")" + operand(op->getOperand(0), Binding::Unary) + " >> " +
              operand(op->getOperand(1), Binding::Sum) + ")",
          Binding::Unary};
}

Expression ExpressionPrinter::printExtremum(Operation *op, StringRef name) {
  std::string text = name.str() + "(" + printExact(op->getOperand(0)).text + ", " + printExact(op->getOperand(1)).text + ")";
  return asNarrow(op->getResult(0).getType(), {text, Binding::Primary});
}

Expression ExpressionPrinter::binary(Value lhs, StringRef symbol, Value rhs, Binding binding) {
  // All are left-associative: the right side binds tighter, or has parentheses.
  Binding tighter = static_cast<Binding>(static_cast<int>(binding) + 1);
  bool regroups = (symbol == "&&" || symbol == "||") ; // Short-circuit chains read without.
  return {operand(lhs, binding) + " " + symbol.str() + " " + operand(rhs, regroups ? binding : tighter), binding};
}

Expression ExpressionPrinter::function2(StringRef name, ValueRange arguments) {
  std::string text = name.str() + "(";
  llvm::interleave(arguments, [&](Value v) { text += print(v).text; }, [&] { text += ", "; });
  return {text + ")", Binding::Primary};
}

/// A cast to 64 bits that C++ makes by itself: the other side of the operator is 64 bits wide already.
static bool isImplicitCast(Value value, Value other) {
  auto isCast = [](Value v) { return v.getDefiningOp<arith::IndexCastOp>() || v.getDefiningOp<arith::ExtSIOp>(); };
  return isCast(value) && !isCast(other) && !matchPattern(other, m_Constant());
}

Expression ExpressionPrinter::printArith(Operation *op) {
  Value lhs = op->getOperand(0), rhs = op->getNumOperands() > 1 ? op->getOperand(1) : Value();
  Type type = op->getResult(0).getType();
  bool truth = type.isInteger(1);
  auto overflow = dyn_cast<arith::ArithIntegerOverflowFlagsInterface>(op);
  bool wraps = overflow && type.isInteger() && !overflow.hasNoSignedWrap();
  auto symbol = [&](StringRef text, Binding binding) -> Expression {
    for (Value *side : {&lhs, &rhs})
      if (isImplicitCast(*side, side == &lhs ? rhs : lhs) && inlining.isInlined(*side) && type.isInteger(64))
        *side = side->getDefiningOp()->getOperand(0);
    return asNarrow(type, binary(lhs, text, rhs, binding));
  };
  return llvm::TypeSwitch<Operation *, Expression>(op)
      .Case<arith::AddIOp, arith::AddFOp>([&](auto) { return wraps ? wrapped(op, "+", Binding::Sum) : symbol("+", Binding::Sum); })
      .Case<arith::SubIOp, arith::SubFOp>([&](auto) -> Expression {
        if (wraps)
          return wrapped(op, "-", Binding::Sum);
        return matchPattern(lhs, m_Zero()) ? negated(operand(rhs, Binding::Unary)) : symbol("-", Binding::Sum);
      })
      .Case<arith::MulIOp, arith::MulFOp>([&](auto) { return wraps ? wrapped(op, "*", Binding::Product) : symbol("*", Binding::Product); })
      .Case<arith::DivSIOp, arith::DivFOp>([&](auto) { return symbol("/", Binding::Product); })
      .Case<arith::RemSIOp>([&](auto) { return symbol("%", Binding::Product); })
      .Case<arith::AndIOp>([&](auto) { return truth ? symbol("&&", Binding::And) : symbol("&", Binding::BitAnd); })
      .Case<arith::OrIOp>([&](auto) { return truth ? symbol("||", Binding::Or) : symbol("|", Binding::BitOr); })
      .Case<arith::XOrIOp>([&](auto) -> Expression {
        if (truth && matchPattern(rhs, m_One()))
          return {"!" + operand(lhs, Binding::Unary), Binding::Unary};
        return truth ? symbol("!=", Binding::Equality) : symbol("^", Binding::BitXor);
      })
      .Case<arith::ShLIOp>([&](auto) { return wraps ? wrapped(op, "<<", Binding::Shift) : symbol("<<", Binding::Shift); })
      .Case<arith::ShRSIOp>([&](auto) { return symbol(">>", Binding::Shift); })
      .Case<arith::ShRUIOp>([&](auto) { return shiftedUnsigned(op); })
      .Case<arith::NegFOp>([&](auto) { return negated(operand(lhs, Binding::Unary)); })
      .Case<arith::RemFOp>([&](auto) { return function2(type.isF32() ? "fmodf" : "fmod", op->getOperands()); })
      .Case<arith::MinSIOp>([&](auto) { return printExtremum(op, "min"); })
      .Case<arith::MaxSIOp>([&](auto) { return printExtremum(op, "max"); })
      .Case<arith::MaxNumFOp>([&](auto) { return function2(lhs.getType().isF32() ? "fmaxf" : "fmax", op->getOperands()); })
      .Case<arith::MinNumFOp>([&](auto) { return function2(lhs.getType().isF32() ? "fminf" : "fmin", op->getOperands()); })
      .Case<arith::SelectOp>([&](arith::SelectOp select) -> Expression {
        // Of two constants of 64 bits one says so, or the whole is an int.
        bool bothConstant = type.isInteger(64) && matchPattern(select.getTrueValue(), m_Constant()) && matchPattern(select.getFalseValue(), m_Constant());
        std::string first = bothConstant ? printExact(select.getTrueValue()).text : operand(select.getTrueValue(), Binding::Ternary);
        return asNarrow(type, {operand(select.getCondition(), Binding::Or) + " ? " + first + " : " + operand(select.getFalseValue(), Binding::Ternary),
                               Binding::Ternary});
      })
      .Default([&](Operation *) { return unknown(op); });
}

Expression ExpressionPrinter::printCompare(Operation *op) {
  Value lhs = op->getOperand(0), rhs = op->getOperand(1);
  if (auto integers = dyn_cast<arith::CmpIOp>(op)) {
    using P = arith::CmpIPredicate;
    // Sign-extended numbers have the order of those of fewer bits.
    auto asUnsigned = [&](StringRef symbol) -> Expression {
      return {"(" + getUnsigned(lhs.getType()).str() + ")" + operand(lhs, Binding::Unary) + " " + symbol.str() + " (" +
                  getUnsigned(lhs.getType()).str() + ")" + operand(rhs, Binding::Unary),
              Binding::Relation};
    };
    switch (integers.getPredicate()) {
    case P::eq: return binary(lhs, "==", rhs, Binding::Equality);
    case P::ne: return binary(lhs, "!=", rhs, Binding::Equality);
    case P::slt: return binary(lhs, "<", rhs, Binding::Relation);
    case P::sle: return binary(lhs, "<=", rhs, Binding::Relation);
    case P::sgt: return binary(lhs, ">", rhs, Binding::Relation);
    case P::sge: return binary(lhs, ">=", rhs, Binding::Relation);
    case P::ult: return asUnsigned("<");
    case P::ule: return asUnsigned("<=");
    case P::ugt: return asUnsigned(">");
    case P::uge: return asUnsigned(">=");
    }
  }
  using P = arith::CmpFPredicate;
  auto negated = [&](StringRef symbol, Binding binding) -> Expression {
    return {"!(" + binary(lhs, symbol, rhs, binding).text + ")", Binding::Unary};
  };
  switch (cast<arith::CmpFOp>(op).getPredicate()) {
  case P::OEQ: return binary(lhs, "==", rhs, Binding::Equality);
  case P::UNE: return binary(lhs, "!=", rhs, Binding::Equality);
  case P::OLT: return binary(lhs, "<", rhs, Binding::Relation);
  case P::OLE: return binary(lhs, "<=", rhs, Binding::Relation);
  case P::OGT: return binary(lhs, ">", rhs, Binding::Relation);
  case P::OGE: return binary(lhs, ">=", rhs, Binding::Relation);
  case P::ULT: return negated(">=", Binding::Relation);
  case P::ULE: return negated(">", Binding::Relation);
  case P::UGT: return negated("<=", Binding::Relation);
  case P::UGE: return negated("<", Binding::Relation);
  default: return unknown(op);
  }
}

Expression ExpressionPrinter::printCast(Operation *op) {
  FailureOr<std::string> type = typeName(op->getResult(0).getType(), op->getLoc());
  if (failed(type))
    return unknown(op);
  std::string text = operand(op->getOperand(0), Binding::Unary);
  if (isa<arith::ExtUIOp, arith::UIToFPOp>(op) && !op->getOperand(0).getType().isInteger(1)) {
    FailureOr<std::string> from = typeName(op->getOperand(0).getType(), op->getLoc());
    text = "(unsigned " + (*from == "signed char" ? "char" : *from) + ")" + text;
  }
  return {"(" + *type + ")" + text, Binding::Unary};
}

/// The C library's name of an elementwise function, without the suffix of its type.
static StringRef getMathName(Operation *op) {
  return llvm::TypeSwitch<Operation *, StringRef>(op)
      .Case<math::ExpOp>([](auto) { return "exp"; })
      .Case<math::ExpM1Op>([](auto) { return "expm1"; })
      .Case<math::Log1pOp>([](auto) { return "log1p"; })
      .Case<math::RoundOp>([](auto) { return "round"; })
      .Case<math::RoundEvenOp>([](auto) { return "rint"; })
      .Case<math::RsqrtOp>([](auto) { return "rsqrt"; })
      .Case<math::TruncOp>([](auto) { return "trunc"; })
      .Case<math::Exp2Op>([](auto) { return "exp2"; })
      .Case<math::LogOp>([](auto) { return "log"; })
      .Case<math::Log2Op>([](auto) { return "log2"; })
      .Case<math::SqrtOp>([](auto) { return "sqrt"; })
      .Case<math::TanhOp>([](auto) { return "tanh"; })
      .Case<math::ErfOp>([](auto) { return "erf"; })
      .Case<math::SinOp>([](auto) { return "sin"; })
      .Case<math::CosOp>([](auto) { return "cos"; })
      .Case<math::AbsFOp>([](auto) { return "fabs"; })
      .Case<math::FloorOp>([](auto) { return "floor"; })
      .Case<math::CeilOp>([](auto) { return "ceil"; })
      .Case<math::PowFOp>([](auto) { return "pow"; })
      .Case<math::FmaOp>([](auto) { return "fma"; })
      .Default([](Operation *) { return ""; });
}

//===----------------------------------------------------------------------===//
// Calls and the rest
//===----------------------------------------------------------------------===//

Expression ExpressionPrinter::printCall(kernel::VocabularyCall call) {
  if (!isMemoryEffectFree(call))
    accessPlace = getPlace(call->getLoc());
  needs.functions.insert(call.getCallee().str());
  for (Type type : call->getResultTypes()) // Its type is declared in front of the function.
    (void)typeName(type, call->getLoc());
  std::string text = call.getCallee().str();
  SmallVector<int64_t> arguments = call.getTemplateArguments();
  if (!arguments.empty())
    text += "<" + llvm::join(llvm::map_range(arguments, [](int64_t x) { return std::to_string(x); }), ", ") + ">";
  text += "(";
  ValueRange operands = call->getOperands();
  for (unsigned i = 0; i < operands.size(); ++i) {
    if (i != 0)
      text += ", ";
    auto memref = dyn_cast<MemRefType>(operands[i].getType());
    if (!memref) {
      text += (isa<kernel::TensorMapType>(operands[i].getType()) ? "&" : "") + printExact(operands[i]).text;
      continue;
    }
    unsigned count = call.countIndices(operands[i]);
    ValueRange indices = operands.slice(i + 1, count);
    bool asNumber = call.takesElementNumber(operands[i]);
    if (asNumber && indices.size() == 1)
      text += print(operands[i]).text + ", " + print(indices.front()).text;
    else
      text += (count < memref.getRank() ? "" : "&") + element(operands[i], indices) + (asNumber ? ", 0" : "");
    i += count;
  }
  return {text + ")", Binding::Primary};
}

Expression ExpressionPrinter::printTernary(scf::IfOp op) {
  auto branch = [&](Block *block) {
    Expression value = printExact(cast<scf::YieldOp>(block->getTerminator()).getOperand(0));
    return value.binding < Binding::Ternary ? "(" + value.text + ")" : value.text;
  };
  return {operand(op.getCondition(), Binding::Or) + " ? " + branch(op.thenBlock()) + " : " + branch(op.elseBlock()),
          Binding::Ternary};
}

Expression ExpressionPrinter::printDefinition(Operation *op) {
  if (auto call = dyn_cast<kernel::VocabularyCall>(op))
    return printCall(call);
  if (auto load = dyn_cast<memref::LoadOp>(op))
    return {element(load.getMemRef(), load.getIndices()), Binding::Primary};
  if (auto condition = dyn_cast<scf::IfOp>(op))
    return printTernary(condition);
  if (isa<arith::CmpIOp, arith::CmpFOp>(op))
    return printCompare(op);
  if (isa<arith::IndexCastOp, arith::ExtSIOp, arith::ExtFOp, arith::TruncIOp, arith::TruncFOp, arith::SIToFPOp,
          arith::ExtUIOp, arith::UIToFPOp>(op))
    return printCast(op);
  if (StringRef name = getMathName(op); !name.empty())
    return function2((name + (op->getResult(0).getType().isF32() ? "f" : "")).str(), op->getOperands());
  if (isa_and_present<arith::ArithDialect>(op->getDialect()))
    return printArith(op);
  return unknown(op);
}
