//===- Bytecode.cpp - Running scalar instructions ---------------*- C++ -*-===//
//
// One loop over instructions, with and without error bounds.
//
//===----------------------------------------------------------------------===//

#include "Bytecode.h"

#include "Rounding.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace mlir;
using namespace tilec::reference;

int64_t tilec::reference::wrapToWidth(int64_t value, unsigned width) {
  if (width == 1)
    return value & 1;
  return width >= 64 ? value : llvm::SignExtend64(static_cast<uint64_t>(value), width);
}

static uint64_t asUnsigned(int64_t value, unsigned width) {
  return static_cast<uint64_t>(value) & llvm::maskTrailingOnes<uint64_t>(width);
}

/// +0 is greater than -0. Where only one is a number: that one, or NaN where that is kept.
static double extremum(double a, double b, bool greater, bool keepNaN) {
  if (std::isnan(a) || std::isnan(b))
    return keepNaN ? NAN : std::isnan(a) ? b : a;
  bool first = a == b ? std::signbit(a) != greater : (a > b) == greater;
  return first ? a : b;
}

static bool compare(arith::CmpFPredicate predicate, double a, double b) {
  bool unordered = std::isnan(a) || std::isnan(b);
  switch (predicate) {
  case arith::CmpFPredicate::AlwaysFalse: return false;
  case arith::CmpFPredicate::OEQ: return a == b;
  case arith::CmpFPredicate::OGT: return a > b;
  case arith::CmpFPredicate::OGE: return a >= b;
  case arith::CmpFPredicate::OLT: return a < b;
  case arith::CmpFPredicate::OLE: return a <= b;
  case arith::CmpFPredicate::ONE: return !unordered && a != b;
  case arith::CmpFPredicate::ORD: return !unordered;
  case arith::CmpFPredicate::UEQ: return unordered || a == b;
  case arith::CmpFPredicate::UGT: return unordered || a > b;
  case arith::CmpFPredicate::UGE: return unordered || a >= b;
  case arith::CmpFPredicate::ULT: return unordered || a < b;
  case arith::CmpFPredicate::ULE: return unordered || a <= b;
  case arith::CmpFPredicate::UNE: return a != b;
  case arith::CmpFPredicate::UNO: return unordered;
  case arith::CmpFPredicate::AlwaysTrue: return true;
  }
  return false;
}

static bool compare(arith::CmpIPredicate predicate, int64_t a, int64_t b, unsigned width) {
  uint64_t ua = asUnsigned(a, width), ub = asUnsigned(b, width);
  // The sign of an i1 is its only bit.
  if (width == 1) {
    a = -a;
    b = -b;
  }
  switch (predicate) {
  case arith::CmpIPredicate::eq: return a == b;
  case arith::CmpIPredicate::ne: return a != b;
  case arith::CmpIPredicate::slt: return a < b;
  case arith::CmpIPredicate::sle: return a <= b;
  case arith::CmpIPredicate::sgt: return a > b;
  case arith::CmpIPredicate::sge: return a >= b;
  case arith::CmpIPredicate::ult: return ua < ub;
  case arith::CmpIPredicate::ule: return ua <= ub;
  case arith::CmpIPredicate::ugt: return ua > ub;
  case arith::CmpIPredicate::uge: return ua >= ub;
  }
  return false;
}

