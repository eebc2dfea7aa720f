//===- VocabularyTest.cpp - NVRTC takes every function --------*- C++ -*-===//
//
// A call of each row of the vocabulary table is compiled, ptxas included, for
// the lowest architecture that the row names; one below it must not do, which
// is tried with one of the functions that differ from a number on.
//
//===----------------------------------------------------------------------===//

#include "tilec/Kernel/VocabularyRows.h"
#include "tilec/NVRTC/Compiler.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string_view>
#include <vector>

namespace tilec::nvrtc {
namespace {

using vocabulary::VocabularyEntry;
using vocabulary::VocabularyTable;

/// An array of as many elements as a thread has of the function's accumulators: "float[64]" for m64n128k16.
std::string accumulatorsOf(std::string_view function) {
  const size_t shape = function.find("m64n");
  const int columns = shape != std::string_view::npos ? std::atoi(function.data() + shape + 4) : 8;
  return std::string(function.find("_s32_") == std::string_view::npos ? "float" : "int") + "[" + std::to_string(columns / 2) + "]";
}

/// The type T of a function's elements: bits and extrema are combined by atomics of integers.
std::string elementOf(std::string_view function) {
  return function.substr(0, 7) == "atomic_" && function.substr(0, 10) != "atomic_add" ? "int" : "float";
}

/// "f<24, T>(...)" for a prototype whose templates have numbers and types.
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
      // 4 elements make a vector; numbers of registers are at least 24, a matrix is transposed or not.
      const bool registers = entry.function.find("maxnreg") != std::string_view::npos;
      const std::string name(item.substr(item.rfind(' ') + 1));
      const bool registersOfThread = rest.find(name + " &") != std::string_view::npos || rest.find("const " + name + " *a,") != std::string_view::npos;
      const std::string type = registersOfThread ? name : "T";
      const std::string number = registers ? "24" : item.find("Trans") != std::string_view::npos ? "1" : "4";
      call += separator + (item.find("typename") != std::string_view::npos ? type : number);
    });
    call += ">";
    rest.remove_prefix(end + 2);
  }
  const size_t open = rest.find('(');
  call += "(";
  forEachItem(rest.substr(open + 1, rest.rfind(')') - open - 1), [&](std::string_view item, const std::string &separator) {
    if (item.find(" &") != std::string_view::npos)
      call += separator + "registers" + std::string(item.substr(item.rfind(' ') + 2));
    else if (item.find("TensorMap") != std::string_view::npos)
      call += separator + "&map";
    else if (std::string_view type = item.substr(0, item.find(' ')); type == "Half" || type == "BFloat" || type == "E4M3" || type == "E5M2")
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

/// Kernels that call a function each; their functions stand before them.
std::string kernelsWith(const std::vector<const VocabularyEntry *> &entries) {
  std::string text;
  for (std::string_view type : {"TensorMap", "Half", "BFloat", "E4M3", "E5M2"})
    if (std::any_of(entries.begin(), entries.end(), [&](auto *entry) {
          return entry->prototype.find(std::string(type) + " ") != std::string_view::npos;
        }))
      text += deviceTextOf(type);
  for (const VocabularyEntry *entry : entries) {
    const bool needsMap = entry->prototype.find("TensorMap *") != std::string_view::npos;
    const std::string name = "test_" + std::string(entry->function);
    text += std::string(entry->device) + "extern \"C\" __global__ void __launch_bounds__(128, 1) " + name + "(char *memory, int number" +
            (needsMap ? ", const __grid_constant__ TensorMap map" : "") + ") {\n  using T = " + elementOf(entry->function) + ";\n  using D = " + accumulatorsOf(entry->function) +
            ";\n  using A = float[4];\n  using B = float[2];\n  using C = float[4];\n  D registersd = {}; A registersa = {}; B registersb = {}; C registersc = {};\n  " + callOf(*entry) + "\n}\n";
  }
  return text;
}

/// Functions that need the same, and have the same name up to their numbers, by that.
std::map<std::string, std::vector<const VocabularyEntry *>> listFamilies() {
  std::map<std::string, std::vector<const VocabularyEntry *>> families;
  for (const VocabularyEntry &entry : VocabularyTable)
    if (entry.prototype.find('(') != std::string_view::npos) // Others are macros and types: kernels show them.
      families[std::string(entry.function.substr(0, entry.function.find_first_of("0123456789"))) + " " + std::to_string(entry.lowestArch) +
               (entry.archSpecific ? "a" : "")]
          .push_back(&entry);
  return families;
}

TEST(NVRTCVocabulary, EveryFunctionHasItsArchitecture) {
  runtime::CudaSearch search = runtime::cudaSearchOfProcess("");
  runtime::Result<Compiler> compiler = Compiler::open(search);
  if (!compiler)
    GTEST_SKIP() << compiler.message();
  const std::vector<int> &archs = compiler->supportedArchs();
  unsigned families = 0;
  for (const auto &[family, entries] : listFamilies()) {
    ++families;
    const VocabularyEntry &entry = *entries.front();
    const std::string arch = "sm_" + std::to_string(entry.lowestArch);
    CompileOutput output = compiler->compile(kernelsWith(entries), "test.cu", arch + (entry.archSpecific ? "a" : ""), {});
    EXPECT_TRUE(output.ok) << family << "\n" << output.log;
    EXPECT_TRUE(!output.ok || output.kernels.size() == entries.size()) << family;
    const std::string text = kernelsWith({&entry});
    if (entry.archSpecific) {
      EXPECT_FALSE(compiler->compile(text, "test.cu", arch, {}).ok) << text;
    }
    const auto lowest = std::lower_bound(archs.begin(), archs.end(), int(entry.lowestArch));
    if (lowest != archs.begin()) {
      EXPECT_FALSE(compiler->compile(text, "test.cu", "sm_" + std::to_string(*(lowest - 1)), {}).ok) << text;
    }
  }
  EXPECT_GT(families, 20u);
}

} // namespace
} // namespace tilec::nvrtc
