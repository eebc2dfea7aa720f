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
  /// Opens the device and loads the kernel's cubin, or one compiled for the
  /// device from its text. `notes` receives what the user should know.
  static runtime::Result<std::unique_ptr<GPUExecutor>> create(const CompiledKernel &kernel, const RunOptions &options,
                                                              std::vector<std::string> &notes);

  Execution execute(std::vector<runtime::HostTensor> &tensors, const RunPlan &plan) override;
  RunPlace getPlace() const override { return RunPlace::GPU; }
  std::string describe() const override;

  const runtime::Device &getDevice() const { return device; }
  const runtime::Kernel &getKernel() const { return kernel; }
  const std::string &getArch() const { return arch; }

private:
  GPUExecutor(runtime::Device device, runtime::Kernel kernel, std::string arch)
      : device(std::move(device)), kernel(std::move(kernel)), arch(std::move(arch)) {}

  runtime::Device device;
  runtime::Kernel kernel;
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

} // namespace tilec

#endif // TILEC_CODEGEN_DRIVER_RUNEXECUTOR_H
