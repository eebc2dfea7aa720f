//===- ConstantAccesses.cpp - Checked reads of constant memory -*- C++ -*-===//
//
// See ConstantAccesses.h.
//
//===----------------------------------------------------------------------===//

#include "ConstantAccesses.h"

#include "BlockMemory.h"
#include "Refused.h"

namespace tilec::emulator {

const void *ConstantAccesses::constantArray(const char *name) const {
  for (const auto &[symbol, operand] : launch.constants)
    if (symbol == name)
      return reinterpret_cast<const void *>(operand->getBegin());
  return nullptr;
}

const void *ConstantAccesses::readConstant(const void *source, unsigned bytes, int line,
                                           Position position) {
  const uintptr_t address = addressOf(source);
  Site *site = sites.findGlobal(address, bytes, AccessOp::ReadConstant, line);
  if (!site)
    return refusedSource(bytes);
  sites.count(*site, address, position);
  return source;
}

} // namespace tilec::emulator
