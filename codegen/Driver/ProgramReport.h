//===- ProgramReport.h - The report of a program ------------------*- C++ -*-===//

#ifndef TILEC_CODEGEN_DRIVER_PROGRAMREPORT_H
#define TILEC_CODEGEN_DRIVER_PROGRAMREPORT_H

#include "mlir/IR/BuiltinOps.h"
#include "tilec/Driver/Compiler.h"
#include "tilec/Machine/MachineSpec.h"
#include "tilec/Tile/Tile.h"

namespace tilec {

/// The programs of `module`, whose kernels are planned, with their contracts and reports: each launch at its own sizes, what it is predicted
/// to take, and the arrays between them. Fails with a diagnostic where a program computes what is no size.
mlir::FailureOr<std::vector<CompiledProgram>> describePrograms(mlir::ModuleOp module, const MachineSpec &machine);

/// The predicted time of the launches of `program`, in seconds, at the sizes of its module; none where one of them does not run there.
std::optional<double> predictTime(tile::ProgramOp program, const MachineSpec &machine);

} // namespace tilec

#endif // TILEC_CODEGEN_DRIVER_PROGRAMREPORT_H
