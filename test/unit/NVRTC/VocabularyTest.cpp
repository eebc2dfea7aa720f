//===- VocabularyTest.cpp - NVRTC takes every function --------*- C++ -*-===//
//
// A call of each row of the vocabulary table is compiled, ptxas included, for
// the lowest architecture that the row names; one below it must not do.
//
//===----------------------------------------------------------------------===//

#include "tilec/Kernel/VocabularyRows.h"
#include "tilec/NVRTC/Compiler.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace tilec::nvrtc {
namespace {

using vocabulary::VocabularyEntry;
using vocabulary::VocabularyTable;

/// "f<24, float>(...)" for a prototype whose templates have numbers and types.
std::string callOf(const VocabularyEntry &entry) {
  std::string_view rest = entry.prototype;
  std::string call(entry.function);
  const auto forEachItem = [](std::string_view list, auto visit) {
    for (std::string separator; !list.empty(); separator = ", ") {
      const size_t end = std::min(list.find(", "), list.size());
      visit(list.substr(0, end), separator);
      list.remove_prefix(std::min(end + 2, list.size()));
    }
  };
  if (rest.substr(0, 10) == "template <") {
    const size_t end = rest.find('>');
    call += "<";
    forEachItem(rest.substr(10, end - 10), [&](std::string_view item, const std::string &separator) {
      // 4 elements make a vector; numbers of registers are at least 24.
      const bool registers = entry.function.find("maxnreg") != std::string_view::npos;
      call += separator + (item.find("typename") != std::string_view::npos ? "float" : registers ? "24" : "4");
    });
    call += ">";
    rest.remove_prefix(end + 2);
  }
  const size_t open = rest.find('(');
  call += "(";
  forEachItem(rest.substr(open + 1, rest.rfind(')') - open - 1), [&](std::string_view item, const std::string &separator) {
    if (item.find("TensorMap") != std::string_view::npos)
      call += separator + "&map";
    else if (std::string_view type = item.substr(0, item.find(' ')); type == "Half" || type == "BFloat")
      call += separator + "*(" + std::string(type) + " *)memory";
    else if (const size_t star = item.find('*'); star != std::string_view::npos)
      call += separator + "(" + std::string(item.substr(0, star + 1)) + ")memory";
    else
      call += separator + "(" + std::string(item.substr(0, item.rfind(' '))) + ")number";
  });
  call += ")";
  if (rest.substr(0, 5) == "void ")
    return call + ";";
  return "*(decltype(" + call + ") *)memory = " + call + ";";
}

std::string_view deviceTextOf(std::string_view function) {
  for (const VocabularyEntry &entry : VocabularyTable)
    if (entry.function == function)
      return entry.device;
  ADD_FAILURE() << "no row " << function;
  return "";
}

std::string kernelWith(const VocabularyEntry &entry) {
  const bool needsMap = entry.prototype.find("TensorMap *") != std::string_view::npos;
  std::string types;
  for (std::string_view type : {"TensorMap *", "Half ", "BFloat "})
    if (entry.prototype.find(type) != std::string_view::npos)
      types += deviceTextOf(type.substr(0, type.find(' ')));
  return types + std::string(entry.device) +
         "using T = float;\nextern \"C\" __global__ void __launch_bounds__(128, 1) test(char *memory, int number" +
         (needsMap ? ", const __grid_constant__ TensorMap map" : "") + ") {\n  " + callOf(entry) + "\n}\n";
}

TEST(NVRTCVocabulary, EveryFunctionHasItsArchitecture) {
  runtime::CudaSearch search = runtime::cudaSearchOfProcess("");
  runtime::Result<Compiler> compiler = Compiler::open(search);
  if (!compiler)
    GTEST_SKIP() << compiler.message();
  const std::vector<int> &archs = compiler->supportedArchs();
  unsigned calls = 0;
  for (const VocabularyEntry &entry : VocabularyTable) {
    if (entry.prototype.find('(') == std::string_view::npos)
      continue; // A macro or a type: kernels show them.
    const std::string text = kernelWith(entry);
    const std::string arch = "sm_" + std::to_string(entry.lowestArch);
    CompileOutput output = compiler->compile(text, "test.cu", arch + (entry.archSpecific ? "a" : ""), {});
    EXPECT_TRUE(output.ok) << text << output.log;
    ++calls;
    if (entry.archSpecific) {
      EXPECT_FALSE(compiler->compile(text, "test.cu", arch, {}).ok) << text;
    }
    const auto lowest = std::lower_bound(archs.begin(), archs.end(), int(entry.lowestArch));
    if (lowest != archs.begin()) {
      EXPECT_FALSE(compiler->compile(text, "test.cu", "sm_" + std::to_string(*(lowest - 1)), {}).ok) << text;
    }
  }
  EXPECT_GT(calls, 20u);
}

} // namespace
} // namespace tilec::nvrtc
