//===- InheritTest.cpp - Machines made from others --------------*- C++ -*-===//

#include "tilec/Machine/Targets.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <unistd.h>

using namespace tilec;

namespace {

/// A folder of machine files that is removed again.
class Inherit : public ::testing::Test {
protected:
  void SetUp() override {
    char pattern[] = "/tmp/tilec-machines-XXXXXX";
    ASSERT_NE(mkdtemp(pattern), nullptr);
    folder = pattern;
  }
  void TearDown() override {
    for (const std::string &file : files)
      unlink(file.c_str());
    rmdir(folder.c_str());
  }
  std::string write(const std::string &name, const std::string &text) {
    std::string path = folder + "/" + name;
    std::ofstream(path) << text;
    files.push_back(path);
    return path;
  }

  std::string folder;
  std::vector<std::string> files;
};

TEST_F(Inherit, threeLines) {
  std::string path = write("half.yaml", "inherit: sm80\nname: half\nsms: 54\n");
  TargetResult half = resolveTarget(path);
  ASSERT_TRUE(half) << half.error;
  EXPECT_EQ(half.spec->name, "half");
  EXPECT_EQ(half.spec->sms.value, 54);
  EXPECT_EQ(half.spec->sms.source, path);
  EXPECT_TRUE(half.spec->title.empty());
  EXPECT_TRUE(half.spec->aliases.empty());
  EXPECT_EQ(half.spec->boostClock.source, "NVIDIA A100 architecture whitepaper 2020");
  // Half the SMs share the same bandwidth: 2 * 13.390 = 26.780
  EXPECT_NEAR(half.spec->dramBytesPerCyclePerSM(), 26.780, 0.001);
}

TEST_F(Inherit, featuresAndUnits) {
  TargetResult clustered =
      parseTarget("inherit: sm80\nname: clustered\nfeatures: {clusters: true}\n", "c.yaml");
  ASSERT_TRUE(clustered) << clustered.error;
  EXPECT_TRUE(clustered.spec->features.clusters);
  EXPECT_TRUE(clustered.spec->features.cpAsync);
  EXPECT_EQ(clustered.spec->maxClusterSize(), 8);

  // A unit is taken away with its rates.
  TargetResult plain = parseTarget(
      "inherit: h100\nname: plain\nfeatures: {wgmma: false}\nunits: {wgmma: null}\n", "p.yaml");
  ASSERT_TRUE(plain) << plain.error;
  EXPECT_EQ(plain.spec->rate(MathUnit::Wgmma, MathType::BF16), nullptr);
  EXPECT_NE(plain.spec->rate(MathUnit::Mma, MathType::BF16), nullptr);

  // A slower clock lowers the tensor core's with it.
  TargetResult slow = parseTarget("inherit: h100\nname: slow\nclocks: {boost: 1.6}\n", "s.yaml");
  ASSERT_TRUE(slow) << slow.error;
  EXPECT_EQ(slow.spec->clockGHz(MathUnit::Wgmma, MathType::BF16), 1.6);
}

TEST_F(Inherit, aNewArchDropsTheOldFeatureArch) {
  TargetResult other = parseTarget("inherit: h100\nname: other\narch: sm_100\n", "o.yaml");
  ASSERT_TRUE(other) << other.error;
  EXPECT_EQ(other.spec->featureArch, "sm_100");
}

TEST_F(Inherit, pathsAreRelativeToTheFile) {
  write("base.yaml", "inherit: sm80\nname: base\nsms: 10\n");
  std::string path = write("top.yaml", "inherit: base.yaml\nname: top\nclocks: {boost: 1}\n");
  TargetResult top = resolveTarget(path);
  ASSERT_TRUE(top) << top.error;
  EXPECT_EQ(top.spec->sms.value, 10);
  EXPECT_EQ(top.spec->sms.source, folder + "/base.yaml");
}

TEST_F(Inherit, errors) {
  EXPECT_EQ(parseTarget("inherit: sm81\nname: a\n", "a.yaml").error.substr(0, 75),
            "a.yaml:1:10: cannot inherit 'sm81': unknown machine 'sm81' (did you mean 's");
  EXPECT_EQ(parseTarget("inherit: [sm80]\nname: a\n", "a.yaml").error,
            "a.yaml:1:10: expected 'inherit' to be the name of a machine or the path of a machine "
            "file, got a list");
  EXPECT_EQ(resolveTarget(folder + "/none.yaml").error,
            "cannot read machine file '" + folder + "/none.yaml': No such file or directory");
  EXPECT_EQ(resolveTarget(folder + "/").error,
            "cannot read machine file '" + folder + "/': not a regular file");
  EXPECT_EQ(resolveTarget("/dev/zero").error,
            "cannot read machine file '/dev/zero': not a regular file");
}

TEST_F(Inherit, cyclesAreRefused) {
  std::string a = write("a.yaml", "inherit: b.yaml\nname: a\n");
  std::string b = write("b.yaml", "inherit: a.yaml\nname: b\n");
  EXPECT_EQ(resolveTarget(a).error, a + ":1:10: cannot inherit 'b.yaml': " + b +
                                        ":1:10: cannot inherit 'a.yaml': '" + a +
                                        "' inherits itself");
}

TEST_F(Inherit, longChainsAreRefused) {
  write("m0.yaml", "inherit: sm80\nname: m\n");
  for (int i = 1; i <= 8; ++i)
    write("m" + std::to_string(i) + ".yaml",
          "inherit: m" + std::to_string(i - 1) + ".yaml\nname: m\n");
  // m6 to m0 and sm80 are eight machines, m7 is the ninth.
  EXPECT_TRUE(resolveTarget(folder + "/m6.yaml"));
  std::string error = resolveTarget(folder + "/m7.yaml").error;
  EXPECT_NE(error.find("expected at most 8 machines to inherit one another"), std::string::npos)
      << error;
}

TEST_F(Inherit, bigFilesAreNotRead) {
  std::string path = write("big.yaml", std::string((1 << 20) + 1, '#'));
  EXPECT_EQ(resolveTarget(path).error,
            path + ": expected a machine file of at most 1048576 bytes, got 1048577");
}

} // namespace
