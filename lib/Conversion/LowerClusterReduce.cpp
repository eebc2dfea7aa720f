//===- LowerClusterReduce.cpp - Reductions over blocks ----------*- C++ -*-===//
//
// Inside of a loop on block that says reduce, each block of a cluster has partial
// tiles of its own. After the loop the first block reads those of the others from
// their shared memory, combines them in the order of the ranks, so that results do
// not vary between runs, and goes on with what follows the loop.
//
//===----------------------------------------------------------------------===//

#include "KernelLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "tilec/Analysis/ClusterReduce.h"

using namespace mlir;
using namespace tilec;

KernelLowering::BlockParts KernelLowering::createBlockParts(tile::ForOp blocks, Value held) {
  Value array = flatten(registers[held].array);
  auto type = cast<MemRefType>(array.getType());
  int64_t width = analysis::getExchangeWidth(type.getNumElements(), type.getElementTypeBitWidth() / 8);
  Location loc = named(held.getLoc(), nameOf(held.getLoc(), "held") + "_parts");
  return {array, createShared(loc, analysis::SharedUse::Parts, blocks, type.getElementType(), held), width};
}

void KernelLowering::forEachRun(Location loc, const BlockParts &parts,
                                llvm::function_ref<void(const Indices &, Value)> body) {
  auto type = cast<MemRefType>(parts.array.getType());
  countedLoop(loc, "e", type.getNumElements() / parts.width, parts.width, /*unrolled=*/true, [&](const IndexExpr &element) {
    Indices first;
    if (type.getRank() > 0)
      first.push_back(index.materialize(loc, element));
    body(first, index.materialize(loc, element * blockThreads + valueIndex(thread, parts.width)));
  });
}

void KernelLowering::leaveParts(Location loc, const BlockParts &parts) {
  forEachRun(loc, parts, [&](const Indices &first, Value at) {
    if (parts.width > 1)
      kernel::StsVectorOp::create(b, loc, parts.shared, at, parts.array, first, parts.width);
    else
      kernel::StsOp::create(b, loc, parts.shared, at, memref::LoadOp::create(b, loc, parts.array, first));
  });
}

void KernelLowering::fetchParts(Location loc, tile::Combine kind, const BlockParts &parts, Value from) {
  auto type = cast<MemRefType>(parts.array.getType());
  auto run = MemRefType::get({parts.width}, type.getElementType(), MemRefLayoutAttrInterface(), type.getMemorySpace());
  forEachRun(loc, parts, [&](const Indices &first, Value at) {
    Value more = kernel::RegistersOp::create(b, named(loc, "more"), run);
    kernel::LdsClusterOp::create(b, loc, more, index.constant(loc, 0), parts.shared, at, from, parts.width);
    combineRun(loc, kind, parts.array, first, more, parts.width);
  });
}

LogicalResult KernelLowering::onFirstBlock(Location loc, bool first, llvm::function_ref<LogicalResult()> body) {
  if (clusterBlocks == 1)
    return body();
  Value chosen = arith::CmpIOp::create(b, loc, first ? arith::CmpIPredicate::eq : arith::CmpIPredicate::ne, clusterRank,
                                       index.constant(loc, 0));
  auto condition = scf::IfOp::create(b, loc, chosen, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(condition.thenBlock()->getTerminator());
  return body();
}

LogicalResult KernelLowering::lowerReducingBlocks(tile::ForOp blocks) {
  Location loc = unnamed(blocks.getLoc());
  if (tile::ForOp cut = blocks.getCutLoop()) {
    InFlightDiagnostic diag = cut.emitOpError("cuts the steps of tiles over whose blocks a loop reduces; not lowered yet");
    diag.attachNote(blocks.getLoc()) << "the loop on block is here";
    return diag;
  }
  Block &around = *blocks->getBlock();
  for (Operation &op : llvm::make_range(around.begin(), blocks->getIterator()))
    if (failed(lowerOp(op)))
      return failure();
  OuterTiles outer = beginReduction(blocks);
  if (failed(lowerBlock(blocks.getBody().front())))
    return failure();
  tile::Combine kind = *blocks.getReduce();
  if (clusterBlocks > 1) {
    SmallVector<BlockParts> all;
    for (const auto &[held, whole] : outer)
      all.push_back(createBlockParts(blocks, held));
    (void)onFirstBlock(loc, /*first=*/false, [&] {
      for (const BlockParts &parts : all)
        leaveParts(loc, parts);
      return success();
    });
    kernel::ClusterSyncOp::create(b, loc); // All parts are there.
    (void)onFirstBlock(loc, /*first=*/true, [&] {
      auto walk = kernel::ForOp::create(b, loc, index.constant(loc, 1), index.constant(loc, clusterBlocks), index.constant(loc, 1));
      walk.getInductionVar().setLoc(named(loc, "from"));
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPoint(walk.getBody()->getTerminator());
      for (const BlockParts &parts : all)
        fetchParts(loc, kind, parts, walk.getInductionVar());
      return success();
    });
    kernel::ClusterSyncOp::create(b, loc); // Nobody reads them any more: their blocks may end, or take the next tile.
  }
  return onFirstBlock(loc, /*first=*/true, [&]() -> LogicalResult {
    for (const auto &[held, whole] : outer)
      addPartial(loc, held, kind, whole);
    for (Operation &op : llvm::make_range(std::next(blocks->getIterator()), around.end()))
      if (failed(lowerOp(op)))
        return failure();
    return success();
  });
}
