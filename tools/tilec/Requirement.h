//===- Requirement.h - Gates on figures of the report ------------*- C++ -*-===//
//
// --require='predicted.fraction_of_peak>=0.8': a figure of the report as JSON,
// a comparison, and a number, a word, true or false.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_TOOLS_REQUIREMENT_H
#define TILEC_TOOLS_REQUIREMENT_H

#include "llvm/Support/JSON.h"

#include <optional>
#include <string>
#include <vector>

namespace tilec {

struct Requirement {
  enum class Comparison { Less, LessEqual, Greater, GreaterEqual, Equal, NotEqual };

  /// As given, for messages.
  std::string text;
  /// Keys and indices from one kernel of the report to the figure.
  std::vector<std::string> path;
  Comparison comparison = Comparison::Equal;
  /// A number, a string or a truth value.
  llvm::json::Value value = nullptr;
};

/// Reads PATH COMPARISON VALUE, such as `stages[0].slack >= 1`.
std::optional<Requirement> parseRequirement(const std::string &text, std::string &error);

/// Empty where `kernel`, an element of the report's "kernels", meets the
/// requirement; otherwise why it does not.
std::optional<std::string> checkRequirement(const Requirement &requirement, const llvm::json::Object &kernel);

} // namespace tilec

#endif // TILEC_TOOLS_REQUIREMENT_H
