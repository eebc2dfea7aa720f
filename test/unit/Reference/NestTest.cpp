//===- NestTest.cpp - What the ops of a nest mean ---------------*- C++ -*-===//
//
// Absent elements, pads, reductions, transposed copies, branches and combining
// stores, each against plain loops or numbers worked out by hand.
//
//===----------------------------------------------------------------------===//

#include "ReferenceTestUtils.h"

#include <cmath>

using namespace tilec;
using namespace tilec::reference;

//===----------------------------------------------------------------------===//
// Pads
//===----------------------------------------------------------------------===//

/// Y[i] = X[i - 2] + 10 X[i + 1], blocks of 4 with a halo.
static std::string makeStencil(const std::string &pad) {
  return R"(
!V = memref<?xf32>
!h = memref<7xf32, #tile.level<smem>>
!w = memref<4xf32, #tile.level<rf>>
tile.kernel @stencil(%X: !V[%N], %Y: !V[%N], %N: index) {
  %ten = arith.constant 10.0 : f32
  tile.for (%i) in (%N) by (4) at dram on block {
    %s = tile.stage %X[%i - 2] )" +
         pad + R"( : !V to !h
    %l = tile.stage %s[0] : !h to !w
    %r = tile.stage %s[3] : !h to !w
    %y = tile.hold init(-1.0 : f32) : !w
    linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                    iterator_types = ["parallel"]} ins(%l, %r : !w, !w) outs(%y : !w) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %m = arith.mulf %b, %ten : f32
      %t = arith.addf %a, %m : f32
      linalg.yield %t : f32
    }
    tile.store %y to %Y[%i] : !w to !V
  }
})";
}

static std::vector<double> runStencil(const std::string &pad, std::vector<double> x) {
  ParsedKernel kernel = ParsedKernel::fromText(makeStencil(pad));
  auto n = static_cast<int64_t>(x.size());
  Buffer in({n}), out({n});
  in.data = x;
  out.data.assign(n, 0);
  Arguments arguments;
  arguments.operands = {in.view(), out.view()};
  arguments.sizes = {n};
  EXPECT_TRUE(succeeded(evaluate(kernel.get(), arguments))) << kernel.said();
  return out.data;
}

using Values = std::vector<double>;

TEST(Pads, GiveAbsentElementsAValue) {
  // X = 1 2 3 4 5: X[-2] X[-1] | X[1..5], the last of them outside.
  EXPECT_EQ(runStencil("pad(zero)", {1, 2, 3, 4, 5}), Values({0 + 20, 0 + 30, 1 + 40, 2 + 50, 3 + 0}));
  EXPECT_EQ(runStencil("pad(clamp)", {1, 2, 3, 4, 5}), Values({1 + 20, 1 + 30, 1 + 40, 2 + 50, 3 + 50}));
  // The edge is not repeated: X[-2] = X[2], X[-1] = X[1], X[5] = X[3].
  EXPECT_EQ(runStencil("pad(reflect)", {1, 2, 3, 4, 5}), Values({3 + 20, 2 + 30, 1 + 40, 2 + 50, 3 + 40}));
  // The operand is repeated: X[-2] = X[3], X[-1] = X[4], X[5] = X[0].
  EXPECT_EQ(runStencil("pad(wrap)", {1, 2, 3, 4, 5}), Values({4 + 20, 5 + 30, 1 + 40, 2 + 50, 3 + 10}));
  // Nothing is computed from an absent element: the held tile keeps its start.
  EXPECT_EQ(runStencil("", {1, 2, 3, 4, 5}), Values({-1, -1, 1 + 40, 2 + 50, -1}));
}

TEST(Pads, ReachFartherThanTheOperand) {
  EXPECT_EQ(runStencil("pad(clamp)", {7}), Values({77}));
  EXPECT_EQ(runStencil("pad(reflect)", {7}), Values({77}));
  EXPECT_EQ(runStencil("pad(wrap)", {7}), Values({77}));
  // Of two elements the period is two: X[-2] = X[0], X[-1] = X[1], X[2] = X[0].
  EXPECT_EQ(runStencil("pad(reflect)", {1, 2}), Values({1 + 20, 2 + 10}));
  EXPECT_EQ(runStencil("pad(zero)", {}), Values({}));
  EXPECT_EQ(runStencil("pad(clamp)", {}), Values({}));
}

