//===- Rows.cpp - Units that do several ops on their rows -------*- C++ -*-===//
//
// The threads of a block share its rows, walk them once for each reduction, and once more for what is stored. Between walks a row is in registers, in shared
// memory, or in L2, from where it is read again. What is beyond the sizes that a nest is written for is read again in any case, so that rows of
// sizes known at launch are kept too. What is computed element by element between walks is computed again in each that reads it, but for functions
// in registers, which take the place of what they are computed from.
//
//===----------------------------------------------------------------------===//

#include "RowBodies.h"
#include "Schemes.h"
#include "Skew.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tilec/Mapping/RowGroup.h"
#include "tilec/Tile/Access.h"
#include "tilec/Tile/Distribution.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::mapping;
using tile::ForOp;
using tile::Level;
using tile::Unit;

/// Registers that a thread has for other things than its part of the rows.
static constexpr int64_t kOtherRegisters = 24;

/// Steps in which a thread takes what it keeps in registers, written out.
static constexpr int64_t kMostWritten = 32;

/// Elements that a thread keeps in registers. Code of more than 128 KB is fetched again and again: softmax of bf16 in 8192 rows of 50,257 with 200 elements a
/// thread (256 KB) took 3450 us on an H100, of f32 with 100 (102 KB) 1166. Narrow elements that come by whole vectors, but are converted one by one, want more threads:
/// 2048 rows of 32,768 bf16 took 122 us with 64 elements a thread and 142 with 128. In skewed rows more elements pay for what their ends cost: 2048 rows of 50,257 took
/// 181 us with 104 and 200 with 56, 231 and 286 where they are computed in f32.
static constexpr int64_t kMostElements = 128, kMostNarrow = 64;

/// Of narrow elements shorter rows are not skewed: conversions take longer than loads, one by one. Softmax that is computed in f32 took 36.6 us on an H100 in 4096 rows of 4099 f16
/// without and 42.7 with skewed rows, in bf16 34.7 and 36.5, though 33.9 and 30.2 where it is computed in bf16; of 9001 81 and 91, 79 and 85, 73 and 58.
static constexpr int64_t kShortNarrow = 8192;

/// With fewer bytes under way on an SM DRAM's rate is not reached.
static constexpr double kBytesUnderWay = 32768;

//===----------------------------------------------------------------------===//
// Candidates
//===----------------------------------------------------------------------===//

/// The operands that are worth keeping: they are read along all rows, by several walks.
static SmallVector<unsigned> findKept(const Problem &problem) {
  SmallVector<unsigned> kept;
  for (auto [number, value] : llvm::enumerate(problem.rows->values)) {
    AffineMap map = value.place.map;
    if (!value.op && map.isProjectedPermutation() && problem.usesAll(map) && value.passes > 1)
      kept.push_back(number);
  }
  return kept;
}

static Type getElementType(const RowValue &value) { return cast<MemRefType>(value.place.memref.getType()).getElementType(); }

static int64_t getElementBytes(const RowValue &value) { return int64_t(llvm::divideCeil(getElementType(value).getIntOrFloatBitWidth(), 8)); }

/// The dimension along which neighbours lie of the first operand that is read along all rows.
static std::optional<unsigned> getNeighbours(const Problem &problem) {
  const Use *whole = llvm::find_if(problem.inputs, [&](const Use &input) { return problem.usesAll(input.map); });
  return whole == problem.inputs.end() ? std::nullopt : Problem::getFastDim(*whole);
}

/// Are neighbours elements of different rows?
static bool isAcross(const Problem &problem) {
  std::optional<unsigned> fast = getNeighbours(problem);
  return fast && problem.dims[*fast].parallel;
}

/// How rows of a block that `mapping` gives one come to begin where vectors do.
static std::optional<Skew> getSkew(const Problem &problem, const Mapping &mapping) {
  if (mapping.tile[mapping.row] > 1)
    return std::nullopt;
  SmallVector<Use> uses;
  for (auto [number, value] : llvm::enumerate(problem.rows->values))
    if (value.isLong && (!value.op || llvm::is_contained(problem.rows->outputs, number)))
      uses.push_back(value.place);
  return findSkew(problem, uses, mapping.row, mapping.column, mapping.vector);
}

