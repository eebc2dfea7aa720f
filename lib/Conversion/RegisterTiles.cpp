//===- RegisterTiles.cpp - Who holds what --------------------------*- C++ -*-===//

#include "RegisterTiles.h"

#include "Loops.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace tilec;

static const char *const kLoopNames[] = {"i", "j", "p", "q", "r", "s", "t", "u"};
StringRef RegisterTiles::getLoopName(unsigned i) { return kLoopNames[std::min<unsigned>(i, std::size(kLoopNames) - 1)]; }

Indices RegisterTile::inSlot(Indices indices) const {
  if (slot)
    indices.insert(indices.begin(), slot);
  return indices;
}

LogicalResult RegisterTiles::create(Value tile, int64_t slots) {
  FailureOr<tile::Distribution> distribution = tile::getDistribution(tile);
  if (failed(distribution))
    return failure();
  SmallVector<int64_t> shape = distribution->getLocalShape();
  if (slots > 1)
    shape.insert(shape.begin(), slots);
  Value array = context.createArray(tile.getLoc(), shape, cast<MemRefType>(tile.getType()).getElementType());
  tiles[tile] = {array, *distribution, {}};
  return success();
}

RegisterTile *RegisterTiles::find(Value root) {
  auto it = tiles.find(root);
  return it == tiles.end() ? nullptr : &it->second;
}

void RegisterTiles::forgetTilesIn(tile::ForOp loop) {
  loop.walk([&](Operation *op) {
    for (Value result : op->getResults())
      tiles.erase(result);
  });
}

void RegisterTiles::forEachRunHeld(Location loc, const tile::Distribution &distribution, int64_t head, int64_t width,
                                   llvm::function_ref<void(const Indices &, const Coordinates &, int64_t)> body, Numbers outermost) {
  SmallVector<tile::LocalDigit> local = distribution.getLocalDigits();
  Coordinates coordinates = threads.getCoordinates(loc, distribution);
  Indices indices(local.size());
  std::function<void(unsigned)> nest = [&](unsigned i) {
    if (i == local.size())
      return body(indices, coordinates, 1);
    auto [dim, digit] = local[i];
    bool last = i + 1 == local.size();
    IndexExpr outer = coordinates[dim];
    // Elements from `first` on, `step` at a time.
    auto walk = [&, dim = dim, digit = digit](int64_t first, int64_t count, int64_t step) {
      if (count == 0)
        return;
      int64_t begin = first % step == 0 ? first / step : 0, beyond = first - begin * step;
      auto lowerNumber = [&](const IndexExpr &counted) {
        IndexExpr number = counted + constantIndex(beyond);
        indices[i] = context.index.materialize(loc, number);
        coordinates[dim] = outer + number * digit.step;
        last ? body(indices, coordinates, step) : nest(i + 1);
      };
      createCountedLoop(context, loc, getLoopName(i), count, step, /*unrolled=*/true, lowerNumber, begin);
    };
    int64_t before = last ? head : 0, step = last ? width : 1, groups = (digit.count - before) / step, after = before + groups * step;
    if (i == 0 && !last && outermost) {
      walk(outermost->first, outermost->second - outermost->first, 1);
    } else {
      walk(0, before, 1);
      walk(before, groups, step);
      walk(after, digit.count - after, 1);
    }
    coordinates[dim] = outer;
  };
  nest(0);
}

void RegisterTiles::forEachHeld(Location loc, const tile::Distribution &distribution, int64_t width,
                                llvm::function_ref<void(const Indices &, const Coordinates &)> body, Numbers outermost) {
  forEachRunHeld(
      loc, distribution, 0, width, [&](const Indices &indices, const Coordinates &coordinates, int64_t) { body(indices, coordinates); }, outermost);
}

FailureOr<Indices> RegisterTiles::getIndices(Operation *op, const RegisterTile &tile,
                                             const tile::Access &access, MemRefType part, const Coordinates &offsets) {
  FailureOr<Indices> indices = getDigits(op, tile, access, part, &offsets);
  if (failed(indices))
    return failure();
  if (tile.distribution.order.empty())
    return tile.inSlot(*indices);
  return tile.inSlot(llvm::map_to_vector(tile.distribution.order, [&](unsigned number) { return (*indices)[number]; }));
}

