//===- TrafficTest.cpp - Traffic and reuse of nests -------------*- C++ -*-===//
//
// Bytes against closed forms, on shapes that tiles divide and on shapes that
// they do not.
//
//===----------------------------------------------------------------------===//

#include "Nests.h"

#include "tilec/Analysis/NestAnalysis.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::analysis;
using namespace tilec::test;
using tile::Level;

namespace {

/// A GEMM's arguments: A, B, C, M, N, K, and two scalars that some have.
std::vector<int64_t> sizes(int64_t m, int64_t n, int64_t k) {
  return {-1, -1, -1, m, n, k, -1, -1};
}

class TrafficTest : public ::testing::Test {
protected:
  NestTraffic analyze(const std::string &text, const std::vector<int64_t> &arguments,
                      const std::vector<std::string> &names = {"A", "B", "C", "M", "N", "K"}) {
    nest = parse(context, text, names);
    FailureOr<NestModel> model = NestModel::get(nest.kernel, arguments);
    EXPECT_TRUE(succeeded(model));
    FailureOr<NestTraffic> traffic = analyzeTraffic(*model);
    EXPECT_TRUE(succeeded(traffic));
    return *traffic;
  }

  static const Transfer &find(const NestTraffic &traffic, StringRef name, Level from, Level to,
                              AccessKind access = AccessKind::Read) {
    for (const Transfer &transfer : traffic.transfers)
      if (transfer.name == name && transfer.from == from && transfer.to == to &&
          transfer.access == access)
        return transfer;
    ADD_FAILURE() << name.str() << " is not moved that way";
    static Transfer none;
    return none;
  }

