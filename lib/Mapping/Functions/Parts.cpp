//===- Parts.cpp - Functions that become several kernels --------*- C++ -*-===//

#include "Parts.h"
#include "Sizes.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
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
  void takeAhead();
  void listPieces();
  LogicalResult createProgram();
  bool isInside(Value array, const Piece &piece) const;
  FailureOr<Value> give(Value value);
  func::FuncOp writeFunction(const Piece &piece, const std::string &name, SmallVectorImpl<Value> &given);

  func::FuncOp function;
  Block &body;
  OpBuilder b;
  std::vector<Piece> pieces;
  /// Of arguments and arrays of the function what stands for them in the program.
  llvm::DenseMap<Value, Value> arrays;
  tile::ProgramOp program;
  std::unique_ptr<ExtentClasses> classes;
  std::unique_ptr<Signature> signature;
};

} // namespace

static std::optional<OwnNest> getOwnNest(Operation &op) {
  for (auto getNest : {getBoxNest, getGatherNest, getScatterNest})
    if (std::optional<OwnNest> nest = getNest(op))
      return nest;
  return std::nullopt;
}

bool mapping::hasOwnNests(func::FuncOp function) {
  return function.getBody().hasOneBlock() && llvm::any_of(function.getBody().front(), [](Operation &op) { return gathers(op) || scatters(op) || getBoxNest(op); });
}

static Location named(Value value, const Twine &name) {
  Location loc = value.getLoc();
  return loc->findInstanceOf<NameLoc>() ? loc : Location(NameLoc::get(StringAttr::get(value.getContext(), name), loc));
}

/// A kernel of `nest`.
static void writeNest(OpBuilder &b, const OwnNest &nest, StringRef name, const ExtentClasses &classes) {
  SmallVector<Location> names;
  for (auto [operand, called] : llvm::zip_equal(nest.operands, nest.names))
    names.push_back(named(operand, called));
  Location loc = nest.ops.back()->getLoc();
  Signature signature(classes, loc, nest.operands, names);
  auto create = [&](StringRef called) {
    return tile::KernelOp::create(b, loc, called, b.getFunctionType(signature.getTypes(), {}), signature.getShapes(), /*dataflow=*/{}, /*arg_attrs=*/{}, /*res_attrs=*/{},
                                  /*sym_visibility=*/{});
  };
  tile::KernelOp like = create("like"), made = create(name);
  like.getBody().emplaceBlock().addArguments(signature.getTypes(), signature.getNames());
  Problem problem;
  problem.kernel = like;
  for (auto [dim, extent] : llvm::enumerate(nest.extents))
    problem.dims.push_back({/*parallel=*/true, ShapedType::isDynamic(extent) ? like.getOperandExtent(nest.walked, dim) : OpFoldResult(b.getIndexAttr(extent)), extent});
  NestWriter writer(problem, made);
  nest.write(writer, problem, like.getBody().getArguments().take_front(nest.operands.size()));
  like.erase();
}

/// Does nothing in the function write to `array`?
static bool isOnlyRead(Value array) {
  return llvm::all_of(array.getUsers(), [&](Operation *user) {
    auto op = dyn_cast<LinalgOp>(user);
    return (op && !llvm::is_contained(op.getDpsInits(), array)) || isa<memref::DimOp>(user) || (isa<memref::SubViewOp>(user) && isOnlyRead(user->getResult(0)));
  });
}

