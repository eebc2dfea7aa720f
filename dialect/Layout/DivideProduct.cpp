//===- DivideProduct.cpp - Divides and products -----------------*- C++ -*-===//

#include "tilec/Layout/Algebra.h"

#include "CheckedMath.h"
#include "LayoutModes.h"
#include "ModePath.h"

#include <algorithm>

using namespace tilec::layout;

static Error at(const ModePath &path, const Error &error) {
  return Error{"at " + path.str() + ": " + error.message};
}

static std::optional<Error> tooManyTilers(const char *operation, const Layout &a, const Tiler &b,
                                          const ModePath &path) {
  size_t available = a.shape().isLeaf() ? 0 : a.rank();
  if (b.modes().size() <= available)
    return std::nullopt;
  return Error{std::string(operation) + ": " + std::to_string(b.modes().size()) + " tilers for " +
               path.str() + " of " + a.str() + ", which has " +
               (available ? std::to_string(available) + " modes" : "no modes inside")};
}

//===----------------------------------------------------------------------===//
// Divides
//===----------------------------------------------------------------------===//

/// A o (b, complement(b, size(A))).
static Result<Layout> divideWhole(const Layout &a, const Layout &b) {
  Result<ComplementModes> rest = complementModes(b, a.size());
  if (!rest)
    return Error{"divide: " + rest.error().message};
  if (!rest->indivisible.empty())
    return Error{"divide: the tile " + b.str() + " leaves elements out: " + rest->indivisible};
  Result<Layout> restLayout = complement(b, a.size());
  if (!restLayout)
    return restLayout;
  Result<Layout> both = Layout::concat({b, *restLayout});
  if (!both)
    return Error{"divide: " + both.error().message};
  // Coalesced, A has no last mode of extent 1 along which an uneven tile would run on.
  return composition(coalesce(a), *both);
}

static Result<Layout> divideByMode(const Layout &a, const Tiler &b, const ModePath &path) {
  if (b.isKeep())
    return a;
  if (!b.isByMode()) {
    Result<Layout> divided = divideWhole(a, b.layout());
    return divided ? divided : Result<Layout>(at(path, divided.error()));
  }
  if (auto error = tooManyTilers("divide", a, b, path))
    return *error;
  std::vector<Layout> modes;
  for (size_t i = 0; i < a.rank(); ++i) {
    if (i >= b.modes().size()) {
      modes.push_back(a.mode(i));
      continue;
    }
    Result<Layout> mode = divideByMode(a.mode(i), b.modes()[i], path.child(i));
    if (!mode)
      return mode;
    modes.push_back(*std::move(mode));
  }
  return Layout::concat(modes);
}

Result<Layout> tilec::layout::logicalDivide(const Layout &a, const Tiler &b) {
  if (!b.isKeep() && !b.isByMode())
    return divideWhole(a, b.layout());
  return divideByMode(a, b, ModePath());
}

namespace {
/// The two halves of a divide. A kept mode has no tile.
struct Halves {
  std::optional<Layout> tile;
  Layout rest;
};
} // namespace

/// Separates a layout that logicalDivide made with `b` into its tiles and the rest.
static Result<Halves> unzip(const Layout &divided, const Tiler &b) {
  if (b.isKeep())
    return Halves{std::nullopt, divided};
  if (!b.isByMode())
    return Halves{divided.mode(0), divided.mode(1)};
  std::vector<Layout> tiles, rests;
  for (size_t i = 0; i < divided.rank(); ++i) {
    if (i >= b.modes().size()) {
      rests.push_back(divided.mode(i));
      continue;
    }
    Result<Halves> halves = unzip(divided.mode(i), b.modes()[i]);
    if (!halves)
      return halves;
    if (halves->tile)
      tiles.push_back(*halves->tile);
    rests.push_back(halves->rest);
  }
  Result<Layout> rest = Layout::concat(rests);
  if (!rest)
    return rest.error();
  if (tiles.empty())
    return Halves{std::nullopt, *rest};
  Result<Layout> tile = Layout::concat(tiles);
  if (!tile)
    return tile.error();
  return Halves{*tile, *rest};
}

Result<Layout> tilec::layout::zippedDivide(const Layout &a, const Tiler &b) {
  Result<Layout> divided = logicalDivide(a, b);
  if (!divided)
    return divided;
  Result<Halves> halves = unzip(*divided, b);
  if (!halves)
    return halves.error();
  if (!halves->tile)
    return Error{"divide: the tiler keeps every mode, so there are no tiles to gather"};
  return Layout::concat({*halves->tile, halves->rest});
}

