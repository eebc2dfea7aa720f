//===- Answers.cpp - What was found out once --------------------*- C++ -*-===//

#include "tilec/Driver/Answers.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>

using namespace tilec;

static std::string digest(llvm::StringRef text) { return llvm::toHex(llvm::SHA256::hash(llvm::arrayRefFromStringRef(text)), /*LowerCase=*/true); }

std::string Answers::getDefaultFolder() {
  auto join = [](const char *base, llvm::StringRef below) -> std::string {
    if (!base || !llvm::sys::path::is_absolute(base))
      return "";
    llvm::SmallString<128> path(base);
    llvm::sys::path::append(path, below, "tilec");
    return std::string(path);
  };
  std::string folder = join(std::getenv("XDG_CACHE_HOME"), "");
  return folder.empty() ? join(std::getenv("HOME"), ".cache") : folder;
}

std::string Answers::getPath(const std::string &question) const {
  llvm::SmallString<128> path(folder);
  llvm::sys::path::append(path, digest(question) + ".answer");
  return std::string(path);
}

// A file: the digest of the rest, how long the question is, question and answer.
std::optional<std::string> Answers::find(const std::string &question) const {
  if (folder.empty())
    return std::nullopt;
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> file = llvm::MemoryBuffer::getFile(getPath(question));
  if (!file)
    return std::nullopt;
  auto [mark, rest] = (*file)->getBuffer().split('\n');
  if (mark != digest(rest))
    return std::nullopt;
  auto [length, both] = rest.split('\n');
  size_t bytes = 0;
  if (length.getAsInteger(10, bytes) || both.take_front(bytes) != question)
    return std::nullopt;
  return both.drop_front(bytes).str();
}

void Answers::keep(const std::string &question, const std::string &answer) const {
  if (folder.empty() || llvm::sys::fs::create_directories(folder))
    return;
  std::string rest = std::to_string(question.size()) + "\n" + question + answer;
  // Who reads meanwhile sees the old file or the new one.
  llvm::consumeError(llvm::writeToOutput(getPath(question), [&](llvm::raw_ostream &os) {
    os << digest(rest) << "\n" << rest;
    return llvm::Error::success();
  }));
}
