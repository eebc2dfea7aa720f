//===- Sums.cpp - Threads that share a reduction ----------------*- C++ -*-===//
//
// Where an input's neighbours lie along the reduction, the threads of a block share it, each with some side by side. Where
// they lie along the result, threads take columns of it, and the blocks of a cluster share the rows.
//
//===----------------------------------------------------------------------===//

#include "Schemes.h"
#include "Skew.h"

#include <array>

using namespace mlir;
using namespace tilec;
using namespace tilec::mapping;
using tile::ForOp;
using tile::Level;
using tile::Unit;

/// Bytes at DRAM's rate, by the share of SMs that have a block, and of the threads that hide its latency.
static double getCycles(const Problem &problem, const Mapping &mapping, const MachineSpec &machine, double threads) {
  const LevelSpec &dram = machine.level(MemoryLevel::Dram);
  double perCycle = dram.bandwidth ? dram.bandwidth->value / machine.boostClock.value : 1000;
  double blocks = countTiles(problem, mapping.tile) * double(mapping.split);
  if (mapping.cutTail)
    blocks = double(machine.sms.value) * std::max(1.0, double(machine.limits.threadsPerSM.value) / 2 / threads);
  double all = blocks * threads * double(mapping.vector);
  double idle = std::max(1.0, double(machine.sms.value) * 4096 / all);
  // Short lines are over before they are under way, and narrow loads take more instructions.
  idle *= 1 + 0.01 * std::max(0.0, 1024 / (threads * double(mapping.vector)) - 1);
  idle *= 1 + 0.02 * (4.0 / double(std::min<int64_t>(mapping.vector, 4)) - 1);
  // Where rows are no whole vectors neighbours are loaded one after the other: sums of the columns of 7090x1427 took 38 us by pairs on an H100, 32 one by one.
  auto isOdd = [&](const Use &input) { return Problem::getFastDim(input) == mapping.column && problem.dims[mapping.column].size % mapping.vector != 0; };
  if (llvm::any_of(problem.inputs, isOdd))
    idle *= 1.1;
  return getOperandBytes(problem) / perCycle * idle + countTiles(problem, mapping.tile) * 600 / double(machine.sms.value) / 4;
}

/// Has `threads` take what there is along `mapping.row`, and those that this leaves without work other places of the longest other reduced dimension.
static void shareLines(const Problem &problem, int64_t threads, int64_t vector, Mapping &mapping) {
  mapping.vector = vector;
  mapping.tile.assign(problem.dims.size(), 1);
  mapping.tile[mapping.row] = threads * vector;
  SmallVector<unsigned> others = getReduced(problem);
  llvm::erase(others, mapping.row);
  if (others.empty())
    return;
  int64_t needed = std::min<int64_t>(threads, llvm::PowerOf2Ceil(llvm::divideCeil(problem.dims[mapping.row].size, vector)));
  mapping.tile[mapping.row] = needed * vector;
  mapping.tile[*llvm::max_element(others, [&](unsigned a, unsigned b) { return problem.dims[a].size < problem.dims[b].size; })] = threads / needed;
}

/// Steps of a cut reduction that are written out; longer ones are loops.
static constexpr int64_t kMostWritten = 32;

/// The same with the longest reduced dimension cut among all blocks, in steps that are long beside what putting a block's threads together takes.
static void listCut(const Problem &problem, Mapping mapping, const MachineSpec &machine, double threads, std::vector<Candidate> &candidates) {
  SmallVector<unsigned> reduced = getReduced(problem);
  auto countSteps = [&](unsigned dim) { return int64_t(llvm::divideCeil(problem.dims[dim].size, mapping.tile[dim])); };
  mapping.depth = *llvm::max_element(reduced, [&](unsigned a, unsigned b) { return countSteps(a) < countSteps(b); });
  mapping.persistent = mapping.cutTail = true;
  llvm::SmallSetVector<int64_t, 8> repeats;
  repeats.insert_range(ArrayRef<int64_t>{8, kMostWritten});
  // A step or two for each of the blocks that run at once.
  double tiles = countTiles(problem, mapping.tile);
  for (double blocks : {1.0, 2.0, 4.0, 8.0})
    if (blocks * threads <= double(machine.limits.threadsPerSM.value))
      repeats.insert(std::max<int64_t>(1, int64_t(std::ceil(double(countSteps(mapping.depth)) * tiles / (blocks * double(machine.sms.value))))));
  for (int64_t repeat : repeats) {
    mapping.repeat = repeat;
    if (2 * repeat <= countSteps(mapping.depth))
      candidates.push_back({mapping, getCycles(problem, mapping, machine, threads)});
  }
}

