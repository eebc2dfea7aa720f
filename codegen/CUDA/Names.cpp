//===- Names.cpp - Identifiers for the printed text -------------*- C++ -*-===//
//
// What may not be a name, and how names are made unique.
//
//===----------------------------------------------------------------------===//

#include "Names.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"
#include "tilec/Kernel/Vocabulary.h"
#include "llvm/ADT/StringExtras.h"

using namespace tilec;

// Keywords of C++20, macros and functions that a kernel's text or its surroundings use.
static const char *const kReserved[] = {
    "alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand", "bitor", "bool", "break", "case", "catch", "char",
    "char8_t", "char16_t", "char32_t", "class", "co_await", "co_return", "co_yield", "compl", "concept", "const",
    "const_cast", "consteval", "constexpr", "constinit", "continue", "decltype", "default", "delete", "do", "double",
    "dynamic_cast", "else", "enum", "explicit", "export", "extern", "false", "final", "float", "for", "friend", "goto",
    "if", "import", "inline", "int", "long", "module", "mutable", "namespace", "new", "noexcept", "not", "not_eq",
    "nullptr", "operator", "or", "or_eq", "override", "private", "protected", "public", "register",
    "reinterpret_cast", "requires", "return", "short", "signed", "sizeof", "static", "static_assert", "static_cast",
    "struct", "switch", "template", "this", "thread_local", "throw", "true", "try", "typedef", "typeid", "typename",
    "union", "unsigned", "using", "virtual", "void", "volatile", "wchar_t", "while", "xor", "xor_eq", "restrict",
    "main", "min", "max", "fabs", "fabsf", "fma", "fmaf", "exp", "expf", "exp2", "exp2f", "log", "logf", "log2", "log2f",
    "sqrt", "sqrtf", "tanh", "tanhf", "erf", "erff", "sin", "sinf", "cos", "cosf", "floor", "floorf", "ceil", "ceilf",
    "pow", "powf", "fmax", "fmaxf", "fmin", "fminf", "INFINITY", "NAN", "NULL", "half", "dim3", "threadIdx", "blockIdx",
    "blockDim", "gridDim", "warpSize", "linux", "unix", "SHARED", "SHARED_AT", "TILEC_EMULATOR"};

static bool isReserved(llvm::StringRef name) {
  static const llvm::StringSet<> reserved = [] {
    llvm::StringSet<> set;
    for (const char *word : kReserved)
      set.insert(word);
    return set;
  }();
  return reserved.contains(name) || kernel::lookupFunction(name) || name.starts_with("tilec_");
}

std::string tilec::toIdentifier(llvm::StringRef wish) {
  std::string name;
  for (char c : wish) {
    char kept = llvm::isAlnum(c) ? c : '_';
    if (kept == '_' && !name.empty() && name.back() == '_')
      continue;
    name.push_back(kept);
  }
  if (name.empty() || name == "_" || llvm::isDigit(name.front()))
    name = "v" + name;
  if (name.front() == '_') // Leading underscores belong to the implementation.
    name.erase(0, 1);
  constexpr size_t kLongest = 64;
  name.resize(std::min(name.size(), kLongest));
  if (isReserved(name))
    name += "_1";
  return name;
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
}

llvm::StringRef NameScopes::declare(mlir::Value value, llvm::StringRef wish) {
  std::string base = toIdentifier(wish), name = base;
  for (unsigned i = 1; used.contains(name); ++i)
    name = base + "_" + std::to_string(i);
  used.insert(name);
  scopes.back().push_back(name);
  return names[value] = name;
}

llvm::StringRef NameScopes::lookup(mlir::Value value) const {
  auto it = names.find(value);
  return it == names.end() ? llvm::StringRef() : llvm::StringRef(it->second);
}
