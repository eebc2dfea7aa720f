//===- BulkStoreTest.cpp - Boxes that the hardware stores -----*- C++ -*-===//
//
// One small kernel for each rule of copies from shared memory by tensor maps.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

namespace tilec::emulator::test {
namespace {

/// 64 threads; C is 6 x 12, with a map of boxes of 4 rows of 8 elements. The body starts at line 3.
Kernel storeKernel(const std::string &body) {
  Kernel kernel;
  kernel.text = "extern \"C\" __global__ void test(float *C, const __grid_constant__ TensorMap map) {\n"
                "  SHARED_AT(float, s, 256, 0); const int t = thread_x();\n" +
                body + "}\n";
  kernel.blockThreads = 64;
  kernel.dynamicSharedBytes = 1024;
  kernel.tensors = {"C="};
  kernel.tensorMaps = {{0, {1, 0}, {8, 4}, runtime::Swizzle::None}};
  return kernel;
}

const std::string fill = "  if (t < 32) sts(&s[t], (float)t);\n  fence_proxy_async(); sync_block();\n";
const std::string store = "  if (t == 0) {\n    tma_store_2d(&map, X, Y, &s[0]);\n    bulk_commit();\n    bulk_wait<0>();\n  }\n";

Report run(const Kernel &kernel, TestTensor *result = nullptr) {
  std::vector<TestTensor> tensors = {TestTensor::matrix(6, 12)};
  Report report = launch(kernel, tensors);
  if (result)
    *result = tensors[0];
  return report;
}

std::string at(const std::string &text, const std::string &x, const std::string &y) { return replaced(replaced(text, "X", x), "Y", y); }

testing::AssertionResult breaks(const std::string &body, FindingKind kind, const std::string &what, const std::string &words) {
  const Kernel kernel = storeKernel(body);
  return hasFinding(run(kernel), kind, lineOf(kernel.text, what), words);
}

TEST(BulkStore, WritesWhatIsInside) {
  TestTensor before = TestTensor::matrix(6, 12);
  for (const auto &[x, y] : {std::pair(0, 0), {4, 1}, {8, 4}, {-4, -2}}) {
    const Kernel kernel = storeKernel(fill + at(store, std::to_string(x), std::to_string(y)));
    TestTensor after;
    Report report = run(kernel, &after);
    EXPECT_TRUE(report.ok()) << report.describeFindings("k");
    uint64_t present = 0;
    for (int row = 0; row < 6; ++row)
      for (int column = 0; column < 12; ++column) {
        const int r = row - y, c = column - x;
        const bool inside = r >= 0 && r < 4 && c >= 0 && c < 8;
        present += inside;
        EXPECT_EQ(after.at(row, column), inside ? float(8 * r + c) : before.at(row, column)) << row << " " << column;
      }
    EXPECT_EQ(siteAt(report, kernel.text, "tma_store", "C").bytes, 4 * present);
    EXPECT_EQ(siteAt(report, kernel.text, "tma_store", "s").bytes, 128u);
  }
}

TEST(BulkStore, KnowsSwizzles) {
  // Rows of 32 bytes: 16-byte halves of rows 4 to 7 of 8 change places.
  Kernel kernel = storeKernel("  if (t < 64) sts(&s[t ^ (t >> 5 & 1) << 2], (float)t);\n  fence_proxy_async(); sync_block();\n" + at(store, "0", "0"));
  kernel.tensorMaps = {{0, {1, 0}, {8, 6}, runtime::Swizzle::Bytes32}};
  TestTensor after;
  Report report = run(kernel, &after);
  EXPECT_TRUE(report.ok()) << report.describeFindings("k");
  for (int i = 0; i < 48; ++i)
    EXPECT_EQ(after.at(i / 8, i % 8), i);
}

TEST(BulkStore, FenceOfPlainWrites) {
  EXPECT_TRUE(breaks(replaced(fill, "fence_proxy_async();", "") + at(store, "0", "0"), FindingKind::MissingFence, "tma_store",
                     "thread 0 of block 0 stores a box from s[0] of 256 elements, which thread 0 wrote with no fence_proxy_async in between"));
  EXPECT_TRUE(breaks(replaced(fill, "sync_block();", "") + at(store, "0", "0"), FindingKind::SharedRace, "t < 32",
                     "thread 1 of block 0 writes s[1] of 256 elements, which a bulk store read"));
  EXPECT_TRUE(breaks(replaced(fill, "t < 32", "t < 31") + at(store, "0", "0"), FindingKind::UninitialisedShared, "tma_store", "s[31] of 256"));
}

TEST(BulkStore, IsReadBeforeItsSourceChanges) {
  const std::string body = fill + at(store, "0", "0");
  const std::string overwrites = "    sts(&s[3], 7.0f);\n";
  EXPECT_TRUE(breaks(replaced(body, "    bulk_wait<0>();\n", overwrites + "    bulk_wait<0>();\n"), FindingKind::SharedRace, "7.0f",
                     "writes s[3] of 256 elements, which a bulk store read with nothing that orders the two"));
  TestTensor after;
  Report report = run(storeKernel(replaced(body, "    bulk_wait<0>();\n", "    bulk_wait_read<0>();\n" + overwrites)), &after);
  EXPECT_TRUE(report.ok()) << report.describeFindings("k");
  EXPECT_EQ(after.at(0, 3), 3.0f);
  // Who has not heard of the wait may not write either.
  EXPECT_TRUE(breaks(body + "  if (t == 40) sts(&s[3], 7.0f);\n", FindingKind::SharedRace, "t == 40", "thread 40"));
  EXPECT_TRUE(run(storeKernel(body + "  sync_block();\n  if (t == 40) sts(&s[3], 7.0f);\n")).ok());
}

TEST(BulkStore, LandsInItsWait) {
  const std::string body = fill + at(store, "0", "0");
  const std::string reads = "    stg(&C[71], ldg(&C[3]));\n";
  Kernel kernel = storeKernel(replaced(body, "    bulk_wait<0>();\n", "    bulk_wait<0>();\n" + reads));
  kernel.tensors = {"C+"};
  TestTensor after;
  EXPECT_TRUE(run(kernel, &after).ok());
  EXPECT_EQ(after.data[71], 3.0f);
  kernel.text = storeKernel(replaced(body, "    bulk_wait<0>();\n", "    bulk_wait_read<0>();\n" + reads)).text;
  run(kernel, &after);
  EXPECT_NE(after.data[71], 3.0f);
}

TEST(BulkStore, IsWaitedFor) {
  const std::string body = fill + at(store, "0", "0");
  for (const char *missing : {"    bulk_wait<0>();\n", "    bulk_commit();\n"})
    EXPECT_TRUE(breaks(replaced(body, missing, ""), FindingKind::MissingWait, "tma_store", "thread 0 of block 0 ends with no bulk_wait_read for this store"));
  EXPECT_TRUE(breaks(replaced(body, "bulk_wait<0>", "bulk_wait<1>"), FindingKind::MissingWait, "tma_store", "ends with no bulk_wait_read"));
}

TEST(BulkStore, Places) {
  const std::string body = fill + at(store, "0", "0");
  EXPECT_TRUE(breaks(replaced(body, "&s[0]", "&s[4]"), FindingKind::Misaligned, "tma_store", "stores a box from s[4] of 256 elements, which is 16 bytes past"));
  EXPECT_TRUE(breaks(replaced(body, "&s[0]", "&s[256 - 8]"), FindingKind::OutOfBounds, "tma_store", "s[248] of 256 elements"));
  Kernel kernel = storeKernel(body);
  kernel.text = replaced(kernel.text, "test(float *C", "test(const float *C");
  kernel.tensors = {"C"};
  EXPECT_TRUE(hasFinding(run(kernel), FindingKind::OperandRole, lineOf(kernel.text, "tma_store"), "which the launch declares as only read"));
}

} // namespace
} // namespace tilec::emulator::test
