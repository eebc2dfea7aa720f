//===- RecordTest.cpp - The record's printers -------------------*- C++ -*-===//
//
// Keys and null rules of the JSON, and what a person reads.
//
//===----------------------------------------------------------------------===//

#include "tilec/Report/Record.h"

#include "llvm/Support/JSON.h"
#include "gtest/gtest.h"

using namespace tilec::report;

namespace {

/// The GEMM of 64x64x16 blocks on an A100, with figures as other tests derive them.
Record makeRecord() {
  Record record;
  KernelRecord &kernel = record.kernels.emplace_back();
  kernel.kernel = "gemm";
  kernel.machine = "a100-80gb-sxm";
  kernel.arch = "sm_80";
  kernel.shape = {{"m", 4096}, {"n", 4096}, {"k", 4096}};
  kernel.dataflow = "output_stationary";
  kernel.roofline = {{341.3333, 4.7796}, "compute"};
  kernel.limiter = "compute";
  kernel.limiterReason = "busy for 79 % of the time";
  kernel.headline = "Limited by compute: busy for 79 % of the time.";
  StageRecord &stage = kernel.stages.emplace_back();
  stage.from = "dram";
  stage.to = "smem";
  stage.available = 13.3902;
  stage.required = 512;
  stage.requiredReuse = 38.2369;
  stage.guaranteedReuse = 64;
  stage.amplified = 856.95;
  stage.slack = 1.6738;
  OperandRecord &a = stage.operands.emplace_back();
  a.name = "A";
  a.from = "dram";
  a.to = "smem";
  a.role = "input";
  a.access = "read";
  a.tile = {64, 16};
  a.localReuse = 16;
  a.globalReuse = 64;
  a.bytes = 4294967296;
  a.portBytes = a.bytes;
  kernel.resources.smemBytes = 8192;
  kernel.resources.threadsPerBlock = 256;
  return record;
}

llvm::json::Object parse(const Record &record) {
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(printJson(record));
  EXPECT_TRUE(static_cast<bool>(value));
  return std::move(*value->getAsObject());
}

TEST(RecordJson, KeepsItsKeys) {
  llvm::json::Object root = parse(makeRecord());
  EXPECT_EQ(root.getInteger("schema"), 1);
  EXPECT_EQ(root.getString("tilec"), "0.1.0");
  const llvm::json::Object &kernel = *(*root.getArray("kernels"))[0].getAsObject();
  for (const char *key : {"kernel", "machine", "arch", "shape", "dataflow", "roofline", "headline", "limiter",
                          "limiter_reason", "advice",
                          "stages", "raster", "latency", "banks", "coalescing", "constants", "resources",
                          "predicted", "measured", "verify", "diagnostics"})
    EXPECT_NE(kernel.get(key), nullptr) << key;
  EXPECT_EQ(kernel.getObject("shape")->getInteger("k"), 4096);
  EXPECT_EQ(kernel.getObject("roofline")->getNumber("fma_per_byte"), 341.3);
  EXPECT_EQ(kernel.getObject("roofline")->getNumber("machine_fma_per_byte"), 4.78);
  const llvm::json::Object &stage = *(*kernel.getArray("stages"))[0].getAsObject();
  for (const char *key :
       {"from", "to", "bytes_per_cycle", "required_bytes_per_cycle", "required_reuse",
        "guaranteed_reuse", "opportunistic_reuse", "amplified_bytes_per_cycle", "satisfied",
        "cycles", "via", "suggestions", "operands"})
    EXPECT_NE(stage.get(key), nullptr) << key;
  EXPECT_EQ(stage.getNumber("bytes_per_cycle"), 13.39);
  EXPECT_EQ(stage.getNumber("required_reuse"), 38.24);
  const llvm::json::Object &operand = *(*stage.getArray("operands"))[0].getAsObject();
  for (const char *key :
       {"name", "from", "to", "role", "tile", "local_reuse", "global_reuse", "multicast", "bytes",
        "port_bytes", "counted_bytes", "counted_port_bytes"})
    EXPECT_NE(operand.get(key), nullptr) << key;
  EXPECT_EQ(operand.getInteger("bytes"), 4294967296);
  for (const char *key : {"smem_bytes", "threads_per_block", "registers_estimated", "registers",
                          "spill_bytes", "blocks_per_sm", "waves"})
    EXPECT_NE(kernel.getObject("resources")->get(key), nullptr) << key;
  for (const char *key : {"cycles", "seconds", "tflops", "fraction_of_peak"})
    EXPECT_NE(kernel.getObject("predicted")->get(key), nullptr) << key;
}

TEST(RecordJson, WhatIsNotKnownIsNullOrEmpty) {
  llvm::json::Object root = parse(makeRecord());
  const llvm::json::Object &kernel = *(*root.getArray("kernels"))[0].getAsObject();
  EXPECT_TRUE(kernel.get("measured")->getAsNull());
  EXPECT_TRUE(kernel.get("verify")->getAsNull());
  EXPECT_TRUE(kernel.getObject("raster")->empty());
  EXPECT_TRUE(kernel.getObject("latency")->empty());
  EXPECT_TRUE(kernel.getArray("banks")->empty());
  EXPECT_TRUE(kernel.getObject("predicted")->get("cycles")->getAsNull());
  const llvm::json::Object &stage = *(*kernel.getArray("stages"))[0].getAsObject();
  EXPECT_TRUE(stage.get("opportunistic_reuse")->getAsNull());
  EXPECT_TRUE((*stage.getArray("operands"))[0].getAsObject()->get("counted_bytes")->getAsNull());
}

TEST(RecordJson, LargeAndStrangeNumbersStayJson) {
  Record record = makeRecord();
  record.kernels[0].stages[0].cycles = 12345678.9;
  record.kernels[0].stages[0].slack = 1.0 / 0.0;
  record.kernels[0].kernel = "bro\"ken\xff";
  llvm::json::Object root = parse(record);
  const llvm::json::Object &stage =
      *(*(*root.getArray("kernels"))[0].getAsObject()->getArray("stages"))[0].getAsObject();
  EXPECT_EQ(stage.getNumber("cycles"), 12345679);
  EXPECT_TRUE(stage.get("slack")->getAsNull());
}

TEST(RecordText, SaysTheHeadlineFirst) {
  std::string text = printText(makeRecord());
  EXPECT_NE(
      text.find("gemm on a100-80gb-sxm (sm_80), m = 4096, n = 4096, k = 4096, output_stationary\n\n"
                "Limited by compute: busy for 79 % of the time.\n"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("simple model (roofline): 341.3 FMA/B, the machine's ridge is at 4.78 FMA/B: "
                      "compute-bound"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("13.39    512        38.24x         64x"), std::string::npos) << text;
}

TEST(RecordText, ListsAdvice) {
  Record record = makeRecord();
  AdviceRecord &advice = record.kernels[0].advice.emplace_back();
  advice.suggestion = {{"block tile 32x64", "block_tile", {32, 64}}, std::nullopt, 0.76};
  advice.seconds = 0.004;
  EXPECT_NE(printText(record).find("  change              us  of the time\n  block tile 32x64  4000         0.76\n"), std::string::npos)
      << printText(record);
}

} // namespace
