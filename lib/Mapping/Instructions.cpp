//===- Instructions.cpp - Tiles that warpgroups multiply --------*- C++ -*-===//
//
// Producers fill a ring of tiles by TMA, warpgroups multiply 64 rows each of the block's tile by instructions that read
// both operands from shared memory (rule C7), and sums stay in registers (examples/fast/wgmma.mlir).
//
//===----------------------------------------------------------------------===//

#include "Schemes.h"
#include "tilec/Tile/InstructionUse.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::mapping;
using tile::ForOp;
using tile::Level;
using tile::Unit;

namespace {
/// Bytes of a swizzled row (PTX ISA 9.7.15).
constexpr int64_t kSwizzledBytes = 128;
/// Threads of a warpgroup.
constexpr int64_t kGroupThreads = 128;
/// Shared memory that slots of the ring leave to barriers and to a slice of the result.
constexpr int64_t kBesideRing = 34 * 1024;
constexpr int64_t kMostStages = 12;
} // namespace

std::optional<MathType> mapping::getMathType(Type type) {
  if (type.isBF16())
    return MathType::BF16;
  if (type.isF16())
    return MathType::F16;
  if (type.isTF32())
    return MathType::TF32;
  if (isa<Float8E4M3FNType>(type))
    return MathType::E4M3;
  if (isa<Float8E5M2Type>(type))
    return MathType::E5M2;
  return type.isInteger(8) ? std::optional(MathType::S8) : std::nullopt;
}

bool mapping::canWarpgroupsMultiply(MathType type, const MachineSpec &machine) { return machine.rate(MathUnit::Wgmma, type) && machine.features.wgmma && machine.features.tma; }

/// The problem as a product of `rows` and `columns` along `depth`, if it is one.
static std::optional<MatrixProblem> getMatrixProblem(const Problem &problem, unsigned row, unsigned column, unsigned depth) {
  SmallVector<int64_t> ranges(problem.dims.size(), 1);
  ranges[row] = ranges[column] = ranges[depth] = ShapedType::kDynamic;
  std::optional<tile::InstructionUse> product = tile::findProduct(problem.root, ranges);
  std::optional<MathType> a = product ? getMathType(product->aType) : std::nullopt, b = product ? getMathType(product->bType) : std::nullopt;
  if (!a || !b || problem.inputs.size() != 2 || product->m != row || product->n != column)
    return std::nullopt;
  bool isShort = bytesPerElement(*a) == 1 && *a != MathType::S8 && bytesPerElement(*b) == 1 && *b != MathType::S8;
  Type sum = cast<MemRefType>(problem.output.memref.getType()).getElementType();
  if ((*a != *b && !isShort) || (*a == MathType::S8 ? !sum.isInteger(32) : !sum.isF32()))
    return std::nullopt;
  return MatrixProblem{*a, row, column, depth, kGroupDepthBytes / bytesPerElement(*a)};
}

SmallVector<MatrixProblem> mapping::getMatrixProblems(const Problem &problem) {
  SmallVector<MatrixProblem> problems;
  SmallVector<unsigned> reduced = getReduced(problem);
  for (auto [row, column] : getSides(problem))
    for (unsigned depth : llvm::reverse(reduced))
      if (std::optional<MatrixProblem> matrix = ::getMatrixProblem(problem, row, column, depth))
        problems.push_back(*matrix);
  return problems;
}

MatrixProblem mapping::getMatrixProblem(const Problem &problem, const Mapping &mapping) {
  return *::getMatrixProblem(problem, mapping.row, mapping.column, mapping.depth);
}

/// Does TMA copy `input` in lines of 128 bytes?
static bool isInWholeLines(const Use &input, const Mapping &mapping, const MatrixProblem &matrix) {
  std::optional<unsigned> fast = Problem::getFastDim(input);
  return fast && mapping.tile[*fast] * bytesPerElement(matrix.type) % kSwizzledBytes == 0;
}