/// Integer operations of two arguments and conversions; false where the result is undefined.
static bool runInteger(const Instruction &instruction, Cell a, Cell b, Cell &result) {
  unsigned width = instruction.width;
  int64_t x = a.whole, y = b.whole;
  uint64_t ux = asUnsigned(x, width), uy = asUnsigned(y, width);
  auto wrapped = [&](uint64_t value) { result.whole = wrapToWidth(static_cast<int64_t>(value), width); };
  bool overflows = y == -1 && x == llvm::minIntN(width);
  switch (instruction.opcode) {
  case Opcode::AddI: wrapped(ux + uy); return true;
  case Opcode::SubI: wrapped(ux - uy); return true;
  case Opcode::MulI: wrapped(ux * uy); return true;
  case Opcode::DivSI:
    if (y == 0 || overflows)
      return false;
    wrapped(x / y);
    return true;
  case Opcode::DivUI:
    if (uy == 0)
      return false;
    wrapped(ux / uy);
    return true;
  case Opcode::RemSI:
    if (y == 0 || overflows)
      return false;
    wrapped(x % y);
    return true;
  case Opcode::RemUI:
    if (uy == 0)
      return false;
    wrapped(ux % uy);
    return true;
  case Opcode::MaxSI: wrapped(width == 1 ? x & y : std::max(x, y)); return true;
  case Opcode::MinSI: wrapped(width == 1 ? x | y : std::min(x, y)); return true;
  case Opcode::MaxUI: wrapped(std::max(ux, uy)); return true;
  case Opcode::MinUI: wrapped(std::min(ux, uy)); return true;
  case Opcode::AndI: wrapped(ux & uy); return true;
  case Opcode::OrI: wrapped(ux | uy); return true;
  case Opcode::XorI: wrapped(ux ^ uy); return true;
  case Opcode::ShlI:
  case Opcode::ShrSI:
  case Opcode::ShrUI:
    if (uy >= width)
      return false;
    if (instruction.opcode == Opcode::ShlI)
      wrapped(ux << uy);
    else
      wrapped(instruction.opcode == Opcode::ShrUI ? ux >> uy : static_cast<uint64_t>(x >> uy));
    return true;
  case Opcode::AbsI: wrapped(x < 0 ? 0 - ux : ux); return true;
  case Opcode::WrapI: result.whole = wrapToWidth(instruction.aux == 1 ? -x : x, width); return true;
  case Opcode::ZeroExtendI: wrapped(asUnsigned(x, instruction.aux)); return true;
  case Opcode::SIToFP: result.real = static_cast<double>(instruction.aux == 1 ? -x : x); return true;
  case Opcode::UIToFP: result.real = static_cast<double>(asUnsigned(x, instruction.aux)); return true;
  case Opcode::FPToSI:
  case Opcode::FPToUI: {
    bool isSigned = instruction.opcode == Opcode::FPToSI;
    double whole = std::trunc(a.real);
    double low = isSigned ? -std::ldexp(1.0, width - 1) : 0, high = std::ldexp(1.0, isSigned ? width - 1 : width);
    if (!(whole >= low && whole < high))
      return false;
    wrapped(isSigned ? static_cast<uint64_t>(static_cast<int64_t>(whole)) : static_cast<uint64_t>(whole));
    return true;
  }
  default:
    return false;
  }
}

/// What a floating-point operation gives that `execute` does not know itself.
static double computeReal(const Instruction &i, double a, double b) {
  switch (i.opcode) {
  case Opcode::DivF: return a / b;
  case Opcode::RemF: return std::fmod(a, b);
  case Opcode::NegF: return -a;
  case Opcode::AbsF: return std::fabs(a);
  case Opcode::MaximumF: return extremum(a, b, true, true);
  case Opcode::MinimumF: return extremum(a, b, false, true);
  case Opcode::MaxNumF: return extremum(a, b, true, false);
  case Opcode::MinNumF: return extremum(a, b, false, false);
  case Opcode::Exp: return std::exp(a);
  case Opcode::Exp2: return std::exp2(a);
  case Opcode::ExpM1: return std::expm1(a);
  case Opcode::Log: return std::log(a);
  case Opcode::Log2: return std::log2(a);
  case Opcode::Log1P: return std::log1p(a);
  case Opcode::Sqrt: return std::sqrt(a);
  case Opcode::Rsqrt: return 1 / std::sqrt(a);
  case Opcode::Tanh: return std::tanh(a);
  case Opcode::Sin: return std::sin(a);
  case Opcode::Cos: return std::cos(a);
  case Opcode::Erf: return std::erf(a);
  case Opcode::PowF: return std::pow(a, b);
  case Opcode::Floor: return std::floor(a);
  case Opcode::Ceil: return std::ceil(a);
  case Opcode::Round: return std::round(a);
  case Opcode::RoundEven: return std::nearbyint(a);
  case Opcode::Trunc: return std::trunc(a);
  case Opcode::ChopF: return chopTo(a, i.format);
  case Opcode::RoundF: return roundTo(a, i.format);
  default: llvm_unreachable("no operation on floating-point numbers");
  }
}

