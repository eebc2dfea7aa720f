//===- Report.h - The report of a kernel on its way --------------*- C++ -*-===//
//
// Joins the analyses to the compilation: sizes, the machine check, and the
// record that fills up as more becomes known.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_CODEGEN_DRIVER_REPORT_H
#define TILEC_CODEGEN_DRIVER_REPORT_H

#include "tilec/Driver/Compiler.h"
#include "tilec/Machine/MachineSpec.h"
#include "tilec/Report/BuildRecord.h"
#include "tilec/Tile/Tile.h"
#include "mlir/IR/BuiltinOps.h"

namespace tilec {

/// Analyses `kernel` at the sizes of its module. What the
/// machine does not allow is an error and fails; levels that starve a compute-bound kernel
/// are warnings. What `written`, the kernel before anything was planned, would be faster with goes into `advice`, where options.advise
/// asks for it.
mlir::FailureOr<report::KernelRecord> analyzeForReport(tile::KernelOp kernel, tile::KernelOp written, const CompileOptions &options,
                                                       const MachineSpec &machine, std::vector<report::Advice> &advice);

/// The same again, silently, with `registers`, what the compiler says that a thread takes, and the advice that was found.
mlir::FailureOr<report::KernelRecord> analyzeAgain(tile::KernelOp kernel, const CompileOptions &options, const MachineSpec &machine,
                                                   int64_t registers, const std::vector<report::Advice> &advice);

/// The verdict and the stages in lines of a comment.
std::vector<std::string> summarizeRecord(const report::KernelRecord &record);

/// Adds what the compiler of the kernel found, and prints the record into `kernel`.
void finishReport(report::KernelRecord record, CompiledKernel &kernel);

} // namespace tilec

#endif // TILEC_CODEGEN_DRIVER_REPORT_H
