//===- Products.cpp - Fragments of operands, multiplied by threads *- C++ -*-===//
//
// Blocks stage tiles of the inputs in shared memory; warps take tiles of the result; threads hold rows and columns of
// them in quads of 4x4, loaded 16 bytes at a time, with lanes in the Z-order in which such loads merge
// (docs/results/gpu.md, S1 and S2). Inputs whose neighbours lie along the reduction are turned on the way, or stay as
// they lie: threads then load several steps of single rows or columns at once (docs/mapping.md).
//
//===----------------------------------------------------------------------===//

#include "Schemes.h"
#include "tilec/Tile/Access.h"
#include "tilec/Tile/ComputeClauses.h"
#include "tilec/Tile/CutLoop.h"
#include "tilec/Tile/Distribution.h"
#include "tilec/Tile/Reduction.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::mapping;
using tile::ForOp;
using tile::Level;
using tile::Unit;

namespace {
/// Lanes of a warp along rows and columns.
constexpr int64_t kLaneRows = 4, kLaneColumns = 8;
/// A run of steps from shared memory that instruction caches hold.
constexpr int64_t kRun = 16;
/// Pieces that a thread copies in a step; the addresses of more take registers from the products.
constexpr int64_t kMostPieces = 16;
/// Steps that producers are ahead.
constexpr int64_t kRingDepth = 128;
/// Slots of a ring that threads fill which compute, and warps of a block that leaves registers for no other one.
constexpr int64_t kSlots = 3, kWholeSM = 16;

/// Tiles of a warp: 4x4 elements a thread to 16x8.
constexpr std::pair<int64_t, int64_t> kWarps[] = {{64, 64}, {32, 64}, {64, 32}, {32, 32}, {16, 64}, {16, 32}};
constexpr std::pair<int64_t, int64_t> kWarpGrids[] = {{1, 1}, {1, 2}, {2, 1}, {2, 2}, {1, 4}, {4, 1}, {2, 4}, {4, 2}, {4, 4}};

/// What bounds say of the times of products.
class ProductBound {
public:
  ProductBound(const Problem &problem, const MachineSpec &machine) : problem(problem), machine(machine) {}

  /// Cycles that `mapping` hardly goes below; absent where a block does not fit.
  std::optional<double> getCycles(const Mapping &mapping) const;
  /// Do warps that only copy take longer for a step than the others for its products?
  bool areCopiesLast(const Mapping &mapping) const;

private:
  /// Of a block that leaves a part of a tile of the last wave, and then adds up all parts of one.
  double getPartCycles(const Mapping &mapping) const;
  /// Of a thread's loads of 16 bytes of its fragments, for each product.
  static double getLoads(const Mapping &mapping);
  /// Of a step's products, with `others` for each of them.
  double getUseCycles(const Mapping &mapping, double others) const;
  /// Of a step's copies, by warps that do nothing else, beside warps with so many other instructions for each product (formula 31).
  double getCopyCycles(const Mapping &mapping, double others) const;

  const Problem &problem;
  const MachineSpec &machine;
};
} // namespace

/// Do neighbours of `input` lie along rows or columns, as fragments take them?
static bool isAlongSide(const Mapping &mapping, const Use &input) {
  std::optional<unsigned> fast = Problem::getFastDim(input);
  return fast && (*fast == mapping.row || *fast == mapping.column);
}

/// Is `input` staged as it lies, though its neighbours lie along the reduction?
static bool isAsItLies(const Mapping &mapping, const Use &input) { return mapping.together > 1 && Problem::getFastDim(input) == mapping.depth; }

/// How many neighbours along `side`, its rows or its columns, a thread takes: a quad, but one of an input that is staged as it lies, so that lanes beside each other
/// take lines beside each other, which other banks hold.
static int64_t getQuad(const Problem &problem, const Mapping &mapping, unsigned side) {
  return llvm::any_of(problem.inputs, [&](const Use &input) { return Problem::uses(input.map, side) && isAsItLies(mapping, input); }) ? 1 : kQuad;
}

