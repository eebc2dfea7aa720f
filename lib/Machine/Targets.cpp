//===- Targets.cpp - Find machines by name or path --------------*- C++ -*-===//

#include "tilec/Machine/Targets.h"

#include "Builtin.h"
#include "Fields.h"
#include "Check.h"
#include "Reader.h"
#include "YamlTree.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

#include <algorithm>

namespace tilec {

using namespace machine;

namespace {

constexpr size_t kMaxInheritance = 8;

llvm::ArrayRef<BuiltinTarget> builtins() { return {kBuiltinTargets, kNumBuiltinTargets}; }

std::vector<std::string> aliasesOf(const BuiltinTarget &target) {
  llvm::SmallVector<llvm::StringRef, 4> parts;
  llvm::StringRef(target.aliases).split(parts, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  std::vector<std::string> aliases;
  for (llvm::StringRef part : parts)
    aliases.push_back(part.str());
  return aliases;
}

const BuiltinTarget *findBuiltin(const std::string &name) {
  for (const BuiltinTarget &target : builtins()) {
    std::vector<std::string> aliases = aliasesOf(target);
    if (name == target.name || std::find(aliases.begin(), aliases.end(), name) != aliases.end())
      return &target;
  }
  return nullptr;
}

std::string reportUnknownName(const std::string &name) {
  std::vector<std::string> candidates, listed;
  for (const BuiltinTarget &target : builtins()) {
    std::vector<std::string> aliases = aliasesOf(target);
    candidates.push_back(target.name);
    candidates.insert(candidates.end(), aliases.begin(), aliases.end());
    listed.push_back(target.name + (aliases.empty() ? "" : " (" + joinNames(aliases) + ")"));
  }
  std::string nearest = nearestName(name, candidates);
  return "unknown machine " + quoted(name) +
         (nearest.empty() ? "" : " (did you mean '" + nearest + "'?)") + "; known machines are " +
         joinNames(listed) + "; or give the path of a machine file";
}

TargetResult failure(std::string message) { return {std::nullopt, std::move(message)}; }

TargetResult readFile(const std::string &path, InheritChain chain) {
  llvm::sys::fs::file_status status;
  if (std::error_code code = llvm::sys::fs::status(path, status))
    return failure("cannot read machine file '" + path + "': " + code.message());
  if (status.type() != llvm::sys::fs::file_type::regular_file)
    return failure("cannot read machine file '" + path + "': not a regular file");
  if (status.getSize() > kMaxFileBytes)
    return failure(path + ": expected a machine file of at most " + std::to_string(kMaxFileBytes) +
                   " bytes, got " + std::to_string(status.getSize()));
  llvm::SmallString<128> real;
  if (std::error_code code = llvm::sys::fs::real_path(path, real))
    return failure("cannot read machine file '" + path + "': " + code.message());
  std::string identity = real.str().str();
  if (std::find(chain.begin(), chain.end(), identity) != chain.end())
    return failure("'" + path + "' inherits itself");
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer)
    return failure("cannot read machine file '" + path + "': " + buffer.getError().message());
  chain.push_back(identity);
  return readMachine((*buffer)->getBuffer().str(), path, chain, /*builtin=*/false);
}

} // namespace

namespace machine {

TargetResult resolveInChain(const std::string &nameOrPath, const InheritChain &chain) {
  if (chain.size() >= kMaxInheritance)
    return failure("expected at most " + std::to_string(kMaxInheritance) +
                   " machines to inherit one another");
  if (isPath(nameOrPath))
    return readFile(nameOrPath, chain);
  const BuiltinTarget *target = findBuiltin(nameOrPath);
  if (!target)
    return failure(reportUnknownName(nameOrPath));
  InheritChain longer = chain;
  longer.push_back(target->name);
  return readMachine(target->text, std::string("targets/") + target->name + ".yaml", longer,
                     /*builtin=*/true);
}

std::string layCompiler(const std::string &arch, MachineSpec &spec) {
  const BuiltinCompiler *all = nullptr, *newest = nullptr, *oldest = nullptr;
  auto older = [](const BuiltinCompiler &a, const BuiltinCompiler *b) {
    return !b || computeCapability(a.name) < computeCapability(b->name);
  };
  for (const BuiltinCompiler &compiler : llvm::ArrayRef(kBuiltinCompilers, kNumBuiltinCompilers)) {
    if (llvm::StringRef(compiler.name) == "all") {
      all = &compiler;
      continue;
    }
    if (older(compiler, oldest))
      oldest = &compiler;
    if (computeCapability(compiler.name) <= computeCapability(arch) && !(newest && older(compiler, newest)))
      newest = &compiler;
  }
  for (const BuiltinCompiler *compiler : {all, newest ? newest : oldest})
    if (std::string error = layFile(compiler->text, std::string("targets/compilers/") + compiler->name + ".yaml", spec);
        !error.empty())
      return error;
  return "";
}

/// The architecture of a built-in machine, or of the one that it inherits, and its own title.
static TargetSummary summarize(const BuiltinTarget &target) {
  TargetSummary summary = {target.name, "", joinNames(aliasesOf(target)), ""};
  YamlNode root;
  std::string error;
  if (!parseYaml(target.text, target.name, root, error)) // A test reads each as a whole.
    return summary;
  if (const YamlNode *parent = root.find("inherit"))
    if (const BuiltinTarget *inherited = findBuiltin(parent->text))
      summary.arch = summarize(*inherited).arch;
  if (const YamlNode *arch = root.find("arch"))
    summary.arch = arch->text;
  if (const YamlNode *title = root.find("title"))
    summary.title = title->text;
  return summary;
}

std::vector<TargetSummary> summarizeTargets() {
  std::vector<TargetSummary> summaries;
  for (const BuiltinTarget &target : builtins())
    summaries.push_back(summarize(target));
  return summaries;
}

bool isPath(const std::string &nameOrPath) {
  llvm::StringRef text(nameOrPath);
  return text.contains('/') || text.ends_with(".yaml") || text.ends_with(".yml");
}

bool isBuiltinName(const std::string &name) { return findBuiltin(name) != nullptr; }

std::string nearestName(const std::string &text, const std::vector<std::string> &candidates) {
  llvm::StringRef wanted(text);
  if (wanted.size() >= 2)
    for (const std::string &candidate : candidates)
      if (llvm::StringRef(candidate).starts_with(wanted))
        return candidate;
  unsigned limit = std::max<unsigned>(1, wanted.size() / 3);
  std::string nearest;
  unsigned nearestDistance = limit + 1;
  for (const std::string &candidate : candidates) {
    unsigned distance = wanted.edit_distance(candidate, /*AllowReplacements=*/true, limit);
    if (distance < nearestDistance) {
      nearest = candidate;
      nearestDistance = distance;
    }
  }
  return nearest;
}

std::string joinNames(const std::vector<std::string> &names) {
  std::string joined;
  for (const std::string &name : names)
    joined += (joined.empty() ? "" : ", ") + name;
  return joined;
}

} // namespace machine

TargetResult resolveTarget(const std::string &nameOrPath) {
  TargetResult target = resolveInChain(nameOrPath, {});
  if (target)
    addStandIns(*target.spec);
  return target;
}

TargetResult parseTarget(const std::string &text, const std::string &fileName) {
  return readMachine(text, fileName, {}, /*builtin=*/false);
}

std::optional<std::string> findDisagreement(const MachineSpec &spec) {
  MachineSpec checked = spec;
  std::optional<Violation> violation = findOutOfRange(checked);
  if (!violation)
    violation = findViolation(checked);
  return violation ? std::optional(violation->message) : std::nullopt;
}

void changeNumber(MachineSpec &spec, const std::string &path, double value) {
  for (const NumberField &field : numberFields(spec))
    if (field.path == path)
      field.set(value, "changed");
}

std::vector<std::string> targetNames() {
  std::vector<std::string> names;
  for (const BuiltinTarget &target : builtins())
    names.push_back(target.name);
  return names;
}

} // namespace tilec
