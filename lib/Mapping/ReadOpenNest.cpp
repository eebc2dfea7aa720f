//===- ReadOpenNest.cpp - What a nest with open sizes means -----*- C++ -*-===//
//
// Each computation of the nest works on tiles whose places its loops move. Where the place of each operand is what its map
// makes of the same sums of induction variables, and where these walk all of each dimension, the loops and tiles only say
// how, and the nest means the computation over whole operands.
//
//===----------------------------------------------------------------------===//

#include "tilec/Mapping/OpenNest.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "tilec/Tile/Access.h"
#include "tilec/Tile/Open.h"
#include "tilec/Tile/Reduction.h"

#include <array>

using namespace mlir;
using namespace tilec;
using namespace tilec::mapping;
using tile::ForOp;
using tile::HoldOp;
using tile::KernelOp;
using tile::LinearExpr;
using tile::StageOp;
using tile::StoreOp;

namespace {

/// How much of a dimension there is at some place in the nest: the whole of it, or what a loop leaves.
struct Left {
  OpFoldResult whole;
  ForOp loop;
  unsigned number = 0;
};

} // namespace

namespace tilec::mapping {

class OpenNestReader {
public:
  OpenNestReader(OpenNest &nest, KernelOp kernel) : nest(nest), kernel(kernel) {}

  LogicalResult run();

private:
  LogicalResult readStores();
  LogicalResult readOp(linalg::LinalgOp op);
  LogicalResult findPlaces(linalg::LinalgOp op, SmallVectorImpl<LinearExpr> &places);
  LogicalResult checkPlace(OpOperand &operand, AffineMap map, ArrayRef<LinearExpr> places);
  LogicalResult readMoves(WrittenOp &written, ArrayRef<LinearExpr> places);
  LogicalResult checkHeld();
  LogicalResult checkOrder();
  LogicalResult checkLoops(const WrittenOp &written);
  LogicalResult checkTiles(unsigned number);
  LogicalResult checkTile(Operation *def, MemRefType type, AffineMap map, const WrittenOp &written);
  /// What the loops around `op` leave of dimension `dim`.
  Left getLeft(Operation *op, const WrittenOp &written, unsigned dim) const;
  /// The place of an operand as far as it is known, in an operand of the kernel.
  std::optional<SmallVector<LinearExpr>> getPlace(Value memref) const;

  OpenNest &nest;
  KernelOp kernel;
  /// Where held tiles lie in what they are stored to, or in an array of the plain kernel.
  DenseMap<Value, SmallVector<LinearExpr>> origins;
  /// The tiles of operands that computations write, by operand.
  DenseMap<Value, Value> writtenThrough;
};

} // namespace tilec::mapping

static LinearExpr subtract(LinearExpr from, const LinearExpr &what) {
  for (auto [value, factor] : what.terms)
    from.add(value, -factor);
  from.constant -= what.constant;
  return from;
}

static bool isZero(const LinearExpr &sum) { return sum.terms.empty() && sum.constant == 0; }

/// `map`'s subscript `expr` of the sums `places`.
static LinearExpr apply(AffineExpr expr, ArrayRef<LinearExpr> places) {
  LinearExpr sum;
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return places[dim.getPosition()];
  if (auto number = dyn_cast<AffineConstantExpr>(expr)) {
    sum.constant = number.getValue();
    return sum;
  }
  auto binary = cast<AffineBinaryOpExpr>(expr);
  LinearExpr lhs = apply(binary.getLHS(), places), rhs = apply(binary.getRHS(), places);
  if (expr.getKind() == AffineExprKind::Add) {
    lhs.add(rhs);
    return lhs;
  }
  // A multiple, whose factor stands on the right.
  for (auto [value, factor] : lhs.terms)
    sum.add(value, factor * rhs.constant);
  sum.constant = lhs.constant * rhs.constant;
  return sum;
}

static bool isSumOfMultiples(AffineExpr expr) {
  bool sum = true;
  expr.walk([&](AffineExpr part) {
    bool divides = part.getKind() == AffineExprKind::Mod || part.getKind() == AffineExprKind::FloorDiv || part.getKind() == AffineExprKind::CeilDiv;
    sum &= !divides && (part.getKind() != AffineExprKind::Mul || isa<AffineConstantExpr>(cast<AffineBinaryOpExpr>(part).getRHS()));
  });
  return sum;
}

