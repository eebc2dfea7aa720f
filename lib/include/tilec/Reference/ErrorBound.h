//===- ErrorBound.h - How far a rounded value may lie off --------*- C++ -*-===//
//
// Running error analysis (Higham, Accuracy and Stability of Numerical
// Algorithms, 2nd edition, sections 3.3 and 4.2): beside each value stands a
// bound of what rounding can make of it. The order of a sum is the kernel's, so
// a sum of n numbers x with errors e is bounded for all orders:
// sum e + n u / (1 - n u) * (sum |x| + sum e), or by nothing where every partial
// sum is a number of the type.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_REFERENCE_ERRORBOUND_H
#define TILEC_REFERENCE_ERRORBOUND_H

#include <limits>

namespace tilec::reference {

/// Of one value: of how many numbers it is the sum, as far as rounding is concerned.
struct ErrorBound {
  /// Errors of the numbers that were added up, together. Infinite where nothing is known of the value. For integers
  /// 0 or infinite.
  double error = 0;
  /// Sum of their absolute values.
  double magnitude = 0;
  /// Unit roundoffs that a number meets on its way through the sum, in the worst order; 0 where no addition rounds.
  double weight = 0;
  /// A power of two that all of them are multiples of; 0 for none, infinite for zeros.
  double unit = 0;
  /// Unit roundoffs of additions that none of these orders rounds as far as the sum has come. What is added later may be added before them, and
  /// then they may round, too.
  double pending = 0;

  /// What the computed value may differ from the exact one by; 0 where it is the same to the bit.
  double total() const {
    if (weight == 0)
      return error;
    return weight < 0.5 ? error + weight / (1 - weight) * (magnitude + error) : std::numeric_limits<double>::infinity();
  }

  /// Of a value that nothing is known of.
  static ErrorBound unknown() { return {std::numeric_limits<double>::infinity(), 0, 0, 0}; }
  /// Of a number as it is; infinities and NaN are themselves.
  static ErrorBound exact(double value);
};

} // namespace tilec::reference

#endif // TILEC_REFERENCE_ERRORBOUND_H
