//===- BugReport.cpp - What is left of a bug in tilec -----------*- C++ -*-===//
//
// The handler may use async-signal-safe functions only, so the file's name is
// made beforehand and nothing is allocated.
//
//===----------------------------------------------------------------------===//

#include "BugReport.h"

#include "Options.h"

#include <cstdlib>
#include <csignal>
#include <fcntl.h>
#include <string_view>
#include <unistd.h>

using namespace tilec;

namespace {

struct CrashState {
  std::string path;
  const std::string *arguments = nullptr;
  const std::string *text = nullptr;
};

} // namespace

/// What the handler reads; set before it is installed.
static CrashState crash;

static void writeText(int file, std::string_view text) {
  while (!text.empty()) {
    ssize_t written = write(file, text.data(), text.size());
    if (written <= 0)
      return;
    text.remove_prefix(size_t(written));
  }
}

static std::string makePath() {
  const char *folder = std::getenv("TMPDIR");
  return std::string(folder && *folder ? folder : "/tmp") + "/tilec-bug-" + std::to_string(getpid()) + ".mlir";
}

static void writeReport(const std::string &path, const std::string &arguments, const std::string &text) {
  int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) {
    writeText(STDERR_FILENO, "tilec: error: this is a bug in tilec; its reproducer cannot be written to ");
  } else {
    writeText(file, "// tilec ");
    writeText(file, arguments);
    writeText(file, "\n");
    writeText(file, text);
    close(file);
    writeText(STDERR_FILENO, "tilec: error: this is a bug in tilec; please report it with ");
  }
  writeText(STDERR_FILENO, path);
  writeText(STDERR_FILENO, "\n");
}

static void onCrash(int) {
  writeReport(crash.path, *crash.arguments, *crash.text);
  _exit(kExitBug);
}

int tilec::reportBug(const std::string &arguments, const std::string &text) {
  writeReport(makePath(), arguments, text);
  return kExitBug;
}

void tilec::reportCrashes(const std::string &arguments, const std::string &text) {
  crash = {makePath(), &arguments, &text};
  struct sigaction action = {};
  action.sa_handler = onCrash;
  action.sa_flags = SA_ONSTACK | SA_RESETHAND;
  for (int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT})
    sigaction(signal, &action, nullptr);
}
