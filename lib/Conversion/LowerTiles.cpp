//===- LowerTiles.cpp - Register tiles and stores ---------------*- C++ -*-===//
//
// Arrays that hold a thread's share of a register tile, and what is written back.
//
//===----------------------------------------------------------------------===//

#include "KernelLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace tilec;

static const char *const kLoopNames[] = {"i", "j", "p", "q", "r", "s", "t", "u"};
static StringRef loopName(unsigned i) { return kLoopNames[std::min<unsigned>(i, std::size(kLoopNames) - 1)]; }

FailureOr<RegisterTile> KernelLowering::createRegisters(Value tile, int64_t slots) {
  FailureOr<tile::Distribution> distribution = tile::getDistribution(tile);
  if (failed(distribution))
    return failure();
  SmallVector<int64_t> shape = distribution->getLocalShape();
  if (slots > 1)
    shape.insert(shape.begin(), slots);
  auto space = tile::LevelAttr::get(b.getContext(), tile::Level::RF);
  auto type = MemRefType::get(shape, cast<MemRefType>(tile.getType()).getElementType(), MemRefLayoutAttrInterface(), space);
  Value array = kernel::RegistersOp::create(b, tile.getLoc(), type);
  RegisterTile result{array, *distribution, {}};
  registers[tile] = result;
  return result;
}

KernelLowering::Indices KernelLowering::inSlot(const RegisterTile &tile, Indices indices) {
  if (tile.slot)
    indices.insert(indices.begin(), tile.slot);
  return indices;
}

KernelLowering::Coordinates KernelLowering::getThreadCoordinates(Location loc, const tile::Distribution &distribution) {
  Coordinates coordinates(distribution.dims.size());
  for (auto [dim, dimDigits] : llvm::enumerate(distribution.dims))
    for (const tile::Digit &digit : dimDigits)
      if (digit.threadStride != 0)
        coordinates[dim] = coordinates[dim] + valueIndex(threadDigit(loc, digit));
  return coordinates;
}

void KernelLowering::forEachHeld(Location loc, const tile::Distribution &distribution, int64_t width,
                                 llvm::function_ref<void(const Indices &, const Coordinates &)> body) {
  struct Place {
    unsigned dim;
    tile::Digit digit;
  };
  SmallVector<Place> local;
  for (auto [dim, dimDigits] : llvm::enumerate(distribution.dims))
    for (const tile::Digit &digit : dimDigits)
      if (digit.threadStride == 0)
        local.push_back({static_cast<unsigned>(dim), digit});
  Coordinates coordinates = getThreadCoordinates(loc, distribution);
  Indices indices(local.size());
  std::function<void(unsigned)> nest = [&](unsigned i) {
    if (i == local.size())
      return body(indices, coordinates);
    auto [dim, digit] = local[i];
    int64_t step = i + 1 == local.size() ? width : 1;
    IndexExpr outer = coordinates[dim];
    countedLoop(loc, loopName(i), digit.count / step, step, /*unrolled=*/true, [&](const IndexExpr &number) {
      indices[i] = index.materialize(loc, number);
      coordinates[dim] = outer + number * digit.step;
      nest(i + 1);
    });
    coordinates[dim] = outer;
  };
  nest(0);
}

LogicalResult KernelLowering::lowerHold(tile::HoldOp op) {
  FailureOr<RegisterTile> tile = createRegisters(op.getTile(), /*slots=*/1);
  if (failed(tile))
    return failure();
  Location loc = unnamed(op.getLoc());
  auto value = cast<TypedAttr>(op.getInit());
  // Zeros are the array's initialiser.
  if (value == b.getZeroAttr(value.getType())) {
    tile->array.getDefiningOp<kernel::RegistersOp>().setInitAttr(value);
    return success();
  }
  Value init = arith::ConstantOp::create(b, loc, value);
  if (part && llvm::is_contained(sums, op.getTile())) { // Of several parts of a sum, the first has it.
    Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, part->first, index.constant(loc, 0));
    Value none = arith::ConstantOp::create(b, loc, getIdentity(tile::Combine::Add, value.getType()));
    init = arith::SelectOp::create(b, loc, isFirst, init, none);
  }
  forEachHeld(loc, tile->distribution, 1, [&](const Indices &indices, const Coordinates &) {
    memref::StoreOp::create(b, loc, init, tile->array, indices);
  });
  return success();
}

FailureOr<KernelLowering::Indices> KernelLowering::registerIndices(Operation *op, const RegisterTile &tile,
                                                                   const tile::Access &access, MemRefType part,
                                                                   const Coordinates &offsets) {
  Indices indices;
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
    if (part.getDimSize(dim) > 1)
      walks.push_back({1, Value(), true});
    auto walk = walks.begin();
    for (const tile::Digit &digit : dimDigits) {
      IndexExpr number;
      bool walked = false;
      for (; walk != walks.end() && walk->local == (digit.threadStride == 0) && walk->step >= digit.step; ++walk) {
        walked = true;
        if (!walk->local) {
          ++walk;
          break;
        }
        if (!walk->iv) {
          for (auto [value, factor] : offsets[dim].terms)
            markUnrolled(value);
          number = number + offsets[dim];
          continue;
        }
        auto loop = cast<tile::ForOp>(cast<BlockArgument>(walk->iv).getOwner()->getParentOp());
        Value iv = values.lookup(walk->iv);
        markUnrolled(iv);
        Value count = index.div(loc, iv, loop.getSteps()[cast<BlockArgument>(walk->iv).getArgNumber()]);
        number = number + valueIndex(count, walk->step / digit.step);
      }
      if (!walked)
        return op->emitOpError("uses a register tile as a whole that is spread over threads or loops; part it as they do");
      if (digit.threadStride == 0)
        indices.push_back(index.materialize(loc, number));
    }
  }
  return inSlot(tile, indices);
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

