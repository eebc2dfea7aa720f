//===- SuggestRaster.cpp - An order of blocks that feeds the units -*- C++ -*-===//
//
// What tiles do not promise, blocks that run together may still share: each order
// is predicted with before it is suggested.
//
//===----------------------------------------------------------------------===//

#include "tilec/Analysis/Prediction.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::analysis;

/// Lines, groups, the smallest first, and boxes of as many blocks as run together, the lowest first.
static std::vector<RasterOrder> listOrders(int64_t rows, int64_t concurrent) {
  std::vector<RasterOrder> orders = {{RasterOrder::Row}, {RasterOrder::Column}};
  for (int64_t group = 2; group < rows; group *= 2)
    orders.push_back({RasterOrder::Grouped, group});
  for (int64_t height = 2; height < std::min(rows, concurrent); height *= 2)
    orders.push_back({RasterOrder::Boxes, height, (concurrent + height - 1) / height});
  return orders;
}

std::optional<Suggestion> tilec::analysis::suggestRaster(
    const NestModel &model, const NestTraffic &traffic, const NestTraffic &whole,
    const ThroughputMatch &match, const Resources &resources, const MachineSpec &machine,
    const Prediction &prediction) {
  auto dram = llvm::find_if(match.stages, [](const StageMatch &stage) {
    return stage.from == tile::Level::DRAM && stage.requiredReuse && !stage.satisfied;
  });
  if (dram == match.stages.end() || !match.roofline.computeBound || !prediction.raster ||
      prediction.opportunisticReuse.value_or(0) >= *dram->requiredReuse)
    return std::nullopt;
  for (const RasterOrder &order : listOrders(model.loops.front().count(), prediction.raster->concurrent)) {
    Prediction with = predictTraffic(model, traffic, whole, resources, machine, std::nullopt, order);
    if (!with.raster) // The grid does not suit the order, nor those after it.
      return std::nullopt;
    if (with.opportunisticReuse.value_or(0) < *dram->requiredReuse)
      continue;
    Suggestion suggestion{"raster(" + order.str() + ")", *with.opportunisticReuse, Suggestion::Kind::Raster, {}};
    if (order.kind == RasterOrder::Grouped || order.kind == RasterOrder::Boxes)
      suggestion.values.push_back(order.rows);
    if (order.kind == RasterOrder::Boxes)
      suggestion.values.push_back(order.columns);
    return suggestion;
  }
  return std::nullopt;
}
