//===- CompileLog.cpp - What NVRTC and ptxas said -------------*- C++ -*-===//
//
// A line-by-line reader of the two log formats.
//
//===----------------------------------------------------------------------===//

#include "tilec/NVRTC/CompileLog.h"

#include <algorithm>
#include <cctype>
#include <optional>

namespace tilec::nvrtc {

namespace {

bool startsWith(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())))
    text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())))
    text.remove_suffix(1);
  return text;
}

/// A run of digits as a number; nothing for other text or more than 9 digits.
std::optional<unsigned> parseNumber(std::string_view digits) {
  if (digits.empty() || digits.size() > 9)
    return std::nullopt;
  unsigned value = 0;
  for (char c : digits) {
    if (!std::isdigit(static_cast<unsigned char>(c)))
      return std::nullopt;
    value = value * 10 + unsigned(c - '0');
  }
  return value;
}

/// The number right before `unit` ("123 bytes stack frame"), 0 where absent.
unsigned numberBefore(std::string_view text, std::string_view unit) {
  size_t end = text.find(unit);
  if (end == std::string_view::npos)
    return 0;
  size_t begin = end;
  while (begin > 0 && std::isdigit(static_cast<unsigned char>(text[begin - 1])))
    --begin;
  return parseNumber(text.substr(begin, end - begin)).value_or(0);
}

/// The text between the first pair of single quotes.
std::string quotedName(std::string_view text) {
  size_t begin = text.find('\'');
  size_t end = begin == std::string_view::npos ? begin : text.find('\'', begin + 1);
  return end == std::string_view::npos ? std::string()
                                       : std::string(text.substr(begin + 1, end - begin - 1));
}

/// "(C7511) ..." holds 7511.
std::optional<unsigned> remarkCode(std::string_view message) {
  size_t close = message.find(')');
  if (!startsWith(message, "(C") || close == std::string_view::npos)
    return std::nullopt;
  return parseNumber(message.substr(2, close - 2));
}

class LogReader {
public:
  void readLine(std::string_view line) {
    if (startsWith(line, "ptxas"))
      return readPtxas(trim(line.substr(5)));
    if (readResources(line) || readFrontEnd(line))
      return;
    for (std::string_view prefix : {"nvrtc: error: ", "Command-line error: "})
      if (startsWith(line, prefix))
        return add(Severity::Error, "", 0, line.substr(prefix.size()));
  }

  CompileLog finish() {
    for (const KernelResources &kernel : log.kernels)
      if (kernel.spillStoreBytes || kernel.spillLoadBytes)
        add(Severity::Warning, "", 0,
            "kernel '" + kernel.kernel + "' spills registers: " +
                std::to_string(kernel.spillStoreBytes) + " bytes of stores and " +
                std::to_string(kernel.spillLoadBytes) + " bytes of loads per thread at " +
                std::to_string(kernel.registers) + " registers");
    return std::move(log);
  }

private:
  void add(Severity severity, std::string_view file, unsigned line, std::string_view message) {
    log.diagnostics.push_back({severity, std::string(file), line, std::string(trim(message))});
  }

  /// What follows "ptxas": "info    : ...", ".     0 bytes ...", "fatal   :
  /// ...", "application ptx input, line 21; error   : ...".
  void readPtxas(std::string_view text) {
    if (readResources(text))
      return;
    size_t colon = text.find(':');
    std::string_view head = trim(text.substr(0, colon));
    size_t separator = head.rfind("; ");
    std::string_view word =
        separator == std::string_view::npos ? head : trim(head.substr(separator + 2));
    std::string_view message =
        colon == std::string_view::npos ? text : trim(text.substr(colon + 1));
    if (word == "error" || word == "fatal")
      return add(Severity::Error, "", 0,
                 "ptxas: " +
                     (separator == std::string_view::npos
                          ? std::string()
                          : std::string(trim(head.substr(0, separator))) + ": ") +
                     std::string(message));
    if (word == "warning")
      return add(Severity::Warning, "", 0, "ptxas: " + std::string(message));
    if (word != "info")
      return;
    std::optional<unsigned> code = remarkCode(message);
    bool loss = (code && *code >= 7508 && *code <= 7511) ||
                message.find("Potential Performance Loss") != std::string_view::npos;
    if (loss || code)
      add(loss ? Severity::Warning : Severity::Note, "", 0, "ptxas: " + std::string(message));
  }

  /// Lines of -v. The properties of device functions that a kernel calls come
  /// under that kernel, and their spills are its spills.
  bool readResources(std::string_view line) {
    if (line.find("Compiling entry function '") != std::string_view::npos) {
      log.kernels.emplace_back();
      log.kernels.back().kernel = quotedName(line);
      return true;
    }
    if (log.kernels.empty())
      return false;
    KernelResources &kernel = log.kernels.back();
    if (line.find(" bytes stack frame") != std::string_view::npos) {
      kernel.stackBytes = std::max(kernel.stackBytes, numberBefore(line, " bytes stack frame"));
      kernel.spillStoreBytes += numberBefore(line, " bytes spill stores");
      kernel.spillLoadBytes += numberBefore(line, " bytes spill loads");
      return true;
    }
    if (line.find("Used ") != std::string_view::npos &&
        line.find(" registers") != std::string_view::npos) {
      kernel.registers = numberBefore(line, " registers");
      kernel.barriers = numberBefore(line, " barriers");
      kernel.staticSharedBytes = numberBefore(line, " bytes smem");
      kernel.stackBytes =
          std::max(kernel.stackBytes, numberBefore(line, " bytes cumulative stack size"));
      return true;
    }
    return false;
  }

  /// "FILE(LINE): error: MESSAGE", "FILE(LINE): warning #550-D: MESSAGE".
  bool readFrontEnd(std::string_view line) {
    size_t close = line.find("): ");
    if (close == std::string_view::npos || std::isspace(static_cast<unsigned char>(line[0])))
      return false;
    size_t open = line.rfind('(', close);
    if (open == std::string_view::npos)
      return false;
    std::optional<unsigned> number = parseNumber(line.substr(open + 1, close - open - 1));
    std::string_view rest = line.substr(close + 3);
    size_t colon = rest.find(": ");
    if (!number || colon == std::string_view::npos)
      return false;
    std::string_view kind = rest.substr(0, colon);
    Severity severity;
    if (startsWith(kind, "error") || startsWith(kind, "catastrophic error"))
      severity = Severity::Error;
    else if (startsWith(kind, "warning"))
      severity = Severity::Warning;
    else if (startsWith(kind, "remark"))
      severity = Severity::Note;
    else
      return false;
    add(severity, line.substr(0, open), *number, rest.substr(colon + 2));
    return true;
  }

  CompileLog log;
};

} // namespace

CompileLog parseCompileLog(std::string_view log) {
  LogReader reader;
  while (!log.empty()) {
    size_t end = std::min(log.find('\n'), log.size());
    std::string_view line = log.substr(0, end);
    if (!line.empty() && line.back() == '\r')
      line.remove_suffix(1);
    if (!line.empty())
      reader.readLine(line);
    log.remove_prefix(std::min(end + 1, log.size()));
  }
  return reader.finish();
}

} // namespace tilec::nvrtc
