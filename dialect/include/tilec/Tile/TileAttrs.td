//===- TileAttrs.td - Attributes of the tile dialect -------*- tablegen -*-===//

#ifndef TILEC_TILE_TILEATTRS_TD
#define TILEC_TILE_TILEATTRS_TD

include "tilec/Tile/TileDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"

//===----------------------------------------------------------------------===//
// Levels and units
//===----------------------------------------------------------------------===//

def Tile_Level : I32EnumAttr<"Level", "a level of the memory hierarchy, farthest first", [
    I32EnumAttrCase<"DRAM", 0, "dram">,
    I32EnumAttrCase<"Constant", 1, "constant">,
    I32EnumAttrCase<"SMEM", 2, "smem">,
    I32EnumAttrCase<"RF", 3, "rf">]> {
  let cppNamespace = "::tilec::tile";
  let genSpecializedAttr = 0;
}

def Tile_LevelAttr : EnumAttr<Tile_Dialect, Tile_Level, "level"> {
  let summary = "the memory level that a memref lives in (its memory space)";
  let assemblyFormat = "`<` $value `>`";
}

def Tile_Unit : I32EnumAttr<"Unit", "what runs the iterations of a loop", [
    I32EnumAttrCase<"Time", 0, "time">,
    I32EnumAttrCase<"Unroll", 1, "unroll">,
    I32EnumAttrCase<"Cluster", 2, "cluster">,
    I32EnumAttrCase<"Block", 3, "block">,
    I32EnumAttrCase<"Warpgroup", 4, "warpgroup">,
    I32EnumAttrCase<"Warp", 5, "warp">,
    I32EnumAttrCase<"Thread", 6, "thread">]> {
  let cppNamespace = "::tilec::tile";
}

def Tile_Combine : I32EnumAttr<"Combine", "how partial results become one", [
    I32EnumAttrCase<"Add", 0, "add">,
    I32EnumAttrCase<"Max", 1, "max">,
    I32EnumAttrCase<"Min", 2, "min">,
    I32EnumAttrCase<"Mul", 3, "mul">,
    I32EnumAttrCase<"MaxNum", 4, "maxnum">,
    I32EnumAttrCase<"MinNum", 5, "minnum">,
    I32EnumAttrCase<"And", 6, "and">,
    I32EnumAttrCase<"Or", 7, "or">,
    I32EnumAttrCase<"Xor", 8, "xor">]> {
  let cppNamespace = "::tilec::tile";
}

def Tile_Pad : I32EnumAttr<"Pad", "what an absent element of a staged tile reads as", [
    I32EnumAttrCase<"Zero", 0, "zero">,
    I32EnumAttrCase<"Clamp", 1, "clamp">,
    I32EnumAttrCase<"Reflect", 2, "reflect">,
    I32EnumAttrCase<"Wrap", 3, "wrap">]> {
  let cppNamespace = "::tilec::tile";
}

def Tile_Copy : I32EnumAttr<"Copy", "the instruction that copies a staged tile", [
    I32EnumAttrCase<"CpAsync", 0, "cp_async">,
    I32EnumAttrCase<"Tma", 1, "tma">,
    I32EnumAttrCase<"Ldmatrix", 2, "ldmatrix">]> {
  let cppNamespace = "::tilec::tile";
}

def Tile_Edges : I32EnumAttr<"EdgeCheck", "how often a copy asks whether what it copies is present", [
    I32EnumAttrCase<"Element", 0, "element">,
    I32EnumAttrCase<"Tile", 1, "tile">,
    I32EnumAttrCase<"Block", 2, "block">]> {
  let cppNamespace = "::tilec::tile";
}

def Tile_Choose : I32EnumAttr<"Choose", "where a pipelined loop chooses the forms of its copies", [
    I32EnumAttrCase<"Copy", 0, "copy">,
    I32EnumAttrCase<"Loop", 1, "loop">]> {
  let cppNamespace = "::tilec::tile";
}

def Tile_Issue : I32EnumAttr<"Issue", "when an iteration asks for the copies of a later one", [
    I32EnumAttrCase<"First", 0, "first">,
    I32EnumAttrCase<"AfterLoads", 1, "after_loads">]> {
  let cppNamespace = "::tilec::tile";
}

def Tile_Begin : I32EnumAttr<"Begin", "where the first loads to registers of a pipelined loop are made", [
    I32EnumAttrCase<"Here", 0, "here">,
    I32EnumAttrCase<"Ahead", 1, "ahead">]> {
  let cppNamespace = "::tilec::tile";
}

def Tile_Release : I32EnumAttr<"Release", "when a slot is given back to the producers", [
    I32EnumAttrCase<"End", 0, "end">,
    I32EnumAttrCase<"Next", 1, "next">]> {
  let cppNamespace = "::tilec::tile";
}

def Tile_Dataflow : I32EnumAttr<"Dataflow", "which operand stays where it is used", [
    I32EnumAttrCase<"OutputStationary", 0, "output_stationary">,
    I32EnumAttrCase<"WeightStationary", 1, "weight_stationary">,
    I32EnumAttrCase<"InputStationary", 2, "input_stationary">,
    I32EnumAttrCase<"SplitReduction", 3, "split_reduction">]> {
  let cppNamespace = "::tilec::tile";
}

//===----------------------------------------------------------------------===//
// Rasterization
//===----------------------------------------------------------------------===//

def Tile_RasterOrder : I32EnumAttr<"RasterOrder", "in which order blocks take the tiles of the grid", [
    I32EnumAttrCase<"Row", 0, "row">,
    I32EnumAttrCase<"Column", 1, "column">,
    I32EnumAttrCase<"Grouped", 2, "grouped">,
    I32EnumAttrCase<"Boxes", 3, "boxes">,
    I32EnumAttrCase<"Diagonal", 4, "diagonal">]> {
  let cppNamespace = "::tilec::tile";
  let genSpecializedAttr = 0;
}

