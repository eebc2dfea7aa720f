//===- Bytecode.h - Scalar operations as a list of instructions --*- C++ -*-===//
//
// Bodies of linalg ops and scalar ops between them are compiled to instructions
// on numbered registers, so that running one takes a few nanoseconds.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_REFERENCE_BYTECODE_H
#define TILEC_LIB_REFERENCE_BYTECODE_H

#include "mlir/IR/Operation.h"
#include "tilec/Reference/ErrorBound.h"

#include <cstdint>
#include <vector>

namespace tilec::reference {

/// A number: `real` for floating-point types, `whole` for integers (sign-extended, i1 as 0 or 1) and
/// index.
union Cell {
  double real;
  int64_t whole;
};
static_assert(sizeof(Cell) == sizeof(double), "operands are read as cells");

enum class Opcode : uint8_t {
  Move,
  // Floating-point, up to RoundF.
  AddF, SubF, MulF, DivF, RemF, NegF, FmaF, MaximumF, MinimumF, MaxNumF, MinNumF,
  AbsF, Exp, Exp2, ExpM1, Log, Log2, Log1P, Sqrt, Rsqrt, Tanh, Sin, Cos, Erf, PowF, Floor, Ceil, Round, RoundEven, Trunc, ChopF, RoundF,
  // Comparisons and choice; `aux` is the predicate.
  CmpF, CmpI, SelectF, SelectI,
  // Integers; `width` is the result's, to which it wraps.
  AddI, SubI, MulI, DivSI, DivUI, RemSI, RemUI, MaxSI, MinSI, MaxUI, MinUI,
  AndI, OrI, XorI, ShlI, ShrSI, ShrUI, AbsI,
  // Conversions; `aux` is the source's width.
  WrapI, ZeroExtendI, SIToFP, UIToFP, FPToSI, FPToUI,
};

/// A floating-point type, as far as rounding errors go.
struct Format {
  /// Of one operation, together with the evaluator's own rounding.
  double roundoff = 0;
  /// Half of the smallest number above 0.
  double smallest = 0;
  /// Whole numbers up to this one are numbers of the type.
  double integers = 0;
  double largest = 0;

  static Format of(mlir::Type type);
};

struct Instruction {
  Opcode opcode;
  uint8_t width = 64;
  uint8_t aux = 0;
  uint32_t result, a = 0, b = 0, c = 0;
  /// Of the result.
  Format format = {};
  /// For diagnostics.
  mlir::Operation *op = nullptr;
};

using Code = std::vector<Instruction>;

/// The registers and what went wrong.
struct Registers {
  std::vector<Cell> cells;
  /// Of each register; kept up to date where bounds are asked for.
  std::vector<ErrorBound> bounds;
  /// Set by the first op that has no meaning: a division of integers by zero or of the least one by -1, a shift by the width
  /// or more, a conversion of a number that does not fit.
  mlir::Operation *failed = nullptr;
};

/// `value` wrapped to `width` bits and sign-extended; 1 bit is 0 or 1.
int64_t wrapToWidth(int64_t value, unsigned width);

/// Runs `code`; the second form keeps bounds too.
void run(const Code &code, Registers &registers);
void runWithBounds(const Code &code, Registers &registers);

} // namespace tilec::reference

#endif // TILEC_LIB_REFERENCE_BYTECODE_H
