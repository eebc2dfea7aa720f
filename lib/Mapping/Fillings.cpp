//===- Fillings.cpp - Numbers for what a nest leaves open -------*- C++ -*-===//
//
// The nest stays as it is written: its open steps get numbers, and extents and tiles follow from them.
//
//===----------------------------------------------------------------------===//

#include "Schemes.h"
#include "tilec/Tile/Distribution.h"
#include "tilec/Tile/Open.h"

#include <limits>

using namespace mlir;
using namespace tilec;
using namespace tilec::mapping;
using tile::ForOp;
using tile::KernelOp;
using tile::Level;
using tile::Unit;

namespace {
/// So many fillings are considered.
constexpr size_t kMostFillings = 20000;
/// Registers of a thread beside what it computes with.
constexpr int64_t kOtherRegisters = 32;

/// An induction variable of a written loop around the root.
struct Walk {
  ForOp loop;
  unsigned number, dim;
  int64_t step;
  bool isOpen() const { return ForOp(loop).getSteps()[number] == tile::kOpenStep; }
};

class Filler {
public:
  Filler(const OpenNest &nest, const Problem &problem, const MachineSpec &machine, std::vector<Candidate> &candidates);

  void run();

private:
  void fill(size_t next);
  void add();
  /// What the loops around walk `next` leave of its dimension.
  int64_t getLeft(size_t next) const;
  std::optional<double> getCycles(const Mapping &mapping) const;

  const OpenNest &nest;
  const Problem &problem;
  const MachineSpec &machine;
  std::vector<Candidate> &candidates;
  SmallVector<WrittenLoop> loops;
  SmallVector<Walk> walks;
  /// The loop that a pipeline would be of; null where the nest says of one, or stages nothing.
  ForOp staging;
};
} // namespace

/// The loop on time without a pipeline that tiles are staged to shared memory in.
static ForOp findStaging(const OpenNest &nest) {
  ForOp staging;
  bool pipelined = false;
  nest.getKernel().walk([&](tile::StageOp stage) {
    auto loop = dyn_cast<ForOp>(stage->getParentOp());
    if (loop && loop.getUnit() == Unit::Time && loop.getNumLoops() == 1 && tile::getLevel(stage.getTile().getType()) == Level::SMEM)
      staging = loop;
  });
  nest.getKernel().walk([&](ForOp loop) { pipelined |= loop.getPipeline().has_value(); });
  return pipelined ? ForOp() : staging;
}

Filler::Filler(const OpenNest &nest, const Problem &problem, const MachineSpec &machine, std::vector<Candidate> &candidates)
    : nest(nest), problem(problem), machine(machine), candidates(candidates), loops(nest.getLoops(nest.getRoot(problem))), staging(findStaging(nest)) {
  for (const WrittenLoop &written : loops)
    for (auto [number, dim] : llvm::enumerate(written.dims))
      walks.push_back({written.loop, unsigned(number), dim, ForOp(written.loop).getSteps()[number]});
}

void Filler::run() {
  bool threads = false, others = false;
  nest.getKernel().walk([&](ForOp loop) {
    threads |= tile::isThreadUnit(loop);
    others |= tile::isOpen(loop) && llvm::none_of(loops, [&](const WrittenLoop &written) { return written.loop == loop; });
  });
  // A block of one thread is no answer, and what is open in loops of their own would have to fit those around the root.
  if (threads && !others)
    fill(0);
}

int64_t Filler::getLeft(size_t next) const {
  for (size_t outer = next; outer-- > 0;)
    if (walks[outer].dim == walks[next].dim)
      return walks[outer].step;
  return std::max<int64_t>(problem.dims[walks[next].dim].size, 1);
}

/// What is tried of a loop's steps.
static SmallVector<int64_t> listSteps(ForOp loop) {
  switch (loop.getUnit()) {
  case Unit::Cluster:
  case Unit::Block:
    return {256, 128, 64, 32, 16, 8, 1, 1024, 512};
  case Unit::Warpgroup:
  case Unit::Warp:
    return {64, 32, 128, 16};
  case Unit::Time:
    return loop.getLevel() == Level::DRAM ? SmallVector<int64_t>{16, 8, 32, 64, 1} : SmallVector<int64_t>{1, 4, 16};
  default:
    return {8, 4, 2, 1, 16};
  }
}