/// Has a row elements that are narrower than a register?
static bool isNarrow(const Problem &problem, ArrayRef<unsigned> kept) {
  constexpr int64_t kRegisterBytes = 4;
  return llvm::any_of(kept, [&](unsigned number) { return getElementBytes(problem.rows->values[number]) < kRegisterBytes; });
}

/// Is it worth it to skew rows?
static bool paysSkew(const Problem &problem, const Mapping &mapping, ArrayRef<unsigned> kept) {
  return !isNarrow(problem, kept) || problem.dims[mapping.column].size >= kShortNarrow;
}

/// Does it take skewed rows to load whole vectors?
static bool hasOddRows(const Problem &problem, Mapping mapping) {
  mapping.tile[mapping.row] = 1;
  mapping.vector = tile::kWidestBytes;
  return getSkew(problem, mapping).has_value();
}

/// Bytes that a thread keeps of the rows in a step.
static int64_t getStepBytes(const Problem &problem, const Mapping &mapping, ArrayRef<unsigned> kept) {
  int64_t bytes = 0;
  for (unsigned number : kept)
    bytes += getElementBytes(problem.rows->values[number]) * mapping.vector * mapping.rows;
  for (unsigned dim : getReduced(problem))
    if (dim != mapping.column)
      bytes *= problem.dims[dim].size;
  return bytes;
}

/// In how many steps a block of `mapping` can keep its rows.
static int64_t countKept(const Problem &problem, const Mapping &mapping, const MachineSpec &machine, ArrayRef<unsigned> kept) {
  int64_t threads = mapping.tile[mapping.column] / mapping.vector * mapping.tile[mapping.row] / mapping.rows, bytes = getStepBytes(problem, mapping, kept);
  if (mapping.kept == Kept::Shared)
    return machine.limits.smemPerBlock.value / (bytes * threads);
  int64_t others = 1, registers = std::min<int64_t>(machine.limits.registersPerThread.value, machine.registersPerSM() / threads) - kOtherRegisters;
  for (unsigned dim : getReduced(problem))
    if (dim != mapping.column)
      others *= problem.dims[dim].size;
  bool few = isNarrow(problem, kept) && !mapping.skewed && (problem.dims[mapping.column].size >= kShortNarrow || !hasOddRows(problem, mapping));
  int64_t elements = (few ? kMostNarrow : kMostElements) / (mapping.vector * mapping.rows * int64_t(kept.size()));
  return std::min({registers * 4 / bytes, kMostWritten / others, elements / others});
}

/// Sets in how many steps a block of `mapping` keeps its rows, which are skewed. Where more threads keep all of a row of narrow elements, fewer keep no part of it, which is
/// false: 4096 rows of 4099 bf16 took 43 us on an H100 with 5 steps of 1024 kept, 51 with 6 of 9 steps of 512.
static bool keepSkewed(const Problem &problem, Mapping &mapping, const Skew &skew, const MachineSpec &machine, ArrayRef<unsigned> kept) {
  int64_t size = problem.dims[mapping.column].size + skew.slack;
  mapping.repeat = int64_t(llvm::divideCeil(size, mapping.tile[mapping.column]));
  if (mapping.kept == Kept::Nowhere)
    return true;
  int64_t most = countKept(problem, mapping, machine, kept);
  if (most == 0 || (isNarrow(problem, kept) && most < mapping.repeat && most * machine.limits.threadsPerBlock.value * mapping.vector >= size))
    return false;
  mapping.repeat = std::min(mapping.repeat, most);
  return true;
}

/// How much longer than predicted it takes to walk rows of several arrays once, in short lines (why was not measured): two weights of 14336x4096 in f16 by a vector took on an
/// H200 64 us by 2 KB of a row or more, 65 to 67 by 1 KB, 67 to 68 by 512 bytes and 73 by 256, all predicted to take 63 to 65; blocks of one warp, and of one row, took 65 to 66.
static double getDoubtOfLines(const Problem &problem, const Mapping &mapping) {
  constexpr double kLongLine = 2048, kByHalves = 0.015;
  SmallVector<const RowValue *> whole;
  for (const RowValue &value : problem.rows->values)
    if (!value.op && problem.usesAll(value.place.map))
      whole.push_back(&value);
  if (mapping.kept != Kept::Nowhere || problem.rows->passes.size() > 1 || whole.size() < 2 || problem.dims[mapping.column].size <= mapping.tile[mapping.column])
    return 1;
  int64_t threads = mapping.tile[mapping.column] / mapping.vector * mapping.tile[mapping.row] / mapping.rows;
  double most = mapping.tile[mapping.row] == 1 || threads <= tile::kWarpThreads ? 1 : 3;
  double halves = std::log2(kLongLine / double(mapping.tile[mapping.column] * getElementBytes(*whole.front())));
  return 1 + kByHalves * std::pow(std::clamp(halves, 0.0, most), 2);
}

