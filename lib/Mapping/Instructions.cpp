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
  if (type.isTF32())
    return MathType::TF32;
  if (isa<Float8E4M3FNType>(type))
    return MathType::E4M3;
  if (isa<Float8E5M2Type>(type))
    return MathType::E5M2;
  return type.isInteger(8) ? std::optional(MathType::S8) : std::nullopt;
}

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
  return MatrixProblem{*a, row, column, depth, kDepthBytes / bytesPerElement(*a)};
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

/// Cycles of tiles one after the other on each SM: products, or what fills the slots of the ring, and what nothing hides at the ends of tiles; and those of
/// what L2 delivers. Measured on an H200 (docs/results/gpu.md): a slot that is asked for is full 1900 cycles later, and an SM gets 50 bytes a cycle at most; blocks
/// of a cluster add up what they have in 3000.
static double getCycles(const Problem &problem, const MatrixProblem &matrix, const Mapping &mapping, const MachineSpec &machine) {
  constexpr double kFill = 1900, kMostFilled = 50, kExchange = 3000, kEnds = 2000;
  double rate = machine.rate(MathUnit::Wgmma, matrix.type)->rate.value;
  double depth = double(problem.dims[matrix.depth].size) / double(mapping.split);
  double rows = double(mapping.tile[matrix.row]), columns = double(mapping.tile[matrix.column]), step = double(mapping.tile[matrix.depth]);
  double rounds = std::ceil(countTiles(problem, mapping.tile) * double(mapping.split) / double(machine.sms.value));
  // Instructions of few columns wait for their operands: shared memory delivers one row of 128 bytes a cycle.
  double line = double(kSwizzledBytes / bytesPerElement(matrix.type));
  double products = rows * columns * depth / rate, reads = (rows + columns * rows / double(kRows)) * depth / line;
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

/// Does TMA fill tiles of the inputs as instructions read them? Elements of other than 16 bits they take side by side along the depth only (rule C7).
static bool canRead(const Problem &problem, const MatrixProblem &matrix) {
  return llvm::all_of(problem.inputs, [&](const Use &input) {
    std::optional<unsigned> fast = Problem::getFastDim(input);
    return fast && (*fast == matrix.depth || bytesPerElement(matrix.type) == 2);
  });
}

/// Has each thread of a block the registers that an instruction needs?
static bool hasRegisters(const MatrixProblem &matrix, const Mapping &mapping, const MachineSpec &machine) {
  constexpr int64_t kGroupThreads = 128;
  int64_t threads = mapping.tile[matrix.row] / kRows * kGroupThreads + mapping.producers * machine.limits.warpSize.value;
  int64_t sums = kRows * mapping.tile[matrix.column] / kGroupThreads;
  return (sums + tile::kRegistersBesideSums) * threads <= machine.registersPerSM();
}

static void listInstructions(const Problem &problem, const MatrixProblem &matrix, const MachineSpec &machine, const Wish &wish, std::vector<Candidate> &candidates) {
  if (!machine.rate(MathUnit::Wgmma, matrix.type) || !machine.features.wgmma || !machine.features.tma || !canRead(problem, matrix))
    return;
  int64_t swizzled = kSwizzledBytes / bytesPerElement(matrix.type);
  Mapping mapping;
  mapping.scheme = Scheme::Instructions;
  mapping.tile.assign(problem.dims.size(), 1);
  mapping.row = matrix.row;
  mapping.column = matrix.column;
  mapping.depth = matrix.depth;
  mapping.producers = wish.producers.value_or(4);
  mapping.warpRows = kRows;
  bool canSplit = machine.features.dsmem && problem.init && getCombine(problem) && getReduced(problem).size() == 1;
  for (int64_t step : wish.getTiles(matrix.depth, {swizzled, 2 * swizzled}))
    for (int64_t rows : wish.getTiles(matrix.row, {kRows, 2 * kRows, 3 * kRows}))
      for (int64_t columns : wish.getTiles(matrix.column, {64, 96, 128, 160, 192, 256}))
        for (Sharing sharing : kSharing)
          for (int64_t grouped : {8, 16}) {
            mapping.tile[matrix.row] = rows;
            mapping.tile[matrix.column] = columns;
            mapping.tile[matrix.depth] = step;
            mapping.clusterRows = sharing.clusterRows;
            mapping.split = sharing.split;
            mapping.grouped = grouped / sharing.clusterRows;
            mapping.warpColumns = columns;
            // Where each block has one tile, there is no next one to copy for.
            mapping.persistent = countTiles(problem, mapping.tile) * double(mapping.split) > double(machine.sms.value);
            mapping.stages = wish.stages.value_or(getStages(problem, mapping, machine));
            bool fits = mapping.stages >= 2 && hasRegisters(matrix, mapping, machine);
            if (fits && isWalked(problem, mapping, matrix.depth) && (mapping.split == 1 || canSplit))
              candidates.push_back({mapping, getCycles(problem, matrix, mapping, machine)});
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
  ForOp groups = w.open({{mapping.row, w.number(mapping.tile[mapping.row]), kRows}}, Level::SMEM, Unit::Warpgroup, "w");
  w.setTile(mapping.row, kRows);
  w.open({{matrix.depth, w.number(mapping.tile[matrix.depth]), matrix.step}}, Level::SMEM, Unit::Unroll, "1");
  w.setTile(matrix.depth, matrix.step);
  operands.push_back(loops.result);
  for (Placed &operand : operands)
    operand = w.part(operand, "i");
  w.computeRoot(operands);
  w.close(groups);
  w.setTile(matrix.depth, mapping.tile[matrix.depth]);
  finishBlock(problem, mapping, w, loops);
}