/// Bytes of shared memory by way of which tiles leave whose rows begin anywhere: of each warp 128 bytes of its rows, which begin in other banks than the ones above.
static int64_t getSliceBytes(const Problem &problem, const Mapping &mapping) {
  if (!problem.hasOddRows(problem.output))
    return 0;
  constexpr int64_t kRunBytes = 128;
  return mapping.tile[mapping.row] * (mapping.tile[mapping.column] / mapping.warpColumns * kRunBytes + tile::kWidestBytes);
}

/// Bytes of shared memory by way of which groups of warps add up what they have.
static int64_t getSumBytes(const Mapping &mapping, int64_t warps) { return mapping.groups > 1 ? warps * 32 * tile::kExchangedBytes : 0; }

int64_t mapping::countWarps(const Mapping &mapping) {
  return mapping.tile[mapping.row] / mapping.warpRows * (mapping.tile[mapping.column] / mapping.warpColumns) * mapping.groups;
}

/// Bytes of shared memory that a step takes.
static int64_t getStepBytes(const Problem &problem, const Mapping &mapping) {
  int64_t bytes = 0;
  for (const Use &input : problem.inputs)
    bytes += getTileBytes(input, mapping.tile);
  return bytes;
}

/// Steps for which a block has room beside what its tile leaves by.
static int64_t countSlots(const Problem &problem, const Mapping &mapping, const MachineSpec &machine) {
  int64_t beside = getSliceBytes(problem, mapping) + getSumBytes(mapping, countWarps(mapping));
  return (machine.limits.smemPerBlock.value - beside) / getStepBytes(problem, mapping);
}

/// Pieces in which threads copy what a step takes of `input`: of 16 bytes, or element by element where it is turned or its rows begin anywhere.
static int64_t countPiecesOf(const Use &input, const Problem &problem, const Mapping &mapping) {
  return getTileBytes(input, mapping.tile) / (isAlongSide(mapping, input) || (isAsItLies(mapping, input) && !problem.hasOddRows(input)) ? 16 : 4);
}

int64_t mapping::countPieces(const Problem &problem, const Mapping &mapping) {
  int64_t pieces = 0;
  for (const Use &input : problem.inputs)
    pieces += countPiecesOf(input, problem, mapping);
  return pieces;
}

/// Do warps that only copy meet edges, where they ask for each element?
static bool copyEdges(const Problem &problem, const Mapping &mapping) {
  return mapping.producers > 0 && llvm::any_of(llvm::enumerate(problem.inputs), [&](const auto &input) {
           auto isCut = [&](unsigned dim) { return Problem::uses(input.value().map, dim) && problem.dims[dim].size % mapping.tile[dim] != 0; };
           return !mapping.boxes[input.index()] && llvm::any_of(llvm::seq<unsigned>(problem.dims.size()), isCut);
         });
}

double ProductBound::getCopyCycles(const Mapping &mapping, double others) const {
  if (mapping.producers == 0)
    return 0;
  double copies = 0;
  for (auto [input, isBox] : llvm::zip_equal(problem.inputs, mapping.boxes))
    copies += isBox ? 0 : double(countPiecesOf(input, problem, mapping));
  double cycles = std::min(machine.timing.producerCopy.value, machine.timing.producerSlots.value / others);
  return copies / double(machine.limits.warpSize.value * mapping.producers) * cycles;
}

/// May a second warpgroup copy? It leaves 192 registers to a thread that multiplies, of which sizes that are numbers take none, and slots of 16 steps and
/// one operand that is copied element by element few; products are 4 to 20 % slower else (docs/mapping.md).
static bool canSpareRegisters(const Problem &problem, const Mapping &mapping) {
  constexpr int64_t kFewSteps = 16;
  return cast<MemRefType>(problem.output.memref.getType()).hasStaticShape() && mapping.tile[mapping.depth] <= kFewSteps && llvm::count(mapping.boxes, false) == 1;
}

