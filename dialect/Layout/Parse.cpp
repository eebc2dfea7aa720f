//===- Parse.cpp - Layout text -> values ------------------------*- C++ -*-===//

#include "tilec/Layout/Parse.h"

using namespace tilec::layout;

namespace {
constexpr unsigned kMaxDepth = 64;
constexpr unsigned kMaxLeaves = 4096;

/// A recursive-descent reader. The first error sticks; after it every function returns at once.
class Reader {
public:
  explicit Reader(std::string_view text) : text(text) {}

  bool failed() const { return error.has_value(); }
  const Error &takeError() const { return *error; }

  /// Skips spaces; true if `c` is next, which is then consumed.
  bool accept(char c) {
    skipSpaces();
    if (failed() || position >= text.size() || text[position] != c)
      return false;
    ++position;
    return true;
  }
  bool peek(char c) {
    skipSpaces();
    return position < text.size() && text[position] == c;
  }
  void expect(char c, const char *where) {
    if (!failed() && !accept(c))
      fail(std::string("expected '") + c + "' " + where + ", got " + describeNext());
  }
  /// Consumes `word` if it is next, whatever follows it.
  bool acceptWord(std::string_view word) {
    skipSpaces();
    if (failed() || text.substr(position, word.size()) != word)
      return false;
    position += word.size();
    return true;
  }
  void expectEnd() {
    skipSpaces();
    if (!failed() && position < text.size())
      fail("expected the end, got " + describeNext());
  }
  void fail(std::string message) {
    if (!error)
      error = Error{std::move(message), position + 1};
  }
  void failAt(size_t start, std::string message) {
    if (!error)
      error = Error{std::move(message), start + 1};
  }
  size_t nextPosition() {
    skipSpaces();
    return position;
  }

  int64_t integer();
  int64_t signedInteger();
  IntTuple tuple(bool allowSymbolic, unsigned depth = 0);
  Layout layout();
  Swizzle swizzle();
  Tiler tiler(unsigned depth);
  bool atSwizzle() { return peek('S'); }

private:
  void skipSpaces() {
    while (position < text.size() && (text[position] == ' ' || text[position] == '\t' ||
                                      text[position] == '\n' || text[position] == '\r'))
      ++position;
  }
  /// The next character, spelt so that any byte can be shown.
  std::string describeNext() {
    skipSpaces();
    if (position >= text.size())
      return "the end";
    unsigned char c = static_cast<unsigned char>(text[position]);
    if (c > 0x20 && c < 0x7f)
      return std::string("'") + static_cast<char>(c) + "'";
    constexpr char digits[] = "0123456789abcdef";
    return std::string("byte 0x") + digits[c >> 4] + digits[c & 15];
  }

  std::string_view text;
  size_t position = 0;
  unsigned leaves = 0;
  std::optional<Error> error;
};
} // namespace

int64_t Reader::integer() {
  skipSpaces();
  size_t start = position;
  if (position < text.size() && text[position] == '_')
    ++position;
  size_t firstDigit = position;
  int64_t value = 0;
  bool overflow = false;
  for (; position < text.size() && text[position] >= '0' && text[position] <= '9'; ++position)
    overflow = overflow || __builtin_mul_overflow(value, int64_t(10), &value) ||
               __builtin_add_overflow(value, int64_t(text[position] - '0'), &value);
  if (position == firstDigit) {
    position = start;
    if (peek('-'))
      fail("negative numbers are not supported");
    else
      fail("expected a number, got " + describeNext());
    return 0;
  }
  if (overflow)
    failAt(start, "a number of " + std::to_string(position - firstDigit) +
                      " digits is beyond 9223372036854775807");
  return overflow ? 0 : value;
}

int64_t Reader::signedInteger() {
  bool negative = accept('-');
  int64_t value = integer();
  return negative ? -value : value;
}

IntTuple Reader::tuple(bool allowSymbolic, unsigned depth) {
  if (failed())
    return 0;
  if (++leaves > kMaxLeaves) {
    fail("more than " + std::to_string(kMaxLeaves) + " modes");
    return 0;
  }
  if (allowSymbolic && accept('?'))
    return kSymbolic;
  if (!peek('('))
    return integer();
  if (depth == kMaxDepth) {
    fail("brackets nest deeper than " + std::to_string(kMaxDepth));
    return 0;
  }
  accept('(');
  if (peek(')')) {
    fail("a tuple has at least one mode, got ()");
    return 0;
  }
  std::vector<IntTuple> elements;
  do
    elements.push_back(tuple(allowSymbolic, depth + 1));
  while (accept(','));
  expect(')', "or ',' after a mode");
  return IntTuple::tuple(std::move(elements));
}

