//===- Companions.cpp - Register tiles used together ------------*- C++ -*-===//
//
// A computation on whole register tiles that threads hold together is done by each for what it holds: its tiles are spread alike,
// and what it reads along some of its dimensions only is spread as these are.
//
//===----------------------------------------------------------------------===//

#include "Companions.h"

#include "tilec/Tile/Distributions.h"
#include "tilec/Tile/InstructionUse.h"
#include "tilec/Tile/Projection.h"
#include "tilec/Tile/Reduction.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace tilec::tile;

/// Is `operand` the whole of a register tile?
static bool isWholeTile(OpOperand &operand) {
  return isa_and_present<HoldOp, StageOp>(operand.get().getDefiningOp()) && getLevel(operand.get().getType()) == Level::RF;
}

bool tilec::tile::isRowReduction(linalg::LinalgOp compute) {
  return compute.getNumReductionLoops() > 0 && getInnermostUnit(compute) != Unit::Thread && !getInstructionUse(compute) &&
         llvm::all_of(compute.getDpsInitsMutable(), [&](OpOperand &init) { return isWholeTile(init) && getUpdateKind(compute, init); });
}

/// Does `operand` take the whole of a register tile in `compute`, which does each of its points by itself, or puts them together along some of its dimensions?
static bool isWhole(linalg::LinalgOp compute, OpOperand &operand) {
  return isWholeTile(operand) && (compute.getNumParallelLoops() == compute.getNumLoops() || isRowReduction(compute));
}

/// Does `operand` take the whole of a register tile of which `compute` uses each element where it is?
static bool isElementwiseOn(linalg::LinalgOp compute, OpOperand &operand) {
  return isWhole(compute, operand) && compute.getMatchingIndexingMap(&operand).isIdentity();
}

static ArrayRef<int64_t> getShape(Value tile) { return cast<MemRefType>(tile.getType()).getShape(); }

ArrayRef<Value> Distributions::getNeighbours(Value tile) {
  auto [known, isNew] = neighbours.try_emplace(tile);
  if (!isNew)
    return known->second;
  llvm::SetVector<Value> found;
  for (OpOperand &use : tile.getUses()) {
    auto compute = dyn_cast<linalg::LinalgOp>(use.getOwner());
    if (!compute || !isElementwiseOn(compute, use))
      continue;
    for (OpOperand &other : compute->getOpOperands())
      if (isElementwiseOn(compute, other) && getShape(other.get()) == getShape(tile)) // Others do not verify.
        found.insert(other.get());
  }
  known->second.assign(found.begin(), found.end());
  return known->second;
}

llvm::SetVector<Value> Distributions::getCompanions(Value tile) {
  llvm::SetVector<Value> tiles;
  tiles.insert(tile);
  for (size_t i = 0; i < tiles.size(); ++i)
    tiles.insert_range(getNeighbours(tiles[i]));
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
  bool isSum = compute.isDpsInit(&operand);
  if (!isWhole(compute, operand) || (isSum && compute.getNumReductionLoops() == 0))
    return false;
  SmallVector<utils::IteratorType> iterators = compute.getIteratorTypesArray();
  AffineMap map = compute.getMatchingIndexingMap(&operand);
  ArrayRef<int64_t> shape = getShape(operand.get());
  llvm::SmallBitVector moving(map.getNumDims());
  for (auto [result, extent] : llvm::zip_equal(map.getResults(), shape)) {
    std::optional<unsigned> dim = getDim(result);
    if (dim ? moving.test(*dim) || (isSum && iterators[*dim] != utils::IteratorType::parallel) : extent != 1 || !isa<AffineConstantExpr>(result))
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

SmallVector<Digit> tilec::tile::getReducedDigits(const Distribution &spread, AffineMap map) {
  SmallVector<Digit> digits;
  for (auto [dim, ofDim] : llvm::enumerate(spread.dims))
    if (!map.isFunctionOfDim(dim))
      llvm::copy_if(ofDim, std::back_inserter(digits), [](const Digit &digit) { return digit.threadStride != 0; });
  return digits;
}

SmallVector<unsigned> tilec::tile::getProjectedDigits(const Distribution &spread, AffineMap map) {
  SmallVector<unsigned> numbers;
  for (auto [number, local] : llvm::enumerate(spread.getLocalDigits()))
    if (map.isFunctionOfDim(local.dim))
      numbers.push_back(number);
  return numbers;
}

/// These have more elements, whether the computation verifies or not: so the search for who spreads them ends.
FailureOr<std::optional<Distribution>> Distributions::getProjected(Value tile) {
  if (auto known = projected.find(tile); known != projected.end())
    return known->second;
  for (OpOperand &use : tile.getUses()) {
    auto compute = dyn_cast<linalg::LinalgOp>(use.getOwner());
    if (!compute || !isProjected(compute, use) || getThreadLoop(tile.getDefiningOp()) != getThreadLoop(compute))
      continue;
    for (OpOperand &other : compute->getOpOperands()) {
      if (!isElementwiseOn(compute, other) || getThreadLoop(other.get().getDefiningOp()) != getThreadLoop(compute) ||
          llvm::product_of(getShape(other.get())) <= llvm::product_of(getShape(tile)))
        continue;
      FailureOr<Distribution> spread = get(other.get());
      if (failed(spread))
        return failure();
      if (!spread->isLocal()) // What threads share.
        return projected[tile] = project(*spread, compute.getMatchingIndexingMap(&use));
    }
  }
  return projected[tile] = std::nullopt;
}

//===----------------------------------------------------------------------===//
// Who holds what
//===----------------------------------------------------------------------===//

FailureOr<std::optional<Distribution>> Distributions::getParted(Value tile) {
  if (auto known = parted.find(tile); known != parted.end())
    return known->second;
  FailureOr<Found> found = getPartedDistribution(tile);
  if (succeeded(found))
    parted[tile] = *found;
  return found;
}

FailureOr<Distribution> Distributions::get(Value tile) {
  if (auto known = spreads.find(tile); known != spreads.end())
    return known->second;
  llvm::SetVector<Value> companions = getCompanions(tile);
  for (Value companion : companions) {
    FailureOr<Found> found = getParted(companion);
    if (failed(found))
      return failure();
    if (*found)
      return spreads[tile] = **found;
  }
  for (Value companion : companions) {
    FailureOr<Found> found = getProjected(companion);
    if (failed(found))
      return failure();
    if (*found)
      return spreads[tile] = **found;
  }
  Distribution whole;
  for (int64_t extent : getShape(tile)) {
    SmallVector<Digit> &digits = whole.dims.emplace_back();
    if (extent > 1)
      digits.push_back({extent, 1, 0});
  }
  return spreads[tile] = whole;
}

std::optional<Distribution> Distributions::getSpreadOf(linalg::LinalgOp compute) {
  ForOp units = getThreadLoop(compute);
  for (OpOperand &operand : compute->getOpOperands()) {
    if (!isElementwiseOn(compute, operand) || getThreadLoop(operand.get().getDefiningOp()) != units)
      continue;
    // The others are its companions, and spread alike.
    FailureOr<Distribution> spread = get(operand.get());
    return succeeded(spread) && !spread->isLocal() ? std::optional(*spread) : std::nullopt;
  }
  return std::nullopt;
}

FailureOr<Distribution> tilec::tile::getDistribution(Value tile) { return Distributions().get(tile); }

llvm::SetVector<Value> tilec::tile::getCompanions(Value tile) { return Distributions().getCompanions(tile); }

std::optional<Distribution> tilec::tile::getSpreadOf(linalg::LinalgOp compute) { return Distributions().getSpreadOf(compute); }