/// What bounds say of `mapping`: bytes of DRAM and of L2, instructions, and how much is under way at once. They decide which candidates are planned and analysed, no
/// more: the weights of instructions, waits and shapes are chosen so that the best by predicted time is among these (docs/mapping.md).
static double getCycles(const Problem &problem, const Mapping &mapping, const MachineSpec &machine, ArrayRef<unsigned> kept) {
  const LevelSpec &dram = machine.level(MemoryLevel::Dram);
  double perCycle = dram.bandwidth ? dram.bandwidth->value / machine.boostClock.value : 1000, sms = double(machine.sms.value);
  double walks = 0, passes = double(problem.rows->passes.size()), size = double(problem.dims[mapping.column].size);
  double again = mapping.kept == Kept::Nowhere ? 1 : std::max(0.0, 1 - double(mapping.tile[mapping.column] * mapping.repeat) / size);
  for (auto [number, value] : llvm::enumerate(problem.rows->values))
    if (!value.op && value.isLong && value.passes > 0)
      walks += (llvm::is_contained(kept, number) ? again : 1) * (double(value.passes) - 1);
  double columns = double(mapping.tile[mapping.column] / mapping.vector), threads = columns * double(mapping.tile[mapping.row] / mapping.rows);
  double blocks = countTiles(problem, mapping.tile), registers = mapping.kept == Kept::Registers ? double(mapping.repeat * getStepBytes(problem, mapping, kept)) / 4 : 0;
  double steps = double(llvm::divideCeil(problem.dims[mapping.column].size, mapping.tile[mapping.column]));
  // Lanes beyond the ends of rows take their turns, and each walk ends with an exchange between threads.
  double work = double(mapping.vector * mapping.rows) * steps, exchange = 20 * std::log2(columns) + (columns > tile::kWarpThreads ? 60 : 0);
  double issue = blocks * threads / tile::kWarpThreads / sms / double(machine.limits.issueSlots.value) * passes * (8 * work + exchange + 40 * steps / double(mapping.vector * mapping.rows));
  // Threads wait for each other at the end of each walk; with little under way DRAM waits, too.
  double resident = std::min({blocks / sms * threads, double(machine.limits.threadsPerSM.value), double(machine.registersPerSM()) / (registers + double(kOtherRegisters))});
  if (mapping.kept == Kept::Shared)
    resident = std::min(resident, double(machine.smemPerSM()) / double(mapping.repeat * getStepBytes(problem, mapping, kept)));
  double idle = std::max(1.0, kBytesUnderWay / (resident * 4 * std::min(work, 16.0)));
  double waits = blocks * threads / sms / resident * passes * (400 + 25 * steps);
  // Threads that keep much leave few to hide latency, most where an SM has few rows: layer norm of 2184x2900 takes 23.6 us on an H100 with 24 elements a thread,
  // 28 to 30 with 48 and 39 to 41 with 92. So do large blocks, which end at once; loads are of 16 bytes.
  constexpr double kFewRows = 24;
  bool areFew = blocks * double(mapping.tile[mapping.row]) < kFewRows * sms;
  double ofKept = areFew ? 0.004 * std::max(0.0, registers - 24) : 0.001 * std::max(0.0, registers - 32);
  double shape = 1 + ofKept + (threads < 128 || threads > 512 ? 0.02 : 0) + (mapping.kept == Kept::Shared ? 0.05 : 0);
  // Blocks of one row end by themselves: softmax of 1513x814 takes 8.0 us by these, 9.1 by twos. Where a row has several warps, there may be more of them: 4443x1116 takes 18.3 us
  // by these and 19.9 by twos, layer norm of 4096x768 13.3 and 14.4, but softmax of 6243x1266 32.2 and 29.6.
  constexpr double kFewLongRows = 34;
  bool endAlone = areFew || (columns > tile::kWarpThreads && blocks * double(mapping.tile[mapping.row]) < kFewLongRows * sms);
  if (endAlone && mapping.tile[mapping.row] > 1)
    shape += 0.03;
  if (mapping.vector * mapping.rows * getElementBytes(problem.rows->values.front()) != tile::kWidestBytes)
    shape += 0.03;
  shape *= getDoubtOfLines(problem, mapping);
  return (getOperandBytes(problem) / perCycle * (1 + 0.25 * walks) * idle + waits) * shape + 0.25 * issue;
}

