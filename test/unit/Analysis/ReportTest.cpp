//===- ReportTest.cpp - From a nest to its record ---------------*- C++ -*-===//
//
// What the printed report of the worked example says.
//
//===----------------------------------------------------------------------===//

#include "Nests.h"

#include "tilec/Report/BuildRecord.h"
#include "llvm/Support/JSON.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::test;

namespace {

class ReportTest : public ::testing::Test {
protected:
  report::Record build(const std::string &example, const std::string &target) {
    Nest nest = parse(context, exampleText(example));
    MachineSpec spec = machine(target);
    auto analyses = report::analyzeKernel(nest.kernel, {-1, -1, -1, 4096, 4096, 4096}, spec);
    EXPECT_TRUE(succeeded(analyses));
    report::Record record;
    record.kernels.push_back(report::buildRecord(*analyses, spec));
    return record;
  }

  Context context;
};

TEST_F(ReportTest, Tile64AsText) {
  std::string text = report::printText(build("seed/tile64.mlir", "sm80"));
  EXPECT_NE(text.find("Limited by compute: busy for"), std::string::npos) << text;
  EXPECT_NE(text.find("dram -> smem  13.39    512        38.24x         64x"), std::string::npos)
      << text;
  EXPECT_NE(text.find("smem -> rf      128    512            4x          4x"), std::string::npos)
      << text;
  EXPECT_NE(text.find("C          rf -> dram  64x64"), std::string::npos) << text;
}

TEST_F(ReportTest, Tile64AsJson) {
  llvm::Expected<llvm::json::Value> value =
      llvm::json::parse(report::printJson(build("seed/tile64.mlir", "sm80")));
  ASSERT_TRUE(static_cast<bool>(value));
  const llvm::json::Object &kernel = *(*value->getAsObject()->getArray("kernels"))[0].getAsObject();
  EXPECT_EQ(kernel.getString("machine"), "a100-80gb-sxm");
  EXPECT_EQ(kernel.getString("dataflow"), "output_stationary");
  // Reads of A collide as the nest has it, but the compiler joins them along k.
  EXPECT_EQ(kernel.getString("limiter"), "compute");
  const llvm::json::Array &stages = *kernel.getArray("stages");
  ASSERT_EQ(stages.size(), 2u);
  const llvm::json::Object &dram = *stages[0].getAsObject();
  EXPECT_EQ(dram.getNumber("required_reuse"), 38.24);
  EXPECT_EQ(dram.getNumber("guaranteed_reuse"), 64);
  const llvm::json::Object &a = *(*dram.getArray("operands"))[0].getAsObject();
  EXPECT_EQ(a.getString("name"), "A");
  EXPECT_EQ(a.getInteger("bytes"), 4294967296);
  EXPECT_EQ(a.getNumber("local_reuse"), 16);
  EXPECT_EQ(kernel.getObject("resources")->getInteger("smem_bytes"), 8192);
  EXPECT_EQ(kernel.getObject("latency")->getBoolean("hidden"), true);
  EXPECT_EQ(kernel.getObject("raster")->getString("order"), "row");
}

// What tiles promise is too little, but what blocks share is enough: the table says so, and no warning.
TEST_F(ReportTest, Tile32IsNotLimitedByDram) {
  report::Record record = build("seed/tile32.mlir", "sm80");
  EXPECT_FALSE(record.kernels[0].stages[0].satisfied);
  EXPECT_NE(record.kernels[0].limiter, "dram");
  for (const report::DiagnosticRecord &diagnostic : record.kernels[0].diagnostics)
    EXPECT_EQ(diagnostic.message.find("dram"), std::string::npos) << diagnostic.message;
}

// A kernel that the machine refuses gets no prediction, and its verdict is the refusal.
TEST_F(ReportTest, VerbatimIsRefused) {
  report::Record record = build("seed/verbatim.mlir", "sm80");
  EXPECT_FALSE(record.kernels[0].predicted.cycles.has_value());
  EXPECT_EQ(record.kernels[0].diagnostics[0].severity, "error");
  EXPECT_NE(report::printText(record).find("The machine cannot run this kernel: stages of"),
            std::string::npos);
}

} // namespace
