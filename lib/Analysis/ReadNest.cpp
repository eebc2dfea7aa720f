//===- ReadNest.cpp - A kernel read into its model ---------------*- C++ -*-===//
//
// Reads the nest once, in program order, so that a tile's source is known before
// the tile.
//
//===----------------------------------------------------------------------===//

#include "tilec/Analysis/CopyDecisions.h"
#include "tilec/Analysis/NestModel.h"
#include "tilec/Analysis/ScalarBody.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "tilec/Tile/Distributions.h"
#include "tilec/Tile/InstructionUse.h"
#include "tilec/Tile/Open.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace tilec::analysis;
using namespace tilec::tile;

namespace {

class Reader {
public:
  Reader(NestModel &model) : model(model) {}

  LogicalResult readBlock(Block &block, bool conditional) {
    for (Operation &op : block)
      if (failed(readOp(&op, conditional)))
        return failure();
    return success();
  }

private:
  LogicalResult readOp(Operation *op, bool conditional) {
    if (auto loop = dyn_cast<ForOp>(op))
      return readLoop(loop, conditional);
    if (auto stage = dyn_cast<StageOp>(op))
      return readStage(stage, conditional);
    if (auto hold = dyn_cast<HoldOp>(op))
      return addTile(hold, hold.getTile(), std::nullopt, std::nullopt, conditional);
    if (auto part = dyn_cast<PartOp>(op))
      return readPart(part);
    if (auto store = dyn_cast<StoreOp>(op))
      return readStore(store, conditional);
    if (auto compute = dyn_cast<linalg::LinalgOp>(op))
      return readCompute(compute, conditional);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        if (failed(readBlock(block, conditional || isa<scf::IfOp>(op))))
          return failure();
    return success();
  }

  /// The extent of induction variable `number` of `loop`: a number, or a sum that loops around it move, and the most that it is.
  LogicalResult readExtent(ForOp loop, unsigned number, LoopModel &entry) {
    OpFoldResult extent = loop.getExtent(number);
    if (std::optional<int64_t> value = getConstantIntValue(extent)) {
      entry.extent = std::max<int64_t>(*value, 0);
      return success();
    }
    FailureOr<Subscript> sum = convert(loop, getIndexSum(cast<Value>(extent)), "the extent of induction variable " + Twine(number));
    if (failed(sum))
      return failure();
    int64_t most = sum->constant;
    for (const Term &term : sum->terms) {
      const LoopModel &outer = model.loops[term.loop];
      int64_t last = std::max<int64_t>(outer.count() - 1, 0) * outer.step, reach;
      if (llvm::MulOverflow(std::max<int64_t>(term.factor, 0), last, reach) || llvm::AddOverflow(most, reach, most))
        most = std::numeric_limits<int64_t>::max();
    }
    constexpr int64_t kMostCounted = int64_t(1) << 48;
    if (most > kMostCounted) // limit_x35
      return loop.emitOpError("has more iterations than the analysis can count: an extent of up to ") << most << "; give smaller extents";
    entry.extent = std::max<int64_t>(most, 0);
    if (!sum->terms.empty())
      entry.bound = std::move(*sum);
    return success();
  }

  /// A number that quotients of `inductionVar` by divisors of its step are whole multiples of it by.
  static int64_t getScale(Value inductionVar) {
    int64_t scale = 1;
    for (Operation *user : inductionVar.getUsers())
      for (Value result : user->getResults())
        if (std::optional<ScaledVar> scaled = getScaledVar(result))
          scale = std::lcm(scale, scaled->divisor);
    return scale;
  }

  LogicalResult readLoop(ForOp loop, bool conditional) {
    bool inCluster = false;
    for (auto outer = loop->getParentOfType<ForOp>(); outer;
         outer = outer->getParentOfType<ForOp>())
      inCluster |= outer.getUnit() == Unit::Cluster;
    unsigned first = model.loops.size();
    for (unsigned i = 0; i < loop.getNumLoops(); ++i) {
      LoopModel entry;
      if (failed(readExtent(loop, i, entry)))
        return failure();
      entry.op = loop;
      entry.number = i;
      entry.scale = getScale(loop.getInductionVar(i));
      if (entry.scale > 1 && entry.bound) // limit_x34
        return loop.emitOpError("has an extent that loops around it move, and an induction variable that subscripts divide; the analysis needs one or the other");
      entry.extent = llvm::divideCeil(entry.extent, entry.scale);
      entry.step = loop.getSteps()[i] / entry.scale;
      entry.unit = loop.getUnit();
      if (inCluster && loop.getUnit() == Unit::Block)
        entry.clusterBlocks = std::max<int64_t>(entry.count(), 1);
      model.loops.push_back(std::move(entry));
      numbers[loop.getInductionVar(i)] = first + i;
      around.push_back(first + i);
    }
    if (failed(checkCount(loop, {})))
      return failure();
    LogicalResult result = readBlock(loop.getBody().front(), conditional);
    around.truncate(around.size() - loop.getNumLoops());
    return result;
  }

