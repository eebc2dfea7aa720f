//===- JoinedLoads.h - Loads that the compiler joins -------------*- C++ -*-===//

#ifndef TILEC_LIB_ANALYSIS_JOINEDLOADS_H
#define TILEC_LIB_ANALYSIS_JOINEDLOADS_H

#include "tilec/Analysis/AccessSites.h"
#include "tilec/Machine/MachineSpec.h"

namespace tilec::analysis {

/// Elements that one load takes, and its wavefronts against those of as many loads of an element.
struct JoinedLoads {
  int64_t width = 1;
  double wavefronts = 1;
};

/// What the compiler makes of the loads of a tile in shared memory at `site`: it joins those of a thread's consecutive elements, at one step or at
/// so many `iterations` of the innermost loop, all of them where a pipeline writes it out.
JoinedLoads joinLoads(const NestModel &model, const AccessSite &site, int64_t iterations, const MachineSpec &machine);

} // namespace tilec::analysis

#endif // TILEC_LIB_ANALYSIS_JOINEDLOADS_H
