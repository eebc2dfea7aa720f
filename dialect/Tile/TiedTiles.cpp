//===- TiedTiles.cpp - Loops that reduce several tiles as one ----*- C++ -*-===//
//
// A tuple is an element of each of the tiles that a loop ties together, at one place.
// Each iteration has tuples of its own, which begin as what the tiles are held with;
// when the loop ends, a region of the nest makes one tuple of two. What iterations do
// with theirs needs no rule: how they become one is written.
//
//===----------------------------------------------------------------------===//

#include "tilec/Tile/Reduction.h"

#include "tilec/Tile/Distribution.h"
#include "tilec/Tile/ScalarOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilec::tile;

static Type getElementType(Value tile) { return cast<MemRefType>(tile.getType()).getElementType(); }

//===----------------------------------------------------------------------===//
// The clause
//===----------------------------------------------------------------------===//

/// Rule F19.
static LogicalResult verifyTiles(ForOp loop) {
  auto first = cast<MemRefType>(loop.getTied().front().getType());
  llvm::SmallDenseSet<Value> seen;
  for (Value tile : loop.getTied()) {
    auto type = cast<MemRefType>(tile.getType());
    if (!type.hasStaticShape() || type.getShape() != first.getShape()) // for_f19
      return loop.emitOpError("ties tiles of types ") << first << " and " << type << " together; expected one static shape, each element of which is a tuple's place";
    if (!seen.insert(tile).second) // for_f19
      return loop.emitOpError("ties a tile to itself; each stands once in reduce");
  }
  return success();
}

LogicalResult tilec::tile::verifyTiedClause(ForOp loop) {
  size_t tiles = loop.getTied().size(), regions = loop.getCombiners().size();
  if (regions != (tiles == 0 ? 0 : 1) || (tiles != 0 && loop.getReduce())) // for_f18
    return loop.emitOpError("has ") << regions << " combine and " << tiles << " tiles in reduce" << (loop.getReduce() ? " beside a kind" : "")
                                    << "; expected one combine where tiles are named, and none elsewhere";
  if (tiles == 0)
    return success();
  if (failed(verifyTiles(loop)))
    return failure();
  Block &block = loop.getCombiner();
  if (block.getNumArguments() != 2 * tiles) // for_f18
    return loop.emitOpError("combine has ") << block.getNumArguments() << " arguments; expected " << 2 * tiles << ", two tuples of an element of each tile";
  for (BlockArgument argument : block.getArguments()) {
    Type expected = getElementType(loop.getTied()[argument.getArgNumber() % tiles]);
    if (argument.getType() != expected) // for_f18
      return loop.emitOpError("combine has argument #") << argument.getArgNumber() << " of type " << argument.getType() << "; expected " << expected
                                                        << ", as elements of its tile";
  }
  if (block.empty() || !isa<YieldOp>(block.back())) // for_f18
    return loop.emitOpError("combine does not end in tile.yield, which says what the tuple is that it makes");
  for (Operation &inner : block.without_terminator())
    if (failed(verifyScalar(&inner, /*inBody=*/true)))
      return failure();
  return success();
}

