//===- YamlTree.cpp - Untrusted YAML as a plain tree ------------*- C++ -*-===//

#include "YamlTree.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/YAMLParser.h"

#include <algorithm>
#include <cstdlib>
#include <map>

namespace tilec::machine {

namespace {

constexpr unsigned kMaxDepth = 8;

class TreeBuilder {
public:
  TreeBuilder(const std::string &text, const std::string &fileName)
      : fileName(fileName), text(text), stream(text, sources, /*ShowColors=*/false) {
    // Without a handler the parser would print to stderr.
    sources.setDiagHandler(keepFirst, this);
  }

  bool build(YamlNode &root) {
    auto document = stream.begin();
    if (document == stream.end() || !document->getRoot())
      return fail({}, "expected a mapping, got an empty file");
    if (!visit(*document->getRoot(), root, 0))
      return false;
    if (root.kind != YamlNode::Kind::Mapping)
      return fail(root.position, std::string("expected a mapping, got ") + describeKind(root.kind));
    if (++document != stream.end())
      return fail({}, "expected one document, got several");
    return !stream.failed();
  }

  std::string error;

private:
  static void keepFirst(const llvm::SMDiagnostic &diagnostic, void *self) {
    auto &builder = *static_cast<TreeBuilder *>(self);
    builder.fail({static_cast<unsigned>(std::max(diagnostic.getLineNo(), 1)),
                  static_cast<unsigned>(std::max(diagnostic.getColumnNo() + 1, 1))},
                 "invalid YAML: " + diagnostic.getMessage().str());
  }

  bool fail(Position position, const std::string &message) {
    if (error.empty())
      error = locate(fileName, position, message);
    return false;
  }

  Position positionOf(const llvm::yaml::Node &node) {
    llvm::SMLoc start = node.getSourceRange().Start;
    if (!start.isValid())
      return {};
    if (llvm::isa<llvm::yaml::MappingNode, llvm::yaml::SequenceNode>(node))
      start = openingBracket(start);
    auto [line, column] = sources.getLineAndColumn(start);
    return {line, column};
  }

  /// The parser places a list or mapping in brackets at its first item.
  llvm::SMLoc openingBracket(llvm::SMLoc start) const {
    const char *at = start.getPointer();
    while (at > text.data() && at[-1] == ' ')
      --at;
    bool bracket = at > text.data() && (at[-1] == '[' || at[-1] == '{');
    return bracket ? llvm::SMLoc::getFromPointer(at - 1) : start;
  }

  bool visit(llvm::yaml::Node &node, YamlNode &tree, unsigned depth) {
    tree.position = positionOf(node);
    if (depth > kMaxDepth)
      return fail(tree.position, "expected at most 8 levels of nesting");
    if (!node.getAnchor().empty() || llvm::isa<llvm::yaml::AliasNode>(node))
      return fail(tree.position, "anchors and aliases are not allowed");
    if (!node.getRawTag().empty())
      return fail(tree.position, "tags are not allowed, got " + quoted(node.getRawTag().str()));
    if (auto *scalar = llvm::dyn_cast<llvm::yaml::ScalarNode>(&node)) {
      llvm::SmallString<64> storage;
      tree.text = scalar->getValue(storage).str();
      llvm::StringRef raw = scalar->getRawValue();
      tree.quoted = raw.starts_with("\"") || raw.starts_with("'");
      bool null = !tree.quoted && (tree.text == "null" || tree.text == "~" || tree.text.empty());
      tree.kind = null ? YamlNode::Kind::Null : YamlNode::Kind::Scalar;
      return !stream.failed();
    }
    if (auto *mapping = llvm::dyn_cast<llvm::yaml::MappingNode>(&node))
      return visitMapping(*mapping, tree, depth);
    if (auto *sequence = llvm::dyn_cast<llvm::yaml::SequenceNode>(&node)) {
      tree.kind = YamlNode::Kind::Sequence;
      for (llvm::yaml::Node &item : *sequence)
        if (!visit(item, tree.items.emplace_back(), depth + 1))
          return false;
      return !stream.failed();
    }
    if (llvm::isa<llvm::yaml::BlockScalarNode>(node))
      return fail(tree.position, "block scalars are not allowed");
    tree.kind = YamlNode::Kind::Null;
    return !stream.failed();
  }

  bool visitMapping(llvm::yaml::MappingNode &mapping, YamlNode &tree, unsigned depth) {
    tree.kind = YamlNode::Kind::Mapping;
    std::map<std::string, unsigned> lines;
    for (llvm::yaml::KeyValueNode &pair : mapping) {
      // The parser skips over a key by recursion, so only keys that cannot nest go on.
      auto *key = llvm::dyn_cast_or_null<llvm::yaml::ScalarNode>(pair.getKey());
      if (!key)
        return fail(tree.position, "expected every key to be plain text");
      llvm::SmallString<64> storage;
      std::string name = key->getValue(storage).str();
      Position position = positionOf(*key);
      auto [first, isNew] = lines.emplace(name, position.line);
      if (!isNew)
        return fail(position, "key " + quoted(name) + " is given twice, first in line " +
                                  std::to_string(first->second));
      llvm::yaml::Node *value = pair.getValue();
      if (!value)
        return fail(position, "expected a value for key " + quoted(name));
      YamlEntry entry{name, position, {}};
      if (!visit(*value, entry.value, depth + 1))
        return false;
      tree.entries.push_back(std::move(entry));
    }
    return !stream.failed();
  }

  const std::string &fileName;
  /// Positions point into it: the source manager refers to this text and makes no copy.
  const std::string &text;
  llvm::SourceMgr sources;
  llvm::yaml::Stream stream;
};

} // namespace

const YamlNode *YamlNode::find(const std::string &key) const {
  for (const YamlEntry &entry : entries)
    if (entry.key == key)
      return &entry.value;
  return nullptr;
}

const char *describeKind(YamlNode::Kind kind) {
  switch (kind) {
  case YamlNode::Kind::Null:
    return "null";
  case YamlNode::Kind::Scalar:
    return "a number or text";
  case YamlNode::Kind::Sequence:
    return "a list";
  case YamlNode::Kind::Mapping:
    return "a mapping";
  }
  std::abort();
}

std::string quoted(const std::string &text) {
  constexpr size_t kMaxShown = 64;
  std::string shown = text.substr(0, kMaxShown);
  for (char &c : shown)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      c = '?';
  return "'" + shown + (text.size() > kMaxShown ? "..." : "") + "'";
}

std::string locate(const std::string &fileName, Position position, const std::string &message) {
  return fileName + ":" + std::to_string(position.line) + ":" + std::to_string(position.column) +
         ": " + message;
}

bool parseYaml(const std::string &text, const std::string &fileName, YamlNode &root,
               std::string &error) {
  if (text.size() > kMaxFileBytes) {
    error = fileName + ": expected a machine file of at most " + std::to_string(kMaxFileBytes) +
            " bytes, got " + std::to_string(text.size());
    return false;
  }
  TreeBuilder builder(text, fileName);
  if (builder.build(root))
    return true;
  error = builder.error.empty() ? locate(fileName, {}, "invalid YAML") : builder.error;
  return false;
}

} // namespace tilec::machine
