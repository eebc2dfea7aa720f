//===- Answers.h - What was found out once ------------------------*- C++ -*-===//
//
// Measuring takes a GPU and seconds; its answers are kept in files, each under the whole of its question.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_DRIVER_ANSWERS_H
#define TILEC_DRIVER_ANSWERS_H

#include <optional>
#include <string>

namespace tilec {

class Answers {
public:
  /// Keeps answers in `folder`, which is made when there is one; empty where none are kept.
  explicit Answers(std::string folder = "") : folder(std::move(folder)) {}

  /// Where the XDG base directory specification puts them: `tilec` in $XDG_CACHE_HOME, or in $HOME/.cache; empty where neither is
  /// an absolute path.
  static std::string getDefaultFolder();

  /// The answer to just this question; a file that is damaged has none.
  std::optional<std::string> find(const std::string &question) const;
  /// A folder that cannot be written to keeps nothing: the answer is found again.
  void keep(const std::string &question, const std::string &answer) const;

private:
  std::string getPath(const std::string &question) const;

  std::string folder;
};

} // namespace tilec

#endif // TILEC_DRIVER_ANSWERS_H
