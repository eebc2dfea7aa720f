//===- OutputFiles.cpp - Files that appear whole or not at all --*- C++ -*-===//

#include "OutputFiles.h"

#include "EarlyEnd.h"
#include "InputFile.h"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

using namespace tilec;
namespace fs = std::filesystem;

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

/// Where a path leads that is a link, or a chain of them; the last one may lead to what does not exist yet.
static std::string followLinks(const std::string &path) {
  constexpr int kLongestChain = 40;
  fs::path place = path;
  std::error_code error;
  for (int i = 0; i < kLongestChain && fs::is_symlink(place, error); ++i) {
    fs::path target = fs::read_symlink(place, error);
    place = target.is_absolute() ? target : place.parent_path() / target;
  }
  return place;
}

static bool isSameFile(const std::string &a, const std::string &b) {
  std::error_code error;
  if (fs::equivalent(a, b, error))
    return true;
  // They may both not exist yet.
  fs::path first = fs::weakly_canonical(fs::absolute(a, error), error);
  return !first.empty() && first == fs::weakly_canonical(fs::absolute(b, error), error);
}

OutputFiles::~OutputFiles() {
  for (const Entry &entry : entries)
    if (!entry.temporary.empty()) {
      unlink(entry.temporary.c_str());
      forgetTemporary(entry.temporary);
    }
  // Those that hold outputs stay.
  for (const std::string &folder : made)
    rmdir(folder.c_str());
}

void OutputFiles::addFolder(const std::string &path) { folders.push_back(path); }

void OutputFiles::addInput(const std::string &path) {
  if (path != "-")
    inputs.push_back(path);
}

std::optional<std::string> OutputFiles::add(const std::string &path, std::string_view contents) {
  bool toStdout = path == "-";
  std::string place = toStdout ? path : followLinks(path);
  for (const std::string &input : inputs)
    if (!toStdout && isSameFile(place, input) && !isSpecial(place))
      return "'" + path + "' is the input and would be overwritten";
  for (const Entry &entry : entries)
    if (entry.path == path || (!toStdout && entry.path != "-" && !isSpecial(place) && isSameFile(place, entry.place)))
      return toStdout ? "two outputs would go to standard output" : "two outputs would be written to '" + path + "'; name a folder with -o";
  entries.push_back({path, place, std::string(contents), ""});
  if (!toStdout)
    paths.push_back(path);
  return std::nullopt;
}

std::optional<std::string> OutputFiles::writeTemporary(Entry &entry) {
  struct stat status;
  if (stat(entry.place.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) {
    errno = EISDIR;
    return failure(entry.path, "write");
  }
  std::string name = entry.place + ".tmp-XXXXXX";
  int file = makeTemporaryFile(name);
  if (file < 0)
    return failure(entry.path, "write");
  entry.temporary = name;
  // mkstemp keeps others out; an output is readable as the user's umask says.
  mode_t mask = umask(0);
  umask(mask);
  bool written = writeAll(file, entry.contents) && fchmod(file, 0666 & ~mask) == 0;
  if (close(file) != 0 || !written)
    return failure(entry.path, "write");
  return std::nullopt;
}

std::optional<std::string> OutputFiles::commit() {
  for (const std::string &folder : folders) {
    if (mkdir(folder.c_str(), 0777) == 0)
      made.push_back(folder);
    else if (errno != EEXIST)
      return failure(folder, "make the folder");
  }
  for (Entry &entry : entries)
    if (entry.path != "-" && !isSpecial(entry.place))
      if (std::optional<std::string> error = writeTemporary(entry))
        return error;
  std::vector<std::string> placed;
  for (Entry &entry : entries) {
    if (entry.temporary.empty())
      continue;
    if (rename(entry.temporary.c_str(), entry.place.c_str()) != 0) {
      std::string error = failure(entry.path, "write");
      for (const std::string &path : placed)
        unlink(path.c_str());
      return error;
    }
    forgetTemporary(entry.temporary);
    entry.temporary.clear();
    placed.push_back(entry.place);
  }
  for (const Entry &entry : entries) {
    bool toStdout = entry.path == "-";
    if (!toStdout && !isSpecial(entry.place))
      continue;
    int file = toStdout ? STDOUT_FILENO : open(entry.place.c_str(), O_WRONLY | O_CLOEXEC);
    bool written = file >= 0 && writeAll(file, entry.contents);
    if (!written)
      return toStdout ? "cannot write standard output: " + reasonOf(errno) : failure(entry.path, "write");
    if (!toStdout)
      close(file);
  }
  return std::nullopt;
}
