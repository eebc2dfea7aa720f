//===- Printable.cpp - A user's text for a terminal -------------*- C++ -*-===//

#include "tilec/Report/Printable.h"

#include "llvm/ADT/StringExtras.h"

/// The bytes at the start of `text` that a terminal would obey.
static size_t countObeyed(std::string_view text) {
  auto byte = [&](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  if (byte(0) < 0x20 || byte(0) == 0x7f)
    return 1;
  if (byte(0) == 0xc2 && byte(1) >= 0x80 && byte(1) < 0xa0) // U+0080 to U+009F.
    return 2;
  bool embeds = byte(1) == 0x80 && byte(2) >= 0xaa && byte(2) <= 0xae;   // U+202A to U+202E.
  bool isolates = byte(1) == 0x81 && byte(2) >= 0xa6 && byte(2) <= 0xa9; // U+2066 to U+2069.
  return byte(0) == 0xe2 && (embeds || isolates) ? 3 : 0;
}

static std::string escape(std::string_view text, bool newlines) {
  std::string result;
  for (size_t at = 0; at < text.size();) {
    size_t obeyed = text[at] == '\n' && !newlines ? 0 : countObeyed(text.substr(at));
    if (obeyed == 0)
      result += text[at++];
    for (; obeyed > 0; --obeyed, ++at)
      result += "\\x" + llvm::toHex(llvm::StringRef(&text[at], 1));
  }
  return result;
}

std::string tilec::printable(std::string_view text) { return escape(text, /*newlines=*/false); }
std::string tilec::printableName(std::string_view name) { return escape(name, /*newlines=*/true); }
