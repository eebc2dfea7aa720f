//===- Composition.cpp - Coalescing and composition -------------*- C++ -*-===//

#include "tilec/Layout/Algebra.h"

#include "CheckedMath.h"
#include "LayoutModes.h"
#include "ModePath.h"

using namespace tilec::layout;

Tiler Tiler::byMode(std::vector<Tiler> modes) {
  Tiler tiler(Kind::ByMode);
  tiler.parts = std::move(modes);
  return tiler;
}

//===----------------------------------------------------------------------===//
// Coalescing
//===----------------------------------------------------------------------===//

std::vector<Mode> tilec::layout::mergedModes(const std::vector<Mode> &modes, bool keepLastUnit) {
  std::vector<Mode> merged;
  for (size_t i = 0; i < modes.size(); ++i) {
    const Mode &mode = modes[i];
    bool extends = keepLastUnit && i + 1 == modes.size();
    if (mode.extent == 1 && !extends)
      continue;
    if (!merged.empty()) {
      Mode &previous = merged.back();
      bool known =
          previous.extent != kSymbolic && previous.stride != kSymbolic && mode.stride != kSymbolic;
      auto next = known ? checkedMul(previous.extent, previous.stride) : std::nullopt;
      auto extent = checkedMul(previous.extent, mode.extent);
      if (next && *next == mode.stride && extent) {
        previous.extent = *extent;
        continue;
      }
    }
    merged.push_back(mode);
  }
  return merged;
}

Result<Layout> tilec::layout::layoutOfModes(const std::vector<Mode> &modes) {
  if (modes.empty())
    return Layout();
  if (modes.size() == 1)
    return Layout::get(modes[0].extent, modes[0].stride);
  std::vector<IntTuple> shapes, strides;
  for (const Mode &mode : modes) {
    shapes.push_back(mode.extent);
    strides.push_back(mode.stride);
  }
  return Layout::get(IntTuple::tuple(std::move(shapes)), IntTuple::tuple(std::move(strides)));
}

Layout tilec::layout::coalesce(const Layout &layout) {
  // The same function of the same domain, so it is as valid as `layout`.
  return *layoutOfModes(mergedModes(layout.modes(), /*keepLastUnit=*/false));
}

static Result<Layout> coalesceByProfile(const Layout &layout, const IntTuple &profile,
                                        const ModePath &path) {
  if (profile.isLeaf())
    return coalesce(layout);
  if (layout.shape().isLeaf())
    return Error{"profile " + profile.str() + " nests deeper than " + path.str() + ", " +
                 layout.str()};
  if (profile.rank() > layout.rank())
    return Error{"profile " + profile.str() + " has " + std::to_string(profile.rank()) +
                 " modes, " + path.str() + " has " + std::to_string(layout.rank())};
  std::vector<Layout> modes;
  for (size_t i = 0; i < layout.rank(); ++i) {
    if (i >= profile.rank()) {
      modes.push_back(layout.mode(i));
      continue;
    }
    Result<Layout> mode = coalesceByProfile(layout.mode(i), profile.element(i), path.child(i));
    if (!mode)
      return mode;
    modes.push_back(*mode);
  }
  return Layout::concat(modes);
}

Result<Layout> tilec::layout::coalesce(const Layout &layout, const IntTuple &profile) {
  return coalesceByProfile(layout, profile, ModePath());
}

//===----------------------------------------------------------------------===//
// Composition
//===----------------------------------------------------------------------===//

namespace {
/// Composes one layout A with the leaves of B, one after the other.
class Composer {
public:
  Composer(const Layout &a)
      : modes(mergedModes(a.modes(), /*keepLastUnit=*/true)), reach(modes.size(), 0) {}

  Result<Layout> compose(const Layout &b, const ModePath &path) {
    if (b.shape().isLeaf())
      return composeLeaf(b.modes()[0], path);
    std::vector<Layout> parts;
    for (size_t i = 0; i < b.rank(); ++i) {
      Result<Layout> part = compose(b.mode(i), path.child(i));
      if (!part)
        return part;
      parts.push_back(*std::move(part));
    }
    return Layout::concat(parts);
  }

private:
  Result<Layout> composeLeaf(const Mode &leaf, const ModePath &path);
  Error refuse(const Mode &leaf, const ModePath &path, size_t i, const std::string &why) const {
    return Error{"composition: " + path.str() + " of the right layout (" + formatMode(leaf) +
                 ") against mode " + std::to_string(i) + " of the left layout (" +
                 formatMode(modes[i]) + ", coalesced): " + why};
  }
  /// Notes that the digit of mode `i` grows by up to `amount`. The sum of what all leaves of B add
  /// must stay below the extent: a carry would move A to the next mode, which no stride can
  /// express.
  std::optional<Error> addReach(size_t i, int64_t amount, const Mode &leaf, const ModePath &path) {
    if (i + 1 == modes.size())
      return std::nullopt;
    auto sum = checkedAdd(reach[i], amount);
    if (!sum || *sum >= modes[i].extent)
      return refuse(leaf, path, i,
                    "with the modes before it the coordinate reaches " +
                        (sum ? std::to_string(*sum) : std::string("2^63")) + ", outside extent " +
                        std::to_string(modes[i].extent));
    reach[i] = *sum;
    return std::nullopt;
  }

