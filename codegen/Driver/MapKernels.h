//===- MapKernels.h - From plain kernels to the fastest nests -----*- C++ -*-===//

#ifndef TILEC_CODEGEN_DRIVER_MAPKERNELS_H
#define TILEC_CODEGEN_DRIVER_MAPKERNELS_H

#include "mlir/IR/BuiltinOps.h"
#include "tilec/Driver/Compiler.h"
#include "tilec/Machine/MachineSpec.h"
#include "tilec/Mapping/OpenNest.h"

namespace tilec {

/// So many candidates are told of.
constexpr size_t kMostTold = 16;

/// Does `module` have kernels whose mapping is open, all of it (mapping::isOpen) or sizes in their loops (tile::findOpenLoop)?
bool hasOpenKernels(mlir::ModuleOp module);

/// Nests by the names of their kernels.
using OpenNests = std::map<std::string, mapping::OpenNest>;

/// Puts kernels without loops in the place of those that leave sizes of their loops open, which are returned.
mlir::FailureOr<OpenNests> takeOpenNests(mlir::ModuleOp module);

/// Puts the fastest nest that is found, by predicted time, in the place of each open kernel, for the machine and the sizes
/// that the module names. What is chosen has gone the whole way to kernel IR. The same input gives the same answer:
/// the search counts candidates and not seconds. Of each kernel at most kMostTold candidates are kept, the chosen one first. What the
/// `nests` say that were in the place of kernels is kept. Fails with a diagnostic where no mapping is known or none fits.
mlir::FailureOr<std::vector<MappingSearch>> mapKernels(mlir::ModuleOp module, const OpenNests &nests, const MachineSpec &machine);

} // namespace tilec

#endif // TILEC_CODEGEN_DRIVER_MAPKERNELS_H
