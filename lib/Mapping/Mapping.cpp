//===- Mapping.cpp - How a problem becomes a nest ---------------*- C++ -*-===//

#include "tilec/Mapping/Mapping.h"

#include "Schemes.h"
#include "tilec/Tile/Distribution.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>
#include <map>

using namespace mlir;
using namespace tilec;
using namespace tilec::mapping;

/// Of so many streams by way of shared memory the layouts are planned, which takes longer than all else.
static constexpr size_t kMostPlanned = 16;

/// Of rows so many are taken, and so many that lie in shared memory.
static constexpr size_t kMostRows = 48, kMostShared = 6;

static std::string joinNumbers(ArrayRef<int64_t> numbers) {
  std::string text;
  for (int64_t number : numbers)
    text += (text.empty() ? "" : "x") + std::to_string(number);
  return text;
}

std::string Mapping::toString() const {
  if (scheme == Scheme::Rows)
    return "rows in steps of " + joinNumbers(tile) + (kept == Kept::Nowhere ? ", read again" : ", " + std::to_string(repeat) + (kept == Kept::Shared ? " in shared memory" : " in registers")) +
           ", vectors of " + std::to_string(vector) + (rows > 1 ? " of " + std::to_string(rows) + " rows" : "") + (skewed ? ", skewed" : "");
  if (scheme == Scheme::Written)
    return "as written, by " + joinNumbers(steps) + (stages > 1 ? ", " + std::to_string(stages) + " stages" : "") + (layoutsOpen ? ", layouts planned" : "");
  std::string text = "block " + joinNumbers(tile);
  if (warpRows > 0)
    text += ", warp " + joinNumbers({warpRows, warpColumns});
  if (scheme == Scheme::Instructions || scheme == Scheme::WarpInstructions || (scheme == Scheme::Chain && warpRows > 0))
    text += usesWarps() ? ", mma.sync" : ", wgmma";
  if (scheme == Scheme::Chain)
    text += ", softmax between";
  if (together > 1)
    text += ", " + std::to_string(together) + " steps at once";
  if (groups > 1)
    text += ", steps parted by " + std::to_string(groups);
  if (addedLast)
    text += ", added to the result at the end";
  if (buffers > 1)
    text += ", loaded ahead";
  if (vector > 1)
    text += ", vectors of " + std::to_string(vector);
  if (rows > 1)
    text += scheme == Scheme::Sums    ? ", " + std::to_string(rows) + " rows of threads"
            : scheme == Scheme::Chain ? ", " + std::to_string(rows) + " rows a thread"
                                      : " of " + std::to_string(rows) + " rows";
  if (skewed)
    text += ", skewed";
  if (repeat > 1)
    text += ", " + std::to_string(repeat) + " a thread";
  if (llvm::is_contained(staged, true) && scheme == Scheme::Streams)
    text += turned > 0 && skewed ? ", " + std::to_string(turned) + " lines at once loaded from where vectors begin, by way of shared memory"
            : turned > 0         ? ", " + std::to_string(turned) + " lines turned at once on the way to shared memory"
                                 : ", by way of shared memory";
  if (stages > 1)
    text += ", " + std::to_string(stages) + " stages";
  if (producers > 0)
    text += ", " + std::to_string(producers) + " producers";
  if (clusterRows > 1)
    text += ", clusters of " + std::to_string(clusterRows);
  if (split > 1)
    text += ", reduction split by " + std::to_string(split);
  if (persistent)
    text += ", persistent";
  if (teams > 1)
    text += ", " + std::to_string(teams) + " teams";
  if (cutTail)
    text += ", last wave cut";
  return text;
}

std::string Mapping::getKind() const {
  if (scheme == Scheme::Written)
    return "written " + joinNumbers(tile);
  if (scheme == Scheme::Rows)
    return joinNumbers({int64_t(kept), rows, skewed});
  return joinNumbers({int64_t(scheme), warpRows, warpColumns, together, groups, producers > 0, teams, clusterRows, split > 1, llvm::is_contained(staged, true), vector, rows, scheme == Scheme::Sums && cutTail, skewed, turned});
}

