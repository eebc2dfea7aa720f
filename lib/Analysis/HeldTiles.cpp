//===- HeldTiles.cpp - Tiles that a block makes in shared memory -*- C++ -*-===//

#include "tilec/Analysis/HeldTiles.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Diagnostics.h"
#include "tilec/Analysis/ScalarBody.h"
#include "tilec/Tile/Access.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::analysis;
using tile::ForOp;
using tile::HoldOp;
using tile::StageOp;
using tile::StoreOp;
using tile::TileUse;

/// Does each execution of `compute` write all of what `init` names, and read nothing of it?
static bool writesAll(linalg::LinalgOp compute, OpOperand &init) {
  if (!compute.isDpsInit(&init) || ScalarBody(compute).isLoaded(init))
    return false;
  llvm::SmallDenseSet<unsigned> dims;
  for (AffineExpr expr : compute.getMatchingIndexingMap(&init).getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim || !dims.insert(dim.getPosition()).second)
      return false;
  }
  // No point is left out.
  return llvm::all_of(compute->getOpOperands(), [](OpOperand &operand) {
    return !isa<MemRefType>(operand.get().getType()) || tile::hasAllElements(operand.get());
  });
}

/// Is `user` executed whenever `first` is, in each iteration of the loops between them, of which there are some?
static bool alwaysRuns(Operation *user, Operation *first) {
  for (Operation *op = user; op != first; op = op->getParentOp())
    if (!isa<ForOp>(op->getParentOp()))
      return false;
  for (auto loop = user->getParentOfType<ForOp>(); loop && first->isAncestor(loop); loop = loop->getParentOfType<ForOp>())
    for (unsigned i = 0; i < loop.getNumLoops(); ++i)
      if (loop.getStaticCount(i).value_or(0) == 0)
        return false;
  return true;
}

/// Do the loops in `first`, all of which run, bring `use` to each element of the tile?
static bool coversTile(HoldOp hold, const TileUse &use, const tile::Access &access, ArrayRef<int64_t> shape, Operation *first) {
  if (!alwaysRuns(use.operand->getOwner(), first))
    return false;
  for (const tile::LinearExpr &sum : access.subscripts)
    for (auto [value, factor] : sum.terms)
      if (!first->isAncestor(value.getParentBlock()->getParentOp()))
        return false;
  ScopedDiagnosticHandler quiet(hold.getContext(), [](Diagnostic &) { return success(); });
  return succeeded(tile::getAccessDistribution(hold.getTile(), *use.operand, access, shape));
}

/// Is `use` such that all of the tile is written by the executions of its op in `first`, each of which writes all that it names?
static bool writesTile(HoldOp hold, const TileUse &use, Operation *first) {
  Operation *user = use.operand->getOwner();
  if (auto compute = dyn_cast<linalg::LinalgOp>(user))
    return writesAll(compute, *use.operand) &&
           coversTile(hold, use, tile::traceParts(use.operand->get()), cast<MemRefType>(use.operand->get().getType()).getShape(), first);
  auto store = dyn_cast<StoreOp>(user);
  return store && use.writes && !store.getCombine() &&
         coversTile(hold, use, tile::getDestAccess(store), cast<MemRefType>(store.getTile().getType()).getShape(), first);
}

//===----------------------------------------------------------------------===//
// Tiles of which a part is written, and nothing else read
//===----------------------------------------------------------------------===//