Result<Layout> tilec::layout::tiledDivide(const Layout &a, const Tiler &b) {
  Result<Layout> zipped = zippedDivide(a, b);
  if (!zipped)
    return zipped;
  Layout rest = zipped->mode(1);
  std::vector<Layout> modes{zipped->mode(0)};
  for (size_t i = 0; i < rest.rank(); ++i)
    modes.push_back(rest.mode(i));
  return Layout::concat(modes);
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// (A, complement(A, size(A) * cosize(b)) o b).
static Result<Layout> multiplyWhole(const Layout &a, const Layout &b) {
  auto cotarget = checkedMul(a.size(), b.cosize());
  if (!cotarget)
    return Error{"product: size " + formatExtent(a.size()) + " times cosize " +
                 formatExtent(b.cosize()) + " overflows 64 bits"};
  Result<ComplementModes> gaps = complementModes(a, *cotarget);
  Result<Layout> free = complement(a, *cotarget);
  if (!gaps || !free)
    return Error{"product: " + (gaps ? free : Result<Layout>(gaps.error())).error().message};
  // Past its end a complement would run into A again unless it fills every gap.
  if (!gaps->indivisible.empty() && free->size() != kSymbolic && free->size() < b.cosize())
    return Error{"product: there is no room for " + std::to_string(b.cosize()) + " copies of " +
                 a.str() + ": " + gaps->indivisible};
  Result<Layout> copies = composition(*free, b);
  if (!copies)
    return Error{"product: " + copies.error().message};
  return Layout::concat({a, *copies});
}

static Result<Layout> multiplyByMode(const Layout &a, const Tiler &b, const ModePath &path) {
  if (b.isKeep())
    return a;
  if (!b.isByMode()) {
    Result<Layout> product = multiplyWhole(a, b.layout());
    return product ? product : Result<Layout>(at(path, product.error()));
  }
  if (auto error = tooManyTilers("product", a, b, path))
    return *error;
  std::vector<Layout> modes;
  for (size_t i = 0; i < a.rank(); ++i) {
    if (i >= b.modes().size()) {
      modes.push_back(a.mode(i));
      continue;
    }
    Result<Layout> mode = multiplyByMode(a.mode(i), b.modes()[i], path.child(i));
    if (!mode)
      return mode;
    modes.push_back(*std::move(mode));
  }
  return Layout::concat(modes);
}

Result<Layout> tilec::layout::logicalProduct(const Layout &a, const Tiler &b) {
  if (!b.isKeep() && !b.isByMode())
    return multiplyWhole(a, b.layout());
  return multiplyByMode(a, b, ModePath());
}

/// `layout` with modes 1:0 appended up to `rank`, always a tuple.
static Result<Layout> padded(const Layout &layout, size_t rank) {
  std::vector<Layout> modes;
  for (size_t i = 0; i < rank; ++i)
    modes.push_back(i < layout.rank() ? layout.mode(i) : Layout());
  return Layout::concat(modes);
}

static Result<Layout> zippedProduct(const Layout &a, const Layout &b, bool copiesFirst) {
  size_t rank = std::max(a.rank(), b.rank());
  Result<Layout> block = padded(a, rank), grid = padded(b, rank);
  if (!block || !grid)
    return (block ? grid : block).error();
  Result<Layout> product = multiplyWhole(*block, *grid);
  if (!product)
    return product;
  Layout inner = product->mode(0), copies = product->mode(1);
  std::vector<Layout> modes;
  for (size_t i = 0; i < rank; ++i) {
    Layout first = inner.mode(i), second = copies.mode(i);
    if (copiesFirst)
      std::swap(first, second);
    Result<Layout> mode = Layout::concat({first, second});
    if (!mode)
      return mode;
    modes.push_back(*std::move(mode));
  }
  return Layout::concat(modes);
}

Result<Layout> tilec::layout::blockedProduct(const Layout &a, const Layout &b) {
  return zippedProduct(a, b, /*copiesFirst=*/false);
}

Result<Layout> tilec::layout::rakedProduct(const Layout &a, const Layout &b) {
  return zippedProduct(a, b, /*copiesFirst=*/true);
}
