//===- Remarks.h - Analyses as optimization remarks --------------*- C++ -*-===//

#ifndef TILEC_REPORT_REMARKS_H
#define TILEC_REPORT_REMARKS_H

#include "tilec/Report/BuildRecord.h"

namespace tilec::report {

/// Gives what `analyses` found to the remark engine of the context, at the ops in question, in the
/// category "tilec": stages that feed the units as passed, problems as missed (what the machine does
/// not allow as failed), traffic, resources and predicted time as analysis. Nothing without an engine.
void emitRemarks(const Analyses &analyses);

} // namespace tilec::report

#endif // TILEC_REPORT_REMARKS_H
