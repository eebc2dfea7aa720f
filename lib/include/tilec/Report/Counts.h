//===- Counts.h - What a run counted, for each transfer ----------*- C++ -*-===//
//
// Attributes the traffic that a run counted to the transfers that the analysis
// predicts, and says where the two differ. What was counted comes with the op of
// the nest that the counted line was made for, and with nothing of the analysis.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_REPORT_COUNTS_H
#define TILEC_REPORT_COUNTS_H

#include "tilec/Analysis/NestAnalysis.h"
#include "tilec/Report/Record.h"

namespace tilec::report {

/// Line and column in the nest's file, from 1; 0 where unknown.
struct SourcePlace {
  unsigned line = 0, column = 0;
  bool operator==(const SourcePlace &other) const {
    return line == other.line && column == other.column;
  }
};

/// Where `op` stands in the nest's file.
SourcePlace placeOf(mlir::Operation *op);

/// What one op of the nest read from, or wrote to, one operand or one array in shared memory.
struct CountedAccess {
  SourcePlace op;
  /// The operand; empty for an array in shared memory, which `array` was made for.
  std::string operand;
  SourcePlace array;
  bool writes = false;
  /// Delivered to or by threads; and what left or entered the memory.
  int64_t bytes = 0;
  int64_t portBytes = 0;
  /// Executions by a warp, and the wavefronts of shared memory, sectors of an operand or accesses of constant memory that they took.
  int64_t requests = 0;
  int64_t portUnits = 0;
};

/// Of one transfer; absent where the run cannot tell it from another one.
struct TransferCount {
  std::optional<int64_t> bytes;
  std::optional<int64_t> portBytes;
};

/// What the counts say of a prediction that they do not bear out.
struct CountMismatch {
  mlir::Operation *op = nullptr;
  /// "A, dram -> smem: 1024 bytes delivered, 1028 counted"
  std::string message;
};

/// One entry for each of `transfers`, from the counts of a whole run. Ops that move one
/// operand several times between the same levels are counted together, and have no entry.
std::vector<TransferCount> countTransfers(llvm::ArrayRef<analysis::Transfer> transfers,
                                          llvm::ArrayRef<CountedAccess> counted);

/// The transfers whose counted bytes are not the predicted ones (more, for those under a
/// condition), and traffic of operands that no transfer predicts.
std::vector<CountMismatch> findMismatches(const analysis::NestModel &model,
                                          llvm::ArrayRef<analysis::Transfer> transfers,
                                          llvm::ArrayRef<CountedAccess> counted);

} // namespace tilec::report

#endif // TILEC_REPORT_COUNTS_H