static std::pair<ForOp, unsigned> getLoop(Value inductionVar) {
  auto argument = cast<BlockArgument>(inductionVar);
  return {cast<ForOp>(argument.getOwner()->getParentOp()), argument.getArgNumber()};
}

static bool isInductionVar(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  return argument && isa<ForOp>(argument.getOwner()->getParentOp());
}

static OpFoldResult toNumber(MLIRContext *context, int64_t number) { return IntegerAttr::get(IndexType::get(context), number); }

static std::string toText(OpFoldResult extent) {
  if (auto number = dyn_cast<Attribute>(extent))
    return std::to_string(cast<IntegerAttr>(number).getInt());
  auto name = dyn_cast<NameLoc>(cast<Value>(extent).getLoc());
  return name ? name.getName().str() : "a size";
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

std::optional<SmallVector<LinearExpr>> OpenNestReader::getPlace(Value memref) const {
  tile::Access access = tile::traceToOperand(memref);
  if (!access.root.getDefiningOp())
    return access.subscripts;
  auto origin = origins.find(access.root);
  if (origin == origins.end())
    return std::nullopt;
  for (auto [sum, begin] : llvm::zip_equal(access.subscripts, origin->second))
    sum.add(begin);
  return access.subscripts;
}

/// What stores put where: a held tile is what it is stored to, a staged one that is stored back is what it was staged from.
LogicalResult OpenNestReader::readStores() {
  WalkResult result = kernel.walk([&](StoreOp store) -> WalkResult {
    tile::Access from = tile::traceParts(store.getTile()), to = tile::getDestAccess(store);
    if (isa<StageOp>(from.root.getDefiningOp())) {
      tile::Access back = tile::traceToOperand(store.getTile());
      bool same = back.root == to.root && llvm::all_of(llvm::zip_equal(back.subscripts, to.subscripts), [](auto pair) {
        return isZero(subtract(std::get<0>(pair), std::get<1>(pair)));
      });
      if (!same) // limit_x41
        return store.emitOpError("copies a staged tile to another place, in a nest with open sizes; store what a computation made, a held tile");
      return WalkResult::advance();
    }
    if (from.root == store.getTile() && nest.stored.insert({from.root, to.root}).second) {
      origins[from.root] = to.subscripts;
      auto argument = cast<BlockArgument>(to.root);
      for (unsigned dim = 0; dim < to.subscripts.size(); ++dim)
        nest.arrays[from.root].push_back(kernel.getOperandExtent(argument.getArgNumber(), dim));
      return WalkResult::advance();
    }
    return store.emitOpError("stores a held tile in parts or to a second place, in a nest with open sizes; store it once, as a whole"); // limit_x41
  });
  if (result.wasInterrupted())
    return failure();
  // What is stored over an operand is the operand from the beginning: nobody else looks at it.
  for (auto [held, operand] : nest.stored) {
    Value tile = held, whole = operand;
    WalkResult used = kernel.walk([&](Operation *op) -> WalkResult {
      if (!isa<linalg::LinalgOp, StoreOp>(op))
        return WalkResult::advance();
      for (Value memref : op->getOperands())
        if (isa<MemRefType>(memref.getType()) && tile::traceToOperand(memref).root == whole && !(isa<StoreOp>(op) && tile::traceParts(op->getOperand(0)).root == tile))
          return op->emitOpError("uses an operand that a held tile is stored to, in a nest with open sizes; stage it and compute on the staged tile, or write to another operand"); // limit_x41
      return WalkResult::advance();
    });
    if (used.wasInterrupted())
      return failure();
  }
  return success();
}

/// The sums of induction variables that dimensions of `op` begin at.
LogicalResult OpenNestReader::findPlaces(linalg::LinalgOp op, SmallVectorImpl<LinearExpr> &places) {
  SmallVector<bool> known(op.getNumLoops(), false);
  places.resize(op.getNumLoops());
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    std::optional<SmallVector<LinearExpr>> place = getPlace(operand.get());
    if (!place)
      continue;
    for (auto [expr, sum] : llvm::zip_equal(op.getMatchingIndexingMap(&operand).getResults(), *place))
      if (auto dim = dyn_cast<AffineDimExpr>(expr); dim && !known[dim.getPosition()]) {
        places[dim.getPosition()] = sum;
        known[dim.getPosition()] = true;
      }
  }
  for (auto [dim, is] : llvm::enumerate(known))
    if (!is) // limit_x41
      return op.emitError("is in a nest with open sizes, and no operand of the kernel says where its d") << dim << " begins";
  return success();
}

