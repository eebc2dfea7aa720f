//===- WarpRequests.h - Bank conflicts and coalescing ------------*- C++ -*-===//
//
// What one request of a warp costs at each load and store of a nest, against what
// the bytes that it asks for would cost side by side.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_ANALYSIS_WARPREQUESTS_H
#define TILEC_ANALYSIS_WARPREQUESTS_H

#include "tilec/Analysis/AccessSites.h"
#include "tilec/Machine/MachineSpec.h"
#include "tilec/Tile/Distribution.h"

namespace tilec::analysis {

/// One access to shared memory, at the warp of the block that fares worst (formula 26).
struct BankAccess {
  AccessSite site;
  unsigned warp = 0;
  int64_t wavefronts = 0;
  /// The same without a conflict: the different words, spread over all banks.
  int64_t idealWavefronts = 0;
  /// Of the bank with most different words in one pass: the threads that use it, and the byte
  /// addresses of those words from the start of the tile on. Empty where nothing collides.
  int64_t bank = 0;
  llvm::SmallVector<int64_t> threads;
  llvm::SmallVector<int64_t> addresses;
  /// Elements between rows (of the dimension that is not contiguous) that free all accesses to
  /// the tile of conflicts; absent where none does. Tried on each of them.
  std::optional<int64_t> freeStride;

  /// wavefronts / idealWavefronts, 1 without conflicts.
  double degree() const;
};

/// One access to an operand, at the warp of the block that fares worst (formula 27).
struct GlobalAccess {
  AccessSite site;
  unsigned warp = 0;
  int64_t sectors = 0;
  /// The same if the bytes asked for lay side by side.
  int64_t idealSectors = 0;
  /// Where more sectors than that are touched: the first two threads whose bytes lie in
  /// different sectors without being neighbours, and their addresses from the operand's start on.
  llvm::SmallVector<int64_t> threads;
  llvm::SmallVector<int64_t> addresses;
};

/// One entry for each access to shared memory. Strides and widths are those of `findAccessSites`.
std::vector<BankAccess> analyzeBankAccesses(const NestModel &model, const MachineSpec &machine);

/// One entry for each access to an operand, which starts at a multiple of a sector.
std::vector<GlobalAccess> analyzeCoalescing(const NestModel &model, const MachineSpec &machine);

/// "a warp reads s in 32 wavefronts instead of 1: threads 0, 1, 2 ... (32) use bank 0 at bytes 0,
/// 128, 256 ... (32); a stride of 33 elements would do"
std::string describe(const BankAccess &access);

/// "a warp writes B in 32 sectors instead of 4: thread 0 at byte 0, thread 1 at byte 16384"
std::string describe(const GlobalAccess &access);

} // namespace tilec::analysis

#endif // TILEC_ANALYSIS_WARPREQUESTS_H
