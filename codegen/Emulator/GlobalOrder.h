//===- GlobalOrder.h - What blocks tell each other ------------*- C++ -*-===//
//
// Atomic accesses to global memory and fences, and the order of visits to
// operands that follows from them.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_EMULATOR_GLOBALORDER_H
#define TILEC_EMULATOR_GLOBALORDER_H

#include "Witness.h"

#include <vector>

namespace tilec::emulator {

class GlobalOrder {
public:
  GlobalOrder(Launch &launch, const Threads &threads, Witness &witness)
      : launch(launch), threads(threads), witness(witness) {}
  void start() {
    fenced.assign(witness.getClocks() ? threads.size() : 0, nullptr);
    early.assign(launch.dependent ? threads.size() : 0, true);
  }

  void fenceGpu();
  void waitGrid();
  /// May the kernel ahead in the stream still be running, as far as the thread knows?
  bool isEarly() const { return !early.empty() && early[threads.getThread()]; }
  /// Did `visitor` visit the address before the thread does?
  bool isBefore(Visitor visitor, uintptr_t address) const {
    return witness.getClocks() ? isKnown(visitor, address) : visitor.isBefore(witness.visitor());
  }
  /// access(dest, value) with no other atomic access in between; what the thread knows it tells
  /// those that do the same later, since its latest fence or, if it `releases`, altogether.
  void visitAtomically(void *dest, int line, bool releases, void (*access)(void *, const void *),
                       const void *value);

private:
  bool isKnown(Visitor visitor, uintptr_t address) const;
  OtherBlocks publish() const;

  Launch &launch;
  const Threads &threads;
  Witness &witness;
  /// What each thread knew at its latest fence of global memory.
  std::vector<OtherBlocks> fenced;
  /// The threads of a dependent launch that have not waited.
  std::vector<bool> early;
};

} // namespace tilec::emulator

#endif // TILEC_EMULATOR_GLOBALORDER_H
