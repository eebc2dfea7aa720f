//===- Findings.cpp - Collecting broken rules -----------------*- C++ -*-===//
//
// See Findings.h.
//
//===----------------------------------------------------------------------===//

#include "Findings.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>

namespace tilec::emulator {

bool Findings::count(FindingKind kind, int line, std::string_view object, unsigned block,
                     unsigned thread) {
  latest = nullptr;
  Key key(line, kind, std::string(object));
  auto found = findings.find(key);
  if (found != findings.end()) {
    ++found->second.count;
    return false;
  }
  if (findings.size() >= capacity) {
    ++beyondCapacity;
    return false;
  }
  latest = &findings[key];
  *latest = Finding{kind, line, block, thread, 1, ""};
  return true;
}

void Findings::describe(std::string message) { latest->message = std::move(message); }

void Findings::merge(const Findings &other) {
  for (const auto &[key, finding] : other.findings) {
    auto [place, inserted] = findings.try_emplace(key, finding);
    if (inserted)
      continue;
    uint64_t total = place->second.count + finding.count;
    if (finding.block < place->second.block)
      place->second = finding;
    place->second.count = total;
  }
  beyondCapacity += other.beyondCapacity;
}

std::vector<Finding> Findings::take(unsigned limit, uint64_t &dropped) const {
  std::vector<Finding> result;
  for (const auto &entry : findings)
    result.push_back(entry.second);
  std::sort(result.begin(), result.end(), [](const Finding &a, const Finding &b) {
    return std::tie(a.line, a.kind, a.block, a.thread, a.message) <
           std::tie(b.line, b.kind, b.block, b.thread, b.message);
  });
  dropped = beyondCapacity + (result.size() > limit ? result.size() - limit : 0);
  if (result.size() > limit)
    result.resize(limit);
  return result;
}

std::string format(const char *text, ...) {
  va_list arguments;
  va_start(arguments, text);
  va_list again;
  va_copy(again, arguments);
  int length = std::vsnprintf(nullptr, 0, text, arguments);
  va_end(arguments);
  std::string result(length, '\0');
  std::vsnprintf(result.data(), result.size() + 1, text, again);
  va_end(again);
  return result;
}

} // namespace tilec::emulator
