//===- GlobalAccesses.h - Checked accesses to global memory ---*- C++ -*-===//
//
// What a thread may touch of the operands, and what it hears when it may not.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_EMULATOR_GLOBALACCESSES_H
#define TILEC_EMULATOR_GLOBALACCESSES_H

#include "GlobalOrder.h"
#include "Sites.h"

namespace tilec::emulator {

class GlobalAccesses {
public:
  GlobalAccesses(Witness &witness, Sites &sites, GlobalOrder &order)
      : witness(witness), sites(sites), order(order) {}

  const void *readGlobal(const void *source, unsigned bytes, int line, Position position);
  void *writeGlobal(void *dest, unsigned bytes, bool uninitialised, int line, Position position);
  void atomicGlobal(void *dest, const void *value, unsigned bytes, bool uninitialised,
                    void (*add)(void *, const void *), int line, Position position);
  int atomicFetchAdd(int *dest, int value, int line, Position position);

  /// `uninitialised`: what is written is the pattern of a variable that nobody wrote.
  void check(Site &site, uintptr_t address, unsigned bytes, bool uninitialised);
  /// Has the thread waited for the kernel ahead in the stream?
  void checkWaited(const Operand &operand, int line);

private:
  void checkElement(Site &site, uintptr_t address);

  Witness &witness;
  Sites &sites;
  GlobalOrder &order;
};

} // namespace tilec::emulator

#endif // TILEC_EMULATOR_GLOBALACCESSES_H
