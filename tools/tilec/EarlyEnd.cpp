//===- EarlyEnd.cpp - Ending early without leaving files --------*- C++ -*-===//
//
// The signals are blocked in all threads but one that waits for them: it is no
// signal handler, so that it may allocate and take locks, and no handler that a
// library installs ever runs.
//
//===----------------------------------------------------------------------===//

#include "EarlyEnd.h"

#include "llvm/Support/ErrorHandling.h"

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <new>
#include <pthread.h>
#include <set>
#include <string_view>
#include <unistd.h>

using namespace tilec;

namespace {
struct Temporaries {
  /// Memory may end while a path is noted.
  std::recursive_mutex mutex;
  std::set<std::string> paths;
};
} // namespace

/// Lives as long as the process: the waiting thread may outlast main's statics.
static Temporaries &getTemporaries() {
  static Temporaries *temporaries = new Temporaries;
  return *temporaries;
}

/// Nothing is made that is not noted: who ends the process holds the lock.
int tilec::makeTemporaryFile(std::string &path) {
  Temporaries &temporaries = getTemporaries();
  std::lock_guard<std::recursive_mutex> lock(temporaries.mutex);
  int file = mkstemp(path.data());
  if (file >= 0)
    temporaries.paths.insert(path);
  return file;
}

bool tilec::makeTemporaryFolder(std::string &path) {
  Temporaries &temporaries = getTemporaries();
  std::lock_guard<std::recursive_mutex> lock(temporaries.mutex);
  if (!mkdtemp(path.data()))
    return false;
  temporaries.paths.insert(path);
  return true;
}

void tilec::forgetTemporary(const std::string &path) {
  Temporaries &temporaries = getTemporaries();
  std::lock_guard<std::recursive_mutex> lock(temporaries.mutex);
  temporaries.paths.erase(path);
}

/// A compiler may still be writing there: what appears while a folder is emptied needs another try.
static void removeAll(const std::string &path) {
  std::error_code error;
  for (int i = 0; i < 100; ++i) {
    std::filesystem::remove_all(path, error);
    if (!error)
      return;
  }
}

/// The lock stays: nothing new is noted any more.
static void removeTemporaries() {
  Temporaries &temporaries = getTemporaries();
  temporaries.mutex.lock();
  for (const std::string &path : temporaries.paths)
    removeAll(path);
}

static void *wait(void *signals) {
  int number = 0;
  if (sigwait(static_cast<sigset_t *>(signals), &number) != 0)
    return nullptr;
  removeTemporaries();
  signal(number, SIG_DFL);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, number);
  pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
  raise(number);
  return nullptr;
}

void tilec::watchSignals() {
  static sigset_t signals;
  sigemptyset(&signals);
  for (int number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action;
    if (sigaction(number, nullptr, &action) == 0 && action.sa_handler != SIG_IGN)
      sigaddset(&signals, number);
  }
  getTemporaries();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  pthread_t thread;
  if (pthread_create(&thread, nullptr, wait, &signals) == 0)
    pthread_detach(thread);
  else
    pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
}

/// The status of a process without memory.
static int exhaustedStatus = 0;
/// Given back before anything is done about exhausted memory.
static void *reserve = nullptr;

static void endWithoutMemory() {
  std::set_new_handler(nullptr);
  ::operator delete(reserve);
  constexpr std::string_view message = "tilec: error: out of memory\n";
  (void)!write(STDERR_FILENO, message.data(), message.size());
  removeTemporaries();
  _exit(exhaustedStatus);
}

void tilec::watchMemory(int status) {
  exhaustedStatus = status;
  reserve = ::operator new(1 << 16);
  std::set_new_handler(endWithoutMemory);
  llvm::install_bad_alloc_error_handler([](void *, const char *, bool) { endWithoutMemory(); });
}