/// Blocks of a cluster that share the rows of columns.
static constexpr std::array<int64_t, 4> kSplits = {1, 2, 4, 8};

/// Bytes of an element of what is read once.
static int64_t getBytesRead(const Problem &problem) {
  int64_t bytes = 1;
  for (const Use &input : problem.inputs)
    if (isReadOnce(problem, input))
      bytes = std::max<int64_t>(bytes, cast<MemRefType>(input.memref.getType()).getElementTypeBitWidth() / 8);
  return bytes;
}

/// A thread that loads less at once asks more often than DRAM needs.
static constexpr int64_t kNarrowBytes = 4;

/// Would clusters that share the rows of columns, an element a thread, leave SMs with too little on its way to hide the latency of DRAM? Where they do not they are the fastest (0.86
/// of the time of others for 864x7924 in f32 on an H100).
static bool haveFewColumns(const Problem &problem, Mapping mapping, const MachineSpec &machine) {
  constexpr int64_t kUsualColumns = 128, kUsualRows = 16, kFewBytes = 12 << 10;
  mapping.tile[mapping.column] = kUsualColumns;
  double blocks = countTiles(problem, mapping.tile) * double(kSplits.back()) / double(machine.sms.value);
  return !machine.features.dsmem || getBytesRead(problem) < kNarrowBytes || blocks * double(kUsualColumns * kUsualRows * getBytesRead(problem)) < double(kFewBytes);
}

/// Threads of a block take some columns, and rows of threads share what is reduced of them.
static void listShared(const Problem &problem, Mapping mapping, bool canCut, const MachineSpec &machine, std::vector<Candidate> &candidates) {
  for (int64_t threads : {128, 256, 512})
    for (int64_t vector = 1; vector <= std::min<int64_t>(8, tile::kWidestBytes / getBytesRead(problem)); vector *= 2)
      for (int64_t side : {8, 16, 32}) {
        mapping.vector = vector;
        mapping.tile[mapping.column] = std::min<int64_t>(side, llvm::PowerOf2Ceil(llvm::divideCeil(problem.dims[mapping.column].size, vector))) * vector;
        mapping.rows = mapping.tile[mapping.row] = threads * vector / mapping.tile[mapping.column];
        candidates.push_back({mapping, getCycles(problem, mapping, machine, double(threads))});
        if (canCut && countTiles(problem, mapping.tile) < 2 * double(machine.sms.value))
          listCut(problem, mapping, machine, double(threads), candidates);
      }
}

/// How rows that threads of a block share come to begin where vectors do.
static std::optional<Skew> getSkew(const Problem &problem, const Mapping &mapping) {
  for (unsigned dim : llvm::reverse(getParallel(problem)))
    if (problem.dims[dim].size > 1)
      return findSkew(problem, problem.inputs, dim, mapping.row, mapping.vector);
  return std::nullopt;
}

/// The reduced dimension along which neighbours lie of what is read once, or of some input where nothing is.
static std::optional<unsigned> findAlong(const Problem &problem) {
  auto isOnce = [&](const Use &input) { return isReadOnce(problem, input); };
  bool areOnce = llvm::any_of(problem.inputs, isOnce);
  std::optional<unsigned> along;
  for (const Use &input : problem.inputs)
    if (std::optional<unsigned> fast = Problem::getFastDim(input); fast && !problem.dims[*fast].parallel && (!areOnce || isOnce(input)))
      along = fast;
  return along;
}

