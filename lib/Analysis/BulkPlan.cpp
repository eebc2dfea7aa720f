//===- BulkPlan.cpp - Tiles that TMA can copy --------------------*- C++ -*-===//

#include "tilec/Analysis/BulkPlan.h"

#include "tilec/Analysis/CopyDecisions.h"
#include "tilec/Layout/Algebra.h"
#include "tilec/Tile/Access.h"

#include <numeric>

using namespace mlir;
using namespace tilec;
using namespace tilec::analysis;

//===----------------------------------------------------------------------===//
// The tile
//===----------------------------------------------------------------------===//

int64_t BoxShape::alignment() const { return swizzleBytes ? kSwizzleRows * swizzleBytes : kBoxAlignment; }

unsigned BoxShape::getSliced() const {
  unsigned slowest = 0;
  for (auto [number, extent] : llvm::enumerate(extents))
    if (extent > 1)
      slowest = number;
  return slowest;
}

bool BoxShape::canSlice(int64_t slices) const {
  return slices == 1 || partsPieces(slices) || (extents[getSliced()] % slices == 0 && bytes / slices % alignment() == 0);
}

int64_t tilec::analysis::countSlices(const BoxShape &box, int64_t blocks) {
  int64_t slices = std::min(blocks, std::max(box.pieces, box.extents[box.getSliced()]));
  while (!box.canSlice(slices))
    --slices;
  return slices;
}

/// The bytes within which chunks of 16 bytes change places; nothing for a swizzle that tensor maps do not have. Of addresses they have
/// Sw<1,4,3>, Sw<2,4,3> and Sw<3,4,3> (PTX ISA 5.5.7).
static std::optional<int64_t> getSwizzleBytes(const layout::Swizzle &swizzle, int64_t elementBytes) {
  if (swizzle.isIdentity())
    return 0;
  bool isMode = swizzle.bits() <= 3 && swizzle.shift() == 3 && elementBytes << swizzle.base() == kBulkBytes;
  return isMode ? std::optional(kBulkBytes << swizzle.bits()) : std::nullopt;
}

/// Dimensions by their strides, those of one element, which have none, last.
static SmallVector<unsigned> orderDims(ArrayRef<int64_t> strides, ArrayRef<int64_t> extents) {
  auto dims = llvm::to_vector(llvm::seq<unsigned>(strides.size()));
  llvm::stable_sort(dims, [&](unsigned x, unsigned y) {
    auto key = [&](unsigned dim) { return std::tuple(extents[dim] == 1 && strides[dim] <= 1, strides[dim], extents[dim]); };
    return key(x) < key(y);
  });
  return dims;
}

layout::Result<BoxShape> tilec::analysis::getBoxShape(const layout::ComposedLayout &composed, ArrayRef<int64_t> shape, int64_t elementBytes) {
  BoxShape box;
  std::optional<int64_t> swizzle = getSwizzleBytes(composed.swizzle(), elementBytes);
  if (!swizzle || composed.baseOffset() != 0)
    return layout::Error{"needs a tile without swizzle, or with one of rows of 32, 64 or 128 bytes, which is Sw<1,M,3>, Sw<2,M,3> or Sw<3,M,3> "
                         "of 2^M elements in 16 bytes"};
  box.swizzleBytes = *swizzle;
  SmallVector<int64_t> strides, extents;
  unsigned piecedDim = 0;
  int64_t apart = 0;
  for (unsigned dim = 0; dim < shape.size(); ++dim) {
    layout::Layout mode = composed.layout().mode(dim);
    if (mode.modes().size() > 1)
      mode = layout::coalesce(mode);
    strides.push_back(mode.modes().front().stride);
    extents.push_back(mode.modes().front().extent);
    if (mode.modes().size() == 1)
      continue;
    if (mode.modes().size() > 2 || box.pieces > 1)
      return layout::Error{"needs a tile of one nested mode at most, of two parts, which is copied in several boxes"};
    std::tie(piecedDim, box.pieces, apart) = std::tuple(dim, mode.modes().back().extent, mode.modes().back().stride);
  }
  box.dims = orderDims(strides, extents);
  int64_t elements = 1;
  for (auto [number, dim] : llvm::enumerate(box.dims)) {
    if (extents[dim] > 1 && strides[dim] != elements)
      return layout::Error{"writes a box without gaps; dimension " + std::to_string(dim) + " of the tile has stride " + std::to_string(strides[dim]) +
                           ", the box " + std::to_string(elements)};
    elements *= extents[dim];
    box.extents.push_back(extents[dim]);
    if (dim == piecedDim)
      box.pieced = number;
  }
  if (box.pieces > 1 && apart != elements)
    return layout::Error{"writes boxes one after the other; along dimension " + std::to_string(piecedDim) + " they are " + std::to_string(apart) +
                         " elements apart, and one has " + std::to_string(elements)};
  box.bytes = elements * elementBytes;
  return box;
}

//===----------------------------------------------------------------------===//
// The stage
//===----------------------------------------------------------------------===//

/// Refuses boxes that tensor maps do not have (CUDA driver API 6.30).
static LogicalResult checkBox(tile::StageOp stage, const BoxShape &box, int64_t elementBytes) {
  for (auto [dim, extent] : llvm::zip_equal(box.dims, box.extents))
    if (extent > 256) // limit_x12
      return stage.emitOpError("copy(tma) copies at most 256 elements along a dimension; dimension ") << dim << " of the tile has " << extent;
  if (box.dims.empty() || box.dims.size() > 5) // limit_x12
    return stage.emitOpError("copy(tma) copies 1 to 5 dimensions, not ") << box.dims.size();
  int64_t row = box.extents.front() * elementBytes;
  if (row % kBulkBytes != 0) // limit_x12
    return stage.emitOpError("copy(tma) copies rows whose length is a multiple of 16 bytes; those of the tile have ") << row;
  if (box.swizzleBytes && row != box.swizzleBytes) // limit_x12
    return stage.emitOpError("copy(tma) swizzles rows of ") << box.swizzleBytes << " bytes in this layout; those of the tile have " << row;
  if (box.bytes % box.alignment() != 0) // limit_x12
    return stage.emitOpError("copy(tma) needs ")
           << (box.pieces > 1 ? "boxes" : "tiles") << " whose size is a multiple of " << box.alignment() << " bytes, so that each "
           << (box.pieces > 1 ? "box" : "slot") << " starts at one; this one has " << box.bytes;
  return success();
}