  Context context;
  Nest nest;
};

// (formulas 2, 4 and 5) 64x64 blocks, 4x4 threads: A is used by 64 columns of a block, taken by 16
// threads along n, each of which uses it 4 times. Bytes of A: 4 * 4096 * 4096 * (4096 / 64) = 4
// GiB.
TEST_F(TrafficTest, Tile64) {
  NestTraffic traffic = analyze(gemmText({}), sizes(4096, 4096, 4096));
  const Transfer &a = find(traffic, "A", Level::DRAM, Level::SMEM);
  EXPECT_EQ(a.bytes(), 4294967296);
  EXPECT_EQ(a.sentBytes(), 4294967296);
  EXPECT_EQ(a.copies, 64 * 64 * 256);
  EXPECT_EQ(a.localReuse(), 16.0);
  EXPECT_EQ(a.globalReuse(), 64.0);
  EXPECT_EQ(a.role, Role::Input);
  const Transfer &rA = find(traffic, "A", Level::SMEM, Level::RF);
  EXPECT_EQ(rA.localReuse(), 4.0);
  EXPECT_EQ(rA.globalReuse(), 4.0);
  // 4096^3 / 4 elements of 4 bytes.
  EXPECT_EQ(rA.bytes(), int64_t(4096) * 4096 * 4096);
  const Transfer &c = find(traffic, "C", Level::RF, Level::DRAM, AccessKind::Write);
  EXPECT_EQ(c.bytes(), 4 * 4096 * 4096);
  EXPECT_EQ(c.role, Role::Output);
  EXPECT_EQ(traffic.iterations, int64_t(4096) * 4096 * 4096);
  EXPECT_EQ(traffic.operandBytes, 8 * int64_t(4096) * 4096 * 4096);
  EXPECT_EQ(traffic.compulsoryBytes, 3 * 4 * 4096 * 4096);
}

// Edges are exact: A is 4*m*k*ceil(n/64), B 4*k*n*ceil(m/64), whatever m, n and k are.
TEST_F(TrafficTest, EdgesAreExact) {
  int64_t m = 1000, n = 777, k = 513;
  NestTraffic traffic = analyze(gemmText({}), sizes(m, n, k));
  EXPECT_EQ(find(traffic, "A", Level::DRAM, Level::SMEM).bytes(),
            4 * m * k * 13); // ceil(777 / 64) = 13
  EXPECT_EQ(find(traffic, "B", Level::DRAM, Level::SMEM).bytes(),
            4 * k * n * 16); // ceil(1000 / 64) = 16
  EXPECT_EQ(find(traffic, "C", Level::RF, Level::DRAM, AccessKind::Write).bytes(), 4 * m * n);
  EXPECT_EQ(traffic.iterations, m * n * k);
  // A tile in shared memory is there as a whole, zeros included: ceil(1000 / 64) * 64 = 1024 rows and
  // ceil(513 / 16) * 16 = 528 columns of A, for each of the 16 threads along n of all 13 blocks.
  EXPECT_EQ(find(traffic, "A", Level::SMEM, Level::RF).bytes(), int64_t(4) * 1024 * 528 * 16 * 13);
}

TEST_F(TrafficTest, EmptyOperandsMoveNothing) {
  NestTraffic traffic = analyze(gemmText({}), sizes(0, 64, 64));
  EXPECT_EQ(find(traffic, "A", Level::DRAM, Level::SMEM).bytes(), 0);
  EXPECT_EQ(find(traffic, "A", Level::DRAM, Level::SMEM).globalReuse(), std::nullopt);
  EXPECT_EQ(traffic.iterations, 0);
}

// (formula 3) Register tiles declared outside of the thread loop: a block's 256 threads hold 8 rows
// and 8 columns each, 16 threads the same ones. Each thread takes 8 + 8 elements for 64 FMA:
// M*N*K*(1/8 + 1/8)*4 bytes.
TEST_F(TrafficTest, GemmExample) {
  int64_t cube = int64_t(1024) * 1024 * 1024;
  NestTraffic traffic = analyze(exampleText("gemm.mlir"), sizes(1024, 1024, 1024));
  EXPECT_EQ(find(traffic, "A", Level::SMEM, Level::RF).bytes(), cube / 8 * 4);
  EXPECT_EQ(find(traffic, "B", Level::SMEM, Level::RF).bytes(), cube / 8 * 4);
  EXPECT_EQ(find(traffic, "A", Level::DRAM, Level::SMEM).globalReuse(), 128.0);
  EXPECT_EQ(find(traffic, "A", Level::DRAM, Level::SMEM).localReuse(), 16.0);
  // The old C is read only where beta is not zero; it is an output, and no part of what must move.
  const Transfer &old = find(traffic, "C", Level::DRAM, Level::RF);
  EXPECT_TRUE(old.conditional);
  EXPECT_EQ(old.role, Role::Output);
  EXPECT_EQ(old.bytes(), 4 * 1024 * 1024);
  // The epilogue's linalg ops reduce nothing and do not count as FMA.
  EXPECT_EQ(traffic.iterations, cube);
}

// Operands read where they lie are delivered element by element: M*N*K of each, used once.
TEST_F(TrafficTest, NaiveExampleReadsInPlace) {
  NestTraffic traffic = analyze(exampleText("naive.mlir"), sizes(100, 50, 30));
  const Transfer &a = find(traffic, "A", Level::DRAM, Level::RF);
  EXPECT_EQ(a.bytes(), 4 * 100 * 50 * 30);
  EXPECT_EQ(a.localReuse(), 1.0);
  EXPECT_EQ(a.globalReuse(), 1.0);
}

TEST_F(TrafficTest, SmemExampleReadsSharedTilesInPlace) {
  NestTraffic traffic = analyze(exampleText("smem.mlir"), sizes(64, 96, 128));
  // 32x32 blocks: A is fetched for each of 96 / 32 = 3 columns of blocks.
  EXPECT_EQ(find(traffic, "A", Level::DRAM, Level::SMEM).bytes(), 4 * 64 * 128 * 3);
  EXPECT_EQ(find(traffic, "A", Level::DRAM, Level::SMEM).globalReuse(), 32.0);
  EXPECT_EQ(find(traffic, "A", Level::SMEM, Level::RF).bytes(), 4 * 64 * 96 * 128);
}

// (formula 6) In a cluster of 2x2 blocks, two blocks along n read the same A and two along m the
// same B: once where TMA copies it, by each block otherwise.
TEST_F(TrafficTest, ClustersMulticast) {
  GemmSizes s;
  s.bm = s.bn = 32;
  s.clusterM = s.clusterN = 2;
  NestTraffic traffic = analyze(gemmText(s), sizes(4096, 4096, 4096));
  const Transfer &a = find(traffic, "A", Level::DRAM, Level::SMEM);
  EXPECT_EQ(a.multicast, 2);
  EXPECT_EQ(a.bytes(), 4 * int64_t(4096) * 4096 * 128); // 4096 / 32 = 128 columns of blocks
  EXPECT_EQ(a.sentBytes(), 4 * int64_t(4096) * 4096 * 64);
  EXPECT_EQ(find(traffic, "B", Level::DRAM, Level::SMEM).multicast, 2);

  std::string text = gemmText(s);
  text.erase(text.find("copy(tma) "), strlen("copy(tma) "));
  traffic = analyze(text, sizes(4096, 4096, 4096));
  EXPECT_EQ(find(traffic, "A", Level::DRAM, Level::SMEM).multicast, 1);
  EXPECT_EQ(find(traffic, "B", Level::DRAM, Level::SMEM).multicast, 2);
}

// A block loop along k makes partial results: C is combined K / 256 = 4 times.
TEST_F(TrafficTest, SplitReductionCombinesOutputs) {
  NestTraffic traffic = analyze(R"(
!G = memref<?x?xf32, strided<[?, ?]>>
!e = memref<1x1xf32, strided<[?, ?], offset: ?>>
!r = memref<1x1xf32, #tile.level<rf>>
tile.kernel @split(%A: !G[%M, %K], %B: !G[%K, %N], %C: !G[%M, %N], %M: index, %N: index, %K: index)
    dataflow(split_reduction) {
  tile.for (%m0, %n0, %ks) in (%M, %N, %K) by (16, 16, 256) at dram on block {
    tile.for (%m, %n) in (16, 16) by (1, 1) at dram on thread {
      %c = tile.hold init(0.0 : f32) : !r
      tile.for (%k) in (256) by (1) at dram {
        %a = tile.part %A[%m0 + %m, %ks + %k] : !G to !e
        %b = tile.part %B[%ks + %k, %n0 + %n] : !G to !e
        linalg.matmul ins(%a, %b : !e, !e) outs(%c : !r)
      }
      tile.store %c to %C[%m0 + %m, %n0 + %n] combine(add) unordered : !r to !G
    }
  }
})",
                                sizes(64, 64, 1024));
  EXPECT_EQ(find(traffic, "C", Level::RF, Level::DRAM, AccessKind::Combine).bytes(),
            4 * 64 * 64 * 4);
}