//===----------------------------------------------------------------------===//
// Absent elements
//===----------------------------------------------------------------------===//

TEST(Absent, IsNotReadFromAPart) {
  ParsedKernel kernel = ParsedKernel::fromText(R"(
!p = memref<4xf32, strided<[?], offset: ?>>
!s = memref<1xf32, #tile.level<rf>>
tile.kernel @sum(%X: memref<?xf32, strided<[?]>>[%N], %Y: memref<1xf32>[1], %N: index) {
  %s = tile.hold init(0.0 : f32) : !s
  tile.for (%i) in (%N) by (4) at dram {
    %p = tile.part %X[%i] : memref<?xf32, strided<[?]>> to !p
    linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (0)>], iterator_types = ["reduction"]}
        ins(%p : !p) outs(%s : !s) {
    ^bb0(%a: f32, %b: f32):
      %r = arith.addf %a, %b : f32
      linalg.yield %r : f32
    }
  }
  tile.store %s to %Y[0] : !s to memref<1xf32>
})");
  // 1 + 2 + .. + n; what follows in memory is NaN.
  for (int64_t n = 0; n <= 9; ++n) {
    Buffer x({12}), y({1});
    x.fill([&](int64_t i, int64_t) { return i < n ? i + 1 : NAN; });
    Arguments arguments;
    arguments.operands = {x.view(), y.view()};
    arguments.operands[0].shape = {n};
    arguments.sizes = {n};
    ASSERT_TRUE(succeeded(evaluate(kernel.get(), arguments))) << kernel.said();
    EXPECT_EQ(y.data[0], n * (n + 1) / 2);
  }
}

// 1 is added to the three elements that exist, and these are summed up.
TEST(Absent, StaysAbsentInPlace) {
  ParsedKernel kernel = ParsedKernel::fromText(R"(
!t = memref<4xf32, #tile.level<rf>>
!s = memref<1xf32, #tile.level<rf>>
tile.kernel @sum(%X: memref<?xf32>[%N], %Y: memref<1xf32>[1], %N: index) {
  tile.for (%i) in (%N) by (4) at dram on block {
    %s = tile.hold init(0.0 : f32) : !s
    %t = tile.stage %X[%i] : memref<?xf32> to !t
    linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%t : !t) {
    ^bb0(%x: f32):
      %one = arith.constant 1.0 : f32
      %y = arith.addf %x, %one : f32
      linalg.yield %y : f32
    }
    linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (0)>], iterator_types = ["reduction"]}
        ins(%t : !t) outs(%s : !s) {
    ^bb0(%x: f32, %sum: f32):
      %y = arith.addf %sum, %x : f32
      linalg.yield %y : f32
    }
    tile.store %s to %Y[0] combine(add) unordered : !s to memref<1xf32>
  }
})");
  Buffer x({3}), y({1});
  x.data = {1, 2, 3};
  y.data = {0};
  Arguments arguments;
  arguments.operands = {x.view(), y.view()};
  arguments.sizes = {3};
  ASSERT_TRUE(succeeded(evaluate(kernel.get(), arguments))) << kernel.said();
  EXPECT_EQ(y.data, Values({9}));
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

TEST(Reductions, SumRowsOnThreads) {
  ParsedKernel kernel = ParsedKernel::fromText(R"(
!G = memref<?x?xf32, strided<[?, ?]>>
!s = memref<1xf32, #tile.level<rf>>
!x = memref<1x4xf32, #tile.level<rf>>
tile.kernel @rowsum(%X: !G[%M, %N], %Y: memref<?xf32>[%M], %M: index, %N: index) {
  tile.for (%i) in (%M) by (1) at dram on block {
    %sum = tile.hold init(0.0 : f32) : !s
    tile.for (%j) in (%N) by (32) at dram {
      tile.for (%j1) in (32) by (4) at dram on thread reduce(add) {
        %x = tile.stage %X[%i, %j + %j1] : !G to !x
        linalg.reduce { arith.addf } ins(%x : !x) outs(%sum : !s) dimensions = [1]
      }
    }
    tile.store %sum to %Y[%i] : !s to memref<?xf32>
  }
})");
  for (int64_t n : {1, 31, 32, 77}) {
    Buffer x({3, n}, {1, 3}), y({3});
    x.fill([](int64_t i, int64_t j) { return number(i, j, 4); });
    Arguments arguments;
    arguments.operands = {x.view(), y.viewWithBounds()};
    arguments.sizes = {3, n};
    ASSERT_TRUE(succeeded(evaluate(kernel.get(), arguments))) << kernel.said();
    for (int64_t i = 0; i < 3; ++i) {
      double sum = 0, magnitude = 0;
      for (int64_t j = 0; j < n; ++j) {
        sum += x.at({i, j});
        magnitude += std::fabs(x.at({i, j}));
      }
      EXPECT_EQ(y.at({i}), sum);
      EXPECT_EQ(y.bounds[i].magnitude, magnitude);
      EXPECT_EQ(y.bounds[i].total(), 0);
    }
  }
}

