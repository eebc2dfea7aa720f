//===- DeepThread.h - Work on stacks of its own ------------------*- C++ -*-===//
//
// MLIR's parser, verifier and printer recurse, and a caller's stack may be small.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_CODEGEN_DRIVER_DEEPTHREAD_H
#define TILEC_CODEGEN_DRIVER_DEEPTHREAD_H

#include "llvm/ADT/STLFunctionalExtras.h"

namespace tilec {

/// Calls `work` on a stack that MLIR's recursion does not exhaust within the depth that is accepted, and waits for it. A
/// caller that is on such a stack calls `work` itself. False, with nothing done, if no thread can be started.
bool runDeep(llvm::function_ref<void()> work);

/// Calls `work(0)` to `work(count - 1)` on such stacks, as many at a time as there are processors. False, with nothing done, if no
/// thread can be started; where only some can be, they share the work.
bool runDeep(unsigned count, llvm::function_ref<void(unsigned)> work);

/// What to say where no thread can be started.
extern const char *const noDeepThread;

} // namespace tilec

#endif // TILEC_CODEGEN_DRIVER_DEEPTHREAD_H
