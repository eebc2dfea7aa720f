//===- AsyncCopies.cpp - cp.async and its groups --------------*- C++ -*-===//
//
// The bytes of a copy arrive at the last moment that the rules allow: in the
// wait that covers its group. Until then its destination holds NaN and belongs
// to nobody. Copies that no wait covers never arrive.
//
//===----------------------------------------------------------------------===//

#include "Block.h"
#include "Poison.h"

#include <algorithm>
#include <cstring>

namespace tilec::emulator {

void Block::copyAsync(void *dest, const void *source, unsigned bytes, bool valid, int line) {
  const uintptr_t from = reinterpret_cast<uintptr_t>(source);
  const uintptr_t to = reinterpret_cast<uintptr_t>(dest);
  Site *read = valid ? findGlobal(from, bytes, AccessOp::ReadGlobal, line) : nullptr;
  Site *write = findShared(to, bytes, AccessOp::WriteShared, line);
  if (!write || (valid && !read))
    return;
  if (read)
    checkGlobal(*read, from, bytes, false);
  if (checks()) {
    const auto verdict = shared.noteCopy(to - shared.getOrigin(), bytes, stamp());
    if (verdict.conflict != SharedMemory::Conflict::None)
      reportShared(verdict, *write, "copies to");
  }
  poison(dest, bytes, write->array->elementBytes);
  threads[thread].copies.push_back(
      {to, valid ? source : nullptr, bytes, threads[thread].groups, line});
  if (read)
    count(*read, from);
  count(*write, to);
}

void Block::commitCopies() { ++threads[thread].groups; }

void Block::waitCopies(int pending) {
  Thread &self = threads[thread];
  auto first = self.copies.begin();
  for (; first != self.copies.end() && first->group + pending < self.groups; ++first) {
    void *dest = reinterpret_cast<void *>(first->dest);
    if (first->source)
      std::memcpy(dest, first->source, first->bytes);
    else
      std::memset(dest, 0, first->bytes);
    if (checks())
      shared.land(first->dest - shared.getOrigin(), first->bytes, stamp());
  }
  self.copies.erase(self.copies.begin(), first);
}

std::string Block::describeCopy(Stamp issuer, uintptr_t address) const {
  for (const PendingCopy &copy : threads[issuer.thread()].copies)
    if (address - copy.dest < copy.bytes)
      return format("a copy of thread %u at line %d is still on its way to", issuer.thread(),
                    copy.line);
  return format("a copy that thread %u never waited for is on its way to", issuer.thread());
}

} // namespace tilec::emulator
