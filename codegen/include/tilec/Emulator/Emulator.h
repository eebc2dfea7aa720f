//===- Emulator.h - Running generated CUDA text on the CPU ----*- C++ -*-===//
//
// The text of a kernel, compiled by the host compiler, runs here as fibers:
// one for each CUDA thread. Every call of the device vocabulary is checked and
// counted. Asynchronous copies land as late as their rules allow.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_EMULATOR_EMULATOR_H
#define TILEC_EMULATOR_EMULATOR_H

#include "tilec/Emulator/Report.h"
#include "tilec/Runtime/KernelDescription.h"
#include "tilec/Runtime/Result.h"
#include "tilec/Runtime/TemporaryFolders.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tilec::emulator {

/// The C++ compiler (g++ or clang++) that $CXX names, else the first of c++, g++
/// and clang++. The error says which were tried: the toolchain is missing.
runtime::Result<std::string> findHostCompiler();

struct LoadedKernel;

/// A kernel in host code, loaded; copies share it. May run in several threads.
class HostModule {
public:
  explicit HostModule(std::shared_ptr<const LoadedKernel> kernel) : kernel(std::move(kernel)) {}
  const LoadedKernel &getKernel() const { return *kernel; }

private:
  std::shared_ptr<const LoadedKernel> kernel;
};

/// Compiles CUDA text that calls only the device vocabulary and loads the
/// kernel `symbol`. `compiler` is a program as findHostCompiler returns it. The
/// error quotes the compiler; lines count from the first line of `text`.
/// The compiler's files are in one of `folders`.
runtime::Result<HostModule>
compileForHost(std::string_view text, std::string_view symbol, const std::string &compiler,
               const runtime::TemporaryFolders &folders = {});

/// Which of the threads that could go on goes on.
enum class Schedule {
  /// The lowest number first.
  InOrder,
  /// The highest number first.
  Reversed,
  /// One warp (another in each block) before all others, wherever it can.
  WarpAhead,
  /// Any, drawn from the seed and the block's number.
  Random
};

struct RunOptions {
  Schedule schedule = Schedule::InOrder;
  uint64_t seed = 1;
  /// Clusters that run at the same time, each on its own OS thread.
  unsigned threads = 1;
  /// Races, initialisation and waits. Bounds, alignment, barriers and deadlock
  /// are checked in any case.
  bool checks = true;
  /// For the unique bytes of the report: blocks that run before the caches
  /// have forgotten everything; 0 for all.
  unsigned blocksPerWave = 0;
  /// Of a persistent kernel: blocks that the machine runs at once.
  unsigned residentBlocks = 1;
  unsigned maxFindings = 64;
  /// Bytes, one for each tensor or none: where element 0 lies past an address
  /// aligned to 256 bytes.
  std::vector<uint64_t> baseOffsets;
};

/// Runs the whole grid. Addresses in `arguments` are host addresses; the
/// emulator works on copies of the tensors between unreadable surroundings and
/// copies the logical elements of written tensors back. The error tells why the
/// launch is refused: what checkLaunch refuses, a signature that differs from
/// the description, a tensor that spans more than 4 GiB, or clusters of more
/// than 2048 threads.
runtime::Result<Report> run(const HostModule &module, const runtime::KernelDescription &kernel,
                            const runtime::LaunchArguments &arguments,
                            const RunOptions &options = {});

} // namespace tilec::emulator

#endif // TILEC_EMULATOR_EMULATOR_H
