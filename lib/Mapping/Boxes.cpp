//===- Boxes.cpp - Functions that pad, slice and join arrays ----*- C++ -*-===//
//
// What moves a box of an array is a kernel of its own, an element a thread; where it pads, threads hold the constant, and put the element that there is in its
// place. Kernels without loops have no word for it, so that a function is parted there.
//
//===----------------------------------------------------------------------===//

#include "Boxes.h"

#include "NestWriter.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "tilec/Tile/Program.h"
#include "llvm/ADT/SetVector.h"
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
};

/// Ops of a function that become one kernel without loops, or what moves a box.
struct Piece {
  llvm::SetVector<Operation *> ops;
  std::optional<Box> box;
};

class BoxParter {
public:
  explicit BoxParter(func::FuncOp function) : function(function), body(function.getBody().front()), b(function) {}

  FailureOr<SmallVector<func::FuncOp>> run();

private:
  void listPieces();
  tile::ProgramOp createProgram();
  bool isInside(Value array, const Piece &piece) const;
  Value give(Value value);
  func::FuncOp writeFunction(const Piece &piece, const std::string &name, SmallVectorImpl<Value> &given);

  func::FuncOp function;
  Block &body;
  OpBuilder b;
  std::vector<Piece> pieces;
  /// Of arguments and arrays of the function what stands for them in the program.
  llvm::DenseMap<Value, Value> arrays;
  tile::ProgramOp program;
};

} // namespace

static bool isStatic(Value memref) { return cast<MemRefType>(memref.getType()).hasStaticShape(); }

/// Where `slice` has the elements of its result, of their numbers; null where that is not known, or where there are none.
static AffineMap getPlaces(memref::SubViewOp slice) {
  MLIRContext *context = slice.getContext();
  if (llvm::any_of(slice.getStaticOffsets(), ShapedType::isDynamic) || llvm::any_of(slice.getStaticStrides(), ShapedType::isDynamic) || !isStatic(slice) ||
      slice.getType().getNumElements() == 0)
    return AffineMap();
  SmallVector<AffineExpr> places;
  for (auto [dim, offset, stride] : llvm::enumerate(slice.getStaticOffsets(), slice.getStaticStrides()))
    places.push_back(getAffineDimExpr(dim, context) * stride + offset);
  return AffineMap::get(places.size(), 0, places, context);
}

static bool isArray(Value memref) {
  Value array = tile::getArray(memref);
  return isStatic(memref) && (isa<BlockArgument>(array) || array.getDefiningOp<memref::AllocOp>());
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
  AffineMap places = getPlaces(slice), all = AffineMap::getMultiDimIdentityMap(slice.getType().getRank(), op.getContext());
  if (!places)
    return std::nullopt;
  SmallVector<int64_t> shape(slice.getType().getShape());
  if (taken)
    return Box{slice.getSource(), to, shape, places, all, {}, {slice, &op}};
  bool isInMidst = slice->hasOneUse() && slice.getSource().getDefiningOp<memref::AllocOp>() &&
                   llvm::all_of(slice.getStaticStrides(), [](int64_t stride) { return stride == 1; });
  LinalgOp fill = isInMidst ? findFill(slice.getSource(), slice, &op) : LinalgOp();
  if (!fill)
    return Box{from, slice.getSource(), shape, all, places, {}, {slice, &op}};
  SmallVector<AffineExpr> moved;
  for (auto [dim, low] : llvm::enumerate(slice.getStaticOffsets()))
    moved.push_back(getAffineDimExpr(dim, op.getContext()) - low);
  AffineMap read = AffineMap::get(moved.size(), 0, moved, op.getContext());
  return Box{from, slice.getSource(), SmallVector<int64_t>(slice.getSourceType().getShape()), read, all, getFill(fill), {fill, slice, &op}};
}

bool mapping::hasBoxes(func::FuncOp function) {
  return function.getBody().hasOneBlock() && llvm::any_of(function.getBody().front(), [](Operation &op) { return getBox(op).has_value(); });
}