  std::vector<Mode> modes;
  /// For each mode of A, the largest digit that the leaves composed so far produce together.
  std::vector<int64_t> reach;
};
} // namespace

Result<Layout> Composer::composeLeaf(const Mode &leaf, const ModePath &path) {
  if (leaf.stride == 0)
    return Layout::get(leaf.extent, 0);

  std::vector<Mode> taken;
  int64_t rest = leaf.extent, stride = leaf.stride;
  for (size_t i = 0; i < modes.size(); ++i) {
    const Mode &mode = modes[i];
    bool last = i + 1 == modes.size();
    if (!last && (mode.extent == kSymbolic || stride == kSymbolic || rest == kSymbolic)) {
      // A stride beyond a known extent only needs the stride to divide, whatever the extent of B
      // is.
      bool skips = mode.extent != kSymbolic && stride != kSymbolic && stride >= mode.extent;
      if (!skips)
        return refuse(leaf, path, i, "whether they divide depends on a symbolic value");
    }
    if (!last && stride >= mode.extent) {
      if (stride % mode.extent != 0)
        return refuse(leaf, path, i,
                      "stride " + std::to_string(stride) + " is not a multiple of extent " +
                          std::to_string(mode.extent));
      stride /= mode.extent;
      continue;
    }
    auto newStride = checkedMul(stride, mode.stride);
    if (!newStride)
      return refuse(leaf, path, i, "the stride overflows 64 bits");
    auto extentReach = last ? 0 : checkedMul(rest - 1, stride);
    if (last || (extentReach && *extentReach < mode.extent)) {
      if (auto error = addReach(i, last ? 0 : *extentReach, leaf, path))
        return *error;
      taken.push_back({rest, *newStride});
      break;
    }
    if (mode.extent % stride != 0)
      return refuse(leaf, path, i,
                    "extent " + std::to_string(mode.extent) + " is not a multiple of stride " +
                        std::to_string(stride));
    int64_t part = mode.extent / stride;
    if (rest % part != 0)
      return refuse(leaf, path, i,
                    "extent " + std::to_string(rest) + " is not a multiple of " +
                        std::to_string(part) + ", the elements that fit in the left mode");
    if (auto error = addReach(i, mode.extent - stride, leaf, path))
      return *error;
    taken.push_back({part, *newStride});
    rest /= part;
    stride = 1;
  }
  return layoutOfModes(taken);
}

Result<Layout> tilec::layout::composition(const Layout &a, const Layout &b) {
  return Composer(a).compose(b, ModePath());
}

static Result<Layout> composeByMode(const Layout &a, const Tiler &b, const ModePath &path) {
  if (b.isKeep())
    return a;
  if (!b.isByMode()) {
    Result<Layout> part = composition(a, b.layout());
    if (!part)
      return Error{"at " + path.str() + " of the left layout: " + part.error().message};
    return part;
  }
  if (b.modes().size() != a.rank() || a.shape().isLeaf())
    return Error{"composition: " + std::to_string(b.modes().size()) + " tilers for " + path.str() +
                 " of the left layout, which has " +
                 (a.shape().isLeaf() ? "none inside" : std::to_string(a.rank()) + " modes") +
                 "; write _ for a mode to keep"};
  std::vector<Layout> parts;
  for (size_t i = 0; i < a.rank(); ++i) {
    Result<Layout> part = composeByMode(a.mode(i), b.modes()[i], path.child(i));
    if (!part)
      return part;
    parts.push_back(*std::move(part));
  }
  return Layout::concat(parts);
}

Result<Layout> tilec::layout::composition(const Layout &a, const Tiler &b) {
  if (!b.isKeep() && !b.isByMode())
    return composition(a, b.layout());
  return composeByMode(a, b, ModePath());
}
