//===- ComputeDecisions.h - How points are computed ---------------*- C++ -*-===//

#ifndef TILEC_ANALYSIS_COMPUTEDECISIONS_H
#define TILEC_ANALYSIS_COMPUTEDECISIONS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace tilec::analysis {

/// Can what `compute` states be carried out? Fails with a diagnostic; not where it leaves something open.
mlir::LogicalResult checkDecisions(mlir::linalg::LinalgOp compute);

} // namespace tilec::analysis

#endif // TILEC_ANALYSIS_COMPUTEDECISIONS_H
