//===- Streams.cpp - Elements that threads compute one by one ---*- C++ -*-===//
//
// Blocks take boxes of the result; consecutive threads take its neighbours, some side by side each, and load what these
// need: from the operands, or, where an input's neighbours lie along another dimension or are needed by several threads,
// from a tile of it in shared memory.
//
//===----------------------------------------------------------------------===//

#include "OddLines.h"
#include "tilec/Tile/Access.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::mapping;
using tile::ForOp;
using tile::Level;
using tile::Unit;

/// Points of a window or another reduction that a thread computes at once, written out.
static constexpr int64_t kMostAtOnce = 64;

/// Do threads that are neighbours need elements of `input` in common, as windows do?
static bool isWindow(const Use &input) {
  return llvm::any_of(input.map.getResults(), [](AffineExpr expr) { return !isa<AffineDimExpr, AffineConstantExpr>(expr); });
}

/// Sets the tile of the reduced dimensions: all of them at once where they are few and known, else one by one.
static void setReduction(const Problem &problem, Mapping &mapping) {
  int64_t points = 1;
  for (unsigned dim : getReduced(problem))
    points *= isa<Value>(problem.dims[dim].extent) ? kMostAtOnce + 1 : std::max<int64_t>(problem.dims[dim].size, 1);
  for (unsigned dim : getReduced(problem))
    mapping.tile[dim] = points <= kMostAtOnce ? problem.dims[dim].size : 1;
}

/// Do rows of the result begin where vectors of `bytes` do?
static bool hasWholeRows(const Problem &problem, const Mapping &mapping, int64_t bytes) {
  int64_t elementBytes = cast<MemRefType>(problem.output.memref.getType()).getElementTypeBitWidth() / 8;
  bool oneRow = llvm::all_of(getParallel(problem), [&](unsigned dim) { return dim == mapping.column || problem.dims[dim].size <= 1; });
  return oneRow || problem.dims[mapping.column].size * elementBytes % bytes == 0;
}

/// Do rows of `use` begin where no vectors do?
static bool hasOddRows(const Use &use) {
  auto type = cast<MemRefType>(use.memref.getType());
  FailureOr<SmallVector<int64_t>> strides = tile::getStaticStrides(type);
  return succeeded(strides) && llvm::any_of(*strides, [&](int64_t stride) {
           return stride > 1 && !ShapedType::isDynamic(stride) && stride * type.getElementTypeBitWidth() % (8 * tile::kWidestBytes) != 0;
         });
}

/// Do rows of each window begin where vectors of `vector` elements do? Where they do not, elements are loaded one by one, lanes as far apart as vectors: windows of
/// 1698x5790 with vectors of 4 took 44 to 96 us on an H100, with vectors of 2 or single elements 33 to 37.
static bool takesVectors(const Problem &problem, unsigned column, int64_t vector) {
  return llvm::all_of(problem.inputs, [&](const Use &input) {
    if (!isWindow(input) || Problem::getFastDim(input) != column)
      return true;
    auto type = cast<MemRefType>(input.memref.getType());
    for (auto [expr, extent] : llvm::zip_equal(input.map.getResults(), type.getShape())) {
      if (!expr.isFunctionOfDim(column))
        continue;
      SmallVector<int64_t> two(problem.dims.size(), 1), row = two;
      two[column] = 2;
      for (auto [dim, size] : llvm::enumerate(problem.dims))
        row[dim] = expr.isFunctionOfDim(dim) ? std::max<int64_t>(size.size, 1) : 1;
      int64_t elementBytes = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
      // Of windows further apart it is not known where rows end.
      if (ShapedType::isDynamic(extent) && getTileBytes(input, two) != 2 * elementBytes)
        continue;
      int64_t elements = ShapedType::isDynamic(extent) ? getTileBytes(input, row) / elementBytes : extent;
      if (elements % vector != 0)
        return false;
    }
    return true;
  });
}

