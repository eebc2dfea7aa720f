//===- Compare.h - Is a result the right one ------------------*- C++ -*-===//
//
// Holds a kernel's output against a reference in double precision, either to
// the bit or within a bound for each element.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_RUNTIME_COMPARE_H
#define TILEC_RUNTIME_COMPARE_H

#include "tilec/Runtime/HostTensor.h"

#include <optional>
#include <string>
#include <vector>

namespace tilec::runtime {

struct Mismatch {
  /// Coordinates of the element.
  std::vector<int64_t> coordinate;
  double actual = 0;
  double expected = 0;
  /// The error that would have been allowed; 0 where equality was asked for.
  double allowed = 0;
};

struct Comparison {
  int64_t elements = 0;
  int64_t mismatches = 0;
  /// In row-major order.
  std::optional<Mismatch> first;
  /// The largest |actual - expected|; infinite where one is NaN or infinite
  /// and the other is not the same.
  double maxError = 0;
  /// The largest |actual - expected| / allowed of those with a bound; at most 1
  /// where all is right. 0 for equality.
  double maxErrorOverBound = 0;

  bool equal() const { return mismatches == 0; }
};

/// The result must have the bits of the reference rounded to the result's type.
/// NaN equals NaN whatever its bits; 0 does not equal -0.
Result<Comparison> compareExactly(const HostTensor &result, const std::vector<double> &reference);

/// The same of integers, exact in all their bits; in the text those of 64 bits are rounded.
Result<Comparison> compareIntegers(const HostTensor &result, const std::vector<int64_t> &reference);

/// Does 0 equal -0 where a bound of 0 asks for the bits?
enum class ZeroSigns { Count, Free };

/// |result - reference| must be at most the element's bound, which must be
/// finite; a bound of 0 asks for the bits, as compareExactly does, but for those of zeros whose signs are free. NaN must meet
/// NaN, an infinity the same infinity.
Result<Comparison> compareWithin(const HostTensor &result, const std::vector<double> &reference,
                                 const std::vector<double> &bounds, ZeroSigns zeros = ZeroSigns::Count);

/// "C[2, 5]": element number `index`, in row-major order, of a tensor of `shape`.
std::string describeElement(const std::string &name, const std::vector<int64_t> &shape, int64_t index);

/// "3 of 1024 elements differ, first at C[2, 5]: 4 instead of 5 (allowed 0.1);
/// largest error 1", or "all 1024 elements agree, largest error 0".
std::string describe(const Comparison &comparison, const std::string &name);

} // namespace tilec::runtime

#endif // TILEC_RUNTIME_COMPARE_H
