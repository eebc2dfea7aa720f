//===- VocabularyRows.h - The vocabulary without LLVM ------------*- C++ -*-===//
//
// The generated table in plain C++, for what links no LLVM: the emulator's generator
// and tests. Vocabulary.h is for all others.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_KERNEL_VOCABULARYROWS_H
#define TILEC_KERNEL_VOCABULARYROWS_H

#include <string_view>

namespace tilec::vocabulary {

#define GET_VocabularyOrder_DECL
#include "tilec/Kernel/VocabularyTable.inc"

/// The columns; Vocabulary.h says what they are.
struct VocabularyEntry {
  std::string_view function, prototype, device, host;
  bool perWarp, constant;
  VocabularyOrder order;
  unsigned lowestArch;
  bool archSpecific;
};

#define GET_VocabularyTable_IMPL
#include "tilec/Kernel/VocabularyTable.inc"

} // namespace tilec::vocabulary

#endif // TILEC_KERNEL_VOCABULARYROWS_H
