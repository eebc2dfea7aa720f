//===- InputFile.cpp - Reading a nest ---------------------------*- C++ -*-===//

#include "InputFile.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

using namespace tilec;

std::string tilec::reasonOf(int number) {
  std::string reason = std::strerror(number);
  if (!reason.empty())
    reason[0] = char(std::tolower(static_cast<unsigned char>(reason[0])));
  return reason;
}

std::optional<std::string> tilec::readInput(const std::string &path, std::string &error) {
  constexpr size_t kMost = (size_t(64) << 20) + 1;
  int file = path == "-" ? STDIN_FILENO : open(path.c_str(), O_RDONLY | O_CLOEXEC);
  std::string text;
  char buffer[1 << 16];
  ssize_t size = file < 0 ? -1 : 1;
  while (size > 0 && text.size() < kMost) {
    size = read(file, buffer, std::min(sizeof buffer, kMost - text.size()));
    if (size > 0)
      text.append(buffer, size_t(size));
    else if (size < 0 && errno == EINTR)
      size = 1;
  }
  int reason = errno;
  if (file > STDIN_FILENO)
    close(file);
  if (size < 0) {
    error = "cannot read '" + path + "': " + reasonOf(reason);
    return std::nullopt;
  }
  return text;
}
