//===- KernelLowering.h - From a nest to one thread's program ----*- C++ -*-===//
//
// The state of lowering one tile.kernel, and the steps by subject. Each step is
// decided by loops, indexing maps and types; none by an op's or a kernel's name.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_CONVERSION_KERNELLOWERING_H
#define TILEC_CONVERSION_KERNELLOWERING_H

#include "GridMath.h"
#include "IndexExpr.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "tilec/Analysis/ClusterPlan.h"
#include "tilec/Analysis/CopyPlan.h"
#include "tilec/Analysis/SharedPlan.h"
#include "tilec/Kernel/Kernel.h"
#include "tilec/Tile/Distribution.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include <map>

namespace tilec {

/// A register tile: the array that each thread holds, and who holds what.
struct RegisterTile {
  mlir::Value array;
  tile::Distribution distribution;
  /// Which of the copies in a pipeline's array is meant; null where there is one.
  mlir::Value slot;
};

/// A tile in shared memory: a flat array, and the elements from its start to
/// the slot that is meant (0, or a moving slot of a pipeline's ring).
struct SharedTile {
  mlir::Value buffer;
  mlir::MemRefType type;
  IndexExpr slot;
};

/// The values that a loop of the kernel takes: from `first` to below `bound`, both of its type.
struct TimeBounds {
  mlir::Value first, bound, step;
};

/// A cooperative copy asks at launch for the best form that it can have, or is known to have the best.
enum class CopyWidth { Ask, Best };

/// The last wave of a grid that is cut, and this block's share of it. In a grid of clusters tiles are those of clusters,
/// and a cluster is meant by a block.
struct CutWave {
  /// Steps of a tile, tiles that no block parts, for each block, and tiles of the cut wave.
  mlir::Value steps, wholeTiles, cutTiles;
  /// Steps of the whole cut wave (64 bits), and blocks that share them.
  mlir::Value units, shares;
  /// This block's share is parts of so many tiles from the first on. The first part begins with step `beginStep` of its
  /// tile, the last one ends ahead of step `endStep` of its.
  mlir::Value firstTile, parts, beginStep, endStep;
};

/// What a block knows of its grid before it takes a tile.
struct GridWalk {
  /// Tiles along each induction variable.
  llvm::SmallVector<mlir::Value> tiles;
  /// Number of this block (of this cluster, where the grid is of clusters).
  mlir::Value block;
  /// Of a persistent grid: all tiles, and blocks (clusters).
  mlir::Value allTiles, blocks;
  /// Which tile has which number.
  std::optional<analysis::RasterWalk<GridMath>> order;
  std::optional<CutWave> cut;
};

/// A tile of a grid whose last wave is cut, or a part of it.
struct TilePart {
  /// Number of the tile.
  mlir::Value tile;
  /// Steps [first, last) are this block's.
  mlir::Value first, last;
};

class KernelLowering {
public:
  KernelLowering(tile::KernelOp kernel, mlir::OpBuilder &builder)
      : kernel(kernel), b(builder), index(builder) {}

  /// Emits the function of the kernel at the builder's insertion point.
  mlir::FailureOr<kernel::FuncOp> run();

private:
  using Value = mlir::Value;
  using Location = mlir::Location;
  using Indices = llvm::SmallVector<Value>;
  using Coordinates = llvm::SmallVector<IndexExpr>;

  //===--- Structure (KernelLowering.cpp) ---------------------------------===//
  mlir::LogicalResult createFunction();
  mlir::LogicalResult lowerBlock(mlir::Block &block);
  mlir::LogicalResult lowerOp(mlir::Operation &op);
  mlir::LogicalResult lowerIf(mlir::scf::IfOp op);
  bool waitsAhead(mlir::Operation &op);
  /// An array of the plan in shared memory, where the plan has put it.
  Value createShared(Location loc, analysis::SharedUse use, mlir::Operation *op, mlir::Type element, Value held = {});
  /// Numbers the threads under the names of the loops that run on them.
  void nameThreadDigits();
  mlir::OpFoldResult mapExtent(mlir::OpFoldResult extent);
  /// The same as a value.
  Value getExtentValue(Location loc, mlir::OpFoldResult extent);
  /// A sum of the nest's values as a sum of the kernel's.
  IndexExpr mapSum(const tile::LinearExpr &sum);