FailureOr<Indices> RegisterTiles::getFragment(Operation *op, const RegisterTile &tile, const tile::Access &access, MemRefType part) {
  FailureOr<Indices> indices = getDigits(op, tile, access, part, /*offsets=*/nullptr);
  if (failed(indices))
    return failure();
  return tile.inSlot(*indices);
}

void RegisterTiles::appendFirst(const RegisterTile &tile, Indices &indices) {
  indices.resize(cast<MemRefType>(tile.array.getType()).getRank(), context.index.constant(unnamed(tile.array.getLoc()), 0));
}

FailureOr<Indices> RegisterTiles::getDigits(Operation *op, const RegisterTile &tile, const tile::Access &access, MemRefType part,
                                            const Coordinates *offsets) {
  Indices indices;
  IndexBuilder &index = context.index;
  Location loc = unnamed(op->getLoc());
  for (auto [dim, dimDigits] : llvm::enumerate(tile.distribution.dims)) {
    // The loops of the subscript and the part's own extent, largest step first, walk the digits in their order;
    // several of one thread may walk one digit.
    struct Walk {
      int64_t step;
      Value iv;
      bool local;
    };
    SmallVector<Walk> walks;
    for (auto [iv, factor] : access.subscripts[dim].terms) {
      auto loop = cast<tile::ForOp>(cast<BlockArgument>(iv).getOwner()->getParentOp());
      unsigned number = cast<BlockArgument>(iv).getArgNumber();
      if (loop.getStaticCount(number) != 1)
        walks.push_back({factor * loop.getSteps()[number], iv, !tile::isThreadUnit(loop)});
    }
    llvm::sort(walks, [](const Walk &x, const Walk &y) { return x.step > y.step; });
    if (offsets && part.getDimSize(dim) > 1)
      walks.push_back({1, Value(), true});
    auto walk = walks.begin();
    for (const tile::Digit &digit : dimDigits) {
      // The instruction's own; a loop may walk one digit with it, several of its steps at a time.
      if (!offsets && digit.step < part.getDimSize(dim) && (walk == walks.end() || !walk->local || digit.threadStride != 0))
        break;
      IndexExpr number;
      bool walked = false;
      for (; walk != walks.end() && walk->local == (digit.threadStride == 0) && walk->step >= digit.step; ++walk) {
        walked = true;
        if (!walk->local) {
          ++walk;
          break;
        }
        if (!walk->iv) {
          for (auto [value, factor] : (*offsets)[dim].terms)
            setUnrolled(value);
          number = number + (*offsets)[dim];
          continue;
        }
        auto loop = cast<tile::ForOp>(cast<BlockArgument>(walk->iv).getOwner()->getParentOp());
        Value iv = context.values.lookup(walk->iv);
        setUnrolled(iv);
        Value count = index.div(loc, iv, loop.getSteps()[cast<BlockArgument>(walk->iv).getArgNumber()]);
        number = number + valueIndex(count, walk->step / digit.step);
      }
      if (!walked) // limit_x26
        return op->emitOpError("uses a register tile as a whole that is spread over threads or loops; part it as they do");
      if (digit.threadStride == 0)
        indices.push_back(index.materialize(loc, number));
    }
  }
  return indices;
}

Value tilec::flatten(Context &context, Value array) {
  auto type = cast<MemRefType>(array.getType());
  if (type.getRank() < 2)
    return array;
  SmallVector<ReassociationIndices> all = {llvm::to_vector<4>(llvm::seq<int64_t>(type.getRank()))};
  return memref::CollapseShapeOp::create(context.b, named(array.getLoc(), nameOf(array.getLoc(), "r") + "_flat"), array, all);
}

void tilec::forEachRun(Context &context, Location loc, MemRefType array, int64_t width,
                       llvm::function_ref<void(const IndexExpr &, const Indices &)> body) {
  createCountedLoop(context, loc, "e", array.getNumElements() / width, width, /*unrolled=*/true, [&](const IndexExpr &element) {
    Indices first;
    if (array.getRank() > 0)
      first.push_back(context.index.materialize(loc, element));
    body(element, first);
  });
}
