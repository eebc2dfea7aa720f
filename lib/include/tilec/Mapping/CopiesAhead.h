//===- CopiesAhead.h - Operands that are copied ahead of use ------*- C++ -*-===//

#ifndef TILEC_MAPPING_COPIESAHEAD_H
#define TILEC_MAPPING_COPIESAHEAD_H

#include "tilec/Machine/MachineSpec.h"
#include "tilec/Mapping/Problem.h"

namespace tilec::mapping {

/// An operand that a program may copy to an array whose rows begin at multiples of 16 bytes or more, ahead of what reads it.
struct CopyAhead {
  unsigned operand;
  /// Are rows of the array columns of the operand?
  bool isTurned = false;
  /// Where the result's neighbours read elements that lie apart, as those of a convolution with a stride: the array has every so many-th element along each
  /// dimension of the operand; and, where windows take those between, for the last one a dimension for each term of its subscript, with its factor and its extent,
  /// that of the result's columns last.
  llvm::SmallVector<int64_t> every;
  struct Term {
    unsigned dim;
    int64_t factor, extent;
  };
  llvm::SmallVector<Term> terms;
  /// Bytes of which the rows of the array begin at multiples.
  int64_t rowBytes = tile::kWidestBytes;
};

/// The operands of `problem` that are read and whose rows do not begin at multiples of 16 bytes, as the widest copies and TMA take them, or of a sector, where boxes of TMA feed instructions, or run along
/// rows or columns of the result where instructions of `machine` want them along the depth, or along the depth where CUDA cores multiply them with the result's columns,
/// or of which neighbours of the result in a row read elements that lie apart.
llvm::SmallVector<CopyAhead> findCopies(const Problem &problem, const MachineSpec &machine);

/// Puts a program in the place of `kernel`, whose mapping is open, or, where programs run it, what this does in the place of these runs: it makes these copies, and runs
/// a kernel on them.
/// Returns the kernels, which leave their mapping open, in the order of their runs.
llvm::SmallVector<tile::KernelOp> writeCopies(tile::KernelOp kernel, llvm::ArrayRef<CopyAhead> copies);

} // namespace tilec::mapping

#endif // TILEC_MAPPING_COPIESAHEAD_H
