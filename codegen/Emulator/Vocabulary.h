//===- Vocabulary.h - The run-time's side of the table --------*- C++ -*-===//
//
// The functions that modules call, each a call of the current block's.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_EMULATOR_VOCABULARY_H
#define TILEC_EMULATOR_VOCABULARY_H

#include "RuntimeTable.h"

namespace tilec::emulator {

const tilec_emulator::RuntimeTable &getRuntimeTable();

} // namespace tilec::emulator

#endif // TILEC_EMULATOR_VOCABULARY_H
