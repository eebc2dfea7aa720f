//===- Result.h - Errors by value for the run-time side -------*- C++ -*-===//
//
// The run-time side uses no exceptions and no LLVM: a function that can fail
// returns a value or an error with a message that a user can read.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_RUNTIME_RESULT_H
#define TILEC_RUNTIME_RESULT_H

#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace tilec::runtime {

/// Why something failed: lower case, no full stop; may have several lines.
struct Error {
  std::string message;
};

/// Empty when all went well: `if (MaybeError error = check()) ...`.
using MaybeError = std::optional<Error>;

/// A value, or the reason why there is none.
template <typename T>
class [[nodiscard]] Result {
public:
  Result(T value) : content(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : content(std::in_place_index<1>, std::move(error)) {}

  bool ok() const { return content.index() == 0; }
  explicit operator bool() const { return ok(); }

  /// The value; only where ok().
  T &operator*() { return *std::get_if<0>(&content); }
  const T &operator*() const { return *std::get_if<0>(&content); }
  T *operator->() { return std::get_if<0>(&content); }
  const T *operator->() const { return std::get_if<0>(&content); }

  /// The error; only where not ok().
  const Error &error() const { return *std::get_if<1>(&content); }
  const std::string &message() const { return error().message; }

private:
  std::variant<T, Error> content;
};

} // namespace tilec::runtime

#endif // TILEC_RUNTIME_RESULT_H