/// Does the block ask ahead of its loops whether all that threads load and store beside what they keep in registers is there? Between loads that ask for themselves threads wait
/// for each: layer norm of 8192x32768 took 775 us so on an H100, 720 where the block asks, of 8192x1024 with 64 elements a thread 36.6 and 27.5. By vectors of more than 16 bytes it
/// took up to 1.13 times as long.
static bool asksByBlock(const Problem &problem, const Mapping &mapping) {
  bool isWhole = problem.dims[mapping.column].size >= mapping.tile[mapping.column] * mapping.repeat;
  return mapping.kept == Kept::Registers && isWhole && !mapping.skewed && mapping.vector * getElementBytes(problem.rows->values.front()) <= tile::kWidestBytes;
}

double mapping::getDoubtOfRows(const Problem &problem, const Mapping &mapping) {
  // Threads have few others to wait with where each keeps much, most where they load elements of another operand when they store a row: layer norm of 8192 rows of 1024 and
  // 2048 elements took 27.4 and 49.2 us on an H100 with 16 elements a thread, 29.6 to 30.0 and 51.7 to 51.8 with 32, and was predicted to take the same. Softmax, which loads
  // nothing else, took as long as predicted (27.7 and 27.8), but 33.3 and 30.8 in 10,290 rows of 928. By vectors of 16 bytes layer norm of 128 elements took 7.1 to 7.5 us, by
  // longer ones 7.7 to 8.1.
  constexpr double kByKept = 0.002, kByKeptLate = 0.004, kByVectors = 1.04;
  // Blocks of one row took 0.95 of what is predicted in the median of 177 nests on an H100, blocks of several 0.97 in that of 486: softmax of 4443x1116 took 18.3 us by one row of two
  // warps and 21.4 by four, which were predicted to take 19.9 and 19.2. Rows of one step are better together (layer norm of 2649x105: 5.3 us by eight, 6.3 by one).
  constexpr double kBySeveral = 1.02;
  constexpr int64_t kFewKept = 20;
  // Short rows that are walked once and in steps wait for each: sums of 8192 rows of 128 took 6.6 us on an H100 in one step, 6.7 to 6.9 in two, 7.4 to 7.6 in four, and were predicted
  // to take the same.
  constexpr double kByStep = 0.03;
  constexpr int64_t kMostSteps = 4;
  if (mapping.kept == Kept::Nowhere && problem.rows->passes.size() == 1)
    return getDoubtOfLines(problem, mapping) * (1 + kByStep * double(std::min<int64_t>(llvm::divideCeil(problem.dims[mapping.column].size, mapping.tile[mapping.column]), kMostSteps) - 1));
  if (mapping.kept != Kept::Registers)
    return 1;
  SmallVector<unsigned> kept = findKept(problem);
  bool loadsLate = llvm::any_of(llvm::enumerate(problem.rows->values), [&](auto entry) {
    return !entry.value().op && entry.value().isLong && !llvm::is_contained(kept, unsigned(entry.index()));
  });
  // These loads are under way together, but threads that are fewer than four warps for each scheduler of an H100 have few others to wait with: layer norm of 8192 rows of 128
  // elements took 6.9 to 7.0 us with two vectors a thread, 7.3 to 7.8 with four, which are 65,536 threads, and was predicted to take the same.
  constexpr double kFewThreads = 4 * 32 * 528, kByFew = 1.02;
  if (loadsLate && asksByBlock(problem, mapping)) {
    double points = 1;
    for (const Dim &dim : problem.dims)
      points *= double(dim.size);
    // Of rows of which threads keep a part, and read the rest again, several a block took 1.4 to 1.6 times as long as predicted, one 1.01 times (layer norm of 14296x8980, H200), whose
    // kept rows took 0.74 to 1.14 times: ptxas takes 100 to 119 registers for 64 elements, where 66 are estimated.
    constexpr double kByRest = 1.5, kByRestAlone = 1.15;
    if (mapping.repeat * mapping.tile[mapping.column] < problem.dims[mapping.column].size)
      return mapping.tile[mapping.row] > 1 ? kByRest : kByRestAlone;
    return points / double(mapping.vector * mapping.repeat) < kFewThreads ? kByFew : 1;
  }
  double registers = double(mapping.repeat * getStepBytes(problem, mapping, kept)) / 4;
  bool isLong = mapping.vector * getElementBytes(problem.rows->values[kept.front()]) > tile::kWidestBytes;
  return (1 + (loadsLate ? kByKeptLate : kByKept) * std::max(0.0, registers - kFewKept)) * (loadsLate && isLong ? kByVectors : 1) * (mapping.repeat > 1 && mapping.tile[mapping.row] > 1 ? kBySeveral : 1);
}

