//===- CopyPlan.cpp - Who copies what, and how wide -------------*- C++ -*-===//

#include "tilec/Analysis/CopyPlan.h"

#include "tilec/Layout/Algebra.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::analysis;

constexpr int64_t kSectorBytes = 32;

std::optional<SmallVector<int64_t>>
tilec::analysis::getStrides(const layout::ComposedLayout &layout) {
  if (!layout.swizzle().isIdentity())
    return std::nullopt;
  SmallVector<int64_t> strides;
  for (size_t dim = 0; dim < layout.layout().rank(); ++dim) {
    layout::Layout mode = layout.layout().mode(dim);
    if (mode.modes().size() > 1)
      mode = layout::coalesce(mode);
    if (mode.modes().size() > 1)
      return std::nullopt;
    strides.push_back(mode.modes().front().stride);
  }
  return strides;
}

FailureOr<int64_t> tilec::analysis::getCosize(MemRefType type) {
  FailureOr<layout::ComposedLayout> layout = tile::getStaticLayout(type);
  if (failed(layout))
    return failure();
  layout::Result<int64_t> cosize = layout->cosize();
  if (!cosize)
    return failure();
  return *cosize;
}

int64_t tilec::analysis::getSlotElements(int64_t cosize, int64_t elementBytes) {
  return llvm::alignTo(cosize, tile::kWidestBytes / elementBytes);
}

/// Can all strides but that along `along` be multiples of `width`?
static bool hasAlignedRows(const CopySource &source, unsigned along, int64_t width) {
  for (auto [dim, stride] : llvm::enumerate(source.strides))
    if (dim != along && !ShapedType::isDynamic(stride) && stride % width != 0)
      return false;
  return true;
}

/// Are groups of `width` elements along dimension `along` aligned and whole, for some launch?
static bool isAligned(const CopySource &source, unsigned along, int64_t width) {
  int64_t extent = source.extents[along];
  bool whole = ShapedType::isDynamic(extent) || extent % width == 0;
  return whole && source.divisors[along] % width == 0 && hasAlignedRows(source, along, width);
}

/// Do steps of `distribution` along other dimensions than `along` move by multiples of `width` elements?
static bool stepsBy(const tile::Distribution &distribution, ArrayRef<int64_t> strides, unsigned along, int64_t width) {
  return llvm::all_of(llvm::enumerate(distribution.dims), [&](const auto &dim) {
    return dim.index() == along || llvm::all_of(dim.value(), [&](const tile::Digit &digit) { return digit.step * strides[dim.index()] % width == 0; });
  });
}

/// Are the elements of `distribution` that lie at multiples of `width` along dimension `along` aligned, wherever the rows of the operand begin? The tile's
/// first element is taken to be.
static bool isAlignedByNumber(const tile::Distribution &distribution, const CopySource &source, unsigned along, int64_t width) {
  return source.beforeMoves % width == 0 && stepsBy(distribution, source.strides, along, width);
}

/// Can elements along dimension `along` lie side by side?
static bool canBeRow(const CopySource &source, unsigned along) {
  return source.strides[along] == 1 || ShapedType::isDynamic(source.strides[along]);
}

/// Is what the operand does not have zero in shared memory? cp.async sees to that.
static bool isZeroOutside(const CopyTile &tile) { return tile.pad.value_or(tile::Pad::Zero) == tile::Pad::Zero; }

bool tilec::analysis::isAsync(const CopyTile &tile, CopyForm form) {
  return tile.ahead && form.width * tile.elementBytes >= kLeastAsyncBytes && isZeroOutside(tile);
}

bool tilec::analysis::canCopy(const CopyTile &tile, const CopySource &source, CopyForm form) {
  auto [along, width] = form;
  return width == 1 || (tile.ahead && isZeroOutside(tile) && canBeRow(source, along) && tile.shape[along] % width == 0 &&
                        isAligned(source, along, width) && tile::hasAlignedRuns(tile.layout, along, width));
}

