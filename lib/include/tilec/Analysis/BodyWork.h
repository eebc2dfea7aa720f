//===- BodyWork.h - Instructions of a computation's body ---------*- C++ -*-===//
//
// What a lane executes for one point of a computation on CUDA cores.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_ANALYSIS_BODYWORK_H
#define TILEC_ANALYSIS_BODYWORK_H

#include "mlir/Dialect/Linalg/IR/LinalgInterfaces.h"
#include "tilec/Machine/MachineSpec.h"

namespace tilec::analysis {

/// Instructions of one point: one for each op of the simplified body that is an instruction, and of functions that are none what `functions` says, in
/// f32. At least 1.
double countInstructionsOfPoint(mlir::linalg::LinalgOp op, const CompilerFunctions &functions);

/// Is a result of `op` on floats of 16 bits such a float already, so that nothing is rounded?
bool needsNoRounding(mlir::Operation *op);

/// Those of them that the pipe of special functions executes: a reciprocal for a quotient, a power of 2 for an exponential, both for a hyperbolic tangent.
double countSpecials(mlir::linalg::LinalgOp op);

} // namespace tilec::analysis

#endif // TILEC_ANALYSIS_BODYWORK_H
