//===- Findings.h - Collecting broken rules -------------------*- C++ -*-===//
//
// The same rule broken at one line on one object is one finding with a count,
// so that a wrong loop does not drown the rest. Each worker collects on its
// own; the lists are merged into an order that does not depend on the workers.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_EMULATOR_FINDINGS_H
#define TILEC_EMULATOR_FINDINGS_H

#include "tilec/Emulator/Report.h"

#include <map>
#include <string>
#include <string_view>
#include <tuple>

namespace tilec::emulator {

class Findings {
public:
  /// True where the message of a case of this kind, line and object (its name)
  /// is wanted: it is the first. Counts the case in any case.
  bool count(FindingKind kind, int line, std::string_view object, unsigned block, unsigned thread);
  /// The message of the case that count() has just asked for.
  void describe(std::string message);

  /// Adds the findings of another worker; the case in the lowest block speaks.
  void merge(const Findings &other);
  /// The first `limit` by line, kind and block; `dropped` is the number left out.
  std::vector<Finding> take(unsigned limit, uint64_t &dropped) const;

private:
  // More different ones than anybody reads: beyond it only counted.
  static constexpr size_t capacity = 4096;

  using Key = std::tuple<int, FindingKind, std::string>;
  std::map<Key, Finding> findings;
  uint64_t beyondCapacity = 0;
  Finding *latest = nullptr;
};

/// printf into a string.
std::string format(const char *text, ...) __attribute__((format(printf, 1, 2)));

} // namespace tilec::emulator

#endif // TILEC_EMULATOR_FINDINGS_H
