//===- CheckText.h - What MLIR's parser must not be given --------*- C++ -*-===//
//
// MLIR's parser recurses over brackets and sums, and some of its parsers of
// single ops use what they have failed to parse.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_CODEGEN_DRIVER_CHECKTEXT_H
#define TILEC_CODEGEN_DRIVER_CHECKTEXT_H

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace tilec {

/// A place in a text, from 1, and what is wrong there.
struct TextError {
  unsigned line = 1, column = 1;
  std::string message;
};

/// Refuses what is empty, too long or no text, brackets deeper than 256, sums of more than 1024 terms, and lists of dimensions
/// of linalg ops that are no lists of numbers. Knows MLIR's tokens, not its grammar.
std::optional<TextError> checkText(llvm::StringRef text);

} // namespace tilec

#endif // TILEC_CODEGEN_DRIVER_CHECKTEXT_H
