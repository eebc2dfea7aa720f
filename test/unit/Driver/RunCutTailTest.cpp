//===- RunCutTailTest.cpp - A last wave that all blocks share ------------===//
//
// Tiles cut along their time loop, for machines that run 1 to 40 blocks at once:
// none, some and all tiles cut, shares of less than a step to whole tiles.
//
//===----------------------------------------------------------------------===//

#include <map>

#include "RunTestHelp.h"

using namespace tilec;

namespace {

using Schedule = EmulatorSettings::Schedule;
constexpr Schedule schedules[] = {Schedule::InOrder, Schedule::Reversed, Schedule::WarpAhead, Schedule::Random};

/// Sums that start from 1 and 0, both of one pass; the second one is used up after the loop.
const char *const twoSums = R"mlir(
!G = memref<?x?xf32, strided<[?, ?]>>
!V = memref<?xf32>
!x = memref<1x4xf32, #tile.level<rf>>
!s = memref<64xf32, #tile.level<rf>>
!e = memref<1xf32, #tile.level<rf>>
#row = affine_map<(i, j) -> (i)>
#at = affine_map<(i, j) -> (i, j)>
#i = affine_map<(i) -> (i)>
tile.kernel @moments(%X: !G[%M, %N], %S: !V[%M], %Q: !V[%M], %M: index, %N: index) {
  tile.for (%i0) in (%M) by (64) at dram on block persistent {
    %s = tile.hold init(1.0 : f32) : !s
    %q = tile.hold init(0.0 : f32) : !s
    tile.for (%j0) in (%N) by (4) at dram tail(cut) {
      tile.for (%i1) in (64) by (1) at dram on thread {
        %x = tile.stage %X[%i0 + %i1, %j0] : !G to !x
        %se = tile.part %s[%i1] : !s to !e
        %qe = tile.part %q[%i1] : !s to !e
        linalg.generic {indexing_maps = [#at, #row, #row], iterator_types = ["parallel", "reduction"]}
            ins(%x : !x) outs(%se, %qe : !e, !e) {
        ^bb0(%a: f32, %sum: f32, %squares: f32):
          %t = arith.addf %a, %sum : f32
          %p = arith.mulf %a, %a : f32
          %u = arith.subf %squares, %p : f32
          linalg.yield %t, %u : f32, f32
        }
      }
    }
    tile.for (%i1) in (64) by (1) at rf on thread {
      %se = tile.part %s[%i1] : !s to !e
      %qe = tile.part %q[%i1] : !s to !e
      linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]} ins(%se : !e) outs(%qe : !e) {
      ^bb0(%sum: f32, %squares: f32):
        %d = arith.subf %squares, %sum : f32
        linalg.yield %d : f32
      }
    }
    tile.store %s to %S[%i0] : !s to !V
    tile.store %q to %Q[%i0] : !s to !V
  }
}
)mlir";

/// The threads of a block add up parts of a row, block after block along it.
const char *const reduced = R"mlir(
!G = memref<?x?xf32, strided<[?, ?]>>
!V = memref<?xf32>
!x = memref<1x2xf32, #tile.level<rf>>
!s = memref<1xf32, #tile.level<rf>>
tile.kernel @rows(%X: !G[%M, %N], %S: !V[%M], %M: index, %N: index) {
  tile.for (%i) in (%M) by (1) at dram on block persistent {
    %s = tile.hold init(0.0 : f32) : !s
    tile.for (%j0) in (%N) by (128) at dram tail(cut) {
      tile.for (%j1) in (128) by (2) at dram on thread reduce(add) {
        %x = tile.stage %X[%i, %j0 + %j1] : !G to !x
        linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
                        iterator_types = ["parallel", "reduction"]} ins(%x : !x) outs(%s : !s) {
        ^bb0(%a: f32, %sum: f32):
          %r = arith.addf %sum, %a : f32
          linalg.yield %r : f32
        }
      }
    }
    tile.store %s to %S[%i] : !s to !V
  }
}
)mlir";