  //===--- Grid (LowerGrid.cpp) -------------------------------------------===//
  mlir::LogicalResult lowerGrid(tile::ForOp loop);
  /// The body of the grid's loop for one tile. Behind a cut loop go on only blocks that have the whole sum.
  mlir::LogicalResult lowerTile(tile::ForOp loop);
  /// Emits what is the same for all tiles of a block, once, ahead of all that calls forEachTile.
  void enterGrid(tile::ForOp loop);
  /// Emits `body` with the induction variables of the grid's loop mapped to a tile of this block: once, or,
  /// where the loop is persistent, in a loop over the block's tiles. Parts of the block that do different
  /// things call it each for themselves.
  mlir::LogicalResult forEachTile(tile::ForOp loop, llvm::function_ref<mlir::LogicalResult()> body);
  /// Tiles along each induction variable: a constant, or (extent + step - 1) / step.
  llvm::SmallVector<Value> countTiles(tile::ForOp loop);
  /// (extent + step - 1) / step.
  Value divideUp(Location loc, Location named, Value extent, int64_t step);
  /// Maps the induction variables to tile `number` in the order of the raster.
  void enterTile(tile::ForOp loop, Value number);

  //===--- Clusters (LowerCluster.cpp) ------------------------------------===//
  /// Checks a grid of clusters, and maps the induction variables of the loop on block in it.
  mlir::LogicalResult enterCluster(tile::ForOp cluster);
  /// The loop whose body is one block's: `grid`, or the one on block in it.
  tile::ForOp getBlockLoop(tile::ForOp grid);
  /// The number of this block among those of its group, and the rank of the group's first.
  IndexExpr getNumberIn(Location loc, const analysis::BlockGroup &group);
  IndexExpr getFirstRank(Location loc, const analysis::BlockGroup &group);
  /// The rank of block `number` of this block's group.
  Value getRankOf(Location loc, const analysis::BlockGroup &group, Value number);
  /// The group's ranks as bits.
  Value getRankMask(Location loc, const analysis::BlockGroup &group);
  /// Asks for the part of a tile that this block copies, for all that want it.
  void copySlice(tile::StageOp stage, Value slot);

  //===--- Cut tails (LowerTail.cpp) --------------------------------------===//
  /// Deals out the last wave of a grid with a cut loop in it.
  void cutWave(tile::ForOp loop);
  /// forEachTile for a loop with a cut loop in it: parts of cut tiles first, then whole tiles.
  mlir::LogicalResult forEachPart(tile::ForOp loop, llvm::function_ref<mlir::LogicalResult()> body);
  /// The same for the parts that `first` to `last` (blocks) have left in the workspaces: adds them up in order.
  void sumParts(Location loc, Value first, Value last);
  /// Behind `cut`: true where this block has the whole sums, its own or all parts added.
  Value addParts(tile::ForOp cut);
  /// The block that has the unit ahead of `end` of the cut wave, both of 64 bits.
  Value getOwner(Location loc, Value end);
  /// Threads that run what is being emitted wait for each other.
  void waitForThreads(Location loc);
  /// Of the tiles or parts of a cluster, numbered `ofCluster`, this block's own.
  Value getOwnNumber(Location loc, Value ofCluster);
  /// Where block (or cluster) `number` leaves its part of the tile.
  Value getPartSlot(Location loc, Value number);
  /// The elements of an array of registers as one row.
  Value flatten(Value array);
  /// Combines `width` elements of `array`, from that at `first` on, with those of `more`.
  void combineRun(Location loc, tile::Combine kind, Value array, const Indices &first, Value more, int64_t width);
  /// Calls `body` with each run of elements of the sums that a thread holds, as many as one access of a workspace
  /// takes: their array, their number and the first one's place, their workspace, and where in slot `slot` they lie.
  void forEachSum(Location loc, Value slot,
                  llvm::function_ref<void(Value array, int64_t width, const Indices &, Value workspace, Value at)> body);

