//===- Algebra.h - Operations on layouts ------------------------*- C++ -*-===//
//
// The CuTe layout algebra, exact: each operation returns the layout that its definition asks for,
// or an error that names the mode in the way. No operation returns a layout that is wrong at some
// coordinate.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LAYOUT_ALGEBRA_H
#define TILEC_LAYOUT_ALGEBRA_H

#include "tilec/Layout/Layout.h"

namespace tilec::layout {

/// What a by-mode operation does: nothing (`_`), one layout for the whole, or a tiler for each
/// mode.
class Tiler {
public:
  static Tiler keep() { return Tiler(Kind::Keep); }
  Tiler(Layout layout) : kind(Kind::Whole), whole(std::move(layout)) {}
  static Tiler byMode(std::vector<Tiler> modes);

  bool isKeep() const { return kind == Kind::Keep; }
  bool isByMode() const { return kind == Kind::ByMode; }
  const Layout &layout() const { return whole; }
  const std::vector<Tiler> &modes() const { return parts; }

private:
  enum class Kind { Keep, Whole, ByMode };
  explicit Tiler(Kind kind) : kind(kind) {}

  Kind kind;
  Layout whole;
  std::vector<Tiler> parts;
};

/// The same function of the logical index with as few modes as can be proved, nested at most once.
/// Drops modes of extent 1; a layout of one element becomes 1:0.
Layout coalesce(const Layout &layout);

/// Coalesces where `profile` has an integer, recurses where it has a tuple, keeps modes past it.
/// Errors: the profile is longer or nests deeper than the layout.
Result<Layout> coalesce(const Layout &layout, const IntTuple &profile);

/// R with R(c) = A(B(c)) for every coordinate c of B; R's shape refines B's. B may leave A's
/// domain, then A's last mode runs on. Errors name the mode of B and the mode of A that does not
/// divide.
Result<Layout> composition(const Layout &a, const Layout &b);

/// Composes mode by mode. A tiler must name every mode of A; `_` keeps one.
Result<Layout> composition(const Layout &a, const Tiler &b);

/// The layout C, its strides ascending, whose offsets and A's add up without collision and together
/// reach at least `cotarget` (rounded up, may be kSymbolic). Ignores modes of extent 1 or stride 0.
/// Where strides of A do not divide, C is disjoint and ordered, yet (A, C) leaves offsets out.
/// Errors: symbolic values in A, cotarget below 1, modes of A that interleave or overlap.
Result<Layout> complement(const Layout &a, int64_t cotarget);

/// A o (B, complement(B, size(A))): mode 0 is a tile, mode 1 runs over tiles; uneven tiles round
/// up. By mode with a bracketed tiler, modes past it kept. Refuses a tile that leaves elements out.
Result<Layout> logicalDivide(const Layout &a, const Tiler &b);
/// logicalDivide with the parts gathered: ((tiles), (rests and untouched modes)).
Result<Layout> zippedDivide(const Layout &a, const Tiler &b);
/// zippedDivide with the second mode spread out: ((tiles), rest, rest, ...).
Result<Layout> tiledDivide(const Layout &a, const Tiler &b);

/// (A, complement(A, size(A) * cosize(B)) o B): B says where copies of A go. By mode with brackets.
Result<Layout> logicalProduct(const Layout &a, const Tiler &b);
/// Mode i is (A_i, B_i): copies of A side by side, as a grid of B. The shorter is padded by 1:0.
Result<Layout> blockedProduct(const Layout &a, const Layout &b);
/// Mode i is (B_i, A_i): copies of A interleaved.
Result<Layout> rakedProduct(const Layout &a, const Layout &b);

/// The largest R made of A's modes with A(R(i)) = i for all i in [0, size(R)).
/// Errors: symbolic values.
Result<Layout> rightInverse(const Layout &a);
/// L with L(A(i)) = i for all i in [0, size(A)). What L gives for offsets without element means
/// nothing. Errors: symbolic values, A not injective, a stride that the one below does not divide.
Result<Layout> leftInverse(const Layout &a);

} // namespace tilec::layout

#endif // TILEC_LAYOUT_ALGEBRA_H
