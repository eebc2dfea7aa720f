//===- Boxes.cpp - Functions that pad, slice and join arrays ----*- C++ -*-===//
//
// What moves a box of an array is a kernel of its own, an element a thread; where it pads, threads hold the constant, and put the element that there is in its
// place.
//
//===----------------------------------------------------------------------===//

#include "Forms.h"
#include "Parts.h"
#include "Sizes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "tilec/Tile/Program.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::mapping;
using linalg::LinalgOp;

namespace {

/// Elements of `from` that become ones of `to`: of a point of a box of `shape` those at `read` and `written`. All else of `to` becomes `value`, where that is there.
struct Box {
  Value from, to;
  SmallVector<int64_t> shape;
  AffineMap read, written;
  TypedAttr value;
  /// What says so; the last has all else before it.
  SmallVector<Operation *> ops;
  /// Does `to` have these extents, or `from`?
  bool walksTo;
};

} // namespace

/// Where `slice` has the elements of its result, of their numbers; null where that is not known, or where there are none. Of what is taken no more is written than was taken.
static AffineMap getPlaces(memref::SubViewOp slice, bool taken) {
  MLIRContext *context = slice.getContext();
  if (llvm::any_of(slice.getStaticOffsets(), ShapedType::isDynamic) || llvm::any_of(slice.getStaticStrides(), ShapedType::isDynamic) || llvm::is_contained(slice.getType().getShape(), 0))
    return AffineMap();
  for (auto [dim, extent] : llvm::enumerate(slice.getType().getShape()))
    if (ShapedType::isDynamic(extent) && !taken && !takesAll(slice, dim))
      return AffineMap();
  SmallVector<AffineExpr> places;
  for (auto [dim, offset, stride] : llvm::enumerate(slice.getStaticOffsets(), slice.getStaticStrides()))
    places.push_back(getAffineDimExpr(dim, context) * stride + offset);
  return AffineMap::get(places.size(), 0, places, context);
}

static bool isArray(Value memref) {
  Value array = tile::getArray(memref);
  return isa<BlockArgument>(array) || array.getDefiningOp<memref::AllocOp>();
}

/// The fill of all of `array` that is the only thing that happens to it before `copy`, which writes `place` of it; null where there is none.
static LinalgOp findFill(Value array, memref::SubViewOp place, Operation *copy) {
  LinalgOp fill;
  for (Operation *user : array.getUsers()) {
    if (user->getBlock() != copy->getBlock())
      return LinalgOp();
    if (user == place || !user->isBeforeInBlock(copy))
      continue;
    auto filling = dyn_cast<LinalgOp>(user);
    if (fill || !filling || !getFill(filling))
      return LinalgOp();
    fill = filling;
  }
  return fill;
}

/// The box that `op` moves, where it does: into a place of an array, as bufferization writes `tensor.pad` and `insert_slice`, or out of one, as takeSlices writes `extract_slice`.
static std::optional<Box> getBox(Operation &op) {
  auto copy = dyn_cast<memref::CopyOp>(op);
  auto taken = dyn_cast<linalg::CopyOp>(op);
  if ((!copy && !taken) || op.getNumOperands() != 2)
    return std::nullopt;
  Value from = op.getOperand(0), to = op.getOperand(1);
  auto slice = (copy ? to : from).getDefiningOp<memref::SubViewOp>();
  if (!slice || slice.getType().getRank() == 0 || slice.getType().getRank() != slice.getSourceType().getRank() || !isArray(slice.getSource()) || !isArray(copy ? from : to))
    return std::nullopt;
  AffineMap places = getPlaces(slice, bool(taken)), all = AffineMap::getMultiDimIdentityMap(slice.getType().getRank(), op.getContext());
  if (!places)
    return std::nullopt;
  SmallVector<int64_t> shape(slice.getType().getShape());
  if (taken)
    return Box{slice.getSource(), to, shape, places, all, {}, {slice, &op}, /*walksTo=*/true};
  bool isInMidst = slice->hasOneUse() && slice.getSource().getDefiningOp<memref::AllocOp>() &&
                   llvm::all_of(slice.getStaticStrides(), [](int64_t stride) { return stride == 1; });
  LinalgOp fill = isInMidst ? findFill(slice.getSource(), slice, &op) : LinalgOp();
  if (!fill)
    return Box{from, slice.getSource(), shape, all, places, {}, {slice, &op}, /*walksTo=*/false};
  SmallVector<AffineExpr> moved;
  for (auto [dim, low] : llvm::enumerate(slice.getStaticOffsets()))
    moved.push_back(getAffineDimExpr(dim, op.getContext()) - low);
  AffineMap read = AffineMap::get(moved.size(), 0, moved, op.getContext());
  return Box{from, slice.getSource(), SmallVector<int64_t>(slice.getSourceType().getShape()), read, all, getFill(fill), {fill, slice, &op}, /*walksTo=*/true};
}

