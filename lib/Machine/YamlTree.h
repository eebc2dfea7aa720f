//===- YamlTree.h - Untrusted YAML as a plain tree --------------*- C++ -*-===//
//
// A machine file is data from anywhere. This turns its text into mappings and
// scalars with positions, and refuses what a machine file has no use for:
// anchors, aliases, tags, several documents, block scalars, deep nesting,
// repeated keys, and files of more than a mebibyte.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_MACHINE_YAMLTREE_H
#define TILEC_LIB_MACHINE_YAMLTREE_H

#include <string>
#include <vector>

namespace tilec::machine {

/// Counted from 1.
struct Position {
  unsigned line = 1;
  unsigned column = 1;
};

struct YamlEntry;

struct YamlNode {
  enum class Kind { Null, Scalar, Sequence, Mapping };
  Kind kind = Kind::Null;
  Position position;
  /// Of a scalar: its value, and whether it stood in quotes.
  std::string text;
  bool quoted = false;
  std::vector<YamlNode> items;
  std::vector<YamlEntry> entries;

  /// The value of `key` in a mapping, or null.
  const YamlNode *find(const std::string &key) const;
};

struct YamlEntry {
  std::string key;
  Position position;
  YamlNode value;
};

/// "null", "a number or text", "a list" or "a mapping": for messages.
const char *describeKind(YamlNode::Kind kind);

/// `text` in quotes, fit for a message: control characters as '?', at most 64 characters.
std::string quoted(const std::string &text);

constexpr size_t kMaxFileBytes = size_t(1) << 20;

/// "FILE:LINE:COLUMN: message".
std::string locate(const std::string &fileName, Position position, const std::string &message);

/// Parses `text` into `root`, which is a mapping then. On failure `error` says where and why.
bool parseYaml(const std::string &text, const std::string &fileName, YamlNode &root,
               std::string &error);

} // namespace tilec::machine

#endif // TILEC_LIB_MACHINE_YAMLTREE_H
