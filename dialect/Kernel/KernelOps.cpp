//===- KernelOps.cpp - Ops of the device vocabulary -------------*- C++ -*-===//
//
// Template arguments and shared-memory effects of the vocabulary's calls.
//
//===----------------------------------------------------------------------===//

#include "tilec/Kernel/Kernel.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::kernel;

#define GET_OP_CLASSES
#include "tilec/Kernel/KernelOps.cpp.inc"

using Buffers = SmallVector<Value>;

//===----------------------------------------------------------------------===//
// Template arguments
//===----------------------------------------------------------------------===//

SmallVector<int64_t> LdgVectorOp::getTemplateArguments() { return {static_cast<int64_t>(getWidth())}; }
SmallVector<int64_t> StgVectorOp::getTemplateArguments() { return {static_cast<int64_t>(getWidth())}; }
SmallVector<int64_t> LdsVectorOp::getTemplateArguments() { return {static_cast<int64_t>(getWidth())}; }
SmallVector<int64_t> StsVectorOp::getTemplateArguments() { return {static_cast<int64_t>(getWidth())}; }
SmallVector<int64_t> CpAsyncOp::getTemplateArguments() { return {static_cast<int64_t>(getWidth())}; }
SmallVector<int64_t> IsAlignedOp::getTemplateArguments() { return {static_cast<int64_t>(getBytes())}; }
SmallVector<int64_t> CpAsyncWaitOp::getTemplateArguments() { return {static_cast<int64_t>(getPending())}; }

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

Buffers LdsOp::getSharedReads() { return {getSource()}; }
Buffers LdsVectorOp::getSharedReads() { return {getSource()}; }
Buffers StsOp::getSharedWrites() { return {getDest()}; }
Buffers StsVectorOp::getSharedWrites() { return {getDest()}; }
Buffers CpAsyncOp::getSharedWrites() { return {getDest()}; }
