//===- NestAnalysis.h - Traffic and reuse of a nest --------------*- C++ -*-===//
//
// What each stage of the memory hierarchy delivers, element by element, edges of
// operands included, and how often what it delivers is used.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_ANALYSIS_NESTANALYSIS_H
#define TILEC_ANALYSIS_NESTANALYSIS_H

#include "tilec/Analysis/NestModel.h"

namespace tilec::analysis {

enum class Role {
  /// Only read.
  Input,
  /// Stored to; its reads (of old values) count as well.
  Output
};

enum class AccessKind {
  Read,
  Write,
  /// Combined with what is there, as an atomic operation does.
  Combine
};

/// "read", "write", "combine".
llvm::StringRef toString(AccessKind access);
/// "input", "output".
llvm::StringRef toString(Role role);

/// What one op moves between two levels.
struct Transfer {
  /// The stage or store, or the linalg op that reads where the data lies.
  mlir::Operation *op = nullptr;
  /// The stage of the tile in shared memory at one of its ends, or the hold whose parts lie there; null where there is
  /// none, or where `op` is that stage.
  mlir::Operation *sharedTile = nullptr;
  /// Number of the operand's kernel argument; absent for what comes from no operand.
  std::optional<unsigned> operand;
  std::string name;
  Role role = Role::Input;
  AccessKind access = AccessKind::Read;
  tile::Level from = tile::Level::DRAM;
  tile::Level to = tile::Level::RF;
  llvm::SmallVector<int64_t, 2> tile;
  int64_t elementBytes = 0;
  /// Times that the op runs, in all units together.
  int64_t copies = 0;
  /// Elements delivered into the consumer's level (formula 2). A tile in registers is
  /// delivered to each thread that holds a copy (formula 3).
  int64_t elements = 0;
  /// Elements that the next stage below takes from what was delivered, and uses by
  /// computation (or by a store, where it goes straight back) of what was delivered.
  int64_t takenBelow = 0;
  int64_t uses = 0;
  /// Units that one read of the source serves (formula 6).
  int64_t multicast = 1;
  /// Of what goes to registers: how often a block's threads and a linalg op's iterations read
  /// one element at about one time, which L1 or shared memory serves once it has it.
  int64_t readsInBlock = 1;
  /// How often elements of the operand lie in several tiles that overlap in part, on average: halos. At least 1. Tiles of which one
  /// moves on by less than it is wide come soon after one another, so that L2 has what they share; `overlapInBlock` is what one
  /// block's threads and steps have of it, for which L1 does.
  double overlap = 1, overlapInBlock = 1;
  /// Inside of an `scf.if`: moved only if its condition holds.
  bool conditional = false;
  /// Of an output that passes more than once: it is read, or combined with, in each run, and the nest is not declared
  /// output-stationary.
  bool partial = false;
  /// Read from the shared memory of another block of the cluster.
  bool remote = false;
  /// Data says which elements of the operand.
  bool scattered = false;
  /// Indices, each read as often as an access asks for it: `elements` are the most, until the requests are counted.
  bool byRequest = false;
  /// The loops around it that move its place in the operand.
  llvm::SmallVector<unsigned, 4> movedBy;
  /// Bytes of the whole sectors or wavefronts of its requests; absent where nobody has counted them.
  std::optional<int64_t> portBytes;

  /// What reports call its source: the level, or dsmem where it is remote.
  llvm::StringRef getSource() const;
  int64_t bytes() const { return elements * elementBytes; }
  /// Bytes that leave the source: those that a multicast delivers to several blocks once.
  int64_t sentBytes() const { return bytes() / multicast; }
  /// takenBelow / elements (formula 5); absent if nothing is delivered.
  std::optional<double> localReuse() const;
  /// uses / elements (formula 4); absent if nothing is delivered.
  std::optional<double> globalReuse() const;
};

/// What one computation takes.
struct ComputeTraffic {
  /// Points of its iteration space at which it is executed. One iteration is one FMA.
  int64_t iterations = 0;
  /// Bytes of inputs that these iterations read, each afresh.
  int64_t operandBytes = 0;
  /// The kernel's figures are about it: all do arithmetic in each run, and none merely finishes, outside of a loop over time,
  /// what that has reduced. Of a kernel without such ones, those that move elements in each run; else all.
  bool counts = false;
};

/// The traffic of a kernel, and what its computations take.
struct NestTraffic {
  /// In program order.
  std::vector<Transfer> transfers;
  /// Of the model's computations, by their numbers.
  std::vector<ComputeTraffic> computes;
  /// Sums over the computations that count.
  int64_t iterations = 0;
  int64_t operandBytes = 0;
  /// Bytes of the operands that the kernel reads or writes, each once.
  int64_t compulsoryBytes = 0;
};

/// Which elements of tiles count.
enum class Edges {
  /// Those inside of the operand: what is moved.
  Exact,
  /// All, as if tiles divided the operands: what tiles promise, whatever the extents.
  Whole
};

/// Counts the traffic of `model`. Fails with a diagnostic where a count exceeds 64 bits or
/// an access is too irregular to count.
mlir::FailureOr<NestTraffic> analyzeTraffic(const NestModel &model, Edges edges = Edges::Exact);

} // namespace tilec::analysis

#endif // TILEC_ANALYSIS_NESTANALYSIS_H
