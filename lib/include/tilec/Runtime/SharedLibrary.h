//===- SharedLibrary.h - Libraries opened at run time ---------*- C++ -*-===//
//
// tilec links to no CUDA library; it opens them by SONAME when needed, and
// their absence is an answer that lists where was looked.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_RUNTIME_SHAREDLIBRARY_H
#define TILEC_RUNTIME_SHAREDLIBRARY_H

#include "tilec/Runtime/CudaPaths.h"
#include "tilec/Runtime/Result.h"

#include <string>
#include <vector>

namespace tilec::runtime {

/// A library that was found. It stays loaded until the process ends: CUDA
/// libraries start threads and do not survive being unloaded.
class SharedLibrary {
public:
  /// Opens the first of `sonames` that is found in the first of `places`: a
  /// place is searched for all names before the next place. The error lists
  /// every place, and what the loader said where a file was there.
  static Result<SharedLibrary> open(const std::vector<std::string> &sonames,
                                    const std::vector<LibraryPlace> &places);

  /// The file that was loaded.
  const std::string &path() const { return file; }
  /// Which place it was found in.
  const std::string &origin() const { return foundIn; }

  /// The address of a function, null where the library lacks it.
  void *find(const char *symbol) const;

  /// Sets `function` to the symbol, or says which symbol of which file is
  /// missing.
  template <typename Function>
  MaybeError bind(const char *symbol, Function *&function) const {
    void *address = find(symbol);
    if (!address)
      return Error{file + " has no function " + symbol};
    function = reinterpret_cast<Function *>(address);
    return std::nullopt;
  }

private:
  SharedLibrary(void *handle, std::string file, std::string foundIn)
      : handle(handle), file(std::move(file)), foundIn(std::move(foundIn)) {}

  void *handle;
  std::string file;
  std::string foundIn;
};

} // namespace tilec::runtime

#endif // TILEC_RUNTIME_SHAREDLIBRARY_H
