//===- Names.cpp - Names that values have from the source --------*- C++ -*-===//

#include "Names.h"

using namespace mlir;
using namespace tilec;

Location tilec::unnamed(Location loc) {
  while (auto name = dyn_cast<NameLoc>(loc))
    loc = name.getChildLoc();
  return loc;
}

Location tilec::named(Location loc, const Twine &name) {
  return NameLoc::get(StringAttr::get(loc.getContext(), name), unnamed(loc));
}

std::string tilec::nameOf(Location loc, StringRef fallback) {
  if (auto name = dyn_cast<NameLoc>(loc))
    return name.getName().str();
  return fallback.str();
}

std::string tilec::getDimName(const tile::LinearExpr &subscript, unsigned dim) {
  std::string name = subscript.terms.empty() ? "" : nameOf(subscript.terms.front().first.getLoc(), "");
  StringRef stem = StringRef(name).rtrim("0123456789");
  return stem.empty() ? "d" + std::to_string(dim) : stem.str();
}
