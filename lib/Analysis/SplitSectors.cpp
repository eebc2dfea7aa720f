//===- SplitSectors.cpp - Sectors of results of two blocks ------*- C++ -*-===//

#include "tilec/Analysis/SplitSectors.h"

#include "tilec/Analysis/Raster.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::analysis;

namespace {

/// The loop on blocks that moves a result along its rows: the one whose iterations lie closest.
struct RowLoop {
  unsigned loop = 0;
  int64_t apart = 0;
};

} // namespace

static std::optional<RowLoop> findRowLoop(const NestModel &model, const Subscript &along) {
  std::optional<RowLoop> row;
  for (const Term &term : along.terms) {
    const LoopModel &loop = model.loops[term.loop];
    int64_t apart = std::abs(term.factor) * loop.step;
    if (loop.onBlocks() && loop.count() > 1 && apart > 0 && (!row || apart < row->apart))
      row = RowLoop{term.loop, apart};
  }
  return row;
}

/// Do blocks whose parts of a row lie beside each other follow one another?
static bool followsAlong(const NestModel &model, unsigned loop) {
  SmallVector<unsigned> grid;
  for (auto [number, other] : llvm::enumerate(model.loops))
    if (other.onBlocks() && other.count() > 1)
      grid.push_back(number);
  RasterOrder order = rasterOf(model);
  switch (order.kind) {
  case RasterOrder::Row:
    return grid.back() == loop;
  case RasterOrder::Column:
  case RasterOrder::Grouped:
    return grid.front() == loop;
  case RasterOrder::Boxes:
    return grid.back() == loop;
  case RasterOrder::Diagonal:
    return false;
  }
  llvm_unreachable("covered switch");
}

/// Places in a sector, in elements, and how many points of the dimensions so far lie there.
using Places = SmallVector<double, 32>;

/// Adds a dimension whose `count` points lie `stride` elements apart, the first of them `stride * first` from the origin.
static Places addDimension(const Places &before, int64_t stride, int64_t first, int64_t count) {
  auto size = static_cast<int64_t>(before.size());
  Places after(size, 0);
  for (int64_t start = 0; start < std::min(size, count); ++start) {
    auto times = static_cast<double>((count - start + size - 1) / size);
    int64_t shift = llvm::mod(stride % size * ((first + start) % size), size);
    for (int64_t place = 0; place < size; ++place)
      after[(place + shift) % size] += before[place] * times;
  }
  return after;
}

/// Of the parts of an operand's rows that begin where loops on blocks step, those that begin inside of a sector.
static double countInside(const NestModel &model, const Place &place, const OperandLayout &layout, int64_t elements) {
  const auto *along = llvm::find(layout.strides, 1);
  if (along == layout.strides.end() || place.gather)
    return 0;
  auto fast = static_cast<size_t>(along - layout.strides.begin());
  std::optional<RowLoop> row = findRowLoop(model, place.at[fast]);
  if (!row || row->apart < elements || followsAlong(model, row->loop))
    return 0;
  SmallVector<int64_t> shape = model.operandShape(place.root);
  Places places(elements, 0);
  places[llvm::mod(layout.offset, elements)] = 1;
  for (auto [dim, extent] : llvm::enumerate(shape)) {
    bool within = dim == fast;
    int64_t count = within ? llvm::divideCeil(std::max<int64_t>(extent, 1), row->apart) - 1 : extent;
    places = addDimension(places, within ? row->apart : layout.strides[dim], within ? 1 : 0, count);
  }
  return llvm::sum_of(ArrayRef(places).drop_front(), 0.0);
}

double tilec::analysis::countSplitSectors(const NestModel &model, const LaunchLayouts &layouts, int64_t sectorBytes) {
  double sectors = 0;
  auto add = [&](const Place &place, int64_t elementBytes, bool conditional) {
    if (place.isOperand && !conditional && elementBytes < sectorBytes)
      sectors += countInside(model, place, layouts.at(place.root), sectorBytes / elementBytes);
  };
  for (const StoreModel &store : model.stores)
    if (!store.combines)
      add(store.to, store.elementBytes, store.conditional);
  for (const ComputeModel &compute : model.computes)
    for (const ComputeOperand &output : compute.outputs)
      add(output.place, output.elementBytes, compute.conditional);
  return sectors;
}

double tilec::analysis::findSplitCycles(const NestModel &model, const LaunchLayouts &layouts, const MachineSpec &machine) {
  const LevelSpec &l2 = machine.level(MemoryLevel::L2);
  if (!l2.bandwidth || model.blocks() <= 1)
    return 0;
  return countSplitSectors(model, layouts, machine.limits.sectorBytes.value) * machine.timing.splitSector.value / l2.bandwidth->value;
}
