//===- DocsTest.cpp - docs/machines.md tells all keys -----------*- C++ -*-===//

#include "Fields.h"

#include "tilec/Machine/Targets.h"

#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <set>
#include <sstream>

using namespace tilec;

namespace {

std::string readDocs() {
  std::ifstream file(TILEC_MACHINE_DOCS);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(Docs, everyNumberHasARowWithUnitAndNeed) {
  std::string docs = readDocs();
  ASSERT_FALSE(docs.empty());
  MachineSpec spec;
  spec.rates[{MathUnit::Fma, MathType::F32}];
  for (const machine::NumberField &field : machine::numberFields(spec)) {
    std::string path = field.path;
    if (size_t at = path.find("fma.f32"); at != std::string::npos)
      path.replace(at, 7, "UNIT.TYPE");
    std::string row =
        "| `" + path + "` | " + field.unit + " | " + (field.required ? "yes" : "") + " | ";
    EXPECT_NE(docs.find(row), std::string::npos) << row;
  }
  for (const machine::FeatureField &feature : machine::featureFields(spec))
    EXPECT_NE(docs.find("| `" + std::string(feature.key) + "` | "), std::string::npos)
        << feature.key;
}

TEST(Docs, everyRowIsANumberOrAFeature) {
  std::string docs = readDocs();
  MachineSpec spec;
  spec.rates[{MathUnit::Fma, MathType::F32}];
  std::set<std::string> known;
  for (const machine::NumberField &field : machine::numberFields(spec))
    known.insert(std::regex_replace(field.path, std::regex("fma\\.f32"), "UNIT.TYPE"));
  for (const machine::FeatureField &feature : machine::featureFields(spec))
    known.insert(feature.key);
  // The tables after "## Numbers" and "## Features".
  std::string tables = docs.substr(docs.find("## Numbers"), docs.find("## Derived") - docs.find("## Numbers"));
  std::regex row("\\n\\| `([\\w.]+)` \\|");
  unsigned rows = 0;
  for (std::sregex_iterator it(tables.begin(), tables.end(), row), end; it != end; ++it, ++rows)
    EXPECT_EQ(known.count((*it)[1]), 1u) << (*it)[1];
  EXPECT_EQ(rows, known.size());
}

TEST(Docs, examplesAreAccepted) {
  std::string docs = readDocs();
  unsigned examples = 0;
  for (size_t at = docs.find("```yaml\n"); at != std::string::npos;
       at = docs.find("```yaml\n", at + 1)) {
    size_t start = at + 8;
    std::string text = docs.substr(start, docs.find("```", start) - start);
    TargetResult target = parseTarget(text, "docs/machines.md");
    EXPECT_TRUE(target) << target.error;
    ++examples;
  }
  EXPECT_EQ(examples, 2u);
}

} // namespace