/// How rows of what a thread loads and stores come to begin where vectors do; with inputs that are staged, of any tile.
static std::optional<Skew> getRowSkew(const Problem &problem, const Mapping &mapping) {
  if (mapping.rows > 1 || llvm::any_of(problem.inputs, isWindow))
    return std::nullopt;
  SmallVector<Use> uses(problem.inputs);
  uses.push_back({problem.getResult(), problem.output.map});
  if (!llvm::is_contained(mapping.staged, true))
    return findSkew(problem, uses, mapping.row, mapping.column, mapping.vector, mapping.tile[mapping.row]);
  // Blocks end within rows, where the part of a sector that each writes takes long: transposes of 8191x8193 f32 took 221 us on an H100 from vector to vector.
  return findSkew(problem, uses, mapping.row, mapping.column, mapping.vector, 1, 2 * tile::kWidestBytes);
}

/// That of the mapping's tile. Of what is staged a block's rows are copied as they lie, with the columns that all of them need, and threads take rows apart: as many as
/// begin elsewhere each, in each round.
static std::optional<Skew> getSkew(const Problem &problem, const Mapping &mapping) {
  std::optional<Skew> skew = getRowSkew(problem, mapping);
  if (skew && llvm::is_contained(mapping.staged, true) && skew->period * mapping.repeat != mapping.tile[mapping.row])
    return std::nullopt;
  return skew;
}

/// Columns of a staged tile that all rows of a block need.
static int64_t getStagedColumns(const Mapping &mapping, const Skew &skew) { return mapping.tile[mapping.column] + std::abs(skew.factor) * (skew.period - 1); }

/// Elements that a thread copies to a skewed tile. With more transposes of 8191x8193 took 94 us of bytes or longer on an H100, 131 of f16 and 219 of f32, with these
/// or fewer 74, 108 and 199.
static constexpr int64_t kMostCopied = 24;

/// Bytes that DRAM moves while L2 takes a part of a row that begins inside of a sector: 56 ps (`timing.split_sector`) at 2.5 TB/s.
static constexpr double kPartBytes = 140;

/// What bounds say of `mapping`: bytes, requests of warps, and how many loads are under way.
static double getCycles(const Problem &problem, const Mapping &mapping, const MachineSpec &machine) {
  double threads = double(mapping.tile[mapping.row] * mapping.tile[mapping.column] / mapping.vector / mapping.rows / mapping.repeat);
  double bytes = getOperandBytes(problem);
  const LevelSpec &dram = machine.level(MemoryLevel::Dram);
  double perCycle = dram.bandwidth ? dram.bandwidth->value / machine.boostClock.value : 1000;
  int64_t elementBytes = cast<MemRefType>(problem.output.memref.getType()).getElementTypeBitWidth() / 8;
  bool wide = mapping.vector > 1 && (mapping.skewed || hasWholeRows(problem, mapping, mapping.vector * elementBytes));
  // Where rows do not begin where vectors do, neighbours go one after the other, and lanes that lie as far apart touch as many more sectors.
  double apart = wide ? 1 : std::clamp(double(mapping.vector * elementBytes) / kBankBytes, 1.0, 8.0);
  double requests = 0, elements = countTiles(problem, mapping.tile) * threads * double(mapping.repeat);
  // Of lines that begin where no vector does more is loaded than is read.
  bool byLines = mapping.turned && mapping.skewed;
  double loaded = byLines ? OddLines(problem, mapping, *getSkew(problem, mapping)).getShareLoaded(mapping) : 1;
  for (auto [number, input] : llvm::enumerate(problem.inputs)) {
    std::optional<unsigned> fast = Problem::getFastDim(input);
    bool across = fast && *fast == mapping.row && mapping.rows > 1;
    bool coalesced = !fast || *fast == mapping.column || across || mapping.staged[number] || !Problem::uses(input.map, mapping.column);
    SmallVector<int64_t> own(mapping.tile.size(), 1);
    own[mapping.row] = mapping.rows;
    own[mapping.column] = mapping.vector;
    for (unsigned dim : getReduced(problem))
      own[dim] = problem.dims[dim].size;
    requests += double(getTileBytes(input, own)) / (wide && coalesced ? 16 : 4) * (coalesced ? apart : 8);
    // What goes through shared memory is loaded and stored on its way there.
    if (mapping.staged[number]) {
      own.assign(mapping.tile.size(), 1);
      requests += (1 + loaded) * double(mapping.rows * mapping.vector * getTileBytes(input, own)) / (wide ? 16 : 4);
    }
  }
  // What lies beyond the edges keeps threads from work.
  double whole = 1;
  for (auto [dim, extent] : llvm::zip_equal(problem.dims, mapping.tile))
    if (dim.parallel)
      whole *= double(std::max<int64_t>(dim.size, 1)) / double(llvm::alignTo(std::max<int64_t>(dim.size, 1), extent));
  threads *= whole;
  double issue = elements * (requests + 4) / 32 / double(machine.sms.value);
  double idle = std::max(1.0, double(machine.sms.value) * 1024 / (countTiles(problem, mapping.tile) * threads));
  // What a thread copies to shared memory before anybody computes is waited for.
  double copied = double(mapping.tile[mapping.row] * mapping.tile[mapping.column]) / threads;
  if (llvm::is_contained(mapping.staged, true) && !byLines)
    idle *= 1 + 0.02 * std::max(0.0, copied / 16 - 1);
  // Rows that are shorter than a few lines leave DRAM's pages early.
  int64_t line = mapping.tile[mapping.column];
  for (const Use &input : problem.inputs)
    if (Problem::getFastDim(input) == mapping.row)
      line = std::min(line, mapping.tile[mapping.row]);
  double parts = mapping.skewed || hasWholeRows(problem, mapping, machine.limits.sectorBytes.value) ? 0 : kPartBytes / (2 * double(mapping.tile[mapping.column] * elementBytes));
  // Of more than 16 bytes side by side each request of a warp takes half of each sector: copies of 8192x8192 f32 so took 203 us on an H100, the driver's 181.
  double halves = wide && mapping.vector * elementBytes > tile::kWidestBytes ? 0.05 : 0;
  // Neighbours that go one after the other ask for the same sectors again: transposes of 1709x5095 f32 took 38 us by pairs on an H100, 32 one by one.
  double again = mapping.vector > 1 ? 0.1 * (apart - 1) : 0;
  return (bytes / perCycle * (1 + 16 / double(line) + parts + halves + again) + issue) * idle;
}

