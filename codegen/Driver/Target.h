//===- Target.h - The machine that is compiled for ---------------*- C++ -*-===//

#ifndef TILEC_CODEGEN_DRIVER_TARGET_H
#define TILEC_CODEGEN_DRIVER_TARGET_H

#include "tilec/Driver/Compiler.h"
#include "tilec/Machine/Targets.h"
#include "tilec/Runtime/Device.h"
#include "mlir/IR/BuiltinOps.h"

namespace tilec {

/// Writes options.target, "native" for the device present, and options.shape on `module`, which keeps what they leave out
/// (ModuleTarget.h), and gives its machine. `status` tells a missing driver or device from a name that is not known.
TargetResult targetModule(mlir::ModuleOp module, const CompileOptions &options, Status &status);

/// The machine model takes its own struct, so that it needs no runtime.
DeviceProperties forMachineModel(const runtime::DeviceProperties &device);

} // namespace tilec

#endif // TILEC_CODEGEN_DRIVER_TARGET_H
