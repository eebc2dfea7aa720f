//===- OutputFiles.h - Files that appear whole or not at all -----*- C++ -*-===//
//
// Outputs are collected, written beside their places under other names, and
// renamed when all of them are written. Links are followed; what is no regular
// file, such as a device or a pipe, is written in place; "-" is standard output.
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

  /// A file that is read, which no output may replace.
  void addInput(const std::string &path);

  /// Adds a file, or standard output for the path "-". The error says why it cannot be one beside the others: it is an input, or
  /// another output.
  std::optional<std::string> add(const std::string &path, std::string_view contents);

  /// A folder that is made before the files are written, unless it is there; not its parents.
  void addFolder(const std::string &path);

  /// Puts all files in place, then writes what goes to standard output. The error names the file and the reason; no file is left
  /// behind.
  std::optional<std::string> commit();

  /// Files that were added, standard output left out.
  const std::vector<std::string> &getPaths() const { return paths; }

private:
  struct Entry {
    std::string path;
    /// Where the contents go, links followed.
    std::string place;
    std::string contents;
    /// Where the contents lie until they are renamed; empty afterwards.
    std::string temporary;
  };

  std::optional<std::string> writeTemporary(Entry &entry);

  std::vector<std::string> inputs, paths, folders, made;
  std::vector<Entry> entries;
};

} // namespace tilec

#endif // TILEC_TOOLS_OUTPUTFILES_H
