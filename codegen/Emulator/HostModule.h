//===- HostModule.h - A kernel in host code, loaded -----------*- C++ -*-===//
//
// What a HostModule holds.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_EMULATOR_HOSTMODULE_H
#define TILEC_EMULATOR_HOSTMODULE_H

#include "RuntimeTable.h"
#include "StackPool.h"

#include "tilec/Emulator/Emulator.h"

namespace tilec::emulator {

struct LoadedKernel {
  LoadedKernel() = default;
  ~LoadedKernel();
  LoadedKernel(const LoadedKernel &) = delete;
  LoadedKernel &operator=(const LoadedKernel &) = delete;

  void *library = nullptr;
  const tilec_emulator::KernelEntry *entry = nullptr;
  /// Of launches, which change nothing else.
  mutable StackPool stacks;
};

/// Loads a shared object that the host compiler made; the file may be removed
/// afterwards.
runtime::Result<HostModule> loadHostModule(const std::string &file);

} // namespace tilec::emulator

#endif // TILEC_EMULATOR_HOSTMODULE_H
