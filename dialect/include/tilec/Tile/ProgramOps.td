//===- ProgramOps.td - Programs of the tile dialect --------*- tablegen -*-===//
//
// Kernels that run one after the other.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_TILE_PROGRAMOPS_TD
#define TILEC_TILE_PROGRAMOPS_TD

include "tilec/Tile/TileAttrs.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Tile_ProgramOp : Tile_Op<"program", [
    FunctionOpInterface, IsolatedFromAbove, NoTerminator, SingleBlock]> {
  let summary = "kernels that run one after the other, and the arrays between them";
  let description = [{
    ```
    tile.program @NAME(%V: MEMREF[EXTENT, ...], %V: index, %V: TYPE, ...) { ... }
    ```

    Arguments are those of a kernel. The body is a list of `tile.run`, executed in its order, each after all that the ones before it have
    written; of `tile.workspace`, arrays that exist while the program runs; and of arithmetic on sizes: `arith.constant`, `addi`, `subi`,
    `muli`, `divui`, `ceildivui`, `remui`, `minui` and `maxui` of `index`, which the launcher computes; what no kernel accepts as a size it refuses.
    An `scf.if` holds runs and workspaces that only some sizes have: its condition is a comparison of sizes (`arith.cmpi`), or made of such ones by
    `andi`, `ori` and `xori`. So a program can be a family, of whose kernels the launcher takes the one that the sizes call for.
    `memref.collapse_shape` and `memref.expand_shape` name an array that lies without gaps by other extents: its elements, in their order.

    Example, the sum of a vector in two launches:

    ```mlir
    !V = memref<?xf32>
    !r = memref<1xf32, #tile.level<rf>>
    tile.kernel @parts(%X: !V[%N], %P: !V[%B], %N: index, %B: index) {
      tile.for (%b) in (%B) by (1) at dram on block {
        %sum = tile.hold init(0.0 : f32) : !r
        tile.for (%i) in (1024) by (1) at dram on thread reduce(add) {
          %x = tile.stage %X[1024 * %b + %i] : !V to !r
          linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : !r) outs(%sum : !r) {
          ^bb0(%v: f32, %s: f32):
            %t = arith.addf %s, %v : f32
            linalg.yield %t : f32
          }
        }
        tile.store %sum to %P[%b] : !r to !V
      }
    }
    tile.program @sum(%X: !V[%N], %Y: memref<1xf32>[1], %N: index) {
      %c = arith.constant 1024 : index
      %one = arith.constant 1 : index
      %B = arith.ceildivui %N, %c : index
      %P = tile.workspace [%B] : !V
      tile.run @parts(%X, %P, %N, %B) : !V, !V, index, index
      tile.run @parts(%P, %Y, %B, %one) : !V, memref<1xf32>, index, index
    }
    ```

    Rules: (G1) arguments keep the rules for arguments of kernels; (G2) the body holds nothing else, and at least one `tile.run`; (G3) an `scf.if`
    has no results, its condition is computed from sizes, and its parts hold what a program does; (G4) `memref.collapse_shape` and `memref.expand_shape`
    take arrays without gaps, and what a dimension is parted into has its extent for a product, by the same sizes and numbers.
  }];
  let arguments = (ins
    SymbolNameAttr:$sym_name,
    TypeAttrOf<FunctionType>:$function_type,
    ArrayAttr:$shapes,
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
    /// The extent of dimension `dim` of operand `arg`: a number, or the size argument.
    ::mlir::OpFoldResult getOperandExtent(unsigned arg, unsigned dim);
  }];
}

