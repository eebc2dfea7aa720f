//===- Vocabulary.h - The table of the device vocabulary ---------*- C++ -*-===//
//
// What a kernel may call: one row a function, generated from the ops' records.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_KERNEL_VOCABULARY_H
#define TILEC_KERNEL_VOCABULARY_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace tilec::kernel {

#define GET_VocabularyOrder_DECL
#include "tilec/Kernel/VocabularyTable.inc"

struct VocabularyEntry {
  /// The name that kernels call.
  llvm::StringRef function;
  /// The declaration, without attributes; empty for a macro.
  llvm::StringRef prototype;
  /// The CUDA C++ definition.
  llvm::StringRef device;
  /// What is between the braces of the emulator's function.
  llvm::StringRef host;
  bool perWarp;
  bool constant;
  /// Whose accesses to memory the function orders.
  VocabularyOrder order;
  /// Lowest compute capability times ten.
  unsigned lowestArch;
  /// Only in the architecture's own variant: sm_90a, not sm_90.
  bool archSpecific;
};

/// All rows, sorted by no order that may be relied on.
llvm::ArrayRef<VocabularyEntry> getVocabulary();

/// The row of a function, null for a name that is not in the vocabulary.
const VocabularyEntry *lookupFunction(llvm::StringRef function);

} // namespace tilec::kernel

#endif // TILEC_KERNEL_VOCABULARY_H