void mapping::listRows(const Problem &problem, const MachineSpec &machine, std::vector<Candidate> &candidates) {
  const RowGroup &group = *problem.rows;
  SmallVector<unsigned> parallel = getParallel(problem), reduced = getReduced(problem), kept = findKept(problem);
  Mapping mapping;
  mapping.scheme = Scheme::Rows;
  mapping.tile.assign(problem.dims.size(), 1);
  std::optional<unsigned> fast = getNeighbours(problem);
  bool across = isAcross(problem);
  mapping.column = fast && !across ? *fast : reduced.back();
  mapping.row = parallel.back();
  for (unsigned dim : parallel)
    if (across ? dim == *fast : problem.dims[dim].size > 1)
      mapping.row = dim;
  int64_t size = problem.dims[mapping.column].size;
  bool isKnown = llvm::all_of(reduced, [&](unsigned dim) { return dim == mapping.column || isa<Attribute>(problem.dims[dim].extent); });
  int64_t mostThreads = machine.limits.threadsPerBlock.value;
  bool fitRegisters = false;
  for (Kept where : {Kept::Registers, Kept::Shared, Kept::Nowhere})
    for (int64_t columns = 1; columns <= mostThreads; columns *= 2)
      for (int64_t rows = 1; rows * columns <= mostThreads; rows *= 2)
        for (int64_t vector : {1, 2, 4, 8}) {
          if (rows * columns < tile::kWarpThreads || (rows > 1 && (rows * columns > 512 || !group.padsRows)) || (across && rows < 8 && columns > tile::kWarpThreads))
            continue;
          // Neighbours beyond the end are of no use, nor are blocks of many rows where there are few.
          int64_t each = across ? 1 : vector, wide = across ? vector : 1;
          bool least = rows == 1 && columns == tile::kWarpThreads && vector == 1;
          if (!least && ((columns * each >= 2 * size && columns * each > 1) || (rows > 1 && rows * wide >= 2 * problem.dims[mapping.row].size)))
            continue;
          if (wide > 1 && !group.padsRows)
            continue;
          mapping.kept = where;
          mapping.vector = each;
          mapping.rows = wide;
          mapping.tile[mapping.column] = columns * each;
          mapping.tile[mapping.row] = rows * wide;
          mapping.repeat = int64_t(llvm::divideCeil(size, columns * each));
          if (where != Kept::Nowhere && (kept.empty() || !isKnown))
            continue;
          // Layer norm of 8192 rows of 1024 took 29.6 us on an H100 with rows in registers, and 37.3 to 42.2 with four ways to keep them in shared memory.
          if (where == Kept::Shared && fitRegisters)
            continue;
          if (where != Kept::Nowhere) {
            // Of rows that are too long the beginning is kept.
            int64_t most = countKept(problem, mapping, machine, kept);
            if (most == 0)
              continue;
            fitRegisters |= where == Kept::Registers && most >= mapping.repeat;
            mapping.repeat = std::min(mapping.repeat, most);
          }
          candidates.push_back({mapping, getCycles(problem, mapping, machine, kept)});
          std::optional<Skew> skew = getSkew(problem, mapping);
          if (!skew || where == Kept::Shared || !paysSkew(problem, mapping, kept))
            continue;
          // Vectors that are aligned in few rows are loaded one element after the other.
          constexpr double kByElements = 1.3;
          Candidate skewed = candidates.back();
          candidates.back().cycles *= kByElements;
          skewed.mapping.skewed = true;
          if (keepSkewed(problem, skewed.mapping, *skew, machine, kept))
            candidates.push_back(skewed);
        }
}