/// A slice of all dimensions, those of extent 1 that `slice` drops among them, and a copy of it.
static void copySlice(tensor::ExtractSliceOp slice) {
  OpBuilder b(slice);
  auto whole = tensor::ExtractSliceOp::create(b, slice.getLoc(), slice.getSource(), slice.getMixedOffsets(), slice.getMixedSizes(), slice.getMixedStrides());
  bool drops = whole.getType() != slice.getType();
  auto groups = drops ? getReassociationIndicesForReshape(whole.getType(), slice.getType()) : std::nullopt;
  if (!whole.getType().hasStaticShape() || slice.getType().getRank() == 0 || (drops && !groups)) {
    whole->erase();
    return;
  }
  Value empty = tensor::EmptyOp::create(b, slice.getLoc(), whole.getType(), ValueRange());
  Value copy = linalg::CopyOp::create(b, slice.getLoc(), whole.getResult(), empty)->getResult(0);
  if (drops)
    copy = tensor::CollapseShapeOp::create(b, slice.getLoc(), slice.getType(), copy, *groups);
  slice.getResult().replaceAllUsesWith(copy);
  slice->erase();
}

/// Gives what `slice` inserts all dimensions of what it is inserted into.
static void expandSlice(tensor::InsertSliceOp slice) {
  if (llvm::any_of(slice.getStaticSizes(), ShapedType::isDynamic))
    return;
  auto whole = RankedTensorType::get(slice.getStaticSizes(), slice.getSourceType().getElementType());
  auto groups = getReassociationIndicesForReshape(slice.getSourceType(), whole);
  if (whole == slice.getSourceType() || slice.getSourceType().getRank() == 0 || !groups)
    return;
  OpBuilder b(slice);
  slice.getSourceMutable().assign(tensor::ExpandShapeOp::create(b, slice.getLoc(), whole, slice.getSource(), *groups));
}

void mapping::takeSlices(ModuleOp module) {
  SmallVector<tensor::ConcatOp> joined;
  module.walk([&](tensor::ConcatOp op) { joined.push_back(op); });
  for (tensor::ConcatOp op : joined) {
    OpBuilder b(op);
    if (FailureOr<SmallVector<Value>> parts = op.decomposeOperation(b); succeeded(parts)) {
      op.getResult().replaceAllUsesWith(parts->front());
      op->erase();
    }
  }
  SmallVector<tensor::ExtractSliceOp> slices;
  SmallVector<tensor::InsertSliceOp> inserted;
  module.walk([&](tensor::ExtractSliceOp slice) { slices.push_back(slice); });
  module.walk([&](tensor::InsertSliceOp slice) { inserted.push_back(slice); });
  for (tensor::ExtractSliceOp slice : slices)
    copySlice(slice);
  for (tensor::InsertSliceOp slice : inserted)
    expandSlice(slice);
}

void BoxParter::listPieces() {
  std::map<Operation *, Box> boxes;
  llvm::SmallPtrSet<Operation *, 8> gone;
  for (Operation &op : body)
    if (std::optional<Box> box = getBox(op)) {
      gone.insert(box->ops.begin(), box->ops.end());
      boxes.emplace(&op, std::move(*box));
    }
  pieces.emplace_back();
  for (Operation &op : body.without_terminator()) {
    if (auto box = boxes.find(&op); box != boxes.end()) {
      pieces.push_back({{}, box->second});
      pieces.emplace_back();
    } else if (!gone.contains(&op) && !tile::isView(&op)) {
      // Views stand wherever they are asked for.
      pieces.back().ops.insert(&op);
    }
  }
  llvm::erase_if(pieces, [](const Piece &piece) { return !piece.box && llvm::none_of(piece.ops, [](Operation *op) { return isa<LinalgOp>(op); }); });
}

static Location named(Value value, const Twine &name) {
  Location loc = value.getLoc();
  return loc->findInstanceOf<NameLoc>() ? loc : Location(NameLoc::get(StringAttr::get(value.getContext(), name), loc));
}

static ArrayAttr getShapes(OpBuilder &b, TypeRange types) {
  SmallVector<Attribute> shapes;
  for (Type type : types) {
    auto memref = dyn_cast<MemRefType>(type);
    shapes.push_back(b.getDenseI64ArrayAttr(memref ? llvm::map_to_vector(memref.getShape(), tile::KernelOp::encodeExtent) : SmallVector<int64_t>()));
  }
  return b.getArrayAttr(shapes);
}

