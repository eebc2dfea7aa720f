//===- DeepThread.cpp - Work on stacks of its own ---------------*- C++ -*-===//

#include "DeepThread.h"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <pthread.h>
#include <thread>
#include <vector>

using namespace tilec;

const char *const tilec::noDeepThread = "cannot start a thread with a stack of 64 MiB";

namespace {

/// Work that threads take from until none is left.
struct Shared {
  llvm::function_ref<void(unsigned)> work;
  unsigned count;
  std::atomic<unsigned> next = 0;

  void run() {
    for (unsigned number; (number = next++) < count;)
      work(number);
  }
};

} // namespace

static thread_local bool isDeep = false;

static void *enter(void *data) {
  // A process that reports crashes on an alternate stack can do so for this thread too, however full its own stack is.
  alignas(16) char crashStack[1 << 16];
  stack_t stack = {};
  stack.ss_sp = crashStack;
  stack.ss_size = sizeof crashStack;
  sigaltstack(&stack, nullptr);
  isDeep = true;
  static_cast<Shared *>(data)->run();
  stack.ss_flags = SS_DISABLE;
  sigaltstack(&stack, nullptr);
  return nullptr;
}

static bool start(Shared &shared, pthread_t &thread) {
  constexpr size_t kStackBytes = size_t(64) << 20;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  bool started = pthread_attr_setstacksize(&attributes, kStackBytes) == 0 &&
                 pthread_create(&thread, &attributes, enter, &shared) == 0;
  pthread_attr_destroy(&attributes);
  return started;
}

bool tilec::runDeep(unsigned count, llvm::function_ref<void(unsigned)> work) {
  Shared shared{work, count};
  count = std::min(count, std::max(1u, std::thread::hardware_concurrency()));
  std::vector<pthread_t> threads;
  for (unsigned missing = isDeep ? 1 : 0; threads.size() + missing < count;) {
    pthread_t thread;
    if (!start(shared, thread))
      break;
    threads.push_back(thread);
  }
  if (isDeep)
    shared.run();
  for (pthread_t thread : threads)
    pthread_join(thread, nullptr);
  return isDeep || !threads.empty() || count == 0;
}

bool tilec::runDeep(llvm::function_ref<void()> work) {
  return runDeep(1, [&](unsigned) { work(); });
}