double ProductBound::getLoads(const Mapping &mapping) {
  int64_t fragments = mapping.warpRows / kLaneRows + mapping.warpColumns / kLaneColumns;
  return double(fragments) / 4 / double(mapping.warpRows * mapping.warpColumns / 32);
}

double ProductBound::getUseCycles(const Mapping &mapping, double others) const {
  const MathRate *rate = machine.rate(MathUnit::Fma, MathType::F32);
  return double(mapping.tile[mapping.row] * mapping.tile[mapping.column] * mapping.tile[mapping.depth]) / (rate ? rate->rate.value : 128) * (1 + others);
}

bool ProductBound::areCopiesLast(const Mapping &mapping) const {
  return getCopyCycles(mapping, getLoads(mapping)) > getUseCycles(mapping, getLoads(mapping));
}

double ProductBound::getPartCycles(const Mapping &mapping) const {
  double tiles = countTiles(problem, mapping.tile), blocks = double(machine.sms.value), cut = std::fmod(tiles, blocks);
  if (!mapping.cutTail || cut == 0 || (blocks - cut) * double(tile::kCutIdle) < blocks)
    return 0;
  // All SMs leave parts at one time, which takes each about twice as long as it would take one, and few read them (docs/results/gpu.md).
  double parts = blocks / cut + 1;
  return (2 + parts / 2) * double(getTileBytes(problem.output, mapping.tile)) / machine.timing.l2Port.value;
}

/// Of times that keep each other waiting the less, the more they differ.
static double join(double one, double other, double power) { return std::pow(std::pow(one, power) + std::pow(other, power), 1 / power); }

std::optional<double> ProductBound::getCycles(const Mapping &mapping) const {
  int64_t warps = countWarps(mapping), threads = 32 * (warps + mapping.producers);
  int64_t smem = getStepBytes(problem, mapping) * mapping.stages + getSumBytes(mapping, warps);
  int64_t held = mapping.warpRows * mapping.warpColumns / 32;
  int64_t ofRows = mapping.warpRows / kLaneRows, ofColumns = mapping.warpColumns / kLaneColumns;
  auto countSteps = [&](unsigned side) { return getQuad(problem, mapping, side) == 1 ? mapping.together : 1; };
  int64_t registers = held + 2 * (ofRows * countSteps(mapping.row) + ofColumns * countSteps(mapping.column)) + 40;
  int64_t pieces = countPieces(problem, mapping);
  if (mapping.producers == 0 && pieces > kMostPieces * threads)
    return std::nullopt;
  const LimitsSpec &limits = machine.limits;
  int64_t registersOfSM = machine.level(MemoryLevel::Rf).capacity ? machine.level(MemoryLevel::Rf).capacity->value / 4 : 65536;
  if (smem > limits.smemPerBlock.value || registers > limits.registersPerThread.value || threads > limits.threadsPerBlock.value ||
      int64_t(machine.compiler.registers.neededShare.value * double(registers)) * 32 * warps > registersOfSM)
    return std::nullopt;
  int64_t perSM = std::min(registersOfSM / (registers * threads), limits.smemPerBlock.value / std::max<int64_t>(smem, 1));
  perSM = std::max<int64_t>(std::min(perSM, limits.threadsPerSM.value / threads), 1);
  double steps = 1;
  for (unsigned dim : getReduced(problem))
    steps *= double(llvm::alignTo(problem.dims[dim].size, mapping.tile[dim]));
  steps /= double(mapping.tile[mapping.depth]);
  // A thread's instructions beside its products: loads of its fragments, which keep products from the ports of registers as well where nothing else does, and copies.
  double ofPiece = (mapping.stages > 1 ? machine.compiler.instructions.asyncCopy : machine.compiler.instructions.copy).value;
  double products = double(mapping.tile[mapping.row] * mapping.tile[mapping.column] * mapping.tile[mapping.depth]);
  double busy = getUseCycles(mapping, mapping.producers ? 2 * getLoads(mapping) + 0.02 : getLoads(mapping) + ofPiece * double(pieces) / products) * steps;
  // Few warps leave schedulers waiting, the more so the longer they wait for what they load.
  double warpsOfSM = double(warps * perSM);
  busy *= std::max(1.0, 6 / warpsOfSM * (held >= 64 && mapping.together == 1 ? 0.7 : 1));
  busy = join(busy, getCopyCycles(mapping, getLoads(mapping)) * steps, machine.timing.overlapRoles.value);
  double tiles = countTiles(problem, mapping.tile) * double(mapping.split);
  double rounds = tiles / double(machine.sms.value);
  if (!mapping.cutTail)
    rounds = std::ceil(tiles / double(machine.sms.value * perSM)) * double(perSM);
  // A tile's results leave beside other blocks' steps alone.
  double leaving = double(getTileBytes(problem.output, mapping.tile)) / machine.timing.l2Port.value;
  // Each thread of a group leaves what it has of it, and reads what another has.
  double added = mapping.groups > 1 ? 2 * double(held * warps) : 0;
  double compute = rounds * (busy / double(mapping.split) + (1500.0 + leaving + added) / double(perSM)) + getPartCycles(mapping);
  double l2 = machine.level(MemoryLevel::L2).bandwidth ? getRequestedBytes(problem, mapping) / double(mapping.clusterRows > 1 ? 1.2 : 1) /
                                                              machine.level(MemoryLevel::L2).bandwidth->value
                                                        : 0;
  // Blocks of a cluster meet before they write to each other, and before the first of them ends.
  double meetings = mapping.clusterRows > 1 && machine.costs.clusterBarrier ? 2 * machine.costs.clusterBarrier->value : 0;
  // Where there are but two slots, one that is filled at an edge is waited for: 256x64x64 takes 378 us on an H100 for 964x7456x944, in four slots of 32 steps 344.
  double slots = mapping.stages < 3 && copyEdges(problem, mapping) ? 0.01 : 0;
  // Steps begin with waits, and what L2 delivers is never quite hidden.
  return std::max(compute, l2) * (1 + 0.3 / double(mapping.tile[mapping.depth]) + slots) + 0.02 * l2 + meetings;
}

