//===- Registers.h - Register counts that warps change --------*- C++ -*-===//
//
// Registers are not emulated, the rules for asking are.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_EMULATOR_REGISTERS_H
#define TILEC_EMULATOR_REGISTERS_H

#include "Witness.h"

#include <vector>

namespace tilec::emulator {

class Registers {
public:
  Registers(Threads &threads, Witness &witness) : threads(threads), witness(witness) {}
  void start() { changes.assign(threads.size(), {}); }

  void setMaxRegisters(int count, bool increase, int line);
  /// At the block's end: did warpgroups change as one, and did they have what they asked for?
  void check();

private:
  struct Change {
    int count;
    int line;
  };
  void checkSame(unsigned longest, unsigned other);

  Threads &threads;
  Witness &witness;
  /// Of each thread.
  std::vector<std::vector<Change>> changes;
};

} // namespace tilec::emulator

#endif // TILEC_EMULATOR_REGISTERS_H
