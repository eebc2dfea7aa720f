//===- RunExecutor.h - Where a kernel runs -----------------------*- C++ -*-===//
//
// The GPU and the emulator behind one interface.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_CODEGEN_DRIVER_RUNEXECUTOR_H
#define TILEC_CODEGEN_DRIVER_RUNEXECUTOR_H

#include "RunPlan.h"
#include "tilec/Runtime/Device.h"

#include <memory>

namespace tilec {

/// How one run ended.
struct Execution {
  /// Done; Rejected where the launch is refused; Wrong where the kernel broke a
  /// rule or died.
  Status status = Status::Done;
  /// Why the status is not Done; may have several lines.
  std::string message;
};

class Executor {
public:
  virtual ~Executor() = default;
  /// Runs the kernel once on `tensors`, in place.
  virtual Execution execute(std::vector<runtime::HostTensor> &tensors, const RunPlan &plan) = 0;
  virtual RunPlace getPlace() const = 0;
  /// "the emulator", "NVIDIA H100 (sm_90a)".
  virtual std::string describe() const = 0;
  /// Adds what was counted in the last run.
  virtual void addCounts(RunResult &result) const {}
};

/// A GPU with the kernel loaded.
class GPUExecutor : public Executor {
public:
  /// Loads the kernel's cubin on `device`, or one compiled for it from the
  /// kernel's text. `notes` receives what the user should know.
  static runtime::Result<std::unique_ptr<GPUExecutor>> create(const CompiledKernel &kernel, runtime::Device device, const RunOptions &options,
                                                              std::vector<std::string> &notes);

  Execution execute(std::vector<runtime::HostTensor> &tensors, const RunPlan &plan) override;
  RunPlace getPlace() const override { return RunPlace::GPU; }
  std::string describe() const override;

  const runtime::Device &getDevice() const { return device; }
  const std::shared_ptr<runtime::Kernel> &getKernel() const { return kernel; }
  const std::string &getArch() const { return arch; }

private:
  GPUExecutor(runtime::Device device, std::shared_ptr<runtime::Kernel> kernel, std::string arch)
      : device(std::move(device)), kernel(std::move(kernel)), arch(std::move(arch)) {}

  runtime::Device device;
  std::shared_ptr<runtime::Kernel> kernel;
  /// What the loaded cubin was compiled for.
  std::string arch;
};

/// Copies of tensors on the device, margins included.
struct DeviceTensors {
  std::vector<runtime::DeviceBuffer> buffers;
  runtime::LaunchArguments arguments;

  /// Queues the copies in `stream`.
  static runtime::Result<DeviceTensors> create(const runtime::Device &device, runtime::Stream &stream,
                                               const std::vector<runtime::HostTensor> &tensors, const RunPlan &plan);
};

/// The emulator with the kernel compiled by the host compiler; the error says
/// which compilers were tried, or what the compiler said, and `status` whose fault that is: Missing, Internal where the
/// compiler refuses what tilec printed, Rejected where it refuses a user's text. Findings name places in `nestFile`.
runtime::Result<std::unique_ptr<Executor>> createEmulator(const CompiledKernel &kernel, const std::string &nestFile,
                                                          const EmulatorSettings &settings, Status &status);

/// The places that were found for some kernels, one for each; all on the GPU or none.
struct Places {
  std::vector<std::unique_ptr<GPUExecutor>> gpu;
  std::vector<std::unique_ptr<Executor>> emulator;
  /// Why both are empty.
  Status status = Status::Missing;

  bool empty() const { return gpu.empty() && emulator.empty(); }
  Executor &get(size_t number) const { return gpu.empty() ? *emulator[number] : *gpu[number]; }
};

/// The first place that `options` allow and that is there for all of `kernels`; adds to the lines why others are not.
Places findPlaces(const std::vector<const CompiledKernel *> &kernels, const std::string &nestFile, const RunOptions &options, RunResult &result);

} // namespace tilec

#endif // TILEC_CODEGEN_DRIVER_RUNEXECUTOR_H
