//===- NestModel.cpp - A kernel as loops, tiles and accesses ----*- C++ -*-===//
//
// What is asked of the model; ReadNest.cpp makes it.
//
//===----------------------------------------------------------------------===//

#include "tilec/Analysis/NestModel.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "tilec/Tile/Distribution.h"

using namespace mlir;
using namespace tilec::analysis;
using namespace tilec::tile;

bool Subscript::movedBy(unsigned loop) const {
  return llvm::any_of(terms, [&](const Term &term) { return term.loop == loop; });
}

bool Place::movedBy(unsigned loop) const {
  return llvm::any_of(at, [&](const Subscript &subscript) { return subscript.movedBy(loop); });
}

int64_t TileModel::elements() const {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  return count;
}

std::string tilec::analysis::nameOf(BlockArgument argument) {
  if (auto name = argument.getLoc()->findInstanceOf<NameLoc>())
    return name.getName().str();
  return "arg" + std::to_string(argument.getArgNumber());
}

SmallVector<int64_t> NestModel::operandShape(unsigned argument) const {
  KernelOp op = kernel;
  SmallVector<int64_t> shape;
  auto type = cast<MemRefType>(op.getArgumentTypes()[argument]);
  for (unsigned dim = 0; dim < type.getRank(); ++dim) {
    OpFoldResult extent = op.getOperandExtent(argument, dim);
    if (auto value = dyn_cast<Value>(extent))
      shape.push_back(arguments[cast<BlockArgument>(value).getArgNumber()]);
    else
      shape.push_back(*getConstantIntValue(extent));
  }
  return shape;
}

int64_t NestModel::operandElementBytes(unsigned argument) const {
  KernelOp op = kernel;
  return cast<MemRefType>(op.getArgumentTypes()[argument]).getElementTypeBitWidth() / 8;
}

std::optional<unsigned> NestModel::operandOf(const Place &place) const {
  const Place *at = &place;
  while (!at->isOperand) {
    if (!tiles[at->root].source)
      return std::nullopt;
    at = &*tiles[at->root].source;
  }
  return at->root;
}

std::string NestModel::heldNameOf(const Place &place) const {
  const TileModel *tile = &tiles[place.root];
  while (tile->source && !tile->source->isOperand)
    tile = &tiles[tile->source->root];
  auto name = tile->op->getResult(0).getLoc()->findInstanceOf<NameLoc>();
  return name ? name.getName().str() : "tile";
}

bool NestModel::isStoredTo(unsigned argument) const {
  auto writes = [&](const Place &place) { return operandOf(place) == argument; };
  return llvm::any_of(stores, [&](const StoreModel &store) { return writes(store.to); }) ||
         llvm::any_of(computes, [&](const ComputeModel &compute) {
           return llvm::any_of(compute.outputs, [&](const ComputeOperand &output) {
             return output.place.isOperand && output.place.root == argument;
           });
         });
}

Level NestModel::levelOf(const Place &place) const {
  return place.isOperand ? Level::DRAM : tiles[place.root].level;
}

/// The loops that run `loop`, itself included.
static SmallVector<const LoopModel *> chainOf(const NestModel &model, const LoopModel &loop) {
  SmallVector<const LoopModel *> chain;
  for (const LoopModel &other : model.loops) {
    ForOp outer = other.op;
    if (outer->isAncestor(ForOp(loop.op)))
      chain.push_back(&other);
  }
  return chain;
}

int64_t NestModel::threadsPerBlock() const {
  int64_t most = 1;
  for (const LoopModel &loop : loops) {
    if (!loop.onThreads())
      continue;
    // Units nest: threads in warps in warpgroups.
    SmallVector<const LoopModel *> chain = chainOf(*this, loop);
    int64_t threads = 1;
    for (Unit unit : {Unit::Thread, Unit::Warp, Unit::Warpgroup})
      for (const LoopModel *outer : chain)
        if (outer->unit == unit)
          threads = static_cast<int64_t>(llvm::alignTo(threads, getUnitThreads(unit))) * outer->count();
    most = std::max(most, threads);
  }
  return most;
}

int64_t NestModel::blocks() const {
  int64_t most = 1;
  bool any = false;
  for (const LoopModel &loop : loops) {
    if (!loop.onBlocks())
      continue;
    int64_t count = 1;
    for (const LoopModel *outer : chainOf(*this, loop))
      if (outer->onBlocks())
        count *= outer->count();
    most = any ? std::max(most, count) : count;
    any = true;
  }
  return most;
}

SmallVector<Subscript, 2> NestModel::tracedSubscripts(const Place &place) const {
  SmallVector<Subscript, 2> sums = place.at;
  for (const Place *at = &place; !at->isOperand && tiles[at->root].source;) {
    at = &*tiles[at->root].source;
    for (auto [sum, subscript] : llvm::zip_equal(sums, at->at)) {
      sum.terms.append(subscript.terms);
      sum.constant += subscript.constant;
    }
  }
  return sums;
}
