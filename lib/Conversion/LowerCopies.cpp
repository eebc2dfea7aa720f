//===- LowerCopies.cpp - Staging --------------------------------*- C++ -*-===//
//
// Cooperative copies to shared memory, and copies of a thread's share to registers.
//
//===----------------------------------------------------------------------===//

#include "KernelLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace tilec;

LogicalResult KernelLowering::lowerStage(tile::StageOp op) {
  if (*tile::getLevel(op.getTile().getType()) == tile::Level::RF)
    return copyToRegisters(op);
  if (failed(declareShared(op, /*slots=*/1)))
    return failure();
  return copyToShared(op);
}

//===----------------------------------------------------------------------===//
// To shared memory
//===----------------------------------------------------------------------===//

LogicalResult KernelLowering::declareShared(tile::StageOp op, int64_t slots) {
  for (auto loop = op->getParentOfType<tile::ForOp>(); loop; loop = loop->getParentOfType<tile::ForOp>())
    if (tile::isThreadUnit(loop))
      return op.emitOpError("stages to smem inside of a loop on ")
             << stringifyUnit(loop.getUnit()) << "; a tile in shared memory belongs to the block";
  auto type = cast<MemRefType>(op.getTile().getType());
  FailureOr<int64_t> cosize = getCosize(type);
  if (failed(cosize))
    return op.emitOpError("a tile in shared memory needs static strides, got ") << type;
  // Slots start at multiples of 16 bytes, so that wide accesses stay aligned.
  int64_t slotElements = llvm::alignTo(*cosize, 128 / type.getElementTypeBitWidth());
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointAfterValue(thread);
  auto space = tile::LevelAttr::get(b.getContext(), tile::Level::SMEM);
  auto flat = MemRefType::get({slotElements * slots}, type.getElementType(), MemRefLayoutAttrInterface(), space);
  Value buffer = kernel::SharedOp::create(b, op.getLoc(), flat, IntegerAttr());
  thread.getDefiningOp()->moveAfter(buffer.getDefiningOp());
  shared[op.getTile()] = {buffer, type, {}};
  return success();
}

LogicalResult KernelLowering::copyToShared(tile::StageOp op) {
  auto source = cast<MemRefType>(op.getSource().getType());
  tile::Access access = tile::traceParts(op.getSource());
  if (*tile::getLevel(source) != tile::Level::DRAM || !isa<BlockArgument>(access.root))
    return op.emitOpError("stages to smem from ") << stringifyLevel(*tile::getLevel(source)) << "; only dram is lowered yet";
  auto type = cast<MemRefType>(op.getTile().getType());
  unsigned last = type.getRank() - 1;
  if (type.getRank() == 0)
    return op.emitOpError("a staged tile of rank 0 is not lowered");
  // Consecutive threads read along the dimension that is contiguous in memory. Where strides are known
  // only at launch, the kernel asks, once a copy: all threads of all blocks go the same way.
  auto root = cast<MemRefType>(access.root.getType());
  if (std::optional<int64_t> unit = getUnitStrideDim(root)) {
    copyAlong(op, *unit);
    return success();
  }
  std::function<void(unsigned)> choose = [&](unsigned dim) {
    while (dim < last && (type.getDimSize(dim) == 1 || !strides[access.root][dim]))
      ++dim;
    if (dim == last)
      return copyAlong(op, last);
    Location loc = op.getLoc();
    Value one = arith::ConstantIntOp::create(b, loc, 1, 64);
    Value contiguous = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, strides[access.root][dim], one);
    auto branch = scf::IfOp::create(b, loc, contiguous, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(branch.thenBlock()->getTerminator());
    copyAlong(op, dim);
    b.setInsertionPoint(branch.elseBlock()->getTerminator());
    choose(dim + 1);
  };
  choose(0);
  return success();
}