double mapping::getDoubtOfSums(const Problem &problem, const Mapping &mapping) {
  // Blocks of few threads, of which more run together, are at more places of DRAM: sums of 4096 to 65536 f32 took on an H100, beside predictions, 1.00 times as long with 512
  // threads as with 1024, 1.01 with 256, 1.02 with 128, 1.03 with 64 and 1.05 with 32, where each had three vectors or more, and with vectors of two 1.03 to 1.05 times as long as
  // with longer ones, of which those of four took up to 1.01 times as long as those of eight.
  constexpr double kByHalves = 0.011, kByPairs = 1.04, kByFours = 1.005;
  constexpr double kManyThreads = 512, kManyVectors = 3;
  // Columns of 16-bit elements that threads load one by one: 4096x4096, 14336x4096 and 4096x14336 took on an H200 1.06 to 1.2 times as long as predicted, those by vectors 0.83 to 1.13.
  constexpr double kByNarrow = 1.15;
  // Rows of threads that share columns read short lines: of four computations with 492 to 1427 columns the candidates took 1.25 times as long as predicted on an H100, others 1.02
  // times. Where there are few columns all lines are short.
  constexpr double kByShortLines = 1.08;
  constexpr int64_t kFewColumns = 256;
  if (findAlong(problem) != mapping.row)
    return (mapping.vector * getBytesRead(problem) < kNarrowBytes ? kByNarrow : 1) * (mapping.rows > 1 && problem.dims[mapping.column].size > kFewColumns ? kByShortLines : 1);
  if (mapping.rows > 1)
    return 1;
  double threads = double(llvm::product_of(mapping.tile)) / double(mapping.vector);
  double most = std::min(kManyThreads, double(problem.dims[mapping.row].size) / double(mapping.vector) / kManyVectors);
  double byVectors = mapping.vector == 2 ? kByPairs : mapping.vector == 4 ? kByFours : 1;
  return (1 + kByHalves * std::max(0.0, std::log2(most / threads))) * byVectors;
}

/// The dimension along which the result's neighbours lie; of a result of one column that of its rows.
static unsigned getColumn(const Problem &problem) {
  std::optional<unsigned> fast = Problem::getFastDim(problem.output);
  if (fast && problem.dims[*fast].size > 1)
    return *fast;
  for (AffineExpr expr : llvm::reverse(problem.output.map.getResults()))
    if (auto dim = dyn_cast<AffineDimExpr>(expr); dim && problem.dims[dim.getPosition()].size > 1)
      return dim.getPosition();
  return fast.value_or(getParallel(problem).back());
}

void mapping::listSums(const Problem &problem, const MachineSpec &machine, const Wish &wish, std::vector<Candidate> &candidates) {
  SmallVector<unsigned> reduced = getReduced(problem);
  std::optional<tile::Combine> combine = getCombine(problem);
  if (reduced.empty() || getParallel(problem).empty() || !combine || !problem.init)
    return;
  Mapping mapping;
  mapping.scheme = Scheme::Sums;
  mapping.tile.assign(problem.dims.size(), 1);
  mapping.column = getColumn(problem);
  bool areOnce = llvm::any_of(problem.inputs, [&](const Use &input) { return isReadOnce(problem, input); });
  std::optional<unsigned> along = findAlong(problem);
  // Blocks that take parts of a tile's reduction add them up in the end (rule F11). What is read again and again is nothing for this scheme.
  bool canCut = areOnce && *combine == tile::Combine::Add;
  if (along) {
    mapping.row = *along;
    canCut &= countTiles(problem, mapping.tile) < 2 * double(machine.sms.value);
    for (int64_t threads : {32, 64, 128, 256, 512, 1024})
      for (int64_t vector : {1, 2, 4, 8}) {
        shareLines(problem, threads, vector, mapping);
        candidates.push_back({mapping, getCycles(problem, mapping, machine, double(threads)) * getDoubtOfSums(problem, mapping)});
        if (canCut)
          listCut(problem, mapping, machine, double(threads), candidates);
        if (getSkew(problem, mapping)) {
          candidates.push_back(candidates.back());
          candidates.back().mapping.skewed = true;
        }
      }
    return;
  }
  if (reduced.size() > 1)
    return;
  mapping.row = reduced.back();
  bool areFew = areOnce && haveFewColumns(problem, mapping, machine);
  if (areFew)
    listShared(problem, mapping, canCut, machine, candidates);
  for (int64_t threads : {32, 64, 128, 256})
    for (int64_t vector : {1, 2, 4})
      for (int64_t rows : {4, 8, 16})
        for (int64_t split : kSplits) {
          if (split > 1 && !machine.features.dsmem)
            continue;
          mapping.tile[mapping.column] = threads * vector;
          mapping.tile[mapping.row] = wish.tile[mapping.row].value_or(rows);
          mapping.vector = vector;
          mapping.split = split;
          candidates.push_back({mapping, getCycles(problem, mapping, machine, double(threads * rows))});
          if (split > 1 || !canCut || !areFew || countTiles(problem, mapping.tile) >= 2 * double(machine.sms.value))
            continue;
          Mapping cut = mapping;
          cut.persistent = cut.cutTail = true;
          candidates.push_back({cut, getCycles(problem, cut, machine, double(threads * rows))});
        }
}

