//===- Wrap.cpp - Lines of a readable width ---------------------*- C++ -*-===//
//
// Where a long statement or comment goes on in the next line.
//
//===----------------------------------------------------------------------===//

#include "Wrap.h"

#include "llvm/ADT/StringExtras.h"

using namespace tilec;

static constexpr size_t kWidth = 120;

/// Where the rest of a statement may begin a line of its own: after a comma, or before an operator.
static bool canBreak(llvm::StringRef text, size_t at) {
  if (text[at] != ' ')
    return false;
  if (text[at - 1] == ',' || text[at - 1] == ';')
    return true;
  for (llvm::StringRef symbol : {" && ", " || ", " ? ", " : ", " + ", " - ", " * ", " / ", " % "})
    if (text.substr(at).starts_with(symbol))
      return true;
  return false;
}

llvm::SmallVector<std::string> tilec::wrapStatement(llvm::StringRef text, size_t indent) {
  constexpr size_t kDeeper = 4;
  llvm::SmallVector<std::string> lines;
  while (indent + text.size() > kWidth) {
    // In as few parentheses as possible, there rather after a comma, and of those places at the last.
    size_t best = 0;
    int depth = 0, bestCost = 0;
    for (size_t at = 1; at < text.size() && indent + at <= kWidth; ++at) {
      depth += llvm::StringRef("([{").contains(text[at]) - llvm::StringRef(")]}").contains(text[at]);
      int cost = 2 * depth + (text[at - 1] != ',');
      if (canBreak(text, at) && (best == 0 || cost <= bestCost)) {
        best = at;
        bestCost = cost;
      }
    }
    if (best == 0)
      break;
    lines.push_back(std::string(indent, ' ') + text.take_front(best).str());
    text = text.drop_front(best + 1);
    indent += lines.size() == 1 ? kDeeper : 0;
  }
  lines.push_back(std::string(indent, ' ') + text.str());
  return lines;
}

std::string tilec::wrapComment(llvm::StringRef text) {
  std::string result;
  llvm::StringRef start = "// ";
  while (start.size() + text.size() > kWidth) {
    size_t at = text.take_front(kWidth - start.size() + 1).rfind(' ');
    if (at == llvm::StringRef::npos)
      break;
    result += start.str() + text.take_front(at).str() + "\n";
    text = text.drop_front(at + 1);
    start = "//   ";
  }
  return result + (text.empty() ? "//" : start.str() + text.str()) + "\n";
}

std::string tilec::toHarmless(llvm::StringRef text) {
  std::string result;
  for (char c : text)
    result.push_back(llvm::isPrint(c) && c != '"' && c != '\\' ? c : '?');
  return result;
}