void KernelLowering::copyAlong(tile::StageOp op, unsigned along) {
  Location loc = op.getLoc();
  auto type = cast<MemRefType>(op.getTile().getType());
  tile::Access access = tile::traceParts(op.getSource());
  for (auto [sum, expr] : llvm::zip_equal(access.subscripts, op.getMap().getResults()))
    sum.add(*tile::getLinearExpr(expr, op.getOperands_()));
  const SharedTile &tile = shared.find(op.getTile())->second;

  // The digits of an element's number, fastest first. Where the copy transposes, consecutive threads
  // take one 32-byte sector and then step across: whole sectors, and few bank conflicts.
  struct Place {
    unsigned dim;
    int64_t count, step;
  };
  SmallVector<Place> places;
  int64_t extent = type.getDimSize(along), sector = 256 / type.getElementTypeBitWidth();
  bool transposes = (*tile::getStaticStrides(type))[along] != 1 && extent > sector && extent % sector == 0;
  places.push_back({along, transposes ? sector : extent, 1});
  for (int64_t dim = type.getRank() - 1; dim >= 0; --dim)
    if (dim != along)
      places.push_back({static_cast<unsigned>(dim), type.getDimSize(dim), 1});
  if (transposes)
    places.push_back({along, extent / sector, sector});

  int64_t elements = type.getNumElements();
  auto copyElement = [&](Value number) {
    Coordinates offsets(type.getRank());
    for (const Place &place : places) {
      Value digit = index.rem(loc, number, place.count);
      offsets[place.dim] = offsets[place.dim] + valueIndex(digit, place.step);
      if (&place != &places.back())
        number = index.div(loc, number, place.count);
    }
    Coordinates coordinates;
    for (auto [sum, offset] : llvm::zip_equal(access.subscripts, offsets))
      coordinates.push_back(mapSum(sum) + offset);
    Value element = loadGlobal(loc, access.root, coordinates, op.getPad());
    Value address = index.materialize(loc, sharedAddress(loc, tile, offsets));
    kernel::StsOp::create(b, loc, tile.buffer, address, element);
  };
  // Every thread copies as many elements as the others; the rest, if any, falls to the first threads.
  int64_t rounds = elements / blockThreads, whole = rounds * blockThreads;
  constexpr int64_t kMostUnrolled = 32;
  if (rounds > 0)
    countedLoop(loc, "e", rounds, blockThreads, /*unrolled=*/rounds <= kMostUnrolled, [&](const IndexExpr &first) {
      Value number = index.materialize(loc, first + valueIndex(thread));
      index.know(number, {1, 0, whole - 1, {}});
      copyElement(number);
    });
  if (whole == elements)
    return;
  Value some = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, thread, index.constant(loc, elements - whole));
  auto condition = scf::IfOp::create(b, loc, some, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(condition.thenBlock()->getTerminator());
  Value number = index.materialize(loc, valueIndex(thread) + constantIndex(whole));
  index.know(number, {1, whole, elements - 1, {}});
  copyElement(number);
}

//===----------------------------------------------------------------------===//
// To registers
//===----------------------------------------------------------------------===//

/// How many consecutive elements of the last digit one instruction can load from shared memory: as
/// many as are consecutive there, take at most 16 bytes, and are aligned.
static int64_t getVectorWidth(const IndexBuilder &index, const tile::Distribution &distribution, ArrayRef<int64_t> strides,
                              const IndexExpr &start, unsigned elementBits) {
  // The last local digit is the array's last dimension.
  const tile::Digit *last = nullptr;
  unsigned lastDim = 0;
  for (auto [dim, dimDigits] : llvm::enumerate(distribution.dims))
    for (const tile::Digit &digit : dimDigits)
      if (digit.threadStride == 0) {
        last = &digit;
        lastDim = dim;
      }
  if (!last || last->step * strides[lastDim] != 1)
    return 1;
  for (int64_t width = 128 / elementBits; width > 1; width /= 2) {
    bool aligned = last->count % width == 0 && index.getDivisor(start) % width == 0;
    for (auto [dim, dimDigits] : llvm::enumerate(distribution.dims))
      for (const tile::Digit &digit : dimDigits)
        aligned &= &digit == last || digit.step * strides[dim] % width == 0;
    if (aligned && width * elementBits >= 32)
      return width;
  }
  return 1;
}

LogicalResult KernelLowering::copyToRegisters(tile::StageOp op) {
  Location loc = op.getLoc();
  FailureOr<RegisterTile> tile = createRegisters(loc, op.getTile());
  if (failed(tile))
    return failure();
  tile::Access access = tile::traceParts(op.getSource());
  for (auto [sum, expr] : llvm::zip_equal(access.subscripts, op.getMap().getResults()))
    sum.add(*tile::getLinearExpr(expr, op.getOperands_()));
  Coordinates start;
  for (const tile::LinearExpr &sum : access.subscripts)
    start.push_back(mapSum(sum));
  auto place = [&](const Coordinates &offsets) {
    Coordinates coordinates;
    for (auto [sum, offset] : llvm::zip_equal(start, offsets))
      coordinates.push_back(sum + offset);
    return coordinates;
  };

  auto staged = shared.find(access.root);
  if (staged == shared.end()) {
    if (!isa<BlockArgument>(access.root))
      return op.emitOpError("stages to registers from a tile that is neither in dram nor staged in smem");
    forEachHeld(loc, tile->distribution, 1, [&](const Indices &indices, const Coordinates &offsets) {
      Value element = loadGlobal(loc, access.root, place(offsets), op.getPad());
      memref::StoreOp::create(b, loc, element, tile->array, indices);
    });
    return success();
  }
  if (op.getPad())
    return op.emitOpError("pad is for tiles staged from dram; this one comes from smem");
  const SharedTile &source = staged->second;
  auto type = cast<MemRefType>(op.getTile().getType());
  int64_t width = getVectorWidth(index, tile->distribution, *tile::getStaticStrides(source.type),
                                 sharedAddress(loc, source, start), type.getElementTypeBitWidth());
  forEachHeld(loc, tile->distribution, width, [&](const Indices &indices, const Coordinates &offsets) {
    Value address = index.materialize(loc, sharedAddress(loc, source, place(offsets)));
    if (width > 1) {
      kernel::LdsVectorOp::create(b, loc, tile->array, indices, source.buffer, address, b.getI64IntegerAttr(width));
      return;
    }
    Value element = kernel::LdsOp::create(b, loc, type.getElementType(), source.buffer, address);
    memref::StoreOp::create(b, loc, element, tile->array, indices);
  });
  return success();
}
