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

/// The arguments of `kernel`: operands, sizes and scalars, as the launcher has them. Fails with a diagnostic for element types
/// that no kernel argument can have.
mlir::FailureOr<runtime::KernelDescription> describeArguments(tile::KernelOp kernel);

/// The launch contract of a planned kernel, as its tile.launch says. Fails with a diagnostic where it has none, where that is not
/// what the loops take, and where CUDA cannot pass as many parameters.
mlir::FailureOr<runtime::KernelDescription> describeLaunch(tile::KernelOp kernel);

} // namespace tilec

#endif // TILEC_CONVERSION_LAUNCH_H
