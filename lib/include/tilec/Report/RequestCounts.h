//===- RequestCounts.h - What a run counted, for each access -----*- C++ -*-===//
//
// Attributes requests, wavefronts and sectors that a run counted to the accesses
// that the analysis predicts, and says where the two differ.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_REPORT_REQUESTCOUNTS_H
#define TILEC_REPORT_REQUESTCOUNTS_H

#include "tilec/Analysis/WarpRequests.h"
#include "tilec/Report/Counts.h"

namespace tilec::report {

/// Of one access; absent where the run cannot tell it from another one of its op.
struct RequestCount {
  std::optional<int64_t> requests;
  /// Wavefronts or sectors.
  std::optional<int64_t> cost;
};

std::vector<RequestCount> countRequests(const analysis::NestModel &model,
                                        llvm::ArrayRef<analysis::BankAccess> accesses,
                                        llvm::ArrayRef<CountedAccess> counted);
std::vector<RequestCount> countRequests(llvm::ArrayRef<analysis::GlobalAccess> accesses,
                                        llvm::ArrayRef<CountedAccess> counted);

/// Are these accesses of one load to registers or store from there, which is done otherwise by threads at an edge, and at the ends of runs? A run counts them together.
bool arePartsOfOne(const analysis::AccessSite &one, const analysis::AccessSite &other);

/// The accesses for which the run counted other requests, wavefronts or sectors than are predicted
/// (more, for those under a condition). Accesses that the run cannot tell apart are taken together.
std::vector<CountMismatch> findMismatches(const analysis::NestModel &model,
                                          llvm::ArrayRef<analysis::BankAccess> accesses,
                                          llvm::ArrayRef<CountedAccess> counted);
std::vector<CountMismatch> findMismatches(llvm::ArrayRef<analysis::GlobalAccess> accesses,
                                          llvm::ArrayRef<CountedAccess> counted);

/// Bytes that leave the source of `transfer`, or enter its target, at the memory's port: those of whole
/// sectors and wavefronts. Absent where the requests cannot be counted.
std::optional<int64_t> getPortBytes(const analysis::NestModel &model,
                                    const analysis::Transfer &transfer,
                                    llvm::ArrayRef<analysis::BankAccess> banks,
                                    llvm::ArrayRef<analysis::GlobalAccess> coalescing,
                                    llvm::ArrayRef<analysis::GlobalAccess> constants,
                                    const MachineSpec &machine);

} // namespace tilec::report

#endif // TILEC_REPORT_REQUESTCOUNTS_H
