//===- Compare.cpp - Is a result the right one ----------------*- C++ -*-===//
//
// One walk over the elements with two ways of judging them.
//
//===----------------------------------------------------------------------===//

#include "tilec/Runtime/Compare.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>

namespace tilec::runtime {

namespace {

double distance(double actual, double expected) {
  if (actual == expected || (std::isnan(actual) && std::isnan(expected)))
    return 0;
  double difference = std::fabs(actual - expected);
  return std::isnan(difference) ? std::numeric_limits<double>::infinity() : difference;
}

std::vector<int64_t> coordinateOf(int64_t index, const std::vector<int64_t> &shape) {
  std::vector<int64_t> coordinate(shape.size());
  for (size_t dim = shape.size(); dim-- > 0;) {
    coordinate[dim] = index % shape[dim];
    index /= shape[dim];
  }
  return coordinate;
}

void note(Comparison &comparison, const HostTensor &result, int64_t index, bool agrees,
          double actual, double expected, double allowed) {
  comparison.maxError = std::max(comparison.maxError, distance(actual, expected));
  if (agrees)
    return;
  ++comparison.mismatches;
  if (!comparison.first)
    comparison.first = Mismatch{coordinateOf(index, result.shape()), actual, expected, allowed};
}

MaybeError checkCount(const HostTensor &result, size_t count, const char *what) {
  if (int64_t(count) == result.elementCount())
    return std::nullopt;
  return Error{"a result of " + std::to_string(result.elementCount()) + " elements with " +
               std::to_string(count) + " " + what};
}

uint64_t bitsOf(double value) {
  uint64_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

/// Each type's values have one double each, so comparing doubles compares the bits; only NaN has several.
bool haveSameBits(double actual, double expected) {
  return bitsOf(actual) == bitsOf(expected) || (std::isnan(actual) && std::isnan(expected));
}

std::string numberText(double value) {
  char text[40];
  std::snprintf(text, sizeof(text), "%.9g", value);
  return text;
}

} // namespace

Result<Comparison> compareExactly(const HostTensor &result, const std::vector<double> &reference) {
  if (MaybeError error = checkCount(result, reference.size(), "reference values"))
    return *error;
  Comparison comparison;
  comparison.elements = result.elementCount();
  std::vector<double> actual = result.toDoubles();
  for (size_t i = 0; i < actual.size(); ++i) {
    double expected = roundToType(result.type(), reference[i]);
    note(comparison, result, int64_t(i), haveSameBits(actual[i], expected), actual[i], expected, 0);
  }
  return comparison;
}

Result<Comparison> compareIntegers(const HostTensor &result, const std::vector<int64_t> &reference) {
  if (MaybeError error = checkCount(result, reference.size(), "reference values"))
    return *error;
  Comparison comparison;
  comparison.elements = result.elementCount();
  std::vector<int64_t> actual = result.toIntegers();
  for (size_t i = 0; i < actual.size(); ++i)
    note(comparison, result, int64_t(i), actual[i] == reference[i], double(actual[i]), double(reference[i]), 0);
  return comparison;
}

Result<Comparison> compareWithin(const HostTensor &result, const std::vector<double> &reference,
                                 const std::vector<double> &bounds, ZeroSigns zeros) {
  if (MaybeError error = checkCount(result, reference.size(), "reference values"))
    return *error;
  if (MaybeError error = checkCount(result, bounds.size(), "bounds"))
    return *error;
  Comparison comparison;
  comparison.elements = result.elementCount();
  std::vector<double> actual = result.toDoubles();
  for (size_t i = 0; i < actual.size(); ++i) {
    // A value that the type cannot hold is expected as its infinity.
    double expected =
        std::isinf(roundToType(result.type(), reference[i])) && isFloatingPoint(result.type())
            ? roundToType(result.type(), reference[i])
            : reference[i];
    double error = distance(actual[i], expected);
    // A bound that overflowed says nothing, so it allows nothing; nor does NaN.
    bool isFreeZero = zeros == ZeroSigns::Free && actual[i] == 0 && expected == 0;
    bool agrees = bounds[i] == 0 ? haveSameBits(actual[i], roundToType(result.type(), reference[i]))
                                 : error == 0 || (error <= bounds[i] && std::isfinite(bounds[i]));
    agrees |= zeros == ZeroSigns::Free && actual[i] == 0 && expected == 0;
    note(comparison, result, int64_t(i), agrees, actual[i], expected, bounds[i]);
    if (error != 0)
      comparison.maxErrorOverBound =
          std::max(comparison.maxErrorOverBound,
                   bounds[i] > 0 ? error / bounds[i] : std::numeric_limits<double>::infinity());
  }
  return comparison;
}

static std::string joinCoordinate(const std::vector<int64_t> &coordinate) {
  std::string text;
  for (size_t dim = 0; dim < coordinate.size(); ++dim)
    text += (dim ? ", " : "") + std::to_string(coordinate[dim]);
  return text;
}

std::string describeElement(const std::string &name, const std::vector<int64_t> &shape, int64_t index) {
  return name + "[" + joinCoordinate(coordinateOf(index, shape)) + "]";
}

std::string describe(const Comparison &comparison, const std::string &name) {
  if (comparison.equal())
    return "all " + std::to_string(comparison.elements) + " elements of " + name +
           " agree, largest error " + numberText(comparison.maxError);
  const Mismatch &first = *comparison.first;
  return std::to_string(comparison.mismatches) + " of " + std::to_string(comparison.elements) +
         " elements differ, first at " + name + "[" + joinCoordinate(first.coordinate) +
         "]: " + numberText(first.actual) + " instead of " + numberText(first.expected) +
         (first.allowed > 0 ? " (allowed " + numberText(first.allowed) + ")" : "") +
         "; largest error " + numberText(comparison.maxError);
}

} // namespace tilec::runtime