TEST(Reductions, CombineInStores) {
  // Blocks of 8 take the sum, maximum or minimum of a part each and combine it with what is there.
  struct Case {
    const char *init, *op, *combine;
    double start, expected;
  };
  // X = 0 .. 19.
  const Case cases[] = {{"0.0", "arith.addf", "combine(add) unordered", 100, 100 + 190},
                        {"0xFF800000", "arith.maximumf", "combine(max)", 5, 19},
                        {"0x7F800000", "arith.minimumf", "combine(min)", 5, 0},
                        {"1.0", "arith.maximumf", "combine(mul) unordered", 2, 2 * 7 * 15 * 19}};
  for (const Case &c : cases) {
    ParsedKernel kernel = ParsedKernel::fromText(std::string(R"(
!x = memref<8xf32, #tile.level<rf>>
!s = memref<1xf32, #tile.level<rf>>
tile.kernel @split(%X: memref<?xf32>[%N], %Y: memref<1xf32>[1], %N: index) {
  tile.for (%i) in (%N) by (8) at dram on block {
    %c = tile.hold init()") + c.init + R"( : f32) : !s
    %x = tile.stage %X[%i] : memref<?xf32> to !x
    linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (0)>], iterator_types = ["reduction"]}
        ins(%x : !x) outs(%c : !s) {
    ^bb0(%a: f32, %b: f32):
      %r = )" + c.op + R"( %a, %b : f32
      linalg.yield %r : f32
    }
    tile.store %c to %Y[0] )" + c.combine + R"( : !s to memref<1xf32>
  }
})");
    Buffer x({20}), y({1});
    x.fill([](int64_t i, int64_t) { return i; });
    y.data = {c.start};
    Arguments arguments;
    arguments.operands = {x.view(), y.view()};
    arguments.sizes = {20};
    ASSERT_TRUE(succeeded(evaluate(kernel.get(), arguments))) << kernel.said();
    EXPECT_EQ(y.data[0], c.expected) << c.combine;
  }
}

// X = 0 .. 19 in clusters of two blocks with 4 elements each, which add to what is held around them: 28, 92, and 70 of the last
// four. A cluster is what is evaluated by itself.
TEST(Sums, OverTheBlocksOfACluster) {
  ParsedKernel kernel = ParsedKernel::fromText(R"(
!x = memref<4xf32, #tile.level<rf>>
!s = memref<1xf32, #tile.level<rf>>
tile.kernel @sums(%X: memref<?xf32>[%N], %Y: memref<?xf32>[%N], %N: index) {
  tile.for (%i) in (%N) by (8) at dram on cluster {
    %c = tile.hold init(0.0 : f32) : !s
    tile.for (%j) in (8) by (4) at dram on block reduce(add) {
      %x = tile.stage %X[%i + %j] : memref<?xf32> to !x
      linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (0)>], iterator_types = ["reduction"]}
          ins(%x : !x) outs(%c : !s) {
      ^bb0(%a: f32, %b: f32):
        %r = arith.addf %a, %b : f32
        linalg.yield %r : f32
      }
    }
    tile.store %c to %Y[%i] : !s to memref<?xf32>
  }
})");
  Buffer x({20}), y({20});
  x.fill([](int64_t i, int64_t) { return i; });
  Arguments arguments;
  arguments.operands = {x.view(), y.view()};
  arguments.sizes = {20};
  EXPECT_EQ(*getNumBlocks(kernel.get(), arguments.sizes), 3);
  Options options;
  const int64_t some[] = {0, 2};
  options.blocks = some;
  y.data.assign(20, -1);
  ASSERT_TRUE(succeeded(evaluate(kernel.get(), arguments, options))) << kernel.said();
  EXPECT_EQ(y.data[0], 28);
  EXPECT_EQ(y.data[8], -1);
  EXPECT_EQ(y.data[16], 70);
  ASSERT_TRUE(succeeded(evaluate(kernel.get(), arguments))) << kernel.said();
  EXPECT_EQ(y.data[8], 92);
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