using Side = std::pair<int64_t, int64_t>;

/// The tiles of a warp to try, and for one of them how many warps there are down and across.
static SmallVector<Side> listWarps(const Wish &wish, unsigned row, unsigned column) {
  if (!wish.warp[row] && !wish.warp[column])
    return SmallVector<Side>(std::begin(kWarps), std::end(kWarps));
  SmallVector<Side> warps;
  for (int64_t rows : {64, 32, 16})
    for (int64_t columns : {64, 32})
      warps.push_back({wish.warp[row].value_or(rows), wish.warp[column].value_or(columns)});
  llvm::erase_if(warps, [](Side warp) { return warp.first % (kLaneRows * kQuad) != 0 || warp.second % (kLaneColumns * kQuad) != 0; });
  warps.erase(llvm::unique(warps), warps.end());
  return warps;
}

static SmallVector<Side> listWarpGrids(const Wish &wish, unsigned row, unsigned column, Side warp) {
  if (!wish.tile[row] && !wish.tile[column]) {
    SmallVector<Side> grids(std::begin(kWarpGrids), std::end(kWarpGrids));
    // 256x128 by 16 warps of 64x32 takes 2937 to 3551 us at 4096^3 on an H100, 128x256 of 32x64 2694 to 2863.
    if (warp.first > warp.second)
      llvm::erase_if(grids, [](Side grid) { return grid.first * grid.second >= kWholeSM; });
    return grids;
  }
  SmallVector<Side> grids;
  for (int64_t down : {1, 2, 4})
    for (int64_t across : {1, 2, 4}) {
      Side grid = {wish.tile[row] ? *wish.tile[row] / warp.first : down, wish.tile[column] ? *wish.tile[column] / warp.second : across};
      if (grid.first > 0 && grid.second > 0 && !llvm::is_contained(grids, grid))
        grids.push_back(grid);
    }
  return grids;
}

