//===- GenerateVocabulary.cpp - The emulator's side of the tables -*- C++ -*-===//
//
// Writes, while tilec is built, what the emulator has of each row of the vocabulary
// and of the run-time's functions: GenerateVocabulary FOLDER.
//
//===----------------------------------------------------------------------===//

#include "tilec/Kernel/VocabularyRows.h"

#include <cstdio>
#include <fstream>
#include <string>
#include <string_view>

using namespace tilec::vocabulary;

namespace {

struct RuntimeFunction {
  std::string_view name, part, result, parameters;
};

#define GET_RuntimeFunctions_IMPL
#include "tilec/Emulator/RuntimeFunctionTable.inc"

bool isFunction(const VocabularyEntry &entry) { return entry.prototype.find('(') != std::string_view::npos; }

/// The definition: the prototype, the call's line as one more argument where it is asked for, and the body.
std::string define(const VocabularyEntry &entry) {
  std::string text(entry.prototype);
  if (entry.host.find("site") != std::string_view::npos) {
    const size_t end = text.rfind(')');
    text.insert(end, std::string(text[end - 1] == '(' ? "" : ", ") + "int site = __builtin_LINE()");
  }
  const size_t list = text.rfind("template <", 0) == 0 ? text.find('>') + 2 : 0;
  if (entry.perWarp)
    return text + " const {" + std::string(entry.host) + "}\n";
  // Constant: though it calls, within one thread the answer never changes.
  text.insert(list, entry.constant ? "__attribute__((const, noinline)) static " : "inline ");
  return text + " {\n  using namespace tilec_emulator;" + std::string(entry.host) + "}\n";
}

/// Does the function order threads by more than barriers of whole blocks?
bool needsClocks(const VocabularyEntry &entry) {
  return entry.order != OrderNone && entry.order != OrderThread && entry.order != OrderBlock;
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  const std::string folder = argv[1];
  std::ofstream types(folder + "/Types.inc"), warp(folder + "/WarpFunctions.inc"), names(folder + "/WarpNames.inc"),
      threads(folder + "/ThreadFunctions.inc"), clocks(folder + "/ClockFunctions.inc"),
      functions(folder + "/RuntimeFunctions.inc"), forwards(folder + "/RuntimeForwards.inc");
  for (const VocabularyEntry &entry : VocabularyTable) {
    if (!isFunction(entry))
      types << entry.host.substr(entry.host.front() == '\n');
    else
      (entry.perWarp ? warp : threads) << define(entry);
    if (entry.perWarp)
      names << "#define " << entry.function << " tilecLoop." << entry.function << "\n";
    if (needsClocks(entry)) {
      const bool hasNumbers = entry.prototype.rfind("template <int", 0) == 0;
      clocks << "\"" << entry.function << (hasNumbers ? "<" : "(") << "\",\n";
    }
  }
  for (const RuntimeFunction &row : RuntimeFunctions) {
    functions << row.result << " (*" << row.name << ")(" << row.parameters << ");\n";
    forwards << "table." << row.name << " = Forward<&Block::" << row.part << ", &decltype(Block::" << row.part << ")::" << row.name << ">::call;\n";
  }
  for (std::ofstream *file : {&types, &warp, &names, &threads, &clocks, &functions, &forwards}) {
    file->close();
    if (file->fail()) {
      std::fprintf(stderr, "cannot write to %s\n", folder.c_str());
      return 1;
    }
  }
  return 0;
}