TEST(Places, TransposeThroughSharedMemory) {
  ParsedKernel kernel = ParsedKernel::fromText(R"(
!G = memref<?x?xf32, strided<[?, ?]>>
!t = memref<8x8xf32, strided<[9, 1]>, #tile.level<smem>>
!p = memref<1x4xf32, strided<[9, 1], offset: ?>, #tile.level<smem>>
!q = memref<4x1xf32, strided<[?, ?], offset: ?>>
tile.kernel @transpose(%A: !G[%M, %N], %B: !G[%N, %M], %M: index, %N: index) {
  tile.for (%i, %j) in (%M, %N) by (8, 8) at dram on block {
    %s = tile.stage %A[%i, %j] : !G to !t
    tile.for (%j1, %i1) in (8, 8) by (4, 1) at smem on thread {
      %p = tile.part %s[%i1, %j1] : !t to !p
      %o = tile.part %B[%j + %j1, %i + %i1] : !G to !q
      linalg.transpose ins(%p : !p) outs(%o : !q) permutation = [1, 0]
    }
  }
})");
  Buffer a({11, 21}, {23, 1}), b({21, 11}, {1, 30});
  a.fill([](int64_t i, int64_t j) { return 100 * i + j; });
  Arguments arguments;
  arguments.operands = {a.view(), b.viewWithBounds()};
  arguments.sizes = {11, 21};
  ASSERT_TRUE(succeeded(evaluate(kernel.get(), arguments))) << kernel.said();
  for (int64_t i = 0; i < 11; ++i)
    for (int64_t j = 0; j < 21; ++j)
      ASSERT_EQ(b.at({j, i}), 100 * i + j);
    // 20 + 10 * 30 + 1 = 321 places, 231 of them elements.
  EXPECT_EQ(std::count(b.data.begin(), b.data.end(), Buffer::kGap), 321 - 231);
  EXPECT_EQ(std::count(b.stored.begin(), b.stored.end(), 1), 231);
}

TEST(Places, WindowsOfAConvolution) {
  // Y[i] = sum of X[i + 2 p] W[p] over p = 0, 1, 2, by an indexing map of a sum.
  ParsedKernel kernel = ParsedKernel::fromText(R"(
!V = memref<?xf32>
!x = memref<8xf32, #tile.level<rf>>
!w = memref<3xf32, #tile.level<rf>>
!y = memref<4xf32, #tile.level<rf>>
tile.kernel @window(%X: !V[%N], %W: memref<3xf32>[3], %Y: !V[%L], %N: index, %L: index) {
  tile.for (%i) in (%L) by (4) at dram on block {
    %x = tile.stage %X[%i] pad(zero) : !V to !x
    %w = tile.stage %W[0] : memref<3xf32> to !w
    %y = tile.hold init(0.0 : f32) : !y
    linalg.generic {indexing_maps = [affine_map<(i, p) -> (i + p * 2)>, affine_map<(i, p) -> (p)>,
                                     affine_map<(i, p) -> (i)>], iterator_types = ["parallel", "reduction"]}
        ins(%x, %w : !x, !w) outs(%y : !y) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %m = math.fma %a, %b, %c : f32
      linalg.yield %m : f32
    }
    tile.store %y to %Y[%i] : !y to !V
  }
})");
  Buffer x({10}), w({3}), y({7});
  x.fill([](int64_t i, int64_t) { return i + 1; });
  w.data = {1, 10, 100};
  Arguments arguments;
  arguments.operands = {x.view(), w.view(), y.view()};
  arguments.sizes = {10, 7};
  ASSERT_TRUE(succeeded(evaluate(kernel.get(), arguments))) << kernel.said();
  // Y[6] takes X[6] = 7, X[8] = 9 and X[10], which is zero.
  EXPECT_EQ(y.data, Values({531, 642, 753, 864, 975, 1086, 97}));
}

