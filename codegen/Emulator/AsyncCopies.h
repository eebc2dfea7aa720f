//===- AsyncCopies.h - Asking for copies by cp.async ----------*- C++ -*-===//
//
// Checks and counts a copy when a thread asks for it; ThreadCopies delivers it.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_EMULATOR_ASYNCCOPIES_H
#define TILEC_EMULATOR_ASYNCCOPIES_H

#include "GlobalAccesses.h"
#include "SharedAccesses.h"

namespace tilec::emulator {

class AsyncCopies {
public:
  AsyncCopies(Sites &sites, GlobalAccesses &globals, SharedAccesses &shared, ThreadCopies &copies)
      : sites(sites), globals(globals), shared(shared), copies(copies) {}

  void copyAsync(void *dest, const void *source, unsigned bytes, bool valid, int line,
                 Position position);

private:
  Sites &sites;
  GlobalAccesses &globals;
  SharedAccesses &shared;
  ThreadCopies &copies;
};

} // namespace tilec::emulator

#endif // TILEC_EMULATOR_ASYNCCOPIES_H
