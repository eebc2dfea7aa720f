//===- WarpRequests.h - Bank conflicts and coalescing ------------*- C++ -*-===//
//
// What the requests of warps cost at each load and store of a nest, against what
// the bytes that they ask for would cost side by side.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_ANALYSIS_WARPREQUESTS_H
#define TILEC_ANALYSIS_WARPREQUESTS_H

#include "tilec/Analysis/AccessSites.h"
#include "tilec/Layout/Banks.h"
#include "tilec/Machine/MachineSpec.h"

namespace tilec::analysis {

/// All requests of one access, of the whole grid (formula 35).
struct RequestTotals {
  /// Executions of the instruction by a warp with a lane that asks.
  int64_t requests = 0;
  /// Wavefronts, sectors or accesses of constant memory, and how many would do.
  int64_t cost = 0;
  int64_t ideal = 0;
  /// Cache lines that requests to an operand touch, each as often as a request does.
  int64_t lines = 0;
  /// Elements of an operand that lanes load or store.
  int64_t elements = 0;
};

RequestTotals operator+(const RequestTotals &one, const RequestTotals &other);

/// One access to shared memory, at the request that loses most (formula 26).
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
  /// If the condition holds, where site.conditional; absent where it cannot be counted.
  std::optional<RequestTotals> total;

  /// wavefronts / idealWavefronts, 1 without conflicts.
  double degree() const;
};

/// One access to an operand, at the request that loses most (formula 27).
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
  /// As for BankAccess.
  std::optional<RequestTotals> total;
  /// Different sectors that one execution of that warp touches in all its steps, and how many the
  /// bytes that it asks for fill: what steps leave of a sector the next ones take. Absent where no
  /// request touches more than it must.
  std::optional<int64_t> executionSectors;
  int64_t idealExecutionSectors = 0;
  /// Where executions leave half, the dimension whose elements lie side by side, and the sectors of the request that would lose
  /// most if the block's threads took the same elements in their order.
  std::optional<std::pair<unsigned, int64_t>> inOrder;

  /// Does one execution leave half of the sectors that it touches, or more?
  bool leavesHalf() const { return executionSectors && *executionSectors >= 2 * idealExecutionSectors; }
};

/// The banks of a machine's shared memory.
layout::BankModel getBankModel(const MachineSpec &machine);

/// One entry for each access to shared memory among `sites`, which are moved from. Absent entries are
/// those that no aligned addresses describe.
std::vector<BankAccess> analyzeBankAccesses(const NestModel &model, std::vector<AccessSite> &sites,
                                            const MachineSpec &machine);

/// What accesses to shared memory may take for their number to be of interest.
struct BankLimits {
  int64_t wavefronts = INT64_MAX;
  int64_t wavefrontsAndRequests = INT64_MAX;

  bool exceeds(const RequestTotals &total) const {
    return total.cost > wavefronts || total.cost + total.requests > wavefrontsAndRequests;
  }
  /// What is left after `total`, which does not exceed them.
  BankLimits after(const RequestTotals &total) const {
    return {wavefronts - total.cost, wavefrontsAndRequests - total.cost - total.requests};
  }
};

/// What all accesses to shared memory among `sites`, which are moved from, take together; absent where one cannot be counted, or where they take more than `most`.
std::optional<RequestTotals> countBankAccesses(const NestModel &model, std::vector<AccessSite> &sites, const MachineSpec &machine,
                                               const BankLimits &most = {});

/// One entry for each access to an operand among `sites`, which are moved from. `layouts` are those
/// that the sites were found for. Unless `described`, nothing is said of single executions.
std::vector<GlobalAccess> analyzeCoalescing(const NestModel &model, std::vector<AccessSite> &sites,
                                            const LaunchLayouts &layouts, const MachineSpec &machine, bool described = true);

/// The same of operands in constant memory (formula 37): their requests take an access for each different address, in place of
/// sectors, and would take one if all lanes read one element.
std::vector<GlobalAccess> analyzeConstantReads(const NestModel &model, std::vector<AccessSite> &sites, const LaunchLayouts &layouts,
                                               const MachineSpec &machine);

/// "a warp reads s in 32 wavefronts instead of 1: threads 0, 1, 2 ... (32) use bank 0 at bytes 0,
/// 128, 256 ... (32)"
std::string describe(const BankAccess &access);

/// "a warp writes B in 32 sectors instead of 4: thread 0 at byte 0, thread 1 at byte 16384"
std::string describe(const GlobalAccess &access);

} // namespace tilec::analysis

#endif // TILEC_ANALYSIS_WARPREQUESTS_H
