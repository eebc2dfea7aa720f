//===- SuggestRaster.cpp - An order of blocks that feeds the units -*- C++ -*-===//
//
// What tiles do not promise, blocks that run together may still share: each group
// is predicted with before it is suggested.
//
//===----------------------------------------------------------------------===//

#include "tilec/Analysis/Prediction.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::analysis;

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
  for (int64_t group = 2; group < model.loops.front().count(); group *= 2) {
    Prediction with = predictTraffic(model, traffic, whole, resources, machine, std::nullopt,
                                     RasterOrder{RasterOrder::Grouped, group});
    if (!with.raster)
      return std::nullopt;
    if (with.opportunisticReuse.value_or(0) >= *dram->requiredReuse)
      return Suggestion{"raster(grouped = " + std::to_string(group) + ")",
                        *with.opportunisticReuse, Suggestion::Kind::Raster, {group}};
  }
  return std::nullopt;
}
