//===- BulkPlan.h - Tiles that TMA can copy -----------------------*- C++ -*-===//
//
// What copy(tma) asks of a stage. The lowering describes tensor maps by it, and the
// analysis suggests by it: what one does, the other says.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_ANALYSIS_BULKPLAN_H
#define TILEC_ANALYSIS_BULKPLAN_H

#include "tilec/Analysis/ClusterPlan.h"

namespace tilec::analysis {

/// CUDA driver API 6.30: boxes start at multiples of so many bytes in shared memory.
constexpr int64_t kBoxAlignment = 128;
/// The same: an operand's base and strides and the rows of a box are multiples of so many bytes. So is the place where a
/// row begins; at others an H100 meets an illegal instruction (docs/results/gpu.md).
constexpr int64_t kBulkBytes = 16;

/// The dimensions of a tile with these strides as a box has them: fastest first.
llvm::SmallVector<unsigned> orderBoxDims(llvm::ArrayRef<int64_t> strides, llvm::ArrayRef<int64_t> shape);

/// A tile as a box of an operand, without gaps.
struct BulkBox {
  mlir::BlockArgument operand;
  /// Dimensions of the tile, fastest first, and the elements along each.
  llvm::SmallVector<unsigned> dims;
  llvm::SmallVector<int64_t> extents;
  int64_t bytes = 0;
  /// Stride of the operand along the fastest dimension, which must be 1; `ShapedType::kDynamic` where it is known only
  /// at launch.
  int64_t stride = 0;
};

/// Of dimensions of a box with these extents, fastest first: the number of the slowest with more than one element. Slices along it
/// lie in one piece.
unsigned getSliced(llvm::ArrayRef<int64_t> extents);

/// The box that `stage` copies to, if its tile is of `type`. Fails with a diagnostic where it copies from no operand, pads
/// with other than zero, or the tile is no box: of 1 to 5 dimensions, at most 256 elements along each, rows of whole 16
/// bytes that begin at whole 16 bytes of the operand's, no gaps; or where the operand has a static stride that is not whole 16 bytes.
mlir::FailureOr<BulkBox> getBulkBox(tile::StageOp stage, mlir::MemRefType type);

/// The stages that say copy(tma), in their order: each has a tensor map.
llvm::SmallVector<tile::StageOp> getBulkStages(tile::KernelOp kernel);

/// How a stage that says copy(tma) is copied.
struct BulkCopy {
  /// What one copy takes: the tile, or a slice of it.
  BulkBox box;
  /// The blocks that want the same tile; the first `slices` of them copy a box each for all.
  BlockGroup sharers;
  int64_t slices = 1;
  /// The dimension of the box that the tile is sliced along.
  unsigned sliced = 0;
};

/// Fails with a diagnostic where the tile's layout or the operand's is not a box's.
mlir::FailureOr<BulkCopy> getBulkCopy(tile::StageOp stage);

} // namespace tilec::analysis

#endif // TILEC_ANALYSIS_BULKPLAN_H
