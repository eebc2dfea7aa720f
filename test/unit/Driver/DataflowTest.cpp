//===- DataflowTest.cpp - Output traffic of other dataflows -----*- C++ -*-===//
//
// Where partial results leave a block, output traffic cannot be left out: what the
// report predicts is what the emulator counts.
//
//===----------------------------------------------------------------------===//

#include "RunTestHelp.h"

#include "llvm/Support/JSON.h"

using namespace tilec;

namespace {

/// Predicted bytes of `operand` between DRAM and blocks.
int64_t predict(const CompiledKernel &kernel, llvm::StringRef operand) {
  llvm::Expected<llvm::json::Value> report = llvm::json::parse(kernel.reportJson);
  EXPECT_TRUE(bool(report)) << llvm::toString(report.takeError());
  int64_t bytes = 0;
  for (const llvm::json::Value &stage : *report->getAsObject()->getArray("stages"))
    for (const llvm::json::Value &entry : *stage.getAsObject()->getArray("operands")) {
      const llvm::json::Object &found = *entry.getAsObject();
      if (found.getString("name") == operand && (found.getString("from") == "dram" || found.getString("to") == "dram"))
        bytes += *found.getInteger("bytes");
    }
  return bytes;
}

void expectCounted(const std::string &example, int64_t a, int64_t b, int64_t c) {
  std::map<std::string, int64_t> shape = {{"M", 130}, {"N", 70}, {"K", 530}};
  CompileResult compiled = compileExample(example, shape);
  ASSERT_EQ(compiled.kernels.size(), 1u);
  EXPECT_EQ(predict(compiled.kernels[0], "A"), a);
  EXPECT_EQ(predict(compiled.kernels[0], "B"), b);
  EXPECT_EQ(predict(compiled.kernels[0], "C"), c);
  RunOptions options;
  options.place = RunPlace::CPU;
  options.shape = shape;
  options.verify = false;
  RunResult result = run(compiled, 0, options);
  ASSERT_EQ(result.status, Status::Done) << getText(result);
  std::map<std::string, uint64_t> read, written;
  for (const CountedTraffic &traffic : result.counted)
    if (traffic.global)
      (traffic.access == CountedTraffic::Access::Read ? read : written)[traffic.object] += traffic.bytes;
  EXPECT_EQ(read["A"], uint64_t(a));
  EXPECT_EQ(read["B"], uint64_t(b));
  EXPECT_EQ(written["C"], uint64_t(c));
}

} // namespace

// m = 130, n = 70, k = 530 in tiles of 64x64x16: 3 rows and 2 columns of blocks, 34 pieces of k. Each block keeps a piece of B;
// A passes once for each column, C is added to for each piece of k.
TEST(Dataflow, WeightStationary) {
  expectCounted("weight_stationary", 4 * 130 * 530 * 2, 4 * 530 * 70, 4 * 130 * 70 * 34);
}

// k in parts of 256 are 3: C is added to three times; A is read for 2 columns, B for 3 rows.
TEST(Dataflow, SplitReduction) { expectCounted("split_k", 4 * 130 * 530 * 2, 4 * 530 * 70 * 3, 4 * 130 * 70 * 3); }

// Output-stationary: C leaves once.
TEST(Dataflow, OutputStationary) { expectCounted("seed/tile64", 4 * 130 * 530 * 2, 4 * 530 * 70 * 3, 4 * 130 * 70); }
