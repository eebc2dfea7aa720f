//===- Reader.cpp - From machine files to machines --------------*- C++ -*-===//

#include "Reader.h"

#include "Check.h"
#include "Fields.h"
#include "YamlTree.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Path.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>

namespace tilec::machine {

namespace {

constexpr llvm::StringRef kFeatures = "features.";

/// Lays the tree of one machine file over a machine, which is empty or inherited.
class MachineReader {
public:
  MachineReader(const std::string &fileName, bool builtin, MachineSpec &spec)
      : fileName(fileName), builtin(builtin), spec(spec) {
    addAllRates(spec);
    numbers = numberFields(spec);
    features = featureFields(spec);
    for (const NumberField &number : numbers)
      byPath[number.path] = &number;
  }

  /// Lays `root` over the machine without asking whether the numbers agree. Returns the error, or nothing.
  std::string lay(const YamlNode &root) {
    visitGroup(root, "");
    return error;
  }

  /// Returns the error, or nothing.
  std::string read(const YamlNode &root) {
    if (!lay(root).empty())
      return error;
    if (spec.featureArch.empty())
      spec.featureArch = spec.arch;
    dropEmptyRates(spec);
    if (std::optional<Violation> violation = findViolation(spec)) {
      Position position = root.position;
      for (auto it = violation->paths.rbegin(); it != violation->paths.rend(); ++it)
        if (auto found = positions.find(*it); found != positions.end())
          position = found->second;
      return locate(fileName, position, violation->message);
    }
    return "";
  }

private:
  bool fail(Position position, const std::string &message) {
    error = locate(fileName, position, message);
    return false;
  }

  bool visitGroup(const YamlNode &node, const std::string &path) {
    if (node.kind == YamlNode::Kind::Null)
      return clearGroup(node, path);
    if (node.kind != YamlNode::Kind::Mapping)
      return fail(node.position,
                  "expected '" + path + "' to be a mapping, got " + describeKind(node.kind));
    for (const YamlEntry &entry : node.entries)
      if (!visitEntry(entry, path.empty() ? entry.key : path + "." + entry.key))
        return false;
    return true;
  }

  bool visitEntry(const YamlEntry &entry, const std::string &path) {
    positions[path] = entry.position;
    if (path == "inherit")
      return true;
    if (path == "aliases")
      return readAliases(entry);
    if (std::string *slot = textSlot(path))
      return readText(entry.value, path, *slot);
    if (auto number = byPath.find(path); number != byPath.end())
      return readNumber(entry.value, *number->second);
    for (const FeatureField &feature : features)
      if (path.size() > kFeatures.size() && llvm::StringRef(path).starts_with(kFeatures) &&
          llvm::StringRef(path).drop_front(kFeatures.size()) == feature.key)
        return readFeature(entry.value, path, *feature.slot);
    return isGroup(path) ? visitGroup(entry.value, path) : reportUnknownKey(entry, path);
  }

  /// Do keys follow `path`?
  bool isGroup(const std::string &path) const {
    std::string prefix = path + ".";
    return prefix == kFeatures || llvm::any_of(numbers, [&](const NumberField &number) {
             return llvm::StringRef(number.path).starts_with(prefix);
           });
  }

  /// `null` for a group makes all of it unknown, e.g. the rates of a unit that is taken away.
  bool clearGroup(const YamlNode &node, const std::string &path) {
    if (path == "features")
      return fail(node.position, "expected 'features' to be a mapping, got null");
    for (const NumberField &number : numbers)
      if (number.path.rfind(path + ".", 0) == 0) {
        number.clear();
        positions[number.path] = node.position;
      }
    return true;
  }

  std::string *textSlot(const std::string &path) {
    if (path == "name")
      return &spec.name;
    if (path == "title")
      return &spec.title;
    if (path == "arch")
      return &spec.arch;
    return path == "feature_arch" ? &spec.featureArch : nullptr;
  }

