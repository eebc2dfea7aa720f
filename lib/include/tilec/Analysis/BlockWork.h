//===- BlockWork.h - What the units of an SM do for one block ----*- C++ -*-===//
//
// Warp instructions and wavefronts of one block, in the steps of its loop over
// tiles and outside of it, from the requests of each access.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_ANALYSIS_BLOCKWORK_H
#define TILEC_ANALYSIS_BLOCKWORK_H

#include "tilec/Analysis/NestAnalysis.h"
#include "tilec/Analysis/ThroughputMatching.h"
#include "tilec/Analysis/WarpRequests.h"

namespace tilec::analysis {

/// Work of one block, on average over the grid.
struct UnitWork {
  /// Warp instructions of all kinds.
  double instructions = 0;
  /// Cycles of the pipe that multiplies and adds.
  double math = 0;
  /// Passes of the array that is shared memory and L1: of requests to shared memory (formula 26), and
  /// lines of requests to operands.
  double smemWavefronts = 0;
  double l1Wavefronts = 0;
  /// Passes of the array in which tensor cores read their operands; `math` has the time of an instruction that takes longer by them.
  double matrixWavefronts = 0;
  /// Cycles of the pipe of reciprocals, roots, powers and logarithms.
  double special = 0;

  double wavefronts() const { return smemWavefronts + l1Wavefronts; }
};

/// What one phase of a block does.
struct PhaseWork {
  /// Iterations of the loop over tiles, or, without tiles in shared memory, of the loop around the
  /// loads that run most often.
  double steps = 1;
  /// Each step copies tiles into shared memory and waits for them.
  bool staged = false;
  /// Copies of a tile; from 2 on they run ahead.
  int64_t depth = 1;
  /// The last products of a step run beside loads of what the next one multiplies first.
  bool ahead = false;
  /// Tiles that a step copies, one after the other; without tiles, loads of a warp in a step.
  double tiles = 0;
  /// Waits for shared memory in a step: one for each iteration of the loop that computes, as the
  /// compiler unrolls it.
  double waits = 1;
  /// Of a step that ends with what threads put together: waits for the others, and what they then do, in which nothing is loaded.
  double exchanges = 0;
  UnitWork exchange;
  /// Waits of a warp in all steps for guarded loads, one after the other.
  double guardedWaits = 0;
  /// Copies that threads of a warp ask for together in a step, boxes left out; and those of them that go through registers.
  double pieces = 0, pieceLoads = 0;
  /// Of one step: its copies, and the rest.
  UnitWork copy;
  UnitWork compute;

  UnitWork step() const;
};

/// What one block does, and in which order.
struct BlockWork {
  int64_t blocks = 1;
  /// Of those that compute.
  int64_t warps = 1;
  /// Others, so many, copy for them; 0 where all warps do all.
  int64_t producers = 0;
  /// Blocks run at once that share one ring: teams that take turns.
  int64_t teams = 1;
  /// Do the blocks that start first do the others' work, too?
  bool persistent = false;
  /// Is the kernel launched while the one ahead ends?
  bool dependent = false;
  /// One after the other.
  std::vector<PhaseWork> phases = {PhaseWork()};
  /// Before, between and after the phases.
  UnitWork rest;
  /// Instructions of computations with what is loaded at once, without steps.
  double computedOnce = 0;
  /// Loads that a thread waits for one by one after what it loads at once: of several elements, each in a branch of a loop that is written out.
  double waitsOnce = 0;
  /// Bytes of sectors that a block's stores touch outside of steps; and beyond what they write, of the
  /// whole grid.
  double restSectorBytes = 0;
  /// Lines that all stores of a block touch.
  double storeLines = 0;
  /// Lines, beyond those that the same sectors would fill, that its copies load through registers.
  double partialLines = 0;
  /// Elements that the whole grid adds to in L2.
  double additions = 0;
  double scatteredBytes = 0;
  /// What boxes of the whole grid take of L2 beyond their bytes, since their rows begin inside of sectors or lines.
  double splitBoxBytes = 0;
  /// Of what the whole grid stores: results whose sectors take more than four requests each.
  double partedBytes = 0;
  /// Where the blocks of a cluster reduce: how many they are, and what the first reads from each of the others.
  int64_t reducingBlocks = 1;
  double partBytes = 0;

  /// Of all steps of a block.
  UnitWork inSteps() const;
  /// Of all blocks.
  UnitWork total() const;
};

/// Counts the work of `model` (formula 30). `whole` is its traffic with whole tiles, for computation
/// runs beyond the edges too.
BlockWork countBlockWork(const NestModel &model, const NestTraffic &whole, llvm::ArrayRef<BankAccess> banks,
                         llvm::ArrayRef<GlobalAccess> coalescing, llvm::ArrayRef<GlobalAccess> constants, const MachineSpec &machine);

} // namespace tilec::analysis

#endif // TILEC_ANALYSIS_BLOCKWORK_H
