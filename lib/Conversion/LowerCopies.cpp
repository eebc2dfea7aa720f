//===- LowerCopies.cpp - Staging --------------------------------*- C++ -*-===//
//
// Cooperative copies to shared memory, and copies of a thread's share to registers.
//
//===----------------------------------------------------------------------===//

#include "KernelLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "tilec/Analysis/CopyDecisions.h"
#include "tilec/Layout/OffsetMap.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace tilec;

LogicalResult KernelLowering::lowerStage(tile::StageOp op) {
  if (*tile::getLevel(op.getTile().getType()) == tile::Level::RF)
    return copyToRegisters(op);
  if (failed(declareShared(op)))
    return failure();
  return copyToShared(op);
}

//===----------------------------------------------------------------------===//
// To shared memory
//===----------------------------------------------------------------------===//

LogicalResult KernelLowering::declareShared(tile::StageOp op) {
  for (auto loop = op->getParentOfType<tile::ForOp>(); loop; loop = loop->getParentOfType<tile::ForOp>())
    if (tile::isThreadUnit(loop))
      return op.emitOpError("stages to smem inside of a loop on ")
             << stringifyUnit(loop.getUnit()) << "; a tile in shared memory belongs to the block";
  auto type = cast<MemRefType>(op.getTile().getType());
  if (failed(analysis::getCosize(type)))
    return op.emitOpError("a tile in shared memory needs static strides, got ") << type;
  constexpr int64_t kMostElements = int64_t(1) << 20; // More than any shared memory holds.
  layout::Result<layout::OffsetMap> places = layout::mapOffsets(*tile::getStaticLayout(type), kMostElements);
  if (!places)
    return op.emitOpError("a tile in shared memory: ") << places.error().message;
  if (!places->shared.empty())
    return op.emitOpError("a tile in shared memory needs a place for each element; ")
           << type << " has several at offset " << places->shared.front().first;
  shared[op.getTile()] = {createShared(op.getLoc(), analysis::SharedUse::Tile, op, type.getElementType()), type, {}};
  return success();
}

LogicalResult KernelLowering::checkCopy(tile::StageOp op) {
  auto type = cast<MemRefType>(op.getTile().getType());
  bool async = analysis::getPipeline(op) != nullptr;
  unsigned bits = type.getElementTypeBitWidth();
  if (type.getRank() == 0)
    return op.emitOpError("a staged tile of rank 0 is not lowered");
  if (async && bits < 32)
    return op.emitOpError("pipelines elements of ") << bits << " bits; cp.async moves at least 32";
  if (async && op.getPad() && *op.getPad() != tile::Pad::Zero)
    return op.emitOpError("pads with ") << stringifyPad(*op.getPad()) << " in a pipeline; cp.async fills with zero only";
  bool isOpen = !op.getForms() || !op.getEdges() || !op.getUnroll() || (op.getCopy() == tile::Copy::Tma && !op.getSlices());
  return isOpen ? op.emitOpError("leaves open how its tile is copied; run tile-plan-copy") : success();
}