LogicalResult YieldOp::verify() {
  auto loop = cast<ForOp>((*this)->getParentOp());
  if ((*this)->getParentRegion() == &loop.getBody() || loop.getTied().empty()) // yield_y1
    return emitOpError("ends no combine; a loop's iterations give nothing");
  SmallVector<Type> expected = llvm::map_to_vector(loop.getTied(), getElementType);
  if (!llvm::equal(getValues().getTypes(), expected)) { // yield_y1
    InFlightDiagnostic diag = emitOpError("gives (") << getValues().getTypes() << "); expected (" << expected << "), an element of each tile";
    diag.attachNote(loop.getLoc()) << "the loop that ties them together";
    return diag;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Rules on the tiles
//===----------------------------------------------------------------------===//

/// What `combine` makes of two tuples of constants; none where that is not known.
static SmallVector<Attribute> fold(Block &combiner, ArrayRef<Attribute> both) {
  DenseMap<Value, Attribute> known;
  for (auto [argument, value] : llvm::zip_equal(combiner.getArguments(), both))
    known[argument] = value;
  for (Operation &inner : combiner.without_terminator()) {
    Attribute constant;
    if (matchPattern(&inner, m_Constant(&constant))) {
      known[inner.getResult(0)] = constant;
      continue;
    }
    SmallVector<Attribute> operands = llvm::map_to_vector(inner.getOperands(), [&](Value operand) { return known.lookup(operand); });
    Operation *copy = inner.clone(); // Folding may change it.
    SmallVector<OpFoldResult> results;
    if (succeeded(copy->fold(operands, results)))
      for (auto [value, result] : llvm::zip(inner.getResults(), results)) {
        auto number = dyn_cast<Attribute>(result);
        known[value] = number ? number : known.lookup(cast<Value>(result));
      }
    copy->destroy();
  }
  return llvm::map_to_vector(combiner.getTerminator()->getOperands(), [&](Value yielded) { return known.lookup(yielded); });
}

static bool isSame(Attribute a, Attribute b) {
  auto x = dyn_cast<FloatAttr>(a), y = dyn_cast<FloatAttr>(b);
  return a == b || (x && y && x.getValue().compare(y.getValue()) == APFloat::cmpEqual); // Zeros of both signs.
}

/// What threads without an iteration's worth of elements have changes nothing: not even itself.
static LogicalResult verifyNeutral(ForOp loop) {
  SmallVector<Attribute> both;
  for (int tuple = 0; tuple < 2; ++tuple)
    for (Value tile : loop.getTied())
      both.push_back(tile.getDefiningOp<HoldOp>().getInit());
  for (auto [tile, init, made] : llvm::zip(loop.getTied(), both, fold(loop.getCombiner(), both))) {
    if (!made || isSame(init, made))
      continue;
    InFlightDiagnostic diag = loop.emitOpError("combine makes ") << made << " of " << init << " and " << init // rule_r6
                                                                << "; what tiles are held with must change nothing";
    diag.attachNote(tile.getLoc()) << "the tile is held with it, and so begins each iteration";
    return diag;
  }
  return success();
}

LogicalResult tilec::tile::verifyTied(ForOp loop) {
  std::optional<Distribution> first;
  for (Value tile : loop.getTied()) {
    if (!tile.getDefiningOp<HoldOp>() || getLevel(tile.getType()) != Level::RF) { // rule_r4
      InFlightDiagnostic diag = loop.emitOpError("ties what is not held in rf, or is a part; only whole held tiles are combined when a loop ends");
      diag.attachNote(tile.getLoc()) << "it comes from here";
      return diag;
    }
    if (Type element = getElementType(tile); isa<Float8E4M3FNType, Float8E5M2Type>(element)) // kernel_c3
      return loop.emitOpError("ties a tile of ") << element << ", which only arith.extf takes (rule C3): no combine makes one of two";
    FailureOr<Distribution> distribution = getDistribution(tile);
    if (failed(distribution))
      return failure();
    if (first && !(*first == *distribution)) { // rule_r4
      InFlightDiagnostic diag = loop.emitOpError("ties tiles together that threads hold otherwise; all loops part them alike, so that a thread has whole tuples");
      diag.attachNote(loop.getTied().front().getLoc()) << "one of the tiles";
      diag.attachNote(tile.getLoc()) << "the other";
      return diag;
    }
    first = *distribution;
    for (const TileUse &use : getTileUses(tile))
      if (auto store = dyn_cast<StoreOp>(use.operand->getOwner()); store && loop->isAncestor(store)) { // rule_r5
        InFlightDiagnostic diag = store.emitOpError("stores a held tile inside of the loop that reduces it, where each unit has a part of the result only");
        diag.attachNote(loop.getLoc()) << "the result is complete after this loop";
        return diag;
      }
  }
  return verifyNeutral(loop);
}
