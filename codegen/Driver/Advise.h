//===- Advise.h - Changes of a nest that pay ----------------------*- C++ -*-===//

#ifndef TILEC_CODEGEN_DRIVER_ADVISE_H
#define TILEC_CODEGEN_DRIVER_ADVISE_H

#include "tilec/Machine/MachineSpec.h"
#include "tilec/Report/BuildRecord.h"

namespace tilec {

/// Writes changes into copies of `kernel`, which nothing is planned in yet, plans, analyses and lowers them, and returns those with
/// which the predicted time is shorter, alone or several together: at most three, the shortest time first. `analyses` are
/// those of the planned kernel. Takes at most half a second; what has not been tried by then is not returned.
std::vector<report::Advice> adviseOn(tile::KernelOp kernel, const report::Analyses &analyses, const MachineSpec &machine);

} // namespace tilec

#endif // TILEC_CODEGEN_DRIVER_ADVISE_H
