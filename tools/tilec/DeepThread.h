//===- DeepThread.h - Work on a stack of its own -----------------*- C++ -*-===//
//
// MLIR's parser recurses; the stack of a main thread may be small.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_TOOLS_DEEPTHREAD_H
#define TILEC_TOOLS_DEEPTHREAD_H

#include "BugReport.h"

#include <cstddef>
#include <pthread.h>

namespace tilec {

/// Hands work to a thread with a stack that MLIR's recursive parser does not
/// exhaust within the depth that is accepted.
class DeepThread {
public:
  template <typename Work>
  static bool run(Work &work) {
    constexpr size_t kStackBytes = size_t(64) << 20;
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    bool started = pthread_attr_setstacksize(&attributes, kStackBytes) == 0 &&
                   pthread_create(
                       &thread, &attributes,
                       [](void *data) -> void * {
                         useCrashStack();
                         (*static_cast<Work *>(data))();
                         return nullptr;
                       },
                       &work) == 0;
    pthread_attr_destroy(&attributes);
    return started && pthread_join(thread, nullptr) == 0;
  }
};

} // namespace tilec

#endif // TILEC_TOOLS_DEEPTHREAD_H