// A stencil's tile with a halo: 34x34 for 32x32, absent elements at the rim of the 64x64 operand.
// Of 2 tiles in each dimension each lacks one row: 2 * 34 - 2 = 66 rows, 66 * 66 elements; clamped,
// all 4 * 34 * 34.
TEST_F(TrafficTest, HalosAreReadTwice) {
  auto text = [](const std::string &pad) {
    return R"(
!G = memref<?x?xf32, strided<[?, ?]>>
!s = memref<34x34xf32, #tile.level<smem>>
tile.kernel @halo(%X: !G[%M, %N], %M: index, %N: index) {
  tile.for (%i, %j) in (%M, %N) by (32, 32) at dram on block {
    %s = tile.stage %X[%i - 1, %j - 1] )" +
           pad + R"( : !G to !s
  }
})";
  };
  std::vector<std::string> names = {"X", "M", "N"};
  EXPECT_EQ(find(analyze(text(""), {-1, 64, 64}, names), "X", Level::DRAM, Level::SMEM).elements,
            66 * 66);
  EXPECT_EQ(
      find(analyze(text("pad(zero)"), {-1, 64, 64}, names), "X", Level::DRAM, Level::SMEM).elements,
      66 * 66);
  EXPECT_EQ(find(analyze(text("pad(clamp)"), {-1, 64, 64}, names), "X", Level::DRAM, Level::SMEM)
                .elements,
            4 * 34 * 34);
}

// There is nothing to repeat where the operand has no elements.
TEST_F(TrafficTest, EmptyOperandsHaveNoNearestElement) {
  NestTraffic traffic = analyze(R"(
!G = memref<?x?xf32, strided<[?, ?]>>
!s = memref<4x4xf32, #tile.level<smem>>
tile.kernel @halo(%X: !G[%M, %N], %M: index, %N: index) {
  tile.for (%i) in (%N) by (4) at dram on block {
    %s = tile.stage %X[0, %i] pad(clamp) : !G to !s
  }
})",
                                {-1, 0, 8}, {"X", "M", "N"});
  EXPECT_EQ(find(traffic, "X", Level::DRAM, Level::SMEM).bytes(), 0);
}