/// A program with the arguments of the function, and those of its results that are none of these.
tile::ProgramOp BoxParter::createProgram() {
  SmallVector<Value> operands(body.getArguments());
  for (Value result : body.getTerminator()->getOperands())
    if (!llvm::is_contained(operands, result))
      operands.push_back(result);
  SmallVector<Location> names;
  unsigned arguments = body.getNumArguments();
  for (auto [number, operand] : llvm::enumerate(operands)) {
    std::string result = operands.size() == arguments + 1 ? "result" : "result" + std::to_string(number - arguments);
    names.push_back(number < arguments ? named(operand, "arg" + Twine(number)) : Location(NameLoc::get(b.getStringAttr(result), function.getLoc())));
  }
  SmallVector<Type> types = llvm::map_to_vector(operands, [](Value operand) { return operand.getType(); });
  auto made = tile::ProgramOp::create(b, function.getLoc(), function.getSymName(), b.getFunctionType(types, {}), getShapes(b, types), /*arg_attrs=*/{}, /*res_attrs=*/{},
                                      /*sym_visibility=*/{});
  OpBuilder::InsertionGuard guard(b);
  b.createBlock(&made.getBody(), {}, types, names);
  for (auto [operand, argument] : llvm::zip_equal(operands, made.getBody().getArguments()))
    arrays[operand] = argument;
  return made;
}

/// Does only `piece` use `array`, which it makes?
bool BoxParter::isInside(Value array, const Piece &piece) const {
  return array.getDefiningOp() && piece.ops.contains(array.getDefiningOp()) && !arrays.contains(array) &&
         llvm::all_of(array.getUsers(), [&](Operation *user) { return piece.ops.contains(body.findAncestorOpInBlock(*user)); });
}

/// What stands in the program for an argument, an array or a view of the function; an array that is none of the program's yet is a workspace.
Value BoxParter::give(Value value) {
  if (Value known = arrays.lookup(value))
    return known;
  if (Operation *view = value.getDefiningOp(); tile::isView(view)) {
    IRMapping copied;
    copied.map(view->getOperand(0), give(view->getOperand(0)));
    return arrays[value] = OpBuilder::atBlockEnd(&program.getBody().front()).clone(*view, copied)->getResult(0);
  }
  OpBuilder inside = OpBuilder::atBlockBegin(&program.getBody().front());
  auto type = cast<MemRefType>(value.getType());
  return arrays[value] = tile::WorkspaceOp::create(inside, named(value, "array"), type, ValueRange(), type.getShape(), /*rows=*/{});
}

/// The ops of `piece` as a function; `given` are the values of this one that become its arguments.
func::FuncOp BoxParter::writeFunction(const Piece &piece, const std::string &name, SmallVectorImpl<Value> &given) {
  llvm::SetVector<Value> outer;
  llvm::SetVector<Operation *> needed;
  SmallVector<Operation *> waiting;
  for (Operation *op : piece.ops)
    op->walk([&](Operation *inner) { waiting.push_back(inner); });
  while (!waiting.empty())
    for (Value operand : waiting.pop_back_val()->getOperands()) {
      Operation *maker = operand.getDefiningOp();
      if (operand.getParentBlock() != &body || (maker && piece.ops.contains(maker) && isInside(operand, piece)))
        continue;
      if (!maker || isa<memref::AllocOp>(maker))
        outer.insert(operand);
      else if (needed.insert(maker))
        waiting.push_back(maker);
    }
  given = outer.takeVector();
  SmallVector<Type> types = llvm::map_to_vector(given, [](Value value) { return value.getType(); });
  auto made = func::FuncOp::create(b, function.getLoc(), name, b.getFunctionType(types, {}));
  Block *block = made.addEntryBlock();
  IRMapping copied;
  for (auto [number, from, argument] : llvm::enumerate(given, block->getArguments())) {
    argument.setLoc(named(from, "array" + Twine(number)));
    copied.map(from, argument);
  }
  OpBuilder inside = OpBuilder::atBlockEnd(block);
  for (Operation &op : body)
    if (needed.contains(&op) || (piece.ops.contains(&op) && (op.getNumResults() != 1 || !copied.contains(op.getResult(0)))))
      inside.clone(op, copied);
  func::ReturnOp::create(inside, function.getLoc());
  return made;
}

