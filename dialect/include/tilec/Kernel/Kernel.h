//===- Kernel.h - The kernel dialect -----------------------------*- C++ -*-===//
//
// One include for the kernel dialect: the ops of the device vocabulary.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_KERNEL_KERNEL_H
#define TILEC_KERNEL_KERNEL_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tilec/Tile/Tile.h"

#include "tilec/Kernel/KernelDialect.h.inc"
#include "tilec/Kernel/KernelInterfaces.h.inc"
#define GET_TYPEDEF_CLASSES
#include "tilec/Kernel/KernelTypes.h.inc"
#define GET_OP_CLASSES
#include "tilec/Kernel/KernelOps.h.inc"

#endif // TILEC_KERNEL_KERNEL_H
