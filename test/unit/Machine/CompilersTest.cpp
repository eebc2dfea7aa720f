//===- CompilersTest.cpp - What compilers make of kernels -------*- C++ -*-===//

#include "Fields.h"
#include "Reader.h"
#include "ToyMachine.h"

#include "tilec/Machine/Targets.h"

#include <gtest/gtest.h>

using namespace tilec;

namespace {

bool isOfCompiler(const std::string &path) {
  return path.rfind("compiler.", 0) == 0 || path.rfind("timing.", 0) == 0;
}

MachineSpec lay(const std::string &arch) {
  MachineSpec spec;
  EXPECT_EQ(machine::layCompiler(arch, spec), "");
  return spec;
}

TEST(Compilers, filesSayAllThatCompilersDoAndNothingElse) {
  for (const char *arch : {"sm_70", "sm_80", "sm_86", "sm_90", "sm_100", "sm_120"}) {
    MachineSpec spec = lay(arch);
    for (const machine::NumberField &field : machine::numberFields(spec)) {
      EXPECT_EQ(field.isKnown(), isOfCompiler(field.path)) << arch << " " << field.path;
      // A number without a source of its own would show the file's name instead.
      if (field.isKnown()) {
        EXPECT_EQ(field.source().find("targets/"), std::string::npos) << field.path;
      }
    }
    for (const machine::FeatureField &feature : machine::featureFields(spec))
      EXPECT_FALSE(*feature.slot) << feature.key;
  }
}

TEST(Compilers, theNewestThatIsNotNewer) {
  auto loops = [](const char *arch) { return lay(arch).compiler.registers.loops.value; };
  EXPECT_EQ(loops("sm_80"), 29);
  EXPECT_EQ(loops("sm_86"), 35);
  EXPECT_EQ(loops("sm_89"), 35);
  EXPECT_EQ(loops("sm_90"), 30);
  EXPECT_EQ(loops("sm_100"), 31);
  EXPECT_EQ(loops("sm_120"), 31);
  // Older than all: the oldest.
  EXPECT_EQ(loops("sm_70"), 29);
}

TEST(Compilers, aMachineFileGoesOverThem) {
  TargetResult toy = parseTarget(kToyMachine + "compiler: {registers: {loops: 40}}\ntiming: {overlap: 4}\n", "toy.yaml");
  ASSERT_TRUE(toy) << toy.error;
  EXPECT_EQ(toy.spec->compiler.registers.loops.value, 40);
  EXPECT_EQ(toy.spec->compiler.registers.loops.source, "toy.yaml");
  EXPECT_EQ(toy.spec->timing.overlap.value, 4);
  // Its neighbour stays that of sm_80.
  EXPECT_EQ(toy.spec->compiler.registers.ahead.value, 14);
  EXPECT_EQ(toy.spec->compiler.registers.ahead.source.find("ptxas 13.0 for sm_80"), 0u);
}

TEST(Compilers, whereArchStandsDoesNotMatter) {
  TargetResult last = parseTarget("name: last\ncompiler: {registers: {loops: 7}}\ninherit: sm80\narch: sm_90\n", "l.yaml");
  ASSERT_TRUE(last) << last.error;
  EXPECT_EQ(last.spec->compiler.registers.loops.value, 7);
  EXPECT_EQ(last.spec->compiler.registers.ahead.value, 6);
}

TEST(Compilers, inheritance) {
  TargetResult same = parseTarget("inherit: h100\nname: same\n", "s.yaml");
  ASSERT_TRUE(same) << same.error;
  EXPECT_EQ(same.spec->compiler.registers.squeeze.value, 10);
  // A new architecture has another compiler.
  TargetResult newer = parseTarget("inherit: h100\nname: newer\narch: sm_100\n", "n.yaml");
  ASSERT_TRUE(newer) << newer.error;
  EXPECT_EQ(newer.spec->compiler.registers.squeeze.value, 19);
}

TEST(Compilers, errors) {
  auto errorOf = [](const std::string &text) { return parseTarget(kToyMachine + text, "t.yaml").error; };
  EXPECT_EQ(errorOf("compiler: {registers: {lops: 1}}\n"),
            "t.yaml:28:24: unknown key 'lops' in 'compiler.registers'; did you mean 'loops'?");
  EXPECT_EQ(errorOf("compiler: {registers: {loops: 1.5}}\n"),
            "t.yaml:28:31: expected 'compiler.registers.loops' to be a whole number, got '1.5'");
  EXPECT_EQ(errorOf("timing: {overlap: 0}\n"),
            "t.yaml:28:19: expected 'timing.overlap' to lie between 1 and 100 power, got '0'");
  EXPECT_EQ(errorOf("compiler: {registers: {loops: null}}\n"),
            "t.yaml:28:24: missing number 'compiler.registers.loops' (registers)");
  EXPECT_EQ(errorOf("timing:\n  overlap: 2\ncompiler:\n  schedule: null\n"),
            "t.yaml:31:13: missing number 'compiler.schedule.unroll_whole' (FMA)");
}

} // namespace