  //===--- Loops (LowerLoops.cpp) -----------------------------------------===//
  mlir::LogicalResult lowerFor(tile::ForOp loop);
  mlir::LogicalResult lowerThreads(tile::ForOp loop);
  mlir::LogicalResult lowerTime(tile::ForOp loop);
  mlir::LogicalResult lowerPipeline(tile::ForOp loop);
  mlir::LogicalResult pipelineShared(tile::ForOp loop, llvm::ArrayRef<tile::StageOp> stages);
  /// The copies of a loop's stages ahead of its iterations, and the iterations.
  mlir::LogicalResult emitPipeline(tile::ForOp loop, llvm::ArrayRef<tile::StageOp> stages, CopyWidth width);
  mlir::LogicalResult pipelineRegisters(tile::ForOp loop, llvm::ArrayRef<tile::StageOp> stages);
  mlir::LogicalResult lowerTimeLoop(tile::ForOp loop, unsigned i, llvm::function_ref<mlir::LogicalResult()> body);
  /// The values that induction variable `i` takes; of a cut loop, in this part. `ahead` iterations more, and the one
  /// past the last, are computed too.
  TimeBounds getTimeBounds(tile::ForOp loop, unsigned i, int64_t ahead = 0);
  /// No value of induction variable `i` is greater.
  static int64_t getLast(tile::ForOp loop, unsigned i);
  kernel::ForOp createTimeLoop(tile::ForOp loop, unsigned i, const TimeBounds &bounds);
  /// step * (thread / stride % count), computed once, where the function starts.
  Value threadDigit(Location loc, const tile::Digit &digit);
  /// A loop over 0..count whose body is written out `unrolled`; its variable has `name`.
  void countedLoop(Location loc, llvm::StringRef name, int64_t count, int64_t step, bool unrolled,
                   llvm::function_ref<void(const IndexExpr &)> body);
  void markUnrolled(Value iv);
  /// Writes out `factor` iterations of the loop of `iv`, if it is a loop's variable; all for 0.
  void setUnrolled(Value iv, int64_t factor);

  //===--- Roles of warps (LowerRoles.cpp) ---------------------------------===//
  /// Where in its ring a thread is.
  struct RingPlace {
    Value slot, parity;
    int64_t slots = 0;
  };
  /// A pipeline that warps of their own fill.
  struct Ring {
    tile::ForOp loop;
    /// Barriers, one a slot.
    Value full, empty;
    RingPlace place;
    /// Of the threads that compute: the lane, and, where slots are given back in the next iteration, the slot that
    /// they have not given back yet, or -1.
    Value lane, held;
    /// The blocks that fill each other's slots, one where none does, and the rank of the one that the lane tells.
    analysis::BlockGroup sharers;
    Value sharer;
  };
  RingPlace createRingPlace(Location loc, int64_t slots);
  /// The slot and the parity of its phase.
  std::pair<Value, Value> loadRingPlace(Location loc, const RingPlace &place);
  void advanceRingPlace(Location loc, const RingPlace &place, Value slot, Value parity);
  /// The kernel whose loop `loop` has producers, in the grid's loop `outer`.
  mlir::LogicalResult lowerRoles(tile::ForOp outer, tile::ForOp loop);
  mlir::LogicalResult lowerProducers(tile::ForOp outer, llvm::ArrayRef<tile::StageOp> stages);
  mlir::LogicalResult produce(llvm::ArrayRef<tile::StageOp> stages);
  mlir::LogicalResult consume(tile::ForOp loop);
  /// Says that this warp has done with `slot`, if that is one.
  void giveBack(Location loc, Value slot, bool isAlways);
  /// A loop over the iterations of `loop`, with the insertion point in its body.
  kernel::ForOp createRingLoop(tile::ForOp loop);
  void enterSlot(llvm::ArrayRef<tile::StageOp> stages, Value slot, int64_t slots);
  /// Copies by TMA, or as others where a launch does not allow that.
  mlir::LogicalResult copyBulk(llvm::ArrayRef<tile::StageOp> stages, Value slot);
  Value getBulkCondition(tile::StageOp stage);
  /// A value that a thread keeps across iterations: an int in a register.
  Value createCounter(Location loc, llvm::StringRef name, int64_t start);

