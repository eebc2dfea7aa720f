//===- MatrixLayoutPlan.cpp - Where tiles that wgmma reads lie ----*- C++ -*-===//

#include "tilec/Analysis/MatrixLayoutPlan.h"

#include "tilec/Analysis/BulkPlan.h"
#include "tilec/Analysis/InstructionPlan.h"
#include "tilec/Tile/Access.h"
#include "tilec/Tile/Distribution.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::analysis;

namespace {
/// What one instruction reads of a tile.
struct Reading {
  std::string instruction;
  layout::MatrixParts parts;
};
} // namespace

static SmallVector<Reading> findReadings(Value tile) {
  SmallVector<Reading> readings;
  for (const tile::TileUse &use : tile::getTileUses(tile))
    if (std::optional<tile::InstructionUse> instruction = tile::getInstructionUse(use.operand->getOwner()))
      readings.push_back({instruction->getName().str(), getMatrixParts(*instruction, *use.operand)});
  return readings;
}

/// The dimension along which the operand's elements lie side by side; nothing where that is not known.
static std::optional<unsigned> getContiguousDim(tile::StageOp stage) {
  SmallVector<int64_t> strides = *tile::getStaticStrides(cast<MemRefType>(tile::getSourceAccess(stage).root.getType()));
  auto *found = llvm::find(strides, 1);
  return found == strides.end() ? std::nullopt : std::optional<unsigned>(found - strides.begin());
}

/// Can TMA write a tile of `type`?
static bool isBox(tile::StageOp stage, MemRefType type) {
  ScopedDiagnosticHandler quiet(stage.getContext(), [](Diagnostic &) { return success(); });
  return succeeded(getBulkBox(stage, type));
}

std::optional<MatrixLayoutPlan> tilec::analysis::planMatrixLayout(tile::StageOp stage) {
  auto type = cast<MemRefType>(stage.getTile().getType());
  SmallVector<Reading> readings = findReadings(stage.getTile());
  std::optional<unsigned> along = getContiguousDim(stage);
  if (readings.empty() || !tile::getMatrixDims(type.getShape()) || !along || stage.getCopy() != tile::Copy::Tma)
    return std::nullopt;
  int64_t bits = type.getElementTypeBitWidth();
  for (layout::SmemSwizzle mode : {layout::SmemSwizzle::Bytes128, layout::SmemSwizzle::Bytes64, layout::SmemSwizzle::Bytes32, layout::SmemSwizzle::None}) {
    layout::Result<layout::ComposedLayout> layout = layout::matrixTileLayout(type.getShape().vec(), *along, mode, bits);
    if (!layout || !llvm::all_of(readings, [&](const Reading &reading) { return bool(layout::matchMatrixOperand(*layout, bits, reading.parts)); }))
      continue;
    auto laidOut = MemRefType::get(type.getShape(), type.getElementType(), tile::LayoutAttr::get(stage.getContext(), *layout), type.getMemorySpace());
    if (isBox(stage, laidOut))
      return MatrixLayoutPlan{*layout, layout::smemSwizzleInfo(mode).rowBytes, readings.front().instruction};
  }
  return std::nullopt;
}
