//===- Rounding.cpp - Error bounds of single operations ---------*- C++ -*-===//
//
// A function of an argument that is known up to an error lies between its values
// at both ends where it is monotone, and off by at most its slope elsewhere.
//
//===----------------------------------------------------------------------===//

#include "Rounding.h"

#include "mlir/IR/BuiltinTypes.h"

#include <cstring>

using namespace mlir;
using namespace tilec::reference;

//===----------------------------------------------------------------------===//
// Numbers and their types
//===----------------------------------------------------------------------===//

/// The largest power of two that a finite `value` is a multiple of, 0 where that is no normal number.
static double getUnit(double value) {
  uint64_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  uint64_t exponent = bits >> 52 & 0x7ff, fraction = bits & ((uint64_t(1) << 52) - 1);
  if (exponent == 0)
    return 0;
  uint64_t zeros = llvm::countr_zero(fraction | uint64_t(1) << 52);
  if (exponent + zeros <= 52)
    return 0;
  uint64_t unitBits = (exponent + zeros - 52) << 52;
  double unit;
  std::memcpy(&unit, &unitBits, sizeof(unit));
  return unit;
}

ErrorBound ErrorBound::exact(double value) {
  if (value == 0 || !std::isfinite(value))
    return {0, 0, 0, std::numeric_limits<double>::infinity()};
  return {0, std::fabs(value), 0, getUnit(value)};
}

Format Format::of(Type type) {
  auto real = dyn_cast<FloatType>(type);
  if (!real)
    return Format();
  const llvm::fltSemantics &semantics = real.getFloatSemantics();
  int digits = static_cast<int>(llvm::APFloat::semanticsPrecision(semantics));
  int most = llvm::APFloat::semanticsMaxExponent(semantics), least = llvm::APFloat::semanticsMinExponent(semantics);
  Format format;
  // The evaluator's own roundings, in double precision, are of one size with those of f64.
  format.roundoff = std::ldexp(1.0, -digits) + std::ldexp(1.0, -53);
  format.smallest = std::max(std::ldexp(1.0, least - digits), std::numeric_limits<double>::denorm_min());
  format.integers = std::ldexp(1.0, std::min(digits, 53));
  format.largest = std::ldexp(2.0 - std::ldexp(1.0, 1 - std::min(digits, 53)), std::min(most, 1023));
  return format;
}

/// Is `value` a number of the type?
static bool fits(double value, const Format &format) {
  if (value == 0 || !std::isfinite(value))
    return true;
  double size = std::fabs(value);
  return size <= format.largest && size <= format.integers * getUnit(value) && getUnit(value) >= 2 * format.smallest;
}

/// A unit in the last place of a number of the size of `value`, which is neither 0 nor infinite.
static double getLastPlace(double value, const Format &format) {
  return std::max(std::ldexp(2.0, std::ilogb(value)) / format.integers, 2 * format.smallest);
}

double tilec::reference::chopTo(double value, const Format &format) {
  if (value == 0 || !std::isfinite(value))
    return value;
  double unit = getLastPlace(value, format);
  return std::copysign(std::trunc(value / unit) * unit, value);
}

