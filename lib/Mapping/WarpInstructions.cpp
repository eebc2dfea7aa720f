//===- WarpInstructions.cpp - Tiles that warps multiply ---------*- C++ -*-===//
//
// All threads fill a ring of tiles by cp.async; warps load what they multiply to registers, one step ahead, and multiply 16x8 elements at
// a time by instructions of the warp (rule C8, examples/fast/mma.mlir).
//
//===----------------------------------------------------------------------===//

#include "Schemes.h"
#include "tilec/Layout/MatrixOperand.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::mapping;
using tile::ForOp;
using tile::Level;
using tile::Unit;

namespace {
/// Bytes that an instruction takes along the depth (PTX ISA 9.7.14.5).
constexpr int64_t kDepthBytes = 32;
/// Bytes that a warp loads or copies with one instruction.
constexpr int64_t kWarpBytes = 512;
/// Registers of a thread beside sums and what it multiplies.
constexpr int64_t kOtherRegisters = 40;
/// The part of the waits for a slot that other warps do not hide.
constexpr double kSeen = 0.1;
/// Bytes a cycle that copies put in shared memory, which loads of warps find taken meanwhile (a fit, docs/results/gpu.md).
constexpr double kCopiedBytes = 64;
/// The share of DRAM's rate at which copies by cp.async come, beside boxes of TMA (64x4096x4096 in bf16 takes 26.1 and 20.5 us, docs/results/gpu.md).
constexpr double kFromDram = 0.75;

/// Tiles of a warp, and how many of them a block has down and across.
constexpr std::pair<int64_t, int64_t> kWarps[] = {{64, 64}, {32, 64}, {64, 32}, {32, 32}, {32, 128}, {16, 64}, {64, 16}, {16, 32}, {32, 16}};
constexpr std::pair<int64_t, int64_t> kWarpGrids[] = {{1, 1}, {1, 2}, {2, 1}, {2, 2}, {1, 4}, {4, 1}, {2, 4}, {4, 2}};
/// Bytes of a step along the depth, and its slots.
constexpr int64_t kStepBytes[] = {64, 128, 256};
constexpr int64_t kStages[] = {2, 3, 4, 6};

class WarpBound {
public:
  WarpBound(const Problem &problem, const MatrixProblem &matrix, const MachineSpec &machine)
      : problem(problem), matrix(matrix), machine(machine), rate(machine.rate(MathUnit::Mma, matrix.type)->rate.value) {}

  /// Cycles that `mapping` hardly goes below; absent where a block does not fit.
  std::optional<double> getCycles(const Mapping &mapping) const;

private:
  /// Blocks of an SM; 0 where none fits.
  int64_t countBlocks(const Mapping &mapping, int64_t slot) const;
  /// What units of an SM do for one step of a block.
  double getBusy(const Mapping &mapping, int64_t slot) const;

  const Problem &problem;
  const MatrixProblem &matrix;
  const MachineSpec &machine;
  double rate;
};
} // namespace

static int64_t countWarps(const MatrixProblem &matrix, const Mapping &mapping) {
  return mapping.tile[matrix.row] / mapping.warpRows * (mapping.tile[matrix.column] / mapping.warpColumns);
}

int64_t WarpBound::countBlocks(const Mapping &mapping, int64_t slot) const {
  const LimitsSpec &limits = machine.limits;
  int64_t threads = countWarps(matrix, mapping) * limits.warpSize.value;
  int64_t held = mapping.warpRows * mapping.warpColumns / limits.warpSize.value;
  int64_t multiplied = (mapping.warpRows + mapping.warpColumns) / 4;
  int64_t registers = held + multiplied + kOtherRegisters, smem = slot * mapping.stages;
  if (smem > limits.smemPerBlock.value || registers > limits.registersPerThread.value || threads > limits.threadsPerBlock.value)
    return 0;
  return std::min({machine.registersPerSM() / (registers * threads), machine.smemPerSM() / (smem + limits.smemReservedPerBlock.value),
                   limits.threadsPerSM.value / threads});
}

double WarpBound::getBusy(const Mapping &mapping, int64_t slot) const {
  int64_t rows = mapping.tile[matrix.row], columns = mapping.tile[matrix.column], step = mapping.tile[matrix.depth];
  double warps = double(countWarps(matrix, mapping)), steps = double(step) / double(matrix.step);
  double loaded = warps * double(mapping.warpRows + mapping.warpColumns) * steps * double(kDepthBytes);
  double instructions = double(rows * columns) / double(kMmaRows * kMmaColumns) * steps + loaded / double(kWarpBytes) +
                        double(slot) / double(kWarpBytes) * machine.compiler.instructions.asyncCopy.value +
                        warps * machine.compiler.instructions.asyncStep.value;
  return std::max({double(rows * columns * step) / rate,
                   loaded / double(machine.limits.smemBanks.value * machine.limits.smemBankWidth.value) + double(slot) / kCopiedBytes,
                   instructions / double(machine.limits.issueSlots.value)});
}

