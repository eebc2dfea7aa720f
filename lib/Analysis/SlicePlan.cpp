//===- SlicePlan.cpp - Which tiles go by way of shared memory -----*- C++ -*-===//

#include "tilec/Analysis/SlicePlan.h"

#include "tilec/Analysis/BulkPlan.h"
#include "tilec/Analysis/BulkStore.h"
#include "tilec/Analysis/CopyDecisions.h"
#include "tilec/Analysis/Occupancy.h"
#include "tilec/Analysis/SharedPlan.h"
#include "tilec/Analysis/SlicedStore.h"
#include "tilec/Tile/InstructionUse.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Diagnostics.h"

#include <numeric>

using namespace mlir;
using namespace tilec;
using namespace tilec::analysis;

/// Rows of a slice, the longest first: a line of L2 down to a sector.
static constexpr int64_t kRowBytes[] = {128, 64, 32};

static bool isSpreadByInstruction(Value tile) {
  return llvm::any_of(tile::getCompanions(tile), [](Value companion) {
    return llvm::any_of(tile::getTileUses(companion), [](const tile::TileUse &use) { return tile::getInstructionUse(use.operand->getOwner()).has_value(); });
  });
}

/// A number that divides the distances of the rows of `dest`, of elements of `bytes`.
static int64_t getRowDivisor(const OperandLayout &dest, int64_t bytes) {
  int64_t divisor = tile::kWidestBytes;
  for (int64_t stride : dest.strides)
    if (stride != 1)
      divisor = std::gcd(divisor, stride * bytes);
  return divisor;
}

/// The elements of a row that a warp writes side by side with one instruction, of rows that begin at multiples of `rowDivisor` bytes.
static int64_t getRun(tile::StoreOp store, const tile::Distribution &spread, const CopySource &dest, int64_t rowDivisor) {
  std::optional<CopyForm> wide = getWideStore(store, spread, dest);
  int64_t bytes = cast<MemRefType>(store.getTile().getType()).getElementTypeBitWidth() / 8;
  int64_t run = wide && rowDivisor % (wide->width * bytes) == 0 ? wide->width : 1;
  for (const tile::Digit &digit : llvm::reverse(spread.dims.back()))
    if (digit.step == run && digit.threadStride > 0 && digit.threadStride < tile::kWarpThreads)
      run *= std::min(digit.count, tile::kWarpThreads / digit.threadStride);
  return run;
}

/// Can the tile be stored in slices of `columns`, by TMA with so many `slots` or, where there are none, by threads, and is there room?
static bool canSlice(tile::StoreOp store, const tile::Distribution &spread, int64_t columns, int64_t slots, const MachineSpec &machine) {
  if (cast<MemRefType>(store.getTile().getType()).getShape().back() % columns != 0)
    return false;
  ScopedDiagnosticHandler quiet(store.getContext(), [](Diagnostic &) { return success(); });
  store.setThrough(columns);
  if (slots > 0) {
    store.setCopy(tile::Copy::Tma);
    store.setSlots(slots);
  }
  bool can = succeeded(store.verify()) && (slots > 0 ? succeeded(getBulkStore(store, spread)) : succeeded(getSlicedStore(store, spread))) &&
             planShared(store->getParentOfType<tile::KernelOp>()).bytes <= machine.limits.smemPerBlock.value;
  store.removeThroughAttr();
  store.removeCopyAttr();
  store.removeSlotsAttr();
  return can;
}

/// The blocks of a grid of `blocks` that share an SM.
static int64_t countBlocksOfSM(tile::StoreOp store, const tile::Distribution &spread, int64_t blocks, const MachineSpec &machine) {
  // Beside sums, what they multiply and addresses, as in (15) of docs/analysis.md.
  constexpr int64_t kOthers = 64;
  auto kernel = store->getParentOfType<tile::KernelOp>();
  int64_t threads = tile::getComputeThreads(kernel), registers = std::min(spread.getLocalElements() + kOthers, machine.limits.registersPerThread.value);
  return std::min(findOccupancy(machine, planShared(kernel).bytes, threads, registers).blocksPerSM, countUsefulBlocks(machine, blocks, threads));
}

/// Does as much of the machine stay at work when threads store in slices of `columns`: do as many blocks share an SM?
static bool keepsBlocks(tile::StoreOp store, const tile::Distribution &spread, int64_t columns, int64_t blocks, const MachineSpec &machine) {
  int64_t straight = countBlocksOfSM(store, spread, blocks, machine);
  store.setThrough(columns);
  bool keeps = countBlocksOfSM(store, spread, blocks, machine) >= straight;
  store.removeThroughAttr();
  return keeps;
}

std::optional<SlicePlan> tilec::analysis::planSlices(tile::StoreOp store, const OperandLayout &laidOut, int64_t blocks, const MachineSpec &machine) {
  auto type = cast<MemRefType>(store.getTile().getType());
  std::optional<tile::Distribution> spread = getSpread(store.getTile());
  if (store.getCombine() || store.getIndices() || !tile::getMatrixDims(type.getShape()) || !spread)
    return std::nullopt;
  CopySource dest = getCopySource(tile::getDestAccess(store));
  int64_t bytes = type.getElementTypeBitWidth() / 8, rowDivisor = getRowDivisor(laidOut, bytes);
  SlicePlan plan;
  plan.runBytes = getRun(store, *spread, dest, rowDivisor) * bytes;
  bool inSectors = plan.runBytes >= machine.limits.sectorBytes.value;
  // Where blocks share an SM, one computes while another stores: slices are for those that are alone, be it that an instruction, which nobody writes, spreads the tile.
  if (!isSpreadByInstruction(store.getTile()) && (inSectors || countBlocksOfSM(store, *spread, blocks, machine) > 1))
    return std::nullopt;
  bool inRows = dest.strides.back() == 1 || (ShapedType::isDynamic(dest.strides.back()) && !llvm::is_contained(dest.strides, 1));
  // Barriers are for all threads.
  if (!inRows || store->getParentOfType<scf::IfOp>() ||
      planShared(store->getParentOfType<tile::KernelOp>()).placed)
    return plan;
  // TMA stores while threads go on, from one slot while they fill another, if there is room. A kernel that does not copy by it may be
  // compiled for instruction sets without.
  bool tma = !getBulkStages(store->getParentOfType<tile::KernelOp>()).empty() && rowDivisor == kBulkBytes;
  SmallVector<std::pair<int64_t, int64_t>> choices;
  for (int64_t row : kRowBytes)
    for (int64_t slots : {2, 3, 1})
      choices.push_back({row, slots});
  // Threads store rows of each of the units whose columns lie beside each other.
  int64_t units = getUnitsBeside(*spread, type.getRank() - 1, type.getShape().back()).first;
  if (!inSectors)
    for (int64_t row : kRowBytes)
      choices.push_back({row, 0});
  for (auto [row, slots] : choices)
    if (int64_t columns = row / bytes * (slots == 0 ? units : 1); (slots == 0 || (tma && !store.getWide())) && canSlice(store, *spread, columns, slots, machine)) {
      if (slots == 0 && !keepsBlocks(store, *spread, columns, blocks, machine))
        continue;
      plan.columns = columns;
      plan.slots = slots;
      return plan;
    }
  return plan;
}