def Tile_RasterAttr : AttrDef<Tile_Dialect, "Raster"> {
  let mnemonic = "raster";
  let summary = "the order in which consecutive blocks take the tiles of a grid";
  let description = [{
    `row`: the last induction variable is the fastest (the default).
    `column`: the first one is. `grouped = g`: bands of `g` tiles along the first
    induction variable are walked down before along, so that blocks that run
    together share operands of both sides. `boxes = axb`: bands of `a` tiles along
    the first induction variable are parted into boxes of `b` tiles along the
    second, one box after the other along the band, each row after row. `diagonal`:
    tile `(i, (i + d) mod columns)` of diagonal `d` after the other, so that blocks
    that run together share as little as they can.

    Bands and boxes at the far edges of the grid are as small as what is left. `rows` is
    `g` or `a`, `columns` is `b`; both are 1 where the order has no such side, and from 1 to 2147483647.
  }];
  let parameters = (ins EnumParameter<Tile_RasterOrder>:$order, "int64_t":$rows, "int64_t":$columns);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// An order as nests say it: "row", "grouped = 8", "boxes = 2x4".
    static std::string toString(RasterOrder order, int64_t rows, int64_t columns);
    std::string toString() const { return toString(getOrder(), getRows(), getColumns()); }
    /// Parses that text. Fails with an error where the order is not known or a side out of range.
    static mlir::FailureOr<RasterAttr> parseText(mlir::AsmParser &parser);
  }];
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

def Tile_FormAttr : AttrDef<Tile_Dialect, "Form"> {
  let mnemonic = "form";
  let summary = "a form of a copy to shared memory: how threads deal out the tile";
  let description = [{
    Consecutive threads walk dimension `along`, each with `width` consecutive elements. A launch takes the
    form if the operand's stride along it is 1 and, for more than one element, the operand begins, and its
    rows are, at multiples of `width` elements.
  }];
  let parameters = (ins "unsigned":$along, "int64_t":$width);
  let assemblyFormat = "`<` $along `by` $width `>`";
}

def Tile_FormArrayAttr : TypedArrayAttrBase<Tile_FormAttr, "forms of a copy">;

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

def Tile_Each : I32EnumAttr<"Each", "what has its own elements of a workspace", [
    I32EnumAttrCase<"Part", 0, "part">,
    I32EnumAttrCase<"Tile", 1, "tile">]> {
  let cppNamespace = "::tilec::tile";
}

def Tile_WorkspaceAttr : AttrDef<Tile_Dialect, "Workspace"> {
  let mnemonic = "workspace";
  let summary = "memory that a launch gives to a kernel whose last wave is cut";
  let description = [{
    `<"c_parts", 16384 of f32 each part>`: so many elements for each part of a cut tile, or for `each tile` that is cut; these are
    zero when the kernel starts, and when it ends.
  }];
  let parameters = (ins "::mlir::StringAttr":$name, "int64_t":$elements, "::mlir::Type":$element, EnumParameter<Tile_Each>:$each);
  let assemblyFormat = "`<` $name `,` $elements `of` $element `each` $each `>`";
}

def Tile_BoxAttr : AttrDef<Tile_Dialect, "Box"> {
  let mnemonic = "box";
  let summary = "a tensor map of a launch: boxes of an operand";
  let description = [{
    `<0, [1, 0], [32, 128]>`: boxes of argument 0 of the kernel, 32 elements along its dimension 1, which is the contiguous one, and
    128 along dimension 0. `<0, [1, 0], [32, 128], swizzle 128>`: in shared memory chunks of 16 bytes change places within 128 bytes, as
    `Sw<3,4,3>` of their addresses says; 64 and 32 bytes, with 2 and 1 bits, are the others.
  }];
  let parameters = (ins "unsigned":$argument, ArrayRefParameter<"int64_t">:$dims, ArrayRefParameter<"int64_t">:$extents,
                        DefaultValuedParameter<"int64_t", "0">:$swizzle);
  let assemblyFormat = "`<` $argument `,` `[` $dims `]` `,` `[` $extents `]` (`,` `swizzle` $swizzle^)? `>`";
  let genVerifyDecl = 1;
}

def Tile_WorkspaceArrayAttr : TypedArrayAttrBase<Tile_WorkspaceAttr, "workspaces of a launch">;
def Tile_BoxArrayAttr : TypedArrayAttrBase<Tile_BoxAttr, "tensor maps of a launch">;

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

def Tile_LayoutAttr : AttrDef<Tile_Dialect, "Layout", [
    DeclareAttrInterfaceMethods<MemRefLayoutAttrInterface, ["isIdentity", "verifyLayout", "getStridesAndOffset"]>]> {
  let mnemonic = "layout";
  let summary = "where each element of a memref lies, in the notation of docs/layouts.md";
  let description = [{
    `#tile.layout<"((2,2),2):((2,4),1)">` on a `memref<4x2xf32, ...>`: each
    top-level mode is a dimension, and its size is the extent. A swizzle comes
    first: `"Sw<3,3,3> o 0 o (8,64):(64,1)"`. Numbers count elements. `?` stands for
    a stride that is not known, or for the last extent of a mode.

    Text is brought to normal form; two layouts are the same attribute if they then
    read the same. The compact row-major layout, however nested, is the identity.
    Where every mode is one stride this means what `strided<...>` does.
  }];
  let parameters = (ins AttrParameter<"::tilec::layout::ComposedLayout", "the layout",
                                      "const ::tilec::layout::ComposedLayout &">:$layout);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

#endif