/// Cycles of tiles one after the other on each SM: products at the clock that settles under their load, or what fills the slots of the ring, which takes as
/// long as DRAM needs for the operands, and what nothing hides at the ends of tiles, of the last one where teams take turns. Measured (docs/results/gpu.md): a
/// slot that is asked for is full 1900 cycles later, and an SM gets 50 bytes a cycle at most, a third less in shorter lines than of 128 bytes; a launch in
/// clusters takes 2600 more; blocks of a cluster add up what they have in 3000, and at 8 bytes a cycle.
static double getCycles(const Problem &problem, const MatrixProblem &matrix, const Mapping &mapping, const MachineSpec &machine) {
  constexpr double kFill = 1900, kMostFilled = 50, kShortLines = 1.5, kEnds = 2000, kClusters = 2600, kExchange = 3000, kExchanged = 8;
  double rate = machine.rate(MathUnit::Wgmma, matrix.type)->rate.value;
  double depth = double(problem.dims[matrix.depth].size) / double(mapping.split);
  double rows = double(mapping.tile[matrix.row]), columns = double(mapping.tile[matrix.column]), step = double(mapping.tile[matrix.depth]);
  double rounds = std::ceil(countTiles(problem, mapping.tile) * double(mapping.split) / double(machine.sms.value));
  // Instructions of few columns wait for their operands: shared memory delivers one row of 128 bytes a cycle.
  double line = double(kSwizzledBytes / bytesPerElement(matrix.type));
  double products = rows * columns * depth / rate, reads = (rows + columns * rows / double(kGroupRows)) * depth / line, end = rows * columns / 16 + kEnds;
  if (machine.loadClock)
    products *= machine.boostClock.value / machine.loadClock->value;
  double slot = 0;
  for (const Use &input : problem.inputs)
    slot += double(getTileBytes(input, mapping.tile)) * (isInWholeLines(input, mapping, matrix) ? 1 : kShortLines);
  double filled = slot * depth / step / std::min(kMostFilled, slot * double(mapping.stages - 1) / kFill);
  double fromDram = getOperandBytes(problem) / (machine.dramBytesPerCyclePerSM() * double(machine.sms.value));
  double cycles = std::max(rounds * std::max({products, reads, filled}), fromDram);
  cycles += (mapping.teams > 1 ? 1 : rounds) * end;
  if (mapping.clusterRows > 1)
    cycles += kClusters;
  if (mapping.split > 1)
    cycles += kExchange + double(mapping.split - 1) * double(getTileBytes(problem.output, mapping.tile)) / kExchanged;
  return cycles;
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

/// Does TMA fill tiles of the inputs as instructions read them? Elements of other than 16 bits they take side by side along the depth only (rule C7).
static bool canRead(const Problem &problem, const MatrixProblem &matrix) {
  return llvm::all_of(problem.inputs, [&](const Use &input) {
    std::optional<unsigned> fast = Problem::getFastDim(input);
    return fast && (*fast == matrix.depth || bytesPerElement(matrix.type) == 2);
  });
}

/// Has each thread of a block the registers that an instruction needs?
static bool hasRegisters(const MatrixProblem &matrix, const Mapping &mapping, const MachineSpec &machine) {
  int64_t producers = mapping.producers * machine.limits.warpSize.value, computing = mapping.tile[matrix.row] / mapping.warpRows * mapping.teams * kGroupThreads;
  int64_t sums = mapping.warpRows * mapping.tile[matrix.column] / kGroupThreads + tile::kRegistersBesideSums;
  // A thread that holds sums of several instructions is given registers of producers; those of one it must have when the kernel starts.
  int64_t shared = mapping.warpRows > kGroupRows ? tile::kProducerRegistersBesideSums : sums;
  return sums <= machine.limits.registersPerThread.value && sums * computing + shared * producers <= machine.registersPerSM();
}

/// How warpgroups share tiles: each takes so many rows of the block's tile, or, of so many teams, of the tile that is its team's turn.
struct Grouping {
  int64_t rows, teams;
};
static constexpr Grouping kGroupings[] = {{kGroupRows, 1}, {2 * kGroupRows, 1}, {kGroupRows, 2}, {2 * kGroupRows, 2}};

/// Adds `mapping`, whose tile, grouping and sharing are chosen, where it can be.
static void consider(const Problem &problem, const MatrixProblem &matrix, const MachineSpec &machine, const Wish &wish, Mapping mapping, std::vector<Candidate> &candidates) {
  int64_t rows = mapping.tile[matrix.row], rowTiles = llvm::divideCeil(problem.dims[matrix.row].size, rows);
  bool canSplit = machine.features.dsmem && problem.init && getCombine(problem) && getReduced(problem).size() == 1;
  if (rows % mapping.warpRows != 0 || (mapping.teams > 1 && rows != mapping.warpRows) || (mapping.split > 1 && !canSplit))
    return;
  // Blocks of a cluster without a row of their own would have nothing to do, nor instructions.
  if (rowTiles < mapping.clusterRows || rows - kGroupRows >= std::max<int64_t>(problem.dims[matrix.row].size, 1))
    return;
  mapping.warpColumns = mapping.tile[matrix.column];
  // Where each block has one tile, there is no next one to copy for, nor turns to take.
  mapping.persistent = countTiles(problem, mapping.tile) * double(mapping.split) > double(machine.sms.value);
  mapping.stages = wish.stages.value_or(getStages(problem, mapping, machine));
  if (mapping.stages < 2 || !hasRegisters(matrix, mapping, machine) || !isWalked(problem, mapping, matrix.depth) || (mapping.teams > 1 && !mapping.persistent))
    return;
  for (int64_t grouped : {8, 16}) {
    mapping.grouped = grouped / mapping.clusterRows;
    candidates.push_back({mapping, getCycles(problem, matrix, mapping, machine)});
    // Groups of more tiles than there are in a column are the same.
    if (rowTiles <= grouped)
      return;
  }
}

static void listInstructions(const Problem &problem, const MatrixProblem &matrix, const MachineSpec &machine, const Wish &wish, std::vector<Candidate> &candidates) {
  if (!canWarpgroupsMultiply(matrix.type, machine) || !canRead(problem, matrix))
    return;
  int64_t swizzled = kSwizzledBytes / bytesPerElement(matrix.type);
  Mapping mapping;
  mapping.scheme = Scheme::Instructions;
  mapping.tile.assign(problem.dims.size(), 1);
  mapping.row = matrix.row;
  mapping.column = matrix.column;
  mapping.depth = matrix.depth;
  mapping.producers = wish.producers.value_or(4);
  for (int64_t step : wish.getTiles(matrix.depth, {swizzled, 2 * swizzled}))
    for (int64_t rows : wish.getTiles(matrix.row, {kGroupRows, 2 * kGroupRows, 3 * kGroupRows, 4 * kGroupRows}))
      for (int64_t columns : wish.getTiles(matrix.column, {64, 96, 128, 160, 192, 256}))
        for (Grouping grouping : kGroupings)
          for (Sharing sharing : kSharing) {
            mapping.tile[matrix.row] = rows;
            mapping.tile[matrix.column] = columns;
            mapping.tile[matrix.depth] = step;
            mapping.warpRows = grouping.rows;
            mapping.teams = grouping.teams;
            mapping.clusterRows = sharing.clusterRows;
            mapping.split = sharing.split;
            consider(problem, matrix, machine, wish, mapping, candidates);
          }
}

void mapping::listInstructions(const Problem &problem, const MachineSpec &machine, const Wish &wish, std::vector<Candidate> &candidates) {
  for (const MatrixProblem &matrix : getMatrixProblems(problem))
    ::listInstructions(problem, matrix, machine, wish, candidates);
}

void mapping::writeInstructions(const Problem &problem, const Mapping &mapping, NestWriter &w) {
  BlockLoops loops = openBlock(problem, mapping, w);
  MatrixProblem matrix = getMatrixProblem(problem, mapping);
  SmallVector<Placed> operands;
  for (const Use &input : problem.inputs)
    w.stage(w.operand(input), Level::SMEM, operands.emplace_back(), "s").setCopy(tile::Copy::Tma);
  ForOp groups = w.open({{mapping.row, w.number(mapping.tile[mapping.row]), mapping.warpRows}}, Level::SMEM, Unit::Warpgroup, "w");
  w.setTile(mapping.row, mapping.warpRows);
  SmallVector<LoopOver> instructions{{matrix.depth, w.number(mapping.tile[matrix.depth]), matrix.step}};
  if (mapping.warpRows > kGroupRows)
    instructions.push_back({mapping.row, w.number(mapping.warpRows), kGroupRows});
  w.open(instructions, Level::SMEM, Unit::Unroll, "1");
  w.setTile(mapping.row, kGroupRows);
  w.setTile(matrix.depth, matrix.step);
  operands.push_back(loops.result);
  for (Placed &operand : operands)
    operand = w.part(operand, "i");
  w.computeRoot(operands);
  w.close(groups);
  w.setTile(matrix.depth, mapping.tile[matrix.depth]);
  finishBlock(problem, mapping, w, loops);
}
