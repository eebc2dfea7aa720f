//===- Written.cpp - What a nest says is kept -------------------*- C++ -*-===//
//
// A nest that is written in part has loops and stages with clauses, and numbers. Candidates have those numbers; of the nest
// that one stands for it is asked whether it has those loops, in their order, and those stages, and it is given the clauses.
//
//===----------------------------------------------------------------------===//

#include "Schemes.h"
#include "tilec/Tile/Access.h"
#include "tilec/Tile/Distribution.h"
#include "tilec/Tile/Open.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::mapping;
using tile::ForOp;
using tile::Level;
using tile::StageOp;
using tile::Unit;

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

static std::optional<int64_t> getStep(ForOp loop, unsigned number) {
  int64_t step = loop.getSteps()[number];
  return step == tile::kOpenStep ? std::nullopt : std::optional(step);
}

Wish mapping::getWish(const OpenNest &nest, const Problem &problem) {
  Wish wish(problem);
  wish.isNest = true;
  bool inside = false;
  for (const WrittenLoop &written : nest.getLoops(nest.getRoot(problem))) {
    ForOp loop = written.loop;
    bool grid = loop.getUnit() == Unit::Cluster || loop.getUnit() == Unit::Block;
    inside |= tile::isThreadUnit(loop);
    for (auto [number, dim] : llvm::enumerate(written.dims)) {
      if (loop.getUnit() == Unit::Warp)
        wish.warp[dim] = getStep(loop, number);
      if (grid || (!inside && loop.getUnit() == Unit::Time))
        wish.tile[dim] = getStep(loop, number);
    }
    if (grid && wish.grid.empty()) {
      // Dimensions that the nest does not walk come first: each of their tiles is a grid of its own.
      for (unsigned dim : getParallel(problem))
        if (!llvm::is_contained(written.dims, dim))
          wish.grid.push_back(dim);
      llvm::append_range(wish.grid, llvm::make_filter_range(written.dims, [&](unsigned dim) { return problem.dims[dim].parallel; }));
    }
    if (loop.getPipeline() && !inside)
      wish.stages = loop.getPipeline();
    if (loop.getProducers())
      wish.producers = loop.getProducers();
  }
  return wish;
}

bool Wish::agrees(const Mapping &mapping) const {
  for (auto [asked, has] : llvm::zip_equal(tile, mapping.tile))
    if (asked && *asked != has)
      return false;
  return true;
}

SmallVector<int64_t> Wish::getTiles(unsigned dim, ArrayRef<int64_t> open) const {
  return tile[dim] ? SmallVector<int64_t>{*tile[dim]} : SmallVector<int64_t>(open);
}

//===----------------------------------------------------------------------===//
// Loops and stages
//===----------------------------------------------------------------------===//

namespace {
class Keeper {
public:
  Keeper(const OpenNest &open, const Problem &problem, const NestWriter &writer) : open(open), problem(problem), writer(writer) {}

  bool run() { return keepLoops() && keepStages(); }

private:
  bool keepLoops();
  bool keepStages();
  /// The written loops around the root, the outermost first.
  SmallVector<std::pair<ForOp, ArrayRef<unsigned>>> getPath() const;
  bool sharesOut(const WrittenLoop &written) const;

  const OpenNest &open;
  const Problem &problem;
  const NestWriter &writer;
};
} // namespace

static bool isClause(ForOp loop, StringAttr name) {
  StringAttr others[] = {loop.getStaticExtentsAttrName(), loop.getStepsAttrName(), loop.getLevelAttrName(), loop.getUnitAttrName(), loop.getOperandSegmentSizesAttrName()};
  return !llvm::is_contained(others, name);
}

/// Says `loop` no more than that its unit takes dimensions, or that time walks them?
static bool isFree(ForOp loop) {
  bool steps = llvm::all_of(loop.getSteps(), [](int64_t step) { return step == tile::kOpenStep; });
  return steps && llvm::none_of(loop->getAttrs(), [&](NamedAttribute attribute) { return isClause(loop, attribute.getName()); });
}

static Location withNameOf(Location location, Location named) {
  auto name = dyn_cast<NameLoc>(named);
  return name ? Location(NameLoc::get(name.getName(), location)) : location;
}

SmallVector<std::pair<ForOp, ArrayRef<unsigned>>> Keeper::getPath() const {
  SmallVector<std::pair<ForOp, ArrayRef<unsigned>>> path;
  for (const auto &[loop, dims] : writer.getLoops())
    if (ForOp(loop)->isProperAncestor(writer.getRoot()))
      path.push_back({loop, dims});
  return path;
}