std::vector<Mapping> mapping::listMappings(const Problem &problem, const OpenNest *open, const MachineSpec &machine, size_t most, size_t &considered) {
  std::vector<Candidate> candidates;
  Wish wish = open ? getWish(*open, problem) : Wish(problem);
  if (problem.chain) {
    listChains(problem, machine, candidates);
  } else if (problem.rows) {
    listRows(problem, machine, candidates);
  } else {
    // Tiles of products have nothing to share where a matrix multiplies a vector.
    auto isOnce = [&](const Use &input) { return isReadOnce(problem, input); };
    if (wish.isNest || !problem.init || llvm::none_of(problem.inputs, isOnce)) {
      listInstructions(problem, machine, wish, candidates);
      listWarpInstructions(problem, machine, wish, candidates);
      listProducts(problem, machine, wish, candidates);
    }
    listStreams(problem, machine, wish, candidates);
    listSums(problem, machine, wish, candidates);
  }
  // The loops of an open nest are its own.
  llvm::erase_if(candidates, [&](const Candidate &candidate) { return !wish.agrees(candidate.mapping) || (open && (candidate.mapping.skewed || candidate.mapping.turned)); });
  for (Candidate &candidate : candidates)
    candidate.mapping.grid = wish.grid;
  if (open)
    listFillings(*open, problem, machine, candidates);
  considered = candidates.size();
  if (problem.rows)
    most = std::min(most, kMostRows);
  llvm::stable_sort(candidates, [](const Candidate &a, const Candidate &b) { return a.cycles < b.cycles; });
  // Bounds know little of what tells kinds of mappings apart, so each kind has its turn.
  std::map<std::string, std::vector<const Mapping *>> kinds;
  std::vector<std::string> order;
  for (const Candidate &candidate : candidates) {
    std::vector<const Mapping *> &kind = kinds[candidate.mapping.getKind()];
    if (kind.empty())
      order.push_back(candidate.mapping.getKind());
    kind.push_back(&candidate.mapping);
  }
  llvm::DenseSet<const Mapping *> taken;
  for (size_t turn = 0; taken.size() < std::min(most, candidates.size()); ++turn)
    for (const std::string &kind : order)
      if (turn < kinds[kind].size() && taken.size() < most)
        taken.insert(kinds[kind][turn]);
  std::vector<Mapping> chosen;
  size_t staged = 0, mostStaged = problem.rows ? kMostShared : kMostPlanned;
  for (const Candidate &candidate : candidates) {
    bool plans = candidate.mapping.kept == Kept::Shared || (candidate.mapping.scheme == Scheme::Streams && llvm::is_contained(candidate.mapping.staged, true) && !candidate.mapping.turned);
    if (taken.contains(&candidate.mapping) && (!plans || staged++ < mostStaged))
      chosen.push_back(candidate.mapping);
  }
  return chosen;
}

/// Do warps that multiply wait for what they load more than is predicted? A warp a scheduler does, where its steps or its sums are few, or where it shares steps with
/// others; so do warps of few sums that load four steps at once, where a slot has few of them. 119 such products with warps that copy took 1.15 times as long as predicted on
/// an H100, 517 others 1.04 times (medians).
static bool stalls(const Mapping &mapping) {
  constexpr int64_t kWarpEach = 4, kFewSums = 16, kSums = 32, kFewSteps = 16;
  int64_t sums = mapping.warpRows * mapping.warpColumns / tile::kWarpThreads;
  bool few = mapping.tile[mapping.depth] <= kFewSteps;
  return countWarps(mapping) <= kWarpEach ? mapping.groups > 1 || sums <= kFewSums || few : mapping.together > 1 && sums <= kSums && few;
}

/// Does what follows the root read operands as large as the result? `turned`: such that lie otherwise, of which each thread loads an element at a time.
static bool readsOperands(const Problem &problem, bool turned) {
  return llvm::any_of(problem.epilogue, [&](linalg::LinalgOp op) {
    AffineMap result = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
    return llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *input) {
      AffineMap map = op.getMatchingIndexingMap(input);
      return isa<BlockArgument>(input->get()) && map.isPermutation() && (!turned || map != result);
    });
  });
}

