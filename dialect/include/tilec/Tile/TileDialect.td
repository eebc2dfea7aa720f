//===- TileDialect.td - The tile dialect -------------------*- tablegen -*-===//

#ifndef TILEC_TILE_TILEDIALECT_TD
#define TILEC_TILE_TILEDIALECT_TD

include "mlir/IR/OpBase.td"

def Tile_Dialect : Dialect {
  let name = "tile";
  let cppNamespace = "::tilec::tile";
  let summary = "tiled loop nests with memory levels";
  let description = [{
    A kernel of this dialect is a loop nest that says, for each loop, which
    memory level it walks and which hardware unit runs its iterations; what is
    copied to a nearer level, and what stays there until it is complete. The
    arithmetic is upstream `linalg` on tiles, so indexing maps say everything
    about operands. One nest is both what the analyses read and what is lowered.

    A tile's shape is its capacity. Elements outside the operand are absent;
    compute ranges over those present.
  }];
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = [{
    void registerTileAttributes();
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

class Tile_Op<string mnemonic, list<Trait> traits = []> : Op<Tile_Dialect, mnemonic, traits>;

#endif
