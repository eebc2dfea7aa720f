//===- Names.cpp - Identifiers for the printed text -------------*- C++ -*-===//
//
// How names are spelt and made unique.
//
//===----------------------------------------------------------------------===//

#include "Names.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"
#include "tilec/CUDA/PrintCUDA.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tilec;

/// `name` with one underscore for all that is no letter or digit, and none at the start.
static std::string spell(llvm::StringRef name, bool (*isReserved)(llvm::StringRef)) {
  std::string spelt;
  for (char c : name) {
    char kept = llvm::isAlnum(c) ? c : '_';
    if (kept != '_' || spelt.empty() || spelt.back() != '_') // `__` belongs to the implementation.
      spelt.push_back(kept);
  }
  if (spelt.empty() || spelt.front() == '_')
    spelt = "v" + spelt;
  else if (llvm::isDigit(spelt.front()) || isReserved(spelt))
    spelt = "v_" + spelt;
  constexpr size_t kLongest = 64;
  spelt.resize(std::min(spelt.size(), kLongest));
  return spelt;
}

/// `base`, or with the first number from `next` on that makes it none of `taken`, to which it is added.
static std::string makeUnique(const std::string &base, llvm::StringSet<> &taken, unsigned &next) {
  std::string name = base;
  for (; !taken.insert(name).second; ++next)
    name = base + (base.back() == '_' ? "" : "_") + std::to_string(next);
  return name;
}

std::string tilec::toIdentifier(llvm::StringRef wish) { return spell(wish, isReservedForValues); }

std::string tilec::toSymbol(llvm::StringRef name, llvm::StringSet<> &taken) {
  unsigned next = 1;
  return makeUnique(spell(name, isReservedForKernels), taken, next);
}

NestPlace tilec::getPlace(Location loc, std::string *file) {
  while (true) {
    if (auto name = dyn_cast<NameLoc>(loc))
      loc = name.getChildLoc();
    else if (auto fused = dyn_cast<FusedLoc>(loc); fused && !fused.getLocations().empty())
      loc = fused.getLocations().front();
    else
      break;
  }
  auto position = dyn_cast<FileLineColLoc>(loc);
  if (!position)
    return {};
  if (file)
    *file = position.getFilename().str();
  return {position.getLine(), position.getColumn()};
}

std::optional<std::string> tilec::getSourceName(mlir::Location loc) {
  if (auto name = mlir::dyn_cast<mlir::NameLoc>(loc))
    return name.getName().str();
  return std::nullopt;
}

void NameScopes::pop() {
  for (const std::string &name : scopes.back())
    used.erase(name);
  scopes.pop_back();
  nextNumbers.clear();
}

llvm::StringRef NameScopes::declare(mlir::Value value, llvm::StringRef wish) {
  std::string base = toIdentifier(wish);
  std::string name = makeUnique(base, used, nextNumbers.try_emplace(base, 1).first->second);
  scopes.back().push_back(name);
  return names[value] = name;
}

llvm::StringRef NameScopes::lookup(mlir::Value value) const {
  auto it = names.find(value);
  return it == names.end() ? llvm::StringRef() : llvm::StringRef(it->second);
}
