//===- HostModule.cpp - A kernel in host code, loaded ---------*- C++ -*-===//
//
// See HostModule.h.
//
//===----------------------------------------------------------------------===//

#include "HostModule.h"

#include "Vocabulary.h"

#include <dlfcn.h>

namespace tilec::emulator {

LoadedKernel::~LoadedKernel() {
  if (library)
    dlclose(library);
}

runtime::Result<HostModule> loadHostModule(const std::string &file) {
  auto kernel = std::make_shared<LoadedKernel>();
  kernel->library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!kernel->library)
    return runtime::Error{std::string("cannot load the kernel in host code: ") + dlerror()};
  using GetEntry = const tilec_emulator::KernelEntry *();
  auto *getEntry = reinterpret_cast<GetEntry *>(dlsym(kernel->library, "tilec_emulator_kernel"));
  if (!getEntry)
    return runtime::Error{"the kernel in host code exports no tilec_emulator_kernel"};
  kernel->entry = getEntry();
  kernel->entry->bind(&getRuntimeTable());
  return HostModule(std::move(kernel));
}

} // namespace tilec::emulator
