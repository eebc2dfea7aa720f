//===- SharedPlan.h - The map of a block's shared memory ---------*- C++ -*-===//
//
// Every array that a kernel has in shared memory, and where it lies. The lowering places
// its arrays by it, and the analysis counts them by it.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_ANALYSIS_SHAREDPLAN_H
#define TILEC_ANALYSIS_SHAREDPLAN_H

#include "tilec/Analysis/NestModel.h"
#include "tilec/Tile/Access.h"

namespace tilec::analysis {

enum class SharedUse {
  /// A tile, all its slots: of a tile.stage or tile.hold.
  Tile,
  /// Barriers of a ring, one a slot, that say that it is full and empty: of a loop with producers.
  Full,
  Empty,
  /// Barriers of teams that read a ring in turn, one a team, that say that it is its turn: of the same loop.
  Order,
  /// What each thread adds to a held tile, for threads of other warps: of a reducing loop on threads.
  Partials,
  /// What each block adds to a held tile, for the first block of the cluster: of a reducing loop on block.
  Parts,
  /// The number of parts of a tile that were done before: of a loop that is cut.
  Done,
  /// A slice of a tile on its way to DRAM, one for each team: of a tile.store that says through.
  Slice
};

/// How the threads of a loop that reduces get each other's values: by shuffles within warps and, where these do not do, through an array in
/// shared memory.
struct SumExchange {
  /// The threads that run the loop. Those of the block beyond them, if it has any, get the result all the same.
  int64_t threads;
  bool isPart;
  /// All lanes of all warps come to the end of the loop.
  bool shuffles;

  /// As many of `count` threads, `stride` apart, as shuffles combine: a power of two.
  int64_t getShuffled(int64_t count, int64_t stride) const;
  /// Do their values go through shared memory?
  bool passesMemory(int64_t count, int64_t stride) const;
  /// Of the values of `partners` threads that lie there, as many a thread reads: of two the other's alone, where it does not matter which comes first.
  int64_t countRead(int64_t partners, bool isOrdered) const { return partners == 2 && !isPart && !isOrdered ? 1 : partners; }
};
/// Of `elements` that a thread has, as many go through shared memory at a time, between two barriers.
int64_t getExchangedAtOnce(int64_t elements, int64_t elementBytes);
SumExchange getSumExchange(tile::ForOp loop, int64_t blockThreads);

/// The digits of a thread's number over which a loop that reduces adds up what it holds of a tile, in the order in which it does.
llvm::SmallVector<tile::Digit> getSummedDigits(tile::ForOp loop, const tile::Distribution &held);

struct SharedArray {
  SharedUse use;
  mlir::Operation *op;
  /// The tile of Partials and Parts.
  mlir::Value held;
  int64_t elements;
  int64_t elementBytes;
  /// It lies at a multiple of so many bytes.
  int64_t alignment;
  /// In bytes from the begin of the block's shared memory.
  int64_t offset = 0;
  /// The nest says so.
  bool placed = false;

  int64_t bytes() const { return elements * elementBytes; }
};

struct SharedPlan {
  /// In the order in which the nest comes to them.
  llvm::SmallVector<SharedArray> arrays;
  /// Of all arrays, each with its alignment.
  int64_t bytes = 0;

  /// The nest says of some array where it lies; tile-plan-smem sees to it that it does of all.
  bool placed = false;

  /// Does it take dynamic shared memory? A block has 48 KiB of static one (CUDA C++ Programming Guide, compute
  /// capabilities), in which the compiler places arrays, at multiples of tile::kSharedAlignment.
  bool isDynamic() const {
    return placed || bytes > 48 * 1024 || llvm::any_of(arrays, [](const SharedArray &array) { return array.alignment > tile::kSharedAlignment; });
  }
  /// The array of `op`; null where it has none.
  const SharedArray *find(SharedUse use, mlir::Operation *op, mlir::Value held = {}) const;
};

/// The map of a kernel: as its `smem_at` clauses say, or one array after the other.
SharedPlan planShared(tile::KernelOp kernel);

/// The map of a model. Where its tiles, depths or threads are others than the kernel's, clauses say nothing.
SharedPlan planShared(const NestModel &model);

/// The bytes that a tile takes in the map.
int64_t getSmemBytes(const TileModel &tile);

} // namespace tilec::analysis

#endif // TILEC_ANALYSIS_SHAREDPLAN_H
