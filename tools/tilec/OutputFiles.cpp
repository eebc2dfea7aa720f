//===- OutputFiles.cpp - Files that appear whole or not at all --*- C++ -*-===//

#include "OutputFiles.h"

#include "InputFile.h"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace tilec;

static std::string failure(const std::string &path, const char *what) {
  return "cannot " + std::string(what) + " '" + path + "': " + reasonOf(errno);
}

/// Writes all of `contents`; false with errno set.
static bool writeAll(int file, std::string_view contents) {
  while (!contents.empty()) {
    ssize_t written = write(file, contents.data(), contents.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      return false;
    contents.remove_prefix(size_t(written));
  }
  return true;
}

/// What is no regular file (a device, a pipe) is written in place: it cannot be replaced.
static bool isSpecial(const std::string &path) {
  struct stat status;
  return stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

OutputFiles::~OutputFiles() {
  for (const Entry &entry : entries)
    if (!entry.temporary.empty())
      unlink(entry.temporary.c_str());
}

void OutputFiles::add(std::string path, std::string_view contents) {
  entries.push_back({std::move(path), std::string(contents), ""});
}

std::optional<std::string> OutputFiles::commit() {
  for (Entry &entry : entries) {
    if (entry.path == "-" || isSpecial(entry.path))
      continue;
    struct stat status;
    if (stat(entry.path.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) {
      errno = EISDIR;
      return failure(entry.path, "write");
    }
    std::string name = entry.path + ".tmp-XXXXXX";
    int file = mkstemp(name.data());
    if (file < 0)
      return failure(entry.path, "write");
    entry.temporary = name;
    // mkstemp keeps others out; an output is readable as the user's umask says.
    mode_t mask = umask(0);
    umask(mask);
    bool written = writeAll(file, entry.contents) && fchmod(file, 0666 & ~mask) == 0;
    if (close(file) != 0 || !written)
      return failure(entry.path, "write");
  }
  std::vector<std::string> placed;
  for (Entry &entry : entries) {
    if (entry.temporary.empty())
      continue;
    if (rename(entry.temporary.c_str(), entry.path.c_str()) != 0) {
      std::string error = failure(entry.path, "write");
      for (const std::string &path : placed)
        unlink(path.c_str());
      return error;
    }
    entry.temporary.clear();
    placed.push_back(entry.path);
  }
  for (const Entry &entry : entries) {
    bool toStdout = entry.path == "-";
    if (!toStdout && !isSpecial(entry.path))
      continue;
    int file = toStdout ? STDOUT_FILENO : open(entry.path.c_str(), O_WRONLY | O_CLOEXEC);
    bool written = file >= 0 && writeAll(file, entry.contents);
    if (!written)
      return failure(toStdout ? "standard output" : entry.path, "write");
    if (!toStdout)
      close(file);
  }
  return std::nullopt;
}
