//===- MatrixOperand.cpp - Tiles that wgmma reads where they lie -*- C++ -*-===//

#include "tilec/Layout/MatrixOperand.h"

using namespace tilec::layout;

namespace {

/// The offsets of a tile by (place along m or n, place along k), before the swizzle.
class Matrix {
public:
  Matrix(const ComposedLayout &tile, const MatrixParts &parts) : tile(tile), parts(parts) {}

  int64_t extent() const { return parts.extents[1 - parts.depth]; }
  int64_t depth() const { return parts.extents[parts.depth]; }
  int64_t at(int64_t place, int64_t k) const {
    int64_t coordinates[2];
    coordinates[parts.depth] = k;
    coordinates[1 - parts.depth] = place;
    return tile.layout().at(coordinates, 2);
  }

  /// The canonical layout that the first part has, if it has the one of `major` and `mode`.
  std::optional<MatrixOperand> match(SmemMajor major, SmemSwizzle mode, int64_t elementBits) const;
  /// Where parts start, the offsets of a part follow the start's, and a swizzle leaves the start as it is.
  bool isUniform() const;

private:
  const ComposedLayout &tile;
  const MatrixParts &parts;
};

} // namespace

std::optional<MatrixOperand> Matrix::match(SmemMajor major, SmemSwizzle mode, int64_t elementBits) const {
  int64_t chunk = 128 / elementBits, row = smemSwizzleInfo(mode).rowBytes * 8 / elementBits;
  if (depth() != 2 * chunk)
    return std::nullopt;
  MatrixOperand operand{major, mode};
  auto step = [&](int64_t place, int64_t k) { return place < extent() && k < depth() ? at(place, k) - at(0, 0) : 0; };
  bool plain = mode == SmemSwizzle::None;
  int64_t groups, groupDepth = 2;
  if (major == SmemMajor::K) {
    groups = (extent() + 7) / 8;
    operand.stride = step(8, 0);
    operand.leading = plain ? step(0, chunk) : 0;
  } else {
    groups = (extent() + row - 1) / row;
    groupDepth = depth() / 8;
    int64_t along = step(row, 0), deep = step(0, 8);
    operand.leading = plain ? deep : along;
    operand.stride = plain ? along : deep;
  }
  Result<Layout> canonical = wgmmaCanonicalLayout(major, mode, elementBits, groups, groupDepth, operand.leading, operand.stride);
  if (!canonical)
    return std::nullopt;
  for (int64_t place = 0; place < extent(); ++place)
    for (int64_t k = 0; k < depth(); ++k) {
      int64_t coordinates[] = {place, k};
      if (canonical->at(coordinates, 2) != at(place, k) - at(0, 0))
        return std::nullopt;
    }
  return operand;
}

bool Matrix::isUniform() const {
  auto last = [&](unsigned mode) { return parts.divisors[mode] == 0 ? 0 : tile.layout().mode(mode).size() - parts.extents[mode]; };
  auto step = [&](unsigned mode) { return std::max<int64_t>(parts.divisors[mode], 1); };
  const Layout &plain = tile.layout();
  for (int64_t row = 0; row <= last(0); row += step(0))
    for (int64_t column = 0; column <= last(1); column += step(1)) {
      int64_t start[] = {row, column};
      int64_t offset = plain.at(start, 2);
      if (tile.at(start, 2) != offset)
        return false;
      for (int64_t i = 0; i < parts.extents[0]; ++i)
        for (int64_t j = 0; j < parts.extents[1]; ++j) {
          int64_t element[] = {row + i, column + j}, first[] = {i, j};
          if (plain.at(element, 2) != offset + plain.at(first, 2))
            return false;
        }
    }
  return true;
}

static std::string describe(const ComposedLayout &tile) {
  return tile.swizzle().isIdentity() && tile.baseOffset() == 0 ? tile.layout().str() : tile.str();
}

