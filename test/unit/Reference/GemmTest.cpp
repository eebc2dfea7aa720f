//===- GemmTest.cpp - The ladder against triple loops -----------*- C++ -*-===//
//
// examples/{naive,smem,gemm}.mlir compute alpha A B + beta C for every shape,
// stride and edge.
//
//===----------------------------------------------------------------------===//

#include "ReferenceTestUtils.h"

#include <chrono>
#include <cmath>

using namespace tilec::reference;

namespace {
struct GemmCase {
  int64_t m, n, k;
  double alpha, beta;
  bool transposed;
};

class GemmTest : public testing::TestWithParam<const char *> {
protected:
  ParsedKernel kernel = ParsedKernel::fromFile(std::string(TILEC_EXAMPLES) + "/" + GetParam() + ".mlir");
};
} // namespace

static Buffer makeOperand(int64_t rows, int64_t columns, bool transposed, int64_t seed) {
  // Gaps of 3 elements after rows, or columns that are 2 apart with gaps between them.
  Buffer buffer = transposed ? Buffer({rows, columns}, {2, 2 * rows + 5}) : Buffer({rows, columns}, {columns + 3, 1});
  return buffer.fill([&](int64_t i, int64_t j) { return number(i, j, seed); });
}

TEST_P(GemmTest, ComputesEveryShape) {
  const GemmCase cases[] = {{1, 1, 1, 1, 0, false},    {33, 17, 1, -0.5, 2, false}, {65, 31, 77, 2, 1, true},
                            {129, 130, 20, 1, 0, true}, {5, 7, 0, 3, 1, false},      {0, 4, 4, 1, 0, false},
                            {128, 128, 32, 1, 0.25, false}};
  for (const GemmCase &c : cases) {
    Buffer a = makeOperand(c.m, c.k, c.transposed, 1), b = makeOperand(c.k, c.n, !c.transposed, 2);
    Buffer out = makeOperand(c.m, c.n, c.transposed, 3), before = out;
    if (c.beta == 0) // Then C must not be read.
      out.fill([](int64_t, int64_t) { return NAN; });
    Arguments arguments;
    arguments.operands = {a.view(), b.view(), out.viewWithBounds()};
    arguments.sizes = {c.m, c.n, c.k};
    arguments.scalars = {c.alpha, c.beta};
    ASSERT_TRUE(succeeded(evaluate(kernel.get(), arguments))) << kernel.said();
    int64_t elements = 0;
    for (int64_t i = 0; i < c.m; ++i)
      for (int64_t j = 0; j < c.n; ++j) {
        double sum = 0;
        for (int64_t k = 0; k < c.k; ++k)
          sum += a.at({i, k}) * b.at({k, j});
        bool reads = c.beta != 0;
        double expected = c.alpha * sum + (reads ? c.beta * before.at({i, j}) : 0);
        ASSERT_EQ(out.at({i, j}), expected) << c.m << "x" << c.n << "x" << c.k << " at " << i << ", " << j;
        // Sums of whole numbers and their quarters are exact.
        ASSERT_EQ(out.bounds[out.offset({i, j})].total(), 0);
        elements += out.stored[out.offset({i, j})];
      }
    EXPECT_EQ(elements, c.m * c.n);
    // Gaps are neither read (the sums are right) nor written.
    EXPECT_EQ(std::count(out.data.begin(), out.data.end(), Buffer::kGap),
              std::max<int64_t>(static_cast<int64_t>(out.data.size()) - c.m * c.n, 0));
  }
}

TEST_P(GemmTest, RunsBlocksOfASample) {
  // 300 x 200 on blocks of 16, 32 or 128: edges on both sides.
  Buffer a = makeOperand(300, 8, false, 1), b = makeOperand(8, 200, false, 2), all = makeOperand(300, 200, false, 3);
  Buffer some = all;
  Arguments arguments;
  arguments.operands = {a.view(), b.view(), all.view()};
  arguments.sizes = {300, 200, 8};
  arguments.scalars = {1.0, 0.0};
  ASSERT_TRUE(succeeded(evaluate(kernel.get(), arguments)));
  auto sample = sampleBlocks(kernel.get(), arguments.sizes, 5);
  ASSERT_TRUE(succeeded(sample));
  auto count = getNumBlocks(kernel.get(), arguments.sizes);
  ASSERT_TRUE(succeeded(count));
  // 19 x 13 blocks of 16, 10 x 7 of 32, 3 x 2 of 128.
  int64_t tile = GetParam() == std::string("naive") ? 16 : GetParam() == std::string("smem") ? 32 : 128;
  EXPECT_EQ(*count, (tile == 16 ? 19 * 13 : tile == 32 ? 10 * 7 : 3 * 2));
  ASSERT_EQ(sample->size(), 5u);
  EXPECT_EQ(sample->front(), 0);
  EXPECT_EQ(sample->back(), *count - 1);
  arguments.operands[2] = some.viewWithBounds();
  Options options;
  options.blocks = *sample;
  ASSERT_TRUE(succeeded(evaluate(kernel.get(), arguments, options)));
  int64_t columns = (200 + tile - 1) / tile;
  for (int64_t i = 0; i < 300; ++i)
    for (int64_t j = 0; j < 200; ++j) {
      bool runs = llvm::is_contained(*sample, i / tile * columns + j / tile);
      ASSERT_EQ(some.stored[some.offset({i, j})], runs) << i << ", " << j;
      ASSERT_EQ(some.at({i, j}), runs ? all.at({i, j}) : number(i, j, 3));
    }
}

// Four kinds of memory access and a multiply-add an element: at least 20 M scalar operations (10 M multiply-adds) a
// second for a blocked kernel, so that 256^3 takes less than 2 s on a slow, shared machine.
TEST_P(GemmTest, IsFastEnough) {
  if (GetParam() == std::string("naive"))
    GTEST_SKIP() << "parts of single elements cost more than their arithmetic";
  const int64_t n = 256;
  Buffer a = makeOperand(n, n, false, 1), b = makeOperand(n, n, false, 2), out = makeOperand(n, n, false, 3);
  Arguments arguments;
  arguments.operands = {a.view(), b.view(), out.view()};
  arguments.sizes = {n, n, n};
  arguments.scalars = {1.0, 0.0};
  auto start = std::chrono::steady_clock::now();
  ASSERT_TRUE(succeeded(evaluate(kernel.get(), arguments)));
  std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  double rate = 2.0 * n * n * n / seconds.count() / 1e6;
  RecordProperty("MegaOpsPerSecond", static_cast<int>(rate));
  EXPECT_GT(rate, 20);
}

INSTANTIATE_TEST_SUITE_P(Ladder, GemmTest, testing::Values("naive", "smem", "gemm"));
