//===- TileOps.td - Operations of the tile dialect ---------*- tablegen -*-===//

#ifndef TILEC_TILE_TILEOPS_TD
#define TILEC_TILE_TILEOPS_TD

include "tilec/Tile/ProgramOps.td"
include "tilec/Tile/TileAttrs.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/ViewLikeInterface.td"

//===----------------------------------------------------------------------===//
// Structure
//===----------------------------------------------------------------------===//

def Tile_KernelOp : Tile_Op<"kernel", [
    FunctionOpInterface, IsolatedFromAbove, NoTerminator, SingleBlock]> {
  let summary = "a kernel: operands, sizes, scalars and a loop nest";
  let description = [{
    ```
    tile.kernel @NAME(%V: MEMREF[EXTENT, ...], %V: index, %V: TYPE, ...) [dataflow(WORD)]? { ... }
    ```

    Arguments are operands (memrefs in DRAM or in constant memory), sizes (`index`) and scalars. Each
    operand lists the extent of each of its dimensions in brackets: a size
    argument, or the number that its type states. Operands may have any positive
    strides; dynamic ones become kernel parameters. Operands that are written
    overlap no other operand (the launcher checks it).

    A declared dataflow is verified against the loops.

    Example:

    ```mlir
    !V = memref<?xf32, strided<[?]>>
    !t = memref<4xf32, #tile.level<rf>>
    tile.kernel @scale(%X: !V[%N], %Y: !V[%N], %N: index, %a: f32) {
      tile.for (%i0) in (%N) by (1024) at dram on block {
        tile.for (%i1) in (1024) by (4) at dram on thread {
          %x = tile.stage %X[%i0 + %i1] : !V to !t
          linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%x : !t) {
          ^bb0(%v: f32):
            %r = arith.mulf %a, %v : f32
            linalg.yield %r : f32
          }
          tile.store %x to %Y[%i0 + %i1] : !t to !V
        }
      }
    }
    ```

    Rules: (K1) an operand's bracket list has one entry for each dimension; (K2) an
    entry of a static dimension is its extent, at most 2147418111, one of a dynamic
    dimension is an `index` argument of this kernel; (K3) operands are memrefs in DRAM, or in constant memory, with a
    strided layout, whose static strides go from 0 to 2^48, other arguments are `index` or a number type; (K4) a kernel
    returns nothing; (K5) the declared dataflow is what the loops do; (K6) a
    size argument is used by some operand's shape; (K7) a kernel has at most 16384
    ops, not counting those in regions of `linalg` ops, which have at most 1024 each; (K8) an operand in
    constant memory (`#tile.level<constant>`) has a static shape, 1 to 65536 elements, and no gaps; (K9) such an operand is not written.

    Rules on computation: (C1) what a kernel computes with numbers, in bodies of
    `linalg` ops and between loops, is written with `linalg.index` (in bodies);
    `arith.constant`, `select`; `addf`, `subf`, `mulf`, `divf`, `remf`, `negf`,
    `maximumf`, `minimumf`, `maxnumf`, `minnumf`, `cmpf`; `math.absf`, `ceil`,
    `cos`, `erf`, `exp`, `exp2`, `expm1`, `floor`, `fma`, `log`, `log1p`, `log2`,
    `powf`, `round`, `roundeven`, `rsqrt`, `sin`, `sqrt`, `tanh`, `trunc`;
    `arith.addi`, `subi`, `muli`, `divsi`, `divui`, `remsi`, `remui`, `maxsi`,
    `minsi`, `maxui`, `minui`, `shli`, `shrsi`, `shrui`, `math.absi`, `arith.andi`,
    `ori`, `xori`, `cmpi`; and the conversions `extf`, `truncf`, `fptosi`, `fptoui`,
    `sitofp`, `uitofp`, `extsi`, `extui`, `trunci`, `index_cast`, `index_castui`;
    (C2) what a `linalg` op both reads as an input and writes, it reads and writes
    by one map of one part, and no two of its results overlap; (C3) scalars are f64,
    f32, f16, bf16, i64, i32, i16, i8, i1 and index, elements of memrefs the same
    without i1 and index, and f8E4M3FN and f8E5M2, which only `arith.extf` takes; i1 has no arithmetic but `andi`, `ori`, `xori`, and no
    order; conversions round to nearest, ties to even; tf32 is what `arith.truncf toward_zero` makes of an f32, which drops the 13 last
    bits of its significand, and only `arith.extf` to f32 takes it; (C4) the memrefs of a
    `linalg` op are operands, staged or held tiles, or parts of them, in a kernel without loops also arrays that `memref.alloc` makes there and views of these and of operands (G4), whose merged extents are numbers, and what is
    no memref is a scalar that it reads; (C5) `tile.order` on a `linalg` op, which says how its
    dimensions are walked from the outermost loop to the innermost, has each of them once, and keeps those in their order that
    are not dimensions of each result: the points that write an element stay in their order (`tile-plan-compute` writes it where a nest leaves it open); (C6)
    `tile.instruction` on a `linalg` op names the instruction that it is computed with: "fma" is the ops of its body one by one by each thread
    (`tile-plan-compute` writes it where a nest leaves it open); (C7) a `linalg` op in a loop on warpgroup that no loop on warp or thread
    parts further is one instruction of the warpgroup: a product `c(m, n) += a(m, k) * b(n, k)` of bf16, f16, tf32 or 8-bit floats added up in f32, or of i8 added up in i32, for 64 m,
    32 bytes along k and a multiple of 8 n up to 256 (of i8 above 24 one of 16), whose inputs are parts of tiles in smem, the first one's of bf16 or f16
    in rf too, and whose result is part of a held tile; all other dimensions, as those of a batch or a filter, have one place. f32 is multiplied as tf32 only where the body says so; (C8) a `linalg` op in a loop on warp that no loop on thread
    parts further is one instruction of the warp where it is such a product, all of whose tiles are in rf and whose sizes are those of a row of
    `mma.sync` (16 m, 8 n and 32 bytes along k), unless `tile.instruction` says "fma": then, as where there is no such row, each lane computes
    all of it. One that names an instruction of a warp is that instruction.
  }];
  let arguments = (ins
    SymbolNameAttr:$sym_name,
    TypeAttrOf<FunctionType>:$function_type,
    ArrayAttr:$shapes,
    OptionalAttr<Tile_Dataflow>:$dataflow,
    OptionalAttr<DictArrayAttr>:$arg_attrs,
    OptionalAttr<DictArrayAttr>:$res_attrs,
    OptionalAttr<StrAttr>:$sym_visibility);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() { return {}; }
    ::mlir::Region *getCallableRegion() { return &getBody(); }
    /// `shapes` has the number of a size argument for each dimension of each operand, or what this says for a number.
    static int64_t encodeExtent(int64_t extent) { return -1 - extent; }
    /// The extent of dimension `dim` of operand `arg`: a number, or the size argument.
    ::mlir::OpFoldResult getOperandExtent(unsigned arg, unsigned dim);
  }];
}

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
    order of the iterations, and continues with what follows the loop. `tail(cut, I, S)` says when: where whole
    waves would leave less than an I-th of the device idle, nothing is cut, and one
    block for each tile is launched; where that leaves an S-th of the blocks idle or less,
    each cut tile has blocks of its own. `tile-plan-raster` writes 16 and 16.

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
    numbers of `tail(cut, I, S)` go from 1 to 65536; (F17) `teams` only with `persistent`, from 2 to 15, and where a loop with `producers`
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

