//===- FamilyRule.cpp - Which kernel for which sizes -------------*- C++ -*-===//
//
// All rules of so many questions are looked at: shapes are a few dozen, and so are the
// questions that tell two of them apart.
//
//===----------------------------------------------------------------------===//

#include "tilec/Mapping/FamilyRule.h"

#include <algorithm>
#include <cmath>

using namespace tilec::mapping;

unsigned FamilyRule::choose(const std::vector<int64_t> &shape) const {
  if (!question)
    return candidate;
  return (question->holds(shape) ? yes : no)->choose(shape);
}

std::vector<unsigned> FamilyRule::listCandidates() const {
  if (!question)
    return {candidate};
  std::vector<unsigned> all = yes->listCandidates();
  for (unsigned other : no->listCandidates())
    if (std::find(all.begin(), all.end(), other) == all.end())
      all.push_back(other);
  return all;
}

namespace {

/// A rule, and the sum of logarithms of times with it, questions paid for.
struct Priced {
  FamilyRule rule;
  double price = 0;
};

/// Numbers of shapes.
using Shapes = std::vector<unsigned>;

class Finder {
public:
  explicit Finder(const FamilyTable &table) : table(table) {}
  Priced find(const Shapes &shapes, unsigned questions) const;

private:
  Priced findCandidate(const Shapes &shapes) const;
  std::vector<FamilyQuestion> listQuestions(const Shapes &shapes) const;

  const FamilyTable &table;
};

} // namespace

Priced Finder::findCandidate(const Shapes &shapes) const {
  Priced best;
  best.price = INFINITY;
  for (unsigned candidate = 0; candidate < table.seconds.size(); ++candidate) {
    double price = 0;
    for (unsigned shape : shapes)
      price += std::log(table.seconds[candidate][shape]);
    if (price < best.price) {
      best.rule.candidate = candidate;
      best.price = price;
    }
  }
  return best;
}

/// Those that part `shapes`: a limit between two values of a size, or what rows and copies of whole
/// vectors need of it.
std::vector<FamilyQuestion> Finder::listQuestions(const Shapes &shapes) const {
  std::vector<FamilyQuestion> questions;
  for (unsigned size = 0; size < table.shapes[shapes.front()].size(); ++size) {
    std::vector<int64_t> values;
    for (unsigned shape : shapes)
      values.push_back(table.shapes[shape][size]);
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    for (size_t i = 1; i < values.size(); ++i)
      questions.push_back({FamilyQuestion::Kind::Less, size, values[i]});
    // Copies take 2 to 16 elements at once: of 64 bits and of 8, 16 bytes.
    for (int64_t multiple : {2, 4, 8, 16}) {
      const auto even = std::count_if(values.begin(), values.end(),
                                      [&](int64_t value) { return value % multiple == 0; });
      if (even != 0 && size_t(even) != values.size())
        questions.push_back({FamilyQuestion::Kind::Multiple, size, multiple});
    }
  }
  return questions;
}

Priced Finder::find(const Shapes &shapes, unsigned questions) const {
  Priced best = findCandidate(shapes);
  if (questions == 0)
    return best;
  for (const FamilyQuestion &question : listQuestions(shapes)) {
    Shapes holds, others;
    for (unsigned shape : shapes)
      (question.holds(table.shapes[shape]) ? holds : others).push_back(shape);
    Priced yes = find(holds, questions - 1), no = find(others, questions - 1);
    const double price = yes.price + no.price + kQuestionPays * double(shapes.size());
    if (price < best.price) {
      best.price = price;
      best.rule = {0, question, std::make_unique<FamilyRule>(std::move(yes.rule)),
                   std::make_unique<FamilyRule>(std::move(no.rule))};
    }
  }
  return best;
}

FamilyRule tilec::mapping::findRule(const FamilyTable &table) {
  Shapes all;
  for (unsigned shape = 0; shape < table.shapes.size(); ++shape)
    all.push_back(shape);
  return Finder(table).find(all, kMostQuestions).rule;
}
