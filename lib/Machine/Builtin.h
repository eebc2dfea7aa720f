//===- Builtin.h - Machine files built into the library ---------*- C++ -*-===//
//
// The table itself is generated from targets/*.yaml by EmbedTargets.cmake.
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

} // namespace tilec::machine

#endif // TILEC_LIB_MACHINE_BUILTIN_H