/// The dimensions to walk innermost: the last one that is reduced, and where that has too few steps, as a filter's width, longer ones.
static SmallVector<unsigned> listDepths(const Problem &problem) {
  constexpr int64_t kFewSteps = 8;
  SmallVector<unsigned> reduced = getReduced(problem);
  SmallVector<unsigned> depths;
  for (unsigned dim : llvm::reverse(reduced))
    if (depths.empty() || (problem.dims[depths.front()].size < kFewSteps && problem.dims[dim].size >= kFewSteps))
      depths.push_back(dim);
  return depths;
}

/// Do blocks that share an input walk it at nearly one time, or does L2 hold what comes between? Where there are fewer tiles than blocks, which take equal shares of all
/// steps, a block is at the same step as one that lies SMs / tiles blocks ahead, in the next tile, by the whole of it; by the rest the two are apart.
static bool isWalkedTogether(const Problem &problem, const Mapping &mapping, const MachineSpec &machine) {
  double tiles = countTiles(problem, mapping.tile), blocks = double(machine.sms.value);
  const auto &l2 = machine.level(MemoryLevel::L2).capacity;
  if (tiles >= blocks || !l2)
    return true;
  int64_t down = llvm::divideCeil(problem.dims[mapping.row].size, mapping.tile[mapping.row]), across = llvm::divideCeil(problem.dims[mapping.column].size, mapping.tile[mapping.column]);
  SmallVector<int64_t> whole = llvm::map_to_vector(problem.dims, [](const auto &dim) { return dim.size; });
  return llvm::all_of(problem.inputs, [&](const Use &input) {
    bool byRows = !Problem::uses(input.map, mapping.row);
    if ((byRows ? down : across) < 2 || (!byRows && Problem::uses(input.map, mapping.column)))
      return true;
    double ahead = blocks / tiles * double(byRows ? 1 : std::min(down, std::max<int64_t>(mapping.grouped, 1)));
    return std::abs(ahead - std::round(ahead)) * double(getTileBytes(input, whole)) <= l2->value / 2;
  });
}

/// Whole warpgroups compute, and one copies; what lies along rows or columns comes in boxes.
static void addWithProducers(const Problem &problem, const ProductBound &bound, const MachineSpec &machine, const Wish &wish, Mapping &mapping, llvm::function_ref<void()> add) {
  // Steps of a group that are worth the waits around them, and waves of tiles of which the last matters. With more sums a thread ptxas has no registers left to put them
  // together, and tiles of warps that have fewer rows or columns, or more rows than columns, were up to twice as slow as predicted (docs/mapping.md).
  constexpr int64_t kFewSteps = 8, kFewWaves = 2, kMostSums = 64, kFewRows = 32;
  std::optional<tile::Combine> combine = getCombine(problem);
  int64_t depth = mapping.tile[mapping.depth];
  for (int64_t groups : {1, 2}) {
    mapping.groups = groups;
    mapping.grouped = 8;
    bool isParted = combine && !mapping.addedLast && mapping.warpRows * mapping.warpColumns / tile::kWarpThreads <= kMostSums && mapping.warpRows >= kFewRows &&
                    mapping.warpRows <= mapping.warpColumns && depth % (groups * kFewSteps) == 0 && countTiles(problem, mapping.tile) <= double(kFewWaves * machine.sms.value) &&
                    isWalkedTogether(problem, mapping, machine);
    if (countWarps(mapping) % 4 != 0 || (groups > 1 && !isParted))
      continue;
    mapping.stages = wish.stages.value_or(std::clamp<int64_t>(countSlots(problem, mapping, machine), 2, std::max<int64_t>(kRingDepth * groups / depth, 2)));
    // Two slots are too few, as groups seem to drift apart, and none is left to copy ahead into: 64x4096x4096 with slots of 64 steps takes 61 us on an H100, with five of 32 steps 56.
    if (groups > 1 && mapping.stages < 3 && !wish.stages)
      continue;
    for (auto [number, input] : llvm::enumerate(problem.inputs))
      mapping.boxes[number] = isAlongSide(mapping, input);
    mapping.persistent = true;
    mapping.cutTail = getReduced(problem).size() == 1 && (problem.init || mapping.addedLast) && combine == tile::Combine::Add;
    mapping.producers = wish.producers.value_or(4);
    if (!wish.producers && copyEdges(problem, mapping) && bound.areCopiesLast(mapping) && canSpareRegisters(problem, mapping))
      mapping.producers *= 2;
    for (int64_t rows : {1, 2}) {
      if (rows > 1 && !machine.features.multicast)
        continue;
      mapping.clusterRows = rows;
      mapping.grouped = 8 / rows;
      add();
    }
  }
  mapping.groups = 1;
}

