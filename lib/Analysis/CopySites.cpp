//===- CopySites.cpp - Copies into shared memory ----------------*- C++ -*-===//
//
// Who copies which element and how wide is CopyPlan's word.
//
//===----------------------------------------------------------------------===//

#include "SiteBuilder.h"

#include "tilec/Analysis/BulkPlan.h"
#include "tilec/Analysis/ClusterPlan.h"
#include "tilec/Analysis/CopyDecisions.h"
#include "tilec/Analysis/HeldTiles.h"
#include "tilec/Analysis/PipelineDecisions.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::analysis;

static CopyForm chooseForm(const SiteBuilder &builder, ArrayRef<CopyForm> forms, const TileModel &tile, const CopySource &source) {
  return *llvm::find_if(forms, [&](const CopyForm &form) {
    return &form == &forms.back() || builder.isTaken(form, *tile.source, source);
  });
}

/// Iterations before the first one only copy; some copy for iterations that do not exist, and one more where a loop begins ahead.
static void addIterationsAhead(const NestModel &model, AccessSite &site, const TileModel &tile) {
  tile::ForOp loop = getPipeline(cast<tile::StageOp>(tile.op));
  if (!loop || loop.getProducers() || loop.getCutTail() ||
      !endsWithLoop(loop, cast<tile::StageOp>(tile.op)))
    return;
  for (auto &[number, count] : site.loops)
    if (model.loops[number].op == loop)
      count += tile.depth - 1 + (getLoopAhead(loop) ? 1 : 0);
}

/// Do all boxes of the loop's tiles come by TMA in this launch? They go one way.
static bool comeInBoxes(const SiteBuilder &builder, tile::ForOp loop) {
  for (const TileModel &tile : builder.model.tiles) {
    auto stage = dyn_cast<tile::StageOp>(tile.op);
    if (!stage || stage.getCopy() != tile::Copy::Tma || stage->getParentOp() != loop)
      continue;
    layout::Result<BoxShape> box = getBoxShape(*tile.layout, tile.shape, tile.elementBytes);
    if (!box || tile.shape.empty()) // No box; the lowering refuses it.
      return false;
    if (!builder.takesBoxes(stage, *tile.source, box->dims.front()))
      return false;
  }
  return true;
}

/// Boxes are copied once for all blocks of a cluster that want the tile: a slice by each of them.
static void addBoxes(const NestModel &model, AccessSite &site, const TileModel &tile) {
  BlockGroup sharers = getSharers(getClusteredLoop(model.kernel), cast<tile::StageOp>(tile.op));
  BoxShape box = *getBoxShape(*tile.layout, tile.shape, tile.elementBytes); // comeInBoxes has seen to it that there is one.
  int64_t slices = getSlices(cast<tile::StageOp>(tile.op), sharers.size(), box), sliced = box.getSliced();
  int64_t slicesOfBox = box.partsPieces(slices) ? 1 : slices;
  box.extents[sliced] /= slicesOfBox;
  site.box.resize(tile.shape.size());
  for (auto [dim, extent] : llvm::zip_equal(box.dims, box.extents))
    site.box[dim] = extent;
  for (int64_t piece = 0; piece < box.pieces; ++piece)
    for (int64_t slice = 0; slice < slicesOfBox; ++slice) {
      SmallVector<int64_t, 4> first(tile.shape.size(), 0);
      first[box.dims[box.pieced]] = piece * tile.shape[box.dims[box.pieced]] / box.pieces;
      first[box.dims[sliced]] += slice * box.extents[sliced];
      site.warps.push_back({0, {first}});
    }
  // The source is read by one block of those that share.
  for (auto &[number, count] : site.loops) {
    tile::ForOp op = model.loops[number].op;
    mlir::Value iv = op.getInductionVar(model.loops[number].number);
    if (!site.shared && llvm::any_of(sharers.own, [&](const RankDigit &digit) { return digit.iv == iv; }))
      count = 1;
  }
}