FailureOr<BulkBox> tilec::analysis::getBulkBox(tile::StageOp stage, MemRefType type) {
  tile::Access source = tile::getSourceAccess(stage);
  auto operand = dyn_cast<BlockArgument>(source.root);
  if (!operand || *tile::getLevel(source.root.getType()) != tile::Level::DRAM)
    return stage.emitOpError("copy(tma) copies from an operand");
  if (stage.getPad() && *stage.getPad() != tile::Pad::Zero) // limit_x12
    return stage.emitOpError("copy(tma) fills with zero, not with ") << stringifyPad(*stage.getPad());
  FailureOr<layout::ComposedLayout> layout = tile::getStaticLayout(type);
  if (failed(layout)) // limit_x12
    return stage.emitOpError("copy(tma) needs a tile with static strides, got ") << type;
  int64_t bytes = type.getElementTypeBitWidth() / 8;
  layout::Result<BoxShape> shape = getBoxShape(*layout, type.getShape(), bytes);
  if (!shape) // limit_x12
    return stage.emitOpError("copy(tma) ") << shape.error().message << "; got " << type;
  if (failed(checkBox(stage, *shape, bytes)))
    return failure();
  BulkBox box{*shape, operand, 0};
  unsigned along = box.dims.front();
  if (int64_t multiple = std::gcd(tile::getDivisor(source.subscripts[along]), kBulkBytes) * bytes; multiple % kBulkBytes != 0) // limit_x13
    return stage.emitOpError("copy(tma) needs tiles that begin at multiples of 16 bytes along the operand's contiguous dimension; along dimension ")
           << along << " this one begins at multiples of " << multiple << " bytes; a halo may begin at the multiple before it";
  SmallVector<int64_t> outer = *tile::getStaticStrides(cast<MemRefType>(operand.getType()));
  box.stride = outer[box.dims.front()];
  for (unsigned dim : ArrayRef<unsigned>(box.dims).drop_front())
    if (!ShapedType::isDynamic(outer[dim]) && outer[dim] * bytes % kBulkBytes != 0) { // limit_x13
      InFlightDiagnostic diag = stage.emitOpError("copy(tma) needs strides that are multiples of 16 bytes; that of dimension ");
      diag << dim << " of the operand is " << outer[dim] * bytes << " bytes";
      diag.attachNote(operand.getLoc()) << "the operand is of type " << operand.getType();
      return diag;
    }
  return box;
}

/// Does a loop around `op` walk `extent`? Then it is not 0 where `op` runs.
static bool isWalkedAround(OpFoldResult extent, Operation *op) {
  for (auto loop = op->getParentOfType<tile::ForOp>(); loop; loop = loop->getParentOfType<tile::ForOp>())
    for (unsigned i = 0; i < loop.getNumLoops(); ++i)
      if (loop.getExtent(i) == extent)
        return true;
  return false;
}

BulkNeeds tilec::analysis::getBulkNeeds(Operation *op, BlockArgument operand, unsigned along) {
  auto type = cast<MemRefType>(operand.getType());
  BulkNeeds needs = {{along, kBulkBytes * 8 / type.getElementTypeBitWidth()}, {}};
  auto kernel = cast<tile::KernelOp>(operand.getOwner()->getParentOp());
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    OpFoldResult extent = kernel.getOperandExtent(operand.getArgNumber(), dim);
    if (getConstantIntValue(extent).value_or(0) <= 0 && !isWalkedAround(extent, op))
      needs.dims.push_back(dim);
  }
  return needs;
}

SmallVector<tile::StageOp> tilec::analysis::getBulkStages(tile::KernelOp kernel) {
  SmallVector<tile::StageOp> stages;
  kernel.walk<WalkOrder::PreOrder>([&](tile::StageOp stage) {
    if (stage.getCopy() == tile::Copy::Tma)
      stages.push_back(stage);
  });
  return stages;
}

FailureOr<BulkCopy> tilec::analysis::getBulkCopy(tile::StageOp stage) {
  FailureOr<BulkBox> box = getBulkBox(stage, cast<MemRefType>(stage.getTile().getType()));
  if (failed(box))
    return failure();
  if (box->stride != 1) { // limit_x13
    InFlightDiagnostic diag = stage.emitOpError("copy(tma) copies along a dimension of stride 1; dimension ");
    diag << box->dims.front() << ", which is contiguous in the tile, is not known to be so in the operand";
    diag.attachNote(box->operand.getLoc()) << "the operand is of type " << box->operand.getType();
    return diag;
  }
  BulkCopy copy;
  copy.sharers = getSharers(getClusteredLoop(stage->getParentOfType<tile::KernelOp>()), stage);
  copy.slices = getSlices(stage, copy.sharers.size(), *box);
  bool byPieces = box->partsPieces(copy.slices);
  copy.pieces = byPieces ? box->pieces / copy.slices : box->pieces;
  copy.extents = box->extents;
  if (!byPieces)
    copy.extents[box->getSliced()] /= copy.slices;
  copy.box = std::move(*box);
  return copy;
}
