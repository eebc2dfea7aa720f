//===- Target.h - The machine that is compiled for ---------------*- C++ -*-===//

#ifndef TILEC_CODEGEN_DRIVER_TARGET_H
#define TILEC_CODEGEN_DRIVER_TARGET_H

#include "tilec/Driver/Compiler.h"
#include "tilec/Machine/Targets.h"

namespace tilec {

/// The machine of options.target, which is "native" for the device present, a name or a
/// machine file. `status` tells a missing driver or device from a name that is not known.
TargetResult chooseTarget(const CompileOptions &options, Status &status);

} // namespace tilec

#endif // TILEC_CODEGEN_DRIVER_TARGET_H