/// An integer operation, a comparison of integers, or a conversion between the two kinds.
template <bool kBounds>
static void executeWhole(const Instruction &i, Registers &registers) {
  Cell a = registers.cells[i.a], b = registers.cells[i.b], result = registers.cells[i.result];
  if (i.opcode == Opcode::CmpI)
    result.whole = compare(static_cast<arith::CmpIPredicate>(i.aux), a.whole, b.whole, i.width);
  else if (!runInteger(i, a, b, result) && !registers.failed)
    registers.failed = i.op;
  // Of integers everything is known, or nothing.
  if constexpr (kBounds) {
    std::vector<ErrorBound> &bounds = registers.bounds;
    bool converts = llvm::is_contained({Opcode::SIToFP, Opcode::UIToFP, Opcode::FPToSI, Opcode::FPToUI}, i.opcode);
    bounds[i.result] = converts                                             ? boundOf(i, registers, result)
                       : bounds[i.a].error != 0 || bounds[i.b].error != 0 ? ErrorBound::unknown()
                                                                            : ErrorBound();
  }
  registers.cells[i.result] = result;
}

template <bool kBounds>
static void execute(const Code &code, Registers &registers) {
  Cell *cells = registers.cells.data();
  ErrorBound *bounds = registers.bounds.data();
  for (const Instruction &i : code) {
    Cell a = cells[i.a], b = cells[i.b], result;
    switch (i.opcode) {
    case Opcode::AddF:
      result.real = a.real + b.real;
      if constexpr (kBounds)
        bounds[i.result] = addBound(a.real, bounds[i.a], b.real, bounds[i.b], result.real, i.format);
      cells[i.result] = result;
      continue;
    case Opcode::SubF:
      result.real = a.real - b.real;
      if constexpr (kBounds)
        bounds[i.result] = addBound(a.real, bounds[i.a], -b.real, bounds[i.b], result.real, i.format);
      cells[i.result] = result;
      continue;
    case Opcode::MulF:
      result.real = a.real * b.real;
      if constexpr (kBounds)
        bounds[i.result] = multiplyBound(a.real, bounds[i.a], b.real, bounds[i.b], result.real, i.format);
      cells[i.result] = result;
      continue;
    case Opcode::FmaF: {
      double product = a.real * b.real;
      result.real = product + cells[i.c].real;
      if constexpr (kBounds) {
        ErrorBound bound = multiplyBound(a.real, bounds[i.a], b.real, bounds[i.b], product, i.format);
        bounds[i.result] = addBound(product, bound, cells[i.c].real, bounds[i.c], result.real, i.format);
      }
      cells[i.result] = result;
      continue;
    }
    case Opcode::Move:
      cells[i.result] = a;
      if constexpr (kBounds)
        bounds[i.result] = bounds[i.a];
      continue;
    case Opcode::SelectF:
    case Opcode::SelectI: result = cells[a.whole ? i.b : i.c]; break;
    case Opcode::CmpF: result.whole = compare(static_cast<arith::CmpFPredicate>(i.aux), a.real, b.real); break;
    default:
      if (i.opcode > Opcode::RoundF) {
        executeWhole<kBounds>(i, registers);
        continue;
      }
      result.real = computeReal(i, a.real, b.real);
    }
    if constexpr (kBounds)
      bounds[i.result] = boundOf(i, registers, result);
    cells[i.result] = result;
  }
}

void tilec::reference::run(const Code &code, Registers &registers) { execute<false>(code, registers); }
void tilec::reference::runWithBounds(const Code &code, Registers &registers) { execute<true>(code, registers); }
