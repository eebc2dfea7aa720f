//===- Signature.h - What kernels and programs are called with ----*- C++ -*-===//

#ifndef TILEC_TILE_SIGNATURE_H
#define TILEC_TILE_SIGNATURE_H

#include "tilec/Tile/Tile.h"

namespace tilec::tile {

/// Parses `(%A: memref<...>[%M, 64], %M: index, ...)`; `shapes` and `functionType` name the attributes that say it.
mlir::ParseResult parseSignature(mlir::OpAsmParser &parser, mlir::OperationState &result, mlir::StringAttr shapes, mlir::StringAttr functionType,
                                 llvm::SmallVectorImpl<mlir::OpAsmParser::Argument> &arguments);

/// Parses the body, whose block has the arguments even where nothing is in it.
mlir::ParseResult parseBody(mlir::OpAsmParser &parser, mlir::OperationState &result, llvm::ArrayRef<mlir::OpAsmParser::Argument> arguments);

void printSignature(mlir::OpAsmPrinter &printer, mlir::Region &body, mlir::ArrayAttr shapes);

/// Rules K1 to K4 and K6.
mlir::LogicalResult verifySignature(mlir::FunctionOpInterface op, mlir::ArrayAttr shapes);

/// The extent of dimension `dim` of operand `arg`: a number, or the size argument.
mlir::OpFoldResult getSignatureExtent(mlir::Region &body, mlir::ArrayAttr shapes, unsigned arg, unsigned dim);

} // namespace tilec::tile

#endif // TILEC_TILE_SIGNATURE_H