double mapping::getDoubtOfStreams(const Problem &problem, const Mapping &mapping) {
  // Where each thread takes several vectors, blocks that run together are at more places of DRAM, and read all at one time before they write: copies and additions of 8 to
  // 270 million f32 took 1.01 to 1.02 times as long on an H100 with two a thread, 1.02 to 1.04 with four, 1.03 to 1.07 with eight, and were predicted to be faster. On an H200
  // additions of 16 and 67 million and a copy of 8192x8192 took 1.01, 1.02 and 1.03 times as long, beside predictions 1.03, 1.055 and 1.09 times.
  constexpr double kByVectors = 0.03;
  // By 32 bytes side by side these took 1.05 to 1.13 times as long as by 16 on the H200, with two vectors a thread 1.22 to 1.26 times, and were predicted to take the same.
  constexpr double kByHalves = 1.06;
  // Narrow elements that threads turn in registers alone are stored by parts of lines. Seven transposes and an addition of one, of bytes and f16, took 1.01 to 1.11 times as
  // long on an H100, beside predictions, as those that are turned on their way to shared memory.
  // Those of f32 took 1.09 and 1.07 times as long as predicted on an H200, transposes by way of shared memory alone 1.03 and 1.02 times.
  constexpr double kWholeLines = 0.93, kWholeElements = 1.05;
  if (mapping.turned > 0)
    return cast<MemRefType>(problem.output.memref.getType()).getElementTypeBitWidth() < 8 * kBankBytes ? kWholeLines : kWholeElements;
  // Blocks of four warps whose threads take 32 elements each by way of shared memory: transposes by 64x64 took 1.09 and 1.16 times as long on an H200 as those of 16 a thread, 1.00
  // to 1.10 times on an H100, and were predicted to be 2 % faster.
  constexpr double kByFewThreads = 1.06;
  constexpr int64_t kManyElements = 32, kFewThreads = 128;
  int64_t each = mapping.vector * mapping.rows * mapping.repeat;
  if (llvm::is_contained(mapping.staged, true) && each >= kManyElements && llvm::product_of(mapping.tile) <= kFewThreads * each)
    return kByFewThreads;
  bool isPlain = getReduced(problem).empty() && !llvm::is_contained(mapping.staged, true);
  auto isHalf = [&](const Use &use) { return mapping.vector * cast<MemRefType>(use.memref.getType()).getElementTypeBitWidth() > 8 * tile::kWidestBytes; };
  double halves = isHalf(problem.output) && llvm::all_of(problem.inputs, isHalf) ? kByHalves : 1;
  return isPlain ? halves * (1 + kByVectors * std::log2(double(mapping.repeat))) : 1;
}