/// The two modes of a tile that are a matrix; an error where others have more than one element.
static Result<ComposedLayout> getMatrixModes(const ComposedLayout &tile, const std::array<unsigned, 2> &modes) {
  const Layout &layout = tile.layout();
  bool known = modes[1] < layout.rank() && layout.isStatic() && tile.baseOffset() == 0;
  if (!known || layout.size() != layout.mode(modes[0]).size() * layout.mode(modes[1]).size())
    return Error{"a matrix that wgmma reads has two modes that are known, not " + describe(tile)};
  Result<Layout> two = Layout::concat({layout.mode(modes[0]), layout.mode(modes[1])});
  if (!two)
    return two.error();
  return tile.swizzle().isIdentity() ? Result<ComposedLayout>(*two) : tile.withLayout(*two);
}

Result<MatrixOperand> tilec::layout::matchMatrixOperand(const ComposedLayout &whole, int64_t elementBits, const MatrixParts &parts) {
  std::string text = describe(whole);
  Result<ComposedLayout> modes = getMatrixModes(whole, parts.modes);
  if (!modes)
    return modes.error();
  const ComposedLayout &tile = *modes;
  Matrix matrix(tile, parts);
  // PTX ISA 9.7.15.5.2, tnspA and tnspB.
  if (elementBits != 16 && matrix.extent() > 1 && matrix.at(1, 0) - matrix.at(0, 0) == 1)
    return Error{"wgmma reads elements of " + std::to_string(elementBits) + " bits where they lie side by side along k, but layout " + text +
                 " has them so along m or n"};
  for (SmemSwizzle mode : {SmemSwizzle::Bytes128, SmemSwizzle::Bytes64, SmemSwizzle::Bytes32, SmemSwizzle::None})
    for (SmemMajor major : {SmemMajor::K, SmemMajor::MN}) {
      Result<ComposedLayout> atom = smemAtom(major, mode, elementBits);
      if (!atom || (atom->swizzle().isIdentity() ? !tile.swizzle().isIdentity() : atom->swizzle() != tile.swizzle()))
        continue;
      std::optional<MatrixOperand> operand = matrix.match(major, mode, elementBits);
      if (!operand)
        continue;
      if (!matrix.isUniform())
        return Error{"parts of a tile with layout " + text + " start inside of its pattern"};
      return *operand;
    }
  return Error{"wgmma reads no tile with layout " + text + "; for instance " +
               tileToShape(*smemAtom(SmemMajor::K, SmemSwizzle::Bytes128, elementBits), {64, 1024 / elementBits})->str() + " is one of its layouts"};
}

Result<ComposedLayout> tilec::layout::matrixTileLayout(const std::vector<int64_t> &extents, unsigned along, SmemSwizzle swizzle, int64_t elementBits) {
  Result<ComposedLayout> atom = smemAtom(SmemMajor::K, swizzle, elementBits);
  if (!atom)
    return atom.error();
  int64_t row = smemSwizzleInfo(swizzle).rowBytes * 8 / elementBits, rows = 1, pieces = extents[along] / row;
  if (pieces * row != extents[along])
    return Error{"rows of " + std::to_string(extents[along]) + " elements are not pieces of " + std::to_string(row)};
  std::vector<IntTuple> shape, strides;
  for (size_t mode = 0; mode < extents.size(); ++mode) {
    shape.push_back(extents[mode]);
    strides.push_back(extents[mode] == 1 ? 0 : row);
    rows *= mode == along ? 1 : extents[mode];
  }
  shape[along] = pieces == 1 ? IntTuple(row) : IntTuple::tuple({row, pieces});
  strides[along] = pieces == 1 ? IntTuple(1) : IntTuple::tuple({1, rows * row});
  Result<Layout> layout = Layout::get(IntTuple::tuple(std::move(shape)), IntTuple::tuple(std::move(strides)));
  if (!layout)
    return layout.error();
  return atom->swizzle().isIdentity() ? Result<ComposedLayout>(*layout) : atom->withLayout(*layout);
}
