//===- ConstantAccesses.h - Checked reads of constant memory --*- C++ -*-===//
//
// The launch has operands in constant memory where it has all others; here a
// thread learns where they are, and reads them.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_EMULATOR_CONSTANTACCESSES_H
#define TILEC_EMULATOR_CONSTANTACCESSES_H

#include "Sites.h"

namespace tilec::emulator {

class ConstantAccesses {
public:
  ConstantAccesses(const Launch &launch, Sites &sites) : launch(launch), sites(sites) {}

  /// Null where the launch has no array of that name: a read of it is out of bounds.
  const void *constantArray(const char *name) const;
  const void *readConstant(const void *source, unsigned bytes, int line, Position position);

private:
  const Launch &launch;
  Sites &sites;
};

} // namespace tilec::emulator

#endif // TILEC_EMULATOR_CONSTANTACCESSES_H
