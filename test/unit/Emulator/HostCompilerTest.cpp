//===- HostCompilerTest.cpp - Compilers and refused launches --*- C++ -*-===//
//
// What is said when a kernel cannot be compiled or may not be launched.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

#include <cstdlib>

namespace tilec::emulator::test {
namespace {

using runtime::Result;

/// Sets a variable of the environment for one test.
class Environment {
public:
  Environment(const char *name, const char *value) : name(name) {
    if (const char *old = std::getenv(name))
      before = old;
    wasSet = std::getenv(name) != nullptr;
    setenv(name, value, 1);
  }
  ~Environment() { wasSet ? setenv(name, before.c_str(), 1) : unsetenv(name); }

private:
  const char *name;
  std::string before;
  bool wasSet;
};

const char *const nothing =
    "extern \"C\" __global__ void test(const float *A, float *C, int n) {}\n";

/// One warp that writes C[32].
runtime::KernelDescription describeOneOutput() {
  runtime::KernelDescription kernel;
  kernel.blockThreads = 32;
  kernel.staticSharedBytes = 128;
  kernel.tensors = {{"C",
                     runtime::ElementType::F32,
                     false,
                     true,
                     {runtime::Extent::constant(32)},
                     {runtime::Stride::constant(1)}}};
  kernel.parameters = {runtime::Parameter::tensorBase(0)};
  return kernel;
}

TEST(HostCompiler, ListsWhatWasTried) {
  Environment path("PATH", "/nonexistent");
  Environment compiler("CXX", "");
  Result<std::string> found = findHostCompiler();
  ASSERT_FALSE(found);
  EXPECT_NE(found.message().find("tried c++, g++, clang++"), std::string::npos) << found.message();
}

// Another compiler than the one that is asked for is no answer.
TEST(HostCompiler, TakesTheOneThatIsNamed) {
  Environment compiler("CXX", "/nonexistent/c++-99");
  Result<std::string> found = findHostCompiler();
  ASSERT_FALSE(found);
  EXPECT_NE(found.message().find("CXX is '/nonexistent/c++-99', which is no program that can be run"), std::string::npos)
      << found.message();
}

TEST(HostCompiler, BothCompilersRunAKernel) {
  const char *text = "extern \"C\" __global__ void test(float *C) {\n"
                     "  float x[2]; SHARED(float, s, 32);\n"
                     "  sts(&s[thread_x()], 1.0f); sync_block();\n"
                     "  x[0] = shfl_xor(lds(&s[thread_x() ^ 3]), 1);\n"
                     "  stg(&C[thread_x()], x[thread_x() / 31]);\n}\n";
  for (const char *name : {"g++", "clang++"}) {
    Environment compiler("CXX", name);
    Result<std::string> found = findHostCompiler();
    if (!found)
      GTEST_SKIP() << found.message();
    if (found->find(name) == std::string::npos)
      continue;
    Result<HostModule> module = compileForHost(text, "test", *found);
    ASSERT_TRUE(module) << module.message();
    float c[32];
    Result<Report> report = run(*module, describeOneOutput(), {{{reinterpret_cast<uint64_t>(c), {1}}}, {}, {}});
    ASSERT_TRUE(report) << report.message();
    EXPECT_EQ(c[30], 1.0f);
    EXPECT_TRUE(hasFinding(*report, FindingKind::UninitialisedRegister, 5, "C[31]"));
    EXPECT_EQ(report->findings.size(), 1u) << report->describeFindings(name);
  }
}

// CUDA computes exp(x) of a float in float, four bytes; abs(-0.5) is 0.5, not that of the integer 0.
TEST(HostCompiler, KnowsCUDAsOverloadsForFloat) {
  const char *text = "extern \"C\" __global__ void test(float *C) {\n"
                     "  float x = -0.5f;\n"
                     "  stg(&C[thread_x()], sizeof(exp(x)) + sizeof(pow(x, x)) + sizeof(fma(x, x, x)) + sizeof(exp(1.0)) + abs(x));\n}\n";
  for (const char *name : {"g++", "clang++"}) {
    Environment compiler("CXX", name);
    Result<std::string> found = findHostCompiler();
    if (!found)
      GTEST_SKIP() << found.message();
    Result<HostModule> module = compileForHost(text, "test", *found);
    ASSERT_TRUE(module) << module.message();
    float c[32] = {};
    Result<Report> report = run(*module, describeOneOutput(), {{{reinterpret_cast<uint64_t>(c), {1}}}, {}, {}});
    ASSERT_TRUE(report) << report.message();
    EXPECT_EQ(c[0], 4 + 4 + 4 + 8 + 0.5f);
  }
}

TEST(HostCompiler, QuotesErrorsByLine) {
  Result<std::string> compiler = findHostCompiler();
  ASSERT_TRUE(compiler);
  Result<HostModule> module = compileForHost(
      "extern \"C\" __global__ void test() {\n  no_such_function();\n}\n", "test", *compiler);
  ASSERT_FALSE(module);
  EXPECT_NE(module.message().find("kernel.cu:2:"), std::string::npos) << module.message();
  EXPECT_FALSE(compileForHost(nothing, "other", *compiler));
  EXPECT_FALSE(compileForHost(nothing, "test", "/nonexistent/c++"));
}

TEST(HostCompiler, RefusesLargeFrames) {
  // 64 KB of registers would run over the fiber's stack.
  Result<std::string> compiler = findHostCompiler();
  ASSERT_TRUE(compiler);
  Result<HostModule> module =
      compileForHost("extern \"C\" __global__ void test(float *C) {\n  float r[16384];\n"
                     "  for (int i = 0; i < 16384; ++i) r[i] = ldg(&C[i]);\n"
                     "  for (int i = 0; i < 16384; ++i) stg(&C[i], r[i * 7 % 16384]);\n}\n",
                     "test", *compiler);
  ASSERT_FALSE(module);
  EXPECT_NE(module.message().find("do not fit on an emulated thread's stack"), std::string::npos);
}

TEST(Launch, RefusesWhatTheTextDoesNotFit) {
  const HostModule *module = compile(nothing);
  ASSERT_TRUE(module);
  runtime::KernelDescription kernel;
  kernel.symbol = "test";
  kernel.blockThreads = 32;
  kernel.sizes = {{"n"}};
  const auto tensor = [](const char *name, bool written) {
    return runtime::TensorArgument{
        name,    runtime::ElementType::F32,      !written,
        written, {runtime::Extent::argument(0)}, {runtime::Stride::constant(1)},
        16};
  };
  kernel.tensors = {tensor("A", false), tensor("C", true)};
  using runtime::Parameter;
  kernel.parameters = {Parameter::tensorBase(0), Parameter::tensorBase(1)};
  std::vector<float> memory(65);
  const uint64_t a = reinterpret_cast<uint64_t>(memory.data());
  runtime::LaunchArguments arguments{{{a, {1}}, {a + 128, {1}}}, {32}, {}};
  const auto messageOf = [&](const RunOptions &options = {}) {
    Result<Report> report = run(*module, kernel, arguments, options);
    return report ? "" : report.message();
  };

  EXPECT_NE(messageOf().find("3 parameters in its text, but 2"), std::string::npos);
  kernel.parameters = {Parameter::tensorBase(0), Parameter::size(0), Parameter::tensorBase(1)};
  EXPECT_NE(messageOf().find("parameter 1 of kernel test is a pointer of 8 bytes in its text"),
            std::string::npos);
  kernel.parameters = {Parameter::tensorBase(0), Parameter::tensorBase(1), Parameter::size(0)};
  EXPECT_EQ(messageOf(), "");
  // The kernel wants 16 bytes: the emulated address counts, not the caller's.
  arguments.tensors[1].address += 4;
  EXPECT_EQ(messageOf(), "");
  RunOptions shifted;
  shifted.baseOffsets = {4, 0};
  EXPECT_NE(messageOf(shifted), "");
  // C over A.
  arguments.tensors[1].address = a + 4;
  EXPECT_NE(messageOf(), "");
}

} // namespace
} // namespace tilec::emulator::test