static void listProducts(const Problem &problem, unsigned last, const MachineSpec &machine, const Wish &wish, std::vector<Candidate> &candidates) {
  SmallVector<unsigned> reduced = getReduced(problem);
  std::optional<tile::Combine> combine = getCombine(problem);
  ProductBound bound(problem, machine);
  bool roles = machine.features.tma && machine.features.mbarrier;
  for (auto [row, column] : getSides(problem)) {
    Mapping mapping;
    mapping.scheme = Scheme::Products;
    mapping.tile.assign(problem.dims.size(), 1);
    mapping.row = row;
    mapping.column = column;
    mapping.depth = last;
    mapping.addedLast = !wish.isNest && !problem.init && problem.accumulates && combine == tile::Combine::Add;
    bool liesAlong = llvm::any_of(problem.inputs, [&](const Use &input) { return Problem::getFastDim(input) == last; });
    auto add = [&] {
      for (int64_t together : {int64_t(1), kQuad}) {
        if (together > 1 && (!liesAlong || mapping.tile[last] % together != 0))
          continue;
        mapping.together = together;
        if (std::optional<double> cycles = bound.getCycles(mapping))
          candidates.push_back({mapping, *cycles});
      }
    };
    for (auto [warpRows, warpColumns] : listWarps(wish, row, column))
      for (auto [down, across] : listWarpGrids(wish, row, column, {warpRows, warpColumns}))
        for (int64_t depth : wish.getTiles(last, {8, 16, 32, 64})) {
          mapping.warpRows = warpRows;
          mapping.warpColumns = warpColumns;
          mapping.tile[row] = warpRows * down;
          mapping.tile[column] = warpColumns * across;
          mapping.tile[last] = depth;
          bool walked = isWalked(problem, mapping, last);
          if (!walked && depth > 8 && !wish.tile[last])
            break;
          if (!walked)
            mapping.tile[last] = problem.dims[last].size;
          mapping.grouped = 8;
          for (int64_t stages : wish.stages ? SmallVector<int64_t>{*wish.stages} : SmallVector<int64_t>{1, kSlots}) {
            if ((stages > 1 && (!walked || !machine.features.cpAsync)) || wish.producers)
              continue;
            mapping.stages = stages;
            // One slot more where no other block computes while this one waits: 128x256x16 takes 2805 us at 4096^3 with three on an H100, 2694 with four.
            if (mapping.stages == kSlots && countWarps(mapping) >= kWholeSM && !wish.stages)
              ++mapping.stages;
            mapping.producers = 0;
            mapping.boxes.assign(problem.inputs.size(), false);
            mapping.persistent = mapping.cutTail = false;
            mapping.clusterRows = 1;
            for (int64_t split : {1, 2, 4, 8}) {
              if (split > 1 && (!machine.features.dsmem || !walked || reduced.size() > 1 || !problem.init || !combine))
                continue;
              mapping.split = split;
              add();
            }
          }
          mapping.split = 1;
          if (!roles || !walked)
            continue;
          addWithProducers(problem, bound, machine, wish, mapping, add);
        }
  }
}

void mapping::listProducts(const Problem &problem, const MachineSpec &machine, const Wish &wish, std::vector<Candidate> &candidates) {
  for (unsigned depth : listDepths(problem))
    ::listProducts(problem, depth, machine, wish, candidates);
}

