//===- VocabularyTest.cpp - The emulator knows every function -*- C++ -*-===//
//
// For every row of the vocabulary table, the host compiler is asked for a
// function of that name with the row's prototype.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"
#include "tilec/Kernel/VocabularyRows.h"

#include <string_view>

namespace tilec::emulator::test {
namespace {

using vocabulary::VocabularyEntry;
using vocabulary::VocabularyTable;

/// "T *dest, const T *source" with only the names, or for "typename T, int N"
/// with an example of each.
std::string mapList(std::string_view list, bool examples) {
  std::string result;
  while (!list.empty()) {
    const size_t end = list.find(',');
    const std::string_view item = list.substr(0, end);
    list.remove_prefix(end == std::string_view::npos ? list.size() : end + 1);
    result += result.empty() ? "" : ", ";
    if (examples)
      result += item.find("typename") != std::string_view::npos ? "float" : "4";
    else
      result += item.substr(item.find_last_of(" *&") + 1);
  }
  return result;
}

/// A namespace that compiles only if `function` has the prototype.
std::string checkFunction(const std::string &function, std::string_view prototype) {
  if (prototype == "struct " + function)
    return "static_assert(sizeof(" + function + ") != 0, \"\");\n";
  std::string_view templateList;
  if (prototype.substr(0, 10) == "template <") {
    const size_t end = prototype.find('>');
    templateList = prototype.substr(10, end - 10);
    prototype.remove_prefix(end + 2);
  }
  const size_t nameStart = prototype.find(" " + function + "(") + 1;
  EXPECT_NE(nameStart, 0u) << function << " is not in its prototype";
  const std::string result(prototype.substr(0, nameStart));
  const size_t listStart = nameStart + function.size() + 1;
  const std::string parameters(prototype.substr(listStart, prototype.rfind(')') - listStart));

  std::string name = "::" + function;
  std::string check = "namespace check_" + function + " {\n";
  if (!templateList.empty()) {
    check += "template <" + std::string(templateList) + "> ";
    name += "<" + mapList(templateList, false) + ">";
  }
  check += "void call(" + parameters + ") {\n  static_assert(Same<" + result + ", decltype(" +
           name + "(" + mapList(parameters, false) + "))>::value, \"result of " + function +
           "\");\n}\n";
  check += "auto *const instance = &call";
  if (!templateList.empty())
    check += "<" + mapList(templateList, true) + ">";
  return check + ";\n}\n";
}

/// The macros that a row without a prototype defines.
std::string checkMacros(std::string_view device) {
  std::string check;
  const std::string_view define = "#define ";
  for (size_t at = device.find(define); at != std::string_view::npos;
       at = device.find(define, at + 1)) {
    const size_t start = at + define.size();
    const std::string name(device.substr(start, device.find('(', start) - start));
    check += "#ifndef " + name + "\n#error the emulator has no " + name + "\n#endif\n";
  }
  EXPECT_NE(check, "") << "a row with neither a prototype nor a macro";
  return check;
}

const char *const start =
    "template <typename A, typename B> struct Same { static constexpr bool value = false; };\n"
    "template <typename A> struct Same<A, A> { static constexpr bool value = true; };\n"
    "extern \"C\" __global__ void test() {}\n";

runtime::Result<HostModule> compileChecks(const std::string &checks) {
  runtime::Result<std::string> compiler = findHostCompiler();
  if (!compiler)
    return compiler.error();
  return compileForHost(start + checks, "test", *compiler);
}

TEST(Vocabulary, HasEveryFunction) {
  std::string checks;
  unsigned rows = 0;
  for (const VocabularyEntry &entry : VocabularyTable) {
    checks += entry.prototype.empty() ? checkMacros(entry.device)
                                      : checkFunction(std::string(entry.function), entry.prototype);
    ++rows;
  }
  // Loads, stores, copies and barriers alone are more.
  EXPECT_GT(rows, 10u);
  runtime::Result<HostModule> module = compileChecks(checks);
  EXPECT_TRUE(module) << module.message() << "\n" << checks;
}

TEST(Vocabulary, MissesWhatIsNotThere) {
  EXPECT_TRUE(compileChecks(checkFunction("lds", "template <typename T> T lds(const T *source)")));
  // No such function; too many arguments; another result; no such macro.
  EXPECT_FALSE(compileChecks(checkFunction("teleport", "void teleport()")));
  EXPECT_FALSE(compileChecks(
      checkFunction("lds", "template <typename T> T lds(const T *source, int a, int b)")));
  EXPECT_FALSE(
      compileChecks(checkFunction("lds", "template <typename T> void lds(const T *source)")));
  EXPECT_FALSE(compileChecks(checkMacros("\n#define SHARED_BY_ALL(T) T\n")));
}

} // namespace
} // namespace tilec::emulator::test
