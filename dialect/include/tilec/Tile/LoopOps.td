//===- LoopOps.td - Loops of the tile dialect --------------*- tablegen -*-===//
//
// Loops over tiles, and what ties the results of some together.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_TILE_LOOPOPS_TD
#define TILEC_TILE_LOOPOPS_TD

include "tilec/Tile/TileAttrs.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Tile_ForOp : Tile_Op<"for", [NoTerminator, SingleBlock, AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "loops over the tiles of a box of extents, at a level, on a unit";
  let description = [{
    ```
    tile.for (%V, ...) in (EXTENT, ...) by (STEP, ...) at LEVEL [on UNIT]? [persistent]? [teams(N)]? [raster(ORDER)]? [tail(cut)]?
        [pipeline(N)]? [producers(N)]? [registers(N, N)]? [choose(WHERE)]? [issue(WHEN)]? [begin(WHERE)]? [release(WHEN)]?
        [reduce(KIND) [prefix]?]? [smem_at(N, ...)]? { ... }
    tile.for ... reduce(%V, ... : MEMREF, ...) [smem_at(N, ...)]? { ... } combine (%V: TYPE, ...) { ... }
    ```

    An induction variable takes the values 0, step, 2 * step, ... below its extent:
    it is an offset in elements, not the number of a tile. `at` is the level whose tiles
    the loop walks. `on` is the unit that runs its iterations: `time` (one after
    the other, the default), `unroll` (the same, written out), `cluster`, `block`, `warpgroup` (four
    warps), `warp` or `thread` (all at once, one unit for each iteration). The outer of two loops on
    units is the slower one, and the last induction variable is the fastest: consecutive
    iterations are consecutive units. A step is a number or `?`, and so may an extent be: what is open is filled in
    when the nest is compiled, with all else that it does not say (docs/language.md, 11).

    `raster(ORDER)` orders the blocks of a grid (`#tile.raster`): `row`, `column`, `grouped = N`, `boxes = NxN` or
    `diagonal`.

    `reduce(KIND)` on a loop on units says that
    its iterations combine values with the same held elements; partial results are put together when the
    loop ends, by threads through shuffles and shared memory, by the blocks of a cluster
    through each other's shared memory. What follows a reducing loop on block in the loop on
    cluster is done once, by the cluster's first block.

    `reduce(KIND) prefix` on a loop on thread scans: iterations have an order, and the op that combines with the held element reads there what
    all iterations and points before have left, so that what else it yields may be running sums, with the element or without it
    (docs/language.md, 7.7). Each thread combines its own points, shuffles and shared memory tell it what those before it have, and then
    it goes over its points again.

    `reduce(%m, %p : !m, !p) { ... } combine (%m0: f32, %p0: i32, %m1: f32, %p1: i32) { ... }` ties held tiles together: an element of each,
    at one place, is a tuple. Each iteration begins with what `init` of the tiles says and does with them what it likes. When the loop
    ends, the region of `combine` makes one tuple of two, that of the lower iteration first, in a fixed order, and gives it to `tile.yield`
    (docs/language.md, 7.5).

    `pipeline(N)` on a loop on time copies the tiles that its body stages
    in shared memory N - 1 iterations ahead. `producers(N)` gives these copies to N warps of their own, which do
    nothing else; the other warps wait for a slot to be full and say when it is empty, with
    no barrier of the whole block. `registers(N, N)` sets the number of registers of each thread of the producers
    and of each other thread.

    `persistent` on the outermost loop launches as many blocks as the device runs at
    once; each takes one tile after the other, in the order of the raster.
    `teams(N)` gives a block N times the threads that the nest takes: N teams, each of which takes every N-th of the block's tiles, while the
    producers fill one ring for all of them, tile after tile. A team begins with the iterations of its tile when the team before has asked
    for all of its products, so that what follows the loop with `producers` in one tile runs beside the products of the next.
    `tail(cut)` on a loop on time in such a loop shares the iterations of those tiles
    that do not fill a whole wave evenly among all blocks. These tiles come
    first. The last block that finishes a part of a tile adds the parts, in the
    order of the iterations, and continues with what follows the loop. `tail(cut, I, S, N)` says when: where whole
    waves would leave less than an I-th of the device idle, or sharing would save a block less
    than N iterations, nothing is cut, and one block for each tile is launched; where that leaves
    an S-th of the blocks idle or less, each cut tile has blocks of its own. `tile-plan-raster` writes
    64, 16, and as many iterations as stage the bytes of the tile that the loop adds to, at least one.

    The clauses from `choose` to `release` are decisions that `tile-plan-pipeline` writes where a nest leaves them open. `choose(loop)`
    on a pipelined loop whose copies have several forms (`tile.stage`) writes the loop twice: for launches that take
    the first form of each, and for all others; `choose(copy)` writes it once, and each copy chooses. `issue(after_loads)`
    asks for the copies of a later iteration after the first loads of this one to registers, `issue(first)` ahead of
    them. `begin` is of a loop whose body stages tiles in registers: with `begin(here)` it begins with loads that its products wait for;
    with `begin(ahead)` what its first iterations multiply is loaded in the last ones of the run before, from the next slot of the
    pipelined loop around that stages in shared memory what it loads, and that loop waits for a slot, and for other threads, so much earlier:
    while products of the slot before are still to be done. Ahead of that loop's first iteration they are loaded by themselves, and
    past its last one from a slot of absent elements.
    `release(end)` gives a slot back to the producers at the end of the iteration that used it, `release(next)`
    in the next one, after it has waited for its own.

    `smem_at(N, ...)` says where in the block's shared memory the arrays lie that the loop needs beside staged tiles, in
    bytes: of a ring the barriers that say that slots are full, then those that say that they are empty, and of `teams` those
    that say whose turn it is; of a
    `reduce` one array for each held tile whose values go from warp to warp or from block to block; of
    `tail(cut)` the number of parts that are done. `tile-plan-smem` writes it where a block takes more than 48 KiB,
    and `tile.stage` has the same for its tile: a kernel says it of all its arrays or of none.

    Example:

    ```mlir
    tile.kernel @loops(%M: index, %X: memref<?xf32>[%M]) {
      tile.for (%m0) in (%M) by (128) at dram on block raster(row) {
        tile.for (%m1) in (128) by (1) at dram on thread {
        }
      }
    }
    ```

    Rules: (F1) there are as many induction variables as extents and as steps, at least one;
    (F2) static extents go from 0 to 2147418111, and a step from 1 to what is left of
    2147483647 above the extent, which is 65536 where it is dynamic; (F3) an extent inside a tile
    (a static extent of a loop on warpgroup, warp, thread or unroll, or at smem or rf) is a
    multiple of its step; (F4) units nest in order: cluster, block, warpgroup, warp, thread,
    no unit but warpgroup, warp and thread within itself; (F5) `raster` only on
    the outermost cluster or block loop, `grouped`, `boxes` and `diagonal` only with
    two induction variables; (F6) `pipeline` only on a loop on time, from 2 to 1024; (F7) `reduce` only
    on warp and thread loops, and on block loops directly in one on cluster; (F8) loops on warpgroup, warp, thread and unroll have static
    extents, and those on warpgroup, warp and thread and on the blocks of a cluster at least one iteration; (F9) `persistent` only on the outermost loop, on block or cluster; (F10)
    `tail(cut)` only on a loop on time of one induction variable that is directly
    in a loop on block, persistent or in a persistent loop on cluster, one in each; (F11) what precedes a cut loop reads and writes
    no operand, what is in it writes none, and what is in it changes tiles from outside of it only by
    adding to held ones, which nothing else in it reads and nothing before
    it uses; (F12) `producers` only on a pipelined loop outside of loops on warpgroup, warp and
    thread, from 1 to 1024 warps, once in a kernel; (F13) `registers` only with
    `producers`, two multiples of 8 from 24 to 256; (F14) places of `smem_at` are multiples of 128 from 0 to 2147483520;
    (F15) `choose`, `issue` and `begin` only with `pipeline` and without `producers`, `release` only with `producers`; (F16) the
    numbers of `tail(cut, I, S, N)` go from 1 to 65536; (F17) `teams` only with `persistent`, from 2 to 15, and where a loop with `producers`
    that is not cut stands directly in the loop on block; (F18) `combine` where `reduce` names tiles, with an argument of the element's type for
    each of them, twice; (F19) the tiles are different memrefs of one static shape; (F20) `prefix` only beside `reduce(KIND)`, on a loop on
    thread with no loop on threads in it.
  }];
  let arguments = (ins
    Variadic<Index>:$extents,
    Variadic<AnyMemRef>:$tied,
    DenseI64ArrayAttr:$static_extents,
    DenseI64ArrayAttr:$steps,
    Tile_LevelAttr:$level,
    DefaultValuedAttr<Tile_Unit, "::tilec::tile::Unit::Time">:$unit,
    UnitAttr:$persistent,
    OptionalAttr<I64Attr>:$teams,
    OptionalAttr<Tile_RasterAttr>:$raster,
    UnitAttr:$cut_tail,
    OptionalAttr<DenseI64ArrayAttr>:$cut_worth,
    OptionalAttr<I64Attr>:$pipeline,
    OptionalAttr<I64Attr>:$producers,
    OptionalAttr<DenseI64ArrayAttr>:$registers,
    OptionalAttr<Tile_Choose>:$choose,
    OptionalAttr<Tile_Issue>:$issue,
    OptionalAttr<Tile_Begin>:$begin,
    OptionalAttr<Tile_Release>:$release,
    OptionalAttr<Tile_Combine>:$reduce,
    UnitAttr:$prefix,
    OptionalAttr<DenseI64ArrayAttr>:$smem_at);
  let regions = (region SizedRegion<1>:$body, VariadicRegion<SizedRegion<1>>:$combiners);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// Are partial results put together when it ends, of one tile each or of tiles that are tied together?
    bool reduces() { return getReduce() || !getTied().empty(); }
    /// What makes one tuple of two, of a loop that ties tiles together.
    ::mlir::Block &getCombiner() { return getCombiners().front().front(); }
    unsigned getNumLoops() { return getSteps().size(); }
    ::mlir::Value getInductionVar(unsigned i) { return getBody().front().getArgument(i); }
    /// The extent of loop `i`: a number or an SSA value.
    ::mlir::OpFoldResult getExtent(unsigned i);
    /// The number of iterations of loop `i` where the extent is static.
    std::optional<int64_t> getStaticCount(unsigned i);
    /// The loop in the body that says `tail(cut)`, of a cluster's in that of the loop on block; null where there is none.
    ForOp getCutLoop();
  }];
}

