//===- RunTestHelp.h - Compiling examples and running them -------*- C++ -*-===//
//
// What the tests of the driver's runs share.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_TEST_UNIT_DRIVER_RUNTESTHELP_H
#define TILEC_TEST_UNIT_DRIVER_RUNTESTHELP_H

#include "tilec/Driver/Run.h"
#include "llvm/ADT/StringExtras.h"
#include "gtest/gtest.h"

#include <fstream>
#include <sstream>

namespace tilec {

inline std::string readExample(const std::string &name) {
  std::ifstream file(std::string(TILEC_EXAMPLES) + "/" + name + ".mlir");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// The kernels of a text, without cubins, analysed at the sizes of `shape` for `target`, or else the usual one.
inline CompileResult compileText(const std::string &text, const std::string &name,
                                 const std::map<std::string, int64_t> &shape = {}, const std::string &target = {}) {
  CompileOptions options;
  if (!target.empty())
    options.target = target;
  options.cubin = false;
  options.shape = shape;
  options.onDiagnostic = [](const Diagnostic &diagnostic) {
    EXPECT_NE(diagnostic.severity, Severity::Error) << diagnostic.file << ":" << diagnostic.line << ": " << diagnostic.message;
  };
  CompileResult result = compile(text, name + ".mlir", options);
  EXPECT_EQ(result.status, Status::Done) << name;
  return result;
}

inline CompileResult compileExample(const std::string &name, const std::map<std::string, int64_t> &shape = {}) {
  return compileText(readExample(name), name, shape);
}

/// In the emulator, at m x n x k.
inline RunOptions onCPU(int64_t m, int64_t n, int64_t k) {
  RunOptions options;
  options.place = RunPlace::CPU;
  options.shape = {{"m", m}, {"n", n}, {"k", k}};
  return options;
}

inline std::string getText(const RunResult &result) { return llvm::join(result.lines, "\n"); }

inline bool contains(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }

} // namespace tilec

#endif // TILEC_TEST_UNIT_DRIVER_RUNTESTHELP_H