def Tile_WorkspaceOp : Tile_Op<"workspace"> {
  let summary = "an array in DRAM that exists while its program runs";
  let description = [{
    ```
    %V = tile.workspace [EXTENT, ...] [rows(N)]? : MEMREF
    ```

    Nothing is known of its elements until a `tile.run` has written them; that one reads it before is a warning. Rows, runs along the last dimension, lie one after the other;
    with `rows(N)` each begins at a multiple of N bytes, so that it can be copied in pieces of that size.

    Example:

    ```mlir
    !G = memref<?x?xf32>
    !P = memref<?x?xf32, strided<[?, 1]>>
    !t = memref<4x1xf32, #tile.level<rf>>
    tile.kernel @copy(%X: !G[%M, %N], %Y: !P[%M, %N], %M: index, %N: index) {
      tile.for (%i, %j) in (%M, %N) by (4, 256) at dram on block {
        tile.for (%k) in (256) by (1) at dram on thread {
          %x = tile.stage %X[%i, %j + %k] : !G to !t
          tile.store %x to %Y[%i, %j + %k] : !t to !P
        }
      }
    }
    tile.program @twice(%X: !G[%M, %N], %Y: !P[%M, %N], %M: index, %N: index) {
      %W = tile.workspace [%M, %N] rows(16) : !P
      tile.run @copy(%X, %W, %M, %N) : !G, !P, index, index
      tile.run @copy(%X, %Y, %M, %N) : !G, !P, index, index
    }
    ```

    Rules: (M1) it is a memref in DRAM with one extent in the list for each dimension, a static one as its type says; (M2) without `rows` its
    elements lie without gaps; with `rows(N)`, a power of two from the size of an element to 256, all strides but the last one are dynamic.
  }];
  let arguments = (ins
    Variadic<Index>:$extents,
    DenseI64ArrayAttr:$static_extents,
    OptionalAttr<I64Attr>:$rows);
  let results = (outs AnyMemRef:$memref);
  let assemblyFormat = [{
    custom<DynamicIndexList>($extents, $static_extents) (`rows` `(` $rows^ `)`)? attr-dict `:` type($memref)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The extent of each dimension.
    ::llvm::SmallVector<::mlir::OpFoldResult> getMixedExtents();
  }];
}

def Tile_RunOp : Tile_Op<"run", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "runs a kernel";
  let description = [{
    ```
    tile.run @KERNEL(%V, ...) : TYPE, ...
    ```

    The arguments of the kernel, in its order: arguments and workspaces of the program, sizes, and constants. The report of a kernel that
    is run several times is made for its first run at these sizes; one that they do not call for has none.

    Example:

    ```mlir
    !t = memref<1xf32, #tile.level<rf>>
    tile.kernel @copy(%X: memref<?xf32, strided<[?]>>[%N], %Y: memref<?xf32>[%N], %N: index) {
      tile.for (%i) in (%N) by (256) at dram on block {
        tile.for (%k) in (256) by (1) at dram on thread {
          %x = tile.stage %X[%i + %k] : memref<?xf32, strided<[?]>> to !t
          tile.store %x to %Y[%i + %k] : !t to memref<?xf32>
        }
      }
    }
    tile.program @call(%A: memref<?xf32>[%N], %B: memref<?xf32>[%N], %N: index) {
      tile.run @copy(%A, %B, %N) : memref<?xf32>, memref<?xf32>, index
    }
    ```

    Rules: (N1) the kernel is one of the module, and takes as many arguments, of these types; an operand may state extents and strides
    that the kernel leaves open, and lies in dram where the kernel has it in constant memory; (N2) extents of an operand are the sizes that the kernel's bracket list says, or products of the same sizes and numbers; (N3) an operand
    that the kernel writes is not given to it a second time.
  }];
  let arguments = (ins
    FlatSymbolRefAttr:$kernel,
    Variadic<AnyType>:$operands);
  let assemblyFormat = "$kernel `(` $operands `)` attr-dict `:` type($operands)";
  let extraClassDeclaration = [{
    /// The kernel; null where the module has none of the name.
    ::tilec::tile::KernelOp getKernelOp();
  }];
}

#endif // TILEC_TILE_PROGRAMOPS_TD
