//===- Plan.h - Filling in what a nest leaves open ---------------*- C++ -*-===//
//
// The planning that stands between the nest as written and its lowering.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_CODEGEN_DRIVER_PLAN_H
#define TILEC_CODEGEN_DRIVER_PLAN_H

#include "tilec/Driver/Compiler.h"
#include "tilec/Machine/MachineSpec.h"
#include "mlir/IR/BuiltinOps.h"

namespace tilec {

/// Plans each kernel of `module` for `machine`, at the sizes of options.shape. Fails with a diagnostic
/// where a nest cannot be analysed.
mlir::LogicalResult planNests(mlir::ModuleOp module, const CompileOptions &options, const MachineSpec &machine);

} // namespace tilec

#endif // TILEC_CODEGEN_DRIVER_PLAN_H
