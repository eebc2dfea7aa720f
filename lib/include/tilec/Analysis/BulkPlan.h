//===- BulkPlan.h - Tiles that TMA can copy -----------------------*- C++ -*-===//
//
// What copy(tma) asks of a stage. The lowering describes tensor maps by it, and the
// analysis suggests by it: what one does, the other says.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_ANALYSIS_BULKPLAN_H
#define TILEC_ANALYSIS_BULKPLAN_H

#include "tilec/Analysis/ClusterPlan.h"
#include "tilec/Analysis/CopyPlan.h"
#include "tilec/Layout/Swizzle.h"

namespace tilec::analysis {

/// CUDA driver API 6.30: boxes start at multiples of so many bytes in shared memory, with a swizzle at multiples of so many rows of it.
constexpr int64_t kBoxAlignment = 128;
constexpr int64_t kSwizzleRows = 8;
/// The same: an operand's base and strides and the rows of a box are multiples of so many bytes. So is the place where a
/// row begins; at others an H100 meets an illegal instruction (docs/results/gpu.md).
constexpr int64_t kBulkBytes = 16;

/// A tile as boxes without gaps: one, or several of the same shape that lie side by side along one dimension of the tile and one
/// after the other in shared memory.
struct BoxShape {
  /// Dimensions of the tile, fastest first, and the elements of a box along each.
  llvm::SmallVector<unsigned> dims;
  llvm::SmallVector<int64_t> extents;
  /// Boxes along `dims[pieced]`.
  int64_t pieces = 1;
  unsigned pieced = 0;
  /// Of a box.
  int64_t bytes = 0;
  /// Chunks of 16 bytes change places within so many bytes, 0 for none.
  int64_t swizzleBytes = 0;

  /// Boxes start at multiples of so many bytes.
  int64_t alignment() const;
  /// Among `dims` the slowest with more than one element. Slices along it lie in one piece.
  unsigned getSliced() const;
  /// Do as many slices part the boxes among them, each as it is, rather than each box?
  bool partsPieces(int64_t slices) const { return slices > 1 && pieces % slices == 0; }
  /// Do the boxes part into so many slices that are equal, and start where boxes may?
  bool canSlice(int64_t slices) const;
};

/// The boxes of a tile with this layout. Refuses layouts that are none: swizzles that the hardware does not have, several nested
/// dimensions, gaps.
layout::Result<BoxShape> getBoxShape(const layout::ComposedLayout &layout, llvm::ArrayRef<int64_t> shape, int64_t elementBytes);

/// The largest number of slices, at most `blocks`.
int64_t countSlices(const BoxShape &box, int64_t blocks);

/// Boxes of an operand.
struct BulkBox : BoxShape {
  mlir::BlockArgument operand;
  /// Stride of the operand along the fastest dimension, which must be 1; `ShapedType::kDynamic` where it is known only
  /// at launch.
  int64_t stride = 0;
};

/// The boxes that `stage` copies to, if its tile is of `type`. Fails with a diagnostic where it copies from no operand, pads
/// with other than zero, or the tile is no box: of 1 to 5 dimensions, at most 256 elements along each, rows of whole 16
/// bytes that begin at whole 16 bytes of the operand's, no gaps; or where the operand has a static stride that is not whole 16 bytes.
mlir::FailureOr<BulkBox> getBulkBox(tile::StageOp stage, mlir::MemRefType type);

/// What TMA asks of an operand at launch.
struct BulkNeeds {
  /// As groups of 16 bytes do.
  CopyForm form;
  /// Dimensions that must have elements, and might not where it is asked for.
  llvm::SmallVector<unsigned> dims;
};

/// What it asks of `operand` where `op` is executed, whose boxes are contiguous along dimension `along`.
BulkNeeds getBulkNeeds(mlir::Operation *op, mlir::BlockArgument operand, unsigned along);

/// The stages that say copy(tma), in their order: each has a tensor map.
llvm::SmallVector<tile::StageOp> getBulkStages(tile::KernelOp kernel);

/// How a stage that says copy(tma) is copied.
struct BulkCopy {
  /// The tile.
  BulkBox box;
  /// What one copy takes of a box along each dimension: all, or a slice.
  llvm::SmallVector<int64_t> extents;
  /// The blocks that want the same tile; the first `slices` of them copy boxes, or a slice of each, for all.
  BlockGroup sharers;
  int64_t slices = 1;
  /// Copies that each of them asks for.
  int64_t pieces = 1;
};

/// Fails with a diagnostic where the tile's layout or the operand's is not a box's.
mlir::FailureOr<BulkCopy> getBulkCopy(tile::StageOp stage);

} // namespace tilec::analysis

#endif // TILEC_ANALYSIS_BULKPLAN_H
