//===- Companions.cpp - Register tiles used together ------------*- C++ -*-===//
//
// A computation on whole register tiles that threads hold together is done by each for what it holds: its tiles are spread alike,
// and what it reads along some of its dimensions only is spread as these are.
//
//===----------------------------------------------------------------------===//

#include "Companions.h"

#include "tilec/Tile/Projection.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace tilec::tile;

/// Does `operand` take the whole of a register tile in `compute`, which does each of its points by itself?
static bool isWhole(linalg::LinalgOp compute, OpOperand &operand) {
  return isa_and_present<HoldOp, StageOp>(operand.get().getDefiningOp()) && getLevel(operand.get().getType()) == Level::RF &&
         compute.getNumParallelLoops() == compute.getNumLoops();
}

/// Does `operand` take the whole of a register tile of which `compute` uses each element where it is?
static bool isElementwiseOn(linalg::LinalgOp compute, OpOperand &operand) {
  return isWhole(compute, operand) && compute.getMatchingIndexingMap(&operand).isIdentity();
}

static ArrayRef<int64_t> getShape(Value tile) { return cast<MemRefType>(tile.getType()).getShape(); }

llvm::SetVector<Value> tilec::tile::getCompanions(Value tile) {
  llvm::SetVector<Value> tiles;
  tiles.insert(tile);
  for (size_t i = 0; i < tiles.size(); ++i)
    for (OpOperand &use : tiles[i].getUses()) {
      auto compute = dyn_cast<linalg::LinalgOp>(use.getOwner());
      if (!compute || !isElementwiseOn(compute, use))
        continue;
      for (OpOperand &other : compute->getOpOperands())
        if (isElementwiseOn(compute, other) && getShape(other.get()) == getShape(tile)) // Others do not verify.
          tiles.insert(other.get());
    }
  return tiles;
}

//===----------------------------------------------------------------------===//
// Projections
//===----------------------------------------------------------------------===//

/// The dimension of `map`'s domain that a result is; nothing for a constant.
static std::optional<unsigned> getDim(AffineExpr result) {
  auto dim = dyn_cast<AffineDimExpr>(result);
  return dim ? std::optional(dim.getPosition()) : std::nullopt;
}

bool tilec::tile::isProjected(linalg::LinalgOp compute, OpOperand &operand) {
  if (!isWhole(compute, operand) || compute.isDpsInit(&operand))
    return false;
  AffineMap map = compute.getMatchingIndexingMap(&operand);
  ArrayRef<int64_t> shape = getShape(operand.get());
  llvm::SmallBitVector moving(map.getNumDims());
  for (auto [result, extent] : llvm::zip_equal(map.getResults(), shape)) {
    std::optional<unsigned> dim = getDim(result);
    if (dim ? moving.test(*dim) : extent != 1 || !isa<AffineConstantExpr>(result))
      return false;
    if (dim)
      moving.set(*dim);
  }
  // As many would be a transposition, which others hold otherwise.
  return llvm::product_of(shape) < llvm::product_of(compute.getStaticLoopRanges());
}

Distribution tilec::tile::project(const Distribution &spread, AffineMap map) {
  Distribution result;
  SmallVector<LocalDigit> values, local = spread.getLocalDigits();
  for (AffineExpr expr : map.getResults()) {
    std::optional<unsigned> dim = getDim(expr);
    result.dims.push_back(dim ? spread.dims[*dim] : SmallVector<Digit>());
  }
  for (unsigned number : getProjectedDigits(spread, map)) {
    auto *at = llvm::find_if(map.getResults(), [&](AffineExpr expr) { return getDim(expr) == local[number].dim; });
    values.push_back({static_cast<unsigned>(at - map.getResults().begin()), local[number].digit});
  }
  result.setOrder(values);
  return result;
}

SmallVector<unsigned> tilec::tile::getProjectedDigits(const Distribution &spread, AffineMap map) {
  SmallVector<unsigned> numbers;
  for (auto [number, local] : llvm::enumerate(spread.getLocalDigits()))
    if (map.isFunctionOfDim(local.dim))
      numbers.push_back(number);
  return numbers;
}

/// How the computations that read `tile` along some of their dimensions only spread it; nothing where there are none that threads share.
/// These have more elements, whether `compute` verifies or not: so the search for who spreads them ends.
static FailureOr<std::optional<Distribution>> getProjectedDistribution(Value tile) {
  for (OpOperand &use : tile.getUses()) {
    auto compute = dyn_cast<linalg::LinalgOp>(use.getOwner());
    if (!compute || !isProjected(compute, use) || getThreadLoop(tile.getDefiningOp()) != getThreadLoop(compute))
      continue;
    for (OpOperand &other : compute->getOpOperands()) {
      if (!isElementwiseOn(compute, other) || getThreadLoop(other.get().getDefiningOp()) != getThreadLoop(compute) ||
          llvm::product_of(getShape(other.get())) <= llvm::product_of(getShape(tile)))
        continue;
      FailureOr<Distribution> spread = getDistribution(other.get());
      if (failed(spread))
        return failure();
      if (!spread->isLocal())
        return std::optional(project(*spread, compute.getMatchingIndexingMap(&use)));
    }
  }
  return std::optional<Distribution>();
}

//===----------------------------------------------------------------------===//
// Who holds what
//===----------------------------------------------------------------------===//

FailureOr<Distribution> tilec::tile::getDistribution(Value tile) {
  llvm::SetVector<Value> companions = getCompanions(tile);
  for (Value companion : companions) {
    FailureOr<std::optional<Distribution>> parted = getPartedDistribution(companion);
    if (failed(parted))
      return failure();
    if (*parted)
      return **parted;
  }
  for (Value companion : companions) {
    FailureOr<std::optional<Distribution>> projected = getProjectedDistribution(companion);
    if (failed(projected))
      return failure();
    if (*projected)
      return **projected;
  }
  Distribution whole;
  for (int64_t extent : getShape(tile)) {
    SmallVector<Digit> &digits = whole.dims.emplace_back();
    if (extent > 1)
      digits.push_back({extent, 1, 0});
  }
  return whole;
}

std::optional<Distribution> tilec::tile::getSpreadOf(linalg::LinalgOp compute) {
  ForOp units = getThreadLoop(compute);
  for (OpOperand &operand : compute->getOpOperands()) {
    if (!isElementwiseOn(compute, operand) || getThreadLoop(operand.get().getDefiningOp()) != units)
      continue;
    // The others are its companions, and spread alike.
    FailureOr<Distribution> spread = getDistribution(operand.get());
    return succeeded(spread) && !spread->isLocal() ? std::optional(*spread) : std::nullopt;
  }
  return std::nullopt;
}