  //===--- Memory (LowerMemory.cpp) ---------------------------------------===//
  /// Where an element of an operand in DRAM lies: an element number. With `from`, that of an element as far from element
  /// `from` as `coordinates` say.
  Value globalAddress(Location loc, Value operand, const Coordinates &coordinates, Value from = {});
  /// Element numbers of the operand fit an int.
  static bool hasNarrowAddresses(Value operand);
  IndexExpr sharedAddress(Location loc, const SharedTile &tile, const Coordinates &coordinates);
  /// All coordinates lie inside of the operand, as a condition; null where they always do.
  Value isPresent(Location loc, Value operand, const Coordinates &coordinates);
  /// All elements of a tile of `shape` at `access` lie inside of the operand, as a condition; null where they always do.
  Value isTileInside(Location loc, const tile::Access &access, llvm::ArrayRef<int64_t> shape);
  /// Loads an element of an operand, `pad` (zero where there is none) where it is absent.
  Value loadGlobal(Location loc, Value operand, Coordinates coordinates, std::optional<tile::Pad> pad);
  /// What must hold at launch for accesses of this form to an operand, as a condition; null for nothing.
  Value getFormCondition(Location loc, Value operand, analysis::CopyForm form);
  /// Element 0 and all strides but that along `along` are multiples of `width` elements; null where that is known.
  Value getAlignedCondition(Location loc, Value operand, unsigned along, int64_t width);
  /// The place in an operand of element `offsets` of a part, each coordinate a variable of its own:
  /// the predicate and the address use it.
  Coordinates nameCoordinates(Location loc, const tile::Access &access, const Coordinates &offsets);

  //===--- Tiles (LowerTiles.cpp, LowerCopies.cpp) ------------------------===//
  mlir::LogicalResult lowerHold(tile::HoldOp op);
  mlir::LogicalResult lowerStore(tile::StoreOp op);
  /// Stores what a thread holds, `width` elements at a time.
  void storeHeld(tile::StoreOp op, const RegisterTile &tile, const tile::Access &dest, int64_t width);
  mlir::LogicalResult lowerStage(tile::StageOp op);
  mlir::LogicalResult declareShared(tile::StageOp op);
  mlir::LogicalResult copyToShared(tile::StageOp op, CopyWidth width = CopyWidth::Ask);
  /// Refuses copies to shared memory that cannot be done, or of which the nest leaves something open.
  mlir::LogicalResult checkCopy(tile::StageOp op);
  /// One thread's share of a cooperative copy.
  void copyAlong(tile::StageOp op, analysis::CopyForm form);
  mlir::LogicalResult copyToRegisters(tile::StageOp op);
  mlir::FailureOr<RegisterTile> createRegisters(Value tile, int64_t slots);
  /// The place of an element in the array of `tile`, the pipeline's copy included.
  static Indices inSlot(const RegisterTile &tile, Indices indices);
  /// Where in its tile the first element lies that a thread holds.
  Coordinates getThreadCoordinates(Location loc, const tile::Distribution &distribution);
  /// Runs `body` for each element that a thread holds, with its place in the
  /// array and its coordinates in the tile; `width` elements at a time along the
  /// last digit.
  void forEachHeld(Location loc, const tile::Distribution &distribution, int64_t width,
                   llvm::function_ref<void(const Indices &, const Coordinates &)> body);
  /// The place in the array of element `offsets` of a part of a register tile.
  mlir::FailureOr<Indices> registerIndices(mlir::Operation *op, const RegisterTile &tile, const tile::Access &access,
                                           mlir::MemRefType part, const Coordinates &offsets);
  /// True for one of the threads that hold the same elements of `tile`; null where each holds its own.
  Value isFirstHolder(mlir::Operation *op, const tile::Distribution &distribution);

