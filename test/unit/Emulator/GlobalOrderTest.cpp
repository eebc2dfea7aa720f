//===- GlobalOrderTest.cpp - What blocks may tell each other --*- C++ -*-===//
//
// Blocks leave partial sums in a workspace; the last one to come adds them up.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

namespace tilec::emulator::test {
namespace {

const char *const text = R"cuda(
extern "C" __global__ void test(const float *A, float *W, int *n, float *C) {
  SHARED(int, last, 1);
  const int t = thread_x(), b = block_x();
  stg(&W[b * 32 + t], 2.0f * ldg(&A[b * 32 + t]));
  sync_block();
  if (t == 0) sts(&last[0], atomic_fetch_add(&n[0], 1));
  sync_block();
  if (lds(&last[0]) == block_count() - 1) {
    float sum = 0;
    for (int i = 0; i < block_count(); ++i) sum += ldg(&W[i * 32 + t]);
    stg(&C[t], sum);
    if (t == 0) stg(&n[0], 0);
  }
}
)cuda";

Report run(const std::string &kernelText, std::vector<TestTensor> &tensors, unsigned threads = 1) {
  Kernel kernel;
  kernel.text = kernelText;
  kernel.blocks = 6;
  kernel.tensors = {"A", "W=", "n#+", "C="};
  RunOptions options;
  options.threads = threads;
  return launch(kernel, tensors, {}, {}, options);
}

std::vector<TestTensor> makeTensors() {
  std::vector<TestTensor> tensors = {TestTensor::vector(192), TestTensor::vector(192), TestTensor::vector(1),
                                     TestTensor::vector(32)};
  tensors[2].data[0] = 0;
  return tensors;
}

TEST(GlobalOrder, TheLastBlockSeesWhatAllWrote) {
  for (unsigned threads : {1u, 3u}) {
    std::vector<TestTensor> tensors = makeTensors();
    Report report = run(text, tensors, threads);
    EXPECT_TRUE(report.ok()) << report.describeFindings("k");
    for (int t = 0; t < 32; ++t) {
      float sum = 0;
      for (int i = 0; i < 6; ++i)
        sum += 2 * tensors[0].data[i * 32 + t];
      EXPECT_EQ(tensors[3].data[t], sum);
    }
    // The counter is as it was: 0.
    EXPECT_EQ(tensors[2].data[0], 0.0f);
  }
}

TEST(GlobalOrder, NoBarrierBeforeTheCount) {
  std::vector<TestTensor> tensors = makeTensors();
  Report report = run(replaced(text, "  sync_block();\n  if (t == 0) sts", "  if (t == 0) sts"), tensors);
  EXPECT_TRUE(hasFinding(report, FindingKind::GlobalRace, lineOf(text, "sum += ldg") - 1, "reads W["));
}

TEST(GlobalOrder, NoBarrierAfterTheCount) {
  // Thread 0 has learned it; the others take a number of their own.
  std::vector<TestTensor> tensors = makeTensors();
  Report report = run(replaced(text, "lds(&last[0]) == block_count() - 1", "b == 5"), tensors);
  EXPECT_TRUE(report.ok()) << report.describeFindings("k");
  std::string changed = replaced(text, "lds(&last[0]) == block_count() - 1", "b == 5");
  changed = replaced(changed, "1));\n  sync_block();", "1));");
  report = run(changed, tensors);
  EXPECT_TRUE(hasFinding(report, FindingKind::GlobalRace, lineOf(changed, "sum += ldg"), "reads W["));
}

TEST(GlobalOrder, PlainCountsOrderNothing) {
  std::vector<TestTensor> tensors = makeTensors();
  const std::string changed =
      replaced(text, "sts(&last[0], atomic_fetch_add(&n[0], 1))", "{ atomic_add(&n[0], 1); sts(&last[0], b); }");
  Report report = run(changed, tensors);
  EXPECT_TRUE(hasFinding(report, FindingKind::GlobalRace, lineOf(changed, "sum += ldg"), "reads W["));
}

TEST(GlobalOrder, AFenceMakesAnAdditionTell) {
  // All but the last block add after a fence; only whoever takes the old value learns.
  const std::string fenced = replaced(
      replaced(text, "    if (t == 0) stg(&n[0], 0);\n", ""), "sts(&last[0], atomic_fetch_add(&n[0], 1))",
      "{ fence_gpu(); if (b < 5) { atomic_add(&n[0], 1); sts(&last[0], 0); } else sts(&last[0], atomic_fetch_add(&n[0], 1)); }");
  std::vector<TestTensor> tensors = makeTensors();
  Report report = run(fenced, tensors);
  EXPECT_TRUE(report.ok()) << report.describeFindings("k");
  tensors = makeTensors();
  report = run(replaced(fenced, "fence_gpu();", ""), tensors);
  EXPECT_TRUE(hasFinding(report, FindingKind::GlobalRace, lineOf(fenced, "sum += ldg"), "reads W["));
}

TEST(GlobalOrder, DependentKernelsWaitFirst) {
  // Thread 3 reads before it waits; of a launch that begins after the one ahead nobody has to.
  Kernel kernel;
  kernel.text = "extern \"C\" __global__ void test(const float *A, float *C) {\n"
                "  const int t = thread_x(); float x = 0;\n"
                "  if (t == 3) x = ldg(&A[t]);\n"
                "  wait_grid();\n"
                "  stg(&C[t], x + ldg(&A[t]));\n}\n";
  kernel.tensors = {"A", "C="};
  for (bool dependent : {false, true}) {
    kernel.dependent = dependent;
    std::vector<TestTensor> tensors = {TestTensor::vector(32), TestTensor::vector(32)};
    Report report = launch(kernel, tensors);
    EXPECT_EQ(report.ok(), !dependent) << report.describeFindings("k");
    EXPECT_EQ(hasFinding(report, FindingKind::MissingWait, 3, "thread 3 of block 0 touches A before it waits for the kernel ahead in the stream"), dependent);
  }
}

TEST(GlobalOrder, SeveralReadersOfOneBlock) {
  // Threads whose clocks have run differently read; then one of them writes.
  Kernel kernel;
  kernel.text = "extern \"C\" __global__ void test(float *C) {\n"
                "  SHARED(long long, bar, 1); const int t = thread_x(); float x = 0;\n"
                "  if (t == 0) mbarrier_init(&bar[0], 1);\n"
                "  if (t == 1) for (int i = 0; i < 9; ++i) fence_gpu();\n"
                "  x = ldg(&C[0]);\n"
                "  sync_block();\n"
                "  if (t == 0) stg(&C[0], x + 1);\n}\n";
  kernel.tensors = {"C+"};
  std::vector<TestTensor> tensors = {TestTensor::vector(1)};
  Report report = launch(kernel, tensors);
  EXPECT_TRUE(report.ok()) << report.describeFindings("k");
  kernel.text = replaced(kernel.text, "sync_block();", "");
  report = launch(kernel, tensors);
  EXPECT_TRUE(hasFinding(report, FindingKind::GlobalRace, 5, "reads C[0]") ||
              hasFinding(report, FindingKind::GlobalRace, 7, "writes C[0]"));
}

} // namespace
} // namespace tilec::emulator::test
