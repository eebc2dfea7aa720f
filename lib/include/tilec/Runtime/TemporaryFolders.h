//===- TemporaryFolders.h - Folders of the host compiler ---------*- C++ -*-===//

#ifndef TILEC_RUNTIME_TEMPORARYFOLDERS_H
#define TILEC_RUNTIME_TEMPORARYFOLDERS_H

#include <functional>
#include <string>

namespace tilec::runtime {

/// For a program that removes the host compiler's files where a signal ends it.
struct TemporaryFolders {
  /// Makes a folder as mkdtemp does, which is called where this is empty: `path` ends with XXXXXX, and is the folder's
  /// afterwards. False with errno where there is none.
  std::function<bool(std::string &path)> make;
  /// Is told of a folder that is gone.
  std::function<void(const std::string &path)> gone;
};

} // namespace tilec::runtime

#endif // TILEC_RUNTIME_TEMPORARYFOLDERS_H
