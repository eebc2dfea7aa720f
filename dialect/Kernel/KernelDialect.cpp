//===- KernelDialect.cpp - The kernel dialect -------------------*- C++ -*-===//
//
// Registers what the kernel dialect holds.
//
//===----------------------------------------------------------------------===//

#include "tilec/Kernel/Kernel.h"

using namespace tilec::kernel;

#include "tilec/Kernel/KernelDialect.cpp.inc"
#include "tilec/Kernel/KernelInterfaces.cpp.inc"

void KernelDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "tilec/Kernel/KernelOps.cpp.inc"
      >();
}
