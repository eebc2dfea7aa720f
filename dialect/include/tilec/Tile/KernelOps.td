//===- KernelOps.td - Kernels of the tile dialect ----------*- tablegen -*-===//
//
// A kernel, and how its grids are launched.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_TILE_KERNELOPS_TD
#define TILEC_TILE_KERNELOPS_TD

include "tilec/Tile/TileAttrs.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"

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
    order; `math.exp2` of f32 with `fastmath<afn>` takes and gives numbers below 2^-126 as zero; conversions round to nearest, ties to even; tf32 is what `arith.truncf toward_zero` makes of an f32, which drops the 13 last
    bits of its significand, and only `arith.extf` to f32 takes it; (C4) the memrefs of a
    `linalg` op are operands, staged or held tiles, or parts of them, in a kernel without loops also arrays that `memref.alloc` makes there and views of these and of operands (G4), whose merged extents are numbers, and what is
    no memref is a scalar that it reads; (C5) `tile.order` on a `linalg` op, which says how its
    dimensions are walked from the outermost loop to the innermost, has each of them once, and keeps those in their order that
    are not dimensions of each result: the points that write an element stay in their order (`tile-plan-compute` writes it where a nest leaves it open);
    `tile.snake` beside it, a unit, walks the last of these dimensions that have more than one place forth where the number of the one before is
    even and back where it is odd, and that dimension is one of each result; (C6)
    `tile.instruction` on a `linalg` op names the instruction that it is computed with: "fma" is the ops of its body one by one by each thread
    (`tile-plan-compute` writes it where a nest leaves it open); (C7) a `linalg` op in a loop on warpgroup that no loop on warp or thread
    parts further is one instruction of the warpgroup: a product `c(m, n) += a(m, k) * b(n, k)` of bf16, f16, tf32 or 8-bit floats added up in f32, or of i8 added up in i32, for 64 m,
    32 bytes along k and a multiple of 8 n up to 256 (of i8 above 24 one of 16), whose inputs are parts of tiles in smem, the first one's of bf16 or f16
    in rf too, and whose result is part of a held tile; all other dimensions, as those of a batch or a filter, have one place. f32 is multiplied as tf32 only where the body says so; (C8) a `linalg` op in a loop on warp that no loop on thread
    parts further is one instruction of the warp where it is such a product, all of whose tiles are in rf and whose sizes are those of a row of
    `mma.sync` (16 m, 8 n and 32 bytes along k), unless `tile.instruction` says "fma": then, as where there is no such row, each lane computes
    all of it. One that names an instruction of a warp is that instruction. A held tile of 16-bit elements may be the first matrix of one, too: what a lane has of what a
    product became, rounded, is what it needs of it.
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

def Tile_LaunchOp : Tile_Op<"launch", [HasParent<"KernelOp">]> {
  let summary = "how a grid of the kernel is launched";
  let description = [{
    ```
    tile.launch grid [EXTENT, ...] by [N, ...] threads(N) [cluster(N)]? [min_blocks(N)]? [static_smem(N)]? [dynamic_smem(N)]?
        [workspaces(WORKSPACE, ...)]? [maps(BOX, ...)]? [dependent]?
    ```

    One for each outermost loop, after the loops and in their order: the list of what the launcher does. `tile-plan-launch` writes
    it; nothing of it needs to be written by hand. Threads are those of a block, producers among them. Static and dynamic shared
    memory are bytes of a block; more dynamic ones than its arrays take keep blocks from sharing an SM. `min_blocks(N)` asks the
    compiler for registers that let N blocks share an SM: it is `__launch_bounds__`' second number, 1 where
    `registers` parts them among warps (without it ptxas ignores `setmaxnreg`), and 2 where the compiler would by a little
    leave room for one block only. `maps` are the tensor maps of stages
    with `copy(tma)`, in their order (`#tile.box`), and `workspaces` what a cut wave leaves its parts in (`#tile.workspace`).
    A `dependent` kernel is launched while the one ahead of it in the stream ends, and waits for that before all else: kernels that a program runs after others are, where the
    machine can (programmatic dependent launch).

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
    OptionalAttr<Tile_BoxArrayAttr>:$maps,
    UnitAttr:$dependent);
  let assemblyFormat = [{
    `grid` custom<DynamicIndexList>($extents, $static_extents) `by` $steps `threads` `(` $threads `)`
    (`cluster` `(` $cluster^ `)`)? (`min_blocks` `(` $min_blocks^ `)`)? (`static_smem` `(` $static_smem^ `)`)?
    (`dynamic_smem` `(` $dynamic_smem^ `)`)? (`workspaces` `(` $workspaces^ `)`)? (`maps` `(` $maps^ `)`)?
    (`dependent` $dependent^)? attr-dict
  }];
  let hasVerifier = 1;
}

#endif
