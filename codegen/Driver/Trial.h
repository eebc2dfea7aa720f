//===- Trial.h - What becomes of a nest ---------------------------*- C++ -*-===//
//
// A nest that somebody considers goes the way that every nest goes: planned, analysed, lowered.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_CODEGEN_DRIVER_TRIAL_H
#define TILEC_CODEGEN_DRIVER_TRIAL_H

#include "mlir/IR/BuiltinOps.h"
#include "tilec/Machine/MachineSpec.h"
#include "tilec/Report/BuildRecord.h"

namespace tilec {

/// Plans the only kernel of `module`, for the sizes and the machine that it names, which is `named`, and analyses it. Nothing where it cannot
/// be planned or does not fit `machine`. Its time is not predicted where the machine states no rate of what it computes.
std::optional<report::Analyses> planAndAnalyze(mlir::ModuleOp module, const MachineSpec &named, const MachineSpec &machine);

/// Lowers the planned kernel of `module`, of which `analyses` are known. False where that fails, or the kernel takes other shared memory than
/// is predicted.
bool lowers(mlir::ModuleOp module, const report::Analyses &analyses);

} // namespace tilec

#endif // TILEC_CODEGEN_DRIVER_TRIAL_H