/// Several threads may hold the same elements: those that differ only in digits of the thread
/// number that neither the tile's distribution nor the loops around it mention.
Value KernelLowering::isFirstHolder(Operation *op, const tile::Distribution &distribution) {
  SmallVector<analysis::ThreadDigit> covered;
  for (ArrayRef<tile::Digit> dimDigits : distribution.dims)
    for (const tile::Digit &digit : dimDigits)
      if (digit.threadStride != 0)
        covered.push_back({digit.threadStride, digit.count});
  for (auto loop = op->getParentOfType<tile::ForOp>(); loop; loop = loop->getParentOfType<tile::ForOp>())
    if (tile::isThreadUnit(loop))
      for (unsigned i = 0; i < loop.getNumLoops(); ++i)
        covered.push_back({tile::getThreadStride(loop, i), *loop.getStaticCount(i)});
  Location loc = unnamed(op->getLoc());
  Value first;
  for (auto [stride, count] : analysis::getFreeDigits(covered, activeThreads)) {
    Value digit = threadDigit(loc, {count, 1, stride});
    first = index.both(loc, first, arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, digit, index.constant(loc, 0)));
  }
  return first;
}

void KernelLowering::storeHeld(tile::StoreOp op, const RegisterTile &tile, const tile::Access &dest, int64_t width) {
  Location loc = unnamed(op.getLoc());
  Value base = values.lookup(dest.root);
  // A rare text is kept small: all addresses from that of the thread's first element, present or not. In 64 bits none of
  // them overflows.
  Coordinates first;
  Value from;
  Coordinates byThread = getThreadCoordinates(loc, tile.distribution);
  bool small = llvm::all_of(rootCoordinates(dest, byThread), [&](const IndexExpr &coordinate) { return index.fitsInt(coordinate); });
  if (compact && small && !hasNarrowAddresses(dest.root)) {
    first = byThread;
    from = globalAddress(loc, dest.root, rootCoordinates(dest, first));
    from.setLoc(named(loc, nameOf(dest.root.getLoc(), "operand") + "_at"));
  }
  forEachHeld(loc, tile.distribution, width, [&](const Indices &indices, const Coordinates &offsets) {
    Coordinates coordinates = nameCoordinates(loc, dest, offsets);
    OpBuilder::InsertionGuard inner(b);
    if (Value present = isPresent(loc, dest.root, coordinates)) {
      auto condition = scf::IfOp::create(b, loc, present, /*withElseRegion=*/false);
      b.setInsertionPoint(condition.thenBlock()->getTerminator());
    }
    Coordinates more = offsets;
    for (auto [offset, start] : llvm::zip(more, first))
      offset = offset + start * -1;
    Value address = from ? globalAddress(loc, dest.root, more, from) : globalAddress(loc, dest.root, coordinates);
    if (width > 1) {
      kernel::StgVectorOp::create(b, loc, base, address, tile.array, indices, width);
      return;
    }
    Value element = memref::LoadOp::create(b, loc, tile.array, indices);
    if (op.getCombine())
      kernel::AtomicAddOp::create(b, loc, base, address, element);
    else
      kernel::StgOp::create(b, loc, base, address, element);
  });
}

LogicalResult KernelLowering::lowerStore(tile::StoreOp op) {
  Location loc = unnamed(op.getLoc());
  if (*tile::getLevel(op.getTile().getType()) != tile::Level::RF || *tile::getLevel(op.getDest().getType()) != tile::Level::DRAM)
    return op.emitOpError("stores from ") << stringifyLevel(*tile::getLevel(op.getTile().getType())) << " to "
                                          << stringifyLevel(*tile::getLevel(op.getDest().getType()))
                                          << "; only rf to dram is lowered yet";
  tile::Access source = tile::traceParts(op.getTile());
  if (source.root != op.getTile())
    return op.emitOpError("stores a part of a register tile; store the tile itself");
  tile::Access dest = tile::getDestAccess(op);
  auto kind = op.getCombine();
  if (kind && *kind != tile::Combine::Add)
    return op.emitOpError("combine(") << stringifyCombine(*kind) << ") is not lowered yet; combine(add) is";
  Type element = cast<MemRefType>(op.getTile().getType()).getElementType();
  if (kind && !element.isF32() && !element.isF64() && !element.isInteger(32))
    return op.emitOpError("combine(add) adds ") << element << " in DRAM, which the hardware does for f32, f64 and i32 only; store "
                                                             "elements of one of these";
  const RegisterTile &tile = registers.find(source.root)->second;
  OpBuilder::InsertionGuard guard(b);
  if (Value first = isFirstHolder(op, tile.distribution)) {
    auto condition = scf::IfOp::create(b, loc, first, /*withElseRegion=*/false);
    b.setInsertionPoint(condition.thenBlock()->getTerminator());
  }
  if (!op.getWide())
    return op.emitOpError("leaves open how many elements are stored at once; run tile-plan-copy");
  int64_t width = *op.getWide();
  Value condition;
  if (width > 1)
    condition = getFormCondition(loc, dest.root, {*tile.distribution.getRunDim(), width});
  if (!condition) {
    storeHeld(op, tile, dest, width);
    return success();
  }
  auto branch = scf::IfOp::create(b, loc, condition, /*withElseRegion=*/true);
  b.setInsertionPoint(branch.thenBlock()->getTerminator());
  storeHeld(op, tile, dest, width);
  b.setInsertionPoint(branch.elseBlock()->getTerminator());
  llvm::SaveAndRestore<bool> rare(compact, true);
  storeHeld(op, tile, dest, 1);
  return success();
}
