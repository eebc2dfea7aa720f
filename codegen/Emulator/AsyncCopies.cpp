//===- AsyncCopies.cpp - Asking for copies by cp.async --------*- C++ -*-===//
//
// See AsyncCopies.h.
//
//===----------------------------------------------------------------------===//

#include "AsyncCopies.h"

namespace tilec::emulator {

void AsyncCopies::copyAsync(void *dest, const void *source, unsigned bytes, bool valid, int line,
                            Position position) {
  const uintptr_t from = addressOf(source);
  const uintptr_t to = addressOf(dest);
  Site *read = valid ? sites.findGlobal(from, bytes, AccessOp::ReadGlobal, line) : nullptr;
  Site *write = sites.findShared(to, bytes, AccessOp::WriteShared, line);
  // The address matters even where nothing is read.
  if (!valid && !sites.isAligned(from, bytes, AccessOp::ReadGlobal, line))
    return;
  if (!write || (valid && !read))
    return;
  if (read)
    globals.check(*read, from, bytes, false);
  shared.beginCopy(*write, to, bytes);
  copies.add(to, valid ? source : nullptr, bytes, line);
  if (read)
    sites.count(*read, from, position);
  sites.count(*write, to, position);
}

} // namespace tilec::emulator
