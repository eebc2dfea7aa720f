//===- Counting.cpp - How many points satisfy bounds ------------*- C++ -*-===//
//
// Sums bounded from above are counted digit by digit, largest factor first: at
// most one value of a digit that tiles cleanly is neither wholly in nor out.
//
//===----------------------------------------------------------------------===//

#include "tilec/Analysis/Counting.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <vector>

using namespace tilec::analysis;

namespace {

constexpr int64_t kMostSteps = 1000000;

/// A sum of a positive factor times a variable of `count` values.
struct Digit {
  int64_t count;
  int64_t factor;
};

/// Counting with a budget; `failed` is set when the budget or 64 bits are exceeded.
class Counter {
public:
  explicit Counter(llvm::ArrayRef<int64_t> counts) : counts(counts) {}

  std::optional<int64_t> run(llvm::ArrayRef<CountBound> bounds) {
    if (llvm::is_contained(counts, 0))
      return 0;
    int64_t result = 1;
    std::vector<CountBound> live = simplify(bounds);
    llvm::SmallVector<bool> bounded(counts.size(), false);
    for (const CountBound &bound : live)
      for (const CountTerm &term : bound.terms)
        bounded[term.variable] = true;
    for (auto [count, isBounded] : llvm::zip_equal(counts, bounded))
      if (!isBounded)
        result = multiply(result, count);
    result = multiply(result, countBounded(std::move(live)));
    return failed ? std::nullopt : std::optional<int64_t>(result);
  }

private:
  int64_t multiply(int64_t a, int64_t b) {
    int64_t product = 0;
    failed |= llvm::MulOverflow(a, b, product) != 0;
    return product;
  }

  int64_t largest(const CountTerm &term) {
    return term.factor > 0 ? term.factor * (counts[term.variable] - 1) : 0;
  }
  int64_t smallest(const CountTerm &term) {
    return term.factor < 0 ? term.factor * (counts[term.variable] - 1) : 0;
  }

  /// Leaves out bounds that always hold, and those that repeat another one.
  std::vector<CountBound> simplify(llvm::ArrayRef<CountBound> bounds) {
    std::vector<CountBound> live;
    for (const CountBound &bound : bounds) {
      int64_t low = 0, high = 0;
      for (const CountTerm &term : bound.terms) {
        low += smallest(term);
        high += largest(term);
      }
      if (low >= bound.lower && high < bound.upper)
        continue;
      auto sameTerms = [&](const CountBound &other) {
        return other.terms.size() == bound.terms.size() &&
               llvm::all_of(other.terms, [&](const CountTerm &a) {
                 return llvm::any_of(bound.terms, [&](const CountTerm &b) {
                   return a.variable == b.variable && a.factor == b.factor;
                 });
               });
      };
      auto same = llvm::find_if(live, sameTerms);
      if (same == live.end()) {
        live.push_back(bound);
        continue;
      }
      same->lower = std::max(same->lower, bound.lower);
      same->upper = std::min(same->upper, bound.upper);
    }
    return live;
  }

  /// Assignments of the variables that appear in `bounds`.
  int64_t countBounded(std::vector<CountBound> bounds) {
    int64_t result = 1;
    while (!bounds.empty() && !failed) {
      std::optional<unsigned> shared = sharedVariable(bounds);
      if (shared)
        return multiply(result, enumerate(*shared, bounds));
      result = multiply(result, countOne(bounds.back()));
      bounds.pop_back();
    }
    return result;
  }

  std::optional<unsigned> sharedVariable(llvm::ArrayRef<CountBound> bounds) {
    std::optional<unsigned> best;
    llvm::SmallVector<unsigned> uses(counts.size(), 0);
    for (const CountBound &bound : bounds)
      for (const CountTerm &term : bound.terms)
        if (++uses[term.variable] == 2 && (!best || counts[term.variable] < counts[*best]))
          best = term.variable;
    return best;
  }

  int64_t enumerate(unsigned variable, llvm::ArrayRef<CountBound> bounds) {
    llvm::SmallVector<bool> before = appearing(bounds);
    int64_t sum = 0;
    for (int64_t value = 0; value < counts[variable] && !failed; ++value) {
      if (++steps > kMostSteps)
        failed = true;
      std::vector<CountBound> rest(bounds.begin(), bounds.end());
      for (CountBound &bound : rest)
        llvm::erase_if(bound.terms, [&](const CountTerm &term) {
          if (term.variable != variable)
            return false;
          bound.lower -= term.factor * value;
          bound.upper -= term.factor * value;
          return true;
        });
      rest = simplify(rest);
      // A variable that only a bound now left out had takes any value.
      llvm::SmallVector<bool> after = appearing(rest);
      int64_t ways = 1;
      for (unsigned i = 0; i < counts.size(); ++i)
        if (before[i] && !after[i] && i != variable)
          ways = multiply(ways, counts[i]);
      failed |= llvm::AddOverflow(sum, multiply(ways, countBounded(std::move(rest))), sum) != 0;
    }
    return sum;
  }

  llvm::SmallVector<bool> appearing(llvm::ArrayRef<CountBound> bounds) {
    llvm::SmallVector<bool> result(counts.size(), false);
    for (const CountBound &bound : bounds)
      for (const CountTerm &term : bound.terms)
        result[term.variable] = true;
    return result;
  }

  int64_t countOne(const CountBound &bound) {
    if (bound.lower >= bound.upper)
      return 0;
    // A negative factor counts its variable from the other end.
    llvm::SmallVector<Digit> digits;
    int64_t offset = 0;
    for (const CountTerm &term : bound.terms) {
      offset += smallest(term);
      digits.push_back(Digit{counts[term.variable], std::abs(term.factor)});
    }
    llvm::sort(digits, [](const Digit &a, const Digit &b) { return a.factor > b.factor; });
    return countBelow(digits, bound.upper - offset) - countBelow(digits, bound.lower - offset);
  }

  /// Assignments with a sum below `limit`.
  int64_t countBelow(llvm::ArrayRef<Digit> digits, int64_t limit) {
    if (++steps > kMostSteps)
      failed = true;
    if (limit <= 0 || failed)
      return 0;
    if (digits.empty())
      return 1;
    int64_t restLargest = 0, restCount = 1;
    for (const Digit &digit : digits.drop_front()) {
      restLargest += digit.factor * (digit.count - 1);
      restCount = multiply(restCount, digit.count);
    }
    const Digit &digit = digits.front();
    // Values whose largest sum is still below the limit are wholly in.
    int64_t whole = limit > restLargest
                        ? std::min(digit.count, (limit - restLargest - 1) / digit.factor + 1)
                        : 0;
    int64_t sum = multiply(whole, restCount);
    for (int64_t value = whole; value < digit.count && value * digit.factor < limit && !failed;
         ++value)
      sum += countBelow(digits.drop_front(), limit - value * digit.factor);
    return sum;
  }

  llvm::ArrayRef<int64_t> counts;
  int64_t steps = 0;
  bool failed = false;
};

} // namespace

std::optional<int64_t> CountingProblem::count() const { return Counter(counts).run(bounds); }