/// Opens the loop over warps' tiles of the block's, and over a step's parts of which each group of warps takes one.
static ForOp openWarps(const Problem &problem, const Mapping &mapping, NestWriter &w) {
  unsigned row = mapping.row, column = mapping.column, depth = mapping.depth;
  SmallVector<LoopOver> over;
  if (mapping.groups > 1)
    over.push_back({depth, w.number(mapping.tile[depth]), mapping.tile[depth] / mapping.groups});
  over.push_back({row, w.number(mapping.tile[row]), mapping.warpRows});
  over.push_back({column, w.number(mapping.tile[column]), mapping.warpColumns});
  ForOp warps = w.open(over, Level::SMEM, Unit::Warp, "w");
  if (mapping.groups > 1)
    warps.setReduce(*getCombine(problem));
  w.setTile(row, mapping.warpRows);
  w.setTile(column, mapping.warpColumns);
  return warps;
}

/// Opens the loops that spread a warp's tile over its lanes, and those over what a lane has of it: of a quad, `atOnce` columns at a time.
static void openLanes(const Problem &problem, const Mapping &mapping, NestWriter &w, int64_t atOnce) {
  unsigned row = mapping.row, column = mapping.column;
  if (mapping.together > 1) {
    int64_t rows = getQuad(problem, mapping, row), columns = getQuad(problem, mapping, column);
    w.open({{row, w.number(kLaneRows * rows), rows}, {column, w.number(kLaneColumns * columns), columns}}, Level::RF, Unit::Thread, "t");
    w.open({{column, w.number(mapping.warpColumns), kLaneColumns * columns}, {row, w.number(mapping.warpRows), kLaneRows * rows}}, Level::RF, Unit::Unroll, "u");
    w.setTile(row, rows);
    w.setTile(column, columns);
    return;
  }
  w.open({{column, w.number(kLaneColumns * kQuad), 2 * kQuad}}, Level::RF, Unit::Thread, "t");
  w.open({{row, w.number(kLaneRows * kQuad), kQuad}}, Level::RF, Unit::Thread, "t");
  w.open({{column, w.number(2 * kQuad), kQuad}}, Level::RF, Unit::Thread, "z");
  SmallVector<LoopOver> quads = {{column, w.number(mapping.warpColumns), kLaneColumns * kQuad}};
  if (atOnce < kQuad)
    quads.push_back({column, w.number(kQuad), atOnce});
  quads.push_back({row, w.number(mapping.warpRows), kLaneRows * kQuad});
  w.open(quads, Level::RF, Unit::Unroll, "u");
  w.setTile(row, kQuad);
  w.setTile(column, atOnce);
}

/// Writes the product of a thread's fragments, and in which order its points are walked: by columns or by rows, forth and back or not. That decides which registers ptxas
/// gives them, and how often warps take turns; this is what was the fastest of most of 80 products on an H100 (docs/mapping.md, "Orders of points").
static void computePoints(const Problem &problem, const Mapping &mapping, ArrayRef<Placed> operands, NestWriter &w) {
  constexpr int64_t kManySums = 128;
  w.computeRoot(operands);
  Operation *root = w.getRoot();
  bool quads = mapping.together == 1;
  if (root->hasAttr(tile::kOrder) || (!quads && mapping.groups > 1))
    return;
  int64_t sums = mapping.warpRows * mapping.warpColumns / tile::kWarpThreads;
  bool byColumns = !quads || (mapping.producers > 0 ? sums >= kManySums : sums == kManySums / 2 && mapping.warpRows <= mapping.warpColumns);
  auto order = llvm::to_vector(llvm::seq<int64_t>(problem.dims.size()));
  if (byColumns == (mapping.row < mapping.column))
    std::swap(order[mapping.row], order[mapping.column]);
  root->setAttr(tile::kOrder, DenseI64ArrayAttr::get(root->getContext(), order));
  if (quads)
    root->setAttr(tile::kSnake, UnitAttr::get(root->getContext()));
}