double mapping::getDoubt(const Problem &problem, const Mapping &mapping) {
  // Blocks of clusters that share a reduction wait for SMs beside each other: of products for which they were predicted to be 0.97 to 1.21 times as fast as others on an
  // H100 they were 0.67 to 0.93 times; sums for which they were predicted to be 5 to 12 times as fast were 2 to 9 times.
  constexpr double kBySplits = 1.3;
  constexpr double kByStalls = 1.1;
  // Threads that copy what they compute with: 184 products on an H100 took 1.09 times as long as predicted, 739 with producers 1.045 times. Steps of ten pieces a thread and more (128x256x32 by 16 warps)
  // took 3 to 6 % longer than shorter ones in four products, and were predicted to be faster; 30 products without a step ahead took 1.07 times as long as predicted, where
  // others took 1.04 times.
  constexpr double kByThreads = 1.05, kByCopies = 1.1;
  constexpr int64_t kManyPieces = 10;
  if (mapping.split > 1)
    return kBySplits;
  if (mapping.scheme == Scheme::Streams)
    return getDoubtOfStreams(problem, mapping);
  if (mapping.scheme == Scheme::Sums)
    return getDoubtOfSums(problem, mapping);
  if (mapping.scheme == Scheme::Rows)
    return getDoubtOfRows(problem, mapping);
  // Blocks of warps that multiply twice begin and end with waits that are not seen: few steps took 1.27 to 1.38 times as long as predicted on an H200 (64 heads of 1024 tokens, of
  // 64 and 128 numbers), many 1.00 to 1.07 times (16 heads of 8192).
  constexpr double kByWarpChains = 1.3;
  // Threads that stand 16 x 16 took on an H200 1.08 to 1.24 times as long as predicted (16 heads of 2048 to 8192 tokens of 40 to 128 numbers), 1.05 to 1.13 times where they
  // load ahead; those that take rows beside each other 0.93 to 1.01 times, in blocks of 256 rows.
  constexpr double kByThreadChains = 1.1;
  if (mapping.scheme == Scheme::Chain && mapping.usesWarps())
    return kByWarpChains;
  if (mapping.scheme == Scheme::Chain && mapping.warpRows == 0 && mapping.rows == 1)
    return kByThreadChains;
  // Teams whose warps load operands element by element when they have multiplied wait for each, and their tiles are too short for the other team to hide it: products of f16
  // that added a residual so took 89 us on an H200 where 61 were predicted (4096x2048x2048 by 128x128), 64 for 62 by 128x192, and without teams 60 for 62.
  constexpr double kByElements = 1.3;
  // Nothing hides what warpgroups load so when they have multiplied, two elements at a time, but teams: on an H200 four such products by 128x256 and 256x128 took longer beside
  // the product alone than is predicted, by 1.06 to 1.13 (22.3 us, 59.0, 138 and 175; teams by 128x128 20.2, 53.3, 133 and 153).
  constexpr double kByOperands = 1.1;
  // A warp alone waits for each of its loads: of 8x4096 by 4096x4096 in f16 64 and 128 warps took on an H200 1.8 to 1.9 times as long as predicted, 256 1.4 to 1.5 times, and of 8
  // products of 4x4096 by 4096x128 32 and 64 warps 1.8 to 3.1 times.
  constexpr double kWarpsOfAll = 528, kByLoneWarps = 0.35;
  if (double warps = mapping.scheme == Scheme::WarpInstructions ? countTiles(problem, mapping.tile) * double(mapping.split * countWarps(mapping)) : kWarpsOfAll; warps < kWarpsOfAll)
    return std::pow(kWarpsOfAll / warps, kByLoneWarps);
  // Persistent blocks of one row of tiles: 8x4096 by 4096x14336 took 1.32 to 1.45 times as long as predicted, lone tiles of more columns 1.08 to 1.17 times.
  constexpr double kByOneRow = 1.2;
  if (mapping.scheme == Scheme::Instructions && mapping.persistent && problem.dims[mapping.row].size <= mapping.tile[mapping.row])
    return kByOneRow;
  // Nor do teams whose threads hold more sums than this: ptxas spills up to 1,600 bytes of 160 and 192.
  constexpr int64_t kMostSums = 128, kGroupThreads = 4 * tile::kWarpThreads;
  bool hides = mapping.teams > 1 && mapping.warpRows * mapping.tile[mapping.column] <= kMostSums * kGroupThreads;
  if (mapping.scheme == Scheme::Instructions && mapping.teams > 1 && readsOperands(problem, /*turned=*/true))
    return kByElements;
  if (mapping.scheme == Scheme::Instructions && !hides && readsOperands(problem, /*turned=*/false))
    return kByOperands;
  if (mapping.scheme != Scheme::Products)
    return 1;
  if (mapping.producers > 0)
    return stalls(mapping) ? kByStalls : 1;
  return mapping.stages < 2 || countPieces(problem, mapping) >= kManyPieces * tile::kWarpThreads * countWarps(mapping) ? kByCopies : kByThreads;
}

tile::KernelOp mapping::writeNest(const Problem &problem, const OpenNest *open, const Mapping &mapping, OpBuilder &builder) {
  if (mapping.scheme == Scheme::Written)
    return fillNest(*open, problem, mapping, builder);
  auto kernel = cast<tile::KernelOp>(builder.cloneWithoutRegions(*problem.kernel));
  NestWriter writer(problem, kernel);
  switch (mapping.scheme) {
  case Scheme::Products:
    writeProducts(problem, mapping, writer);
    break;
  case Scheme::Instructions:
    writeInstructions(problem, mapping, writer);
    break;
  case Scheme::WarpInstructions:
    writeWarpInstructions(problem, mapping, writer);
    break;
  case Scheme::Streams:
    writeStreams(problem, mapping, writer);
    break;
  case Scheme::Sums:
    writeSums(problem, mapping, writer);
    break;
  case Scheme::Rows:
    writeRows(problem, mapping, writer);
    break;
  case Scheme::Chain:
    writeChain(problem, mapping, writer);
    break;
  case Scheme::Written:
    break;
  }
  if (!open || keepWritten(*open, problem, writer))
    return kernel;
  kernel.erase();
  return {};
}
