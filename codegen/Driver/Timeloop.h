//===- Timeloop.h - A nest as an input of Timeloop or AccelForge -*- C++ -*-===//

#ifndef TILEC_CODEGEN_DRIVER_TIMELOOP_H
#define TILEC_CODEGEN_DRIVER_TIMELOOP_H

#include "tilec/Driver/Explore.h"
#include "tilec/Report/BuildRecord.h"

namespace tilec {

/// Architecture, problem and mapping of an analysed kernel as YAML: version 0.4 of Timeloop's format, or that of AccelForge, which
/// names the same things otherwise. Empty, with the reason in `why`, for nests that such mappings cannot say: those whose tiles do
/// not divide their extents, whose inputs are not staged in shared memory, or whose subscripts are sums.
std::optional<std::string> printExport(const report::Analyses &analyses, const MachineSpec &machine, ExportFormat format, std::string &why);

} // namespace tilec

#endif // TILEC_CODEGEN_DRIVER_TIMELOOP_H
