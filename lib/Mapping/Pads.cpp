//===- Pads.cpp - Functions that pad arrays ---------------------*- C++ -*-===//
//
// What pads is a kernel of its own: threads hold the constant, and put the element that there is in its place. Kernels without loops have no
// word for it, so that a function is parted at what it pads.
//
//===----------------------------------------------------------------------===//

#include "Pads.h"

#include "NestWriter.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "tilec/Tile/Program.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::mapping;
using linalg::LinalgOp;

namespace {

/// `from` in the midst of `to`, at `low` along each dimension, all else of which is `value`.
struct Pad {
  Value from, to;
  SmallVector<int64_t> low;
  TypedAttr value;
  /// What says so.
  Operation *fill, *place, *copy;
};

/// Ops of a function that become one kernel without loops, or what pads.
struct Piece {
  llvm::SetVector<Operation *> ops;
  std::optional<Pad> pad;
};

class PadParter {
public:
  explicit PadParter(func::FuncOp function) : function(function), body(function.getBody().front()), b(function) {}

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

/// What `copy` pads, where it does.
static std::optional<Pad> getPad(memref::CopyOp copy) {
  auto place = copy.getTarget().getDefiningOp<memref::SubViewOp>();
  Value padded = tile::getArray(copy.getSource());
  bool isArray = isa<BlockArgument>(padded) || padded.getDefiningOp<memref::AllocOp>();
  if (!place || !place->hasOneUse() || place.getType().getRank() == 0 || !isArray || !isStatic(copy.getSource()) || !isStatic(place.getSource()))
    return std::nullopt;
  bool isBox = llvm::none_of(place.getStaticOffsets(), ShapedType::isDynamic) && llvm::all_of(place.getStaticStrides(), [](int64_t stride) { return stride == 1; }) &&
               place.getType().getRank() == place.getSourceType().getRank();
  if (!isBox || !place.getSource().getDefiningOp<memref::AllocOp>())
    return std::nullopt;
  LinalgOp fill;
  for (Operation *user : place.getSource().getUsers()) {
    if (user->getBlock() != copy->getBlock())
      return std::nullopt;
    if (user == place || !user->isBeforeInBlock(copy))
      continue;
    auto filling = dyn_cast<LinalgOp>(user);
    if (fill || !filling || !getFill(filling))
      return std::nullopt;
    fill = filling;
  }
  if (!fill)
    return std::nullopt;
  return Pad{copy.getSource(), place.getSource(), SmallVector<int64_t>(place.getStaticOffsets()), getFill(fill), fill, place, copy};
}

bool mapping::hasPads(func::FuncOp function) {
  return function.getBody().hasOneBlock() && llvm::any_of(function.getOps<memref::CopyOp>(), [](memref::CopyOp copy) { return getPad(copy).has_value(); });
}

void PadParter::listPieces() {
  llvm::SmallPtrSet<Operation *, 8> gone;
  for (memref::CopyOp copy : body.getOps<memref::CopyOp>())
    if (std::optional<Pad> pad = getPad(copy))
      gone.insert({pad->fill, pad->place});
  pieces.emplace_back();
  for (Operation &op : body.without_terminator()) {
    if (auto copy = dyn_cast<memref::CopyOp>(op))
      if (std::optional<Pad> pad = getPad(copy)) {
        pieces.push_back({{}, pad});
        pieces.emplace_back();
        continue;
      }
    // Views stand wherever they are asked for.
    if (!gone.contains(&op) && !tile::isView(&op))
      pieces.back().ops.insert(&op);
  }
  llvm::erase_if(pieces, [](const Piece &piece) { return !piece.pad && llvm::none_of(piece.ops, [](Operation *op) { return isa<LinalgOp>(op); }); });
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
tile::ProgramOp PadParter::createProgram() {
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
bool PadParter::isInside(Value array, const Piece &piece) const {
  return array.getDefiningOp() && piece.ops.contains(array.getDefiningOp()) && !arrays.contains(array) &&
         llvm::all_of(array.getUsers(), [&](Operation *user) { return piece.ops.contains(body.findAncestorOpInBlock(*user)); });
}

/// What stands in the program for an argument, an array or a view of the function; an array that is none of the program's yet is a workspace.
Value PadParter::give(Value value) {
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
func::FuncOp PadParter::writeFunction(const Piece &piece, const std::string &name, SmallVectorImpl<Value> &given) {
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

/// A kernel that pads: blocks of rows, an element of them for each thread.
static tile::KernelOp writePad(OpBuilder &b, Location loc, const Pad &pad, StringRef name) {
  constexpr int64_t kThreads = 256;
  SmallVector<Type> types = {pad.from.getType(), pad.to.getType()};
  SmallVector<Location> names = {named(pad.from, "X"), named(pad.to, "P")};
  auto create = [&](StringRef called) {
    return tile::KernelOp::create(b, loc, called, b.getFunctionType(types, {}), getShapes(b, types), /*dataflow=*/{}, /*arg_attrs=*/{}, /*res_attrs=*/{},
                                  /*sym_visibility=*/{});
  };
  tile::KernelOp like = create("like"), made = create(name);
  like.getBody().emplaceBlock().addArguments(types, names);
  Problem problem;
  problem.kernel = like;
  ArrayRef<int64_t> shape = cast<MemRefType>(pad.to.getType()).getShape();
  for (int64_t extent : shape)
    problem.dims.push_back({/*parallel=*/true, b.getIndexAttr(extent), extent});
  unsigned rank = shape.size(), last = rank - 1;
  NestWriter w(problem, made);
  SmallVector<int64_t> steps(rank, 1);
  steps[last] = std::min<int64_t>(kThreads, llvm::PowerOf2Ceil(shape[last]));
  if (rank > 1)
    steps[last - 1] = std::min<int64_t>(kThreads / steps[last], llvm::PowerOf2Ceil(shape[last - 1]));
  SmallVector<LoopOver> blocks, threads;
  for (unsigned dim = 0; dim < rank; ++dim) {
    w.setTile(dim, 1);
    blocks.push_back({dim, problem.dims[dim].extent, steps[dim]});
    if (dim + 2 >= rank)
      threads.push_back({dim, w.number(steps[dim]), 1});
  }
  w.open(blocks, tile::Level::DRAM, tile::Unit::Block, "0");
  w.open(threads, tile::Level::DRAM, tile::Unit::Thread, "1");
  SmallVector<AffineExpr> moved;
  for (unsigned dim = 0; dim < rank; ++dim)
    moved.push_back(b.getAffineDimExpr(dim) - pad.low[dim]);
  Block &arguments = like.getBody().front();
  Use to = {arguments.getArgument(1), b.getMultiDimIdentityMap(rank)};
  Placed held = w.hold(to, pad.value, "h"), element;
  w.stage(w.operand({arguments.getArgument(0), AffineMap::get(rank, 0, moved, b.getContext())}), tile::Level::RF, element, "r");
  w.computeGeneric(element, held, [](OpBuilder &, ArrayRef<Value> elements, llvm::function_ref<Value(unsigned)>, const IRMapping &) { return elements[0]; });
  w.store(held, w.operand(to));
  like.erase();
  return made;
}

FailureOr<SmallVector<func::FuncOp>> PadParter::run() {
  for (Value result : body.getTerminator()->getOperands())
    if (!isa<BlockArgument>(result) && (!result.getDefiningOp<memref::AllocOp>() || !isStatic(result)))
      return function.emitError("pads arrays, and returns what is neither an argument nor a new array of static shape"); // limit_x43
  for (Value argument : body.getArguments())
    if (isa<MemRefType>(argument.getType()) && !isStatic(argument))
      return function.emitError("pads arrays, and has an argument of type ") << argument.getType() << "; those of a function that does are of static shape"; // limit_x43
  for (memref::AllocOp alloc : body.getOps<memref::AllocOp>())
    if (!isStatic(alloc))
      return alloc->emitError("makes an array of type ") << alloc.getType() << " in a function that pads arrays; those of one that does are of static shape"; // limit_x43
  program = createProgram();
  listPieces();
  SmallVector<func::FuncOp> functions;
  OpBuilder inside = OpBuilder::atBlockEnd(&program.getBody().front());
  for (auto [number, piece] : llvm::enumerate(pieces)) {
    SmallVector<Value> given;
    std::string name = tile::makeName(function, (piece.pad ? "_pad" : "_part") + Twine(number));
    if (piece.pad) {
      given = {piece.pad->from, piece.pad->to};
      writePad(b, piece.pad->copy->getLoc(), *piece.pad, name);
    } else {
      functions.push_back(writeFunction(piece, name, given));
    }
    SmallVector<Value> operands = llvm::map_to_vector(given, [&](Value value) { return give(value); });
    tile::RunOp::create(inside, function.getLoc(), name, operands);
  }
  return functions;
}

FailureOr<SmallVector<func::FuncOp>> mapping::partAtPads(func::FuncOp function) { return PadParter(function).run(); }
