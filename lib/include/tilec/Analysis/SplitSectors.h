//===- SplitSectors.h - Sectors of results of two blocks ---------*- C++ -*-===//

#ifndef TILEC_ANALYSIS_SPLITSECTORS_H
#define TILEC_ANALYSIS_SPLITSECTORS_H

#include "tilec/Analysis/LaunchLayouts.h"
#include "tilec/Analysis/NestModel.h"
#include "tilec/Machine/MachineSpec.h"

namespace tilec::analysis {

/// Sectors of results of which two blocks that do not follow one another write a part each (formula 38): a block's part of a row begins
/// inside of a sector that another block's part ends in.
double countSplitSectors(const NestModel &model, const LaunchLayouts &layouts, int64_t sectorBytes);

/// Cycles that L2 takes for these, in which DRAM waits.
double findSplitCycles(const NestModel &model, const LaunchLayouts &layouts, const MachineSpec &machine);

} // namespace tilec::analysis

#endif // TILEC_ANALYSIS_SPLITSECTORS_H