// (formula 3) All 12 threads of a block load what is outside of the loop of 8 on thread: the first 4
// parts of a tile are loaded by 2 threads each (thread % 8), the last 4 by one. Of 5 present elements
// that is 4 * 2 + 1 = 9 loads, of all 8 elements 12.
TEST_F(TrafficTest, ThreadsRepeatWhatTheyDoNotTellApart) {
  auto text = R"(
!G = memref<?xf32, strided<[1]>>
!r = memref<8xf32, #tile.level<rf>>
!c = memref<12xf32, #tile.level<rf>>
!e = memref<1xf32, #tile.level<rf>>
tile.kernel @share(%X: !G[%N], %N: index) {
  tile.for (%i) in (%N) by (8) at dram on block {
    %r = tile.stage %X[%i] : !G to !r
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%t) in (12) by (1) at dram on thread {
      %q = tile.part %c[%t] : !c to !e
      linalg.generic {indexing_maps = [affine_map<(d) -> (d)>], iterator_types = ["parallel"]} outs(%q : !e) {
      ^bb0(%x: f32):
        linalg.yield %x : f32
      }
    }
    tile.for (%t) in (8) by (1) at dram on thread {
      %p = tile.part %r[%t] : !r to !e
      linalg.generic {indexing_maps = [affine_map<(d) -> (d)>], iterator_types = ["parallel"]} outs(%p : !e) {
      ^bb0(%x: f32):
        linalg.yield %x : f32
      }
    }
  }
})";
  EXPECT_EQ(find(analyze(text, {-1, 5}, {"X", "N"}), "X", Level::DRAM, Level::RF).elements, 9);
  EXPECT_EQ(find(analyze(text, {-1, 8}, {"X", "N"}), "X", Level::DRAM, Level::RF).elements, 12);
}

// Reuse is read off indexing maps: a product with B transposed, written as linalg.generic, has the
// traffic of a GEMM.
TEST_F(TrafficTest, GenericOpsCountByTheirMaps) {
  NestTraffic traffic = analyze(R"(
!G = memref<?x?xf32, strided<[?, ?]>>
!s = memref<32x16xf32, #tile.level<smem>>
!c = memref<32x32xf32, #tile.level<rf>>
!a = memref<4x16xf32, #tile.level<rf>>
!b = memref<2x16xf32, #tile.level<rf>>
!r = memref<4x2xf32, #tile.level<rf>>
tile.kernel @nt(%A: !G[%M, %K], %B: !G[%N, %K], %C: !G[%M, %N], %M: index, %N: index, %K: index) {
  tile.for (%m0, %n0) in (%M, %N) by (32, 32) at dram on block {
    %c = tile.hold init(0.0 : f32) : !c
    tile.for (%k0) in (%K) by (16) at dram {
      %sA = tile.stage %A[%m0, %k0] : !G to !s
      %sB = tile.stage %B[%n0, %k0] : !G to !s
      tile.for (%m, %n) in (32, 32) by (4, 2) at smem on thread {
        %a = tile.stage %sA[%m, 0] : !s to !a
        %b = tile.stage %sB[%n, 0] : !s to !b
        %r = tile.part %c[%m, %n] : !c to !r
        linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
                                         affine_map<(m, n, k) -> (m, n)>],
                        iterator_types = ["parallel", "parallel", "reduction"]}
            ins(%a, %b : !a, !b) outs(%r : !r) {
        ^bb0(%x: f32, %y: f32, %z: f32):
          %p = arith.mulf %x, %y : f32
          %q = arith.addf %p, %z : f32
          linalg.yield %q : f32
        }
      }
    }
    tile.store %c to %C[%m0, %n0] : !c to !G
  }
})",
                                sizes(64, 64, 64));
  EXPECT_EQ(find(traffic, "A", Level::DRAM, Level::SMEM).globalReuse(), 32.0);
  EXPECT_EQ(find(traffic, "A", Level::SMEM, Level::RF).globalReuse(), 2.0); // 2 columns of a thread
  EXPECT_EQ(find(traffic, "B", Level::SMEM, Level::RF).globalReuse(), 4.0); // 4 rows of a thread
}

TEST_F(TrafficTest, AsksForMissingSizes) {
  nest = parse(context, gemmText({}));
  std::string message;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    message = diagnostic.str();
    return success();
  });
  EXPECT_TRUE(failed(NestModel::get(nest.kernel, {-1, -1, -1, 4096, 4096, -1})));
  EXPECT_NE(message.find("needs a value for size K"), std::string::npos) << message;
}

} // namespace
