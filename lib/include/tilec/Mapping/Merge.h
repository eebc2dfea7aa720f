//===- Merge.h - Dimensions that are walked as one -----------------*- C++ -*-===//
//
// Rows that lie one after the other without a gap are one long row to whoever computes along them element by element: so odd rows are copied as
// widely as even ones, and a product of a batch with one matrix is one product. Ops have no names here.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_MAPPING_MERGE_H
#define TILEC_MAPPING_MERGE_H

#include "tilec/Mapping/Problem.h"

namespace tilec::mapping {

/// Are there neighbouring dimensions of arrays of `kernel`, whose mapping is open, that are one to all of its ops? Arrays lie without gaps, ops walk one of
/// these dimensions inside of the other, and the product of their extents is one that an operand may have.
bool canMerge(tile::KernelOp kernel, llvm::ArrayRef<int64_t> arguments);

/// Kernels that a program runs in the place of one.
struct MergedKernel {
  /// The kernel on merged arrays.
  tile::KernelOp merged;
  /// The kernel as it was, for launches whose merged extents no operand may have; null where extents are numbers.
  tile::KernelOp apart;
};

/// Has programs, those that run `kernel` or one of its name, run a kernel on merged arrays in its place. Of kernels that can be merged.
MergedKernel writeMerged(tile::KernelOp kernel, llvm::ArrayRef<int64_t> arguments);

} // namespace tilec::mapping

#endif // TILEC_MAPPING_MERGE_H
