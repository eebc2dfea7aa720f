//===- Harness.h - Running small kernel texts in tests --------*- C++ -*-===//
//
// Compiles a text once, runs it on tensors of small integers, and compares
// findings and counters.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_TEST_UNIT_EMULATOR_HARNESS_H
#define TILEC_TEST_UNIT_EMULATOR_HARNESS_H

#include "tilec/Emulator/Emulator.h"

#include "gtest/gtest.h"

#include <string>
#include <vector>

namespace tilec::emulator::test {

/// A tensor of f32 with the memory behind it.
struct TestTensor {
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;
  std::vector<float> data;

  /// Row-major, rows `pitch` elements apart (0: dense). Elements are the
  /// integers -3..3 in turn, what is between the rows is 1e30.
  static TestTensor matrix(int64_t rows, int64_t columns, int64_t pitch = 0);
  static TestTensor vector(int64_t size);
  float &at(int64_t row, int64_t column) { return data[row * strides[0] + column * strides[1]]; }
};

/// A kernel with f32 tensors; its parameters are the tensors' addresses, then
/// the tensor maps, the sizes, the strides of all tensors, and the scalars.
struct Kernel {
  std::string text;
  unsigned blockThreads = 32;
  /// Blocks, as a constant.
  unsigned blocks = 1;
  unsigned staticSharedBytes = 48 * 1024;
  unsigned dynamicSharedBytes = 0;
  unsigned clusterBlocks = 1;
  std::vector<runtime::TensorMapArgument> tensorMaps;
  /// "A", or "A=" for written only, "A+" for read and written; "A#+" has elements of s32;
  /// "A!" is a vector in constant memory.
  std::vector<std::string> tensors;
  std::vector<std::string> sizes;
  std::vector<std::string> scalars;
  bool passStrides = false;
  bool dependent = false;
};

/// The kernel of a text with symbol `test`; fails the test and returns nothing
/// usable where the text does not compile. Kept for the next compilations.
const HostModule *compile(const std::string &text);

/// The launch contract of a kernel with such tensors.
runtime::KernelDescription describe(const Kernel &kernel, const std::vector<TestTensor> &tensors);

/// Runs it; fails the test where the launch is refused.
Report launch(const Kernel &kernel, std::vector<TestTensor> &tensors,
              const std::vector<int64_t> &sizes = {}, const std::vector<double> &scalars = {},
              const RunOptions &options = {});

/// `text` with the one occurrence of `from` replaced; fails the test where there
/// is none or more than one.
std::string replaced(const std::string &text, const std::string &from, const std::string &to);

/// The line (from 1) of the first occurrence of `what`.
int lineOf(const std::string &text, const std::string &what);

/// The sites of the line of `what` and of `object`; fails unless there is one.
SiteCounters siteAt(const Report &report, const std::string &text, const std::string &what,
                    const std::string &object);

/// Is there a finding of this kind at this line whose message holds `words`?
testing::AssertionResult hasFinding(const Report &report, FindingKind kind, int line,
                                    const std::string &words = "");

} // namespace tilec::emulator::test

#endif // TILEC_TEST_UNIT_EMULATOR_HARNESS_H
