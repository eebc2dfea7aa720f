//===- Program.h - What a program says about its launches --------*- C++ -*-===//

#ifndef TILEC_CONVERSION_PROGRAM_H
#define TILEC_CONVERSION_PROGRAM_H

#include "tilec/Runtime/ProgramDescription.h"
#include "tilec/Tile/Tile.h"

namespace tilec {

/// The contract of `program`. Steps number the kernels of its module in their order. Fails with a diagnostic for
/// element types that no argument can have.
mlir::FailureOr<runtime::ProgramDescription> describeProgram(tile::ProgramOp program);

} // namespace tilec

#endif // TILEC_CONVERSION_PROGRAM_H