//===----------------------------------------------------------------------===//
// The nest
//===----------------------------------------------------------------------===//

namespace {

class RowsWriter {
public:
  RowsWriter(const Problem &problem, const Mapping &mapping, NestWriter &w) : problem(problem), group(*problem.rows), mapping(mapping), w(w) {}
  void run();

private:
  void keepInputs();
  void pass(ArrayRef<unsigned> sinks);
  void walk(ArrayRef<unsigned> sinks);
  void step(ArrayRef<unsigned> sinks, int64_t from, bool isKept);
  Placed take(unsigned source, int64_t from, bool isKept);
  /// Has the block ask ahead of its loops for `op`, a stage or a store beside what is kept in registers, where that pays.
  template <typename Op>
  void askByBlock(Op op, bool isKept);
  Placed getOwn(unsigned number);
  Placed getWhole(unsigned number);
  void compute(unsigned number, ArrayRef<unsigned> sources, ArrayRef<Placed> inputs, const Placed &result, int64_t from = 0);
  Use shift(Use use, int64_t from) const;
  /// All of the rows of a block, of which threads take their own.
  bool isAll() const { return mapping.tile[mapping.row] == mapping.rows; }

  const Problem &problem;
  const RowGroup &group;
  const Mapping &mapping;
  NestWriter &w;
  /// Operands that are kept, and values of the rows of a block; in a loop over threads what of these belongs to one.
  llvm::DenseMap<unsigned, Placed> keptTiles, whole, own;
  /// Values that are kept when they are first computed, and those that have been.
  SmallVector<unsigned> toMake, made;
  /// How many columns are walked, and how far they go beyond what is kept; null where they do not.
  OpFoldResult length, rest;
};

} // namespace

/// Computes value `number` from `sources`, which are `inputs`, and the last of them `result` if there is one more; where these begin `from` elements behind what loops say.
void RowsWriter::compute(unsigned number, ArrayRef<unsigned> sources, ArrayRef<Placed> inputs, const Placed &result, int64_t from) {
  w.computeGeneric(inputs, result, [&](OpBuilder &b, ArrayRef<Value> elements, function_ref<Value(unsigned)> getIndex, const IRMapping &copied) {
    auto getPlace = [&](unsigned dim) -> Value {
      Value index = getIndex(dim);
      if (dim != mapping.column || from == 0)
        return index;
      return arith::AddIOp::create(b, index.getLoc(), index, arith::ConstantIndexOp::create(b, index.getLoc(), from));
    };
    BodyWriter body(group, b, copied, getPlace);
    for (auto [source, element] : llvm::zip(sources, elements))
      body.known[source] = element;
    return body.write(number, elements.back());
  });
}

Use RowsWriter::shift(Use use, int64_t from) const {
  MLIRContext *context = use.map.getContext();
  SmallVector<AffineExpr> exprs;
  for (unsigned dim = 0; dim < use.map.getNumDims(); ++dim)
    exprs.push_back(getAffineDimExpr(dim, context) + (dim == mapping.column ? from : 0));
  return {use.memref, use.map.replaceDimsAndSymbols(exprs, {}, use.map.getNumDims(), 0)};
}

void RowsWriter::keepInputs() {
  if (mapping.kept == Kept::Nowhere)
    return;
  for (unsigned dim : getReduced(problem))
    w.setTile(dim, dim == mapping.column ? mapping.tile[dim] * mapping.repeat : problem.dims[dim].size);
  if (mapping.kept == Kept::Registers)
    toMake = group.getMade();
  for (unsigned number : findKept(problem))
    w.stage(w.operand(group.values[number].place), mapping.kept == Kept::Shared ? Level::SMEM : Level::RF, keptTiles[number], mapping.kept == Kept::Shared ? "s" : "r");
  for (unsigned dim : getReduced(problem))
    w.setTile(dim, 1);
}

/// Of the rows of a block the value that each has.
Placed RowsWriter::getWhole(unsigned number) {
  auto known = whole.find(number);
  if (known != whole.end())
    return known->second;
  const RowValue &value = group.values[number];
  if (!value.op)
    return w.part(w.operand(value.place), "");
  SmallVector<unsigned> sources = group.getSources(value);
  SmallVector<Placed> inputs = llvm::map_to_vector(sources, [&](unsigned source) { return getWhole(source); });
  Type element = cast<MemRefType>(value.place.memref.getType()).getElementType();
  Placed made = w.hold(value.place, w.builder().getZeroAttr(element), "t");
  compute(number, sources, inputs, made);
  whole[number] = made;
  return made;
}

