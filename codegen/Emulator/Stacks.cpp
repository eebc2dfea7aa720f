//===- Stacks.cpp - Stacks for fibers -------------------------*- C++ -*-===//
//
// See Stacks.h.
//
//===----------------------------------------------------------------------===//

#include "Stacks.h"

#include <sys/mman.h>

namespace tilec::emulator {

namespace {
constexpr size_t guardBytes = 4096;
// Equal frames at equal distances would share a few sets of the caches.
constexpr size_t colours = 16;
constexpr size_t colourBytes = 256;
constexpr size_t pitch = guardBytes + Stacks::bytes + colours * colourBytes;
} // namespace

Stacks::~Stacks() {
  if (memory)
    munmap(memory, mappedBytes);
}

bool Stacks::allocate(unsigned count) {
  mappedBytes = count * pitch;
  void *mapped = mmap(nullptr, mappedBytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED)
    return false;
  memory = static_cast<char *>(mapped);
  for (unsigned i = 0; i < count; ++i)
    if (mprotect(memory + i * pitch, guardBytes, PROT_NONE) != 0)
      return false;
  return true;
}

Context Stacks::start(unsigned index, void (*entry)(Transfer)) const {
  char *top = memory + (index + 1) * pitch - index % colours * colourBytes;
  return boost::context::detail::make_fcontext(top, bytes, entry);
}

} // namespace tilec::emulator
