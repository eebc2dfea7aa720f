//===- Occupancy.cpp - Blocks that an SM holds at one time ------*- C++ -*-===//
//
// The rules of CUDA's occupancy calculator.
//
//===----------------------------------------------------------------------===//

#include "tilec/Analysis/Occupancy.h"

#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace tilec;
using namespace tilec::analysis;

Occupancy tilec::analysis::findOccupancy(const MachineSpec &machine, int64_t smemBytes,
                                         int64_t threads, int64_t registers) {
  const LimitsSpec &limits = machine.limits;
  Occupancy result{limits.blocksPerSM.value, "blocks"};
  auto limit = [&](int64_t blocks, const char *what) {
    if (blocks < result.blocksPerSM)
      result = {blocks, what};
  };
  int64_t warps = llvm::divideCeil(std::max<int64_t>(threads, 1), limits.warpSize.value);
  limit(limits.threadsPerSM.value / (warps * limits.warpSize.value), "threads");

  int64_t smem =
      llvm::alignTo(smemBytes + limits.smemReservedPerBlock.value, limits.smemAllocationUnit.value);
  if (smem > 0)
    limit(machine.smemPerSM() / smem, "shared memory");

  // Each scheduler has its share of the registers, and whole warps.
  int64_t perWarp = llvm::alignTo(std::max<int64_t>(registers, 1) * limits.warpSize.value,
                                  limits.registerAllocationUnit.value);
  int64_t schedulers = limits.issueSlots.value;
  int64_t warpsThatFit = machine.registersPerSM() / schedulers / perWarp * schedulers;
  limit(warpsThatFit / warps, "registers");
  return result;
}

int64_t tilec::analysis::countUsefulBlocks(const MachineSpec &machine, int64_t blocks, int64_t threads) {
  constexpr int64_t kWarps = 6;
  int64_t warps = llvm::divideCeil(std::max<int64_t>(threads, 1), machine.limits.warpSize.value);
  return std::min<int64_t>(llvm::divideCeil(std::max<int64_t>(blocks, 1), machine.sms.value), llvm::divideCeil(kWarps * machine.limits.issueSlots.value, warps));
}

Tail tilec::analysis::findTail(int64_t blocks, int64_t sms, int64_t blocksPerSM) {
  Tail tail;
  if (blocks <= 0 || sms <= 0 || blocksPerSM <= 0)
    return tail;
  double mean = static_cast<double>(blocks) / static_cast<double>(sms);
  tail.waves = mean / static_cast<double>(blocksPerSM);
  tail.efficiency = mean / std::ceil(mean);
  return tail;
}
