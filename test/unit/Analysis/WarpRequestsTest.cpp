//===- WarpRequestsTest.cpp - Banks and coalescing of nests -----*- C++ -*-===//
//
// Requests whose banks and sectors are counted by hand.
//
//===----------------------------------------------------------------------===//

#include "Nests.h"

#include "tilec/Analysis/WarpRequests.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::analysis;
using namespace tilec::test;

namespace {

class WarpRequestsTest : public ::testing::Test {
protected:
  NestModel read(const std::string &text, const std::vector<std::string> &names,
                 ArrayRef<int64_t> arguments) {
    nest = parse(context, text, names);
    FailureOr<NestModel> model = NestModel::get(nest.kernel, arguments);
    EXPECT_TRUE(succeeded(model));
    return *model;
  }

  NestModel transpose(const std::string &text) {
    return read(text, {"A", "B", "M", "N"}, {-1, -1, 4096, 4096});
  }

  /// transpose.mlir with rows of `stride` elements in shared memory.
  NestModel transposeWithRows(const std::string &stride) {
    std::string text = exampleText("transpose.mlir");
    const std::string strides = "(33,1)";
    size_t at = text.find(strides);
    if (at == std::string::npos)
      ADD_FAILURE() << "transpose.mlir says its rows otherwise";
    else
      text.replace(at, strides.size(), "(" + stride + ",1)");
    return transpose(text);
  }

  static std::vector<BankAccess> banksOf(const NestModel &model, const MachineSpec &machine) {
    std::vector<AccessSite> sites = findAccessSites(model, getDenseLayouts(model));
    return analyzeBankAccesses(model, sites, machine);
  }
  static std::vector<GlobalAccess> coalescing(const NestModel &model, const MachineSpec &machine) {
    LaunchLayouts layouts = getDenseLayouts(model);
    std::vector<AccessSite> sites = findAccessSites(model, layouts);
    return analyzeCoalescing(model, sites, layouts, machine);
  }

  template <typename Access>
  static const Access &find(const std::vector<Access> &accesses, StringRef name, bool writes) {
    for (const Access &access : accesses)
      if (access.site.name == name && access.site.writes == writes)
        return access;
    ADD_FAILURE() << "no access to " << name.str();
    static Access none;
    return none;
  }

