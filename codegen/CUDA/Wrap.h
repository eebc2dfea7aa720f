//===- Wrap.h - Lines of a readable width -----------------------*- C++ -*-===//
//
// Where a long statement or comment goes on in the next line, and what of a
// user's text may stand in one.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_CODEGEN_CUDA_WRAP_H
#define TILEC_CODEGEN_CUDA_WRAP_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace tilec {

/// A statement as lines of at most 120 columns, indented by so many spaces; the later ones more.
llvm::SmallVector<std::string> wrapStatement(llvm::StringRef text, size_t indent);

/// The same for a line of a comment, `//` included.
std::string wrapComment(llvm::StringRef text);

/// A user's text in a comment or a #line: nothing in it can end it.
std::string toHarmless(llvm::StringRef text);

} // namespace tilec

#endif // TILEC_CODEGEN_CUDA_WRAP_H
