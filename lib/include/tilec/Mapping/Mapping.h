//===- Mapping.h - How a problem becomes a nest -------------------*- C++ -*-===//
//
// Candidates as data, and the nest that each stands for. Which of them a machine takes, and which is the fastest, is
// for planning and analysis to say.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_MAPPING_MAPPING_H
#define TILEC_MAPPING_MAPPING_H

#include "tilec/Machine/MachineSpec.h"
#include "tilec/Mapping/OpenNest.h"

namespace tilec::mapping {

/// What a block does with its tile.
enum class Scheme {
  /// Operands are staged in shared memory, and threads multiply fragments that they hold: the result's two dimensions
  /// `row` and `column` each belong to one of two inputs alone.
  Products,
  /// As Products, by instructions of the tensor cores that warpgroups run.
  Instructions,
  /// As Products, by instructions of the tensor cores that warps run.
  WarpInstructions,
  /// Threads compute elements of the result from elements that they load, with or without a detour through shared memory.
  Streams,
  /// Threads of a block share the reduction of each element of the result.
  Sums,
  /// Ops that are a group of rows: units walk their rows once for each reduction and once for what is stored.
  Rows,
  /// Two products with softmax between, by instructions of the tensor cores that warpgroups or warps run, or by threads.
  Chain,
  /// An open nest, whose loops stay as they are.
  Written
};

/// Where a group's rows are between one walk along them and the next.
enum class Kept { Nowhere, Registers, Shared };

/// A candidate.
struct Mapping {
  Scheme scheme = Scheme::Products;
  /// Of each dimension, what a block takes of it: at once where it is parallel, in a step where it is reduced.
  llvm::SmallVector<int64_t> tile;
  /// Dimensions that warps and threads share out: of the result's rows and of its columns.
  unsigned row = 0, column = 0;
  /// The reduced dimension that is walked innermost; they are walked in their order where that is none of them.
  unsigned depth = ~0u;
  /// What a warp takes of them.
  int64_t warpRows = 0, warpColumns = 0;
  /// Steps that are under way at once; 1 is none ahead.
  int64_t stages = 1;
  /// Products: steps of the reduction that threads load at once of inputs whose neighbours lie along it, which are staged as they lie; with 1 they are turned on the way.
  int64_t together = 1;
  /// Products: as many groups of warps multiply in a step, each a part of it, and add up what they have of the tile in the end.
  int64_t groups = 1;
  /// Products: does the result's tile begin at zero, and gets what the operand has at the end?
  bool addedLast = false;
  /// Warp instructions, chains by threads: tiles that a warp holds of each input, to load one while it multiplies another.
  int64_t buffers = 1;
  /// Warps that only copy; 0 where all threads copy.
  int64_t producers = 0;
  bool persistent = false;
  /// Groups of warps that take the tiles of a persistent block in turn.
  int64_t teams = 1;
  /// Are tiles of the last wave cut along the reduction?
  bool cutTail = false;
  /// Blocks of a cluster that share a row of tiles, and those that share a tile's reduction.
  int64_t clusterRows = 1, split = 1;
  /// Rows of tiles that blocks walk down before along; 0 is row by row.
  int64_t grouped = 0;
  /// Elements that a thread takes side by side along `column`, of how many rows at once (chains by threads: rows beside each other), and how often.
  int64_t vector = 1, rows = 1, repeat = 1;
  /// Streams: lines of which a thread loads vectors at once, to turn them in registers on their way to shared memory, or, with `skewed`, of which a block's threads do,
  /// to store them as they lie; 0 where tiles are copied as they lie.
  int64_t turned = 0;
  /// Do places move along the rows so that vectors are aligned in each (lib/Mapping/Skew.h)?
  bool skewed = false;
  /// Streams: does each input go through shared memory (else each thread loads what it needs)? Products: by TMA?
  llvm::SmallVector<bool> staged, boxes;
  /// Rows: elements along `column` that all threads take at once are its tile, and `repeat` as many are kept.
  Kept kept = Kept::Nowhere;
  /// The dimensions of the grid, the slowest first; empty where they are the parallel ones in their order.
  llvm::SmallVector<unsigned> grid;
  /// Written: the steps that the nest leaves open, in the order of the text; and are layouts of staged tiles left to planning? That takes longer than
  /// all else; otherwise they are the usual ones.
  llvm::SmallVector<int64_t> steps;
  bool layoutsOpen = false;

  /// Do warps multiply by instructions of theirs (else, of schemes that multiply so, warpgroups)?
  bool usesWarps() const { return scheme == Scheme::WarpInstructions || (scheme == Scheme::Chain && producers == 0 && warpRows > 0); }
  /// In words: "block 128x256x64, warp 64x64, 2 stages, 4 producers".
  std::string toString() const;
  /// What it has in common with others of which bounds tell no more than sizes apart.
  std::string getKind() const;
};

/// How many times as fast as others it must be predicted to be to be taken before them: more than 1 where predictions have been too short.
double getDoubt(const Problem &problem, const Mapping &mapping);

/// Warns of products of bf16 or f16 in `kernel` that are rounded as they are added up, where tensor cores of `machine` multiply the type, but add up in f32.
void warnOfRoundedSums(tile::KernelOp kernel, const MachineSpec &machine);

/// The candidates for `problem` on `machine`, the most promising first, by what bounds say: at most `most`. Where `open` is the nest
/// that the problem was read from, those that have the numbers which it says.
/// Considers thousands; sets `considered` to their number.
std::vector<Mapping> listMappings(const Problem &problem, const OpenNest *open, const MachineSpec &machine, size_t most, size_t &considered);

/// Makes the nest that `mapping` stands for in the place of the problem's ops, in a copy of its kernel at `builder`'s
/// insertion point. The nest need not verify, fit the machine, or be one that can be lowered. Null where it is not what `open`, if it is there, says.
tile::KernelOp writeNest(const Problem &problem, const OpenNest *open, const Mapping &mapping, mlir::OpBuilder &builder);

} // namespace tilec::mapping

#endif // TILEC_MAPPING_MAPPING_H
