//===- Requirement.cpp - Gates on figures of the report ---------*- C++ -*-===//
//
// What is unknown (null) meets no requirement.
//
//===----------------------------------------------------------------------===//

#include "Requirement.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace tilec;
using Comparison = Requirement::Comparison;

namespace {

struct Spelling {
  const char *text;
  Comparison comparison;
};

/// Longer spellings first.
constexpr Spelling kSpellings[] = {{">=", Comparison::GreaterEqual}, {"<=", Comparison::LessEqual}, {"==", Comparison::Equal},
                                   {"!=", Comparison::NotEqual},     {">", Comparison::Greater},    {"<", Comparison::Less}};

} // namespace

/// `stages[0].slack` is stages, 0, slack. Empty for what is no path.
static std::vector<std::string> splitPath(llvm::StringRef text) {
  std::vector<std::string> path;
  std::string key;
  for (char c : text) {
    if (llvm::isAlnum(c) || c == '_')
      key += c;
    else if (c == '.' || c == '[' || c == ']') {
      if (!key.empty())
        path.push_back(key);
      key.clear();
    } else
      return {};
  }
  if (!key.empty())
    path.push_back(key);
  return path;
}

static llvm::json::Value readValue(llvm::StringRef text) {
  if (text == "true" || text == "false")
    return text == "true";
  double number;
  if (!text.getAsDouble(number))
    return number;
  return llvm::json::Value(llvm::json::fixUTF8(text));
}

std::optional<Requirement> tilec::parseRequirement(const std::string &text, std::string &error) {
  Requirement requirement;
  requirement.text = text;
  llvm::StringRef rest = text;
  size_t at = rest.find_first_of("<>=!");
  const Spelling *found = nullptr;
  if (at != llvm::StringRef::npos)
    for (const Spelling &spelling : kSpellings)
      if (!found && rest.substr(at).starts_with(spelling.text))
        found = &spelling;
  if (found) {
    requirement.comparison = found->comparison;
    requirement.path = splitPath(rest.take_front(at).trim());
    llvm::StringRef value = rest.substr(at + llvm::StringRef(found->text).size()).trim();
    requirement.value = readValue(value);
    bool ordered = requirement.comparison != Comparison::Equal && requirement.comparison != Comparison::NotEqual;
    if (!requirement.path.empty() && !value.empty() && (!ordered || requirement.value.getAsNumber()))
      return requirement;
  }
  error = "'" + text + "' is no requirement; expected a key of the report, one of >= <= == != > <, and a value, as in predicted.fraction_of_peak>=0.8";
  return std::nullopt;
}

static std::string keysOf(const llvm::json::Object &object) {
  std::vector<std::string> keys;
  for (const auto &entry : object)
    keys.push_back(entry.first.str());
  std::sort(keys.begin(), keys.end());
  return llvm::join(keys, ", ");
}

/// The value at the path, or null with `error` set.
static const llvm::json::Value *findValue(const Requirement &requirement, const llvm::json::Object &kernel, std::string &error) {
  const llvm::json::Object *object = &kernel;
  const llvm::json::Array *array = nullptr;
  const llvm::json::Value *value = nullptr;
  for (const std::string &key : requirement.path) {
    size_t index;
    if (array && !llvm::StringRef(key).getAsInteger(10, index) && index < array->size()) {
      value = &(*array)[index];
    } else if (array) {
      error = "the report has " + std::to_string(array->size()) + " entries where '" + key + "' is asked for";
      return nullptr;
    } else if (!object) {
      // A part that is unknown as a whole has unknown figures.
      return value;
    } else if (!(value = object->get(key))) {
      error = "the report has no '" + key + "' there, but " + keysOf(*object);
      return nullptr;
    }
    object = value->getAsObject();
    array = value->getAsArray();
    if (!object && !array && value->kind() != llvm::json::Value::Null && &key != &requirement.path.back()) {
      error = "'" + key + "' has no parts";
      return nullptr;
    }
  }
  return value;
}

static bool compareNumbers(double left, Comparison comparison, double right) {
  switch (comparison) {
  case Comparison::Less:
    return left < right;
  case Comparison::LessEqual:
    return left <= right;
  case Comparison::Greater:
    return left > right;
  case Comparison::GreaterEqual:
    return left >= right;
  case Comparison::Equal:
    return left == right;
  case Comparison::NotEqual:
    return left != right;
  }
  return false;
}

std::optional<std::string> tilec::checkRequirement(const Requirement &requirement, const llvm::json::Object &kernel) {
  std::string name = kernel.getString("kernel").value_or("").str();
  std::string prefix = "'" + name + "' fails the requirement '" + requirement.text + "': ";
  std::string error;
  const llvm::json::Value *value = findValue(requirement, kernel, error);
  if (!value)
    return prefix + error;
  if (value->kind() == llvm::json::Value::Null)
    return prefix + "the figure is unknown";
  std::string is;
  llvm::raw_string_ostream os(is);
  os << "it is ";
  // The report has four significant digits; more of the double's are noise.
  if (std::optional<double> number = value->getAsNumber(); number && !value->getAsInteger())
    os << llvm::format("%.4g", *number);
  else
    os << *value;
  bool met = false;
  if (std::optional<double> number = value->getAsNumber(); number && requirement.value.getAsNumber())
    met = compareNumbers(*number, requirement.comparison, *requirement.value.getAsNumber());
  else if (requirement.comparison == Comparison::Equal || requirement.comparison == Comparison::NotEqual)
    met = (*value == requirement.value) == (requirement.comparison == Comparison::Equal);
  else
    is += ", which is no number";
  if (met)
    return std::nullopt;
  return prefix + is;
}