/// A kernel that moves a box: blocks of rows, an element of them for each thread.
static tile::KernelOp writeBox(OpBuilder &b, Location loc, const Box &box, StringRef name) {
  constexpr int64_t kThreads = 256;
  SmallVector<Type> types = {box.from.getType(), box.to.getType()};
  SmallVector<Location> names = {named(box.from, "X"), named(box.to, "Y")};
  auto create = [&](StringRef called) {
    return tile::KernelOp::create(b, loc, called, b.getFunctionType(types, {}), getShapes(b, types), /*dataflow=*/{}, /*arg_attrs=*/{}, /*res_attrs=*/{},
                                  /*sym_visibility=*/{});
  };
  tile::KernelOp like = create("like"), made = create(name);
  like.getBody().emplaceBlock().addArguments(types, names);
  Problem problem;
  problem.kernel = like;
  for (int64_t extent : box.shape)
    problem.dims.push_back({/*parallel=*/true, b.getIndexAttr(extent), extent});
  unsigned rank = box.shape.size(), last = rank - 1;
  NestWriter w(problem, made);
  // What lies beyond the box is absent from an array that ends there, and is there in one of which it is a part: blocks end with such a box.
  bool isWhole = box.written.isIdentity() && ArrayRef(box.shape) == cast<MemRefType>(box.to.getType()).getShape();
  auto getStep = [&](int64_t most, int64_t extent) {
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
  Block &arguments = like.getBody().front();
  Use to = {arguments.getArgument(1), box.written};
  Placed held, element;
  if (box.value)
    held = w.hold(to, box.value, "h");
  w.stage(w.operand({arguments.getArgument(0), box.read}), tile::Level::RF, element, "r");
  if (box.value)
    w.computeGeneric(element, held, [](OpBuilder &, ArrayRef<Value> elements, llvm::function_ref<Value(unsigned)>, const IRMapping &) { return elements[0]; });
  w.store(box.value ? held : element, w.operand(to));
  like.erase();
  return made;
}

FailureOr<SmallVector<func::FuncOp>> BoxParter::run() {
  for (Value result : body.getTerminator()->getOperands())
    if (!isa<BlockArgument>(result) && (!result.getDefiningOp<memref::AllocOp>() || !isStatic(result)))
      return function.emitError("pads or slices arrays, and returns what is neither an argument nor a new array of static shape"); // limit_x43
  for (Value argument : body.getArguments())
    if (isa<MemRefType>(argument.getType()) && !isStatic(argument))
      return function.emitError("pads or slices arrays, and has an argument of type ") << argument.getType() << "; those of a function that does are of static shape"; // limit_x43
  for (memref::AllocOp alloc : body.getOps<memref::AllocOp>())
    if (!isStatic(alloc))
      return alloc->emitError("makes an array of type ") << alloc.getType() << " in a function that pads or slices arrays; those of one that does are of static shape"; // limit_x43
  program = createProgram();
  listPieces();
  SmallVector<func::FuncOp> functions;
  OpBuilder inside = OpBuilder::atBlockEnd(&program.getBody().front());
  for (auto [number, piece] : llvm::enumerate(pieces)) {
    SmallVector<Value> given;
    std::string name = tile::makeName(function, (!piece.box ? "_part" : piece.box->value ? "_pad" : "_slice") + Twine(number));
    if (piece.box) {
      given = {piece.box->from, piece.box->to};
      writeBox(b, piece.box->ops.back()->getLoc(), *piece.box, name);
    } else {
      functions.push_back(writeFunction(piece, name, given));
    }
    SmallVector<Value> operands = llvm::map_to_vector(given, [&](Value value) { return give(value); });
    tile::RunOp::create(inside, function.getLoc(), name, operands);
  }
  return functions;
}

FailureOr<SmallVector<func::FuncOp>> mapping::partAtBoxes(func::FuncOp function) { return BoxParter(function).run(); }
