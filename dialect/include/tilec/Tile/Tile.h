//===- Tile.h - The tile dialect ---------------------------------*- C++ -*-===//
//
// One include for the tile dialect: dialect, attributes and ops.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_TILE_TILE_H
#define TILEC_TILE_TILE_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tilec/Layout/Swizzle.h"
#include <optional>

namespace tilec::layout {
/// Lets attributes be uniqued by their layout.
inline llvm::hash_code hash_value(const ComposedLayout &layout) { return layout.hash(); }
} // namespace tilec::layout

#include "tilec/Tile/TileDialect.h.inc"
#include "tilec/Tile/TileEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "tilec/Tile/TileAttrs.h.inc"
#define GET_OP_CLASSES
#include "tilec/Tile/TileOps.h.inc"

namespace tilec::tile {

/// The level a memref lives in: its memory space, DRAM when it has none.
/// `std::nullopt` when the memory space is not a level.
std::optional<Level> getLevel(mlir::Type type);

/// Does an operand of a kernel lie there, and not a tile?
inline bool isOperandLevel(Level level) { return level == Level::DRAM || level == Level::Constant; }
inline bool isInConstantMemory(mlir::Type type) { return getLevel(type) == Level::Constant; }

/// The strides of a memref whose layout is a sum of strides; `ShapedType::kDynamic`
/// for those known only at launch. Fails for other layouts.
mlir::FailureOr<llvm::SmallVector<int64_t>> getStaticStrides(mlir::MemRefType type);

/// The layout of a memref with a mode for each dimension, whichever attribute states it. Fails for
/// dynamic extents or strides, negative strides, and maps that are no sum of strides.
mlir::FailureOr<layout::ComposedLayout> getStaticLayout(mlir::MemRefType type);

/// True if any `width` elements along dimension `dim`, the first at a coordinate that is a multiple of
/// `width`, lie side by side from an offset that is one too. Looks at every element of a static layout.
bool hasAlignedRuns(const layout::ComposedLayout &layout, unsigned dim, int64_t width);

} // namespace tilec::tile

#endif // TILEC_TILE_TILE_H
