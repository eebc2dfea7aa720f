//===- Timeloop.h - A nest as an input of Timeloop ---------------*- C++ -*-===//

#ifndef TILEC_CODEGEN_DRIVER_TIMELOOP_H
#define TILEC_CODEGEN_DRIVER_TIMELOOP_H

#include "tilec/Report/BuildRecord.h"

namespace tilec {

/// Architecture, problem and mapping of an analysed kernel as YAML, version 0.4 of Timeloop's format.
/// Empty, with the reason in `why`, for nests that its mappings cannot say: those whose tiles do
/// not divide their extents, whose inputs are not staged in shared memory, or whose subscripts are sums.
std::optional<std::string> printTimeloop(const report::Analyses &analyses, const MachineSpec &machine, std::string &why);

} // namespace tilec

#endif // TILEC_CODEGEN_DRIVER_TIMELOOP_H
