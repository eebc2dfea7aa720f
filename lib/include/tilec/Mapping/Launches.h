//===- Launches.h - Computations that take several launches -------*- C++ -*-===//

#ifndef TILEC_MAPPING_LAUNCHES_H
#define TILEC_MAPPING_LAUNCHES_H

#include "tilec/Mapping/Problem.h"

namespace tilec::mapping {

/// Puts a program in the place of `kernel`, whose mapping is open, where its computations are not one launch: kernels of its name and a number, whose
/// mapping is open, each with what can be fused, and arrays in DRAM for what they hand on. `arguments` has the value of each size argument by its
/// number. Fails with a diagnostic where an op is no launch by itself.
mlir::LogicalResult partLaunches(tile::KernelOp kernel, llvm::ArrayRef<int64_t> arguments);

/// The numbers of operands of `problem` that are read and whose rows do not begin at multiples of 16 bytes, as the widest copies and TMA take them, though
/// those of an array could.
llvm::SmallVector<unsigned> findOddRows(const Problem &problem);

/// Puts a program in the place of `kernel`, whose mapping is open: it copies these operands to arrays with such rows, and runs a kernel on them.
/// Returns the kernels, which leave their mapping open, in the order of their runs.
llvm::SmallVector<tile::KernelOp> padRows(tile::KernelOp kernel, llvm::ArrayRef<unsigned> operands);

} // namespace tilec::mapping

#endif // TILEC_MAPPING_LAUNCHES_H