  Context context;
  Nest nest;
};

// The type of A puts the elements of a column side by side, and leaves rows open: those of a launch are 4096 elements long. A warp
// that walks a row meets 32 sectors.
TEST_F(WarpRequestsTest, ColumnsAlone) {
  NestModel model = read(R"(
    tile.kernel @copy(%A: memref<?x?xf32, strided<[1, ?]>>[%M, %N], %B: memref<?x?xf32>[%M, %N], %M: index, %N: index) {
      tile.for (%i, %j) in (%M, %N) by (1, 32) at dram on block {
        tile.for (%t) in (32) by (1) at dram on thread {
          %a = tile.stage %A[%i, %j + %t] : memref<?x?xf32, strided<[1, ?]>> to memref<1x1xf32, #tile.level<rf>>
          tile.store %a to %B[%i, %j + %t] : memref<1x1xf32, #tile.level<rf>> to memref<?x?xf32>
        }
      }
    })", {"A", "B", "M", "N"}, {-1, -1, 4096, 64});
  LaunchLayouts layouts = getDenseLayouts(model);
  EXPECT_EQ(layouts.at(0).strides, (SmallVector<int64_t>{1, 4096}));
  EXPECT_EQ(layouts.at(1).strides, (SmallVector<int64_t>{64, 1}));
  auto accesses = coalescing(model, machine("sm80"));
  EXPECT_EQ(find(accesses, "A", false).sectors, 32);
}

// 4 warps: each lane reads another element of W, which takes 32 accesses of each request, and all lanes one of V, which takes 1. Neither meets a sector.
TEST_F(WarpRequestsTest, ConstantMemoryServesOneAddressAtATime) {
  NestModel model = read(R"(
    tile.kernel @constant(%W: memref<64xf32, #tile.level<constant>>[64], %V: memref<2xf32, #tile.level<constant>>[2], %Y: memref<128xf32>[128]) {
      tile.for (%i) in (128) by (64) at dram on block {
        tile.for (%t) in (64) by (1) at dram on thread {
          %v = tile.part %V[1] : memref<2xf32, #tile.level<constant>> to memref<1xf32, strided<[1], offset: ?>, #tile.level<constant>>
          %w = tile.stage %W[%t] : memref<64xf32, #tile.level<constant>> to memref<1xf32, #tile.level<rf>>
          linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
              ins(%v : memref<1xf32, strided<[1], offset: ?>, #tile.level<constant>>) outs(%w : memref<1xf32, #tile.level<rf>>) {
          ^bb0(%a: f32, %b: f32):
            %c = arith.mulf %a, %b : f32
            linalg.yield %c : f32
          }
          tile.store %w to %Y[%i + %t] : memref<1xf32, #tile.level<rf>> to memref<128xf32>
        }
      }
    })", {"W", "V", "Y"}, {-1, -1, -1});
  LaunchLayouts layouts = getDenseLayouts(model);
  std::vector<AccessSite> sites = findAccessSites(model, layouts);
  auto constants = analyzeConstantReads(model, sites, layouts, machine("sm80"));
  ASSERT_EQ(constants.size(), 2u);
  const GlobalAccess &own = find(constants, "W", false), &all = find(constants, "V", false);
  EXPECT_EQ(own.total->requests, 4);
  EXPECT_EQ(own.total->cost, 128);
  EXPECT_EQ(own.total->ideal, 4);
  EXPECT_EQ(describe(own), "a warp reads W in constant memory at 32 addresses, one after the other");
  EXPECT_EQ(all.total->requests, 4);
  EXPECT_EQ(all.total->cost, 4);
  auto coalesced = analyzeCoalescing(model, sites, layouts, machine("sm80"));
  ASSERT_EQ(coalesced.size(), 1u);
  EXPECT_EQ(coalesced.front().site.name, "Y");
}

// 2 blocks of 2 warps, each of which adds once: all lanes to one element, one after the other, 4 * 32 wavefronts; and where indices say, of which
// nobody knows more than that 4 requests read them, 128 bytes or 4 sectors each.
TEST_F(WarpRequestsTest, AtomicOperationsTakeTurns) {
  NestModel model = read(R"(
    tile.kernel @counts(%X: memref<128xi32>[128]) {
      tile.for (%i) in (128) by (64) at dram on block {
        %h = tile.hold init(0 : i32) : memref<64xi32, #tile.level<smem>>
        tile.for (%t) in (64) by (1) at dram on thread {
          %r = tile.hold init(1 : i32) : memref<1xi32, #tile.level<rf>>
          tile.store %r to %h[5] combine(add) : memref<1xi32, #tile.level<rf>> to memref<64xi32, #tile.level<smem>>
          tile.store %r to %h[%i + %t] scatter(%X : memref<128xi32> along 0) combine(add)
              : memref<1xi32, #tile.level<rf>> to memref<64xi32, #tile.level<smem>>
        }
      }
    })", {"X"}, {-1});
  auto banks = banksOf(model, machine("sm80"));
  ASSERT_EQ(banks.size(), 3u); // The first fills the tile.
  EXPECT_FALSE(banks[0].site.atomic);
  EXPECT_EQ(banks[1].wavefronts, 32);
  ASSERT_TRUE(banks[1].total);
  EXPECT_EQ(banks[1].total->requests, 4);
  EXPECT_EQ(banks[1].total->cost, 128);
  EXPECT_EQ(banks[1].total->ideal, 4);
  EXPECT_TRUE(banks[2].site.atomic && banks[2].site.scattered);
  EXPECT_FALSE(banks[2].total);
  auto indices = coalescing(model, machine("sm80"));
  ASSERT_EQ(indices.size(), 1u);
  EXPECT_EQ(indices[0].total->requests, 4);
  EXPECT_EQ(indices[0].total->cost, 16);
}

// A warp reads 32 elements of a row of A: 128 bytes, 4 sectors. It writes a column of B, whose rows
// are 4096 * 4 = 16384 bytes apart: 32 sectors for 128 bytes.
TEST_F(WarpRequestsTest, NaiveTransposeScattersStores) {
  auto accesses = coalescing(transpose(exampleText("transpose_naive.mlir")), machine("sm80"));
  ASSERT_EQ(accesses.size(), 2u);
  const GlobalAccess &load = find(accesses, "A", false), &store = find(accesses, "B", true);
  EXPECT_EQ(load.sectors, 4);
  EXPECT_EQ(load.idealSectors, 4);
  EXPECT_EQ(store.sectors, 32);
  EXPECT_EQ(store.idealSectors, 4);
  EXPECT_EQ(describe(store), "a warp writes B in 32 sectors instead of 4: thread 0 at byte 0, "
                             "thread 1 at byte 16384");
}

// Rows of 33 words: lane i reads word 33 * i, in bank i.
TEST_F(WarpRequestsTest, PaddedTransposeHasNoConflict) {
  NestModel model = transposeWithRows("33");
  auto banks = banksOf(model, machine("sm80"));
  ASSERT_EQ(banks.size(), 2u);
  for (const BankAccess &access : banks) {
    EXPECT_EQ(access.wavefronts, 1);
    EXPECT_EQ(access.idealWavefronts, 1);
    EXPECT_TRUE(access.threads.empty());
  }
  for (const GlobalAccess &access : coalescing(model, machine("sm80")))
    EXPECT_EQ(access.sectors, 4);
}

// Rows of 32 words: lane i reads word 32 * i, all in bank 0. 33 is the least stride that frees the
// reads; writes of whole rows stay free.
TEST_F(WarpRequestsTest, DenseTransposeHas32WayConflict) {
  auto banks = banksOf(transposeWithRows("32"), machine("sm80"));
  const BankAccess &load = find(banks, "A", false);
  EXPECT_EQ(load.wavefronts, 32);
  EXPECT_EQ(load.idealWavefronts, 1);
  EXPECT_EQ(load.degree(), 32.0);
  EXPECT_EQ(load.threads.size(), 32u);
  EXPECT_EQ(find(banks, "A", true).wavefronts, 1);
  EXPECT_EQ(describe(load),
            "a warp reads A in shared memory in 32 wavefronts instead of 1: threads 0, 1, 2 ... "
            "(32) use bank 0 at bytes 0, 128, 256 ... (32)");
}

// 4 banks bring 4 words in a wavefront: 32 words take 8. Rows of 33 = 1 mod 4 keep that.
TEST_F(WarpRequestsTest, FewBanksNeedMoreWavefronts) {
  MachineSpec small = machine("sm80");
  small.limits.smemBanks.value = 4;
  for (const BankAccess &access : banksOf(transposeWithRows("33"), small)) {
    EXPECT_EQ(access.wavefronts, 8);
    EXPECT_EQ(access.idealWavefronts, 8);
  }
  EXPECT_EQ(find(banksOf(transposeWithRows("32"), small), "A", false).wavefronts, 32);
}

// Threads of 4x4 elements, 16 along n: a warp reads A at rows 0 and 4 of 16 words, so words 0 and
// 64, both in bank 0; B at 16 places of 4 words.
TEST_F(WarpRequestsTest, DenseTilesOfAGemmCollide) {
  NestModel model = read(gemmText({}), {"A", "B", "C", "M", "N", "K"}, {-1, -1, -1, 4096, 4096, 4096});
  auto banks = banksOf(model, machine("sm80"));
  const BankAccess &a = find(banks, "A", false), &b = find(banks, "B", false);
  EXPECT_EQ(a.wavefronts, 2);
  EXPECT_EQ(a.idealWavefronts, 1);
  EXPECT_EQ(a.addresses, (SmallVector<int64_t>{0, 256}));
  EXPECT_EQ(b.site.width, 4);
  EXPECT_EQ(b.wavefronts, b.idealWavefronts);
}

// gemm.mlir keeps rows of A 132 words apart: nothing collides, neither copies nor reads.
TEST_F(WarpRequestsTest, PaddedGemmHasNoConflict) {
  NestModel model = read(exampleText("gemm.mlir"), {"A", "B", "C", "M", "N", "K", "alpha", "beta"},
                         {-1, -1, -1, 4096, 4096, 4096, -1, -1});
  auto banks = banksOf(model, machine("sm80"));
  ASSERT_EQ(banks.size(), 4u);
  for (const BankAccess &access : banks)
    EXPECT_EQ(access.wavefronts, access.idealWavefronts) << describe(access);
  EXPECT_EQ(find(banks, "A", false).site.width, 4);
  EXPECT_EQ(find(banks, "B", true).site.width, 4);
  for (const GlobalAccess &access : coalescing(model, machine("sm80")))
    if (!access.site.writes && access.site.name != "C") {
      EXPECT_EQ(access.sectors, access.idealSectors) << describe(access);
    }
}

} // namespace