LogicalResult OpenNestReader::checkPlace(OpOperand &operand, AffineMap map, ArrayRef<LinearExpr> places) {
  Operation *op = operand.getOwner();
  for (AffineExpr expr : map.getResults())
    if (!isSumOfMultiples(expr)) // limit_x41
      return op->emitError("operand #") << operand.getOperandNumber() << " has a map in a nest with open sizes that is no sum of multiples of dimensions";
  SmallVector<LinearExpr> expected = llvm::map_to_vector(map.getResults(), [&](AffineExpr expr) { return apply(expr, places); });
  std::optional<SmallVector<LinearExpr>> place = getPlace(operand.get());
  if (!place) {
    tile::Access access = tile::traceToOperand(operand.get());
    SmallVector<LinearExpr> &origin = origins[access.root];
    for (auto [sum, inside] : llvm::zip_equal(expected, access.subscripts))
      origin.push_back(subtract(sum, inside));
    return success();
  }
  for (auto [dim, pair] : llvm::enumerate(llvm::zip_equal(*place, expected)))
    if (!isZero(subtract(std::get<0>(pair), std::get<1>(pair)))) // limit_x41
      return op->emitError("operand #") << operand.getOperandNumber() << " does not begin along dimension " << dim
                                        << " where its map and the other operands say, in a nest with open sizes: its loops must walk the computation over whole operands";
  return success();
}

/// The induction variables of each place, each of which moves one dimension by one.
LogicalResult OpenNestReader::readMoves(WrittenOp &written, ArrayRef<LinearExpr> places) {
  linalg::LinalgOp op = written.op;
  written.moves.resize(places.size());
  llvm::SmallDenseSet<Value> used;
  for (auto [sum, moves] : llvm::zip_equal(places, written.moves)) {
    for (auto [value, factor] : sum.terms) {
      if (!isInductionVar(value) || factor != 1 || !used.insert(value).second) // limit_x41
        return op.emitError("begins, in a nest with open sizes, at places that are no sums of induction variables, each of which moves one dimension");
      moves.push_back(value);
    }
    if (sum.constant != 0) // limit_x41
      return op.emitError("begins ") << sum.constant << " elements from where its loops are, in a nest with open sizes, which walks whole operands";
    // Outer loops are ancestors of inner ones.
    llvm::sort(moves, [](Value a, Value b) { return getLoop(a).first->isProperAncestor(getLoop(b).first); });
  }
  for (auto loop = op->getParentOfType<ForOp>(); loop; loop = loop->getParentOfType<ForOp>())
    for (Value variable : loop.getBody().getArguments())
      if (!used.contains(variable)) // limit_x41
        return op.emitError("stands in a loop over ") << toText(variable) << " that moves none of its operands, in a nest with open sizes";
  return success();
}

//===----------------------------------------------------------------------===//
// Loops and tiles
//===----------------------------------------------------------------------===//

Left OpenNestReader::getLeft(Operation *op, const WrittenOp &written, unsigned dim) const {
  Left left{written.extents[dim], {}, 0};
  for (Value variable : written.moves[dim])
    if (auto [loop, number] = getLoop(variable); loop->isProperAncestor(op))
      left = {{}, loop, number};
  return left;
}

static int64_t getStep(const Left &left) { return ForOp(left.loop).getSteps()[left.number]; }

static void setNumber(ForOp loop, unsigned number, int64_t value, bool step) {
  SmallVector<int64_t> numbers(step ? loop.getSteps() : loop.getStaticExtents());
  numbers[number] = value;
  if (step)
    loop.setSteps(numbers);
  else
    loop.setStaticExtents(numbers);
}