def Tile_YieldOp : Tile_Op<"yield", [Pure, Terminator, HasParent<"ForOp">]> {
  let summary = "the tuple that is made of two";
  let description = [{
    ```
    tile.yield %V, ... : TYPE, ...
    ```

    Ends the region of `combine` of a loop that ties tiles together (`tile.for`).

    Example:

    ```mlir
    !V = memref<?xf32>
    !e = memref<1xf32, #tile.level<rf>>
    tile.kernel @range(%X: !V[%N], %L: memref<1xf32>[1], %H: memref<1xf32>[1], %N: index) {
      %low = tile.hold init(0x7F800000 : f32) : !e
      %high = tile.hold init(0xFF800000 : f32) : !e
      tile.for (%t) in (256) by (1) at dram on thread reduce(%low, %high : !e, !e) {
        tile.for (%i) in (%N) by (256) at dram {
          %x = tile.stage %X[%i + %t] : !V to !e
          linalg.min ins(%x, %low : !e, !e) outs(%low : !e)
          linalg.max ins(%x, %high : !e, !e) outs(%high : !e)
        }
      } combine (%low0: f32, %high0: f32, %low1: f32, %high1: f32) {
        %l = arith.minimumf %low0, %low1 : f32
        %h = arith.maximumf %high0, %high1 : f32
        tile.yield %l, %h : f32, f32
      }
      tile.store %low to %L[0] : !e to memref<1xf32>
      tile.store %high to %H[0] : !e to memref<1xf32>
    }
    ```

    Rules: (Y1) it ends a `combine`, and gives a value of the element's type for each tile, in their order.
  }];
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "$values attr-dict `:` type($values)";
  let hasVerifier = 1;
}

#endif
