//===- BulkPlan.cpp - Tiles that TMA can copy --------------------*- C++ -*-===//

#include "tilec/Analysis/BulkPlan.h"

#include "tilec/Analysis/CopyDecisions.h"
#include "tilec/Tile/Access.h"

#include <numeric>

using namespace mlir;
using namespace tilec;
using namespace tilec::analysis;

SmallVector<unsigned> tilec::analysis::orderBoxDims(ArrayRef<int64_t> strides, ArrayRef<int64_t> shape) {
  auto dims = llvm::to_vector(llvm::seq<unsigned>(shape.size()));
  llvm::stable_sort(dims, [&](unsigned x, unsigned y) {
    return std::make_pair(strides[x], shape[x]) < std::make_pair(strides[y], shape[y]);
  });
  return dims;
}

unsigned tilec::analysis::getSliced(ArrayRef<int64_t> extents) {
  unsigned slowest = 0;
  for (auto [number, extent] : llvm::enumerate(extents))
    if (extent > 1)
      slowest = number;
  return slowest;
}

FailureOr<BulkBox> tilec::analysis::getBulkBox(tile::StageOp stage, MemRefType type) {
  tile::Access source = tile::getSourceAccess(stage);
  auto operand = dyn_cast<BlockArgument>(source.root);
  if (!operand || *tile::getLevel(source.root.getType()) != tile::Level::DRAM)
    return stage.emitOpError("copy(tma) copies from an operand");
  if (stage.getPad() && *stage.getPad() != tile::Pad::Zero) // limit_x12
    return stage.emitOpError("copy(tma) fills with zero, not with ") << stringifyPad(*stage.getPad());
  // The order of the box is that of the tile's strides, which leave no gaps.
  FailureOr<SmallVector<int64_t>> strides = tile::getStaticStrides(type);
  if (failed(strides)) // limit_x12
    return stage.emitOpError("copy(tma) needs a tile without swizzle or nested modes, got ") << type;
  BulkBox box;
  box.operand = operand;
  box.dims = orderBoxDims(*strides, type.getShape());
  int64_t expected = 1;
  for (unsigned dim : box.dims) {
    if (type.getDimSize(dim) > 1 && (*strides)[dim] != expected) // limit_x12
      return stage.emitOpError("copy(tma) writes a box without gaps; dimension ")
             << dim << " of the tile has stride " << (*strides)[dim] << ", the box " << expected;
    expected *= type.getDimSize(dim);
    // CUDA driver API 6.30: boxes of at most 256 elements along a dimension.
    if (type.getDimSize(dim) > 256) // limit_x12
      return stage.emitOpError("copy(tma) copies at most 256 elements along a dimension; dimension ")
             << dim << " of the tile has " << type.getDimSize(dim);
    box.extents.push_back(type.getDimSize(dim));
  }
  // The same place: 5 dimensions.
  int64_t bytes = type.getElementTypeBitWidth() / 8;
  if (box.dims.empty() || box.dims.size() > 5) // limit_x12
    return stage.emitOpError("copy(tma) copies 1 to 5 dimensions, not ") << box.dims.size();
  if (box.extents.front() * bytes % kBulkBytes != 0) // limit_x12
    return stage.emitOpError("copy(tma) copies rows whose length is a multiple of 16 bytes; those of the tile have ")
           << box.extents.front() * bytes;
  if (expected * bytes % kBoxAlignment != 0) // limit_x12
    return stage.emitOpError("copy(tma) needs tiles whose size is a multiple of 128 bytes, so that each slot starts at "
                             "one; this one has ")
           << expected * bytes;
  box.bytes = expected * bytes;
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
  copy.sliced = getSliced(box->extents);
  copy.slices = getSlices(stage, copy.sharers.size(), box->extents[copy.sliced], box->bytes);
  copy.box = std::move(*box);
  copy.box.extents[copy.sliced] /= copy.slices;
  copy.box.bytes /= copy.slices;
  return copy;
}
