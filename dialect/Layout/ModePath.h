//===- ModePath.h - Where in a nested layout --------------------*- C++ -*-===//
//
// Names a mode in error messages: `mode 1.0` is the first mode inside the second. Costs nothing
// until it is printed.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LAYOUT_MODEPATH_H
#define TILEC_LAYOUT_MODEPATH_H

#include <cstddef>
#include <string>

namespace tilec::layout {

/// A path from the whole layout to one mode; a child refers to its parent, which must outlive it.
class ModePath {
public:
  ModePath() = default;
  ModePath child(size_t i) const { return ModePath(this, i); }

  std::string str() const { return parent ? "mode " + digits() : "the whole"; }

private:
  ModePath(const ModePath *parent, size_t position) : parent(parent), position(position) {}
  std::string digits() const {
    std::string own = std::to_string(position);
    return parent->parent ? parent->digits() + "." + own : own;
  }

  const ModePath *parent = nullptr;
  size_t position = 0;
};

} // namespace tilec::layout

#endif // TILEC_LAYOUT_MODEPATH_H