std::optional<double> WarpBound::getCycles(const Mapping &mapping) const {
  int64_t slot = 0;
  for (const Use &input : problem.inputs)
    slot += getTileBytes(input, mapping.tile);
  int64_t resident = countBlocks(mapping, slot);
  if (resident == 0)
    return std::nullopt;
  double rows = double(mapping.tile[matrix.row]), columns = double(mapping.tile[matrix.column]);
  double rounds = std::ceil(countTiles(problem, mapping.tile) / double(machine.sms.value));
  double together = std::min(double(resident), rounds);
  double steps = std::ceil(double(problem.dims[matrix.depth].size) / double(mapping.tile[matrix.depth]));
  // A slot is filled while the others are used; without slots, and where nothing is loaded ahead, warps wait. What is loaded ahead crosses
  // the steps where the ring has slots (begin(ahead)).
  const std::optional<SourcedReal> &l2Wait = machine.level(MemoryLevel::L2).waitNumber(), &smemWait = machine.level(MemoryLevel::Smem).waitNumber();
  double wait = l2Wait ? l2Wait->value : 0, loadWait = smemWait ? smemWait->value : 0;
  double waiting = wait / double(std::max<int64_t>(mapping.stages - 1, 1));
  if (mapping.buffers == 1 || mapping.stages == 1)
    waiting = std::max(waiting, loadWait * (mapping.buffers > 1 ? 1 : double(mapping.tile[matrix.depth]) / double(matrix.step)));
  // Steps begin with waits, which are never quite hidden.
  double step = std::max(getBusy(mapping, slot), waiting / together) + kSeen * waiting / together;
  // What fills the first slots and stores the result, where no other block works meanwhile.
  const LevelSpec &l2 = machine.level(MemoryLevel::L2);
  double filling = l2.bandwidth ? double(slot) * double(machine.sms.value) / l2.bandwidth->value : 0;
  double ends = (2 * wait + filling + rows * columns / 16) / together;
  double compute = rounds * (steps * step + ends);
  double fromDram = getOperandBytes(problem) / (machine.dramBytesPerCyclePerSM() * double(machine.sms.value) * kFromDram);
  // Of two that take as long the one that leaves more of the array to L1.
  return std::max({compute, fromDram, l2.bandwidth ? getRequestedBytes(problem, mapping) / l2.bandwidth->value : 0}) * (1 + 0.01 * double(slot * mapping.stages) / 65536);
}

// What lies along the depth, and 16-bit elements that lie along the other dimension, warps load as matrices of rows of 16 bytes (ldmatrix), from swizzled rows as TMA would
// place them (docs/layouts.md). Else lanes load elements, 8 side by side of several lines: 8 elements between one line and the next put these into other banks.
void mapping::layOutForWarps(MathType math, unsigned depth, const Use &input, tile::StageOp stage) {
  constexpr int64_t kGap = 8;
  auto type = cast<MemRefType>(stage.getTile().getType());
  int64_t bytes = bytesPerElement(math);
  unsigned fast = Problem::getFastDim(input).value_or(depth);
  if (fast != depth && bytes != 2)
    return layOutAlong(fast, input.map, stage.getTile(), kGap);
  unsigned along = *input.map.getResultPosition(getAffineDimExpr(fast, input.map.getContext()));
  for (layout::SmemSwizzle mode : {layout::SmemSwizzle::Bytes128, layout::SmemSwizzle::Bytes64, layout::SmemSwizzle::Bytes32}) {
    auto layout = layout::matrixTileLayout(type.getShape().vec(), along, mode, 8 * bytes);
    if (!layout)
      continue;
    auto attribute = tile::LayoutAttr::get(stage.getContext(), *layout);
    return stage.getTile().setType(MemRefType::get(type.getShape(), type.getElementType(), attribute, type.getMemorySpace()));
  }
}

/// The tiles of a warp to try, where `wish` may know them.
static SmallVector<std::pair<int64_t, int64_t>> listWarps(const Wish &wish, const MatrixProblem &matrix) {
  SmallVector<std::pair<int64_t, int64_t>> warps;
  for (auto [rows, columns] : kWarps) {
    std::pair<int64_t, int64_t> warp = {wish.warp[matrix.row].value_or(rows), wish.warp[matrix.column].value_or(columns)};
    if (warp.first % kMmaRows == 0 && warp.second % kMmaColumns == 0 && !llvm::is_contained(warps, warp))
      warps.push_back(warp);
  }
  return warps;
}