/// Each loop walks what the one around it over the same dimension leaves.
LogicalResult OpenNestReader::checkLoops(const WrittenOp &written) {
  for (auto [dim, moves] : llvm::enumerate(written.moves)) {
    Left left{written.extents[dim], {}, 0};
    for (Value variable : moves) {
      auto [loop, number] = getLoop(variable);
      OpFoldResult extent = loop.getExtent(number);
      bool open = loop.getStaticExtents()[number] == tile::kOpenExtent;
      std::string expected = left.whole ? toText(left.whole) : std::to_string(getStep(left));
      if (left.whole) {
        if (open) // rule_o3
          return loop.emitOpError("leaves the extent of ") << toText(variable) << " open, but no loop around leaves a tile of that dimension; it is " << expected;
        if (extent != left.whole) // limit_x41
          return loop.emitOpError("walks ") << toText(extent) << " by " << toText(variable) << ", but the dimension that it moves has " << expected;
      } else if (getStep(left) == tile::kOpenStep) {
        if (isa<Value>(extent)) // limit_x41
          return loop.emitOpError("walks ") << toText(extent) << " by " << toText(variable) << ", but the loop around leaves a tile of the dimension that it moves";
        if (!open)
          setNumber(left.loop, left.number, loop.getStaticExtents()[number], /*step=*/true);
      } else if (open) {
        setNumber(loop, number, getStep(left), /*step=*/false);
      } else if (extent != toNumber(loop.getContext(), getStep(left))) { // limit_x41
        InFlightDiagnostic diag = loop.emitOpError("walks ") << toText(extent) << " by " << toText(variable) << ", but the loop around leaves " << expected << ", in a nest with open sizes";
        diag.attachNote(left.loop.getLoc()) << "the loop around";
        return diag;
      }
      left = {{}, loop, number};
    }
  }
  return success();
}

LogicalResult OpenNestReader::checkTile(Operation *def, MemRefType type, AffineMap map, const WrittenOp &written) {
  for (auto [position, expr] : llvm::enumerate(map.getResults())) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim || type.isDynamicDim(position))
      continue;
    Left left = getLeft(def, written, dim.getPosition());
    int64_t extent = type.getDimSize(position);
    if (left.loop && getStep(left) == tile::kOpenStep)
      setNumber(left.loop, left.number, extent, /*step=*/true);
    OpFoldResult expected = left.loop ? toNumber(def->getContext(), getStep(left)) : left.whole;
    if (expected != toNumber(def->getContext(), extent)) // limit_x41
      return def->emitError("takes ") << extent << " elements along dimension " << position << ", but the loops around leave " << toText(expected) << ", in a nest with open sizes";
  }
  return success();
}

/// The tiles between the operands of computation `number` and those of the kernel.
LogicalResult OpenNestReader::checkTiles(unsigned number) {
  const WrittenOp &written = nest.ops[number];
  linalg::LinalgOp op = written.op;
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    Value tile = operand.get();
    while (Operation *def = tile.getDefiningOp()) {
      if (failed(checkTile(def, cast<MemRefType>(tile.getType()), map, written)))
        return failure();
      nest.tiles.push_back({tile, map, number});
      auto stage = dyn_cast<StageOp>(def);
      if (stage && stage.getPad()) // limit_x41
        return stage.emitOpError("pads a tile, in a nest with open sizes; a kernel without loops has no elements beyond its operands");
      if (isa<HoldOp>(def) && tile::getLevel(tile.getType()) != tile::Level::RF) // limit_x41
        return def->emitOpError("holds a tile in smem, in a nest with open sizes; what the computations hand on is held in rf there");
      if (isa<HoldOp>(def))
        break;
      tile = def->getOperand(0);
    }
    // What is written to a copy is stored back, and nobody reads what it was copied from.
    Value root = tile::traceParts(operand.get()).root;
    if (!op.isDpsInit(&operand))
      continue;
    auto stage = root.getDefiningOp<StageOp>();
    bool back = !stage || llvm::any_of(stage.getTile().getUsers(), [](Operation *user) { return isa<StoreOp>(user); });
    if (!back) // limit_x41
      return op.emitError("writes a staged tile that is not stored back, in a nest with open sizes; compute on a held tile");
    if (Value whole = tile::traceToOperand(operand.get()).root; !whole.getDefiningOp())
      writtenThrough.insert({whole, root});
  }
  return success();
}