  bool readText(const YamlNode &node, const std::string &path, std::string &slot) {
    constexpr size_t kMaxText = 400;
    if (node.kind != YamlNode::Kind::Scalar)
      return fail(node.position,
                  "expected '" + path + "' to be text, got " + describeKind(node.kind));
    if (node.text.empty() || node.text.size() > kMaxText)
      return fail(node.position, "expected '" + path + "' to have 1 to " +
                                     std::to_string(kMaxText) + " characters, got " +
                                     std::to_string(node.text.size()));
    for (unsigned char c : node.text)
      if (c < 0x20 || c == 0x7f)
        return fail(node.position, "'" + path + "' contains a control character");
    slot = node.text;
    return path != "name" || checkName(node);
  }

  bool checkName(const YamlNode &node) {
    for (unsigned char c : node.text)
      if (!std::isalnum(c) && c != '-' && c != '_' && c != '.')
        return fail(node.position, "expected 'name' to consist of letters, digits, '-', '_' and "
                                   "'.', got " +
                                       quoted(node.text));
    if (!builtin && isBuiltinName(node.text))
      return fail(node.position, "name " + quoted(node.text) + " belongs to a built-in machine");
    return true;
  }

  bool readAliases(const YamlEntry &entry) {
    if (!builtin)
      return fail(entry.position,
                  "only built-in machines have aliases; a machine file is chosen by its path");
    if (entry.value.kind != YamlNode::Kind::Sequence)
      return fail(entry.value.position, std::string("expected 'aliases' to be a list, got ") +
                                            describeKind(entry.value.kind));
    for (const YamlNode &item : entry.value.items)
      if (!readText(item, "aliases", spec.aliases.emplace_back()))
        return false;
    return true;
  }

  bool readFeature(const YamlNode &node, const std::string &path, bool &slot) {
    if (node.kind != YamlNode::Kind::Scalar || node.quoted ||
        (node.text != "true" && node.text != "false"))
      return fail(node.position, "expected '" + path + "' to be true or false, got " +
                                     (node.text.empty() ? std::string(describeKind(node.kind))
                                                        : quoted(node.text)));
    slot = node.text == "true";
    return true;
  }

  bool readNumber(const YamlNode &node, const NumberField &number) {
    if (node.kind == YamlNode::Kind::Null) {
      number.clear();
      return true;
    }
    if (node.kind != YamlNode::Kind::Mapping)
      return setNumber(node, number, fileName);

    const YamlNode *value = node.find("value");
    std::string source = fileName;
    for (const YamlEntry &entry : node.entries) {
      if (entry.key == "source") {
        if (!readText(entry.value, number.path + ".source", source))
          return false;
      } else if (entry.key == "unit") {
        if (entry.value.text != number.unit)
          return fail(entry.value.position, "expected the unit of '" + number.path + "' to be '" +
                                                number.unit + "', got " + quoted(entry.value.text));
      } else if (entry.key != "value") {
        return fail(entry.position, "unknown key " + quoted(entry.key) + " in '" + number.path +
                                        "'; known keys are value, unit, source");
      }
    }
    if (!value)
      return fail(node.position, "missing 'value' of '" + number.path + "'");
    return setNumber(*value, number, source);
  }

  bool setNumber(const YamlNode &node, const NumberField &number, const std::string &source) {
    double value = 0;
    if (node.kind != YamlNode::Kind::Scalar || node.quoted || !parseNumber(node.text, value))
      return fail(node.position,
                  "expected '" + number.path + "' to be a number of " + number.unit + ", got " +
                      (node.kind == YamlNode::Kind::Scalar ? quoted(node.text)
                                                           : std::string(describeKind(node.kind))));
    if (!(value >= number.min && value <= number.max))
      return fail(node.position, "expected '" + number.path + "' to lie between " +
                                     formatNumber(number.min) + " and " + formatNumber(number.max) +
                                     " " + number.unit + ", got " + quoted(node.text));
    if (number.isInteger() && std::floor(value) != value)
      return fail(node.position,
                  "expected '" + number.path + "' to be a whole number, got " + quoted(node.text));
    number.set(value, source);
    return true;
  }

  /// Decimal notation only: no hexadecimal, no NaN, no infinity by name, no open exponent.
  static bool parseNumber(llvm::StringRef text, double &value) {
    return std::isdigit(static_cast<unsigned char>(text.back())) &&
           text.find_first_not_of("0123456789.eE+-") == llvm::StringRef::npos &&
           !text.getAsDouble(value);
  }

