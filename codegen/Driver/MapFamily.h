//===- MapFamily.h - Kernels for shapes, and who takes which -----*- C++ -*-===//

#ifndef TILEC_CODEGEN_DRIVER_MAPFAMILY_H
#define TILEC_CODEGEN_DRIVER_MAPFAMILY_H

#include "MapKernels.h"

namespace tilec {

/// Maps the one kernel of `module`, whose mapping is open, for each of `shapes`, at most
/// kMostFamilyShapes, and puts in its place the fewest of these nests that together are about as
/// fast at all shapes, with the questions about sizes that choose among them: a program
/// (`tile.program`) of planned kernels, or, where one nest is enough, what that is. Each of
/// `shapes` says sizes by name, as setSizes takes them. Fails with a diagnostic where a shape
/// cannot be mapped. The same input gives the same answer.
mlir::FailureOr<std::vector<FamilyShape>>
mapFamily(mlir::ModuleOp module, const std::vector<std::map<std::string, int64_t>> &shapes,
          const MachineSpec &machine);

} // namespace tilec

#endif // TILEC_CODEGEN_DRIVER_MAPFAMILY_H
