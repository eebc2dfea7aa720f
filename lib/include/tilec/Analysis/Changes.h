//===- Changes.h - What might make a nest faster ------------------*- C++ -*-===//
//
// Candidates, as data and in words. Which of them a nest accepts, and whether they
// pay, is for those to find out who write them into it and analyse that.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_ANALYSIS_CHANGES_H
#define TILEC_ANALYSIS_CHANGES_H

#include "tilec/Analysis/LayoutPlan.h"
#include "tilec/Analysis/Prediction.h"

#include <map>

namespace tilec::analysis {

/// A change of one thing that a nest says.
struct Change {
  enum class Kind { BlockTile, ThreadTile, Pipeline, Raster, Layout, ThreadOrder };
  Kind kind = Kind::BlockTile;
  /// In words: "block tile 64x64".
  std::string text;
  /// The new steps, the depth of the pipeline, the sides of the raster's groups or boxes if it has any, or the order of the
  /// loop's induction variables.
  llvm::SmallVector<int64_t, 3> values;
  /// Numbers of the model's loops that get these steps; the one that stages, or the first of those on thread.
  llvm::SmallVector<unsigned, 3> loops;
  RasterOrder raster = {};
  /// Of the tile with this number.
  unsigned tile = 0;
  std::optional<layout::ComposedLayout> layout = std::nullopt;
};

/// "block_tile", "thread_tile", "pipeline", "raster", "layout" or "thread_order".
llvm::StringRef toString(Change::Kind kind);

/// What is worth trying: steps of the loops on block and on thread that move inputs, halved, doubled and four times as large;
/// other depths of pipelines on machines that copy asynchronously; the orders of blocks of which `prediction` says that
/// DRAM moves less; `layouts` of tiles whose accesses collide, by the tile's number; and the other order of the threads of
/// loops with several induction variables.
std::vector<Change> listChanges(const NestModel &model, const Prediction &prediction, const std::map<unsigned, LayoutPlan> &layouts,
                                const MachineSpec &machine);

} // namespace tilec::analysis

#endif // TILEC_ANALYSIS_CHANGES_H
