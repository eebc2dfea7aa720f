//===- CheckText.cpp - What MLIR's parser must not be given -----*- C++ -*-===//

#include "CheckText.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace tilec;
using llvm::StringRef;

namespace {

class Checker {
public:
  explicit Checker(StringRef text) : text(text) {}

  std::optional<TextError> run() {
    constexpr size_t kLargest = size_t(64) << 20;
    if (text.trim().empty())
      return refuse(0, "the input is empty; expected a tile.kernel");
    if (text.size() > kLargest) // limit_x33
      return refuse(0, "the input has " + std::to_string(text.size()) + " bytes but at most " + std::to_string(kLargest) + " are read");
    while (at < text.size() && !error) {
      char c = text[at];
      bool isBlank = llvm::isSpace(c) || (c == '/' && peek() == '/');
      readToken();
      if (!isBlank)
        atRegion = c == '{';
    }
    return error;
  }

private:
  /// Reads what begins at `at`.
  void readToken() {
    char c = text[at];
    if (c == '\0')
      refuse(at, "the input is not text");
    else if (c == '"')
      skipString();
    else if (c == '/' && peek() == '/')
      skipLine();
    else if (c == '-' && peek() == '>')
      at += 2;
    else if (llvm::isAlpha(c) || c == '_')
      readWord();
    else if (c == '%' || c == '@' || c == '#' || c == '!')
      skipName();
    else if (c == '^')
      readLabel();
    else
      readPunctuation(c);
  }

  /// MLIR 22.1 frees a block twice whose label was defined before (OperationParser::parseBlock in Parser.cpp). Regions of a
  /// nest have one block.
  void readLabel() {
    if (!atRegion)
      refuse(at, "a region has one block, whose label follows the '{'");
    skipName();
  }

  char peek() const { return at + 1 < text.size() ? text[at + 1] : '\0'; }

  static bool isInName(char c) { return llvm::isAlnum(c) || c == '_' || c == '$' || c == '.' || c == '-'; }

  /// Its names may hold what is an operator elsewhere.
  void skipName() {
    for (++at; at < text.size() && isInName(text[at]); ++at)
      ;
  }

  /// A string ends with its line.
  void skipString() {
    for (++at; at < text.size() && text[at] != '"' && text[at] != '\n' && text[at] != '\0'; ++at)
      at += text[at] == '\\' && at + 1 < text.size() && text[at + 1] != '\n';
    if (at < text.size() && text[at] == '"')
      ++at;
  }

  void skipLine() {
    while (at < text.size() && text[at] != '\n' && text[at] != '\0')
      ++at;
  }

  void readWord() {
    size_t start = at;
    while (at < text.size() && (llvm::isAlnum(text[at]) || text[at] == '_' || text[at] == '.' || text[at] == '$'))
      ++at;
    StringRef word = text.slice(start, at);
    if (word == "floordiv" || word == "ceildiv" || word == "mod")
      countTerm(start);
    if (word == "permutation" || word == "dimensions")
      checkDimensions();
  }

  /// MLIR 22.1 sets the attribute of linalg.transpose, linalg.broadcast and linalg.reduce to what it parsed after
  /// the `=` even where that has failed (parseDenseI64ArrayAttr in LinalgOps.cpp).
  void checkDimensions() {
    StringRef rest = text.substr(at).ltrim();
    if (!rest.consume_front("="))
      return;
    rest = rest.ltrim();
    StringRef list = rest.take_until([](char c) { return c == ']' || c == '\n' || c == '\0'; });
    bool numbers = rest.starts_with("[") && rest.substr(list.size()).starts_with("]");
    llvm::SmallVector<StringRef> items;
    if (numbers && !list.drop_front().trim().empty())
      list.drop_front().split(items, ',');
    int64_t value;
    for (StringRef item : items)
      numbers &= !item.trim().getAsInteger(10, value);
    if (!numbers)
      refuse(rest.data() - text.data(), "expected a list of numbers, as in [0, 1]");
  }

  void readPunctuation(char c) {
    constexpr unsigned kDeepest = 256;
    if (StringRef("([{<").contains(c)) {
      terms.push_back(0);
      if (terms.size() > kDeepest) // limit_x33
        refuse(at, "brackets nest deeper than " + std::to_string(kDeepest));
    } else if (StringRef(")]}>").contains(c)) {
      if (!terms.empty())
        terms.pop_back();
    } else if (c == ',') {
      if (!terms.empty())
        terms.back() = 0;
    } else if (c == '+' || c == '-' || c == '*') {
      countTerm(at);
    }
    ++at;
  }

  /// Sums and products of subscripts and maps; there is no other arithmetic in MLIR's text.
  void countTerm(size_t position) {
    constexpr unsigned kMostTerms = 1024;
    if (!terms.empty() && ++terms.back() >= kMostTerms) // limit_x33
      refuse(position, "an expression has more than " + std::to_string(kMostTerms) + " terms");
  }

  std::optional<TextError> refuse(size_t position, std::string message) {
    StringRef before = text.take_front(position);
    size_t lineStart = before.rfind('\n') + 1; // npos + 1 is 0.
    error = TextError{unsigned(before.count('\n')) + 1, unsigned(position - lineStart) + 1, std::move(message)};
    return error;
  }

  StringRef text;
  size_t at = 0;
  /// A region may begin here: nothing stands between a `{` and this place.
  bool atRegion = false;
  /// For each open bracket, the operators since the last comma.
  llvm::SmallVector<unsigned> terms;
  std::optional<TextError> error;
};

} // namespace

std::optional<TextError> tilec::checkText(StringRef text) { return Checker(text).run(); }