SmallVector<CopyForm> tilec::analysis::getCopyForms(const CopyTile &tile,
                                                    const CopySource &source) {
  unsigned last = tile.shape.size() - 1;
  std::optional<unsigned> unit;
  for (auto [dim, stride] : llvm::enumerate(source.strides))
    if (stride == 1)
      unit = dim;
  SmallVector<CopyForm> forms;
  // Elements that cp.async moves one by one gain little from smaller groups; narrower ones would go through registers.
  int64_t widest = tile::kWidestBytes / tile.elementBytes;
  int64_t least = tile.elementBytes < kLeastAsyncBytes ? kLeastAsyncBytes / tile.elementBytes : widest;
  for (int64_t width = widest; forms.empty() && width > 1 && width >= least; width /= 2)
    for (unsigned dim = 0; dim <= last; ++dim)
      if ((!unit || *unit == dim) && canCopy(tile, source, {dim, width}))
        forms.push_back({dim, width});
  for (unsigned dim = 0; !unit && dim < last; ++dim)
    if (tile.shape[dim] > 1 && ShapedType::isDynamic(source.strides[dim]))
      forms.push_back({dim, 1});
  forms.push_back({unit.value_or(last), 1});
  return forms;
}

bool tilec::analysis::admits(CopyForm form, const CopySource &known, ArrayRef<int64_t> strides,
                             ArrayRef<int64_t> extents, bool aligned, bool whole) {
  auto isAsked = [](int64_t value) { return ShapedType::isDynamic(value); };
  if (isAsked(known.strides[form.along]) && strides[form.along] != 1)
    return false;
  if (form.width == 1)
    return true;
  // With the extent a multiple of the width a group is present or absent as a whole.
  if (!aligned || (!whole && isAsked(known.extents[form.along]) && extents[form.along] % form.width != 0))
    return false;
  for (auto [dim, stride] : llvm::enumerate(strides))
    if (dim != form.along && isAsked(known.strides[dim]) && stride % form.width != 0)
      return false;
  return true;
}

SmallVector<CopyDigit> tilec::analysis::getCopyDigits(const CopyTile &tile, CopyForm form) {
  // Layouts that are no sum of strides see to their banks themselves.
  std::optional<SmallVector<int64_t>> strides = getStrides(tile.layout);
  int64_t extent = tile.shape[form.along], sector = kSectorBytes / tile.elementBytes;
  bool transposes = form.width == 1 && strides && (*strides)[form.along] != 1 && extent > sector &&
                    extent % sector == 0;
  SmallVector<CopyDigit> digits = {
      {form.along, transposes ? sector : extent / form.width, form.width}};
  for (int64_t dim = static_cast<int64_t>(tile.shape.size()) - 1; dim >= 0; --dim)
    if (dim != form.along)
      digits.push_back({static_cast<unsigned>(dim), tile.shape[dim], 1});
  if (transposes)
    digits.push_back({form.along, extent / sector, sector});
  return digits;
}

bool tilec::analysis::isSumOfPlaces(ArrayRef<CopyDigit> digits, int64_t threads) {
  int64_t below = 1;
  return llvm::all_of(digits, [&](const CopyDigit &digit) {
    bool whole = threads % below == 0 || below % threads == 0;
    below *= digit.count;
    return whole;
  });
}

bool tilec::analysis::isEven(ArrayRef<CopyDigit> digits, int64_t threads) {
  int64_t groups = 1;
  for (const CopyDigit &digit : digits)
    groups *= digit.count;
  return isSumOfPlaces(digits, threads) && groups % threads == 0;
}

SmallVector<ThreadDigit> tilec::analysis::getFreeDigits(SmallVector<ThreadDigit> covered, int64_t threads) {
  llvm::sort(covered, [](const ThreadDigit &a, const ThreadDigit &b) { return std::tie(a.stride, a.count) < std::tie(b.stride, b.count); });
  SmallVector<ThreadDigit> free;
  int64_t below = 1;
  auto addUpTo = [&](int64_t stride) {
    if (stride > below)
      free.push_back({below, stride / below});
  };
  for (const ThreadDigit &digit : covered) {
    addUpTo(digit.stride);
    below = digit.stride * digit.count;
  }
  addUpTo(llvm::divideCeil(threads, below) * below);
  return free;
}

bool tilec::analysis::endsWithLoop(tile::ForOp loop, tile::StageOp stage) {
  tile::Access access = tile::getSourceAccess(stage);
  auto operand = dyn_cast<BlockArgument>(access.root);
  // Padding other than with zero reads elements for those that are absent.
  if (!operand || stage.getPad().value_or(tile::Pad::Zero) != tile::Pad::Zero)
    return false;
  auto kernel = stage->getParentOfType<tile::KernelOp>();
  for (auto [dim, sum] : llvm::enumerate(access.subscripts)) {
    bool grows = sum.constant >= 0 && sum.factorOf(loop.getInductionVar(0)) > 0 &&
                 llvm::all_of(sum.terms, [](const auto &term) { return term.second >= 0; });
    auto [root, bounds] = access.getBounds(dim);
    OpFoldResult extent = kernel.getOperandExtent(cast<BlockArgument>(root).getArgNumber(), bounds), end = loop.getExtent(0);
    std::optional<int64_t> fixed = getConstantIntValue(extent), last = getConstantIntValue(end);
    if (grows && (fixed && last ? *fixed <= *last : extent == end))
      return true;
  }
  return false;
}

