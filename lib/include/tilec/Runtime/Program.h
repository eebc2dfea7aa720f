//===- Program.h - Kernels that are launched one after the other -*- C++ -*-===//

#ifndef TILEC_RUNTIME_PROGRAM_H
#define TILEC_RUNTIME_PROGRAM_H

#include "tilec/Runtime/Device.h"
#include "tilec/Runtime/ProgramDescription.h"

#include <memory>

namespace tilec::runtime {

/// A program whose kernels are loaded.
class Program {
public:
  /// `kernels` are those that the steps number.
  Program(Device device, ProgramDescription description, std::vector<std::shared_ptr<Kernel>> kernels)
      : device(std::move(device)), program(std::move(description)), kernels(std::move(kernels)) {}

  /// Queues all kernels, with arrays allocated for `stream`. Refuses what computeValues, checkDense, layOutArrays and the kernels' launches refuse;
  /// what was queued before that still runs.
  MaybeError launch(const LaunchArguments &arguments, Stream &stream) const;

  const ProgramDescription &description() const { return program; }

private:
  Device device;
  ProgramDescription program;
  std::vector<std::shared_ptr<Kernel>> kernels;
};

} // namespace tilec::runtime

#endif // TILEC_RUNTIME_PROGRAM_H
