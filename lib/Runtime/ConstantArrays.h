//===- ConstantArrays.h - A kernel's arrays in constant memory -*- C++ -*-===//
//
// A module has each such array once, whatever streams it is launched on: a launch
// fills it, and the next one waits until that has run.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_RUNTIME_CONSTANTARRAYS_H
#define TILEC_LIB_RUNTIME_CONSTANTARRAYS_H

#include "CudaDriver.h"

#include <mutex>
#include <vector>

namespace tilec::runtime {

class ConstantArrays {
public:
  explicit ConstantArrays(std::shared_ptr<DeviceState> state) : state(std::move(state)) {}
  ~ConstantArrays();

  /// Finds the arrays of `kernel` in `module`.
  MaybeError find(void *module, const KernelDescription &kernel);
  bool empty() const { return arrays.empty(); }

  /// From fill() to finish() launches of other threads stay away.
  std::unique_lock<std::mutex> lock() { return std::unique_lock<std::mutex>(mutex); }
  /// Queues the copies of the launch's tensors, once the last launch has run.
  MaybeError fill(const LaunchArguments &arguments, StreamHandle stream);
  /// The launch has been queued too.
  MaybeError finish(StreamHandle stream);

private:
  struct Array {
    size_t tensor = 0;
    unsigned long long address = 0;
    size_t bytes = 0;
  };

  std::shared_ptr<DeviceState> state;
  std::vector<Array> arrays;
  std::mutex mutex;
  /// Where the last launch ends; null before the first.
  EventHandle last = nullptr;
};

} // namespace tilec::runtime

#endif // TILEC_LIB_RUNTIME_CONSTANTARRAYS_H