TEST(Places, NestWithoutLoops) {
  // A linalg op on whole operands is a nest with no loops yet.
  ParsedKernel kernel = ParsedKernel::fromText(R"(
!G = memref<?x?xf32, strided<[?, ?]>>
tile.kernel @plain(%A: !G[%M, %K], %B: !G[%K, %N], %C: !G[%M, %N], %M: index, %N: index, %K: index) {
  linalg.matmul ins(%A, %B : !G, !G) outs(%C : !G)
})");
  Buffer a({2, 3}), b({3, 2}), c({2, 2});
  a.data = {1, 2, 3, 4, 5, 6};
  b.data = {1, 0, 0, 1, 1, 1};
  c.data = {10, 20, 30, 40};
  Arguments arguments;
  arguments.operands = {a.view(), b.view(), c.view()};
  arguments.sizes = {2, 2, 3};
  ASSERT_TRUE(succeeded(evaluate(kernel.get(), arguments))) << kernel.said();
  // [1 2 3; 4 5 6] [1 0; 0 1; 1 1] = [4 5; 10 11].
  EXPECT_EQ(c.data, Values({14, 25, 40, 51}));
}

TEST(Places, StoreToSharedMemoryAndReadBack) {
  // Each thread squares its element; then the tile is read in reverse order of halves.
  ParsedKernel kernel = ParsedKernel::fromText(R"(
!V = memref<?xi32>
!s = memref<8xi32, #tile.level<smem>>
!e = memref<1xi32, #tile.level<rf>>
!h = memref<4xi32, #tile.level<rf>>
tile.kernel @square(%X: !V[%N], %Y: !V[%N], %N: index) {
  tile.for (%i) in (%N) by (8) at dram on block {
    %s = tile.stage %X[%i] pad(zero) : !V to !s
    tile.for (%t) in (8) by (1) at smem on thread {
      %e = tile.stage %s[%t] : !s to !e
      linalg.mul ins(%e, %e : !e, !e) outs(%e : !e)
      tile.store %e to %s[%t] : !e to !s
    }
    tile.for (%t) in (8) by (4) at smem on thread {
      %h = tile.stage %s[4 - %t] : !s to !h
      tile.store %h to %Y[%i + %t] : !h to !V
    }
  }
})");
  std::vector<int64_t> x = {1, 2, 3, 4, 5, 6, 7, 8, 9, -10}, y(10, 0);
  Arguments arguments;
  BufferView in, out;
  in.data = x.data();
  out.data = y.data();
  in.shape = out.shape = {10};
  in.strides = out.strides = {1};
  arguments.operands = {in, out};
  arguments.sizes = {10};
  ASSERT_TRUE(succeeded(evaluate(kernel.get(), arguments))) << kernel.said();
  EXPECT_EQ(y, std::vector<int64_t>({25, 36, 49, 64, 1, 4, 9, 16, 0, 0}));
}

//===----------------------------------------------------------------------===//
// Scalars and branches
//===----------------------------------------------------------------------===//

TEST(Branches, ChooseByScalarsAndLoops) {
  // Blocks of 2 from element 4 on take the second branch.
  ParsedKernel kernel = ParsedKernel::fromText(R"(
!t = memref<2xf32, #tile.level<rf>>
tile.kernel @branch(%Y: memref<?xf32>[%N], %N: index, %a: f32, %n: i32) {
  %four = arith.constant 4 : index
  %f = arith.sitofp %n : i32 to f32
  tile.for (%i) in (%N) by (2) at dram on block {
    %low = arith.cmpi ult, %i, %four : index
    %v = scf.if %low -> (f32) {
      %s = arith.addf %a, %f : f32
      scf.yield %s : f32
    } else {
      scf.yield %f : f32
    }
    %t = tile.hold init(0.0 : f32) : !t
    linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%t : !t) {
    ^bb0(%x: f32):
      %k = linalg.index 0 : index
      %w = arith.index_cast %k : index to i32
      %u = arith.sitofp %w : i32 to f32
      %z = arith.addf %v, %u : f32
      linalg.yield %z : f32
    }
    tile.store %t to %Y[%i] : !t to memref<?xf32>
  }
})");
  Buffer y({7});
  Arguments arguments;
  arguments.operands = {y.view()};
  arguments.sizes = {7};
  arguments.scalars = {0.5, int64_t(-3)};
  ASSERT_TRUE(succeeded(evaluate(kernel.get(), arguments))) << kernel.said();
  EXPECT_EQ(y.data, Values({-2.5, -1.5, -2.5, -1.5, -3, -2, -3}));
}