def Tile_LaunchOp : Tile_Op<"launch", [HasParent<"KernelOp">]> {
  let summary = "how a grid of the kernel is launched";
  let description = [{
    ```
    tile.launch grid [EXTENT, ...] by [N, ...] threads(N) [cluster(N)]? [min_blocks(N)]? [static_smem(N)]? [dynamic_smem(N)]?
        [workspaces(WORKSPACE, ...)]? [maps(BOX, ...)]?
    ```

    One for each outermost loop, after the loops and in their order: the list of what the launcher does. `tile-plan-launch` writes
    it; nothing of it needs to be written by hand. Threads are those of a block, producers among them. Static and dynamic shared
    memory are bytes of a block; more dynamic ones than its arrays take keep blocks from sharing an SM. `min_blocks(N)` asks the
    compiler for registers that let N blocks share an SM: it is `__launch_bounds__`' second number, 1 where
    `registers` parts them among warps (without it ptxas ignores `setmaxnreg`), and 2 where the compiler would by a little
    leave room for one block only. `maps` are the tensor maps of stages
    with `copy(tma)`, in their order (`#tile.box`), and `workspaces` what a cut wave leaves its parts in (`#tile.workspace`).

    Example:

    ```mlir
    tile.kernel @fill(%X: memref<?xf32>[%M], %M: index) {
      tile.for (%i) in (%M) by (128) at dram on block {
        tile.for (%j) in (128) by (1) at dram on thread {
          %c = tile.hold init(1.0 : f32) : memref<1xf32, #tile.level<rf>>
          tile.store %c to %X[%i + %j] : memref<1xf32, #tile.level<rf>> to memref<?xf32>
        }
      }
      tile.launch grid [%M] by [128] threads(128)
    }
    ```

    Rules: (L1) a launch is written after its kernel's loops, at most once for each outermost one; (L2) there are as many extents as steps;
    (L3) numbers of threads, blocks and steps are at least 1, bytes at least 0, and only one of `static_smem` and `dynamic_smem` is there;
    (L4) grid, threads, cluster, workspaces and maps are those of the loops, and there are at least as many bytes of shared memory as the
    kernel's arrays take, no more of static ones.
  }];
  let arguments = (ins
    Variadic<Index>:$extents,
    DenseI64ArrayAttr:$static_extents,
    DenseI64ArrayAttr:$steps,
    I64Attr:$threads,
    OptionalAttr<I64Attr>:$cluster,
    OptionalAttr<I64Attr>:$min_blocks,
    OptionalAttr<I64Attr>:$static_smem,
    OptionalAttr<I64Attr>:$dynamic_smem,
    OptionalAttr<Tile_WorkspaceArrayAttr>:$workspaces,
    OptionalAttr<Tile_BoxArrayAttr>:$maps);
  let assemblyFormat = [{
    `grid` custom<DynamicIndexList>($extents, $static_extents) `by` $steps `threads` `(` $threads `)`
    (`cluster` `(` $cluster^ `)`)? (`min_blocks` `(` $min_blocks^ `)`)? (`static_smem` `(` $static_smem^ `)`)?
    (`dynamic_smem` `(` $dynamic_smem^ `)`)? (`workspaces` `(` $workspaces^ `)`)? (`maps` `(` $maps^ `)`)? attr-dict
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

class Tile_AccessOp<string mnemonic, list<Trait> traits = []> : Tile_Op<mnemonic, traits>;

def Tile_StageOp : Tile_AccessOp<"stage", [AttrSizedOperandSegments]> {
  let summary = "copies a tile to a nearer level";
  let description = [{
    ```
    %V = tile.stage %V[SUBSCRIPT, ...] [gather(%V : MEMREF along N)]? [pad(PAD)]? [copy(COPY)]? [slices(N)]? [forms(FORM, ...)]? [edges(EDGES)]?
        [unroll(N, N)]? [wide(N)]? [spread(LAYOUT)]? [smem_at(N)]? : MEMREF to MEMREF
    ```

    The result is a new tile of the result type's shape at the result type's
    level, filled from `source` at the subscripts. Elements outside the operand
    are absent, unless `pad` gives them a value: `zero`, the nearest element
    (`clamp`), or the mirrored one (`reflect`, edge not repeated). An operand
    without elements is padded with zero.
    `gather(%I : MEMREF along 0)` numbers dimension 0 of the operand by what `%I` holds: the subscript of that dimension is a
    place in `%I`, and element (r, c) of the tile is element (I[s + r], t + c) of the operand at subscripts [s, t]. Elements whose place is
    outside of `%I` are absent. An index that the operand does not have has no meaning: the emulator reports it, on a device the element is absent.
    `copy(tma)` lets the tensor memory accelerator copy whole boxes where the
    operand's base and strides allow it; launches where they do not are copied as
    without it. `copy(ldmatrix)` lets the lanes of a warp load, as one, what an instruction of the warp takes from
    registers: matrices of 8 rows of 16 bytes (`tile-plan-copy` writes it where it can be done and a nest says neither it nor `wide`).

    What follows are decisions that `tile-plan-copy` writes where a nest leaves them open. `forms(1 by 4, 1, 0)` on a tile in
    smem lists how the block's threads deal the copy out, in the order in which a launch is asked: consecutive threads
    walk dimension 1 with 4 elements each; the same with one element each; dimension 0 with one each, which any
    launch takes. `edges(tile)` asks once whether all of the tile is present, and then copies without asking for each
    element. `unroll(N, M)` writes out the rounds of a copy if they are no more than N, and M at a time in texts for launches
    that take another form than the first. `slices(N)` parts a box of `copy(tma)` among N of the blocks that share it. `wide(N)`
    on a tile in rf loads N elements at a time, from dram in launches that allow it, from smem with `copy(ldmatrix)` 4, 8 or 16 bytes of 1, 2 or 4
    matrices, where places are known to be aligned: because rows are, or, of an operand whose strides are numbers, because the place goes back along each row
    as far as the row begins too late. `edges(tile)` there lets each thread ask once whether all
    that it holds is present; a thread of which some is not loads element by element, and so does with `edges(element)` a group of N of which some is not. `spread` is that of `tile.hold`.

    `smem_at(N)` is the byte of the block's shared memory at which the tile begins; see `tile.for`. A tile with a place has the
    layout that its type says.

    A tile in shared memory belongs to the block; one in registers to the
    enclosing unit, each thread holding what its iterations touch.

    Example:

    ```mlir
    !G = memref<?x?xf32, strided<[?, ?]>>
    !s = memref<34x34xf32, #tile.level<smem>>
    tile.kernel @halo(%X: !G[%M, %N], %M: index, %N: index) {
      tile.for (%i, %j) in (%M, %N) by (32, 32) at dram on block {
        %s = tile.stage %X[%i - 1, %j - 1] pad(clamp) : !G to !s
      }
    }
    ```

    Rules: (S1) there is one subscript for each dimension of the source, and ranks are equal;
    (S2) element types are equal; (S3) the result is nearer than the source: dram to
    smem or rf, constant or smem to rf; (S4) the result's shape is static, with no extent of 0 and at most 2147483647
    elements, gaps of its layout among them; (S5) what is staged from a tile lies inside of it, whatever the loops do: only an operand
    has absent elements around it; (S6) `copy(tma)` only directly in a loop with
    `producers`, which wait for it; (S7) `smem_at` only of a tile in smem, a multiple of 128 from 0 to 2147483520; (S8)
    `forms` only of a tile in smem, 1 to 8 different ones along dimensions of it, each of a width that divides the extent and
    takes 16 bytes or less, the last of width 1; (S9) of a tile in smem `edges` and `unroll` only with `forms`, `edges(tile)` only directly in a
    pipelined loop, and numbers of `unroll` from 1 to 1024; (S10) `slices` only with `copy(tma)`, from 1 to 16; (S11) `wide` only of a
    tile in rf, of 1, or of 4, 8 or 16 bytes; (S12) `copy(ldmatrix)` only of a tile in rf staged from smem, in a loop on
    warp that no loop on thread parts further; (S13) of a tile in rf no `unroll`, and `edges` only where it is staged from an operand;
    (S14) `pad` only of a tile that is staged from an operand; (S15)
    `gather` only from an operand itself, along one of its dimensions, by an operand of one dimension of i32; (S16) `gather` without
    `edges(tile)` and `pad` other than `zero`, and with `copy(tma)` only of a tile with one element along the dimension.
  }];
  let arguments = (ins
    Arg<AnyMemRef, "what is copied from", [MemRead]>:$source,
    Variadic<Index>:$operands_,
    AffineMapAttr:$map,
    Arg<Optional<AnyMemRef>, "the numbers of a dimension", [MemRead]>:$indices,
    OptionalAttr<I64Attr>:$along,
    OptionalAttr<Tile_Pad>:$pad,
    OptionalAttr<Tile_Copy>:$copy,
    OptionalAttr<I64Attr>:$slices,
    OptionalAttr<Tile_FormArrayAttr>:$forms,
    OptionalAttr<Tile_Edges>:$edges,
    OptionalAttr<DenseI64ArrayAttr>:$unroll,
    OptionalAttr<I64Attr>:$wide,
    OptionalAttr<StrAttr>:$spread,
    OptionalAttr<I64Attr>:$smem_at);
  let results = (outs Res<AnyMemRef, "the staged tile", [MemAlloc, MemWrite]>:$tile);
  let assemblyFormat = [{
    custom<Subscripted>($source, $operands_, $map) (`gather` `(` $indices^ `:` type($indices) `along` $along `)`)?
    (`pad` `(` $pad^ `)`)? (`copy` `(` $copy^ `)`)?
    (`slices` `(` $slices^ `)`)? (`forms` `(` custom<Forms>($forms)^ `)`)? (`edges` `(` $edges^ `)`)?
    (`unroll` `(` custom<Unroll>($unroll)^ `)`)?
    (`wide` `(` $wide^ `)`)? (`spread` `(` $spread^ `)`)? (`smem_at` `(` $smem_at^ `)`)? attr-dict
    `:` type($source) `to` type($tile)
  }];
  let hasVerifier = 1;
}

def Tile_PartOp : Tile_AccessOp<"part", [Pure]> {
  let summary = "names a part of a tile where it lies";
  let description = [{
    ```
    %V = tile.part %V[SUBSCRIPT, ...] : MEMREF to MEMREF
    ```

    Copies nothing. A part of a register tile is what the executing thread holds
    of it.

    Example:

    ```mlir
    !c = memref<64x64xf32, #tile.level<rf>>
    !p = memref<4x4xf32, #tile.level<rf>>
    tile.kernel @parts() {
      tile.for (%b) in (4) by (1) at dram on block {
        %c = tile.hold init(0.0 : f32) : !c
        tile.for (%m, %n) in (64, 64) by (4, 4) at rf on thread {
          %p = tile.part %c[%m, %n] : !c to !p
        }
      }
    }
    ```

    Rules: (P1) there is one subscript for each dimension, and ranks are equal; (P2) element
    types and levels are equal; (P3) the result's shape is one that (S4) allows; (P4) a layout that the
    result's type states has the source's strides; (P5) a part of a tile lies
    inside of it, whatever the loops do.
  }];
  let arguments = (ins AnyMemRef:$source, Variadic<Index>:$operands_, AffineMapAttr:$map);
  let results = (outs AnyMemRef:$part);
  let assemblyFormat = [{
    custom<Subscripted>($source, $operands_, $map) attr-dict `:` type($source) `to` type($part)
  }];
  let hasVerifier = 1;
}

def Tile_HoldOp : Tile_Op<"hold"> {
  let summary = "a tile that is made on chip and stays until it is complete";
  let description = [{
    ```
    %V = tile.hold init(CONSTANT) [spread(LAYOUT)]? [smem_at(N)]? : MEMREF
    ```

    A tile in rf that is held outside of a loop on threads belongs to the enclosing unit and is spread
    over its threads: each element that is written belongs to exactly one of
    them, unless the loop says `reduce`. One that is held in a loop on cluster is not spread over the
    blocks: each block of a loop that says `reduce` has a partial result of all of it.

    A tile in smem belongs to the block: what some of its threads store or compute there others stage or compute with after the
    loop that wrote it. Nobody writes barriers.

    `spread("((16,16),(4,4)):((4,256),(1,64))")` says who holds what of a tile in rf, as a thread/value layout (docs/layouts.md): from
    (number of the thread, its value) to the element's number in column-major order. It follows from the loops in which the
    tile is used, and `tile-plan-registers` writes it. `smem_at(N)` says where a tile in smem lies; see `tile.for`.

    Example:

    ```mlir
    tile.kernel @held() {
      %c = tile.hold init(0.0 : f32) : memref<64x64xf32, #tile.level<rf>>
      %s = tile.hold init(0.0 : f32) : memref<64x64xf32, #tile.level<smem>>
    }
    ```

    Rules: (H1) the type is a memref in rf or smem, of a shape that (S4) allows; (H2) the initial value has its
    element type; (H3) each written element of a tile in rf has one owner, of the blocks of a cluster too; (H4) all loops part
    a tile in rf alike, and no loop on block does; (H5) what several threads hold together in rf
    is not stored as a whole in their loop; (H6) `spread` of a hold or a stage, whose tile is in rf, is how
    the loops spread it; (H7) `smem_at` only of a tile in smem, a multiple of 128 from 0 to 2147483520.
  }];
  let arguments = (ins TypedAttrInterface:$init, OptionalAttr<StrAttr>:$spread, OptionalAttr<I64Attr>:$smem_at);
  let results = (outs Res<AnyMemRef, "the held tile", [MemAlloc, MemWrite]>:$tile);
  let assemblyFormat = "`init` `(` $init `)` (`spread` `(` $spread^ `)`)? (`smem_at` `(` $smem_at^ `)`)? attr-dict `:` type($tile)";
  let hasVerifier = 1;
}

def Tile_StoreOp : Tile_AccessOp<"store", [AttrSizedOperandSegments]> {
  let summary = "writes a tile back to a farther level";
  let description = [{
    ```
    tile.store %V to %V[SUBSCRIPT, ...] [scatter(%V : MEMREF along N)]? [combine(KIND)]? [edges(EDGES)]? [wide(N)]? [through(N)]? [copy(tma)]? [slots(N)]? [smem_at(N)]? : MEMREF to MEMREF
    ```

    Elements outside the operand are not written. With `combine` the tile is
    combined with what is there instead of replacing it. `scatter(%I : MEMREF along 0)` numbers dimension 0 of the destination as `gather` of `tile.stage`
    does: element (r, c) of the tile is combined with element (I[s + r], t + c). The destination of both is an operand or a held tile in smem: a block
    that counts there first adds to an operand less often. What is stored to a held tile in smem is seen by all threads of the block
    after the loop that stores it. `wide(N)` stores N elements at a time, to dram where the launch
    allows it; `edges(tile)` lets each thread ask once whether all that it holds is stored, and else store element by element.
    `tile-plan-copy` writes both where a nest leaves `wide` open; a store without `edges` asks for each element. `through(N)` stores a tile that threads hold together by way of
    shared memory, in slices of N columns, so that they store whole rows (where warps hold columns beside each other, a slice has as many of each), and `through(0)` straight from registers; `tile-plan-store` writes
    one or the other for tiles that an instruction spreads, others that say nothing are stored straight. With `copy(tma)` each warp puts what it holds
    of N columns, of rows side by side, in shared memory of its own, TMA stores it from there, and the threads go on meanwhile: `slots(S)` such slices may be on their way before a warp waits.
    In launches whose operand TMA does not take, threads store element by element, straight from registers. `smem_at(N)` says where the slices lie
    (see `tile.for`).

    Example:

    ```mlir
    tile.kernel @out(%Y: memref<64xf32>[64]) {
      %c = tile.hold init(1.0 : f32) : memref<64xf32, #tile.level<rf>>
      tile.store %c to %Y[0] combine(add) : memref<64xf32, #tile.level<rf>> to memref<64xf32>
    }
    ```

    Rules: (W1) there is one subscript for each dimension, and ranks are equal; (W2) element
    types are equal; (W3) the tile is in smem or rf and the destination is farther; (W4) what
    is stored to a tile lies inside of it; (W5) `wide` only from rf, of 1, or of 4, 8 or 16 bytes without
    `combine`, and `edges` only from rf to dram, without `combine` or `through`; (W6) `through` only from rf to dram outside of loops on warpgroup, warp and thread, without `combine`, of a tile of two dimensions
    whose last extent N divides, or `through(0)`, and `smem_at` only with a slice, a multiple of 128 from 0 to 2147483520; (W7) `copy` only as `copy(tma)`, with slices of 32, 64 or 128
    bytes a row and without `wide`, where all loops around are on cluster or block and nothing else in the kernel touches the operand, and `slots` from 1 to 1024 only with it; (W8)
    `scatter` only with `combine`, from rf to an operand itself or a held tile in smem itself, along one of its dimensions, by another operand, of one dimension of i32; (W9) `combine` by
    `maxnum` and `minnum` only of floating-point numbers, by `and`, `or` and `xor` only of integers. What stores in several iterations may touch is
    rule I1 of docs/language.md.
  }];
  let arguments = (ins
    Arg<AnyMemRef, "the tile", [MemRead]>:$tile,
    Arg<AnyMemRef, "where it goes", [MemWrite]>:$dest,
    Variadic<Index>:$operands_,
    AffineMapAttr:$map,
    Arg<Optional<AnyMemRef>, "the numbers of a dimension", [MemRead]>:$indices,
    OptionalAttr<I64Attr>:$along,
    OptionalAttr<Tile_Combine>:$combine,
    OptionalAttr<Tile_Edges>:$edges,
    OptionalAttr<I64Attr>:$wide,
    OptionalAttr<I64Attr>:$through,
    OptionalAttr<Tile_Copy>:$copy,
    OptionalAttr<I64Attr>:$slots,
    OptionalAttr<I64Attr>:$smem_at);
  let extraClassDeclaration = [{
    /// The columns of a slice in shared memory; nothing where the tile is stored straight from registers.
    std::optional<int64_t> getSliceColumns() { return getThrough() == 0 ? std::nullopt : getThrough(); }
  }];
  let assemblyFormat = [{
    $tile `to` custom<Subscripted>($dest, $operands_, $map) (`scatter` `(` $indices^ `:` type($indices) `along` $along `)`)?
    (`combine` `(` $combine^ `)`)? (`edges` `(` $edges^ `)`)? (`wide` `(` $wide^ `)`)? (`through` `(` $through^ `)`)?
    (`copy` `(` $copy^ `)`)? (`slots` `(` $slots^ `)`)? (`smem_at` `(` $smem_at^ `)`)? attr-dict `:` type($tile) `to` type($dest)
  }];
  let hasVerifier = 1;
}

#endif
