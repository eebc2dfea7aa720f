//===- FamilyRule.h - Which kernel for which sizes ---------------*- C++ -*-===//
//
// A family is a few kernels that compute the same, and questions about sizes that choose
// among them. The questions follow from times of all kernels at some shapes.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_MAPPING_FAMILYRULE_H
#define TILEC_MAPPING_FAMILYRULE_H

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace tilec::mapping {

/// Times of candidates at shapes.
struct FamilyTable {
  /// Of each shape the value of each size.
  std::vector<std::vector<int64_t>> shapes;
  /// In seconds, of each candidate at each shape; infinite where it cannot be launched.
  std::vector<std::vector<double>> seconds;
};

/// Is a size less than a limit, or a multiple of a number?
struct FamilyQuestion {
  enum class Kind { Less, Multiple } kind = Kind::Less;
  unsigned size = 0;
  int64_t number = 0;

  bool holds(const std::vector<int64_t> &shape) const {
    return kind == Kind::Less ? shape[size] < number : shape[size] % number == 0;
  }
};

/// A candidate, or a question and a rule for each answer.
struct FamilyRule {
  unsigned candidate = 0;
  std::optional<FamilyQuestion> question;
  std::unique_ptr<FamilyRule> yes, no;

  /// The candidate for a shape.
  unsigned choose(const std::vector<int64_t> &shape) const;
  /// The candidates that it can come to, in the order of its answers, each once.
  std::vector<unsigned> listCandidates() const;
};

/// At most so many questions one after the other, so that a family has at most four kernels.
constexpr unsigned kMostQuestions = 2;

/// A question pays if it makes the times of the shapes that it is asked of shorter by this share,
/// in the geometric mean.
constexpr double kQuestionPays = 0.01;

/// The rule with the least geometric mean of times over all shapes whose questions all pay. Limits
/// are values of the table, the first that is on the other side.
FamilyRule findRule(const FamilyTable &table);

} // namespace tilec::mapping

#endif // TILEC_MAPPING_FAMILYRULE_H