/// What `op` is computed from, and it, in order; nothing where that is more than arguments, an array that it makes, and extents.
static SmallVector<Operation *> listMakers(Operation &op) {
  llvm::SetVector<Operation *> makers;
  SmallVector<Operation *> waiting = {&op};
  while (!waiting.empty()) {
    Operation *next = waiting.pop_back_val();
    if (next != &op && !isa<memref::AllocOp, memref::SubViewOp, memref::DimOp>(next) && !next->hasTrait<OpTrait::ConstantLike>())
      return {};
    makers.insert(next);
    for (Value operand : next->getOperands())
      if (Operation *maker = operand.getDefiningOp())
        waiting.push_back(maker);
  }
  SmallVector<Operation *> ordered = makers.takeVector();
  llvm::sort(ordered, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return ordered;
}

/// Does nothing touch `array` before `op`?
static bool isFirst(Operation &op, Value array) {
  return llvm::all_of(array.getUsers(), [&](Operation *user) { return user == &op || (user->getBlock() == op.getBlock() && op.isBeforeInBlock(user)); });
}

/// Boxes that are taken from arguments are taken first: they part nothing then.
void FunctionParter::takeAhead() {
  Operation *end = nullptr;
  for (Operation &op : llvm::make_early_inc_range(body)) {
    std::optional<OwnNest> nest = isa<linalg::CopyOp>(op) ? getBoxNest(op) : std::nullopt;
    if (!nest || !isa<BlockArgument>(nest->operands[0]) || !isOnlyRead(nest->operands[0]) || !nest->operands[1].getDefiningOp<memref::AllocOp>() || !isFirst(op, nest->operands[1]))
      continue;
    for (Operation *maker : listMakers(op)) {
      if (end && !end->isBeforeInBlock(maker))
        continue;
      if (end)
        maker->moveAfter(end);
      else
        maker->moveBefore(&body.front());
      end = maker;
    }
  }
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
  // What changes no array is computed where it is asked for.
  llvm::erase_if(pieces, [](const Piece &piece) { return !piece.nest && llvm::none_of(piece.ops, [](Operation *op) { return isa<LinalgOp, memref::CopyOp, memref::StoreOp>(op); }); });
}

/// A program with the arguments of the function, and those of its results that are none of these.
LogicalResult FunctionParter::createProgram() {
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
  classes = std::make_unique<ExtentClasses>(body);
  signature = std::make_unique<Signature>(*classes, function.getLoc(), operands, names);
  program = tile::ProgramOp::create(b, function.getLoc(), function.getSymName(), b.getFunctionType(signature->getTypes(), {}), signature->getShapes(), /*arg_attrs=*/{}, /*res_attrs=*/{},
                                    /*sym_visibility=*/{});
  OpBuilder::InsertionGuard guard(b);
  b.createBlock(&program.getBody(), {}, signature->getTypes(), signature->getNames());
  for (auto [operand, argument] : llvm::zip(operands, program.getBody().getArguments()))
    arrays[operand] = argument;
  // What is returned by other extents is written by those that it is made with.
  for (Value result : operands)
    for (Operation *view = result.getDefiningOp(); tile::isView(view); view = view->getOperand(0).getDefiningOp()) {
      FailureOr<Value> array = nameAs(b, view->getLoc(), arrays.lookup(view->getResult(0)), view->getOperand(0), getGroups(view), *signature);
      if (failed(array))
        return failure();
      arrays[view->getOperand(0)] = *array;
    }
  return success();
}

/// Does only `piece` use `array`, which it makes?
bool FunctionParter::isInside(Value array, const Piece &piece) const {
  return array.getDefiningOp() && piece.ops.contains(array.getDefiningOp()) && !arrays.contains(array) &&
         llvm::all_of(array.getUsers(), [&](Operation *user) { return piece.ops.contains(body.findAncestorOpInBlock(*user)); });
}

/// What stands in the program for an argument, an array or a view of the function; an array that is none of the program's yet is a workspace.
FailureOr<Value> FunctionParter::give(Value value) {
  if (Value known = arrays.lookup(value))
    return known;
  Block &block = program.getBody().front();
  if (Operation *view = value.getDefiningOp(); tile::isView(view)) {
    FailureOr<Value> of = give(view->getOperand(0));
    OpBuilder inside = OpBuilder::atBlockEnd(&block);
    FailureOr<Value> made = succeeded(of) ? nameAs(inside, view->getLoc(), *of, value, getGroups(view), *signature) : of;
    if (succeeded(made))
      arrays[value] = *made;
    return made;
  }
  if (!value.getDefiningOp<memref::AllocOp>())
    return emitError(value.getLoc(), "is a part of an array, which what gathers or moves elements takes as a whole"); // limit_x43
  OpBuilder inside = OpBuilder::atBlockBegin(&block);
  auto type = cast<MemRefType>(value.getType());
  FailureOr<SmallVector<Value>> sizes = signature->getSizes(value, block);
  if (failed(sizes))
    return failure();
  return arrays[value] = tile::WorkspaceOp::create(inside, named(value, "array"), type, *sizes, type.getShape(), /*rows=*/{});
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
    if (!isa<BlockArgument>(result) && !tile::getArray(result).getDefiningOp<memref::AllocOp>())
      return function.emitError("pads, slices or gathers from arrays, and returns what is neither an argument nor a new array"); // limit_x43
  takeAhead();
  listPieces();
  if (failed(createProgram()))
    return failure();
  SmallVector<func::FuncOp> functions;
  OpBuilder inside = OpBuilder::atBlockEnd(&program.getBody().front());
  for (auto [number, piece] : llvm::enumerate(pieces)) {
    SmallVector<Value> given, operands;
    std::string name = tile::makeName(function, (piece.nest ? piece.nest->suffix : "_part") + Twine(number));
    if (piece.nest) {
      given = piece.nest->operands;
      writeNest(b, *piece.nest, name, *classes);
    } else {
      functions.push_back(writeFunction(piece, name, given));
    }
    for (Value value : given) {
      FailureOr<Value> operand = give(value);
      if (failed(operand))
        return failure();
      operands.push_back(*operand);
    }
    tile::RunOp::create(inside, function.getLoc(), name, operands);
  }
  return functions;
}

void mapping::giveSizes(tile::ProgramOp program) {
  for (tile::RunOp run : tile::listRuns(program)) {
    tile::KernelOp kernel = run.getKernelOp();
    OpBuilder b(run);
    SmallVector<Value> operands(run.getOperands());
    for (BlockArgument size : kernel.getBody().getArguments().drop_front(operands.size()))
      for (auto [number, operand] : llvm::enumerate(run.getOperands())) {
        auto type = dyn_cast<MemRefType>(operand.getType());
        auto dims = llvm::seq<int64_t>(type ? type.getRank() : 0);
        auto dim = llvm::find_if(dims, [&](int64_t dim) { return kernel.getOperandExtent(number, dim) == OpFoldResult(size); });
        if (dim == dims.end())
          continue;
        Value extent;
        SmallVector<tile::Factors> extents = tile::getExtents(operand);
        for (OpFoldResult factor : extents[*dim]) {
          if (getConstantIntValue(factor) == 1)
            continue;
          Value number = getValueOrCreateConstantIndexOp(b, run.getLoc(), factor);
          extent = extent ? arith::MulIOp::create(b, run.getLoc(), extent, number).getResult() : number;
        }
        operands.push_back(extent ? extent : arith::ConstantIndexOp::create(b, run.getLoc(), 1).getResult());
        break;
      }
    run.getOperandsMutable().assign(operands);
  }
}

FailureOr<SmallVector<func::FuncOp>> mapping::partFunction(func::FuncOp function) { return FunctionParter(function).run(); }