void Filler::fill(size_t next) {
  if (candidates.size() >= kMostFillings)
    return;
  if (next == walks.size())
    return add();
  Walk &walk = walks[next];
  if (!walk.isOpen())
    return fill(next + 1);
  bool inner = llvm::any_of(ArrayRef(walks).take_front(next), [&](const Walk &outer) { return outer.dim == walk.dim; });
  int64_t left = getLeft(next);
  for (int64_t step : listSteps(walk.loop)) {
    // Tiles of a tile fill it; of a whole dimension they reach beyond its end by less than themselves.
    if (inner ? left % step != 0 : step >= 2 * left && step > 1)
      continue;
    walk.step = step;
    fill(next + 1);
  }
  walk.step = tile::kOpenStep;
}

void Filler::add() {
  Mapping mapping;
  mapping.scheme = Scheme::Written;
  mapping.tile.assign(problem.dims.size(), 1);
  for (auto [dim, extent] : llvm::zip_equal(problem.dims, mapping.tile))
    extent = std::max<int64_t>(dim.size, 1);
  bool inside = false;
  for (const Walk &walk : walks) {
    inside |= tile::isThreadUnit(walk.loop);
    if (!inside)
      mapping.tile[walk.dim] = walk.step;
    if (walk.isOpen())
      mapping.steps.push_back(walk.step);
  }
  for (int64_t stages : staging ? SmallVector<int64_t>{1, 2, 3} : SmallVector<int64_t>{1}) {
    mapping.stages = stages;
    if (std::optional<double> cycles = getCycles(mapping))
      candidates.push_back({mapping, *cycles});
  }
}

/// What bounds say: products beside loads of threads, bytes from L2, and how much of the machine is busy; absent where a block does not fit.
std::optional<double> Filler::getCycles(const Mapping &mapping) const {
  SmallVector<int64_t> own = mapping.tile;
  int64_t threads = 1;
  for (size_t i = 0; i < walks.size(); ++i) {
    const Walk &walk = walks[i];
    if (!tile::isThreadUnit(walk.loop))
      continue;
    threads *= getLeft(i) / walk.step;
    own[walk.dim] = walk.step;
  }
  for (unsigned dim : getReduced(problem))
    own[dim] = 1;
  bool warps = llvm::any_of(loops, [](const WrittenLoop &written) { return ForOp(written.loop).getUnit() == Unit::Warp; });
  int64_t held = getTileBytes(problem.output, own) / 4, staged = 0;
  double loads = 0;
  for (const Use &input : problem.inputs) {
    staged += staging ? getTileBytes(input, mapping.tile) * mapping.stages : 0;
    loads += double(getTileBytes(input, own)) / 4;
  }
  // Sums, fragments twice where they are loaded ahead, and addresses.
  int64_t registers = held + 2 * int64_t(loads) + kOtherRegisters;
  const LevelSpec &rf = machine.level(MemoryLevel::Rf);
  int64_t registersOfSM = rf.capacity ? rf.capacity->value / 4 : std::numeric_limits<int64_t>::max();
  if (threads > machine.limits.threadsPerBlock.value || threads < (warps ? 1 : 32) || staged > machine.limits.smemPerBlock.value ||
      registers > machine.limits.registersPerThread.value || registers * threads > registersOfSM)
    return std::nullopt;
  double points = 1;
  for (unsigned dim : getParallel(problem))
    points *= double(own[dim]);
  const MathRate *rate = machine.rate(MathUnit::Fma, MathType::F32);
  double lanes = double(machine.sms.value) * (rate ? rate->rate.value : 128);
  double compute = problem.getPoints() / lanes * (1 + (staging ? 1 : 4) * loads / points);
  const LevelSpec &l2 = machine.level(MemoryLevel::L2);
  double bytes = l2.bandwidth ? getRequestedBytes(problem, mapping) / l2.bandwidth->value : 0;
  double idle = std::max(1.0, double(machine.sms.value) * 256 / (countTiles(problem, mapping.tile) * double(threads)));
  return std::max(compute, bytes) * idle * (mapping.stages > 1 ? 1 : 1.1);
}

void mapping::listFillings(const OpenNest &nest, const Problem &problem, const MachineSpec &machine, std::vector<Candidate> &candidates) {
  std::vector<Candidate> fillings;
  Filler(nest, problem, machine, fillings).run();
  candidates.insert(candidates.end(), fillings.begin(), fillings.end());
}

/// The elements of `map` from the first to the last of tiles of `tile`, along subscript `expr`.
static int64_t getExtent(AffineMap map, unsigned position, ArrayRef<int64_t> tile) {
  SmallVector<int64_t> first(tile.size(), 0), last = llvm::map_to_vector(tile, [](int64_t extent) { return extent - 1; });
  return map.compose(last)[position] - map.compose(first)[position] + 1;
}