  /// What `op` does for each element of a box, in all iterations of the loops around it, is counted in 64 bits,
  /// some of it in bytes of whole warps.
  LogicalResult checkCount(Operation *op, ArrayRef<int64_t> shape) {
    constexpr uint64_t kMost = uint64_t(1) << 60;
    uint64_t count = 1;
    for (unsigned loop : around)
      count = llvm::SaturatingMultiply<uint64_t>(count, std::max<int64_t>(model.loops[loop].count(), 1));
    for (int64_t extent : shape)
      count = llvm::SaturatingMultiply<uint64_t>(count, std::max<int64_t>(extent, 1));
    if (count <= kMost)
      return success();
    return op->emitOpError("runs for more than 2^60 elements in all, which the analysis cannot count; give smaller extents"); // limit_x35
  }

  /// `what`: how `op` calls the sum.
  FailureOr<Subscript> convert(Operation *op, const LinearExpr &sum, const Twine &what = "a subscript") {
    Subscript subscript;
    subscript.constant = subscript.written = sum.constant;
    for (auto [value, factor] : sum.terms) {
      if (std::optional<ScaledVar> scaled = getScaledVar(value)) {
        unsigned loop = numbers.at(scaled->iv.loop.getInductionVar(scaled->iv.number));
        subscript.terms.push_back({loop, factor * (model.loops[loop].scale / scaled->divisor)});
        continue;
      }
      auto argument = dyn_cast<BlockArgument>(value);
      if (!argument || argument.getOwner()->getParentOp() != model.kernel) // limit_x34
        return op->emitOpError() << what << " is no sum of multiples of induction variables and sizes, nor of quotients of these by numbers; the analysis needs its value";
      int64_t product;
      if (llvm::MulOverflow(model.arguments[argument.getArgNumber()], factor, product) || llvm::AddOverflow(subscript.constant, product, subscript.constant))
        return op->emitOpError() << what << " does not fit 64 bits at these sizes"; // limit_x35
      subscript.sizes.emplace_back(argument.getArgNumber(), factor);
    }
    return subscript;
  }

  FailureOr<Subscript> convert(Operation *op, AffineExpr expr, ValueRange operands) {
    FailureOr<LinearExpr> sum = getLinearExpr(expr, operands);
    if (failed(sum))
      return op->emitOpError("a subscript is not a sum of multiples; the analysis needs one");
    return convert(op, *sum);
  }

  /// The place of `memref`, moved by `map` where there is one.
  FailureOr<Place> getPlace(Operation *op, Value memref, AffineMap map, ValueRange operands, std::optional<Gather> gather = {}) {
    Access access = traceParts(memref);
    Place place;
    if (gather)
      place.gather = GatheredDim{gather->dim, cast<BlockArgument>(gather->indices).getArgNumber()};
    if (auto argument = dyn_cast<BlockArgument>(access.root)) {
      place.isOperand = true;
      place.root = argument.getArgNumber();
    } else if (auto known = tiles.find(access.root); known != tiles.end()) {
      place.root = known->second;
    } else {
      return op->emitOpError("uses a memref that is neither an operand nor a staged or held tile");
    }
    for (const LinearExpr &sum : access.subscripts) {
      FailureOr<Subscript> subscript = convert(op, sum);
      if (failed(subscript))
        return failure();
      place.at.push_back(*subscript);
    }
    if (map)
      for (auto [subscript, expr] : llvm::zip_equal(place.at, map.getResults())) {
        FailureOr<Subscript> moved = convert(op, expr, operands);
        if (failed(moved))
          return failure();
        subscript.add(*moved);
      }
    return place;
  }

  static FailureOr<int64_t> getElementBytes(Operation *op, MemRefType type) {
    Type element = type.getElementType();
    if (!element.isIntOrFloat() || element.getIntOrFloatBitWidth() % 8 != 0)
      return op->emitOpError("element type ")
             << element << " does not take whole bytes; the analysis counts bytes";
    return element.getIntOrFloatBitWidth() / 8;
  }

  /// Tiles are staged ahead by the loop that stages them only.
  static int64_t getDepth(Operation *op) {
    auto loop = dyn_cast<ForOp>(op->getParentOp());
    return isa<StageOp>(op) && loop && loop.getUnit() == Unit::Time ? loop.getPipeline().value_or(1)
                                                                    : 1;
  }

