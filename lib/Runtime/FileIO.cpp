//===- FileIO.cpp - Whole files -------------------------------*- C++ -*-===//
//
// POSIX calls with every result checked.
//
//===----------------------------------------------------------------------===//

#include "FileIO.h"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tilec::runtime {

namespace {

Error systemError(const std::string &what, int code) {
  return Error{what + ": " + std::strerror(code)};
}

/// Closes at the end of its scope.
struct Descriptor {
  int number;
  ~Descriptor() {
    if (number >= 0)
      ::close(number);
  }
};

} // namespace

Result<std::string> readFile(const std::string &path) {
  // O_NONBLOCK keeps a FIFO without a writer from blocking the open.
  Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (file.number < 0)
    return systemError("cannot read " + path, errno);
  struct stat status;
  if (::fstat(file.number, &status) != 0)
    return systemError("cannot read " + path, errno);
  if (!S_ISREG(status.st_mode))
    return Error{"cannot read " + path + ": no regular file"};
  std::string contents(size_t(status.st_size), '\0');
  size_t done = 0;
  while (done < contents.size()) {
    ssize_t count = ::read(file.number, &contents[done], contents.size() - done);
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return systemError("cannot read " + path, errno);
    if (count == 0)
      break;
    done += size_t(count);
  }
  contents.resize(done);
  return contents;
}

MaybeError writeFileAtomically(const std::string &path, std::string_view contents, mode_t mode) {
  // Unique among the processes and the threads that write the same path; a
  // name left over by a process of the same number that died is taken again.
  static std::atomic<unsigned> counter{0};
  std::string temporary =
      path + "." + std::to_string(::getpid()) + "-" + std::to_string(counter++) + ".tmp";
  ::unlink(temporary.c_str());
  Descriptor file{::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)};
  if (file.number < 0)
    return systemError("cannot write " + path, errno);
  auto fail = [&](int code) {
    ::unlink(temporary.c_str());
    return systemError("cannot write " + path, code);
  };
  while (!contents.empty()) {
    ssize_t count = ::write(file.number, contents.data(), contents.size());
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return fail(errno);
    contents.remove_prefix(size_t(count));
  }
  int number = file.number;
  file.number = -1;
  if (::close(number) != 0)
    return fail(errno);
  if (::rename(temporary.c_str(), path.c_str()) != 0)
    return fail(errno);
  return std::nullopt;
}

} // namespace tilec::runtime
