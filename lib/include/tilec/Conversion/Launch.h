//===- Launch.h - What a nest says about its launch --------------*- C++ -*-===//
//
// The launch contract of a tile.kernel: arguments, parameters, grid and threads.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_CONVERSION_LAUNCH_H
#define TILEC_CONVERSION_LAUNCH_H

#include "tilec/Runtime/KernelDescription.h"
#include "tilec/Tile/Tile.h"

namespace tilec {

/// The name that the source gives an argument, or "argN".
std::string getArgumentName(tile::KernelOp kernel, unsigned argument);

/// The threads of a block that its loops on warp and thread need.
int64_t getComputeThreads(tile::KernelOp kernel);

/// All threads of a block: those that compute, and producers.
int64_t getBlockThreads(tile::KernelOp kernel);

/// The stages that say copy(tma), in their order: each has a tensor map.
llvm::SmallVector<tile::StageOp> getBulkStages(tile::KernelOp kernel);

/// The tensor map of a stage that says copy(tma). Fails with a diagnostic where the tile's layout or the
/// operand's is not a box's.
mlir::FailureOr<runtime::TensorMapArgument> describeTensorMap(tile::StageOp stage);

/// The launch contract, without the shared memory, which lowering decides. Fails
/// with a diagnostic for element types that no kernel argument can have.
mlir::FailureOr<runtime::KernelDescription> describeLaunch(tile::KernelOp kernel);

} // namespace tilec

#endif // TILEC_CONVERSION_LAUNCH_H
