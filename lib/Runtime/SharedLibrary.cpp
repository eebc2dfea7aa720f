//===- SharedLibrary.cpp - Libraries opened at run time -------*- C++ -*-===//
//
// dlopen with a record of what was tried.
//
//===----------------------------------------------------------------------===//

#include "tilec/Runtime/SharedLibrary.h"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

namespace tilec::runtime {

namespace {

std::string loadedPath(void *handle, const std::string &fallback) {
  link_map *map = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && map && map->l_name[0])
    return map->l_name;
  return fallback;
}

std::string joined(const std::vector<std::string> &names) {
  std::string text;
  for (size_t i = 0; i < names.size(); ++i)
    text += (i == 0 ? "" : " or ") + names[i];
  return text;
}

} // namespace

Result<SharedLibrary> SharedLibrary::open(const std::vector<std::string> &sonames,
                                          const std::vector<LibraryPlace> &places) {
  std::string tried;
  for (const LibraryPlace &place : places) {
    std::string said;
    for (const std::string &soname : sonames) {
      std::string file = place.folder.empty() ? soname : place.folder + "/" + soname;
      // The loader's message for an absent file repeats what the list says.
      if (!place.folder.empty() && access(file.c_str(), F_OK) != 0)
        continue;
      if (void *handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE))
        return SharedLibrary(handle, loadedPath(handle, file), place.origin);
      const char *reason = dlerror();
      if (!place.folder.empty() && reason)
        said += std::string(": ") + reason;
    }
    tried += "\n  " +
             (place.folder.empty() ? place.origin : place.folder + " (" + place.origin + ")") +
             said;
  }
  return Error{"found no " + joined(sonames) + "; tried" + tried};
}

void *SharedLibrary::find(const char *symbol) const { return dlsym(handle, symbol); }

} // namespace tilec::runtime