  //===--- Numbers (LowerScalar.cpp) ---------------------------------------===//
  /// A scalar op of the nest, whose operands `map` knows; its result too then.
  Value lowerScalar(mlir::Operation &op, mlir::IRMapping &map);
  Value lowerIndexOp(mlir::Operation *op, llvm::ArrayRef<Value> operands);
  /// An integer that counts as an index.
  Value toIndex(Location loc, Value x, bool isSigned);

  //===--- Computation (LowerCompute.cpp) ---------------------------------===//
  mlir::LogicalResult lowerCompute(mlir::linalg::LinalgOp op);
  mlir::LogicalResult lowerPoint(mlir::linalg::LinalgOp op, llvm::ArrayRef<IndexExpr> point);
  mlir::FailureOr<Value> loadOperand(mlir::OpOperand &operand, const Coordinates &offsets);
  mlir::LogicalResult storeOperand(mlir::OpOperand &operand, const Coordinates &offsets, Value value);
  /// A coordinate of an element, which exists where it is in 0 .. extent-1.
  struct Presence {
    IndexExpr coordinate;
    mlir::OpFoldResult extent;
  };
  bool implies(const Presence &known, const Presence &wanted);
  /// Adds what holds wherever element `offsets` of `init` is stored in the end; nothing where that is not known.
  void addStoredWhere(mlir::linalg::LinalgOp op, mlir::OpOperand &init, const Coordinates &offsets,
                      llvm::SmallVectorImpl<Presence> &stored);
  Value getGuard(mlir::linalg::LinalgOp op, llvm::ArrayRef<IndexExpr> point);
  Coordinates operandOffsets(mlir::linalg::LinalgOp op, mlir::OpOperand &operand, llvm::ArrayRef<IndexExpr> point);
  /// The place in the root operand of element `offsets` of a part.
  Coordinates rootCoordinates(const tile::Access &access, const Coordinates &offsets);

  //===--- Reductions over threads (LowerReduce.cpp) -----------------------===//
  /// The tiles that a loop reduces, as they are around it.
  using OuterTiles = llvm::MapVector<Value, RegisterTile>;
  /// Inside of `loop` each unit adds to partial tiles of its own. Gives back those around it.
  OuterTiles beginReduction(tile::ForOp loop);
  /// Behind the loop: combines `whole` with each thread's partial tile, of whose elements `complete` makes those of
  /// all units, and lets `held` be `whole` again.
  void addPartial(Location loc, Value held, tile::Combine kind, const RegisterTile &whole,
                  llvm::function_ref<Value(Value)> complete = {});
  void reduceThreads(tile::ForOp loop, const OuterTiles &outer);
  Value combineAcross(Location loc, const tile::Digit &digit, tile::Combine kind, Value value,
                      Value scratch);

