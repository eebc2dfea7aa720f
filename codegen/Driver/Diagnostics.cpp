//===- Diagnostics.cpp - MLIR's diagnostics as plain structs ----*- C++ -*-===//
//
// Positions are unwrapped from the names that locations carry.
//
//===----------------------------------------------------------------------===//

#include "Diagnostics.h"

#include "DeepThread.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"

using namespace tilec;

static void setPosition(mlir::Location loc, Diagnostic &plain) {
  while (auto name = mlir::dyn_cast<mlir::NameLoc>(loc))
    loc = name.getChildLoc();
  if (auto fused = mlir::dyn_cast<mlir::FusedLoc>(loc); fused && !fused.getLocations().empty())
    return setPosition(fused.getLocations().front(), plain);
  if (auto position = mlir::dyn_cast<mlir::FileLineColLoc>(loc)) {
    plain.file = position.getFilename().str();
    plain.line = position.getLine();
    plain.column = position.getColumn();
  }
}

static Severity toSeverity(mlir::DiagnosticSeverity severity) {
  switch (severity) {
  case mlir::DiagnosticSeverity::Error:
    return Severity::Error;
  case mlir::DiagnosticSeverity::Warning:
    return Severity::Warning;
  case mlir::DiagnosticSeverity::Note:
    return Severity::Note;
  case mlir::DiagnosticSeverity::Remark:
    return Severity::Remark;
  }
  return Severity::Error;
}

/// What Findings.h says of metadata.
static bool isPerformance(const mlir::DiagnosticArgument &argument) {
  return argument.getKind() == mlir::DiagnosticArgument::DiagnosticArgumentKind::Attribute &&
         mlir::isa<mlir::UnitAttr>(argument.getAsAttribute());
}

static void addFix(mlir::DictionaryAttr fix, Diagnostic &plain) {
  auto kind = fix.getAs<mlir::StringAttr>("kind"), change = fix.getAs<mlir::StringAttr>("change");
  auto values = fix.getAs<mlir::ArrayAttr>("values");
  if (!kind || !change || !values)
    return;
  Fix &added = plain.fixes.emplace_back();
  added.kind = kind.str();
  added.change = change.str();
  for (auto value : values.getAsRange<mlir::IntegerAttr>())
    added.values.push_back(value.getInt());
}

/// MLIR's parser speaks to those who build compilers with it: of C++ classes, and of dialects that are not registered.
static std::string inWordsOfNests(llvm::StringRef message) {
  llvm::StringRef rest = message;
  if (rest.consume_front("expected ::tilec::") && rest.contains(" to be one of: "))
    return "expected one of " + rest.split(" to be one of: ").second.str();
  if (rest.consume_front("expected keyword for ::tilec::"))
    return "expected a word";
  constexpr llvm::StringLiteral known = "; a nest is written with tile and linalg, and with arith, math, memref and scf inside of them";
  if (rest.consume_front("Dialect `") && rest.contains("' not found for custom op "))
    return rest.split("' not found for custom op ").second.trim().str() + " is no op of a nest" + known.str();
  if (rest.starts_with("operation being parsed with an unregistered dialect"))
    return "this is no op of a nest" + known.str();
  if (rest.consume_front("failed to parse Tile_"))
    return "expected another parameter of " + rest.split("Attr parameter").first.lower();
  return message.str();
}

Diagnostic tilec::toPlain(mlir::Diagnostic &diagnostic) {
  Diagnostic plain;
  plain.severity = toSeverity(diagnostic.getSeverity());
  plain.message = inWordsOfNests(diagnostic.str());
  setPosition(diagnostic.getLocation(), plain);
  for (mlir::Diagnostic &note : diagnostic.getNotes())
    if (!llvm::StringRef(note.str()).starts_with("Available dialects:"))
      plain.notes.push_back(toPlain(note));
  for (mlir::DiagnosticArgument &argument : diagnostic.getMetadata()) {
    plain.performance |= isPerformance(argument);
    if (argument.getKind() == mlir::DiagnosticArgument::DiagnosticArgumentKind::Attribute)
      if (auto fix = mlir::dyn_cast<mlir::DictionaryAttr>(argument.getAsAttribute()))
        addFix(fix, plain);
  }
  return plain;
}

DiagnosticForwarder::DiagnosticForwarder(mlir::MLIRContext &context, const CompileOptions &options)
    : options(options), handler(&context, [this](mlir::Diagnostic &diagnostic) {
        forward(toPlain(diagnostic));
        return mlir::success();
      }) {}

void DiagnosticForwarder::report(Severity severity, const std::string &message, const std::string &file, unsigned line) {
  Diagnostic plain;
  plain.severity = severity;
  plain.message = message;
  plain.file = file;
  plain.line = line;
  forward(plain);
}

void DiagnosticForwarder::forward(const Diagnostic &diagnostic) {
  // It follows an error that says more.
  if (errors > 0 && llvm::StringRef(diagnostic.message).starts_with("expected another parameter of "))
    return;
  errors += diagnostic.severity == Severity::Error;
  bool warning = diagnostic.severity == Severity::Warning;
  warnings += warning;
  if (!options.onDiagnostic)
    return;
  if (!warning || !options.warningsAreErrors)
    return options.onDiagnostic(diagnostic);
  Diagnostic error = diagnostic;
  error.severity = Severity::Error;
  options.onDiagnostic(error);
}

Status tilec::refuseThread(const CompileOptions &options) {
  Diagnostic error;
  error.message = noDeepThread;
  if (options.onDiagnostic)
    options.onDiagnostic(error);
  return Status::Missing;
}