  int64_t getLanes(Value tile) {
    bool isWhole = true;
    for (const TileUse &use : getTileUses(tile)) {
      if (std::optional<InstructionUse> instruction = getInstructionUse(use.operand->getOwner()))
        return getUnitThreads(instruction->unit);
      isWhole &= use.operand->get() == tile;
    }
    // What is only used as a whole is spread as others that are used beside it, element by element.
    FailureOr<Distribution> spread = isWhole ? distributions.get(tile) : FailureOr<Distribution>(failure());
    return succeeded(spread) ? spread->getHolders() : 1;
  }

  LogicalResult addTile(Operation *op, Value value, std::optional<Place> source,
                        std::optional<Pad> pad, bool conditional) {
    auto type = cast<MemRefType>(value.getType());
    FailureOr<int64_t> bytes = getElementBytes(op, type);
    if (failed(bytes))
      return failure();
    TileModel tile;
    tile.op = op;
    tile.level = *getLevel(type);
    tile.shape.assign(type.getShape().begin(), type.getShape().end());
    tile.elementBytes = *bytes;
    if (FailureOr<tilec::layout::ComposedLayout> layout = getStaticLayout(type); succeeded(layout))
      tile.layout = *layout;
    FailureOr<int64_t> cosize = getCosize(type);
    tile.cosize = succeeded(cosize) ? *cosize : type.getNumElements();
    tile.depth = getDepth(op);
    if (tile.level == Level::RF)
      tile.lanes = getLanes(value);
    tile.loops = around;
    tile.source = std::move(source);
    tile.pad = pad;
    tile.conditional = conditional;
    if (auto stage = dyn_cast<StageOp>(op)) {
      tile.boxed = stage.getCopy() == Copy::Tma;
      tile.passes = value.hasOneUse() && getReaderThatLoads(stage);
    }
    if (tile.level == Level::SMEM)
      for (unsigned loop : around)
        if (model.loops[loop].onThreads()) // limit_x19
          return op->emitOpError(isa<StageOp>(op) ? "stages" : "holds")
                 << " a tile of shared memory, which belongs to the block, inside of a loop on "
                 << stringifyUnit(model.loops[loop].unit);
    if (failed(checkCount(op, tile.shape)))
      return failure();
    tiles[value] = model.tiles.size();
    model.tiles.push_back(std::move(tile));
    return success();
  }

  LogicalResult readStage(StageOp stage, bool conditional) {
    FailureOr<Place> source =
        getPlace(stage, stage.getSource(), stage.getMap(), stage.getOperands_(), getGather(stage));
    if (failed(source))
      return failure();
    return addTile(stage, stage.getTile(), *source, stage.getPad(), conditional);
  }

  LogicalResult readPart(PartOp part) {
    if (part.getPart().use_empty())
      return success();
    FailureOr<Place> place = getPlace(part, part.getPart(), AffineMap(), {});
    if (failed(place))
      return failure();
    auto type = cast<MemRefType>(part.getPart().getType());
    model.parts.push_back({part, *place, {type.getShape().begin(), type.getShape().end()}});
    return success();
  }

  LogicalResult readStore(StoreOp op, bool conditional) {
    FailureOr<Place> from = getPlace(op, op.getTile(), AffineMap(), {});
    FailureOr<Place> to = getPlace(op, op.getDest(), op.getMap(), op.getOperands_(), getGather(op));
    auto type = cast<MemRefType>(op.getTile().getType());
    FailureOr<int64_t> bytes = getElementBytes(op, type);
    if (failed(from) || failed(to) || failed(bytes))
      return failure();
    StoreModel store;
    store.op = op;
    store.from = *from;
    store.to = *to;
    store.shape.assign(type.getShape().begin(), type.getShape().end());
    store.elementBytes = *bytes;
    store.loops = around;
    store.combines = op.getCombine().has_value();
    store.conditional = conditional;
    if (failed(checkCount(op, store.shape)))
      return failure();
    model.stores.push_back(std::move(store));
    return success();
  }

