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

/// The launcher's name for a type; nothing for types that no argument has.
std::optional<runtime::ElementType> getElementType(mlir::Type type);

/// The arguments of a kernel or a program: operands, sizes and scalars, as the launcher has them; of a kernel also which operands it reads and
/// writes. Fails with a diagnostic for element types that no argument can have.
mlir::FailureOr<runtime::KernelDescription> describeArguments(mlir::FunctionOpInterface op);

/// The launch contract of a planned kernel, as its tile.launch says. Fails with a diagnostic where it has none, where that is not
/// what the loops take, and where CUDA cannot pass as many parameters.
mlir::FailureOr<runtime::KernelDescription> describeLaunch(tile::KernelOp kernel);

} // namespace tilec

#endif // TILEC_CONVERSION_LAUNCH_H
