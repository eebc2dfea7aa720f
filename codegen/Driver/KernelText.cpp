//===- KernelText.cpp - Kernels that were edited by hand ---------*- C++ -*-===//
//
// Puts a user's text in place of the one that was printed. Lines that both have
// keep their ops; so do lines that were changed, where their number allows it.
//
//===----------------------------------------------------------------------===//

#include "tilec/Driver/Run.h"

#include <algorithm>
#include <string_view>

using namespace tilec;

static std::vector<std::string_view> splitLines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    // Indentation is no change.
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    lines.push_back(line);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

/// Pairs of equal lines in ascending order: a longest common subsequence. Beyond `kMostCells` only what begins
/// and ends both texts is compared.
static std::vector<std::pair<size_t, size_t>> findCommonLines(const std::vector<std::string_view> &before,
                                                              const std::vector<std::string_view> &after) {
  constexpr size_t kMostCells = size_t(1) << 24;
  std::vector<std::pair<size_t, size_t>> common;
  size_t first = 0, end = 0, shorter = std::min(before.size(), after.size());
  while (first < shorter && before[first] == after[first])
    common.emplace_back(first, first), ++first;
  while (end < shorter - first && before[before.size() - 1 - end] == after[after.size() - 1 - end])
    ++end;
  size_t rows = before.size() - end - first, columns = after.size() - end - first;
  if ((rows + 1) * (columns + 1) <= kMostCells) {
    // longest[i][j]: of what follows line i of one and line j of the other.
    std::vector<uint32_t> longest((rows + 1) * (columns + 1), 0);
    auto at = [&](size_t i, size_t j) -> uint32_t & { return longest[i * (columns + 1) + j]; };
    for (size_t i = rows; i-- > 0;)
      for (size_t j = columns; j-- > 0;)
        at(i, j) = before[first + i] == after[first + j] ? at(i + 1, j + 1) + 1 : std::max(at(i + 1, j), at(i, j + 1));
    for (size_t i = 0, j = 0; i < rows && j < columns;) {
      if (before[first + i] == after[first + j])
        common.emplace_back(first + i++, first + j++);
      else if (at(i + 1, j) >= at(i, j + 1))
        ++i;
      else
        ++j;
    }
  }
  for (size_t back = end; back > 0; --back)
    common.emplace_back(before.size() - back, after.size() - back);
  return common;
}

static std::vector<NestPlace> moveWithText(const std::vector<NestPlace> &places, std::string_view before, std::string_view after) {
  std::vector<std::string_view> oldLines = splitLines(before), newLines = splitLines(after);
  std::vector<std::pair<size_t, size_t>> common = findCommonLines(oldLines, newLines);
  common.emplace_back(oldLines.size(), newLines.size());
  auto placeOf = [&](size_t line) { return line < places.size() ? places[line] : NestPlace(); };
  std::vector<NestPlace> moved;
  size_t oldLine = 0;
  for (auto [oldNext, newNext] : common) {
    // Changed lines, one for one; what was added belongs to the line before it.
    for (size_t i = 0; moved.size() < newNext; ++i)
      moved.push_back(oldLine + i < oldNext ? placeOf(oldLine + i) : moved.empty() ? NestPlace() : moved.back());
    moved.push_back(placeOf(oldNext));
    oldLine = oldNext + 1;
  }
  moved.resize(newLines.size());
  return moved;
}

runtime::MaybeError tilec::useKernelText(CompileResult &compiled, const std::string &text, const std::string &fileName) {
  if (compiled.kernels.size() != 1)
    return runtime::Error{"'" + fileName + "' is the text of one kernel, and '" + compiled.fileName + "' has " +
                          std::to_string(compiled.kernels.size())};
  CompiledKernel &kernel = compiled.kernels.front();
  if (text.find(kernel.launch.symbol) == std::string::npos)
    return runtime::Error{"'" + fileName + "' has no kernel '" + kernel.launch.symbol + "'"};
  kernel.places = moveWithText(kernel.places, kernel.cuda, text);
  kernel.cuda = text;
  kernel.editedFile = fileName;
  kernel.ptx.clear();
  kernel.cubin.clear();
  kernel.resources.reset();
  return std::nullopt;
}
