//===- NestModel.cpp - A kernel as loops, tiles and accesses ----*- C++ -*-===//
//
// What is asked of the model; ReadNest.cpp makes it.
//
//===----------------------------------------------------------------------===//

#include "tilec/Analysis/NestModel.h"

#include "CountingBox.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "tilec/Tile/Distribution.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilec::analysis;
using namespace tilec::tile;

bool Subscript::movedBy(unsigned loop) const {
  return llvm::any_of(terms, [&](const Term &term) { return term.loop == loop; });
}

void Subscript::add(const Subscript &other) {
  terms.append(other.terms);
  constant += other.constant;
  sizes.append(other.sizes);
  written += other.written;
}

bool Place::movedBy(unsigned loop) const {
  return llvm::any_of(at, [&](const Subscript &subscript) { return subscript.movedBy(loop); });
}

std::optional<Place> Place::getIndices() const {
  if (!gather)
    return std::nullopt;
  Place indices;
  indices.root = gather->indices;
  indices.isOperand = true;
  indices.at = {at[gather->dim]};
  return indices;
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

SmallVector<int64_t> NestModel::boundsOf(const Place &place) const {
  SmallVector<int64_t> bounds = place.isOperand ? operandShape(place.root) : llvm::to_vector(tiles[place.root].shape);
  if (place.gather)
    bounds[place.gather->dim] = operandShape(place.gather->indices).front();
  return bounds;
}

const Place *NestModel::operandPlaceOf(const Place &place) const {
  const Place *at = &place;
  while (!at->isOperand) {
    if (!tiles[at->root].source)
      return nullptr;
    at = &*tiles[at->root].source;
  }
  return at;
}

std::optional<unsigned> NestModel::operandOf(const Place &place) const {
  const Place *operand = operandPlaceOf(place);
  return operand ? std::optional(operand->root) : std::nullopt;
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
  if (!place.isOperand)
    return tiles[place.root].level;
  KernelOp op = kernel;
  return *tile::getLevel(op.getArgumentTypes()[place.root]);
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

int64_t NestModel::countOf(ForOp op, unsigned number) const {
  return llvm::find_if(loops, [&](const LoopModel &loop) { return loop.op == op && loop.number == number; })->count();
}

std::optional<Subscript> NestModel::getRest(unsigned loop) const {
  std::optional<Subscript> rest = loops[loop].bound;
  if (rest) {
    rest->terms.push_back({loop, -1});
    --rest->constant;
  }
  return rest;
}

double NestModel::meanCount(unsigned loop) const {
  const LoopModel &own = loops[loop];
  if (!own.bound)
    return static_cast<double>(own.count());
  double extent = static_cast<double>(own.bound->constant);
  for (const Term &term : own.bound->terms)
    extent += static_cast<double>(term.factor * loops[term.loop].step) * std::max(meanCount(term.loop) - 1, 0.0) / 2;
  return std::clamp((extent + static_cast<double>(own.step - 1)) / static_cast<double>(own.step), 0.0, static_cast<double>(own.count()));
}

int64_t NestModel::iterationsOf(ArrayRef<unsigned> around) const {
  uint64_t count = 1;
  for (unsigned loop : around)
    count = llvm::SaturatingMultiply<uint64_t>(count, loops[loop].count());
  if (llvm::none_of(around, [&](unsigned loop) { return loops[loop].bound.has_value(); }))
    return count;
  CountingBox box(*this);
  for (unsigned loop : around)
    box.addLoop(loop);
  return box.count().value_or(count);
}

int64_t NestModel::threadsPerBlock() const {
  return getComputeThreads(kernel, [&](ForOp loop, unsigned i) { return countOf(loop, i); });
}

int64_t NestModel::threadsOf(unsigned number) const {
  return getThreads(loops[number].op, [&](ForOp loop, unsigned i) { return countOf(loop, i); });
}

int64_t NestModel::threadStrideOf(unsigned number) const {
  return getThreadStride(loops[number].op, loops[number].number, [&](ForOp loop, unsigned i) { return countOf(loop, i); });
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
    for (auto [sum, subscript] : llvm::zip_equal(sums, at->at))
      sum.add(subscript);
  }
  return sums;
}
