//===- Launches.h - Computations that take several launches -------*- C++ -*-===//

#ifndef TILEC_MAPPING_LAUNCHES_H
#define TILEC_MAPPING_LAUNCHES_H

#include "tilec/Machine/MachineSpec.h"
#include "tilec/Mapping/Problem.h"

namespace tilec::mapping {

/// Has ops of `kernel`, whose mapping is open, work on views of one element in the place of memrefs of rank 0.
void addDimensions(tile::KernelOp kernel);

/// Puts a program in the place of `kernel`, whose mapping is open, where its computations are not one launch: kernels of its name and a number, whose
/// mapping is open, each with what can be fused, and arrays in DRAM for what they hand on. `arguments` has the value of each size argument by its
/// number. An op that no launch can do gets a kernel of its own, which the mapper refuses.
void partLaunches(tile::KernelOp kernel, llvm::ArrayRef<int64_t> arguments);

/// Puts several launches in the place of `kernel`, whose mapping is open and which is a group of rows or two products with softmax between: in that of its run, or in a
/// program of their own. Returns their kernels.
llvm::SmallVector<tile::KernelOp> splitLaunch(tile::KernelOp kernel, llvm::ArrayRef<int64_t> arguments);

/// An operand that a program may copy to an array whose rows begin at multiples of 16 bytes, ahead of what reads it.
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
};

/// The operands of `problem` that are read and whose rows do not begin at multiples of 16 bytes, as the widest copies and TMA take them, or run along
/// rows or columns of the result where instructions of `machine` want them along the depth, or along the depth where CUDA cores multiply them with the result's columns,
/// or of which neighbours of the result in a row read elements that lie apart.
llvm::SmallVector<CopyAhead> findCopies(const Problem &problem, const MachineSpec &machine);

/// Puts a program in the place of `kernel`, whose mapping is open, or, where programs run it, what this does in the place of these runs: it makes these copies, and runs
/// a kernel on them.
/// Returns the kernels, which leave their mapping open, in the order of their runs.
llvm::SmallVector<tile::KernelOp> writeCopies(tile::KernelOp kernel, llvm::ArrayRef<CopyAhead> copies);

} // namespace tilec::mapping

#endif // TILEC_MAPPING_LAUNCHES_H
