//===- Names.h - Identifiers for the printed text ----------------*- C++ -*-===//
//
// Names come from the source, reduced to identifiers and made unique.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_CODEGEN_CUDA_NAMES_H
#define TILEC_CODEGEN_CUDA_NAMES_H

#include "mlir/IR/Value.h"
#include "tilec/CUDA/PrintCUDA.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringSet.h"
#include <optional>
#include <string>

namespace tilec {

/// `wish` as an identifier by the rule of toSymbol; reserved are keywords, macros, and functions that a kernel's text calls.
std::string toIdentifier(llvm::StringRef wish);

/// Would a value of this name change what the text says?
bool isReservedForValues(llvm::StringRef name);

/// Would a kernel of this name clash with what CUDA, its headers or the text declare?
bool isReservedForKernels(llvm::StringRef name);

/// The name that a location carries, if any.
std::optional<std::string> getSourceName(mlir::Location loc);

/// The place in the nest that a location points to, and its file.
NestPlace getPlace(mlir::Location loc, std::string *file = nullptr);

/// The names in scope: C++ blocks nest, inner names may repeat after their block ended.
class NameScopes {
public:
  void push() { scopes.emplace_back(); }
  void pop();
  /// Gives `value` a name like `wish` that no name in scope equals.
  llvm::StringRef declare(mlir::Value value, llvm::StringRef wish);
  llvm::StringRef lookup(mlir::Value value) const;
  /// No value is called `name`.
  void reserve(llvm::StringRef name) { used.insert(name); }
  bool isNamed(mlir::Value value) const { return names.contains(value); }

private:
  llvm::StringSet<> used;
  std::vector<std::vector<std::string>> scopes;
  /// Numbers below are taken, since the last scope ended.
  llvm::StringMap<unsigned> nextNumbers;
  llvm::DenseMap<mlir::Value, std::string> names;
};

} // namespace tilec

#endif // TILEC_CODEGEN_CUDA_NAMES_H
