//===- Launches.h - Computations that take several launches -------*- C++ -*-===//

#ifndef TILEC_MAPPING_LAUNCHES_H
#define TILEC_MAPPING_LAUNCHES_H

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

/// Has arrays between the launches of `program` take the place of others of the same type and sizes that nobody uses any more.
void shareWorkspaces(tile::ProgramOp program);

} // namespace tilec::mapping

#endif // TILEC_MAPPING_LAUNCHES_H
