//===- Compiler.h - CUDA C++ to cubin with NVRTC --------------*- C++ -*-===//
//
// NVRTC, opened at run time. Takes source text and options from a closed list;
// no string of the caller becomes an option.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_NVRTC_COMPILER_H
#define TILEC_NVRTC_COMPILER_H

#include "tilec/NVRTC/CompileLog.h"
#include "tilec/Runtime/CudaPaths.h"
#include "tilec/Runtime/Result.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tilec::nvrtc {

struct CompileOptions {
  /// -lineinfo: source lines for profilers; no change to the code.
  bool lineInfo = false;
  /// -G: for debuggers, unoptimised.
  bool debug = false;
  /// Registers per thread at most, 0 for no limit of its own. A kernel's
  /// __launch_bounds__ wins over it.
  unsigned maxRegisters = 0;
  /// Fill CompileOutput::ptx.
  bool ptx = false;
};

struct CompileOutput {
  /// True where `cubin` can be loaded.
  bool ok = false;
  std::vector<uint8_t> cubin;
  std::string ptx;
  /// Where not ok, at least one error.
  std::vector<Diagnostic> diagnostics;
  std::vector<KernelResources> kernels;
  /// The whole log as it came.
  std::string log;
};

class Compiler {
public:
  /// Looks for libnvrtc.so.13, then .12, in toolkitPlaces(search).
  static runtime::Result<Compiler> open(const runtime::CudaSearch &search);

  Compiler(Compiler &&);
  Compiler &operator=(Compiler &&);
  ~Compiler();

  int versionMajor() const;
  int versionMinor() const;
  /// The library's file, and the place of the search that held it.
  const std::string &libraryPath() const;
  const std::string &libraryOrigin() const;
  /// 75, 80, ...: what NVRTC lists, in rising order; variants with a suffix
  /// are not listed.
  const std::vector<int> &supportedArchs() const;

  /// Is "sm_NN", "sm_NNa" (from 90) or "sm_NNf" (from 100) of a supported NN;
  /// the error names the supported ones.
  runtime::MaybeError checkArch(const std::string &arch) const;

  /// Compiles `source`. `fileName` is what diagnostics and line tables call
  /// it; equal arguments give equal bytes.
  CompileOutput compile(const std::string &source, const std::string &fileName,
                        const std::string &arch, const CompileOptions &options) const;

private:
  struct Library;
  explicit Compiler(std::unique_ptr<Library> library);

  std::unique_ptr<Library> library;
};

} // namespace tilec::nvrtc

#endif // TILEC_NVRTC_COMPILER_H
