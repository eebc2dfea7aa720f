//===- Refused.h - What refused accesses get ------------------*- C++ -*-===//
//
// A refused read yields NaN and a refused write goes nowhere, so that a run
// always ends.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_EMULATOR_REFUSED_H
#define TILEC_EMULATOR_REFUSED_H

#include "Poison.h"

namespace tilec::emulator {

constexpr unsigned widestAccess = 16;

/// NaN, whatever is read from here. Narrow reads are of narrow elements.
inline const void *refusedSource(unsigned bytes) {
  static const uint32_t words[widestAccess / 4] = {poisonWord, poisonWord, poisonWord, poisonWord};
  static const uint16_t narrow = 0xffff;
  return bytes < sizeof(poisonWord) ? static_cast<const void *>(&narrow) : words;
}

inline void *refusedDest() {
  static thread_local uint64_t nowhere[widestAccess / 8];
  return nowhere;
}

} // namespace tilec::emulator

#endif // TILEC_EMULATOR_REFUSED_H
