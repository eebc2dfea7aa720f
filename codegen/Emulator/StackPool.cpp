//===- StackPool.cpp - Stacks from launch to launch -----------*- C++ -*-===//
//
// See StackPool.h.
//
//===----------------------------------------------------------------------===//

#include "StackPool.h"

#include <algorithm>
#include <sys/mman.h>

namespace tilec::emulator {

StackPool::~StackPool() {
  for (const Stacks &stacks : kept)
    munmap(stacks.memory, stacks.count * stacks.pitch);
}

char *StackPool::take(size_t count, size_t pitch) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    auto found = std::find_if(kept.begin(), kept.end(), [&](const Stacks &stacks) {
      return stacks.count == count && stacks.pitch == pitch;
    });
    if (found != kept.end()) {
      char *memory = found->memory;
      kept.erase(found);
      return memory;
    }
  }
  void *mapped = mmap(nullptr, count * pitch, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED)
    return nullptr;
  char *memory = static_cast<char *>(mapped);
  for (size_t i = 0; i < count; ++i)
    if (mprotect(memory + i * pitch, guardBytes, PROT_NONE) != 0) {
      munmap(mapped, count * pitch);
      return nullptr;
    }
  return memory;
}

void StackPool::giveBack(char *memory, size_t count, size_t pitch) {
  std::lock_guard<std::mutex> lock(mutex);
  kept.push_back({memory, count, pitch});
  if (kept.size() > mostKept) {
    munmap(kept.front().memory, kept.front().count * kept.front().pitch);
    kept.erase(kept.begin());
  }
}

} // namespace tilec::emulator
