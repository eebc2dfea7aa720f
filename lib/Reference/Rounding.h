//===- Rounding.h - Error bounds of single operations ------------*- C++ -*-===//
//
// What each operation adds to the errors of its arguments, in the type that the
// kernel computes it in.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_REFERENCE_ROUNDING_H
#define TILEC_LIB_REFERENCE_ROUNDING_H

#include "Bytecode.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tilec::reference {

inline ErrorBound addBound(double a, const ErrorBound &boundA, double b, const ErrorBound &boundB, double sum, const Format &format) {
  // What is added to zero stays as it is.
  if (a == 0 && boundA.error == 0 && boundA.magnitude == 0)
    return boundB;
  if (b == 0 && boundB.error == 0 && boundB.magnitude == 0)
    return boundA;
  ErrorBound bound{boundA.error + boundB.error, boundA.magnitude + boundB.magnitude, boundA.weight + boundB.weight,
                   std::min(boundA.unit, boundB.unit), boundA.pending + boundB.pending + format.roundoff};
  if (!std::isfinite(sum))
    return std::isfinite(boundA.total() + boundB.total()) && !(std::isfinite(a) && std::isfinite(b)) ? ErrorBound::exact(sum)
                                                                                                    : ErrorBound::unknown();
  // With at most 2^p units in all, every partial sum is a number of the type.
  if (bound.weight != 0 || bound.error != 0 || !(bound.magnitude <= format.integers * bound.unit))
    bound.weight += std::exchange(bound.pending, 0);
  if (!(bound.magnitude + bound.error <= format.largest))
    bound.error = INFINITY;
  return bound;
}

inline ErrorBound multiplyBound(double a, const ErrorBound &boundA, double b, const ErrorBound &boundB, double product,
                                const Format &format) {
  double errorA = boundA.total(), errorB = boundB.total(), size = std::fabs(product);
  if (errorA == 0 && errorB == 0) {
    if (product == 0 && (a == 0 || b == 0))
      return {0, 0, 0, INFINITY};
    double unit = boundA.unit * boundB.unit;
    if (size <= format.integers * unit && unit >= 2 * format.smallest && size <= format.largest)
      return {0, size, 0, unit};
  }
  if (!std::isfinite(errorA + errorB))
    return ErrorBound::unknown();
  if (!std::isfinite(product)) {
    // An infinity times what may be zero may be NaN.
    bool certain = !(std::isfinite(a) && std::isfinite(b)) && (errorA == 0 || std::fabs(a) > errorA) &&
                   (errorB == 0 || std::fabs(b) > errorB);
    return certain ? ErrorBound::exact(product) : ErrorBound::unknown();
  }
  double error = std::fabs(a) * errorB + std::fabs(b) * errorA + errorA * errorB;
  error += format.roundoff * (size + error) + format.smallest;
  return size + error <= format.largest ? ErrorBound{error, size, 0, 0} : ErrorBound::unknown();
}

/// The nearest number of a type of 16 bits, ties to even; of others, which a bound covers, `value` itself.
double roundTo(double value, const Format &format);

/// The number of the type next to `value` towards zero.
double chopTo(double value, const Format &format);

/// The bound of any other operation that results in a floating-point number, or in an integer or truth of a
/// floating-point one.
ErrorBound boundOf(const Instruction &instruction, const Registers &registers, Cell result);

} // namespace tilec::reference

#endif // TILEC_LIB_REFERENCE_ROUNDING_H