  /// Keys that may follow `prefix`, which is empty or ends in a dot.
  std::vector<std::string> knownKeys(const std::string &prefix) const {
    std::vector<std::string> paths;
    for (const char *key : {"name", "title", "aliases", "inherit", "arch", "feature_arch"})
      paths.push_back(key);
    for (const NumberField &number : numbers)
      paths.push_back(number.path);
    for (const FeatureField &feature : features)
      paths.push_back(std::string("features.") + feature.key);
    std::vector<std::string> keys;
    for (const std::string &path : paths) {
      if (path.rfind(prefix, 0) != 0)
        continue;
      std::string key = path.substr(prefix.size(), path.find('.', prefix.size()) - prefix.size());
      if (std::find(keys.begin(), keys.end(), key) == keys.end())
        keys.push_back(key);
    }
    return keys;
  }

  bool reportUnknownKey(const YamlEntry &entry, const std::string &path) {
    std::string group = path.substr(0, path.size() - entry.key.size());
    std::vector<std::string> known = knownKeys(group);
    std::string message = "unknown key " + quoted(entry.key);
    if (!group.empty())
      message += " in '" + group.substr(0, group.size() - 1) + "'";
    std::string nearest = nearestName(entry.key, known);
    message += nearest.empty() ? "; known keys are " + joinNames(known)
                               : "; did you mean '" + nearest + "'?";
    return fail(entry.position, message);
  }

  const std::string &fileName;
  bool builtin;
  MachineSpec &spec;
  std::vector<NumberField> numbers;
  llvm::StringMap<const NumberField *> byPath;
  std::vector<FeatureField> features;
  /// Where this file sets what.
  std::map<std::string, Position> positions;
  std::string error;
};

/// A path is relative to the folder of the file that inherits it.
std::string relativeTo(const std::string &fileName, const std::string &nameOrPath) {
  if (!isPath(nameOrPath) || llvm::sys::path::is_absolute(nameOrPath))
    return nameOrPath;
  llvm::SmallString<128> path = llvm::sys::path::parent_path(fileName);
  llvm::sys::path::append(path, nameOrPath);
  return path.str().str();
}

} // namespace

std::string layFile(const std::string &text, const std::string &fileName, MachineSpec &spec) {
  YamlNode root;
  std::string error;
  if (!parseYaml(text, fileName, root, error))
    return error;
  error = MachineReader(fileName, /*builtin=*/true, spec).lay(root);
  dropEmptyRates(spec);
  return error;
}

TargetResult readMachine(const std::string &text, const std::string &fileName,
                         const InheritChain &chain, bool builtin) {
  YamlNode root;
  TargetResult result;
  if (!parseYaml(text, fileName, root, result.error))
    return result;

  MachineSpec spec;
  if (const YamlNode *parent = root.find("inherit")) {
    if (parent->kind != YamlNode::Kind::Scalar) {
      result.error = locate(fileName, parent->position,
                            std::string("expected 'inherit' to be the name of a machine or the "
                                        "path of a machine file, got ") +
                                describeKind(parent->kind));
      return result;
    }
    TargetResult inherited = resolveInChain(relativeTo(fileName, parent->text), chain);
    if (!inherited) {
      result.error = locate(fileName, parent->position,
                            "cannot inherit " + quoted(parent->text) + ": " + inherited.error);
      return result;
    }
    spec = std::move(*inherited.spec);
    spec.name.clear();
    spec.title.clear();
    spec.aliases.clear();
    // A new instruction set does not keep the features of the old one.
    if (root.find("arch"))
      spec.featureArch.clear();
  }

  if (const YamlNode *arch = root.find("arch"); arch && isArch(arch->text, /*suffix=*/false))
    result.error = layCompiler(arch->text, spec);
  if (result.error.empty())
    result.error = MachineReader(fileName, builtin, spec).read(root);
  if (result.error.empty())
    result.spec = std::move(spec);
  return result;
}

} // namespace tilec::machine