LogicalResult KernelLowering::copyToShared(tile::StageOp op, CopyWidth width) {
  if (failed(checkCopy(op)))
    return failure();
  SmallVector<analysis::CopyForm> forms = analysis::getForms(op);
  Location loc = unnamed(op.getLoc());
  Value operand = tile::traceParts(op.getSource()).root;
  // Where strides are known only at launch the kernel asks: all threads of all blocks go the same way.
  std::function<void(ArrayRef<analysis::CopyForm>)> choose = [&](ArrayRef<analysis::CopyForm> left) {
    const analysis::CopyForm &first = left.front();
    Value condition;
    if (width == CopyWidth::Ask && left.size() > 1)
      condition = getFormCondition(loc, operand, first);
    // What is narrower than it could be is for launches that are rare, and would take registers of producers. Without
    // producers the units wait for the copies: written out, gemm.mlir is 5 % faster on an H100.
    llvm::SaveAndRestore<bool> rare(compact, compact || (ring && first.width < forms.front().width));
    if (!condition)
      return copyAlong(op, first);
    auto branch = scf::IfOp::create(b, loc, condition, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(branch.thenBlock()->getTerminator());
    copyAlong(op, first);
    b.setInsertionPoint(branch.elseBlock()->getTerminator());
    choose(left.drop_front());
  };
  choose(forms);
  return success();
}

Value KernelLowering::isTileInside(Location loc, const tile::Access &access, ArrayRef<int64_t> shape) {
  unsigned argument = cast<BlockArgument>(access.root).getArgNumber();
  Value inside;
  for (auto [dim, sum] : llvm::enumerate(access.subscripts)) {
    IndexExpr start = mapSum(sum), last = start + constantIndex(shape[dim] - 1);
    if (index.mayBeNegative(start))
      inside = index.both(loc, inside, index.compare(loc, arith::CmpIPredicate::sge, index.materialize(loc, start),
                                                     index.constant(loc, 0)));
    OpFoldResult extent = mapExtent(kernel.getOperandExtent(argument, dim));
    if (!index.mayReach(last, extent))
      continue;
    inside = index.both(loc, inside, index.compare(loc, arith::CmpIPredicate::slt, index.materialize(loc, last),
                                                   getExtentValue(loc, extent)));
  }
  return inside;
}

void KernelLowering::copyAlong(tile::StageOp op, analysis::CopyForm form) {
  bool async = analysis::getPipeline(op) != nullptr;
  Location loc = unnamed(op.getLoc());
  auto type = cast<MemRefType>(op.getTile().getType());
  tile::Access access = tile::getSourceAccess(op);
  const SharedTile &tile = shared.find(op.getTile())->second;

  SmallVector<std::string> dimNames;
  for (auto [dim, sum] : llvm::enumerate(access.subscripts))
    dimNames.push_back(getDimName(sum, dim));

  SmallVector<analysis::CopyDigit> places = analysis::getCopyDigits(*analysis::getCopyTile(op), form);
  int64_t elements = type.getNumElements() / form.width;
  auto copyAsync = [&](const Coordinates &offsets, Value from, Value present) {
    if (!present)
      present = arith::ConstantIntOp::create(b, loc, 1, 1);
    Value address = index.materialize(loc, sharedAddress(loc, tile, offsets));
    kernel::CpAsyncOp::create(b, loc, tile.buffer, address, values.lookup(access.root), from, present,
                              form.width);
  };
  auto copyElement = [&](const Coordinates &offsets) {
    Coordinates coordinates = nameCoordinates(loc, access, offsets);
    if (!async) {
      Value element = loadGlobal(loc, access.root, coordinates, op.getPad());
      Value address = index.materialize(loc, sharedAddress(loc, tile, offsets));
      kernel::StsOp::create(b, loc, tile.buffer, address, element);
      return;
    }
    Value present = isPresent(loc, access.root, coordinates);
    copyAsync(offsets, globalAddress(loc, access.root, coordinates), present);
  };
  int64_t rounds = elements / blockThreads, whole = rounds * blockThreads;
  int64_t unrolled = op.getUnroll()->front(), rareUnrolled = op.getUnroll()->back();
  auto eachRound = [&](int64_t step, llvm::function_ref<void(const IndexExpr &)> body) {
    countedLoop(loc, "e", rounds, step, !compact && rounds <= unrolled, [&](const IndexExpr &round) {
      if (compact && rounds > rareUnrolled)
        setUnrolled(round.terms.front().first, rareUnrolled);
      body(round);
    });
  };

  if (analysis::isEven(places, blockThreads)) {
    Coordinates byThread(type.getRank());
    int64_t below = 1;
    for (const analysis::CopyDigit &place : places) {
      int64_t count = std::min(place.count, blockThreads / std::min(blockThreads, below));
      if (count > 1)
        byThread[place.dim] = byThread[place.dim] +
                              valueIndex(threadDigit(named(loc, dimNames[place.dim]), {count, place.step, below}));
      below *= place.count;
    }
    auto offsetsOf = [&](const IndexExpr &round) {
      Coordinates offsets(type.getRank());
      int64_t below = 1;
      for (const analysis::CopyDigit &place : places) {
        int64_t above = below * place.count;
        if (above > blockThreads) {
          // The digit's part that the rounds walk: round / (below / threads) % (...).
          int64_t first = std::max<int64_t>(below / blockThreads, 1), count = place.count / std::max<int64_t>(blockThreads / below, 1);
          Value digit = index.rem(loc, index.div(loc, index.materialize(loc, round), first), count);
          offsets[place.dim] = offsets[place.dim] + valueIndex(digit, place.step * std::max<int64_t>(blockThreads / below, 1));
        }
        below = above;
      }
      return offsets;
    };
    auto plus = [](Coordinates sum, const Coordinates &more) {
      for (auto [coordinate, other] : llvm::zip_equal(sum, more))
        coordinate = coordinate + other;
      return sum;
    };
    auto copyRounds = [&] { eachRound(1, [&](const IndexExpr &round) { copyElement(plus(byThread, offsetsOf(round))); }); };
    // Of a tile that lies inside all rounds go out from one element.
    Value inside = op.getEdges() == tile::EdgeCheck::Tile && !compact ? isTileInside(loc, access, type.getShape()) : Value();
    if (!inside) {
      copyRounds();
      return;
    }
    auto branch = scf::IfOp::create(b, loc, inside, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(branch.thenBlock()->getTerminator());
    Value first = globalAddress(loc, access.root, rootCoordinates(access, byThread));
    first.setLoc(named(loc, nameOf(access.root.getLoc(), "operand") + "_at"));
    eachRound(1, [&](const IndexExpr &round) {
      Coordinates more = offsetsOf(round);
      copyAsync(plus(byThread, more), globalAddress(loc, access.root, more, first), Value());
    });
    b.setInsertionPoint(branch.elseBlock()->getTerminator());
    llvm::SaveAndRestore<bool> rare(compact, true);
    copyRounds();
    return;
  }

  // Otherwise from the element's number; what the rounds leave over falls to the first threads.
  auto offsetsOf = [&](Value number) {
    Coordinates offsets(type.getRank());
    for (const analysis::CopyDigit &place : places) {
      Value digit = index.rem(named(loc, dimNames[place.dim]), number, place.count);
      offsets[place.dim] = offsets[place.dim] + valueIndex(digit, place.step);
      if (&place != &places.back()) // The last quotient is a digit itself.
        number = index.div(&place + 1 == &places.back() ? named(loc, dimNames[places.back().dim]) : loc, number, place.count);
    }
    return offsets;
  };
  if (rounds > 0)
    eachRound(blockThreads, [&](const IndexExpr &first) {
      Value number = index.materialize(named(loc, "at"), first + valueIndex(thread));
      index.know(number, {1, 0, whole - 1, {}});
      copyElement(offsetsOf(number));
    });
  if (whole == elements)
    return;
  Value some = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, thread, index.constant(loc, elements - whole));
  auto condition = scf::IfOp::create(b, loc, some, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(condition.thenBlock()->getTerminator());
  Value number = index.materialize(named(loc, "at"), valueIndex(thread) + constantIndex(whole));
  // It may be the thread's own number, which is as small as this only inside of the condition.
  IndexFacts outside = index.factsOf(number);
  index.know(number, {1, whole, elements - 1, {}});
  copyElement(offsetsOf(number));
  index.know(number, outside);
}

//===----------------------------------------------------------------------===//
// To registers
//===----------------------------------------------------------------------===//

LogicalResult KernelLowering::copyToRegisters(tile::StageOp op) {
  Location loc = unnamed(op.getLoc());
  if (!registers.contains(op.getTile()) && failed(createRegisters(op.getTile(), /*slots=*/1)))
    return failure();
  const RegisterTile tile = registers.find(op.getTile())->second;
  tile::Access access = tile::getSourceAccess(op);
  auto staged = shared.find(access.root);
  if (staged == shared.end()) {
    forEachHeld(loc, tile.distribution, 1, [&](const Indices &indices, const Coordinates &offsets) {
      Value element = loadGlobal(loc, access.root, nameCoordinates(loc, access, offsets), op.getPad());
      memref::StoreOp::create(b, loc, element, tile.array, inSlot(tile, indices));
    });
    return success();
  }
  if (op.getPad())
    return op.emitOpError("pad is for tiles staged from dram; this one comes from smem");
  const SharedTile &source = staged->second;
  auto type = cast<MemRefType>(op.getTile().getType());
  if (!op.getWide())
    return op.emitOpError("leaves open how many elements are loaded at once; run tile-plan-copy");
  int64_t width = *op.getWide();
  forEachHeld(loc, tile.distribution, width, [&](const Indices &indices, const Coordinates &offsets) {
    Value address = index.materialize(loc, sharedAddress(loc, source, rootCoordinates(access, offsets)));
    if (width > 1) {
      kernel::LdsVectorOp::create(b, loc, tile.array, inSlot(tile, indices), source.buffer, address, width);
      return;
    }
    Value element = kernel::LdsOp::create(b, loc, type.getElementType(), source.buffer, address);
    memref::StoreOp::create(b, loc, element, tile.array, inSlot(tile, indices));
  });
  return success();
}
