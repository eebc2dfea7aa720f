//===- Result.h - A value or an error of the layout algebra -----*- C++ -*-===//
//
// Errors are values: nothing in the layout algebra throws, prints or aborts.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LAYOUT_RESULT_H
#define TILEC_LAYOUT_RESULT_H

#include <cstddef>
#include <string>
#include <utility>
#include <variant>

namespace tilec::layout {

/// Why an operation was refused. The message is lower case, without a full stop.
struct Error {
  std::string message;
  /// Where in the parsed text, counted in bytes from 1; 0 when the error is not about a place.
  size_t column = 0;
};

/// A value of type T, or the Error that says why there is none.
template <typename T>
class [[nodiscard]] Result {
public:
  Result(T value) : state(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state(std::in_place_index<1>, std::move(error)) {}

  explicit operator bool() const { return state.index() == 0; }

  /// The value; only valid when the result converts to true.
  const T &operator*() const & { return *std::get_if<0>(&state); }
  T &operator*() & { return *std::get_if<0>(&state); }
  T &&operator*() && { return std::move(*std::get_if<0>(&state)); }
  const T *operator->() const { return std::get_if<0>(&state); }

  /// The error; only valid when the result converts to false.
  const Error &error() const { return *std::get_if<1>(&state); }

private:
  std::variant<T, Error> state;
};

} // namespace tilec::layout

#endif // TILEC_LAYOUT_RESULT_H