/// The elements of a box that the executions of a store in `first` all write, whatever else they do, from the first to the last. A variable that is in several subscripts
/// brings the store along the first of these dimensions; along the others what it writes for all of its values counts.
static std::optional<SmallVector<tile::SumBounds>> getBoxWritten(const tile::Access &access, ArrayRef<int64_t> shape, Operation *first) {
  SmallVector<tile::SumBounds> box;
  llvm::SmallDenseSet<Value> seen;
  for (auto [sum, extent] : llvm::zip_equal(access.subscripts, shape)) {
    int64_t least = sum.constant, most = sum.constant, covered = extent;
    SmallVector<std::pair<int64_t, int64_t>> walks; // How far apart the values of a variable bring the store, and how far in all.
    for (auto [value, factor] : sum.terms) {
      tile::LinearExpr term;
      term.add(value, factor);
      std::optional<tile::SumBounds> bounds = tile::getSumBounds(term);
      if (!bounds || !first->isAncestor(value.getParentBlock()->getParentOp()))
        return std::nullopt;
      bool isOwn = seen.insert(value).second;
      least += bounds->least;
      most += isOwn ? bounds->least : bounds->most;
      if (isOwn)
        walks.push_back({tile::getDivisor(term), bounds->most - bounds->least});
    }
    llvm::sort(walks);
    for (auto [step, reach] : walks) {
      if (step > covered) // It leaves gaps.
        return std::nullopt;
      covered += reach;
    }
    box.push_back({most, least + covered - 1});
  }
  return box;
}

/// Are all elements that `stage` reads in `box`?
static bool readsOnly(StageOp stage, ArrayRef<tile::SumBounds> box) {
  tile::Access access = tile::getSourceAccess(stage);
  for (auto [sum, extent, written] : llvm::zip_equal(access.subscripts, cast<MemRefType>(stage.getTile().getType()).getShape(), box)) {
    std::optional<tile::SumBounds> bounds = tile::getSumBounds(sum);
    if (!bounds || bounds->least < written.least || bounds->most + extent - 1 > written.most)
      return false;
  }
  return !access.gather;
}

/// Is `writer` a store in `first` that writes all that the others of `uses`, all of which come later, read?
static bool writesWhatIsRead(const TileUse &writer, ArrayRef<TileUse> uses, Operation *first) {
  auto store = dyn_cast<StoreOp>(writer.operand->getOwner());
  if (!store || !writer.writes || store.getCombine() || !alwaysRuns(store, first))
    return false;
  tile::Access dest = tile::getDestAccess(store);
  std::optional<SmallVector<tile::SumBounds>> box = getBoxWritten(dest, cast<MemRefType>(store.getTile().getType()).getShape(), first);
  return box && !dest.gather && llvm::all_of(uses, [&](const TileUse &use) {
    auto stage = dyn_cast<StageOp>(use.operand->getOwner());
    return use.operand == writer.operand || (stage && !first->isAncestor(stage) && readsOnly(stage, *box));
  });
}

bool tilec::analysis::isInitRead(HoldOp hold) {
  Block *block = hold->getBlock();
  SmallVector<TileUse> uses = tile::getTileUses(hold.getTile());
  auto comesTo = [&](const TileUse &use) { return block->findAncestorOpInBlock(*use.operand->getOwner()); };
  Operation *first = nullptr;
  for (const TileUse &use : uses)
    if (Operation *op = comesTo(use); !first || op->isBeforeInBlock(first))
      first = op;
  if (!first)
    return false;
  if (llvm::any_of(uses, [&](const TileUse &use) { return comesTo(use) == first && writesWhatIsRead(use, uses, first); }))
    return false;
  llvm::erase_if(uses, [&](const TileUse &use) { return comesTo(use) != first; });
  const auto *writer = llvm::find_if(uses, [&](const TileUse &use) { return writesTile(hold, use, first); });
  if (writer == uses.end())
    return true;
  // What else is done in there is done with the part that a computation has just written.
  Operation *op = writer->operand->getOwner();
  return llvm::any_of(uses, [&](const TileUse &use) {
    Operation *user = use.operand->getOwner();
    if (&use == writer)
      return false;
    Operation *beside = op->getBlock()->findAncestorOpInBlock(*user);
    return !isa<linalg::LinalgOp>(op) || use.operand->get() != writer->operand->get() || !beside || !op->isBeforeInBlock(beside);
  });
}

CopyForm tilec::analysis::getFillForm(const CopyTile &tile) {
  unsigned last = tile.shape.size() - 1;
  for (int64_t width = tile::kWidestBytes / tile.elementBytes; width > 1 && width * tile.elementBytes >= 4; width /= 2)
    if (tile.shape[last] % width == 0 && tile::hasAlignedRuns(tile.layout, last, width))
      return {last, width};
  return {last, 1};
}