void RowsWriter::pass(ArrayRef<unsigned> sinks) {
  for (unsigned sink : sinks) {
    const RowValue &value = group.values[sink];
    for (unsigned source : group.getSources(value))
      if (const RowValue &from = group.values[source]; from.op && !from.isLong)
        getWhole(source);
    if (!value.kind)
      continue;
    Type element = cast<MemRefType>(value.place.memref.getType()).getElementType();
    Placed sum = w.hold(value.place, value.init ? value.init : w.builder().getZeroAttr(element), "t");
    if (value.first)
      w.computeGeneric({getWhole(*value.first)}, sum, [](OpBuilder &, ArrayRef<Value> elements, function_ref<Value(unsigned)>, const IRMapping &) { return elements.front(); });
    whole[sink] = sum;
  }
  walk(sinks);
}

/// Has every thread walk its part of the rows, and add to what `sinks` put together, or compute and store them.
void RowsWriter::walk(ArrayRef<unsigned> sinks) {
  const RowValue &first = group.values[sinks.front()];
  LoopOver rows = {mapping.row, w.number(mapping.tile[mapping.row]), mapping.rows};
  LoopOver columns = {mapping.column, w.number(mapping.tile[mapping.column]), mapping.vector};
  bool isShared = mapping.tile[mapping.column] > mapping.vector;
  SmallVector<LoopOver> over;
  if (!isAll())
    over.push_back(rows);
  // Neighbours lie along the columns, or else along the rows.
  if (isShared)
    over.insert(isAcross(problem) ? over.begin() : over.end(), columns);
  ForOp threads = w.open(over, Level::DRAM, Unit::Thread, "1");
  if (first.kind && isShared)
    threads.setReduce(*first.kind);
  w.setTile(mapping.row, mapping.rows);
  w.setTile(mapping.column, mapping.vector);
  bool isKept = false;
  for (unsigned sink : sinks) {
    if (group.values[sink].kind)
      own[sink] = getOwn(sink);
    for (unsigned source : group.getSources(group.values[sink])) {
      isKept |= keptTiles.count(source) > 0;
      if (!group.values[source].isLong && !own.count(source))
        own[source] = getOwn(source);
    }
  }
  Level level = mapping.kept == Kept::Shared ? Level::SMEM : Level::RF;
  Unit unit = mapping.kept == Kept::Shared ? Unit::Time : Unit::Unroll;
  for (unsigned dim : getReduced(problem)) {
    if (dim != mapping.column)
      w.open({{dim, problem.dims[dim].extent, 1}}, isKept ? level : Level::DRAM, isKept ? unit : Unit::Time, "0");
    if (dim != mapping.column)
      w.setTile(dim, 1);
  }
  int64_t wide = mapping.tile[mapping.column], all = wide * mapping.repeat;
  if (isKept) {
    ForOp written = mapping.repeat > 1 ? w.open({{mapping.column, w.number(all), wide}}, level, unit, "0") : ForOp();
    step(sinks, 0, true);
    if (written)
      w.close(written);
  }
  if (!isKept || rest) {
    if (isKept || getConstantIntValue(length).value_or(wide + 1) > wide)
      w.open({{mapping.column, isKept ? rest : length, wide}}, Level::DRAM, Unit::Time, "0");
    step(sinks, isKept ? all : 0, false);
  }
  w.close(threads);
  own.clear();
  w.setTile(mapping.row, mapping.tile[mapping.row]);
  w.setTile(mapping.column, 1);
}

/// A thread's part of a value of rows.
Placed RowsWriter::getOwn(unsigned number) {
  const RowValue &value = group.values[number];
  if (!value.op) {
    Placed loaded;
    w.stage(w.operand(value.place), Level::RF, loaded, "r");
    return loaded;
  }
  return isAll() || !Problem::uses(value.place.map, mapping.row) ? whole.lookup(number) : w.part(whole.lookup(number), "q");
}

template <typename Op>
void RowsWriter::askByBlock(Op op, bool isKept) {
  if (isKept && asksByBlock(problem, mapping) && cast<MemRefType>(op.getTile().getType()).getNumElements() > 1)
    op.setEdges(tile::EdgeCheck::Block);
}

