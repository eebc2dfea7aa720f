//===- OutputFiles.h - Files that appear whole or not at all -----*- C++ -*-===//
//
// Outputs are collected, written beside their places under other names, and
// renamed when all of them are written.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_TOOLS_OUTPUTFILES_H
#define TILEC_TOOLS_OUTPUTFILES_H

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilec {

class OutputFiles {
public:
  /// Removes what was written but not renamed.
  ~OutputFiles();

  /// Adds a file, or standard output for the path "-".
  void add(std::string path, std::string_view contents);

  /// Puts all files in place, then writes what goes to standard output. The
  /// error names the file and the reason; no file is left behind.
  std::optional<std::string> commit();

private:
  struct Entry {
    std::string path;
    std::string contents;
    /// Where the contents lie until they are renamed; empty afterwards.
    std::string temporary;
  };

  std::vector<Entry> entries;
};

} // namespace tilec

#endif // TILEC_TOOLS_OUTPUTFILES_H
