//===- ConstantMemory.h - Operands in constant memory ------------*- C++ -*-===//

#ifndef TILEC_DIALECT_TILE_CONSTANTMEMORY_H
#define TILEC_DIALECT_TILE_CONSTANTMEMORY_H

#include "tilec/Tile/Tile.h"

namespace tilec::tile {

/// Rule K8 for an operand in constant memory.
mlir::LogicalResult verifyConstantOperand(mlir::Operation *kernel, mlir::BlockArgument operand);

/// Rule K9 for all of them, and limit X46.
mlir::LogicalResult verifyConstantUses(KernelOp kernel);

} // namespace tilec::tile

#endif // TILEC_DIALECT_TILE_CONSTANTMEMORY_H
