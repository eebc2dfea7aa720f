//===- AccessOps.td - Tiles of the tile dialect ------------*- tablegen -*-===//
//
// What makes tiles, and moves them from level to level.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_TILE_ACCESSOPS_TD
#define TILEC_TILE_ACCESSOPS_TD

include "tilec/Tile/TileAttrs.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/ViewLikeInterface.td"

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
    (`clamp`), the mirrored one (`reflect`, edge not repeated), or that from the
    other end (`wrap`, as if the operand were repeated). An operand without
    elements is padded with zero.
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
    that it holds is present; a thread of which some is not loads element by element, and so does with `edges(element)` a group of N of which some is not.
    `edges(block)` there has the block ask ahead of the loops on thread and unroll around the stage whether all that they load and store so is present, so that nothing is asked
    between one load and the next; where some is not, threads ask as with `edges(tile)`. `spread` is that of `tile.hold`.

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
    takes 16 bytes or less, the last of width 1; (S9) of a tile in smem `edges` and `unroll` only with `forms`, no `edges(block)`, `edges(tile)` only directly in a
    pipelined loop, and numbers of `unroll` from 1 to 1024; (S10) `slices` only with `copy(tma)`, from 1 to 16; (S11) `wide` only of a
    tile in rf, of 1, or of 4, 8 or 16 bytes; (S12) `copy(ldmatrix)` only of a tile in rf staged from smem, in a loop on
    warp that no loop on thread parts further; (S13) of a tile in rf no `unroll`, `edges` only where it is staged from an operand, and `edges(block)` only in a loop on warpgroup, warp or thread;
    (S14) `pad` only of a tile that is staged from an operand; (S15)
    `gather` only from an operand itself, along one of its dimensions, by an operand of one dimension of i32 or i64; (S16) `gather` without
    `edges(tile)`, `edges(block)` and `pad` other than `zero`, and with `copy(tma)` only of a tile with one element along the dimension.
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
    tile.store %V to %V[SUBSCRIPT, ...] [scatter(%V : MEMREF along N) [unique]?]? [combine(KIND) [unordered]?]? [edges(EDGES)]? [wide(N)]? [through(N)]? [copy(tma)]? [slots(N)]? [smem_at(N)]? : MEMREF to MEMREF
    ```

    Elements outside the operand are not written. With `combine` the tile is
    combined with what is there instead of replacing it. `scatter(%I : MEMREF along 0)` numbers dimension 0 of the destination as `gather` of `tile.stage`
    does: element (r, c) of the tile is combined with element (I[s + r], t + c). The destination of both is an operand or a held tile in smem: a block
    that counts there first adds to an operand less often. With `unique` the tile replaces what is in an operand: the nest promises that no element is stored to from two places of the indices. Sums and products of floating-point numbers so get an order, and with it a rounding, that varies between runs: `unordered` says
    that the nest accepts that. What is stored to a held tile in smem is seen by all threads of the block
    after the loop that stores it. `wide(N)` stores N elements at a time, to dram where the launch
    allows it; `edges(tile)` lets each thread ask once whether all that it holds is stored, and else store element by element; `edges(block)` has the block ask for all
    of its threads, as for what they load.
    `tile-plan-copy` writes both where a nest leaves `wide` open; a store without `edges` asks for each element. `through(N)` stores a tile that threads hold together by way of
    shared memory, in slices of N columns, so that they store whole rows (where warps hold columns beside each other, a slice has as many of each), and `through(0)` straight from registers; `tile-plan-store` writes
    one or the other for tiles that an instruction spreads, and slices for others whose rows begin anywhere, where a block is alone on its SM; what says nothing then is stored straight. With `copy(tma)` each warp puts what it holds
    of N columns, of rows side by side, in shared memory of its own, TMA stores it from there, and the threads go on meanwhile: `slots(S)` such slices may be on their way before a warp waits.
    In launches whose operand TMA does not take, threads store element by element, straight from registers. `smem_at(N)` says where the slices lie
    (see `tile.for`).

    Example:

    ```mlir
    tile.kernel @out(%Y: memref<64xf32>[64]) {
      %c = tile.hold init(1.0 : f32) : memref<64xf32, #tile.level<rf>>
      tile.store %c to %Y[0] combine(add) unordered : memref<64xf32, #tile.level<rf>> to memref<64xf32>
    }
    ```

    Rules: (W1) there is one subscript for each dimension, and ranks are equal; (W2) element
    types are equal; (W3) the tile is in smem or rf and the destination is farther; (W4) what
    is stored to a tile lies inside of it; (W5) `wide` only from rf, of 1, or of 4, 8 or 16 bytes without
    `combine`, and `edges` only from rf to dram, without `combine` or `through`, and `edges(block)` only in a loop on warpgroup, warp or thread; (W6) `through` only from rf to dram outside of loops on warpgroup, warp and thread, without `combine`, of a tile of two dimensions
    whose last extent N divides, or `through(0)`, and `smem_at` only with a slice, a multiple of 128 from 0 to 2147483520; (W7) `copy` only as `copy(tma)`, with slices of 32, 64 or 128
    bytes a row and without `wide`, where all loops around are on cluster or block and nothing else in the kernel touches the operand, and `slots` from 1 to 1024 only with it; (W8)
    `scatter` only with `combine` or, to an operand that nothing else in the kernel touches and without `edges(tile)`, `edges(block)` and slices, `unique`, from rf to an operand itself or a held tile in smem itself, along one of its dimensions, by another operand, of one dimension of i32 or i64; (W9) `combine` by
    `maxnum` and `minnum` only of floating-point numbers, by `and`, `or` and `xor` only of integers; (W10) `unordered` where, and only where, `combine` adds or multiplies floating-point
    numbers. What stores in several iterations may touch is
    rule I1 of docs/language.md.
  }];
  let arguments = (ins
    Arg<AnyMemRef, "the tile", [MemRead]>:$tile,
    Arg<AnyMemRef, "where it goes", [MemWrite]>:$dest,
    Variadic<Index>:$operands_,
    AffineMapAttr:$map,
    Arg<Optional<AnyMemRef>, "the numbers of a dimension", [MemRead]>:$indices,
    OptionalAttr<I64Attr>:$along,
    UnitAttr:$unique,
    OptionalAttr<Tile_Combine>:$combine,
    UnitAttr:$unordered,
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
    $tile `to` custom<Subscripted>($dest, $operands_, $map) (`scatter` `(` $indices^ `:` type($indices) `along` $along `)`)? (`unique` $unique^)?
    (`combine` `(` $combine^ `)`)? (`unordered` $unordered^)? (`edges` `(` $edges^ `)`)? (`wide` `(` $wide^ `)`)? (`through` `(` $through^ `)`)?
    (`copy` `(` $copy^ `)`)? (`slots` `(` $slots^ `)`)? (`smem_at` `(` $smem_at^ `)`)? attr-dict `:` type($tile) `to` type($dest)
  }];
  let hasVerifier = 1;
}

#endif
