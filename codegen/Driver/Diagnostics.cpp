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

Diagnostic tilec::toPlain(mlir::Diagnostic &diagnostic) {
  Diagnostic plain;
  plain.severity = toSeverity(diagnostic.getSeverity());
  plain.message = diagnostic.str();
  setPosition(diagnostic.getLocation(), plain);
  for (mlir::Diagnostic &note : diagnostic.getNotes())
    plain.notes.push_back(toPlain(note));
  for (mlir::DiagnosticArgument &argument : diagnostic.getMetadata())
    if (argument.getKind() == mlir::DiagnosticArgument::DiagnosticArgumentKind::Attribute)
      if (auto fix = mlir::dyn_cast<mlir::DictionaryAttr>(argument.getAsAttribute()))
        addFix(fix, plain);
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
