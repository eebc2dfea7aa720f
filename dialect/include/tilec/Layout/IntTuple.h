//===- IntTuple.h - Nested tuples of integers -------------------*- C++ -*-===//
//
// Shapes, strides and coordinates are nested tuples whose leaves are integers. A leaf of a shape
// or a stride may be symbolic: a value that is not known, written `?`.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LAYOUT_INTTUPLE_H
#define TILEC_LAYOUT_INTTUPLE_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tilec::layout {

/// Stands for a value that is not known. No extent, stride or offset can be this number.
constexpr int64_t kSymbolic = INT64_MIN;

/// An integer, or a tuple of IntTuples. `2` and the tuple of one element `(2)` are different.
class IntTuple {
public:
  IntTuple(int64_t value = 0) : leafValue(value) {}
  static IntTuple tuple(std::vector<IntTuple> elements);

  bool isLeaf() const { return leaf; }
  /// The integer of a leaf, kSymbolic if it is not known.
  int64_t value() const { return leafValue; }
  bool isSymbolic() const { return leaf && leafValue == kSymbolic; }

  /// The number of elements of a tuple; 1 for a leaf.
  size_t rank() const { return leaf ? 1 : children.size(); }
  /// Element `i` of a tuple; a leaf is its own element 0.
  const IntTuple &element(size_t i) const { return leaf ? *this : children[i]; }
  const std::vector<IntTuple> &elements() const { return children; }

  /// The leaves from left to right.
  std::vector<int64_t> leaves() const;
  /// True if both nest alike, whatever the integers are.
  bool congruent(const IntTuple &other) const;
  /// Same nesting as this tuple, with leaves taken in order from `values`.
  IntTuple withLeaves(const std::vector<int64_t> &values) const;

  /// Normal form: no spaces, `?` for a symbolic leaf.
  std::string str() const;
  size_t hash() const;

  bool operator==(const IntTuple &other) const;
  bool operator!=(const IntTuple &other) const { return !(*this == other); }

private:
  int64_t leafValue = 0;
  bool leaf = true;
  std::vector<IntTuple> children;
};

/// "?" for a symbolic value, decimal digits otherwise.
std::string formatExtent(int64_t value);

} // namespace tilec::layout

#endif // TILEC_LAYOUT_INTTUPLE_H
