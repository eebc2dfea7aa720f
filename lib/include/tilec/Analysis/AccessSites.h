//===- AccessSites.h - What the lanes of a warp ask for ----------*- C++ -*-===//
//
// The memory instructions of a nest as the lowering writes them: for each the
// coordinates that each lane of each warp of a block names in its first request.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_ANALYSIS_ACCESSSITES_H
#define TILEC_ANALYSIS_ACCESSSITES_H

#include "tilec/Analysis/NestModel.h"

namespace tilec::analysis {

/// Coordinates of the first element that a lane accesses; absent for a lane that takes no part.
using LaneCoordinates = std::optional<llvm::SmallVector<int64_t, 4>>;

/// One load or store of shared or global memory.
struct AccessSite {
  mlir::Operation *op = nullptr;
  /// Of the operand, or of the one that the tile was staged from.
  std::string name;
  /// A tile in shared memory if true, otherwise an operand; `root` is the number of either.
  bool shared = false;
  unsigned root = 0;
  bool writes = false;
  int64_t elementBytes = 0;
  /// Consecutive elements that a lane moves at once.
  int64_t width = 1;
  /// 32 lanes of each warp of a block.
  std::vector<std::vector<LaneCoordinates>> warps;

  int64_t bytesPerLane() const { return elementBytes * width; }
};

/// The loads and stores of `model`: of stages, then of computations, then of stores. Each has its
/// first request: loops on blocks, time and unroll at their first iteration, whole tiles. Registers
/// that the lowering refuses to spread over threads are left out.
std::vector<AccessSite> findAccessSites(const NestModel &model);

/// Strides of an operand in elements: those that its type gives; for others those of a dense
/// row-major operand, whose last dimension has stride 1.
llvm::SmallVector<int64_t> getOperandStrides(const NestModel &model, unsigned argument);

/// The byte address of each lane, from the start of the operand on.
std::vector<std::optional<int64_t>> getAddresses(const AccessSite &site, unsigned warp,
                                                 llvm::ArrayRef<int64_t> strides);

/// The same, from the start of a tile that lies as `layout` says.
std::vector<std::optional<int64_t>> getAddresses(const AccessSite &site, unsigned warp,
                                                 const layout::ComposedLayout &layout);

} // namespace tilec::analysis

#endif // TILEC_ANALYSIS_ACCESSSITES_H
