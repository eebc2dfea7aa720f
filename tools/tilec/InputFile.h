//===- InputFile.h - Reading a nest ------------------------------*- C++ -*-===//

#ifndef TILEC_TOOLS_INPUTFILE_H
#define TILEC_TOOLS_INPUTFILE_H

#include <optional>
#include <string>

namespace tilec {

/// Reads a file, or standard input for "-"; at most 64 MiB and one byte, which the
/// compiler refuses. `error` names the file and the reason.
std::optional<std::string> readInput(const std::string &path, std::string &error);

/// The system's words for an errno, in the style of our messages: "no such file or directory".
std::string reasonOf(int number);

} // namespace tilec

#endif // TILEC_TOOLS_INPUTFILE_H