/// All threads of a block share the reduction of an element, or rows of them that of some columns.
static void writeLines(const Problem &problem, const Mapping &mapping, NestWriter &w) {
  SmallVector<LoopOver> grid;
  for (unsigned dim : getGrid(problem, mapping)) {
    grid.push_back({dim, problem.dims[dim].extent, mapping.tile[dim]});
    w.setTile(dim, mapping.tile[dim]);
  }
  // Neighbours that a thread takes lie along the reduction or along the result.
  unsigned fast = mapping.rows > 1 ? mapping.column : mapping.row;
  std::optional<Skew> skew = mapping.skewed ? getSkew(problem, mapping) : std::nullopt;
  ForOp blocks = skew ? openSkewed(*skew, grid, w) : w.open(grid, Level::DRAM, Unit::Block, "0");
  blocks.setPersistent(mapping.persistent);
  Placed result = w.hold(problem.output, problem.init, "t");
  ForOp cut;
  if (mapping.cutTail) {
    cut = w.open({{mapping.depth, problem.dims[mapping.depth].extent, mapping.tile[mapping.depth] * mapping.repeat}}, Level::DRAM, Unit::Time, "0");
    cut.setCutTail(true);
  }
  SmallVector<LoopOver> lines;
  for (unsigned dim : getReduced(problem))
    if (dim != fast && mapping.tile[dim] > 1)
      lines.push_back({dim, w.number(mapping.tile[dim]), 1});
  lines.push_back({fast, w.number(mapping.tile[fast]), mapping.vector});
  ForOp threads = w.open(lines, Level::DRAM, Unit::Thread, "1");
  threads.setReduce(*getCombine(problem));
  for (unsigned dim : getReduced(problem)) {
    bool isCut = cut && dim == mapping.depth;
    OpFoldResult extent = isCut ? w.number(mapping.tile[dim] * mapping.repeat) : problem.dims[dim].extent;
    if (skew && dim == skew->column)
      extent = w.number(problem.dims[dim].size + skew->slack);
    w.open({{dim, extent, mapping.tile[dim]}}, Level::DRAM, isCut && mapping.repeat <= kMostWritten ? Unit::Unroll : Unit::Time, isCut ? "q" : "0");
    w.setTile(dim, dim == fast ? mapping.vector : 1);
  }
  w.setTile(fast, mapping.vector);
  SmallVector<Placed> operands;
  for (const Use &input : problem.inputs)
    w.stage(w.operand(input), Level::RF, operands.emplace_back(), "r");
  operands.push_back(fast == mapping.column ? w.part(result, "q") : result);
  w.computeRoot(operands);
  w.close(cut ? cut : threads);
  w.setTile(mapping.column, mapping.tile[mapping.column]);
  result = w.epilogue(result);
  w.store(result, w.operand({problem.getResult(), problem.output.map}));
}

/// Threads take columns; blocks of a cluster share the rows.
static void writeColumns(const Problem &problem, const Mapping &mapping, NestWriter &w) {
  BlockLoops loops = openBlock(problem, mapping, w);
  ForOp threads = w.open({{mapping.column, w.number(mapping.tile[mapping.column]), mapping.vector}}, Level::DRAM, Unit::Thread, "1");
  w.setTile(mapping.column, mapping.vector);
  SmallVector<Placed> operands;
  for (const Use &input : problem.inputs)
    w.stage(w.operand(input), Level::RF, operands.emplace_back(), "r");
  operands.push_back(w.part(loops.result, "q"));
  w.computeRoot(operands);
  w.close(threads);
  finishBlock(problem, mapping, w, loops);
}

void mapping::writeSums(const Problem &problem, const Mapping &mapping, NestWriter &w) {
  if (mapping.tile[mapping.column] == 1 || mapping.rows > 1)
    writeLines(problem, mapping, w);
  else
    writeColumns(problem, mapping, w);
}