/// A thread's part of a value along rows: of what is kept, or loaded `from` elements behind where loops are.
Placed RowsWriter::take(unsigned source, int64_t from, bool isKept) {
  auto kept = keptTiles.find(source);
  if (isKept && kept != keptTiles.end() && mapping.kept == Kept::Registers)
    return w.part(kept->second, "p");
  Placed loaded;
  bool isShared = isKept && kept != keptTiles.end();
  tile::StageOp stage = w.stage(isShared ? Placed(kept->second) : w.operand(shift(group.values[source].place, from)), Level::RF, loaded, "r");
  if (!isShared)
    askByBlock(stage, isKept);
  return loaded;
}

/// What a thread does with the elements that it takes at once, `from` elements behind where loops are.
void RowsWriter::step(ArrayRef<unsigned> sinks, int64_t from, bool isKept) {
  llvm::DenseMap<unsigned, Placed> here = own;
  auto get = [&](unsigned source) {
    if (!here.count(source))
      here[source] = take(source, from, isKept);
    return here.lookup(source);
  };
  auto reads = [&](unsigned number) { return llvm::any_of(sinks, [&](unsigned sink) { return llvm::is_contained(group.getSources(group.values[sink], toMake), number); }); };
  for (unsigned number : toMake) {
    if (!isKept || llvm::is_contained(made, number) || !reads(number))
      continue;
    // Among its sources one is kept, and is the last of them: the result, whose element is what it was before.
    SmallVector<unsigned> sources = group.getSources(group.values[number], made);
    std::stable_partition(sources.begin(), sources.end(), [&](unsigned source) { return !group.values[source].isLong; });
    SmallVector<Placed> inputs = llvm::map_to_vector(sources, get);
    keptTiles[number] = keptTiles.lookup(sources.back());
    here[number] = inputs.pop_back_val();
    compute(number, sources, inputs, here.lookup(number));
    made.push_back(number);
  }
  for (unsigned sink : sinks) {
    const RowValue &value = group.values[sink];
    SmallVector<unsigned> sources = group.getSources(value, isKept ? ArrayRef(made) : ArrayRef<unsigned>());
    SmallVector<Placed> inputs = llvm::map_to_vector(sources, get);
    if (!value.kind)
      here[sink] = w.hold(value.place, w.builder().getZeroAttr(getElementType(value)), "t");
    compute(sink, sources, inputs, here.lookup(sink), from);
  }
  // What is stored may be what others read.
  for (unsigned sink : sinks)
    if (!group.values[sink].kind)
      askByBlock(w.store(here.lookup(sink), w.operand(shift(group.values[sink].place, from))), isKept);
}

void RowsWriter::run() {
  std::optional<Skew> skew = mapping.skewed ? getSkew(problem, mapping) : std::nullopt;
  length = problem.dims[mapping.column].extent;
  int64_t kept = mapping.tile[mapping.column] * mapping.repeat;
  if (auto size = dyn_cast<Value>(length)) {
    Location loc = problem.root->getLoc();
    if (mapping.kept != Kept::Nowhere)
      rest = arith::SubIOp::create(w.builder(), loc, w.copyOf(size), arith::ConstantIndexOp::create(w.builder(), loc, kept)).getResult();
  } else {
    int64_t columns = problem.dims[mapping.column].size + (skew ? skew->slack : 0);
    length = w.number(columns);
    if (columns > kept)
      rest = w.number(columns - kept);
  }
  SmallVector<LoopOver> grid;
  for (unsigned dim : getParallel(problem)) {
    grid.push_back({dim, problem.dims[dim].extent, mapping.tile[dim]});
    w.setTile(dim, mapping.tile[dim]);
  }
  skew ? openSkewed(*skew, grid, w) : w.open(grid, Level::DRAM, Unit::Block, "0");
  keepInputs();
  for (ArrayRef<unsigned> sinks : group.passes)
    pass(sinks);
  for (unsigned output : group.outputs)
    if (const RowValue &value = group.values[output]; !value.isLong)
      w.store(getWhole(output), w.operand(value.place));
}

void mapping::writeRows(const Problem &problem, const Mapping &mapping, NestWriter &w) { RowsWriter(problem, mapping, w).run(); }