/// Of an operand whose neighbours lie along a reduction, the only dimension of the result that it moves with.
static std::optional<unsigned> getSide(const Use &input, const Problem &problem) {
  std::optional<unsigned> fast = Problem::getFastDim(input), side;
  if (!fast || problem.dims[*fast].parallel)
    return std::nullopt;
  for (unsigned dim : getParallel(problem)) {
    if (!Problem::uses(input.map, dim))
      continue;
    if (side)
      return std::nullopt;
    side = dim;
  }
  return side;
}

KernelOp mapping::fillNest(const OpenNest &nest, const Problem &problem, const Mapping &mapping, OpBuilder &builder) {
  IRMapping copied;
  KernelOp written = nest.getKernel();
  auto kernel = cast<KernelOp>(builder.clone(*written, copied));
  const int64_t *step = mapping.steps.begin();
  ForOp staging = mapping.stages > 1 ? findStaging(nest) : ForOp();
  for (const WrittenLoop &loop : nest.getLoops(nest.getRoot(problem))) {
    auto copy = cast<ForOp>(copied.lookup(ForOp(loop.loop).getOperation()));
    SmallVector<int64_t> steps(copy.getSteps());
    for (int64_t &number : steps)
      if (number == tile::kOpenStep)
        number = *step++;
    copy.setSteps(steps);
    if (loop.loop == staging)
      copy.setPipeline(mapping.stages);
  }
  // Of each computation's dimensions what the loops around `op` leave; 0 where that is no number.
  auto getLeft = [&](const WrittenOp &of, unsigned dim, Operation *op) {
    auto whole = dyn_cast<Attribute>(of.extents[dim]);
    int64_t left = whole ? cast<IntegerAttr>(whole).getInt() : 0;
    for (Value variable : of.moves[dim]) {
      auto argument = cast<BlockArgument>(variable);
      auto loop = cast<ForOp>(argument.getOwner()->getParentOp());
      if (!loop->isProperAncestor(op))
        continue;
      auto copy = cast<ForOp>(copied.lookup(loop.getOperation()));
      SmallVector<int64_t> extents(copy.getStaticExtents());
      if (extents[argument.getArgNumber()] == tile::kOpenExtent) {
        extents[argument.getArgNumber()] = left;
        copy.setStaticExtents(extents);
      }
      left = copy.getSteps()[argument.getArgNumber()];
    }
    return left;
  };
  for (const WrittenTile &tile : nest.getTiles()) {
    const WrittenOp &of = nest.getOps()[tile.op];
    SmallVector<int64_t> extents;
    for (unsigned dim = 0; dim < of.moves.size(); ++dim)
      extents.push_back(getLeft(of, dim, tile.tile.getDefiningOp()));
    Value copy = copied.lookup(tile.tile);
    auto type = cast<MemRefType>(copy.getType());
    SmallVector<int64_t> shape(type.getShape());
    for (auto [position, extent] : llvm::enumerate(shape)) {
      if (!ShapedType::isDynamic(extent))
        continue;
      for (unsigned dim = 0; dim < extents.size(); ++dim)
        if (tile.map.getResult(position).isFunctionOfDim(dim) && extents[dim] == 0) {
          kernel.erase(); // All of a dimension that no number says.
          return {};
        }
      extent = getExtent(tile.map, position, extents);
    }
    copy.setType(MemRefType::get(shape, type.getElementType(), type.getLayout(), type.getMemorySpace()));
    auto stage = dyn_cast_if_present<tile::StageOp>(copy.getDefiningOp());
    if (!stage || mapping.layoutsOpen || tile.op != nest.getRoot(problem) || tile::getLevel(copy.getType()) != Level::SMEM || isa<tile::LayoutAttr>(type.getLayout()))
      continue;
    if (std::optional<unsigned> side = getSide({stage.getSource(), tile.map}, problem))
      layOutAlong(*side, tile.map, stage.getTile());
    else if (FailureOr<layout::ComposedLayout> rows = tile::getStaticLayout(cast<MemRefType>(copy.getType())); succeeded(rows))
      copy.setType(MemRefType::get(shape, type.getElementType(), tile::LayoutAttr::get(copy.getContext(), *rows), type.getMemorySpace()));
  }
  for (const WrittenOp &op : nest.getOps())
    for (unsigned dim = 0; dim < op.moves.size(); ++dim)
      getLeft(op, dim, linalg::LinalgOp(op.op));
  return kernel;
}
