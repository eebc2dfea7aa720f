//===- IntTuple.cpp - Nested tuples of integers -----------------*- C++ -*-===//

#include "tilec/Layout/IntTuple.h"

#include "CheckedMath.h"

using namespace tilec::layout;

IntTuple IntTuple::tuple(std::vector<IntTuple> elements) {
  IntTuple result;
  result.leaf = false;
  result.children = std::move(elements);
  return result;
}

static void collectLeaves(const IntTuple &tuple, std::vector<int64_t> &out) {
  if (tuple.isLeaf()) {
    out.push_back(tuple.value());
    return;
  }
  for (const IntTuple &element : tuple.elements())
    collectLeaves(element, out);
}

std::vector<int64_t> IntTuple::leaves() const {
  std::vector<int64_t> out;
  collectLeaves(*this, out);
  return out;
}

bool IntTuple::congruent(const IntTuple &other) const {
  if (leaf != other.leaf || children.size() != other.children.size())
    return false;
  for (size_t i = 0; i < children.size(); ++i)
    if (!children[i].congruent(other.children[i]))
      return false;
  return true;
}

static IntTuple rebuild(const IntTuple &profile, const std::vector<int64_t> &values, size_t &next) {
  if (profile.isLeaf())
    return values[next++];
  std::vector<IntTuple> elements;
  elements.reserve(profile.rank());
  for (const IntTuple &element : profile.elements())
    elements.push_back(rebuild(element, values, next));
  return IntTuple::tuple(std::move(elements));
}

IntTuple IntTuple::withLeaves(const std::vector<int64_t> &values) const {
  size_t next = 0;
  return rebuild(*this, values, next);
}

std::string tilec::layout::formatExtent(int64_t value) {
  return value == kSymbolic ? "?" : std::to_string(value);
}

static void print(const IntTuple &tuple, std::string &out) {
  if (tuple.isLeaf()) {
    out += formatExtent(tuple.value());
    return;
  }
  out += '(';
  for (size_t i = 0; i < tuple.rank(); ++i) {
    if (i)
      out += ',';
    print(tuple.element(i), out);
  }
  out += ')';
}

std::string IntTuple::str() const {
  std::string out;
  print(*this, out);
  return out;
}

size_t IntTuple::hash() const {
  if (leaf)
    return hashCombine(1, static_cast<size_t>(leafValue));
  size_t seed = 2 + children.size();
  for (const IntTuple &element : children)
    seed = hashCombine(seed, element.hash());
  return seed;
}

bool IntTuple::operator==(const IntTuple &other) const {
  return leaf == other.leaf && leafValue == other.leafValue && children == other.children;
}