std::string replaceOnce(std::string text, const std::string &from, const std::string &to) {
  size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

/// `twoSums` in clusters of three blocks.
CompileResult compileClustered() {
  std::string text = replaceOnce(twoSums, "tile.for (%i0) in (%M) by (64) at dram on block persistent {",
                                 "tile.for (%ic) in (%M) by (192) at dram on cluster persistent {\n"
                                 "  tile.for (%i0) in (192) by (64) at dram on block {");
  text = replaceOnce(text, "%X[%i0 + %i1, %j0]", "%X[%ic + %i0 + %i1, %j0]");
  text = replaceOnce(text, "%S[%i0]", "%S[%ic + %i0]");
  text = replaceOnce(text, "%Q[%i0] : !s to !V", "%Q[%ic + %i0] : !s to !V\n  }");
  return compileText(text, "moments", {}, "h100-sxm");
}

RunResult expectRight(const CompileResult &compiled, std::map<std::string, int64_t> shape, unsigned residentBlocks,
                      unsigned number) {
  RunOptions options;
  options.place = RunPlace::CPU;
  options.shape = std::move(shape);
  options.emulator.residentBlocks = residentBlocks;
  options.emulator.schedule = schedules[number % 4];
  options.emulator.threads = 1 + number % 2;
  RunResult result = run(compiled, 0, options);
  EXPECT_EQ(result.status, Status::Done) << residentBlocks << " blocks\n" << getText(result);
  return result;
}

TEST(CutTail, GemmIsRightWhateverIsCut) {
  CompileResult compiled = compileExample("persistent");
  ASSERT_TRUE(compiled.kernels[0].launch.cutLoop.has_value());
  const int64_t shapes[][3] = {{300, 270, 100}, {129, 128, 17}, {128, 128, 16}, {128, 384, 5}, {385, 129, 64},
                               {0, 128, 16},    {128, 0, 16},   {130, 140, 0},  {1, 1, 1},     {127, 1, 333}};
  unsigned number = 0;
  for (const auto &shape : shapes)
    for (unsigned residentBlocks : {1, 3, 5, 16}) // Of 9 tiles 0, 0, 4 and 9 are cut.
      expectRight(compiled, {{"m", shape[0]}, {"n", shape[1]}, {"k", shape[2]}}, residentBlocks, number++);
}

// A time loop without a pipeline, one element a thread, and an epilogue that reads what it overwrites.
TEST(CutTail, EpilogueRunsOnceForEachTile) {
  std::string text = replaceOnce(readExample("smem"), "at dram on block", "at dram on block persistent raster(column)");
  CompileResult compiled = compileText(replaceOnce(text, "(%K) by (32) at dram", "(%K) by (32) at dram tail(cut)"), "smem");
  unsigned number = 0;
  for (unsigned residentBlocks : {1, 4, 5, 8, 40})
    for (int64_t k : {0, 33, 160})
      expectRight(compiled, {{"m", 33}, {"n", 65}, {"k", k}}, residentBlocks, number++);
}

TEST(CutTail, SeveralSumsAndOtherInitialValues) {
  CompileResult compiled = compileText(twoSums, "moments");
  unsigned number = 0;
  for (unsigned residentBlocks : {1, 2, 3, 7, 40})
    for (int64_t n : {0, 1, 4, 50})
      expectRight(compiled, {{"m", 200}, {"n", n}}, residentBlocks, number++);
}

TEST(CutTail, SumsOverThreads) {
  CompileResult compiled = compileText(reduced, "rows");
  unsigned number = 0;
  for (unsigned residentBlocks : {1, 3, 5, 40})
    for (int64_t n : {0, 127, 1000})
      expectRight(compiled, {{"m", 7}, {"n", n}}, residentBlocks, number++);
}

// Three blocks a cluster, each with rows of its own: the blocks of all clusters with one rank put theirs together. Rows
// end within a cluster's tile, so that one of its blocks has none.
TEST(CutTail, ClustersShareTilesOfClusters) {
  CompileResult compiled = compileClustered();
  ASSERT_EQ(compiled.kernels[0].launch.clusterBlocks, 3u);
  unsigned number = 0;
  for (unsigned residentBlocks : {1, 6, 10, 21, 60}) // 1, 2, 3, 7 and 20 clusters.
    for (auto [m, n] : {std::pair(500, 50), {1000, 9}, {64, 33}, {193, 0}, {1, 1}})
      expectRight(compiled, {{"m", m}, {"n", n}}, residentBlocks, number++);
}

// 5 tiles of clusters of 13 steps on 3 clusters: 2 tiles are cut in shares from units 0, 8 and 17 of 26 on, so that each
// has two parts: 4 parts of 3 blocks with 64 threads and two sums each.
TEST(CutTail, CountsWhatClustersPassThroughTheWorkspace) {
  CompileResult compiled = compileClustered();
  RunResult result = expectRight(compiled, {{"m", 960}, {"n", 52}}, 10, 0);
  std::map<std::string, uint64_t> written;
  for (const CountedTraffic &counted : result.counted)
    if (counted.global && counted.access != CountedTraffic::Access::Read)
      written[counted.object] += counted.bytes;
  EXPECT_EQ(written["s_parts"], 4u * 3 * 64 * 4);
  EXPECT_EQ(written["q_parts"], 4u * 3 * 64 * 4);
}

// A loop of one step, known as such: there is nothing to cut.
TEST(CutTail, OneStepLoop) {
  std::string text = replaceOnce(reduced, "!G[%M, %N]", "!G[%M, 100]");
  text = replaceOnce(text, "!G = memref<?x?xf32, strided<[?, ?]>>", "!G = memref<?x100xf32, strided<[?, ?]>>");
  text = replaceOnce(text, ", %M: index, %N: index", ", %M: index");
  CompileResult compiled = compileText(replaceOnce(text, "in (%N) by (128)", "in (100) by (128)"), "rows");
  for (unsigned residentBlocks : {1, 3, 40})
    expectRight(compiled, {{"m", 7}}, residentBlocks, residentBlocks);
}

// Kernels whose text breaks a rule of the exchange are found out, whatever they compute.
TEST(CutTail, BrokenExchangesAreFound) {
  CompileResult compiled = compileText(twoSums, "moments");
  const std::string whole = compiled.kernels[0].cuda;
  auto expectWrong = [&](std::string text, const std::string &words) {
    compiled.kernels[0].cuda = std::move(text);
    RunOptions options;
    options.place = RunPlace::CPU;
    options.shape = {{"m", 200}, {"n", 50}};
    options.emulator.residentBlocks = 7;
    RunResult result = run(compiled, 0, options);
    EXPECT_EQ(result.status, Status::Wrong);
    EXPECT_TRUE(contains(getText(result), words)) << getText(result);
  };
  size_t reset = whole.rfind("atomic_fetch_add(");
  ASSERT_NE(reset, std::string::npos);
  std::string text = whole;
  expectWrong(text.replace(reset, whole.find(';', reset) - reset, ""), "workspace: parts_done is not zero");
  // The barriers around the count: what is counted is written, and all threads see the count.
  size_t start = whole.find("__global__");
  size_t before = whole.find("sync_block();", whole.find("stg(", start));
  size_t after = whole.find("sync_block();", whole.find("sts(", start));
  ASSERT_TRUE(before < after && after != std::string::npos);
  text = whole;
  expectWrong(text.replace(before, 13, ""), "global race");
  text = whole;
  expectWrong(text.replace(after, 13, ""), "shared race");
}

// 9 tiles of 5 steps on 5 blocks: 8 parts, of 4 tiles, of 256 threads * 64 floats go to the workspace and come back, as
// CutTailTest of the analysis counts them.
TEST(CutTail, CountsWhatPassesThroughTheWorkspace) {
  CompileResult compiled = compileExample("persistent");
  RunResult result = expectRight(compiled, {{"m", 300}, {"n", 270}, {"k", 76}}, 5, 0);
  std::map<std::string, uint64_t> read, written;
  for (const CountedTraffic &counted : result.counted)
    if (counted.global)
      (counted.access == CountedTraffic::Access::Read ? read : written)[counted.object] += counted.bytes;
  EXPECT_EQ(written["c_parts"], 8u * 65536);
  EXPECT_EQ(read["c_parts"], 8u * 65536);
  EXPECT_EQ(written["parts_done"], (8u + 4) * 4);
  // No step is copied twice: 4 m k ceil(n / 128) of A.
  EXPECT_EQ(read["A"], 4u * 300 * 76 * 3);
}

} // namespace
