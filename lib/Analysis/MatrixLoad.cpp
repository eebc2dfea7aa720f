//===- MatrixLoad.cpp - Register tiles loaded as matrices --------*- C++ -*-===//

#include "tilec/Analysis/MatrixLoad.h"

#include "tilec/Analysis/CopyDecisions.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::analysis;
using tile::Digit;
using tile::Distribution;
using tile::LocalDigit;

// A matrix (PTX ISA 9.7.14.5.15): lane t has word t % 4 of row t / 4, or with .trans elements t / 4 of the two rows from 2 (t % 4) on.
constexpr int64_t kRows = 8, kWordBytes = 4, kWordsOfRow = 4, kTransposedBytes = 2;

namespace {

/// Builds the rows of one load.
class Finder {
public:
  Finder(const Distribution &held, const layout::ComposedLayout &layout, ArrayRef<int64_t> divisors, int64_t elementBytes)
      : held(held), layout(layout), divisors(divisors), elementBytes(elementBytes), run(kWordBytes / elementBytes) {}

  std::optional<MatrixLoad> find(int64_t width) {
    if (run < 1 || width % run != 0 || !findLanes())
      return std::nullopt;
    load.count = width / run;
    if (!llvm::is_contained({1, 2, 4}, load.count) || !addRows() || !addMatrices())
      return std::nullopt;
    return load;
  }

private:
  /// Finds the digits of lanes, and that of the elements of a word, if they have several.
  bool findLanes() {
    values = held.getLocalDigits();
    load.rows.dims.resize(held.dims.size());
    for (auto [dim, digits] : llvm::enumerate(held.dims))
      for (const Digit &digit : digits) {
        bool isWord = digit.threadStride == 1 && digit.count == kWordsOfRow && digit.step == run;
        bool isOctet = digit.threadStride == kWordsOfRow && digit.count == kRows;
        if (isWord)
          words = LocalDigit{static_cast<unsigned>(dim), digit};
        else if (isOctet)
          octet = LocalDigit{static_cast<unsigned>(dim), digit};
        else if (digit.threadStride >= tile::kWarpThreads)
          load.rows.dims[dim].push_back(digit);
        else if (digit.threadStride != 0)
          return false;
      }
    if (!words || !octet || words->dim == octet->dim)
      return false;
    if (run == 1)
      return true;
    bool isRun = !values.empty() && values.back().dim == words->dim && values.back().digit == Digit{run, 1, 0};
    if (isRun)
      values.pop_back();
    return isRun;
  }

  /// Do rows of 16 bytes along `dim` lie side by side and aligned, wherever they begin?
  bool hasRows(unsigned dim, int64_t elements) const {
    return divisors[dim] % elements == 0 && tile::hasAlignedRuns(layout, dim, elements) &&
           llvm::all_of(held.dims[dim], [&](const Digit &digit) { return digit.step % elements == 0 || digit.step * digit.count <= elements; });
  }

  /// The lanes that name the rows of a matrix.
  bool addRows() {
    int64_t elements = tile::kWidestBytes / elementBytes;
    if (hasRows(words->dim, elements)) {
      load.rows.dims[octet->dim].push_back({kRows, octet->digit.step, 1});
      return true;
    }
    load.transposes = true;
    load.rows.dims[words->dim].push_back({kRows, 1, 1});
    return elementBytes == kTransposedBytes && octet->digit.step == 1 && hasRows(octet->dim, elements);
  }

  /// The lanes of the matrices of one load, which are the last in a lane's array, and what loads walk.
  bool addMatrices() {
    int64_t left = load.count;
    for (; left > 1 && !values.empty(); values.pop_back()) {
      auto [dim, digit] = values.back();
      int64_t part = std::min(left, digit.count);
      if (left % part != 0 || digit.count % part != 0)
        return false;
      load.rows.dims[dim].push_back({part, digit.step, kRows * load.count / left});
      left /= part;
      if (part < digit.count) {
        load.step = part;
        break;
      }
    }
    for (const LocalDigit &value : values)
      load.rows.dims[value.dim].push_back(value.digit);
    for (SmallVector<Digit> &digits : load.rows.dims)
      llvm::stable_sort(digits, [](const Digit &a, const Digit &b) { return a.step > b.step; });
    load.rows.setOrder(values);
    return left == 1;
  }

  const Distribution &held;
  const layout::ComposedLayout &layout;
  ArrayRef<int64_t> divisors;
  int64_t elementBytes;
  /// Elements of a word.
  int64_t run;
  SmallVector<LocalDigit> values;
  std::optional<LocalDigit> words, octet;
  MatrixLoad load;
};

} // namespace

std::optional<MatrixLoad> tilec::analysis::getMatrixLoad(const Distribution &held, const layout::ComposedLayout &layout, ArrayRef<int64_t> divisors,
                                                         int64_t elementBytes, int64_t width) {
  return Finder(held, layout, divisors, elementBytes).find(width);
}

RegisterLoad tilec::analysis::getRegisterLoad(tile::StageOp stage, const Distribution &held, const layout::ComposedLayout &layout,
                                              const TilePlace &place) {
  int64_t elementBytes = cast<MemRefType>(stage.getTile().getType()).getElementTypeBitWidth() / 8;
  std::optional<int64_t> stated = stage.getWide();
  bool isOpen = !stage.getCopy() && !stated && tile::getInnermostUnit(stage) == tile::Unit::Warp;
  for (int64_t bytes = tile::kWidestBytes; bytes >= kWordBytes && (isOpen || stage.getCopy() == tile::Copy::Ldmatrix); bytes /= 2) {
    int64_t width = bytes / elementBytes;
    if (width == stated.value_or(width))
      if (std::optional<MatrixLoad> matrices = getMatrixLoad(held, layout, place.divisors, elementBytes, width))
        return {width, matrices};
  }
  return {getLoadWidth(stage, held, layout, place), std::nullopt};
}
