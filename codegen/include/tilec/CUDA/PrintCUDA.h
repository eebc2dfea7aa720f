//===- PrintCUDA.h - Kernel IR as CUDA C++ -----------------------*- C++ -*-===//
//
// Spells a kernel's function as CUDA C++ that a person would write. The printer
// decides nothing: what it cannot spell is an error.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_CUDA_PRINTCUDA_H
#define TILEC_CUDA_PRINTCUDA_H

#include "tilec/CUDA/NestPlace.h"
#include "tilec/Kernel/Kernel.h"
#include "llvm/ADT/StringSet.h"
#include <string>
#include <vector>

namespace tilec {

struct PrintOptions {
  /// Lines of the comment at the top; control characters are replaced.
  std::vector<std::string> header;
  /// What the function is called in the text; made by toSymbol.
  std::string symbol;
  /// Write #line directives that point to the nest.
  bool lineDirectives = false;
};

struct PrintedKernel {
  /// A complete CUDA C++ file.
  std::string text;
  /// For each line of the text, the op of the nest that it comes from.
  std::vector<NestPlace> places;
  std::vector<SharedArrayOrigin> sharedArrays;
  std::vector<ConstantArray> constants;
  /// The lowest architecture (times ten) that has all functions called.
  unsigned lowestArch = 75;
  /// A function is only in the architecture's own variant (sm_90a).
  bool archSpecific = false;
};

/// The symbol of a kernel called `name`: an identifier as all others in the text, that neither CUDA nor its headers declare,
/// and that is not in `taken`, to which it is added. Letters, digits and underscores stay as they are, but for several
/// underscores side by side, which are one, and what is longer than 64; every other character is an underscore too. A
/// name that would begin with a digit or an underscore, or that is reserved, is given `v_` in front, and one that is
/// taken a number at its end.
std::string toSymbol(llvm::StringRef name, llvm::StringSet<> &taken);

/// Prints the function; fails with a diagnostic on what has no spelling.
mlir::FailureOr<PrintedKernel> printCUDA(kernel::FuncOp function, const PrintOptions &options);

} // namespace tilec

#endif // TILEC_CUDA_PRINTCUDA_H
