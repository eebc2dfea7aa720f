//===- KernelDialect.cpp - The kernel dialect -------------------*- C++ -*-===//
//
// Registers what the kernel dialect holds.
//
//===----------------------------------------------------------------------===//

#include "tilec/Kernel/Kernel.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace tilec::kernel;

#include "tilec/Kernel/KernelDialect.cpp.inc"
#include "tilec/Kernel/KernelInterfaces.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "tilec/Kernel/KernelTypes.cpp.inc"

void KernelDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "tilec/Kernel/KernelTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "tilec/Kernel/KernelOps.cpp.inc"
      >();
}
