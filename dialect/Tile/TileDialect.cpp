//===- TileDialect.cpp - The tile dialect -----------------------*- C++ -*-===//
//
// Registers what the tile dialect holds.
//
//===----------------------------------------------------------------------===//

#include "tilec/Tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilec;

#include "tilec/Tile/TileDialect.cpp.inc"

void tile::TileDialect::initialize() {
  registerTileAttributes();
  addOperations<
#define GET_OP_LIST
#include "tilec/Tile/TileOps.cpp.inc"
      >();
}

std::optional<tile::Level> tile::getLevel(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref)
    return std::nullopt;
  Attribute space = memref.getMemorySpace();
  if (!space)
    return Level::DRAM;
  if (auto level = dyn_cast<LevelAttr>(space))
    return level.getValue();
  return std::nullopt;
}

FailureOr<SmallVector<int64_t>> tile::getStaticStrides(MemRefType type) {
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)))
    return failure();
  return strides;
}