Layout Reader::layout() {
  size_t start = nextPosition();
  IntTuple shape = tuple(/*allowSymbolic=*/true);
  bool hasStride = accept(':');
  IntTuple stride = hasStride ? tuple(/*allowSymbolic=*/true) : IntTuple();
  if (failed())
    return Layout();
  Result<Layout> result =
      hasStride ? Layout::get(std::move(shape), std::move(stride)) : Layout::columnMajor(shape);
  if (!result) {
    failAt(start, result.error().message);
    return Layout();
  }
  return *std::move(result);
}

Swizzle Reader::swizzle() {
  size_t start = nextPosition();
  bool underscores = acceptWord("SW_");
  if (!underscores && !acceptWord("Swizzle") && !acceptWord("Sw") && !acceptWord("S")) {
    fail("expected a swizzle Sw<B,M,S>, got " + describeNext());
    return Swizzle();
  }
  if (!underscores)
    expect('<', "after the name of a swizzle");
  const char separator = underscores ? '_' : ',';
  int64_t bits = signedInteger();
  expect(separator, "after B");
  int64_t base = signedInteger();
  expect(separator, "after M");
  int64_t shift = signedInteger();
  if (!underscores)
    expect('>', "after S");
  if (failed())
    return Swizzle();
  Result<Swizzle> result = Swizzle::get(bits, base, shift);
  if (!result) {
    failAt(start, result.error().message);
    return Swizzle();
  }
  return *result;
}

Tiler Reader::tiler(unsigned depth) {
  if (failed())
    return Tiler::keep();
  if (!accept('[')) {
    // `_8` is CuTe's way to write a static 8, a lone `_` keeps the mode.
    size_t start = nextPosition();
    if (accept('_')) {
      bool digit = position < text.size() && text[position] >= '0' && text[position] <= '9';
      if (!digit)
        return Tiler::keep();
      position = start;
    }
    return layout();
  }
  if (depth == kMaxDepth) {
    fail("brackets nest deeper than " + std::to_string(kMaxDepth));
    return Tiler::keep();
  }
  std::vector<Tiler> modes;
  do
    modes.push_back(tiler(depth + 1));
  while (accept(','));
  expect(']', "or ',' after a tiler");
  return Tiler::byMode(std::move(modes));
}

/// Runs `read` over the whole text.
template <typename T, typename Read>
static Result<T> parseWhole(std::string_view text, Read read) {
  Reader reader(text);
  T value = read(reader);
  reader.expectEnd();
  if (reader.failed())
    return reader.takeError();
  return value;
}

Result<IntTuple> tilec::layout::parseIntTuple(std::string_view text) {
  return parseWhole<IntTuple>(text, [](Reader &r) { return r.tuple(/*allowSymbolic=*/false); });
}

Result<Layout> tilec::layout::parseLayout(std::string_view text) {
  return parseWhole<Layout>(text, [](Reader &r) { return r.layout(); });
}

Result<Swizzle> tilec::layout::parseSwizzle(std::string_view text) {
  return parseWhole<Swizzle>(text, [](Reader &r) { return r.swizzle(); });
}

Result<ComposedLayout> tilec::layout::parseComposedLayout(std::string_view text) {
  return parseWhole<ComposedLayout>(text, [](Reader &r) -> ComposedLayout {
    if (!r.atSwizzle())
      return r.layout();
    Swizzle swizzle = r.swizzle();
    r.expect('o', "between a swizzle and an offset");
    size_t start = r.nextPosition();
    int64_t offset = r.failed() ? 0 : r.integer();
    r.expect('o', "between an offset and a layout");
    Layout layout = r.failed() ? Layout() : r.layout();
    if (r.failed())
      return ComposedLayout();
    Result<ComposedLayout> result = ComposedLayout::get(swizzle, offset, std::move(layout));
    if (!result) {
      r.failAt(start, result.error().message);
      return ComposedLayout();
    }
    return *std::move(result);
  });
}

Result<Tiler> tilec::layout::parseTiler(std::string_view text) {
  return parseWhole<Tiler>(text, [](Reader &r) { return r.tiler(0); });
}

Result<int64_t> tilec::layout::parseInteger(std::string_view text) {
  return parseWhole<int64_t>(text, [](Reader &r) { return r.integer(); });
}