/// Blocks of rows, an element of them for each thread.
static void writeBox(const Box &box, NestWriter &w, const Problem &problem, ValueRange operands) {
  constexpr int64_t kThreads = 256;
  unsigned rank = box.shape.size(), last = rank - 1;
  // What lies beyond the box is absent from an array that ends there, and is there in one of which it is a part: blocks end with such a box.
  bool isWhole = box.written.isIdentity() && ArrayRef(box.shape) == cast<MemRefType>(box.to.getType()).getShape();
  auto getStep = [&](int64_t most, int64_t extent) {
    if (ShapedType::isDynamic(extent)) // All of the dimension.
      return most;
    int64_t step = std::min<int64_t>(most, llvm::PowerOf2Ceil(extent));
    while (!isWhole && extent % step != 0)
      --step;
    return step;
  };
  SmallVector<int64_t> steps(rank, 1);
  steps[last] = getStep(kThreads, box.shape[last]);
  if (rank > 1)
    steps[last - 1] = getStep(kThreads / steps[last], box.shape[last - 1]);
  SmallVector<LoopOver> blocks, threads;
  for (unsigned dim = 0; dim < rank; ++dim) {
    w.setTile(dim, 1);
    blocks.push_back({dim, problem.dims[dim].extent, steps[dim]});
    if (dim + 2 >= rank)
      threads.push_back({dim, w.number(steps[dim]), 1});
  }
  w.open(blocks, tile::Level::DRAM, tile::Unit::Block, "0");
  w.open(threads, tile::Level::DRAM, tile::Unit::Thread, "1");
  Use to = {operands[1], box.written};
  Placed held, element;
  if (box.value)
    held = w.hold(to, box.value, "h");
  tile::StageOp stage = w.stage(w.operand({operands[0], box.read}), tile::Level::RF, element, "r");
  // Where extents are not known only the function knows that the elements are there.
  bool isUnknown = ArrayRef(box.shape) != cast<MemRefType>((box.walksTo ? box.to : box.from).getType()).getShape();
  if (!box.value && (isUnknown || (box.walksTo && ShapedType::isDynamicShape(box.shape))))
    stage.setPad(tile::Pad::Zero);
  if (box.value)
    w.computeGeneric(element, held, [](OpBuilder &, ArrayRef<Value> elements, llvm::function_ref<Value(unsigned)>, const IRMapping &) { return elements[0]; });
  w.store(box.value ? held : element, w.operand(to));
}

std::optional<OwnNest> mapping::getBoxNest(Operation &op) {
  std::optional<Box> box = getBox(op);
  if (!box)
    return std::nullopt;
  auto write = [box = *box](NestWriter &w, const Problem &problem, ValueRange operands) { writeBox(box, w, problem, operands); };
  return OwnNest{{box->from, box->to}, {"X", "Y"}, box->ops, box->value ? "_pad" : "_slice", box->shape, write, /*walked=*/box->walksTo ? 1u : 0u};
}

/// A slice of all dimensions, those of extent 1 that `slice` drops among them, and a copy of it.
static void copySlice(tensor::ExtractSliceOp slice) {
  OpBuilder b(slice);
  auto whole = tensor::ExtractSliceOp::create(b, slice.getLoc(), slice.getSource(), slice.getMixedOffsets(), slice.getMixedSizes(), slice.getMixedStrides());
  bool drops = whole.getType() != slice.getType();
  auto groups = drops ? getReassociationIndicesForReshape(whole.getType(), slice.getType()) : std::nullopt;
  if (slice.getType().getRank() == 0 || (drops && !groups)) {
    whole->erase();
    return;
  }
  Value empty = tensor::EmptyOp::create(b, slice.getLoc(), whole.getMixedSizes(), whole.getType().getElementType());
  Value copy = linalg::CopyOp::create(b, slice.getLoc(), whole.getResult(), empty)->getResult(0);
  if (drops)
    copy = tensor::CollapseShapeOp::create(b, slice.getLoc(), slice.getType(), copy, *groups);
  slice.getResult().replaceAllUsesWith(copy);
  slice->erase();
}

