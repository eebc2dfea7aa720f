//===- AccessSites.h - What the lanes of a warp ask for ----------*- C++ -*-===//
//
// The memory instructions of a nest as the lowering writes them: for each the
// coordinates that each lane of each warp of a block names, and the loops that
// move them.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_ANALYSIS_ACCESSSITES_H
#define TILEC_ANALYSIS_ACCESSSITES_H

#include "tilec/Analysis/LaunchLayouts.h"
#include "tilec/Analysis/NestModel.h"

namespace tilec::analysis {

/// Coordinates of the first element that a lane accesses; absent for a lane that takes no part.
using LaneCoordinates = std::optional<llvm::SmallVector<int64_t, 4>>;

/// One instruction of one warp, from the place on where the access starts.
struct WarpLanes {
  unsigned warp = 0;
  /// 32 of them; of a box one, for its first element.
  std::vector<LaneCoordinates> lanes;
};

/// Coordinates that all lanes add.
struct AccessStep {
  llvm::SmallVector<int64_t, 4> by;
  /// Instructions with this step.
  int64_t times = 1;
};

/// One load or store of shared or global memory.
struct AccessSite {
  mlir::Operation *op = nullptr;
  /// Of the operand, or of the one that the tile was staged from.
  std::string name;
  /// A tile in shared memory if true, otherwise an operand; `root` is the number of either.
  bool shared = false;
  /// An operand in constant memory.
  bool constant = false;
  unsigned root = 0;
  bool writes = false;
  /// Combines with what is there, each lane for itself.
  bool atomic = false;
  int64_t elementBytes = 0;
  /// Consecutive elements that a lane moves at once.
  int64_t width = 1;
  /// The instructions of one execution: each of `warps` at each of `steps`.
  std::vector<WarpLanes> warps;
  std::vector<AccessStep> steps;
  /// Where the access starts; loops on threads are in the lanes, not here. Behind the dimensions of
  /// the operand or tile come sums that must lie in 0 .. guards[i] - 1 for a lane to take part; steps and
  /// lanes move them too.
  llvm::SmallVector<Subscript, 2> at;
  llvm::SmallVector<int64_t> guards;
  /// So many of the last guards are iterations that there are, which all lanes ask for.
  unsigned bounds = 0;
  /// Lanes take part where one of those sums lies elsewhere instead: what others do that ask for all at once, they do by element.
  bool beyond = false;
  /// Loops around it that are not on threads, with their iterations; a pipeline's start early.
  llvm::SmallVector<std::pair<unsigned, int64_t>> loops;
  /// What lanes do where the operand has no element: nothing, or they ask for the one that pads.
  std::optional<tile::Pad> pad;
  /// Executed only under a condition that the nest states.
  bool conditional = false;
  /// Data says where the elements lie: coordinates of a dimension are places among indices, and requests are not counted.
  bool scattered = false;
  /// One of the two sides of a copy into shared memory.
  bool copy = false;
  /// Boxes that one thread asks for, a request each: the elements of a box along each dimension.
  llvm::SmallVector<int64_t, 4> box;
  /// Of a copy whose widest form this launch does not allow: bytes that it would move at once, 0 for boxes.
  std::optional<int64_t> widestBytes;

  bool isBulk() const { return !box.empty(); }
  int64_t bytesPerLane() const { return elementBytes * width; }
  /// Dimensions of the operand or tile.
  size_t rank() const { return at.size() - guards.size(); }
};

/// Of the accesses of one tile in shared memory those that are asked for: what its copy reads, what fills it, or all others of it.
struct TileAccesses {
  enum class Which { Source, Filling, Others };
  unsigned tile;
  Which which;
};

/// The loads and stores of `model`: of stages, then of computations, then of stores. Forms of copies
/// that a kernel chooses at launch are those of `layouts`. Registers that the lowering refuses to
/// spread over threads are left out. With `only`, these alone.
std::vector<AccessSite> findAccessSites(const NestModel &model, const LaunchLayouts &layouts,
                                        std::optional<TileAccesses> only = std::nullopt);

} // namespace tilec::analysis

#endif // TILEC_ANALYSIS_ACCESSSITES_H
