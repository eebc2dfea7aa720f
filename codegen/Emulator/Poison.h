//===- Poison.h - Contents that nobody may depend on ----------*- C++ -*-===//
//
// Memory that holds nothing, holds NaN: whatever depends on it shows.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_EMULATOR_POISON_H
#define TILEC_EMULATOR_POISON_H

#include <cstdint>
#include <cstring>

namespace tilec::emulator {

/// NaN as an element of 4 or 8 bytes. Not all ones: that is what clang puts
/// into uninitialised floats, and a store of it tells another mistake.
constexpr uint32_t poisonWord = 0xfffffffe;
/// NaN in every narrower type.
constexpr int poisonByte = 0xff;

/// Fills memory with NaNs of elements of `elementBytes`.
inline void poison(void *memory, uint64_t bytes, unsigned elementBytes) {
  std::memset(memory, poisonByte, bytes);
  if (elementBytes < sizeof(poisonWord))
    return;
  for (uint64_t offset = 0; offset + sizeof(poisonWord) <= bytes; offset += sizeof(poisonWord))
    std::memcpy(static_cast<char *>(memory) + offset, &poisonWord, sizeof(poisonWord));
}

} // namespace tilec::emulator

#endif // TILEC_EMULATOR_POISON_H
