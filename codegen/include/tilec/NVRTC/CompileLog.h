//===- CompileLog.h - What NVRTC and ptxas said ---------------*- C++ -*-===//
//
// Turns the text that NVRTC's front end and ptxas write into diagnostics and
// into the resources of each kernel.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_NVRTC_COMPILELOG_H
#define TILEC_NVRTC_COMPILELOG_H

#include <string>
#include <string_view>
#include <vector>

namespace tilec::nvrtc {

enum class Severity { Note, Warning, Error };

struct Diagnostic {
  Severity severity = Severity::Note;
  /// As in the source's #line directives, or the logical file name; empty
  /// where the message belongs to no source (ptxas, options).
  std::string file;
  /// 1-based; 0 where unknown.
  unsigned line = 0;
  std::string message;
};

/// What ptxas reports for one kernel; bytes are per thread but for shared
/// memory, which is per block.
struct KernelResources {
  std::string kernel;
  unsigned registers = 0;
  unsigned barriers = 0;
  unsigned stackBytes = 0;
  unsigned spillStoreBytes = 0;
  unsigned spillLoadBytes = 0;
  unsigned staticSharedBytes = 0;
};

struct CompileLog {
  std::vector<Diagnostic> diagnostics;
  /// In the order of the log; complete where ptxas ran with -v.
  std::vector<KernelResources> kernels;
};

/// Reads a log. Serialised wgmma (C7508 to C7511 and whatever ptxas calls a
/// potential performance loss) and spills become warnings; other remarks of
/// ptxas with a code become notes; lines of -v become resources. Text of no
/// known form is passed over.
CompileLog parseCompileLog(std::string_view log);

} // namespace tilec::nvrtc

#endif // TILEC_NVRTC_COMPILELOG_H
