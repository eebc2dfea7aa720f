//===- DiagnosticPrinter.h - Errors and warnings for people ------*- C++ -*-===//
//
// As text with the line of the source and a caret, or as JSON, one object a
// line.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_TOOLS_DIAGNOSTICPRINTER_H
#define TILEC_TOOLS_DIAGNOSTICPRINTER_H

#include "tilec/Driver/Compiler.h"
#include "tilec/Report/Printable.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace tilec {

class DiagnosticPrinter {
public:
  /// Colours are used on a terminal, unless NO_COLOR is set.
  DiagnosticPrinter(llvm::raw_ostream &os, bool json);

  /// The text that positions in `file` refer to; must outlive the printer's use.
  void setSource(std::string file, std::string_view text);

  void print(const Diagnostic &diagnostic);
  /// An error of the command itself, without a position.
  void error(const std::string &message);
  /// The same as a warning.
  void warn(const std::string &message);
  unsigned getErrors() const { return errors; }

private:
  void printText(const Diagnostic &diagnostic);
  void printSource(const Diagnostic &diagnostic);
  llvm::json::Object toJson(const Diagnostic &diagnostic) const;

  llvm::raw_ostream &os;
  bool json;
  bool colors;
  std::string sourceFile;
  std::string_view source;
  unsigned errors = 0;
};

} // namespace tilec

#endif // TILEC_TOOLS_DIAGNOSTICPRINTER_H