/// The dimension whose neighbours lie a short line apart in the result, and side by side in an input that all of a line read, as rows that are enlarged are: threads take whole lines then.
static std::optional<unsigned> getShortLine(const Problem &problem) {
  constexpr int64_t kShort = 4;
  std::optional<unsigned> fast = Problem::getFastDim(problem.output);
  AffineMap written = problem.output.map;
  if (!fast || written.getNumResults() < 2 || written.getResults().back() != getAffineDimExpr(*fast, written.getContext()) || problem.dims[*fast].size > kShort ||
      !getConstantIntValue(problem.dims[*fast].extent))
    return std::nullopt;
  unsigned next = cast<AffineDimExpr>(written.getResult(written.getNumResults() - 2)).getPosition();
  auto liesAlong = [](unsigned dim) { return [dim](const Use &input) { return Problem::getFastDim(input) == dim; }; };
  auto isShared = [&](const Use &input) { return liesAlong(next)(input) && !Problem::uses(input.map, *fast); };
  bool takes = llvm::any_of(problem.inputs, isShared) && llvm::none_of(problem.inputs, liesAlong(*fast));
  return takes && problem.dims[next].parallel ? std::optional(next) : std::nullopt;
}

/// The dimension that blocks take several of beside the lines of the result: the last that has as many as fill a block, or the longest beside short lines; that of the lines
/// where there is no other.
static unsigned chooseRow(const Problem &problem, const Mapping &mapping, bool isShort) {
  constexpr int64_t kFew = 8;
  unsigned row = mapping.column;
  for (unsigned dim : getParallel(problem)) {
    int64_t size = problem.dims[dim].size, before = problem.dims[row].size;
    if (dim != mapping.column && mapping.tile[dim] == 1 && (row == mapping.column || (isShort ? size >= before : size >= kFew || size >= before)))
      row = dim;
  }
  return row;
}

