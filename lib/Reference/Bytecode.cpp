//===- Bytecode.cpp - Running scalar instructions ---------------*- C++ -*-===//
//
// One loop over instructions, with and without magnitudes.
//
// A magnitude bounds how large the terms were that a value is the sum of: the
// rounding error of the value is a small multiple of eps times it. So sums and
// differences add magnitudes, products multiply them, and a function's is its
// value plus its slope times the magnitude of its argument.
//
//===----------------------------------------------------------------------===//

#include "Bytecode.h"

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
  bool overflows = y == -1 && x == std::numeric_limits<int64_t>::min();
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
    if (y == 0)
      return false;
    wrapped(y == -1 ? 0 : x % y);
    return true;
  case Opcode::RemUI:
    if (uy == 0)
      return false;
    wrapped(ux % uy);
    return true;
  case Opcode::FloorDivSI:
    if (y == 0 || overflows)
      return false;
    wrapped(llvm::divideFloorSigned(x, y));
    return true;
  case Opcode::CeilDivSI:
    if (y == 0 || overflows)
      return false;
    wrapped(llvm::divideCeilSigned(x, y));
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

template <bool kMagnitudes>
static void execute(const Code &code, Registers &registers) {
  Cell *cells = registers.cells.data();
  double *magnitudes = registers.magnitudes.data();
  for (const Instruction &i : code) {
    Cell a = cells[i.a], b = cells[i.b];
    double value, magnitude = 0;
    double ma = 0, mb = 0;
    if constexpr (kMagnitudes) {
      ma = magnitudes[i.a];
      mb = magnitudes[i.b];
    }
    switch (i.opcode) {
    case Opcode::AddF: value = a.real + b.real; magnitude = ma + mb; break;
    case Opcode::SubF: value = a.real - b.real; magnitude = ma + mb; break;
    case Opcode::MulF: value = a.real * b.real; magnitude = ma * mb; break;
    case Opcode::FmaF:
      value = a.real * b.real + cells[i.c].real;
      if constexpr (kMagnitudes)
        magnitude = ma * mb + magnitudes[i.c];
      break;
    case Opcode::DivF: value = a.real / b.real; magnitude = ma * mb / (b.real * b.real); break;
    case Opcode::RemF:
      value = std::fmod(a.real, b.real);
      magnitude = ma + std::fabs(std::trunc(a.real / b.real)) * mb;
      break;
    case Opcode::NegF: value = -a.real; magnitude = ma; break;
    case Opcode::AbsF: value = std::fabs(a.real); magnitude = ma; break;
    case Opcode::MaximumF: value = extremum(a.real, b.real, true, true); magnitude = std::max(ma, mb); break;
    case Opcode::MinimumF: value = extremum(a.real, b.real, false, true); magnitude = std::max(ma, mb); break;
    case Opcode::MaxNumF: value = extremum(a.real, b.real, true, false); magnitude = std::max(ma, mb); break;
    case Opcode::MinNumF: value = extremum(a.real, b.real, false, false); magnitude = std::max(ma, mb); break;
    case Opcode::Exp: value = std::exp(a.real); magnitude = value * (1 + ma); break;
    case Opcode::Exp2: value = std::exp2(a.real); magnitude = value * (1 + ma); break;
    case Opcode::ExpM1: value = std::expm1(a.real); magnitude = std::fabs(value) + (1 + std::fabs(value)) * ma; break;
    case Opcode::Log: value = std::log(a.real); magnitude = std::fabs(value) + ma / std::fabs(a.real); break;
    case Opcode::Log2: value = std::log2(a.real); magnitude = std::fabs(value) + 2 * ma / std::fabs(a.real); break;
    case Opcode::Log1P: value = std::log1p(a.real); magnitude = std::fabs(value) + ma / std::fabs(1 + a.real); break;
    case Opcode::Sqrt: value = std::sqrt(a.real); magnitude = value == 0 ? std::sqrt(ma) : value + ma / value; break;
    case Opcode::Rsqrt: value = 1 / std::sqrt(a.real); magnitude = value + ma * value / std::fabs(a.real); break;
    case Opcode::Tanh: value = std::tanh(a.real); magnitude = std::fabs(value) + ma; break;
    case Opcode::Sin: value = std::sin(a.real); magnitude = std::fabs(value) + ma; break;
    case Opcode::Cos: value = std::cos(a.real); magnitude = std::fabs(value) + ma; break;
    case Opcode::Erf: value = std::erf(a.real); magnitude = std::fabs(value) + 2 * ma; break;
    case Opcode::PowF:
      value = std::pow(a.real, b.real);
      // r = a^b: dr = r (b da/a + log(a) db).
      magnitude = std::fabs(value);
      if (a.real != 0)
        magnitude *= 1 + std::fabs(b.real / a.real) * ma + std::fabs(std::log(std::fabs(a.real))) * mb;
      break;
    case Opcode::Floor: value = std::floor(a.real); magnitude = std::max(std::fabs(value), ma); break;
    case Opcode::Ceil: value = std::ceil(a.real); magnitude = std::max(std::fabs(value), ma); break;
    case Opcode::RoundEven: value = std::nearbyint(a.real); magnitude = std::max(std::fabs(value), ma); break;
    case Opcode::Trunc: value = std::trunc(a.real); magnitude = ma; break;
    case Opcode::SelectF: {
      uint32_t chosen = a.whole ? i.b : i.c;
      value = cells[chosen].real;
      if constexpr (kMagnitudes)
        magnitude = magnitudes[chosen];
      break;
    }
    case Opcode::Move:
      cells[i.result] = a;
      if constexpr (kMagnitudes)
        magnitudes[i.result] = ma;
      continue;
    case Opcode::SelectI:
      cells[i.result] = cells[a.whole ? i.b : i.c];
      continue;
    case Opcode::CmpF:
      cells[i.result].whole = compare(static_cast<arith::CmpFPredicate>(i.aux), a.real, b.real);
      continue;
    case Opcode::CmpI:
      cells[i.result].whole = compare(static_cast<arith::CmpIPredicate>(i.aux), a.whole, b.whole, i.width);
      continue;
    default:
      if (!runInteger(i, a, b, cells[i.result]) && !registers.failed)
        registers.failed = i.op;
      if constexpr (kMagnitudes)
        if (i.opcode == Opcode::SIToFP || i.opcode == Opcode::UIToFP)
          magnitudes[i.result] = std::fabs(cells[i.result].real);
      continue;
    }
    cells[i.result].real = value;
    if constexpr (kMagnitudes)
      magnitudes[i.result] = magnitude;
  }
}

void tilec::reference::run(const Code &code, Registers &registers) { execute<false>(code, registers); }
void tilec::reference::runWithMagnitudes(const Code &code, Registers &registers) { execute<true>(code, registers); }
