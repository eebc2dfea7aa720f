//===- NamesTest.cpp - What kernels and values are called -------*- C++ -*-===//

#include "tilec/CUDA/PrintCUDA.h"
#include "gtest/gtest.h"

using namespace tilec;

namespace {

std::string spell(const std::string &name) {
  llvm::StringSet<> taken;
  return toSymbol(name, taken);
}

TEST(Names, KeepWhatIsAnIdentifier) {
  for (const char *name : {"gemm", "A", "k0", "a_b", "x_", "gemm_f32", "absolute", "timer2", "normal", "exp_tile"})
    EXPECT_EQ(spell(name), name);
}

TEST(Names, SpellOtherCharactersAsUnderscores) {
  EXPECT_EQ(spell("a.b"), "a_b");
  EXPECT_EQ(spell("a b-c$d"), "a_b_c_d");
  EXPECT_EQ(spell("a__b"), "a_b");
  EXPECT_EQ(spell("a-_-b"), "a_b");
  EXPECT_EQ(spell("\u00fcn"), "v_n");
}

TEST(Names, LoseNoCharacterAtTheStart) {
  for (const char *name : {"_1", "$1", ".1", "-1", "1"})
    EXPECT_EQ(spell(name), "v_1") << name;
  EXPECT_EQ(spell(""), "v");
  EXPECT_EQ(spell("_"), "v_");
  EXPECT_EQ(spell("_A"), "v_A");
}

TEST(Names, LeaveWordsToOthers) {
  for (std::string name : {"int", "co_await", "abs", "norm", "round", "rsqrt", "printf", "malloc", "size_t", "std", "memcpy", "strlen", "main", "sqrtf", "sqrtl",
                           "expf32x", "cudaMalloc", "cuInit", "float4", "atomicAdd", "EOF", "M_PI", "tilec", "ldg", "SHARED", "block_x", "make_int2"})
    EXPECT_EQ(spell(name), "v_" + name);
}

TEST(Names, AreCutAndNumbered) {
  llvm::StringSet<> taken;
  EXPECT_EQ(toSymbol(std::string(70, 'x'), taken), std::string(64, 'x'));
  EXPECT_EQ(toSymbol(std::string(65, 'x'), taken), std::string(64, 'x') + "_1");
  EXPECT_EQ(toSymbol("a.b", taken), "a_b");
  EXPECT_EQ(toSymbol("a_b_1", taken), "a_b_1");
  EXPECT_EQ(toSymbol("a-b", taken), "a_b_2");
  EXPECT_EQ(toSymbol("_", taken), "v_");
  EXPECT_EQ(toSymbol("-", taken), "v_1");
}

} // namespace