  //===--- Reductions over blocks (LowerClusterReduce.cpp) ------------------===//
  /// Partial tiles of one held tile: of this block, as a row of registers, and where the others find them in its shared
  /// memory, a row of threads for each run of `width` elements.
  struct BlockParts {
    Value array;
    Value shared;
    int64_t width;
  };
  /// The body of a loop on cluster around `blocks`, which reduces.
  mlir::LogicalResult lowerReducingBlocks(tile::ForOp blocks);
  BlockParts createBlockParts(tile::ForOp blocks, Value held);
  /// Calls `body` with the indices of the first element of each run of a thread, and its place in shared memory.
  void forEachRun(Location loc, const BlockParts &parts, llvm::function_ref<void(const Indices &, Value)> body);
  void leaveParts(Location loc, const BlockParts &parts);
  /// Combines this block's parts with those of block `from`.
  void fetchParts(Location loc, tile::Combine kind, const BlockParts &parts, Value from);
  /// Emits `body` for the cluster's first block, or for all others.
  mlir::LogicalResult onFirstBlock(Location loc, bool first, llvm::function_ref<mlir::LogicalResult()> body);

  tile::KernelOp kernel;
  mlir::OpBuilder &b;
  IndexBuilder index;
  kernel::FuncOp function;
  mlir::IRMapping values;
  /// Those of the description, in its order: one for each of the sums, and one that counts parts.
  llvm::SmallVector<Value> workspaces;
  /// The held tiles that the cut loop adds to.
  llvm::SmallVector<Value> sums;
  GridWalk grid;
  /// Of the cut loop, while a tile of its grid is emitted.
  std::optional<TilePart> part;
  /// Of a grid of clusters: the blocks of each, and this one's number among them.
  int64_t clusterBlocks = 1;
  Value clusterRank;
  int64_t blockThreads = 1;
  /// Loops on threads that have been emitted.
  int64_t threadLoops = 0;
  /// Where arrays in shared memory lie.
  analysis::SharedPlan plan;
  /// The ops ahead of which threads wait, see Exchange.h.
  llvm::DenseSet<mlir::Operation *> exchanges;
  /// The threads that run what is being emitted.
  int64_t activeThreads = 1;
  Value thread;
  /// What is being emitted is a second text for launches that are rare.
  bool compact = false;
  /// While the kernel's pipeline has producers.
  std::optional<Ring> ring;
  /// The threads that wait for each other where not all of the block do; else 0.
  int64_t roleThreads = 0;
  llvm::DenseMap<mlir::Operation *, Value> tensorMaps;
  llvm::DenseMap<Value, RegisterTile> registers;
  llvm::DenseMap<Value, SharedTile> shared;
  /// The dynamic strides of each operand; null where static.
  llvm::DenseMap<Value, Indices> strides;
  std::map<std::tuple<int64_t, int64_t, int64_t>, Value> digits;
};

/// A location without the name that the source gives.
mlir::Location unnamed(mlir::Location loc);
/// A location that gives values made for it a name.
mlir::Location named(mlir::Location loc, const llvm::Twine &name);
/// The name that a location carries, or `fallback`.
std::string nameOf(mlir::Location loc, llvm::StringRef fallback);
/// What a dimension is called: m where m0 walks it.
std::string getDimName(const tile::LinearExpr &subscript, unsigned dim);
/// Says of an addition, a subtraction, a product or a shift that it may wrap: all others are known not to (ComputedExactly).
mlir::Value wrapping(mlir::Value value);
/// Says of each of these ops that is made that it does not wrap: all that the lowering computes with integers fits them. What
/// the nest computes wraps (rule C1 of tile.kernel).
struct ComputedExactly : mlir::OpBuilder::Listener {
  void notifyOperationInserted(mlir::Operation *op, mlir::OpBuilder::InsertPoint previous) override;
};
/// How two partial results become one.
mlir::Value combine(mlir::OpBuilder &builder, mlir::Location loc, tile::Combine kind, mlir::Value lhs, mlir::Value rhs);
/// The partial result that changes nothing.
mlir::TypedAttr getIdentity(tile::Combine kind, mlir::Type type);

} // namespace tilec

#endif // TILEC_CONVERSION_KERNELLOWERING_H