static void listWarpInstructions(const Problem &problem, const MatrixProblem &matrix, const MachineSpec &machine, const Wish &wish, std::vector<Candidate> &candidates) {
  if (!machine.rate(MathUnit::Mma, matrix.type) || !canWarpsMultiply(matrix.type) || wish.producers)
    return;
  WarpBound bound(problem, matrix, machine);
  Mapping mapping;
  mapping.scheme = Scheme::WarpInstructions;
  mapping.tile.assign(problem.dims.size(), 1);
  mapping.row = matrix.row;
  mapping.column = matrix.column;
  mapping.depth = matrix.depth;
  SmallVector<int64_t> steps = llvm::map_to_vector(kStepBytes, [&](int64_t bytes) { return bytes / bytesPerElement(matrix.type); });
  SmallVector<int64_t> stages = wish.stages ? SmallVector<int64_t>{*wish.stages} : SmallVector<int64_t>(ArrayRef(kStages));
  for (auto [warpRows, warpColumns] : listWarps(wish, matrix))
    for (auto [down, across] : kWarpGrids)
      for (int64_t step : wish.getTiles(matrix.depth, steps))
        for (int64_t slots : stages)
          for (int64_t buffers : {2, 1})
            for (int64_t grouped : {8, 16}) {
              mapping.warpRows = warpRows;
              mapping.warpColumns = warpColumns;
              mapping.tile[matrix.row] = wish.tile[matrix.row].value_or(warpRows * down);
              mapping.tile[matrix.column] = wish.tile[matrix.column].value_or(warpColumns * across);
              mapping.tile[matrix.depth] = step;
              mapping.stages = machine.features.cpAsync ? slots : 1;
              mapping.buffers = buffers;
              mapping.grouped = grouped;
              bool fits = mapping.tile[matrix.row] % warpRows == 0 && mapping.tile[matrix.column] % warpColumns == 0 && step % matrix.step == 0;
              if (!fits || !isWalked(problem, mapping, matrix.depth) || (buffers > 1 && step == matrix.step))
                continue;
              if (std::optional<double> cycles = bound.getCycles(mapping))
                candidates.push_back({mapping, *cycles});
            }
}

void mapping::listWarpInstructions(const Problem &problem, const MachineSpec &machine, const Wish &wish, std::vector<Candidate> &candidates) {
  for (const MatrixProblem &matrix : getMatrixProblems(problem))
    ::listWarpInstructions(problem, matrix, machine, wish, candidates);
}

void mapping::writeWarpInstructions(const Problem &problem, const Mapping &mapping, NestWriter &w) {
  BlockLoops loops = openBlock(problem, mapping, w);
  MatrixProblem matrix = getMatrixProblem(problem, mapping);
  SmallVector<Placed> operands;
  for (const Use &input : problem.inputs)
    layOutForWarps(matrix.type, matrix.depth, input, w.stage(w.operand(input), Level::SMEM, operands.emplace_back(), "s"));
  ForOp warps = w.open({{matrix.row, w.number(mapping.tile[matrix.row]), mapping.warpRows},
                        {matrix.column, w.number(mapping.tile[matrix.column]), mapping.warpColumns}},
                       Level::SMEM, Unit::Warp, "w");
  w.setTile(matrix.row, mapping.warpRows);
  w.setTile(matrix.column, mapping.warpColumns);
  if (mapping.tile[matrix.depth] > matrix.step) {
    ForOp step = w.open({{matrix.depth, w.number(mapping.tile[matrix.depth]), matrix.step}}, Level::SMEM, Unit::Time, "1");
    if (mapping.buffers > 1)
      step.setPipeline(mapping.buffers);
  }
  w.setTile(matrix.depth, matrix.step);
  for (Placed &operand : operands)
    w.stage(Placed(operand), Level::RF, operand, "r");
  w.open({{matrix.row, w.number(mapping.warpRows), kMmaRows}, {matrix.column, w.number(mapping.warpColumns), kMmaColumns}}, Level::RF, Unit::Unroll, "1");
  w.setTile(matrix.row, kMmaRows);
  w.setTile(matrix.column, kMmaColumns);
  operands.push_back(loops.result);
  for (Placed &operand : operands)
    operand = w.part(operand, "i");
  w.computeRoot(operands);
  w.close(warps);
  w.setTile(matrix.depth, mapping.tile[matrix.depth]);
  finishBlock(problem, mapping, w, loops);
}