/// Adds what the operand has to `result`, a quad of each lane after the other: all at once would not fit its registers.
static void addLast(const Problem &problem, const Mapping &mapping, const Placed &result, NestWriter &w) {
  ForOp warps = openWarps(problem, mapping, w);
  Placed held = w.part(result, "e"), more;
  openLanes(problem, mapping, w, kQuad);
  held = w.part(held, "e");
  // Beside the accumulators there is no room for a question about the whole quad and another way to load it.
  w.stage(w.operand(problem.output), Level::RF, more, "o").setEdges(tile::EdgeCheck::Element);
  auto add = [](OpBuilder &b, ArrayRef<Value> elements, llvm::function_ref<Value(unsigned)>, const IRMapping &) -> Value {
    Location loc = elements.front().getLoc();
    if (isa<FloatType>(elements.front().getType()))
      return arith::AddFOp::create(b, loc, elements[1], elements[0]);
    return arith::AddIOp::create(b, loc, elements[1], elements[0]);
  };
  w.computeGeneric(more, held, add);
  w.close(warps);
  for (unsigned dim : {mapping.row, mapping.column})
    w.setTile(dim, mapping.tile[dim]);
}

void mapping::writeProducts(const Problem &problem, const Mapping &mapping, NestWriter &w) {
  BlockLoops loops = openBlock(problem, mapping, w);
  unsigned row = mapping.row, column = mapping.column, last = mapping.depth;
  SmallVector<Placed> operands;
  for (auto [number, input] : llvm::enumerate(problem.inputs)) {
    tile::StageOp stage = w.stage(w.operand(input), Level::SMEM, operands.emplace_back(), "s");
    if (mapping.boxes[number]) {
      stage.setCopy(tile::Copy::Tma);
      continue;
    }
    // A wide form beside it would only make the loop that runs the rare one.
    if (problem.hasOddRows(input))
      stage.setFormsAttr(ArrayAttr::get(stage.getContext(), tile::FormAttr::get(stage.getContext(), input.map.getNumResults() - 1, 1)));
    if (!isAlongSide(mapping, input))
      layOutAlong(isAsItLies(mapping, input) ? last : Problem::uses(input.map, row) ? row : column, input.map, stage.getTile());
  }
  ForOp warps = openWarps(problem, mapping, w);
  operands.push_back(w.part(loops.result, "w"));
  for (unsigned dim : getReduced(problem, mapping)) {
    int64_t depth = mapping.tile[dim] / (dim == last ? mapping.groups : 1);
    if (dim == last && depth > kRun && depth % kRun == 0) {
      w.open({{dim, w.number(depth), kRun}}, Level::SMEM, Unit::Time, "h");
      depth = kRun;
    }
    int64_t step = dim == last ? mapping.together : 1;
    if (depth > step) {
      ForOp steps = w.open({{dim, w.number(depth), step}}, Level::SMEM, Unit::Time, "1");
      if (dim == last)
        steps.setPipeline(2);
    }
    w.setTile(dim, step);
  }
  auto stage = [&](bool asItLies) {
    for (auto [input, operand] : llvm::zip_first(problem.inputs, operands))
      if (isAsItLies(mapping, input) == asItLies)
        w.stage(Placed(operand), Level::RF, operand, "r");
  };
  if (mapping.together > 1) {
    stage(true);
    w.open({{last, w.number(mapping.together), 1}}, Level::SMEM, Unit::Time, "2");
    w.setTile(last, 1);
  }
  stage(false);
  openLanes(problem, mapping, w, 2);
  for (Placed &operand : operands)
    operand = w.part(operand, "q");
  computePoints(problem, mapping, operands, w);
  w.close(warps);
  for (unsigned dim : getReduced(problem))
    w.setTile(dim, mapping.tile[dim]);
  auto add = [&](const Placed &result) { addLast(problem, mapping, result, w); };
  finishBlock(problem, mapping, w, loops, mapping.addedLast ? llvm::function_ref<void(const Placed &)>(add) : nullptr);
}
