//===- RuntimeTable.h - What a kernel in host code calls ------*- C++ -*-===//
//
// The interface between the run-time in tilec and the device side, which is
// compiled in front of each kernel. Plain C++ without any header, since it is
// part of the text that the host compiler reads. Sizes are in bytes, lines
// count in the kernel's text.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_EMULATOR_RUNTIMETABLE_H
#define TILEC_EMULATOR_RUNTIMETABLE_H

namespace tilec_emulator {

/// The iterations of the loops around a call, as one number.
using Position = unsigned long long;

/// The run-time's functions; a module gets them when it is loaded, so that it
/// links with nothing. RuntimeFunctions.td has the rows.
struct RuntimeTable {
#include "tilec/Emulator/RuntimeFunctions.inc"
};

/// One parameter of a kernel, as its C++ type has it.
struct ParameterShape {
  unsigned bytes;
  bool isPointer;
};

/// The one symbol that a module exports.
struct KernelEntry {
  unsigned parameterCount;
  const ParameterShape *parameters;
  /// The text has functions that order less than whole blocks, or several.
  bool needsClocks;
  void (*bind)(const RuntimeTable *table);
  /// Calls the kernel as the current thread; one address a parameter.
  void (*launch)(void *const *arguments);
};

} // namespace tilec_emulator

#endif // TILEC_EMULATOR_RUNTIMETABLE_H