void mapping::listStreams(const Problem &problem, const MachineSpec &machine, const Wish &wish, std::vector<Candidate> &candidates) {
  SmallVector<unsigned> parallel = getParallel(problem);
  if (parallel.empty())
    return;
  Mapping mapping;
  mapping.scheme = Scheme::Streams;
  mapping.tile.assign(problem.dims.size(), 1);
  mapping.column = Problem::getFastDim(problem.output).value_or(parallel.back());
  std::optional<unsigned> line = getShortLine(problem);
  if (line) {
    mapping.tile[mapping.column] = problem.dims[mapping.column].size;
    mapping.column = *line;
  }
  // Rows are the dimension along which some input's neighbours lie, or else one that is left.
  mapping.row = chooseRow(problem, mapping, line.has_value());
  // What is narrower than a bank takes long through shared memory: an element a request.
  bool crossed = false, shared = false, narrow = false, bytes = cast<MemRefType>(problem.output.memref.getType()).getElementTypeBitWidth() == 8;
  for (const Use &input : problem.inputs) {
    std::optional<unsigned> fast = Problem::getFastDim(input);
    if (fast && *fast != mapping.column && problem.dims[*fast].parallel) {
      mapping.row = *fast;
      crossed = true;
      narrow |= cast<MemRefType>(input.memref.getType()).getElementTypeBitWidth() < 8 * kBankBytes;
    }
    shared |= isWindow(input);
  }
  setReduction(problem, mapping);
  SmallVector<bool> none(problem.inputs.size(), false), some = none;
  for (auto [number, input] : llvm::enumerate(problem.inputs)) {
    std::optional<unsigned> fast = Problem::getFastDim(input);
    some[number] = isWindow(input) || (fast && *fast != mapping.column && *fast == mapping.row);
  }
  for (bool stage : {false, true}) {
    if (stage && !crossed && !shared)
      continue;
    mapping.staged = stage ? some : none;
    std::vector<Mapping> byVectors = listTurned(problem, mapping);
    if (stage && narrow)
      llvm::append_range(byVectors, listOddLines(problem, mapping, [&](const Mapping &wide) { return getRowSkew(problem, wide); }));
    for (const Mapping &wide : byVectors)
      candidates.push_back({wide, getCycles(problem, wide, machine)});
    for (int64_t columns : wish.getTiles(mapping.column, {32, 64, 128, 256, 512, 1024, 2048}))
      for (int64_t rows : mapping.row == mapping.column ? llvm::SmallVector<int64_t>{1} : wish.getTiles(mapping.row, {1, 2, 4, 8, 16, 32, 64}))
        for (int64_t vector : {1, 2, 4, 8, 16}) {
          if (!stage && !takesVectors(problem, mapping.column, vector))
            continue;
          // Vectors of more are for bytes, whose rows are skewed.
          bool longest = vector == tile::kWidestBytes;
          if (longest && !(stage && crossed && bytes))
            continue;
          for (int64_t repeat : {1, 2, 4, 8, 16})
            // Rows that a thread computes together share what windows have in common; of an input that lies across they are neighbours, loaded as one.
            for (int64_t held : {1, 2, 4, 8}) {
              bool line = mapping.row == mapping.column;
              if (line ? rows * held > 1 : rows % (repeat * held) != 0)
                continue;
              if (held > 1 && (!(shared || (narrow && !stage)) || repeat > 1))
                continue;
              if (repeat > 8 && !(stage && crossed))
                continue;
              mapping.tile[mapping.row] = rows;
              mapping.tile[mapping.column] = columns;
              mapping.vector = vector;
              mapping.rows = held;
              mapping.repeat = repeat;
              int64_t threads = rows * columns / vector / held / repeat;
              if (threads < 64 || threads > 512 || columns % (vector * (line ? repeat : 1)) != 0)
                continue;
              mapping.skewed = false;
              if (!longest)
                candidates.push_back({mapping, getCycles(problem, mapping, machine)});
              std::optional<Skew> skew = getSkew(problem, mapping);
              mapping.skewed = skew && (!stage || getStagedColumns(mapping, *skew) * rows <= kMostCopied * threads);
              if (mapping.skewed)
                candidates.push_back({mapping, getCycles(problem, mapping, machine)});
            }
        }
  }
}

/// Has the block ask ahead of its loops whether all that `op` moves is there, where threads take several vectors of 16 bytes: between loads that ask for themselves threads wait
/// for each. Copies of 8192x1024 f32 took 28.3 us so on an H100, 26.4 where the block asks, sums of two 40.0 and 38.8; those of 256 MB as long as before, and those by longer
/// vectors longer.
template <typename Op>
static void askByBlock(const Problem &problem, const Mapping &mapping, Op op) {
  auto type = cast<MemRefType>(op.getTile().getType());
  bool isBlockWhole = llvm::all_of(llvm::zip_equal(problem.dims, mapping.tile), [](auto dim) { return std::get<0>(dim).size >= std::get<1>(dim); });
  if (mapping.repeat > 1 && !mapping.skewed && isBlockWhole && type.getNumElements() > 1 && type.getNumElements() * type.getElementTypeBitWidth() <= 8 * tile::kWidestBytes)
    op.setEdges(tile::EdgeCheck::Block);
}

