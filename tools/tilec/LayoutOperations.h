//===- LayoutOperations.h - What `tilec layout` computes --------*- C++ -*-===//
//
// One function from an operation and its arguments to text, JSON and a picture.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_TOOLS_LAYOUTOPERATIONS_H
#define TILEC_TOOLS_LAYOUTOPERATIONS_H

#include "tilec/Layout/Result.h"

#include <optional>
#include <vector>

/// An operation with as many arguments as it takes.
struct LayoutRequest {
  std::string op;
  std::vector<std::string> args;
  /// Whether a picture is wanted; `draw` always makes one.
  bool picture = false;
};

/// The result in each form that the user may ask for.
struct LayoutOutput {
  /// Lines of text, the result first.
  std::string text;
  /// Members of a JSON object, without its braces.
  std::string json;
  std::string svg;
};

/// `badArgument` is set to the argument that an error is about, if it is about one.
tilec::layout::Result<LayoutOutput> runLayoutOperation(const LayoutRequest &request,
                                                       std::optional<size_t> &badArgument);

/// `text` as a JSON string. Its characters must be printable ASCII.
std::string quoteJson(const std::string &text);

#endif // TILEC_TOOLS_LAYOUTOPERATIONS_H