double tilec::reference::roundTo(double value, const Format &format) {
  constexpr double kNarrow = 2048; // Whole numbers of f16.
  if (format.integers > kNarrow || value == 0 || !std::isfinite(value))
    return value;
  double unit = getLastPlace(value, format);
  double rounded = std::nearbyint(value / unit) * unit;
  return std::fabs(rounded) > format.largest ? std::copysign(INFINITY, value) : std::copysign(rounded, value);
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// Units in the last place that a function may be off by: the largest of f32 and f64 in the tables of the CUDA C++
/// Programming Guide, "Mathematical Functions". The C library of the emulator is within 1.
static double getUlps(Opcode opcode) {
  switch (opcode) {
  case Opcode::DivF:
  case Opcode::Sqrt: return 0.5;
  case Opcode::PowF: return 8;
  case Opcode::Log:
  case Opcode::Log2:
  case Opcode::Log1P:
  case Opcode::ExpM1: return 1;
  default: return 2;
  }
}

/// The bound of a result that is `error` off before it is rounded.
static ErrorBound round(double value, double error, double ulps, const Format &format) {
  double size = std::fabs(value);
  error += 2 * ulps * format.roundoff * (size + error) + format.smallest;
  // False for NaN too.
  return size + error <= format.largest ? ErrorBound{error, size, 0, 0} : ErrorBound::unknown();
}

/// What is `error` off, and no longer a sum.
static ErrorBound collapse(double value, double error) {
  return error == 0 ? ErrorBound::exact(value) : ErrorBound{error, std::fabs(value), 0, 0};
}

/// What a function that is monotone between x - error and x + error may be off by.
template <typename Function>
static double spread(Function function, double x, double error, double value) {
  if (error == 0)
    return 0;
  double above = std::fabs(function(x + error) - value), below = std::fabs(function(x - error) - value);
  return std::isnan(above) || std::isnan(below) ? INFINITY : std::max(above, below);
}

static double spreadOf(Opcode opcode, double x, double error, double value) {
  auto spreadAs = [&](auto function) { return spread(function, x, error, value); };
  switch (opcode) {
  case Opcode::Exp: return spreadAs([](double v) { return std::exp(v); });
  case Opcode::Exp2: return spreadAs([](double v) { return std::exp2(v); });
  case Opcode::ExpM1: return spreadAs([](double v) { return std::expm1(v); });
  case Opcode::Log: return spreadAs([](double v) { return std::log(v); });
  case Opcode::Log2: return spreadAs([](double v) { return std::log2(v); });
  case Opcode::Log1P: return spreadAs([](double v) { return std::log1p(v); });
  case Opcode::Sqrt: return spreadAs([](double v) { return std::sqrt(v); });
  case Opcode::Rsqrt: return spreadAs([](double v) { return 1 / std::sqrt(v); });
  case Opcode::Tanh: return spreadAs([](double v) { return std::tanh(v); });
  case Opcode::Erf: return spreadAs([](double v) { return std::erf(v); });
  case Opcode::Floor: return spreadAs([](double v) { return std::floor(v); });
  case Opcode::Ceil: return spreadAs([](double v) { return std::ceil(v); });
  case Opcode::Round: return spreadAs([](double v) { return std::round(v); });
  case Opcode::RoundEven: return spreadAs([](double v) { return std::nearbyint(v); });
  case Opcode::Trunc: return spreadAs([](double v) { return std::trunc(v); });
  case Opcode::Sin:
  case Opcode::Cos: return std::min(error, 2.0);
  default: return INFINITY;
  }
}

static ErrorBound boundOfFunction(const Instruction &i, double x, double error, double value) {
  if (!std::isfinite(error))
    return ErrorBound::unknown();
  double off = spreadOf(i.opcode, x, error, value);
  bool isWhole = llvm::is_contained({Opcode::Floor, Opcode::Ceil, Opcode::Round, Opcode::RoundEven, Opcode::Trunc}, i.opcode);
  // At infinity functions have their limits.
  if (isWhole || (error == 0 && !(std::isfinite(x) && std::isfinite(value))))
    return std::isfinite(off) ? collapse(value, off) : ErrorBound::unknown();
  // A root that is a number of the type is no rounded one.
  if (i.opcode == Opcode::Sqrt && error == 0 && std::fma(value, value, -x) == 0 && fits(value, i.format))
    return ErrorBound::exact(value);
  return round(value, off, getUlps(i.opcode), i.format);
}

static ErrorBound boundOfQuotient(double a, double errorA, double b, double errorB, double value, const Format &format) {
  if (!std::isfinite(errorA + errorB) || (errorB > 0 && std::fabs(b) <= errorB))
    return ErrorBound::unknown();
  if (!std::isfinite(value)) {
    bool certain = !(std::isfinite(a) && std::isfinite(b)) || (b == 0 && (errorA == 0 || std::fabs(a) > errorA));
    return certain ? ErrorBound::exact(value) : ErrorBound::unknown();
  }
  if (std::isinf(b))
    return ErrorBound::exact(value);
  if (errorA == 0 && errorB == 0 && std::fma(value, b, -a) == 0 && fits(value, format))
    return ErrorBound::exact(value);
  return round(value, (errorA + std::fabs(value) * errorB) / (std::fabs(b) - errorB), getUlps(Opcode::DivF), format);
}

static ErrorBound boundOfPower(double a, double errorA, double b, double errorB, double value, const Format &format) {
  double off = 0;
  if (errorA > 0 || errorB > 0) {
    // For a > 0 the extremes lie at the corners.
    if (!(a - errorA > 0) || !std::isfinite(errorB))
      return ErrorBound::unknown();
    for (double x : {a - errorA, a + errorA})
      for (double y : {b - errorB, b + errorB})
        off = std::max(off, std::fabs(std::pow(x, y) - value));
  } else if (!std::isfinite(value)) {
    return std::isfinite(a) && std::isfinite(b) && a != 0 ? ErrorBound::unknown() : ErrorBound::exact(value);
  }
  return round(value, off, getUlps(Opcode::PowF), format);
}

/// The greater of two numbers, or the lesser where `sign` is -1.
static ErrorBound boundOfExtremum(double a, double errorA, double b, double errorB, double value, double sign) {
  if (!std::isfinite(errorA + errorB))
    return ErrorBound::unknown();
  if (errorA == 0 && errorB == 0)
    return ErrorBound::exact(value);
  if (std::isnan(a) || std::isnan(b))
    return std::isnan(value) ? ErrorBound::exact(value) : collapse(value, std::isnan(a) ? errorB : errorA);
  auto farther = [&](double x, double y) { return sign * std::max(sign * x, sign * y); };
  double off = 0;
  for (double direction : {-1.0, 1.0})
    if (double end = farther(a + direction * errorA, b + direction * errorB); end != value)
      off = std::max(off, std::fabs(end - value));
  return collapse(value, off);
}

//===----------------------------------------------------------------------===//
// Choices and conversions
//===----------------------------------------------------------------------===//

/// Which way a comparison of numbers goes is known where the errors cannot change it.
static ErrorBound boundOfComparison(double a, double errorA, double b, double errorB) {
  double error = errorA + errorB;
  bool known = error == 0 || (std::isfinite(error) && (std::isnan(a) || std::isnan(b) || std::fabs(a - b) > error));
  return known ? ErrorBound() : ErrorBound::unknown();
}

static ErrorBound boundOfSelection(const Instruction &i, const Registers &registers, Cell result) {
  const std::vector<ErrorBound> &bounds = registers.bounds;
  const Cell &a = registers.cells[i.b], &b = registers.cells[i.c];
  if (bounds[i.a].error == 0)
    return bounds[registers.cells[i.a].whole ? i.b : i.c];
  if (i.opcode == Opcode::SelectI)
    return a.whole == b.whole && bounds[i.b].error == 0 && bounds[i.c].error == 0 ? ErrorBound() : ErrorBound::unknown();
  double off = std::max(std::fabs(a.real - result.real) + bounds[i.b].total(), std::fabs(b.real - result.real) + bounds[i.c].total());
  return std::isfinite(off) ? collapse(result.real, off) : ErrorBound::unknown();
}

ErrorBound tilec::reference::boundOf(const Instruction &i, const Registers &registers, Cell result) {
  const ErrorBound &boundA = registers.bounds[i.a], &boundB = registers.bounds[i.b];
  double a = registers.cells[i.a].real, b = registers.cells[i.b].real, value = result.real;
  switch (i.opcode) {
  case Opcode::NegF: return boundA;
  case Opcode::AbsF: return collapse(value, boundA.total());
  case Opcode::DivF: return boundOfQuotient(a, boundA.total(), b, boundB.total(), value, i.format);
  case Opcode::RemF: return boundA.total() == 0 && boundB.total() == 0 ? ErrorBound::exact(value) : ErrorBound::unknown();
  case Opcode::MaximumF:
  case Opcode::MaxNumF: return boundOfExtremum(a, boundA.total(), b, boundB.total(), value, 1);
  case Opcode::MinimumF:
  case Opcode::MinNumF: return boundOfExtremum(a, boundA.total(), b, boundB.total(), value, -1);
  case Opcode::PowF: return boundOfPower(a, boundA.total(), b, boundB.total(), value, i.format);
  case Opcode::ChopF: return boundA.total() == 0 ? ErrorBound::exact(value) : round(value, boundA.total(), 1, i.format);
  case Opcode::RoundF:
    if (boundA.total() == 0 && (fits(value, i.format) || std::isinf(value)))
      return ErrorBound::exact(value);
    // What is rounded here too may be off to the other side.
    return value == a ? round(value, boundA.total(), 0.5, i.format) : round(value, boundA.total() + i.format.smallest, 1, i.format);
  case Opcode::CmpF: return boundOfComparison(a, boundA.total(), b, boundB.total());
  case Opcode::SelectF:
  case Opcode::SelectI: return boundOfSelection(i, registers, result);
  case Opcode::SIToFP:
  case Opcode::UIToFP:
    if (boundA.error != 0)
      return ErrorBound::unknown();
    return fits(value, i.format) ? ErrorBound::exact(value) : round(value, 0, 0.5, i.format);
  case Opcode::FPToSI:
  case Opcode::FPToUI: {
    double error = boundA.total();
    return error == 0 || std::trunc(a - error) == std::trunc(a + error) ? ErrorBound() : ErrorBound::unknown();
  }
  default:
    return boundOfFunction(i, a, boundA.total(), value);
  }
}
