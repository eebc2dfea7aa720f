//===- Builtin.h - Machine files built into the library ---------*- C++ -*-===//
//
// The tables themselves are generated from targets/*.yaml and targets/compilers/*.yaml by EmbedTargets.cmake.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_MACHINE_BUILTIN_H
#define TILEC_LIB_MACHINE_BUILTIN_H

#include <cstddef>

namespace tilec::machine {

struct BuiltinTarget {
  /// Stem of the file, which is the machine's name.
  const char *name;
  /// Other names, each followed by a comma.
  const char *aliases;
  const char *text;
};

/// In alphabetical order of names.
extern const BuiltinTarget kBuiltinTargets[];
extern const size_t kNumBuiltinTargets;

/// What a compiler makes of kernels: for all architectures, or from one on.
struct BuiltinCompiler {
  /// Stem of the file: "all", or an architecture as "sm_80".
  const char *name;
  const char *text;
};

extern const BuiltinCompiler kBuiltinCompilers[];
extern const size_t kNumBuiltinCompilers;

} // namespace tilec::machine

#endif // TILEC_LIB_MACHINE_BUILTIN_H
