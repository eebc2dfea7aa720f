//===- HostCompiler.cpp - Kernel text to host code ------------*- C++ -*-===//
//
// Runs the user's C++ compiler, without a shell, in a folder of its own that is
// gone afterwards.
//
//===----------------------------------------------------------------------===//

#include "Findings.h"
#include "HostModule.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
extern const char *const tilecEmulatorDeviceSide;

namespace tilec::emulator {

namespace {

constexpr const char *textFile = "kernel.cu";
constexpr const char *headerFile = "vocabulary.h";
constexpr const char *objectFile = "kernel.so";
constexpr const char *logFile = "log.txt";
// The start of the compiler's messages; the first error is what matters.
constexpr size_t maxLogBytes = 4000;

/// A private folder with the files of one compilation.
class TemporaryFolder {
public:
  explicit TemporaryFolder(const runtime::TemporaryFolders &folders) : folders(folders) {
    const char *parent = std::getenv("TMPDIR");
    // A relative path may begin with a dash, and would be an option of the compiler.
    std::error_code error;
    path = std::filesystem::absolute(parent && *parent ? parent : "/tmp", error).string() + "/tilec-XXXXXX";
    exists = folders.make ? folders.make(path) : mkdtemp(path.data()) != nullptr;
  }
  ~TemporaryFolder() {
    if (!exists)
      return;
    for (const char *name : {textFile, headerFile, objectFile, logFile})
      unlink(file(name).c_str());
    rmdir(path.c_str());
    if (folders.gone)
      folders.gone(path);
  }
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;

  std::string file(const char *name) const { return path + "/" + name; }

  std::string path;
  bool exists = false;

private:
  const runtime::TemporaryFolders &folders;
};

bool writeFile(const std::string &path, std::string_view text) {
  FILE *file = std::fopen(path.c_str(), "wb");
  if (!file)
    return false;
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  return std::fclose(file) == 0 && written;
}

std::string readStart(const std::string &path) {
  FILE *file = std::fopen(path.c_str(), "rb");
  if (!file)
    return "";
  std::string text(maxLogBytes, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), file));
  std::fclose(file);
  while (!text.empty() && text.back() == '\n')
    text.pop_back();
  return text;
}

/// The program's path, or empty.
std::string findProgram(const std::string &name) {
  if (name.find('/') != std::string::npos)
    return access(name.c_str(), X_OK) == 0 ? name : "";
  const char *path = std::getenv("PATH");
  std::string_view rest = path ? path : "";
  while (!rest.empty()) {
    const size_t end = rest.find(':');
    const std::string_view folder = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    // An empty entry means the working folder, where no compiler belongs.
    if (folder.empty())
      continue;
    std::string candidate = std::string(folder) + "/" + name;
    if (access(candidate.c_str(), X_OK) == 0)
      return candidate;
  }
  return "";
}

/// Runs a program with both outputs into `log` and its own temporary files in `temporaries`; the error
/// tells how it ended.
runtime::MaybeError runProgram(const std::vector<std::string> &command, const std::string &log,
                               const std::string &temporaries) {
  std::string folder = "TMPDIR=" + temporaries;
  std::vector<char *> environment = {folder.data()};
  for (char **variable = environ; *variable; ++variable)
    if (std::strncmp(*variable, "TMPDIR=", 7) != 0)
      environment.push_back(*variable);
  environment.push_back(nullptr);
  std::vector<char *> arguments;
  for (const std::string &argument : command)
    arguments.push_back(const_cast<char *>(argument.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  // Signals that this process waits for in one thread end a compiler as ever.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  pid_t child = 0;
  const int error = posix_spawn(&child, arguments[0], &actions, &attributes, arguments.data(), environment.data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0)
    return runtime::Error{format("cannot run %s: %s", arguments[0], std::strerror(error))};
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      return runtime::Error{format("cannot wait for %s: %s", arguments[0], std::strerror(errno))};
  if (WIFSIGNALED(status))
    return runtime::Error{format("%s was ended by signal %d", arguments[0], WTERMSIG(status))};
  if (WEXITSTATUS(status) != 0)
    return runtime::Error{format("%s failed with status %d", arguments[0], WEXITSTATUS(status))};
  return std::nullopt;
}

} // namespace

runtime::Result<std::string> findHostCompiler() {
  const char *given = std::getenv("CXX");
  if (given && *given) {
    std::string program = findProgram(given);
    if (program.empty())
      return runtime::Error{"CXX is '" + std::string(given) + "', which is no program that can be run; name g++ 12 or clang++ 14 or later, "
                            "without options, or unset it"};
    return program;
  }
  std::string tried;
  for (const char *name : {"c++", "g++", "clang++"}) {
    std::string program = findProgram(name);
    if (!program.empty())
      return program;
    tried += (tried.empty() ? "" : ", ") + std::string(name);
  }
  return runtime::Error{"no host compiler for the emulator; tried " + tried +
                        "; set CXX to the path of g++ 12 or clang++ 14 or later"};
}

/// Does the text call what orders its threads by more than barriers of whole
/// blocks? A name in a comment costs time, no more.
static bool needsClocks(std::string_view text) {
  for (const char *name : {
#include "tilec/Emulator/ClockFunctions.inc"
       })
    if (text.find(name) != std::string_view::npos)
      return true;
  return false;
}

runtime::Result<HostModule> compileForHost(std::string_view text, std::string_view symbol,
                                           const std::string &compiler,
                                           const runtime::TemporaryFolders &folders) {
  TemporaryFolder folder(folders);
  if (!folder.exists)
    return runtime::Error{
        format("cannot make a folder like %s: %s", folder.path.c_str(), std::strerror(errno))};
  std::string source(text);
  source += "\nTILEC_EMULATOR_KERNEL(" + std::string(symbol) +
            (needsClocks(text) ? ", true)\n" : ", false)\n");
  if (!writeFile(folder.file(textFile), source) ||
      !writeFile(folder.file(headerFile), tilecEmulatorDeviceSide))
    return runtime::Error{"cannot write to " + folder.path};

  // The largest frame leaves room on the fiber's stack for the run-time. The
  // warning is looked for in the log: g++ and clang++ agree on no spelling that
  // makes it an error.
  const std::vector<std::string> command = {compiler,
                                            "-x",
                                            "c++",
                                            "-std=c++17",
                                            "-O2",
                                            "-shared",
                                            "-fPIC",
                                            "-fno-exceptions",
                                            "-fno-rtti",
                                            "-fvisibility=hidden",
                                            "-ffp-contract=off",
                                            "-fno-strict-aliasing",
                                            "-fwrapv",
                                            "-ftrivial-auto-var-init=pattern",
                                            "-DTILEC_EMULATOR",
                                            "-Wno-unknown-pragmas",
                                            "-Wframe-larger-than=40960",
                                            "-include",
                                            folder.file(headerFile),
                                            "-o",
                                            folder.file(objectFile),
                                            folder.file(textFile)};
  if (runtime::MaybeError error = runProgram(command, folder.file(logFile), folder.path))
    return runtime::Error{error->message + ":\n" + readStart(folder.file(logFile))};
  const std::string log = readStart(folder.file(logFile));
  if (log.find("frame size") != std::string::npos)
    return runtime::Error{"the kernel's local arrays do not fit on an emulated thread's stack:\n" +
                          log};
  return loadHostModule(folder.file(objectFile));
}

} // namespace tilec::emulator
