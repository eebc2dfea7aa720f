//===- Program.h - What a program gives to its kernels -----------*- C++ -*-===//

#ifndef TILEC_TILE_PROGRAM_H
#define TILEC_TILE_PROGRAM_H

#include "tilec/Tile/Tile.h"

namespace tilec::tile {

/// All runs of a program in their order, those in conditions, of which not all are executed, among them.
llvm::SmallVector<RunOp> listRuns(ProgramOp program);

/// All runs of `kernel` in programs of its module.
llvm::SmallVector<RunOp> listRuns(KernelOp kernel);

/// The first of them; null where none runs it.
RunOp findRun(KernelOp kernel);

/// Rows of what programs give as argument `number` of `kernel` begin at multiples of so many bytes, whatever their extent; 1 where nothing is
/// known of them.
int64_t getRowBytes(KernelOp kernel, unsigned number);

/// Makes a copy of the program that findRun(kernel) stands in, with the runs of `kernel` alone: what planning and analysis ask of it, for a
/// module that holds no other kernel. Does nothing for a kernel that no program runs.
void cloneProgramOf(KernelOp kernel, mlir::OpBuilder &builder);

/// A program with the name and the arguments of `kernel`, which runs nothing yet.
ProgramOp createProgram(mlir::OpBuilder &builder, KernelOp kernel);

/// A name that nothing in the module has, from that of `symbol`.
std::string makeName(mlir::Operation *symbol, const llvm::Twine &suffix);

/// Does `op` name an array of a program by other extents, its elements in their order?
bool isView(mlir::Operation *op);

/// The argument, workspace or array of a kernel without loops whose elements `memref` has.
mlir::Value getArray(mlir::Value memref);

/// Sizes and numbers whose product an extent is.
using Factors = llvm::SmallVector<mlir::OpFoldResult, 1>;

/// The extents of an argument or a workspace of a program, of an argument or an array of a kernel without loops, or of a view of one.
llvm::SmallVector<Factors> getExtents(mlir::Value memref);

/// Are both products the same, whatever the sizes, by their factors?
bool areEqual(llvm::ArrayRef<mlir::OpFoldResult> a, llvm::ArrayRef<mlir::OpFoldResult> b);

/// Rule G4 of a view.
mlir::LogicalResult verifyView(mlir::Operation *view);

} // namespace tilec::tile

#endif // TILEC_TILE_PROGRAM_H