void mapping::writeStreams(const Problem &problem, const Mapping &mapping, NestWriter &w) {
  unsigned row = mapping.row, column = mapping.column;
  SmallVector<LoopOver> grid;
  std::optional<Skew> skew = mapping.skewed ? getSkew(problem, mapping) : std::nullopt;
  for (unsigned dim : getGrid(problem, mapping)) {
    grid.push_back({dim, problem.dims[dim].extent, mapping.tile[dim]});
    if (skew && dim == column)
      grid.back().extent = w.number(problem.dims[dim].size + skew->slack);
    w.setTile(dim, mapping.tile[dim]);
  }
  for (unsigned dim : getReduced(problem))
    w.setTile(dim, mapping.tile[dim]);
  bool detour = llvm::is_contained(mapping.staged, true);
  skew && !detour ? openSkewed(*skew, grid, w) : w.open(grid, Level::DRAM, Unit::Block, "0");
  // What is staged begins where the first row does.
  int64_t reach = skew && detour ? skew->factor * (skew->period - 1) : 0;
  std::optional<OddLines> lines;
  if (skew && mapping.turned)
    lines.emplace(problem, mapping, *skew);
  if (skew && detour) {
    w.move(column, Value(), lines ? lines->first : std::min<int64_t>(reach, 0) - skew->back);
    w.setTile(column, lines ? lines->count : getStagedColumns(mapping, *skew));
  }
  SmallVector<Placed> operands;
  for (auto [number, input] : llvm::enumerate(problem.inputs)) {
    operands.push_back(w.operand(input));
    if (!mapping.staged[number] || mapping.turned)
      continue;
    tile::StageOp stage = w.stage(Placed(operands.back()), Level::SMEM, operands.back(), "s");
    // Of what is narrower than a bank there are so many layouts that planning takes seconds, and of rows that no vectors are copied of; a bank between lines is what it finds for
    // bytes that are read across, and between skewed ones an odd number of elements.
    std::optional<unsigned> fast = Problem::getFastDim(input);
    int64_t elementBytes = cast<MemRefType>(input.memref.getType()).getElementTypeBitWidth() / 8;
    if ((elementBytes < kBankBytes || skew || hasOddRows(input)) && fast == row && row != column)
      layOutAlong(row, input.map, stage.getTile(), skew || elementBytes >= kBankBytes ? std::max<int64_t>(kBankBytes / elementBytes - 1, 1) : kBankBytes);
  }
  if (lines)
    operands = writeOddLines(problem, mapping, *lines, operands, w);
  else if (mapping.turned)
    operands = writeTurned(problem, mapping, operands, w);
  Level level = detour ? Level::SMEM : Level::DRAM;
  if (row == column) {
    int64_t pass = mapping.tile[column] / mapping.repeat;
    if (mapping.repeat > 1)
      w.open({{column, w.number(mapping.tile[column]), pass}}, level, Unit::Unroll, "q");
    w.open({{column, w.number(pass), mapping.vector}}, level, Unit::Thread, "1");
  } else {
    int64_t pass = mapping.tile[row] / mapping.repeat;
    if (mapping.repeat > 1)
      w.open({{row, w.number(mapping.tile[row]), pass}}, level, Unit::Unroll, "q");
    if (skew && detour)
      w.moveAlong(row, column, skew->factor, std::max<int64_t>(-reach, 0) + (lines ? lines->before : 0));
    SmallVector<LoopOver> loops = {{row, w.number(pass), mapping.rows}, {column, w.number(mapping.tile[column]), mapping.vector}};
    w.open(lines ? lines->getLoops(mapping, w) : loops, level, Unit::Thread, "1");
    w.setTile(row, mapping.rows);
  }
  w.setTile(column, mapping.vector);
  Placed result = makeResult(problem, w);
  ForOp steps;
  for (unsigned dim : getReduced(problem))
    if (isWalked(problem, mapping, dim)) {
      ForOp step = w.open({{dim, problem.dims[dim].extent, 1}}, Level::DRAM, Unit::Time, "0");
      steps = steps ? steps : step;
    }
  for (auto [number, operand] : llvm::enumerate(operands))
    if (mapping.turned && !lines && mapping.staged[number])
      operand = loadTurned(problem.inputs[number], operand, w);
    else if (tile::StageOp stage = w.stage(Placed(operand), Level::RF, operand, "r"); !detour)
      askByBlock(problem, mapping, stage);
  operands.push_back(result);
  w.computeRoot(operands);
  if (steps)
    w.close(steps);
  result = w.epilogue(result);
  tile::StoreOp store = w.store(result, w.operand({problem.getResult(), problem.output.map}));
  if (!detour)
    askByBlock(problem, mapping, store);
}
