//===- ModuleTarget.h - What a module is compiled for -------------*- C++ -*-===//
//
// The machine and the sizes are attributes of the module: `tile.target`, the name of a machine, the path of a machine file
// or what a driver says of a device, and `tile.sizes`, the values of size arguments by their names. Whoever plans or
// analyses a kernel reads them here.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_TRANSFORMS_MODULETARGET_H
#define TILEC_TRANSFORMS_MODULETARGET_H

#include "mlir/IR/BuiltinOps.h"
#include "tilec/Machine/Targets.h"
#include "tilec/Tile/Tile.h"

#include <map>

namespace tilec {

/// The machine of modules that name none.
inline constexpr llvm::StringLiteral kDefaultTarget = "sm80";

/// Sets `tile.target` to a name or path that resolveTarget takes.
void setTarget(mlir::ModuleOp module, llvm::StringRef nameOrPath);

/// Sets `tile.target` to the device that a driver describes.
void setTarget(mlir::ModuleOp module, const DeviceProperties &device);

/// Lets the module's machine have another number at `path` of its file (changeNumber).
void changeTarget(mlir::ModuleOp module, llvm::StringRef path, double value);

/// The machine that the module names, kDefaultTarget's where it names none.
TargetResult getTarget(mlir::ModuleOp module);

/// Sets `tile.sizes`; names that it has already keep their values where `sizes` has none.
void setSizes(mlir::ModuleOp module, const std::map<std::string, int64_t> &sizes);

/// Fails with a diagnostic where `tile.sizes` names a size that no program of the module has, and no kernel outside of programs (`m` is
/// `%M` where none is `%m`), or gives one that no kernel accepts.
mlir::LogicalResult checkSizes(mlir::ModuleOp module);

/// The size arguments of `kernel` that do not follow from what `tile.sizes` gives.
llvm::SmallVector<mlir::BlockArgument> getOpenSizes(tile::KernelOp kernel);

/// Is `kernel` executed at the sizes of `tile.sizes`? False where all its runs stand in conditions that do not hold.
bool isCalledFor(tile::KernelOp kernel);

/// The value of each argument of `kernel` by its number: of sizes what `tile.sizes` says, of open ones
/// getDefaultExtent(their number, 4096), 0 of other arguments. Those of a kernel that a program runs follow from the program's, as its first
/// run at these sizes says, or its first one where the program does not run it at these.
llvm::SmallVector<int64_t> getArguments(tile::KernelOp kernel);

/// The value of each size argument of a kernel or program, in their order.
std::vector<int64_t> getSizeValues(mlir::FunctionOpInterface function);

/// The extent of each of `sizes` sizes that nobody gives: `three` for up to three of them, of more what makes their
/// product that of three.
int64_t getDefaultExtent(size_t sizes, int64_t three);

} // namespace tilec

#endif // TILEC_TRANSFORMS_MODULETARGET_H