bool tilec::analysis::canLoadWide(const tile::Distribution &distribution, const layout::ComposedLayout &layout,
                                  const TilePlace &place, int64_t width) {
  std::optional<unsigned> along = distribution.getRunDim();
  if (!along || !distribution.hasRuns(width))
    return false;
  if (place.divisors[*along] % width == 0 && tile::hasAlignedRuns(layout, *along, width))
    return true;
  std::optional<SmallVector<int64_t>> strides = getStrides(layout);
  return strides && (*strides)[*along] == 1 && place.before % width == 0 && stepsBy(distribution, *strides, *along, width);
}

int64_t tilec::analysis::getLoadWidth(const tile::Distribution &distribution,
                                      const layout::ComposedLayout &layout, int64_t elementBytes,
                                      const TilePlace &place) {
  for (int64_t width = tile::kWidestBytes / elementBytes; width > 1 && width * elementBytes >= 4; width /= 2)
    if (canLoadWide(distribution, layout, place, width))
      return width;
  return 1;
}

std::optional<WideRuns> tilec::analysis::getWideRuns(const tile::Distribution &distribution, const RunSource &from, int64_t width) {
  const CopySource &source = from.source;
  std::optional<unsigned> along = distribution.getRunDim();
  if (!along || width == 1 || source.single || !canBeRow(source, *along))
    return std::nullopt;
  if (from.edges == tile::EdgeCheck::Element) {
    if (from.pad.value_or(tile::Pad::Zero) != tile::Pad::Zero || !distribution.hasRuns(width))
      return std::nullopt;
    // A group is present or absent as a whole.
    if (isAligned(source, *along, width))
      return WideRuns{{*along, width}};
    if (source.before % width == 0 && isAlignedByNumber(distribution, source, *along, width))
      return WideRuns{{*along, width}, /*head=*/0, /*partial=*/true};
    return std::nullopt;
  }
  bool byRows = source.moves[*along] % width == 0 && hasAlignedRows(source, *along, width);
  if (!byRows && !isAlignedByNumber(distribution, source, *along, width))
    return std::nullopt;
  int64_t head = llvm::mod(-(byRows ? source.constants[*along] : source.before), width), run = distribution.getLocalDigits().back().digit.count;
  bool aligned = llvm::all_of(distribution.dims[*along], [&](const tile::Digit &digit) {
    return (digit.step == 1 && digit.threadStride == 0) || digit.step % width == 0;
  });
  if (!aligned || head + width > run)
    return std::nullopt;
  return WideRuns{{*along, width}, head};
}

std::optional<WideRuns> tilec::analysis::getWidestRuns(const tile::Distribution &distribution, const RunSource &from, int64_t elementBytes) {
  for (int64_t width = tile::kWidestBytes / elementBytes; width > 1 && width * elementBytes >= 4; width /= 2)
    if (std::optional<WideRuns> wide = getWideRuns(distribution, from, width))
      return wide;
  return std::nullopt;
}

bool tilec::analysis::canStoreWide(const tile::Distribution &distribution, const CopySource &dest, int64_t width) {
  std::optional<unsigned> along = distribution.getRunDim();
  return along && canBeRow(dest, *along) && distribution.hasRuns(width) && isAligned(dest, *along, width);
}

std::optional<CopyForm> tilec::analysis::getWideStore(const tile::Distribution &distribution,
                                                      int64_t elementBytes, const CopySource &dest) {
  // Two texts of stores of many short runs are long, for launches of which only some take the first.
  if (std::optional<unsigned> along = distribution.getRunDim(); along && dest.strides[*along] != 1 && !distribution.getBox())
    return std::nullopt;
  for (int64_t width = tile::kWidestBytes / elementBytes; width > 1 && width * elementBytes >= 4; width /= 2)
    if (canStoreWide(distribution, dest, width))
      return CopyForm{*distribution.getRunDim(), width};
  return std::nullopt;
}
