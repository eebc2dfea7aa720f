//===- Parts.cpp - Functions that become several kernels --------*- C++ -*-===//

#include "Parts.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "tilec/Tile/Program.h"
#include "llvm/ADT/SetVector.h"

#include <map>

using namespace mlir;
using namespace tilec;
using namespace tilec::mapping;
using linalg::LinalgOp;

namespace {

/// Ops of a function that become one kernel without loops, or a nest.
struct Piece {
  llvm::SetVector<Operation *> ops;
  std::optional<OwnNest> nest;
};

class FunctionParter {
public:
  explicit FunctionParter(func::FuncOp function) : function(function), body(function.getBody().front()), b(function) {}

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

static std::optional<OwnNest> getOwnNest(Operation &op) {
  std::optional<OwnNest> box = getBoxNest(op);
  return box ? box : getGatherNest(op);
}

bool mapping::hasOwnNests(func::FuncOp function) {
  return function.getBody().hasOneBlock() && llvm::any_of(function.getBody().front(), [](Operation &op) { return gathers(op) || getBoxNest(op); });
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

/// A kernel of `nest`.
static void writeNest(OpBuilder &b, const OwnNest &nest, StringRef name) {
  SmallVector<Type> types = llvm::map_to_vector(nest.operands, [](Value operand) { return operand.getType(); });
  SmallVector<Location> names;
  for (auto [operand, called] : llvm::zip_equal(nest.operands, nest.names))
    names.push_back(named(operand, called));
  Location loc = nest.ops.back()->getLoc();
  auto create = [&](StringRef called) {
    return tile::KernelOp::create(b, loc, called, b.getFunctionType(types, {}), getShapes(b, types), /*dataflow=*/{}, /*arg_attrs=*/{}, /*res_attrs=*/{},
                                  /*sym_visibility=*/{});
  };
  tile::KernelOp like = create("like"), made = create(name);
  like.getBody().emplaceBlock().addArguments(types, names);
  Problem problem;
  problem.kernel = like;
  for (int64_t extent : nest.extents)
    problem.dims.push_back({/*parallel=*/true, b.getIndexAttr(extent), extent});
  NestWriter writer(problem, made);
  nest.write(writer, problem, like.getBody().getArguments());
  like.erase();
}

void FunctionParter::listPieces() {
  std::map<Operation *, OwnNest> nests;
  llvm::SmallPtrSet<Operation *, 8> gone;
  for (Operation &op : body)
    if (std::optional<OwnNest> nest = getOwnNest(op)) {
      gone.insert(nest->ops.begin(), nest->ops.end());
      nests.emplace(&op, std::move(*nest));
    }
  pieces.emplace_back();
  for (Operation &op : body.without_terminator()) {
    if (auto nest = nests.find(&op); nest != nests.end()) {
      pieces.push_back({{}, nest->second});
      pieces.emplace_back();
    } else if (!gone.contains(&op) && !tile::isView(&op)) {
      // Views stand wherever they are asked for.
      pieces.back().ops.insert(&op);
    }
  }
  llvm::erase_if(pieces, [](const Piece &piece) { return !piece.nest && llvm::none_of(piece.ops, [](Operation *op) { return isa<LinalgOp>(op); }); });
}

/// The array that `view` would be a view of, as a view of `array`.
static Value turnBack(OpBuilder &b, Operation *view, Value array) {
  auto type = cast<MemRefType>(view->getOperand(0).getType());
  if (auto expanded = dyn_cast<memref::ExpandShapeOp>(view))
    return memref::CollapseShapeOp::create(b, view->getLoc(), type, array, expanded.getReassociationIndices());
  return memref::ExpandShapeOp::create(b, view->getLoc(), type, array, cast<memref::CollapseShapeOp>(view).getReassociationIndices());
}

/// A program with the arguments of the function, and those of its results that are none of these.
tile::ProgramOp FunctionParter::createProgram() {
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
  // What is returned by other extents is written by those that it is made with.
  for (Value result : operands)
    for (Operation *view = result.getDefiningOp(); tile::isView(view); view = view->getOperand(0).getDefiningOp())
      arrays[view->getOperand(0)] = turnBack(b, view, arrays.lookup(view->getResult(0)));
  return made;
}

/// Does only `piece` use `array`, which it makes?
bool FunctionParter::isInside(Value array, const Piece &piece) const {
  return array.getDefiningOp() && piece.ops.contains(array.getDefiningOp()) && !arrays.contains(array) &&
         llvm::all_of(array.getUsers(), [&](Operation *user) { return piece.ops.contains(body.findAncestorOpInBlock(*user)); });
}

/// What stands in the program for an argument, an array or a view of the function; an array that is none of the program's yet is a workspace.
Value FunctionParter::give(Value value) {
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
func::FuncOp FunctionParter::writeFunction(const Piece &piece, const std::string &name, SmallVectorImpl<Value> &given) {
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

FailureOr<SmallVector<func::FuncOp>> FunctionParter::run() {
  for (Value result : body.getTerminator()->getOperands())
    if (!isa<BlockArgument>(result) && (!tile::getArray(result).getDefiningOp<memref::AllocOp>() || !isStatic(result)))
      return function.emitError("pads, slices or gathers from arrays, and returns what is neither an argument nor a new array of static shape"); // limit_x43
  for (Value argument : body.getArguments())
    if (isa<MemRefType>(argument.getType()) && !isStatic(argument))
      return function.emitError("pads, slices or gathers from arrays, and has an argument of type ") << argument.getType() << "; those of a function that does are of static shape"; // limit_x43
  for (memref::AllocOp alloc : body.getOps<memref::AllocOp>())
    if (!isStatic(alloc))
      return alloc->emitError("makes an array of type ") << alloc.getType() << " in a function that pads, slices or gathers from arrays; those of one that does are of static shape"; // limit_x43
  program = createProgram();
  listPieces();
  SmallVector<func::FuncOp> functions;
  OpBuilder inside = OpBuilder::atBlockEnd(&program.getBody().front());
  for (auto [number, piece] : llvm::enumerate(pieces)) {
    SmallVector<Value> given;
    std::string name = tile::makeName(function, (piece.nest ? piece.nest->suffix : "_part") + Twine(number));
    if (piece.nest) {
      given = piece.nest->operands;
      writeNest(b, *piece.nest, name);
    } else {
      functions.push_back(writeFunction(piece, name, given));
    }
    SmallVector<Value> operands = llvm::map_to_vector(given, [&](Value value) { return give(value); });
    tile::RunOp::create(inside, function.getLoc(), name, operands);
  }
  return functions;
}

FailureOr<SmallVector<func::FuncOp>> mapping::partFunction(func::FuncOp function) { return FunctionParter(function).run(); }