/// Gives what `slice` inserts all dimensions of what it is inserted into.
static void expandSlice(tensor::InsertSliceOp slice) {
  auto whole = RankedTensorType::get(slice.getStaticSizes(), slice.getSourceType().getElementType());
  auto groups = getReassociationIndicesForReshape(slice.getSourceType(), whole);
  if (whole == slice.getSourceType() || slice.getSourceType().getRank() == 0 || !groups)
    return;
  OpBuilder b(slice);
  slice.getSourceMutable().assign(tensor::ExpandShapeOp::create(b, slice.getLoc(), whole, slice.getSource(), *groups));
}

/// Inserts what `join` joins into one array. Extents along which it does not are those of the first.
static void insertJoined(tensor::ConcatOp join) {
  OpBuilder b(join);
  Location loc = join.getLoc();
  int64_t dim = join.getDim(), offset = 0;
  for (Value input : join.getInputs())
    if (cast<RankedTensorType>(input.getType()).isDynamicDim(dim) || !areAlikeBut(input.getType(), join.getResultType(), dim))
      return;
  SmallVector<OpFoldResult> extents = getExtents(b, loc, join.getInputs()[0]), offsets(extents.size(), b.getIndexAttr(0)), strides(extents.size(), b.getIndexAttr(1));
  extents[dim] = b.getIndexAttr(join.getResultType().getDimSize(dim));
  Value joined = tensor::EmptyOp::create(b, loc, extents, join.getResultType().getElementType());
  for (Value input : join.getInputs()) {
    int64_t size = cast<RankedTensorType>(input.getType()).getDimSize(dim);
    offsets[dim] = b.getIndexAttr(offset);
    extents[dim] = b.getIndexAttr(size);
    joined = tensor::InsertSliceOp::create(b, loc, input, joined, offsets, extents, strides);
    offset += size;
  }
  join.getResult().replaceAllUsesWith(joined);
  join->erase();
}

/// A pad by a constant of some dimensions, where others are dynamic, inserts into what is filled.
static void insertPadded(tensor::PadOp pad) {
  Value number = pad.getConstantPaddingValue();
  RankedTensorType type = pad.getResultType();
  if (!number || type.hasStaticShape() || ShapedType::isDynamicShape(pad.getStaticLow()) || ShapedType::isDynamicShape(pad.getStaticHigh()))
    return;
  for (auto [dim, low, high] : llvm::enumerate(pad.getStaticLow(), pad.getStaticHigh()))
    if (type.isDynamicDim(dim) && (low != 0 || high != 0 || !pad.getSourceType().isDynamicDim(dim)))
      return;
  OpBuilder b(pad);
  Location loc = pad.getLoc();
  SmallVector<OpFoldResult> sizes = getExtents(b, loc, pad.getSource()), extents(sizes), strides(sizes.size(), b.getIndexAttr(1));
  for (auto [dim, extent] : llvm::enumerate(type.getShape()))
    if (!ShapedType::isDynamic(extent))
      extents[dim] = b.getIndexAttr(extent);
  Value empty = tensor::EmptyOp::create(b, loc, extents, type.getElementType());
  Value filled = linalg::FillOp::create(b, loc, number, empty).getResult(0);
  Value padded = tensor::InsertSliceOp::create(b, loc, pad.getSource(), filled, pad.getMixedLowPad(), sizes, strides);
  pad.getResult().replaceAllUsesWith(padded);
  pad->erase();
}

void mapping::takeSlices(ModuleOp module) {
  SmallVector<tensor::ConcatOp> joined;
  SmallVector<tensor::PadOp> pads;
  module.walk([&](tensor::ConcatOp op) { joined.push_back(op); });
  module.walk([&](tensor::PadOp op) { pads.push_back(op); });
  for (tensor::ConcatOp op : joined)
    insertJoined(op);
  for (tensor::PadOp op : pads)
    insertPadded(op);
  SmallVector<tensor::ExtractSliceOp> slices;
  SmallVector<tensor::InsertSliceOp> inserted;
  module.walk([&](tensor::ExtractSliceOp slice) { slices.push_back(slice); });
  module.walk([&](tensor::InsertSliceOp slice) { inserted.push_back(slice); });
  for (tensor::ExtractSliceOp slice : slices)
    copySlice(slice);
  for (tensor::InsertSliceOp slice : inserted)
    expandSlice(slice);
}