/// The places in `dims` of `written`, in that order; nothing where they are not all there.
static std::optional<SmallVector<unsigned>> findDims(ArrayRef<unsigned> written, ArrayRef<unsigned> dims) {
  SmallVector<unsigned> places;
  unsigned next = 0;
  for (unsigned dim : written) {
    while (next < dims.size() && dims[next] != dim)
      ++next;
    if (next == dims.size())
      return std::nullopt;
    places.push_back(next++);
  }
  return places;
}

/// Do loops on its unit take the dimensions of `written` together?
bool Keeper::sharesOut(const WrittenLoop &written) const {
  ForOp loop = written.loop;
  return llvm::all_of(written.dims, [&](unsigned dim) {
    return llvm::any_of(getPath(), [&](const auto &made) { return ForOp(made.first).getUnit() == loop.getUnit() && llvm::is_contained(made.second, dim); });
  });
}

/// Gives `made` what `written` says; false where it is no such loop.
static bool keepLoop(const WrittenLoop &written, ForOp made, ArrayRef<unsigned> dims) {
  ForOp loop = written.loop;
  std::optional<SmallVector<unsigned>> places = findDims(written.dims, dims);
  if (!places || loop.getUnit() != made.getUnit() || loop.getLevel() != made.getLevel())
    return false;
  for (auto [number, place] : llvm::enumerate(*places))
    if (std::optional<int64_t> step = getStep(loop, number); step && *step != made.getSteps()[place])
      return false;
  for (NamedAttribute attribute : loop->getAttrs())
    if (isClause(loop, attribute.getName()))
      made->setAttr(attribute.getName(), attribute.getValue());
  for (auto [number, place] : llvm::enumerate(*places)) {
    BlockArgument variable = made.getBody().getArgument(place);
    variable.setLoc(withNameOf(variable.getLoc(), loop.getBody().getArgument(number).getLoc()));
  }
  return true;
}

bool Keeper::keepLoops() {
  unsigned root = open.getRoot(problem);
  auto path = getPath();
  SmallVector<WrittenLoop> loops = open.getLoops(root);
  unsigned next = 0;
  for (const WrittenLoop &written : loops) {
    ForOp loop = written.loop;
    bool grid = loop.getUnit() == Unit::Cluster || loop.getUnit() == Unit::Block;
    if (isFree(loop) && !grid) {
      if (tile::isThreadUnit(loop) && !sharesOut(written))
        return false;
      continue;
    }
    while (next < path.size() && !keepLoop(written, path[next].first, path[next].second))
      ++next;
    if (next++ == path.size())
      return false;
  }
  // Loops of their own around what follows the root are not written.
  bool others = false;
  open.getKernel().walk([&](ForOp loop) {
    others |= !isFree(loop) && llvm::none_of(loops, [&](const WrittenLoop &written) { return written.loop == loop; });
  });
  return !others;
}

/// Gives `made` what `written` says; false where its tile is another.
static bool keepStage(StageOp written, StageOp made) {
  auto type = cast<MemRefType>(written.getTile().getType()), has = cast<MemRefType>(made.getTile().getType());
  for (auto [asked, extent] : llvm::zip_equal(type.getShape(), has.getShape()))
    if (!ShapedType::isDynamic(asked) && asked != extent)
      return false;
  if (isa<tile::LayoutAttr>(type.getLayout()))
    made.getTile().setType(type);
  // Its subscripts are its own.
  StringAttr others[] = {written.getMapAttrName(), written.getOperandSegmentSizesAttrName()};
  for (NamedAttribute attribute : written->getAttrs())
    if (!llvm::is_contained(others, attribute.getName()))
      made->setAttr(attribute.getName(), attribute.getValue());
  made->setLoc(withNameOf(made.getLoc(), written.getLoc()));
  return true;
}

bool Keeper::keepStages() {
  bool kept = true;
  open.getKernel().walk([&](StageOp written) {
    auto whole = dyn_cast<BlockArgument>(tile::traceToOperand(written.getSource()).root);
    auto level = tile::getLevel(written.getTile().getType());
    bool found = false;
    tile::KernelOp kernel = writer.getKernel();
    kernel.walk([&](StageOp made) {
      auto from = dyn_cast<BlockArgument>(tile::traceToOperand(made.getSource()).root);
      if (found || !whole || !from || from.getArgNumber() != whole.getArgNumber() || tile::getLevel(made.getTile().getType()) != level)
        return;
      found = level == Level::RF || keepStage(written, made);
    });
    kept &= found;
  });
  return kept;
}

bool mapping::keepWritten(const OpenNest &open, const Problem &problem, const NestWriter &writer) { return Keeper(open, problem, writer).run(); }
