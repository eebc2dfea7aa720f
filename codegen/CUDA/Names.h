//===- Names.h - Identifiers for the printed text ----------------*- C++ -*-===//
//
// Names come from the source, reduced to identifiers and made unique.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_CODEGEN_CUDA_NAMES_H
#define TILEC_CODEGEN_CUDA_NAMES_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringSet.h"
#include <optional>
#include <string>

namespace tilec {

/// `wish` as an identifier: other characters become `_`; never a keyword or a
/// name of CUDA, the C library or the vocabulary, no `__`, no leading digit.
std::string toIdentifier(llvm::StringRef wish);

/// The name that a location carries, if any.
std::optional<std::string> getSourceName(mlir::Location loc);

/// The names in scope: C++ blocks nest, inner names may repeat after their block ended.
class NameScopes {
public:
  void push() { scopes.emplace_back(); }
  void pop();
  /// Gives `value` a name like `wish` that no name in scope equals.
  llvm::StringRef declare(mlir::Value value, llvm::StringRef wish);
  llvm::StringRef lookup(mlir::Value value) const;
  bool isNamed(mlir::Value value) const { return names.contains(value); }

private:
  llvm::StringSet<> used;
  std::vector<std::vector<std::string>> scopes;
  llvm::DenseMap<mlir::Value, std::string> names;
};

} // namespace tilec

#endif // TILEC_CODEGEN_CUDA_NAMES_H
