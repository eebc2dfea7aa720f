//===- Instructions.cpp - Tiles that warpgroups multiply --------*- C++ -*-===//
//
// Producers fill a ring of tiles by TMA, warpgroups multiply 64 rows each of the block's tile by instructions that read
// both operands from shared memory (rule C7), and sums stay in registers (examples/fast/wgmma.mlir).
//
//===----------------------------------------------------------------------===//

#include "Schemes.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::mapping;
using tile::ForOp;
using tile::Level;
using tile::Unit;

namespace {
/// Rows of an instruction and, in bytes, its depth and that of a swizzled row (PTX ISA 9.7.15).
constexpr int64_t kRows = 64, kDepthBytes = 32, kSwizzledBytes = 128;
/// Shared memory that slots of the ring leave to barriers and to a slice of the result.
constexpr int64_t kBesideRing = 34 * 1024;
constexpr int64_t kMostStages = 8;
} // namespace

static std::optional<MathType> getMathType(Type type) {
  if (type.isBF16())
    return MathType::BF16;
  if (type.isF16())
    return MathType::F16;
  return std::nullopt;
}

/// The type that instructions multiply, where all inputs are of one that they take and add up in f32.
static std::optional<MathType> getInstructionType(const Problem &problem) {
  if (problem.inputs.size() != 2 || !cast<MemRefType>(problem.output.memref.getType()).getElementType().isF32())
    return std::nullopt;
  Type first = cast<MemRefType>(problem.inputs[0].memref.getType()).getElementType();
  if (cast<MemRefType>(problem.inputs[1].memref.getType()).getElementType() != first)
    return std::nullopt;
  return getMathType(first);
}

/// Cycles of tiles one after the other on each SM: products, or what fills the slots of the ring, and what nothing hides at the ends of tiles; and those of
/// what L2 delivers. Measured on an H200 (docs/results/gpu.md): a slot that is asked for is full 1900 cycles later, and an SM gets 50 bytes a cycle at most; blocks
/// of a cluster add up what they have in 3000.
static double getCycles(const Problem &problem, const Mapping &mapping, const MachineSpec &machine, double rate) {
  constexpr double kFill = 1900, kMostFilled = 50, kExchange = 3000, kEnds = 2000;
  double depth = double(problem.dims[getReduced(problem).back()].size) / double(mapping.split);
  double rows = double(mapping.tile[mapping.row]), columns = double(mapping.tile[mapping.column]), step = double(mapping.tile[getReduced(problem).back()]);
  double rounds = std::ceil(countTiles(problem, mapping.tile) * double(mapping.split) / double(machine.sms.value));
  // Instructions of few columns wait for their operands: shared memory delivers one row of 128 bytes a cycle.
  double products = rows * columns * depth / rate, reads = (rows + columns * rows / double(kRows)) * depth / 64;
  double slot = 0;
  for (const Use &input : problem.inputs)
    slot += double(getTileBytes(input, mapping.tile));
  double filled = slot * depth / step / std::min(kMostFilled, slot * double(mapping.stages - 1) / kFill);
  double compute = rounds * (std::max({products, reads, filled}) + rows * columns / 16 + kEnds) + (mapping.split > 1 ? kExchange : 0);
  const LevelSpec &l2 = machine.level(MemoryLevel::L2);
  return std::max(compute, l2.bandwidth ? getRequestedBytes(problem, mapping) / l2.bandwidth->value : 0);
}

/// How blocks share work: those of a cluster that share rows of tiles, or a tile's reduction.
struct Sharing {
  int64_t clusterRows, split;
};
static constexpr Sharing kSharing[] = {{1, 1}, {2, 1}, {1, 2}, {1, 4}};

/// The slots that shared memory has room for.
static int64_t getStages(const Problem &problem, const Mapping &mapping, const MachineSpec &machine) {
  int64_t slot = 0, parts = 0;
  for (const Use &input : problem.inputs)
    slot += getTileBytes(input, mapping.tile);
  if (mapping.split > 1)
    parts = getTileBytes(problem.output, mapping.tile);
  return std::min((machine.limits.smemPerBlock.value - kBesideRing - parts) / slot, kMostStages);
}

void mapping::listInstructions(const Problem &problem, const MachineSpec &machine, const Wish &wish, std::vector<Candidate> &candidates) {
  std::optional<MathType> type = getInstructionType(problem);
  const MathRate *rate = type ? machine.rate(MathUnit::Wgmma, *type) : nullptr;
  SmallVector<unsigned> reduced = getReduced(problem);
  if (!rate || !machine.features.wgmma || !machine.features.tma || reduced.size() != 1)
    return;
  int64_t swizzled = kSwizzledBytes / bytesPerElement(*type);
  for (auto [row, column] : getSides(problem)) {
    Mapping mapping;
    mapping.scheme = Scheme::Instructions;
    mapping.tile.assign(problem.dims.size(), 1);
    mapping.row = row;
    mapping.column = column;
    mapping.producers = wish.producers.value_or(4);
    mapping.warpRows = kRows;
    for (int64_t step : wish.getTiles(reduced.back(), {swizzled, 2 * swizzled}))
      for (int64_t rows : wish.getTiles(row, {kRows, 2 * kRows, 3 * kRows}))
        for (int64_t columns : wish.getTiles(column, {64, 96, 128, 160, 192, 256}))
          for (Sharing sharing : kSharing)
            for (int64_t grouped : {8, 16}) {
              mapping.tile[row] = rows;
              mapping.tile[column] = columns;
              mapping.tile[reduced.back()] = step;
              mapping.clusterRows = sharing.clusterRows;
              mapping.split = sharing.split;
              mapping.grouped = grouped / sharing.clusterRows;
              mapping.warpColumns = columns;
              // Where each block has one tile, there is no next one to copy for.
              mapping.persistent = countTiles(problem, mapping.tile) * double(mapping.split) > double(machine.sms.value);
              mapping.stages = wish.stages.value_or(getStages(problem, mapping, machine));
              bool canSplit = machine.features.dsmem && problem.init && getCombine(problem);
              if (mapping.stages >= 2 && isWalked(problem, mapping, reduced.back()) && (mapping.split == 1 || canSplit))
                candidates.push_back({mapping, getCycles(problem, mapping, machine, rate->rate.value)});
            }
  }
}

void mapping::writeInstructions(const Problem &problem, const Mapping &mapping, NestWriter &w) {
  BlockLoops loops = openBlock(problem, mapping, w);
  unsigned last = getReduced(problem).back();
  SmallVector<Placed> operands;
  for (const Use &input : problem.inputs)
    w.stage(w.operand(input), Level::SMEM, operands.emplace_back(), "s").setCopy(tile::Copy::Tma);
  ForOp groups = w.open({{mapping.row, w.number(mapping.tile[mapping.row]), kRows}}, Level::SMEM, Unit::Warpgroup, "w");
  w.setTile(mapping.row, kRows);
  int64_t depth = kDepthBytes / bytesPerElement(*getInstructionType(problem));
  w.open({{last, w.number(mapping.tile[last]), depth}}, Level::SMEM, Unit::Unroll, "1");
  w.setTile(last, depth);
  operands.push_back(loops.result);
  for (Placed &operand : operands)
    operand = w.part(operand, "i");
  w.computeRoot(operands);
  w.close(groups);
  w.setTile(last, mapping.tile[last]);
  finishBlock(problem, mapping, w, loops);
}
