//===- BulkCopyTest.cpp - Boxes, proxies and small barriers ---*- C++ -*-===//
//
// One small kernel for each rule of bulk copies, mbarriers and the barriers of
// less than a block.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

namespace tilec::emulator::test {
namespace {

constexpr int bodyLine = 5;

/// 64 threads, A with a map of boxes of 4 rows of 8 elements, and one barrier
/// for one arrival. The body starts at line 5.
Kernel boxKernel(const std::string &body) {
  Kernel kernel;
  kernel.text = "extern \"C\" __global__ void test(const float *A, float *C, const __grid_constant__ TensorMap map) {\n"
                "  SHARED_AT(float, s, 256, 0); SHARED(long long, bar, 2); const int t = thread_x();\n"
                "  if (t == 0) { mbarrier_init(&bar[0], 1); mbarrier_init(&bar[1], 1); fence_mbarrier_init(); }\n"
                "  sync_block();\n" +
                body + "\n}\n";
  kernel.blockThreads = 64;
  kernel.dynamicSharedBytes = 1024;
  kernel.tensors = {"A", "C="};
  kernel.tensorMaps = {{0, {1, 0}, {8, 4}, runtime::Swizzle::None}};
  return kernel;
}

/// A is 6 x 12, C takes 64 elements.
std::vector<TestTensor> boxTensors() { return {TestTensor::matrix(6, 12), TestTensor::vector(64)}; }

Report run(const Kernel &kernel, std::vector<TestTensor> &tensors) { return launch(kernel, tensors); }

Report run(const Kernel &kernel) {
  std::vector<TestTensor> tensors = boxTensors();
  return launch(kernel, tensors);
}

/// Coordinates plus 16, since sizes are not negative.
const std::string copyAndStore = "  if (t == 0) { mbarrier_arrive_expect_tx(&bar[0], 128);\n"
                                 "    tma_load_2d(&s[0], &map, X - 16, Y - 16, &bar[0]); }\n"
                                 "  mbarrier_wait(&bar[0], 0);\n"
                                 "  if (t < 32) stg(&C[t], lds(&s[t]));";

/// The 32 elements of the box at (x, y).
std::vector<float> fetchBox(int x, int y) {
  std::vector<TestTensor> tensors = boxTensors();
  Kernel kernel = boxKernel(copyAndStore);
  kernel.text = replaced(kernel.text, "TensorMap map)", "TensorMap map, int X, int Y)");
  kernel.sizes = {"X", "Y"};
  Report report = launch(kernel, tensors, {x + 16, y + 16});
  EXPECT_TRUE(report.ok()) << report.describeFindings("k");
  return {tensors[1].data.begin(), tensors[1].data.begin() + 32};
}

//===----------------------------------------------------------------------===//
// Boxes
//===----------------------------------------------------------------------===//

TEST(BulkCopy, ClipsAndFillsWithZeros) {
  TestTensor a = boxTensors()[0];
  const int corners[][2] = {{0, 0}, {4, 2}, {8, 4}, {-4, -1}, {12, 0}, {0, 6}, {-8, 2}, {4, -4}};
  for (const auto &corner : corners) {
    const std::vector<float> box = fetchBox(corner[0], corner[1]);
    for (int row = 0; row < 4; ++row)
      for (int column = 0; column < 8; ++column) {
        const int x = corner[0] + column, y = corner[1] + row;
        const bool inside = x >= 0 && x < 12 && y >= 0 && y < 6;
        EXPECT_EQ(box[row * 8 + column], inside ? a.at(y, x) : 0.0f) << x << ", " << y;
      }
  }
}

TEST(BulkCopy, SwizzlesByAddresses) {
  // Rows of 32 bytes have two chunks of 4 elements; chunks of elements 32 to 63,
  // in the second row of banks, change places. A box has 4 rows: 128 bytes, so
  // the second box lies there.
  Kernel kernel = boxKernel("  if (t == 0) { mbarrier_arrive_expect_tx(&bar[0], 256);\n"
                            "    tma_load_2d(&s[0], &map, 0, 0, &bar[0]); }\n"
                            "  mbarrier_wait(&bar[0], 0);\n  stg(&C[t], lds(&s[t]));");
  kernel.tensorMaps = {{0, {1, 0}, {8, 8}, runtime::Swizzle::Bytes32}};
  std::vector<TestTensor> tensors = boxTensors();
  Report report = run(kernel, tensors);
  EXPECT_TRUE(report.ok()) << report.describeFindings("k");
  EXPECT_EQ(tensors[1].data[3], tensors[0].at(0, 3));
  // Row 4 begins at element 32.
  EXPECT_EQ(tensors[1].data[32 + 0], tensors[0].at(4, 4));
  EXPECT_EQ(tensors[1].data[32 + 5], tensors[0].at(4, 1));
  // Rows 6 and 7 are outside.
  EXPECT_EQ(tensors[1].data[63], 0.0f);
}

TEST(BulkCopy, ThreeDimensions) {
  // B[2, 3, 4] as boxes of 1 x 2 x 4 at (0, 1, 1): rows 1 and 2 of the second plane.
  Kernel kernel = boxKernel("  if (t == 0) { mbarrier_arrive_expect_tx(&bar[0], 32);\n"
                            "    tma_load_3d(&s[0], &map, 0, 1, 1, &bar[0]); }\n"
                            "  mbarrier_wait(&bar[0], 0);\n  if (t < 8) stg(&C[t], lds(&s[t]));");
  kernel.tensorMaps = {{0, {2, 1, 0}, {4, 2, 1}, runtime::Swizzle::None}};
  std::vector<TestTensor> tensors = {TestTensor::vector(24), TestTensor::vector(64)};
  tensors[0].shape = {2, 3, 4};
  tensors[0].strides = {12, 4, 1};
  Report report = run(kernel, tensors);
  EXPECT_TRUE(report.ok()) << report.describeFindings("k");
  for (int i = 0; i < 8; ++i)
    EXPECT_EQ(tensors[1].data[i], tensors[0].data[12 + 4 + i]);
}

TEST(BulkCopy, Misaligned) {
  const std::string body = "  if (t == 0) { mbarrier_arrive_expect_tx(&bar[0], 128);\n"
                           "    tma_load_2d(&s[4], &map, 0, 0, &bar[0]); }";
  EXPECT_TRUE(hasFinding(run(boxKernel(body)), FindingKind::Misaligned, bodyLine + 1,
                         "s[4] of 256 elements, which is 16 bytes past a multiple of 128"));
  Kernel kernel = boxKernel(replaced(body, "&s[4]", "&s[32]"));
  EXPECT_FALSE(hasFinding(run(kernel), FindingKind::Misaligned, bodyLine + 1));
  // A swizzle of 64 bytes repeats after 512.
  kernel.tensorMaps[0].swizzle = runtime::Swizzle::Bytes64;
  EXPECT_TRUE(hasFinding(run(kernel), FindingKind::Misaligned, bodyLine + 1,
                         "128 bytes past a multiple of 512"));
  // Elements of 4 bytes.
  for (const char *first : {"2", "-1"})
    EXPECT_TRUE(hasFinding(run(boxKernel(replaced(replaced(body, "&s[4]", "&s[0]"), "0, 0,", std::string(first) + ", 0,"))),
                           FindingKind::Misaligned, bodyLine + 1,
                           std::string("begins at element ") + first + " of its rows, which is not at a multiple of 16 bytes"));
  const std::string copied = "  char buffer[256]; unsigned long at = ((unsigned long)buffer + 63) / 64 * 64 + 32;\n"
                             "  __builtin_memcpy((void *)at, &map, 128);\n";
  EXPECT_TRUE(hasFinding(run(boxKernel(copied + replaced(replaced(body, "&map", "(TensorMap *)at"), "&s[4]", "&s[0]"))),
                         FindingKind::Misaligned, bodyLine + 3, "a tensor map 32 bytes past a multiple of 64"));
}

TEST(BulkCopy, NotATensorMap) {
  Report report = run(boxKernel("  TensorMap other = {};\n  if (t == 0) tma_load_2d(&s[0], &other, 0, 0, &bar[0]);"));
  EXPECT_TRUE(hasFinding(report, FindingKind::OperandRole, bodyLine + 1, "no tensor map of the launch"));
  report = run(boxKernel("  if (t == 0) tma_load_1d(&s[0], &map, 0, &bar[0]);"));
  EXPECT_TRUE(hasFinding(report, FindingKind::OperandRole, bodyLine, "a box of A with 1 coordinates, its map has 2"));
}

TEST(BulkCopy, BeforeTheKernelAheadHasEnded) {
  const std::string body = "  if (t == 0) { mbarrier_arrive_expect_tx(&bar[0], 128); tma_load_2d(&s[0], &map, 0, 0, &bar[0]); }\n"
                           "  mbarrier_wait(&bar[0], 0);\n";
  for (bool waits : {false, true}) {
    Kernel kernel = boxKernel((waits ? "  wait_grid();\n" : "\n") + body);
    kernel.dependent = true;
    Report report = run(kernel);
    EXPECT_EQ(report.ok(), waits) << report.describeFindings("k");
    EXPECT_EQ(hasFinding(report, FindingKind::MissingWait, bodyLine + 1, "thread 0 of block 0 touches A before it waits for the kernel ahead in the stream"), !waits);
  }
}

TEST(BulkCopy, BoxDoesNotFit) {
  Report report = run(boxKernel("  if (t == 0) tma_load_2d(&s[256 - 8], &map, 0, 0, &bar[0]);"));
  EXPECT_TRUE(hasFinding(report, FindingKind::OutOfBounds, bodyLine, "s[248] of 256 elements"));
}

TEST(BulkCopy, FromWhatTheKernelWrote) {
  Kernel kernel = boxKernel("  if (t == 0) { stg(&C[0], 1.0f); mbarrier_arrive_expect_tx(&bar[0], 32);\n"
                            "    tma_load_1d(&s[0], &map, 0, &bar[0]);\n    mbarrier_wait(&bar[0], 0); }");
  kernel.tensorMaps = {{1, {0}, {8}, runtime::Swizzle::None}};
  EXPECT_TRUE(hasFinding(run(kernel), FindingKind::MissingFence, bodyLine + 1, "holds what this kernel wrote"));
}

//===----------------------------------------------------------------------===//
// Proxies
//===----------------------------------------------------------------------===//

const std::string overPlainWrites = "  sts(&s[t], 1.0f);\n  fence_proxy_async();\n  sync_block();\n"
                                    "  if (t == 0) { mbarrier_arrive_expect_tx(&bar[0], 128);\n"
                                    "    tma_load_2d(&s[0], &map, 0, 0, &bar[0]); }\n"
                                    "  mbarrier_wait(&bar[0], 0);";

TEST(Proxy, FenceOfTheWriters) {
  Report report = run(boxKernel(overPlainWrites));
  EXPECT_TRUE(report.ok()) << report.describeFindings("k");
}

TEST(Proxy, FenceOfWhoCopies) {
  const std::string body = replaced(overPlainWrites, "  fence_proxy_async();\n  sync_block();",
                                    "  sync_block();\n  fence_proxy_async();");
  Report report = run(boxKernel(body));
  EXPECT_TRUE(report.ok()) << report.describeFindings("k");
}

TEST(Proxy, NoFence) {
  Report report = run(boxKernel(replaced(overPlainWrites, "fence_proxy_async();", "")));
  EXPECT_TRUE(hasFinding(report, FindingKind::MissingFence, bodyLine + 4,
                         "s[0] of 256 elements, which thread 0 wrote with no fence_proxy_async"));
}

TEST(Proxy, FenceBeforeTheWrites) {
  Report report = run(boxKernel("  fence_proxy_async();\n" + replaced(overPlainWrites, "  fence_proxy_async();\n", "")));
  EXPECT_TRUE(hasFinding(report, FindingKind::MissingFence, bodyLine + 4));
}

//===----------------------------------------------------------------------===//
// Reads that have not returned
//===----------------------------------------------------------------------===//

/// Thread 32 reads s[0] and lets thread 0 overwrite it; between them is `between`.
Report runRelease(const std::string &between) {
  return run(boxKernel("  if (t == 0) { mbarrier_arrive_expect_tx(&bar[0], 128); tma_load_2d(&s[0], &map, 0, 0, &bar[0]); }\n"
                       "  float x = 0; mbarrier_wait(&bar[0], 0);\n"
                       "  if (t == 32) { x = lds(&s[0]); " + between + " mbarrier_arrive(&bar[1]); }\n"
                       "  if (t == 0) { mbarrier_wait(&bar[1], 0); mbarrier_arrive_expect_tx(&bar[0], 128);\n"
                       "    tma_load_2d(&s[0], &map, 4, 2, &bar[0]); mbarrier_wait(&bar[0], 1); }"));
}

TEST(EarlyRelease, RightAfterTheRead) {
  EXPECT_TRUE(hasFinding(runRelease(""), FindingKind::EarlyRelease, bodyLine + 4,
                         "thread 0 of block 0 copies a box to s[0] of 256 elements, which thread 32 released"));
}

TEST(EarlyRelease, AfterAWaitOrAStore) {
  Report report = runRelease("mbarrier_wait(&bar[0], 0);");
  EXPECT_TRUE(report.ok()) << report.describeFindings("k");
  report = runRelease("stg(&C[0], x);");
  EXPECT_TRUE(report.ok()) << report.describeFindings("k");
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

TEST(Mbarrier, OrdersPlainWrites) {
  const std::string right = "  if (t == 40) { sts(&s[0], 1.0f); mbarrier_arrive(&bar[0]); }\n"
                            "  if (t == 0) { mbarrier_wait(&bar[0], 0);\n    stg(&C[0], lds(&s[0])); }";
  Report report = run(boxKernel(right));
  EXPECT_TRUE(report.ok()) << report.describeFindings("k");
  report = run(boxKernel(replaced(right, "mbarrier_wait(&bar[0], 0);", "mbarrier_wait(&bar[0], 1);")));
  EXPECT_FALSE(report.ok());
  // The write comes after the arrival.
  report = run(boxKernel("  if (t == 40) { mbarrier_arrive(&bar[0]); sts(&s[0], 1.0f); }\n"
                         "  if (t == 0) { mbarrier_wait(&bar[0], 0);\n    stg(&C[0], lds(&s[0])); }"));
  EXPECT_TRUE(hasFinding(report, FindingKind::UninitialisedShared, bodyLine + 2) ||
              hasFinding(report, FindingKind::SharedRace, bodyLine + 2));
}

TEST(Mbarrier, CopiesOfTheThreadLand) {
  const std::string right = "  if (t == 40) { cp_async<1>(s, 0, &A[3], true); cp_async_mbarrier_arrive(&bar[0]); }\n"
                            "  if (t == 0) { mbarrier_wait(&bar[0], 0);\n    stg(&C[0], lds(&s[0])); }";
  std::vector<TestTensor> tensors = boxTensors();
  Report report = run(boxKernel(right), tensors);
  EXPECT_TRUE(report.ok()) << report.describeFindings("k");
  EXPECT_EQ(tensors[1].data[0], tensors[0].at(0, 3));
  // Copies after the arrival are not covered by it, nor are plain writes before it.
  report = run(boxKernel("  if (t == 40) { cp_async_mbarrier_arrive(&bar[0]); cp_async<1>(s, 0, &A[3], true); }\n"
                         "  if (t == 0) { mbarrier_wait(&bar[0], 0);\n    stg(&C[0], lds(&s[0])); }"));
  EXPECT_TRUE(hasFinding(report, FindingKind::MissingWait, bodyLine + 2));
  report = run(boxKernel("  if (t == 40) { sts(&s[0], 1.0f); cp_async_mbarrier_arrive(&bar[0]); }\n"
                         "  if (t == 0) { mbarrier_wait(&bar[0], 0);\n    stg(&C[0], lds(&s[0])); }"));
  EXPECT_TRUE(hasFinding(report, FindingKind::SharedRace, bodyLine + 2, "which thread 40 wrote"));
}

TEST(Mbarrier, OverArrival) {
  Report report = run(boxKernel("  if (t == 0) { mbarrier_arrive_expect_tx(&bar[0], 128);\n    mbarrier_arrive(&bar[0]); }"));
  EXPECT_TRUE(hasFinding(report, FindingKind::Barrier, bodyLine + 1,
                         "bar[0], whose phase 0 has had its 1 arrivals and waits for 128 bytes"));
}

TEST(Mbarrier, PhaseThatNobodySaw) {
  // Thread 0 waits for phase 0; two phases end before it goes on.
  Report report = run(boxKernel("  if (t == 0)\n    mbarrier_wait(&bar[0], 0);\n"
                                "  if (t == 40) { mbarrier_arrive(&bar[0]); mbarrier_arrive(&bar[0]); }"));
  EXPECT_TRUE(hasFinding(report, FindingKind::Barrier, bodyLine + 1, "phase 1 ends as well before it goes on"));
}

TEST(Mbarrier, BadArguments) {
  EXPECT_TRUE(hasFinding(run(boxKernel("  if (t == 0) mbarrier_init(&bar[1], 0);")), FindingKind::Barrier, bodyLine,
                         "starts bar[1] for 0 arrivals"));
  EXPECT_TRUE(hasFinding(run(boxKernel("  if (t == 0) mbarrier_init(&bar[1], 1);")), FindingKind::Barrier, bodyLine,
                         "starts bar[1], which is a barrier already"));
  EXPECT_TRUE(hasFinding(run(boxKernel("  mbarrier_wait(&bar[1], 2);")), FindingKind::Barrier, bodyLine, "parity 2"));
  EXPECT_TRUE(hasFinding(run(boxKernel("  mbarrier_arrive((long long *)s);")), FindingKind::Barrier, bodyLine,
                         "arrives at s[0] of block 0, which no mbarrier_init has started"));
}

TEST(Mbarrier, IsNoData) {
  EXPECT_TRUE(hasFinding(run(boxKernel("  if (t == 0) sts((float *)&bar[1] + 1, 1.0f);")), FindingKind::Barrier, bodyLine,
                         "writes bar[1], which is a barrier"));
  EXPECT_TRUE(hasFinding(run(boxKernel("  if (t == 0) stg(&C[0], lds((float *)&bar[0]));")), FindingKind::Barrier, bodyLine,
                         "reads bar[0], which is a barrier"));
  EXPECT_TRUE(hasFinding(run(boxKernel("  if (t == 0) cp_async<1>((float *)bar, 2, &A[0], true);")), FindingKind::Barrier,
                         bodyLine, "copies to bar[1], which is a barrier"));
  EXPECT_TRUE(hasFinding(run(boxKernel("  long long *x = (long long *)&s[40];\n"
                                       "  if (t == 0) { mbarrier_init(x, 1); mbarrier_arrive_expect_tx(&bar[0], 128);\n"
                                       "    tma_load_2d(&s[32], &map, 0, 0, &bar[0]); }\n  mbarrier_wait(&bar[0], 0);")),
                         FindingKind::Barrier, bodyLine + 2, "copies a box to s[40], which is a barrier"));
}

//===----------------------------------------------------------------------===//
// Parts of a block
//===----------------------------------------------------------------------===//

TEST(Named, OrdersItsThreads) {
  const std::string right = "  if (t < 32) sts(&s[t], 1.0f);\n  if (t < 64) sync_named(1, 64);\n"
                            "  if (t >= 32) stg(&C[t], lds(&s[t - 32]));";
  Report report = run(boxKernel(right));
  EXPECT_TRUE(report.ok()) << report.describeFindings("k");
  report = run(boxKernel(replaced(right, "sync_named(1, 64)", "sync_named(1 + t / 32, 32)")));
  EXPECT_FALSE(report.ok());
}

TEST(Named, Misuse) {
  EXPECT_TRUE(hasFinding(run(boxKernel("  sync_named(0, 64);")), FindingKind::Barrier, bodyLine, "at barriers 1 to 15"));
  EXPECT_TRUE(hasFinding(run(boxKernel("  sync_named(1, 48);")), FindingKind::Barrier, bodyLine, "multiples of 32"));
  EXPECT_TRUE(hasFinding(run(boxKernel("  sync_named(1, t < 32 ? 32 : 64);")), FindingKind::Deadlock, bodyLine,
                         "32 of 64 threads are there"));
  EXPECT_TRUE(hasFinding(run(boxKernel("  if (t % 2) sync_named(1, 32);")), FindingKind::Barrier, bodyLine,
                         "16 threads of warp 0 come to barrier 1"));
}

TEST(SyncWarp, OrdersItsLanes) {
  const std::string right = "  sts(&s[t], 1.0f); sync_warp();\n  stg(&C[t], lds(&s[t ^ 1]));";
  Report report = run(boxKernel(right));
  EXPECT_TRUE(report.ok()) << report.describeFindings("k");
  report = run(boxKernel(replaced(right, "t ^ 1", "t ^ 32")));
  EXPECT_TRUE(hasFinding(report, FindingKind::SharedRace, bodyLine + 1));
  report = run(boxKernel("  if (t != 5) sync_warp();"));
  EXPECT_TRUE(hasFinding(report, FindingKind::Deadlock, bodyLine, "in sync_warp"));
}

} // namespace
} // namespace tilec::emulator::test
