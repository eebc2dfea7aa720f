//===- DiagnosticPrinter.cpp - Errors and warnings for people ---*- C++ -*-===//

#include "DiagnosticPrinter.h"

#include "llvm/ADT/StringExtras.h"

#include <cstdlib>

using namespace tilec;
using Color = llvm::raw_ostream::Colors;

static const char *toString(Severity severity) {
  switch (severity) {
  case Severity::Error:
    return "error";
  case Severity::Warning:
    return "warning";
  case Severity::Note:
    return "note";
  case Severity::Remark:
    return "remark";
  }
  return "error";
}

static Color colorOf(Severity severity) {
  switch (severity) {
  case Severity::Error:
    return Color::RED;
  case Severity::Warning:
    return Color::MAGENTA;
  case Severity::Note:
    return Color::CYAN;
  case Severity::Remark:
    return Color::BLUE;
  }
  return Color::RED;
}

DiagnosticPrinter::DiagnosticPrinter(llvm::raw_ostream &os, bool json)
    : os(os), json(json), colors(!json && os.is_displayed() && !std::getenv("NO_COLOR")) {
  os.enable_colors(colors);
}

void DiagnosticPrinter::setSource(std::string file, std::string_view text) {
  sourceFile = std::move(file);
  source = text;
}

void DiagnosticPrinter::error(const std::string &message) {
  Diagnostic diagnostic;
  diagnostic.message = message;
  print(diagnostic);
}

void DiagnosticPrinter::warn(const std::string &message) {
  Diagnostic diagnostic;
  diagnostic.severity = Severity::Warning;
  diagnostic.message = message;
  print(diagnostic);
}

void DiagnosticPrinter::print(const Diagnostic &diagnostic) {
  errors += diagnostic.severity == Severity::Error;
  if (json)
    os << llvm::json::Value(toJson(diagnostic)) << "\n";
  else
    printText(diagnostic);
  os.flush();
}

void DiagnosticPrinter::printText(const Diagnostic &diagnostic) {
  os.changeColor(Color::SAVEDCOLOR, /*Bold=*/true);
  if (diagnostic.file.empty())
    os << "tilec: ";
  else
    os << printable(diagnostic.file) << ":";
  if (diagnostic.line)
    os << diagnostic.line << ":";
  if (diagnostic.line && diagnostic.column)
    os << diagnostic.column << ":";
  if (!diagnostic.file.empty())
    os << " ";
  os.changeColor(colorOf(diagnostic.severity), /*Bold=*/true) << toString(diagnostic.severity) << ": ";
  os.changeColor(Color::SAVEDCOLOR, /*Bold=*/true) << printable(diagnostic.message);
  os.resetColor() << "\n";
  printSource(diagnostic);
  for (const Diagnostic &note : diagnostic.notes)
    printText(note);
}

void DiagnosticPrinter::printSource(const Diagnostic &diagnostic) {
  constexpr size_t kWidest = 160;
  if (!diagnostic.line || !diagnostic.column || diagnostic.file != sourceFile)
    return;
  std::string_view rest = source;
  for (unsigned line = 1; line < diagnostic.line; ++line) {
    size_t end = rest.find('\n');
    if (end == std::string_view::npos)
      return;
    rest.remove_prefix(end + 1);
  }
  std::string_view text = rest.substr(0, rest.find('\n'));
  size_t caret = diagnostic.column - 1;
  if (text.empty() || caret > text.size())
    return;
  // Of a line too wide to read, the part around the caret.
  size_t first = caret > kWidest / 2 && text.size() > kWidest ? caret - kWidest / 2 : 0;
  std::string shown;
  size_t column = 0;
  for (size_t i = first; i < std::min(text.size(), first + kWidest); ++i) {
    std::string piece = text[i] == '\t' ? " " : printable(text.substr(i, 1));
    shown += piece;
    // Bytes that continue a character of UTF-8 take no place of their own.
    bool continues = (text[i] & 0xc0) == 0x80;
    if (i < caret && !continues)
      column += piece.size();
  }
  os << shown << "\n" << std::string(column, ' ');
  os.changeColor(Color::GREEN, /*Bold=*/true) << "^";
  os.resetColor() << "\n";
}

llvm::json::Object DiagnosticPrinter::toJson(const Diagnostic &diagnostic) const {
  llvm::json::Object object{{"severity", toString(diagnostic.severity)}, {"message", llvm::json::fixUTF8(diagnostic.message)}};
  object["file"] = diagnostic.file.empty() ? llvm::json::Value(nullptr) : llvm::json::Value(llvm::json::fixUTF8(diagnostic.file));
  object["line"] = diagnostic.line ? llvm::json::Value(int64_t(diagnostic.line)) : llvm::json::Value(nullptr);
  object["column"] = diagnostic.column ? llvm::json::Value(int64_t(diagnostic.column)) : llvm::json::Value(nullptr);
  llvm::json::Array notes;
  for (const Diagnostic &note : diagnostic.notes)
    notes.push_back(toJson(note));
  object["notes"] = std::move(notes);
  llvm::json::Array fixes;
  for (const Fix &fix : diagnostic.fixes)
    fixes.push_back(llvm::json::Object{
        {"kind", fix.kind}, {"change", fix.change}, {"values", llvm::json::Array(fix.values)}});
  object["fixes"] = std::move(fixes);
  return object;
}