/// The operand or held tile that `memref` is part or copy of.
static Value getArray(Value memref) { return isa<MemRefType>(memref.getType()) ? tile::traceToOperand(memref).root : Value(); }

static bool usesArray(linalg::LinalgOp op, Value array) {
  return llvm::any_of(op->getOperands(), [&](Value operand) { return getArray(operand) == array; });
}

/// Over whole operands one computation is done before the next one begins: what two of them use and one writes is moved by each loop around both.
LogicalResult OpenNestReader::checkOrder() {
  for (const WrittenOp &writer : nest.ops)
    for (const WrittenOp &other : nest.ops) {
      linalg::LinalgOp op = writer.op, user = other.op;
      if (op == user)
        continue;
      for (Value result : op.getDpsInits()) {
        if (!usesArray(user, getArray(result)))
          continue;
        SmallVector<LinearExpr> place = *getPlace(result);
        for (auto loop = op->getParentOfType<ForOp>(); loop; loop = loop->getParentOfType<ForOp>())
          for (Value variable : loop.getBody().getArguments()) {
            bool moves = llvm::any_of(place, [&](const LinearExpr &sum) { return sum.factorOf(variable) != 0; });
            if (moves || !loop->isProperAncestor(user))
              continue;
            InFlightDiagnostic diag = user.emitError("uses, in a nest with open sizes, what another computation has done for some of ") << toText(variable) << " only"; // limit_x41
            diag.attachNote(op.getLoc()) << "the other computation";
            return diag;
          }
      }
    }
  return success();
}

/// A held tile is made, and stored, once for each of its places.
LogicalResult OpenNestReader::checkHeld() {
  WalkResult result = kernel.walk([&](Operation *op) -> WalkResult {
    ArrayRef<LinearExpr> place;
    SmallVector<LinearExpr> dest;
    if (isa<HoldOp>(op)) {
      auto origin = origins.find(op->getResult(0));
      if (origin == origins.end())
        return WalkResult::advance();
      place = origin->second;
    } else if (auto store = dyn_cast<StoreOp>(op)) {
      dest = tile::getDestAccess(store).subscripts;
      place = dest;
    } else {
      return WalkResult::advance();
    }
    unsigned moved = 0, around = 0;
    for (const LinearExpr &sum : place)
      for (auto [value, factor] : sum.terms)
        moved += isInductionVar(value) && getLoop(value).first->isProperAncestor(op) ? 1 : 1000;
    for (auto loop = op->getParentOfType<ForOp>(); loop; loop = loop->getParentOfType<ForOp>())
      around += loop.getNumLoops();
    if (moved != around) // limit_x41
      return op->emitOpError("stands, in a nest with open sizes, in other loops than those that move its place: there it is done again and again, or not for each");
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

/// The extents of an operation's dimensions, by those of operands and held tiles.
static LogicalResult readExtents(WrittenOp &written, KernelOp kernel, DenseMap<Value, SmallVector<OpFoldResult>> &arrays) {
  linalg::LinalgOp op = written.op;
  written.extents.resize(op.getNumLoops());
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    Value root = tile::traceToOperand(operand.get()).root;
    for (auto [position, expr] : llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults())) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      if (!dim || written.extents[dim.getPosition()])
        continue;
      if (auto argument = dyn_cast<BlockArgument>(root))
        written.extents[dim.getPosition()] = kernel.getOperandExtent(argument.getArgNumber(), position);
      else if (auto known = arrays.find(root); known != arrays.end())
        written.extents[dim.getPosition()] = known->second[position];
    }
  }
  for (OpOperand &operand : op->getOpOperands()) {
    Value root = isa<MemRefType>(operand.get().getType()) ? tile::traceToOperand(operand.get()).root : Value();
    if (!root || !root.getDefiningOp() || arrays.count(root))
      continue;
    SmallVector<OpFoldResult> &extents = arrays[root];
    for (AffineExpr expr : op.getMatchingIndexingMap(&operand).getResults()) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      if (!dim || !written.extents[dim.getPosition()]) // limit_x41
        return op.emitError("computes a held tile, in a nest with open sizes, whose extents no operand says");
      extents.push_back(written.extents[dim.getPosition()]);
    }
  }
  for (auto [dim, extent] : llvm::enumerate(written.extents))
    if (!extent) // limit_x41
      return op.emitError("has, in a nest with open sizes, no operand that says how far d") << dim << " goes";
  return success();
}

