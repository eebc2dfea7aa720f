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
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tilec/Tile/Tile.h"

namespace tilec::kernel {

//===--- Memory: where a memref lies, and the resources that effects are on ---===//

inline bool isGlobal(mlir::Type type) { return tile::getLevel(type) == tile::Level::DRAM; }
inline bool isConstant(mlir::Type type) { return tile::isInConstantMemory(type); }
inline bool isShared(mlir::Type type) { return tile::getLevel(type) == tile::Level::SMEM; }
inline bool isInRegisters(mlir::Type type) { return tile::getLevel(type) == tile::Level::RF; }

/// Does an instruction add such a number to memory (PTX ISA, red)?
inline bool isAddedInMemory(mlir::Type type) { return type.isF32() || type.isF64() || type.isInteger(32); }

struct GlobalMemory : mlir::SideEffects::Resource::Base<GlobalMemory> {
  llvm::StringRef getName() final { return "GlobalMemory"; }
};
struct SharedMemory : mlir::SideEffects::Resource::Base<SharedMemory> {
  llvm::StringRef getName() final { return "SharedMemory"; }
};
struct ConstantMemory : mlir::SideEffects::Resource::Base<ConstantMemory> {
  llvm::StringRef getName() final { return "ConstantMemory"; }
};
struct Phases : mlir::SideEffects::Resource::Base<Phases> {
  llvm::StringRef getName() final { return "Phases"; }
};
struct Threads : mlir::SideEffects::Resource::Base<Threads> {
  llvm::StringRef getName() final { return "Threads"; }
};

} // namespace tilec::kernel

#include "tilec/Kernel/KernelDialect.h.inc"
#include "tilec/Kernel/KernelInterfaces.h.inc"
#define GET_TYPEDEF_CLASSES
#include "tilec/Kernel/KernelTypes.h.inc"
#define GET_OP_CLASSES
#include "tilec/Kernel/KernelOps.h.inc"

#endif // TILEC_KERNEL_KERNEL_H