/// The threads that copy do so in rounds, each an element of the form's width.
static void addRounds(AccessSite &site, const TileModel &tile, CopyForm form, ArrayRef<CopyDigit> digits, int64_t copying) {
  int64_t groups = tile.elements() / form.width;
  site.width = form.width;
  site.steps = {{SmallVector<int64_t, 4>(tile.shape.size(), 0), 1}};
  auto placeOf = [&](int64_t number) {
    SmallVector<int64_t, 4> at(tile.shape.size(), 0);
    for (const CopyDigit &digit : digits) {
      at[digit.dim] += number % digit.count * digit.step;
      number /= digit.count;
    }
    return at;
  };
  auto addRound = [&](int64_t first) {
    SiteBuilder::addWarps(
        site,
        [&](int64_t thread) -> LaneCoordinates {
          return first + thread < groups ? LaneCoordinates(placeOf(first + thread)) : std::nullopt;
        },
        copying);
  };
  if (isEven(digits, copying)) {
    addRound(0);
    site.steps.clear();
    for (int64_t first = 0; first < groups; first += copying)
      site.steps.push_back({placeOf(first), 1});
    return;
  }
  for (int64_t first = 0; first < groups; first += copying)
    addRound(first);
}

/// All of `tile`.
static Place placeOf(const SiteBuilder &builder, const TileModel &tile) {
  Place place;
  place.root = &tile - builder.model.tiles.data();
  place.at.resize(tile.shape.size());
  return place;
}

void tilec::analysis::addCopySites(SiteBuilder &builder, const TileModel &tile, bool reads, bool writes) {
  const NestModel &model = builder.model;
  auto stage = cast<tile::StageOp>(tile.op);
  tile::ForOp loop = getPipeline(stage);
  bool bulk = stage.getCopy() == tile::Copy::Tma && comeInBoxes(builder, loop);
  CopyTile target = {tile.shape, *tile.layout, tile.elementBytes, loop != nullptr,
                     tile.pad};
  CopySource source = builder.getSource(*tile.source);
  SmallVector<CopyForm> forms = getForms(stage, target, source);
  CopyForm form = chooseForm(builder, forms, tile, source);
  SmallVector<CopyDigit> digits = getCopyDigits(target, form);
  std::optional<int64_t> widest;
  if (stage.getCopy() == tile::Copy::Tma && !bulk)
    widest = 0;
  else if (!bulk && forms.front().width > form.width)
    widest = forms.front().width * tile.elementBytes;
  auto add = [&](const Place &place, bool writes) {
    AccessSite &site = builder.start(tile.op, place, writes, tile.elementBytes, tile.loops);
    site.conditional = tile.conditional;
    site.pad = tile.pad;
    site.copy = true;
    site.widestBytes = widest;
    if (bulk) {
      site.steps = {{SmallVector<int64_t, 4>(tile.shape.size(), 0), 1}};
      addBoxes(model, site, tile);
      return;
    }
    addIterationsAhead(model, site, tile);
    addRounds(site, tile, form, digits, loop && loop.getProducers() ? *loop.getProducers() * tile::kWarpThreads : builder.getThreads());
  };
  if (reads) {
    add(*tile.source, /*writes=*/false);
    builder.addIndexSite(*tile.source);
  }
  if (writes)
    add(placeOf(builder, tile), /*writes=*/true);
}

void tilec::analysis::addFillSite(SiteBuilder &builder, const TileModel &tile) {
  CopyTile target = {tile.shape, *tile.layout, tile.elementBytes, /*ahead=*/false, {}};
  CopyForm form = getFillForm(target);
  AccessSite &site = builder.start(tile.op, placeOf(builder, tile), /*writes=*/true, tile.elementBytes, tile.loops);
  site.conditional = tile.conditional;
  addRounds(site, tile, form, getCopyDigits(target, form), builder.getThreads());
}