/// Loops over several dimensions that are reduced walk their points in another order than the op, which then must not matter.
static LogicalResult checkWalk(const WrittenOp &written) {
  linalg::LinalgOp op = written.op;
  bool walked = false;
  for (auto [iterator, moves] : llvm::zip_equal(op.getIteratorTypesArray(), written.moves))
    walked |= iterator == utils::IteratorType::reduction && !moves.empty();
  if (!walked || op.getNumReductionLoops() < 2)
    return success();
  for (OpOperand &init : op.getDpsInitsMutable())
    if (!tile::getUpdateKind(op, init)) // limit_x41
      return op.emitError("reduces several dimensions by what is no sum, product, maximum or minimum, in a nest with open sizes, whose loops walk them in another order");
  return success();
}

LogicalResult OpenNestReader::readOp(linalg::LinalgOp op) {
  if (op.hasIndexSemantics()) // limit_x41
    return op.emitError("computes with the numbers of its points (linalg.index) in a nest with open sizes, on which they depend");
  WrittenOp &written = nest.ops.emplace_back();
  written.op = op;
  SmallVector<LinearExpr> places;
  if (failed(findPlaces(op, places)))
    return failure();
  for (OpOperand &operand : op->getOpOperands())
    if (isa<MemRefType>(operand.get().getType()) && failed(checkPlace(operand, op.getMatchingIndexingMap(&operand), places)))
      return failure();
  if (failed(readMoves(written, places)) || failed(checkWalk(written)) || failed(readExtents(written, kernel, nest.arrays)) || failed(checkLoops(written)))
    return failure();
  return checkTiles(nest.ops.size() - 1);
}

LogicalResult OpenNestReader::run() {
  if (failed(readStores()))
    return failure();
  WalkResult result = kernel.walk<WalkOrder::PreOrder>([&](Operation *op) -> WalkResult {
    if (auto compute = dyn_cast<linalg::LinalgOp>(op))
      return failed(readOp(compute)) ? WalkResult::interrupt() : WalkResult::skip();
    if (isa<KernelOp>(op) || isa<tile::TileDialect>(op->getDialect()))
      return WalkResult::advance();
    if (op->getParentOp() != kernel && llvm::any_of(op->getOperands(), isInductionVar)) // limit_x41
      return op->emitError("computes with an induction variable in a nest with open sizes, on which its values depend");
    return WalkResult::advance();
  });
  if (result.wasInterrupted() || failed(checkHeld()))
    return failure();
  if (nest.ops.empty()) // limit_x41
    return kernel.emitOpError("leaves sizes open, but has no computation (a linalg op) to choose them for");
  for (auto [held, operand] : nest.stored)
    if (llvm::none_of(nest.ops, [&](const WrittenOp &written) { return usesArray(written.op, held); })) // limit_x41
      return held.getDefiningOp()->emitOpError("is stored as it was made, in a nest with open sizes; fill the operand with linalg.fill");
  if (failed(checkOrder()))
    return failure();
  // Steps that later ops have told may leave extents open that they tell.
  for (unsigned number = 0; number < nest.ops.size(); ++number) {
    if (failed(checkLoops(nest.ops[number])))
      return failure();
    for (Value read : nest.ops[number].op->getOperands()) {
      Value whole = isa<MemRefType>(read.getType()) ? tile::traceToOperand(read).root : Value();
      auto through = writtenThrough.find(whole);
      if (whole && through != writtenThrough.end() && tile::traceParts(read).root != through->second) // limit_x41
        return nest.ops[number].op.emitError("uses an operand in two ways that the nest writes, in a nest with open sizes: as it was and as it becomes");
    }
  }
  return success();
}

FailureOr<OpenNest> OpenNest::get(KernelOp kernel) {
  OpenNest nest;
  nest.written = ModuleOp::create(kernel.getLoc());
  OpBuilder builder(kernel.getContext());
  builder.setInsertionPointToStart(nest.written->getBody());
  builder.clone(*kernel);
  if (failed(OpenNestReader(nest, nest.getKernel()).run()))
    return failure();
  return FailureOr<OpenNest>(std::move(nest));
}