  FailureOr<ComputeOperand> readOperand(linalg::LinalgOp op, OpOperand &operand) {
    auto type = cast<MemRefType>(operand.get().getType());
    FailureOr<Place> place = getPlace(op, operand.get(), AffineMap(), {});
    FailureOr<int64_t> bytes = getElementBytes(op, type);
    if (failed(place) || failed(bytes))
      return failure();
    ComputeOperand result;
    result.place = *place;
    result.elementBytes = *bytes;
    result.shape.assign(type.getShape().begin(), type.getShape().end());
    AffineMap map = op.getMatchingIndexingMap(&operand);
    for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
      auto &factors = result.dims.emplace_back();
      SmallVector<AffineExpr> flat = {expr};
      while (!flat.empty()) {
        AffineExpr piece = flat.pop_back_val();
        auto binary = dyn_cast<AffineBinaryOpExpr>(piece);
        if (binary && piece.getKind() == AffineExprKind::Add) {
          flat.push_back(binary.getLHS());
          flat.push_back(binary.getRHS());
        } else if (auto position = dyn_cast<AffineDimExpr>(piece)) {
          factors.emplace_back(position.getPosition(), 1);
        } else if (auto constant = dyn_cast<AffineConstantExpr>(piece)) {
          result.place.at[dim].constant += constant.getValue();
          result.place.at[dim].written += constant.getValue();
        } else if (binary && piece.getKind() == AffineExprKind::Mul &&
                   isa<AffineDimExpr>(binary.getLHS()) &&
                   isa<AffineConstantExpr>(binary.getRHS())) {
          factors.emplace_back(cast<AffineDimExpr>(binary.getLHS()).getPosition(),
                               cast<AffineConstantExpr>(binary.getRHS()).getValue());
        } else {
          return op.emitOpError("indexing map ") // limit_x29
                 << AffineMapAttr::get(map) << " is not a sum of multiples; the analysis needs one";
        }
      }
    }
    return result;
  }

  LogicalResult readCompute(linalg::LinalgOp op, bool conditional) {
    ComputeModel compute;
    compute.op = op;
    compute.loops = around;
    compute.conditional = conditional;
    compute.byUnit = getInstructionUse(op).has_value();
    compute.spread = distributions.getSpreadOf(op);
    for (int64_t extent : op.getStaticLoopRanges())
      compute.extents.push_back(extent);
    if (llvm::is_contained(compute.extents, ShapedType::kDynamic)) // limit_x29
      return op.emitOpError(
          "computes on memrefs of dynamic shape; the analysis needs tiles of static shape");
    for (utils::IteratorType iterator : op.getIteratorTypesArray())
      compute.reduction.push_back(iterator == utils::IteratorType::reduction);
    ScalarBody body(op);
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isa<MemRefType>(operand.get().getType()))
        continue;
      FailureOr<ComputeOperand> read = readOperand(op, operand);
      if (failed(read))
        return failure();
      read->isRead = body.isLoaded(operand);
      (op.isDpsInit(&operand) ? compute.outputs : compute.inputs).push_back(*read);
      if (!compute.elementType || op.isDpsInput(&operand))
        compute.elementType = getElementTypeOrSelf(operand.get().getType());
    }
    if (std::optional<InstructionUse> instruction = getInstructionUse(op))
      compute.elementType = instruction->aType;
    if (failed(checkCount(op, compute.extents)))
      return failure();
    model.computes.push_back(std::move(compute));
    return success();
  }

  NestModel &model;
  Distributions distributions;
  DenseMap<Value, unsigned> numbers;
  DenseMap<Value, unsigned> tiles;
  SmallVector<unsigned> around;
};

} // namespace

static void findReadTiles(NestModel &model) {
  SmallVector<bool> always(model.tiles.size(), false);
  auto read = [&](const Place &place, bool conditional) {
    if (place.isOperand)
      return;
    model.tiles[place.root].isRead = true;
    always[place.root] |= !conditional;
  };
  for (const StoreModel &store : model.stores)
    read(store.from, store.conditional);
  for (const ComputeModel &compute : model.computes)
    for (const auto *operands : {&compute.inputs, &compute.outputs})
      for (const ComputeOperand &operand : *operands)
        if (operand.isRead)
          read(operand.place, compute.conditional);
  // A tile comes after what it is copied from.
  for (size_t number = model.tiles.size(); number-- > 0;) {
    TileModel &tile = model.tiles[number];
    // Where all who read it may do without, so may its copy.
    tile.conditional |= tile.level == Level::RF && !always[number];
    if (tile.isCopied())
      read(*tile.source, tile.conditional);
  }
}

FailureOr<NestModel> NestModel::get(KernelOp kernel, ArrayRef<int64_t> arguments) {
  if (failed(tile::refuseOpen(kernel)))
    return failure();
  NestModel model;
  model.kernel = kernel;
  model.arguments.assign(arguments.begin(), arguments.end());
  for (BlockArgument argument : kernel.getBody().getArguments())
    if (argument.getType().isIndex() &&
        (argument.getArgNumber() >= arguments.size() || arguments[argument.getArgNumber()] < 0))
      return kernel.emitOpError("the analysis needs a value for size ") << nameOf(argument);
  if (failed(Reader(model).readBlock(kernel.getBody().front(), /*conditional=*/false)))
    return failure();
  findReadTiles(model);
  return model;
}
