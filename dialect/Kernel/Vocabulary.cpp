//===- Vocabulary.cpp - The table of the device vocabulary ------*- C++ -*-===//
//
// The rows, generated from the records of the kernel dialect's ops.
//
//===----------------------------------------------------------------------===//

#include "tilec/Kernel/Vocabulary.h"

#include "llvm/ADT/STLExtras.h"

using namespace tilec::kernel;

namespace {
#define GET_VocabularyTable_IMPL
#include "tilec/Kernel/VocabularyTable.inc"
} // namespace

llvm::ArrayRef<VocabularyEntry> tilec::kernel::getVocabulary() { return VocabularyTable; }

const VocabularyEntry *tilec::kernel::lookupFunction(llvm::StringRef function) {
  const auto *row = llvm::find_if(getVocabulary(), [&](const VocabularyEntry &e) { return e.function == function; });
  return row == getVocabulary().end() ? nullptr : row;
}
